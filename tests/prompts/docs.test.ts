import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isSkillError, SkillError } from '../../src/errors.ts';
import {
  completeDocPath,
  type Docs,
  docPathProblem,
  hasDoc,
  openDocs,
  readDoc,
  uriTemplate,
} from '../../src/prompts/index.ts';
import { memorySource, mountSources, type Source } from '../../src/source/index.ts';

let root: string;
let docs: Docs;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'skillwire-docs-'));
  await mkdir(join(root, 'docs', 'guide', 'more'), { recursive: true });
  await mkdir(join(root, 'docs', 'folder.md'));
  await mkdir(join(root, 'outside'));
  const files: Record<string, string | Buffer> = {
    'docs/index.md': '# I\r\n',
    'docs/guide/a b.md': '# AB\n',
    'docs/guide/more/é.md': '\ufeff# E\n',
    'docs/guide/%2e.md': 'percent\n',
    'docs/guide/a:b.md': 'colon\n',
    'docs/guide/.md': 'hidden\n',
    'docs/binary.md': Buffer.from([0x23, 0xff, 0x0a]),
    'docs/notes.txt': 't',
    'docs/UP.MD': '# up\n',
    'docs/x.markdown': 'x',
    'outside/secret.md': 'secret\n',
  };
  for (const [path, text] of Object.entries(files)) await writeFile(join(root, path), text);
  await symlink('../outside/secret.md', join(root, 'docs', 'leak.md'));
  await symlink('../outside', join(root, 'docs', 'leaks'));
  await symlink('guide/a b.md', join(root, 'docs', 'inside.md'));
  await symlink('guide', join(root, 'docs', 'guides'));
  await symlink('nowhere.md', join(root, 'docs', 'broken.md'));
  await symlink('loop.md', join(root, 'docs', 'loop.md'));
  if (process.platform !== 'win32') execFileSync('mkfifo', [join(root, 'docs', 'pipe.md')]);
  docs = await openDocs(join(root, 'docs'));
});
afterAll(async () => {
  await docs.close();
  await rm(root, { recursive: true, force: true });
});

describe('a document', () => {
  test.each([
    ['index.md', { text: '# I\r\n' }],
    ['guide/a%20b.md', { text: '# AB\n' }],
    ['guide/a b.md', { text: '# AB\n' }],
    ['guide%2Fa%20b.md', { text: '# AB\n' }],
    ['guide/more/%C3%A9.md', { text: '\ufeff# E\n' }],
    ['guide/more/é.md', { text: '\ufeff# E\n' }],
    ['guide/%252e.md', { text: 'percent\n' }],
    ['binary.md', { blob: 'I/8K' }],
    ['inside.md', { text: '# AB\n' }],
    ['guides/a%20b.md', { text: '# AB\n' }],
  ])('is read at %s, byte for byte', async (path, contents) => {
    const uri = `resource://docs/${path}`;
    expect(await readDoc(docs, uri)).toEqual({ uri, mimeType: 'text/markdown', ...contents });
  });

  test('is read under a scheme in upper case', async () => {
    expect(await readDoc(docs, 'RESOURCE://docs/index.md')).toMatchObject({ text: '# I\r\n' });
  });

  test.each([
    ...[
      '',
      '/',
      'missing.md',
      'guide',
      'guide/',
      'guide/missing.md',
      'folder.md',
      'index.md/',
      'index.md/x.md',
    ],
    ...['notes.txt', 'UP.MD', 'x.markdown', 'index', 'guide/.md', '.md', 'index.md%20', 'index.MD'],
    ...[
      '../docs/index.md',
      './index.md',
      'guide/../index.md',
      'guide/./a%20b.md',
      'guide//a%20b.md',
      '%2e%2e/docs/index.md',
    ],
    ...[
      '%2E%2E%2Foutside%2Fsecret.md',
      'guide%2F..%2Findex.md',
      '..',
      '/index.md',
      '%2Findex.md',
      '//etc/x.md',
      '%2e/index.md',
    ],
    ...[
      'guide%5Ca%20b.md',
      'guide\\a b.md',
      '..%5Coutside%5Csecret.md',
      'C:x.md',
      'C:/index.md',
      'c%3Ax.md',
      'guide/C:x.md',
    ],
    ...[
      'index.md%00',
      'index%00.md',
      '%00',
      'a%0A.md',
      'a%7F.md',
      'a%C2%85.md',
      'a%ZZ.md',
      '%ff.md',
      '%ED%A0%80.md',
      '%252e%252e/index.md',
    ],
    ...['index.md?x=1', 'index.md?', 'index.md#top', 'index.md#', '?x=1', '#x'],
    ...['leak.md', 'leaks/secret.md', 'broken.md', 'loop.md', 'pipe.md'],
  ])('is not at %j, in the same words', async (path) => {
    const uri = `resource://docs/${path}`;
    const error = await readDoc(docs, uri).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(isSkillError(error, 'RESOURCE_NOT_FOUND')).toBe(true);
    expect(error).toMatchObject({ rpcCode: -32602, details: { uri } });
    expect((error as SkillError).message).toBe(
      `no such resource: ${JSON.stringify(uri).replaceAll('\\\\', '\\')}`,
    );
  });

  test.each([
    'resource://docs',
    'resource://doc/index.md',
    'resource://docsx/index.md',
    'docs/index.md',
    'skill://docs/index.md',
    'resource://x@docs/index.md',
  ])('is not at %s', async (uri) => {
    await expect(readDoc(docs, uri)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND', details: { uri } });
  });

  test('is not at a URI over 8 KiB', async () => {
    await expect(readDoc(docs, `resource://docs/${'a'.repeat(8200)}.md`)).rejects.toMatchObject({
      code: 'URI_TOO_LONG',
    });
  });

  test('over the cap is named, without a path of this machine', async () => {
    const small = await openDocs(join(root, 'docs'), { maxFileBytes: 4 });
    const error = (await readDoc(small, 'resource://docs/index.md').catch(
      (reason: unknown) => reason,
    )) as SkillError;
    expect(error.code).toBe('FILE_TOO_LARGE');
    expect(error.message).not.toContain(root);
    await small.close();
  });

  test('that cannot be read now is not called absent', async () => {
    const memory = memorySource({ 'a.md': 'x' });
    const source: Source = {
      label: 'm',
      list: (path) => memory.list(path),
      contains: (ancestor, id) => memory.contains(ancestor, id),
      stat: (path) => memory.stat(path),
      close: () => memory.close(),
      read() {
        throw new SkillError('FILE_UNREADABLE', '"a.md" cannot be read (EIO)');
      },
    };
    await expect(readDoc(await openDocs(source), 'resource://docs/a.md')).rejects.toMatchObject({
      code: 'FILE_UNREADABLE',
      rpcCode: -32603,
    });
  });

  test('is what stands there now', async () => {
    await writeFile(join(root, 'docs', 'new.md'), 'one');
    expect(await readDoc(docs, 'resource://docs/new.md')).toMatchObject({ text: 'one' });
    await writeFile(join(root, 'docs', 'new.md'), 'two');
    expect(await readDoc(docs, 'resource://docs/new.md')).toMatchObject({ text: 'two' });
    await rm(join(root, 'docs', 'new.md'));
    await expect(readDoc(docs, 'resource://docs/new.md')).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    });
  });

  test('is read from any source', async () => {
    const mounted = mountSources([
      { source: memorySource({ 'a.md': 'A' }), prefix: 'x' },
      { source: memorySource({ 'b.md': 'B' }), prefix: 'y' },
    ]);
    const both = await openDocs(mounted);
    expect(await readDoc(both, 'resource://docs/x/a.md')).toMatchObject({ text: 'A' });
    expect(await readDoc(both, 'resource://docs/y/b.md')).toMatchObject({ text: 'B' });
  });
});

test('a path as deep as a URI can be is refused like any other', async () => {
  const uri = `resource://docs/${'a/'.repeat(4_080)}b.md`;
  await expect(readDoc(docs, uri)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND', details: { uri } });
  expect(await hasDoc(docs, uri)).toBe(false);
});

test('a folder of documents must be there', async () => {
  await expect(openDocs(join(root, 'nope'))).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
  await expect(openDocs(join(root, 'docs', 'index.md'))).rejects.toMatchObject({
    code: 'SOURCE_NOT_A_FOLDER',
  });
});

test('no path reads anything but a document of the folder', async () => {
  const part = fc.constantFrom(
    '..',
    '.',
    '',
    'guide',
    'outside',
    'secret.md',
    'index.md',
    'a b.md',
    '%2e',
    'C:',
    '\\',
    'leaks',
    'é.md',
    'more',
  );
  const known = new Set(['# I\r\n', '# AB\n', '\ufeff# E\n', 'percent\n']);
  const template = uriTemplate('resource://docs/{path}');
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), fc.boolean(), async (parts, encoded) => {
      const path = parts.join('/');
      if (path === '') return;
      const uri = encoded ? template.expand({ path }) : `resource://docs/${path}`;
      const answer = await readDoc(docs, uri).catch((error: unknown) => error);
      if (isSkillError(answer)) expect(answer.code).toBe('RESOURCE_NOT_FOUND');
      else expect(known).toContain((answer as { text: string }).text);
    }),
    { numRuns: 500 },
  );
});

test.each([
  ['a.md', undefined],
  ['a/b.md', undefined],
  ['', 'it is empty'],
  ['../a.md', 'it is not a plain relative path'],
  ['C:a.md', 'it names a drive'],
  ['a.txt', 'it does not end in ".md"'],
  ['a/.md', 'it has no name before ".md"'],
  [`${'a/'.repeat(32)}b.md`, undefined],
  [`${'a/'.repeat(33)}b.md`, 'it lies deeper than 32 folders'],
])('the path %j', (path, problem) => {
  expect(docPathProblem(path)).toBe(problem);
});

describe('completion', () => {
  test.each<[string, readonly string[]]>([
    ['', ['binary.md', 'folder.md/', 'guide/', 'guides/', 'index.md', 'inside.md']],
    ['in', ['index.md', 'inside.md']],
    ['guide/', ['guide/%2e.md', 'guide/a b.md', 'guide/more/']],
    ['guide/more/', ['guide/more/é.md']],
    ['guide/a', ['guide/a b.md']],
    ['nope/', []],
    ['index.md/', []],
    ['../', []],
    ['guide/../', []],
    ['/', []],
    ['leaks/', []],
  ])('of %j', async (typed, values) => {
    const { completion } = await completeDocPath(docs, typed);
    expect(completion.values.filter((value) => !value.includes(':'))).toEqual(values);
  });

  test('of what is longer than any URI finds nothing, and does not fail', async () => {
    const { completion } = await completeDocPath(docs, 'a/'.repeat(2_000_000));
    expect(completion).toEqual({ values: [], total: 0, hasMore: false });
  });

  test('names nothing that a read refuses, though links may lead there', async () => {
    await mkdir(join(root, 'linked', 'deep'), { recursive: true });
    await mkdir(join(root, 'own'));
    await writeFile(join(root, 'linked', 'deep', 'private.md'), 'p');
    await writeFile(join(root, 'linked', 'private.md'), 'p');
    await writeFile(join(root, 'own', 'mine.md'), 'm');
    await symlink('../linked', join(root, 'own', 'out'));
    await symlink('../linked/private.md', join(root, 'own', 'file.md'));
    const linkRoots = [join(root, 'linked')];
    const strict = await openDocs(join(root, 'own'), { linkRoots });
    const free = await openDocs(join(root, 'own'), { linkRoots, symlinks: 'follow' });
    const values = async (from: Docs, typed: string): Promise<readonly string[]> =>
      (await completeDocPath(from, typed)).completion.values;
    await expect(readDoc(strict, 'resource://docs/out/private.md')).rejects.toThrow('no such resource');
    expect(await values(strict, '')).toEqual(['mine.md']);
    expect(await values(strict, 'out/')).toEqual([]);
    expect(await values(strict, 'out/deep/')).toEqual([]);
    expect(await readDoc(free, 'resource://docs/out/deep/private.md')).toMatchObject({ text: 'p' });
    expect(await values(free, '')).toEqual(['file.md', 'mine.md', 'out/']);
    expect(await values(free, 'out/')).toEqual(['out/deep/', 'out/private.md']);
    expect(await values(free, 'out/deep/')).toEqual(['out/deep/private.md']);
    await strict.close();
    await free.close();
  });
});
