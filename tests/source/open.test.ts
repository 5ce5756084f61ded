import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import {
  type OpenOptions,
  openSource,
  parseSourceText,
  printableSource,
  type Source,
  type SourceProgress,
} from '../../src/source/index.ts';
import { openStore } from '../../src/store/index.ts';
import { type ArchiveServer, archiveServer } from './archive-server.ts';
import { packTarGz, packZip } from './pack-files.ts';
import { look, tempFolder, tree } from './support.ts';

const MANIFEST = '---\nname: pdf\ndescription: d\n---\n';

async function failure(text: string, cwd?: string): Promise<{ code: string; message: string }> {
  try {
    await openSource(text, cwd === undefined ? {} : { cwd });
  } catch (error) {
    if (isSkillError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'no error', message: '' };
}

describe('openSource', () => {
  test('opens a folder of skills as it is', async () => {
    const root = tree({ 'pdf/SKILL.md': MANIFEST, '.curated/x/SKILL.md': MANIFEST });
    const source: Source = await openSource(root);
    expect(look(source, '')).toEqual(['.curated', 'pdf']);
    expect(source.label).toBe(root);
    expect(source.hostRoot).toBe(root);
  });

  test('wraps a folder that is a skill itself under its own name', async () => {
    const root = join(tree({ 'pdf/SKILL.md': MANIFEST, 'pdf/ref/a.md': 'x', alias: '-> pdf' }), 'pdf');
    for (const text of [root, `${root}/`, join(root, '../alias')]) {
      const source = await openSource(text);
      expect(look(source, '')).toEqual(['pdf']);
      expect(look(source, 'pdf')).toEqual(['SKILL.md', 'ref']);
      expect(source.hostRoots).toEqual([{ path: 'pdf', folder: root }]);
    }
    expect(look(await openSource('.', { cwd: root }), '')).toEqual(['pdf']);
  });

  test('takes a folder called SKILL.md for no skill', async () => {
    expect(look(await openSource(tree({ 'SKILL.md/x': 'x' })), '')).toEqual(['SKILL.md']);
  });

  test('puts it below a prefix', async () => {
    const root = tree({ 'skills/pdf/SKILL.md': MANIFEST });
    expect(look(await openSource('team/docs=skills', { cwd: root }), 'team/docs')).toEqual(['pdf']);
    expect(look(await openSource('team=skills/pdf', { cwd: root }), 'team')).toEqual(['pdf']);
    expect(look(await openSource(`team=${root}/skills`), '')).toEqual(['team']);
  });

  test('passes options on', async () => {
    const root = tree({ 'a/SKILL.md': 'x', 'a/.env': 'x', l: '-> a' });
    expect(look(await openSource(root, { symlinks: 'refuse', allowSecret: ['.env'] }), '')).toEqual([
      'a',
      'l LINK_REFUSED',
    ]);
    expect(look(await openSource(root, { allowSecret: ['.env'] }), 'a')).toEqual(['.env', 'SKILL.md']);
  });

  test.each([
    ['', 'USAGE', 'the source is empty'],
    ['=x', 'USAGE', 'nothing before "="'],
    ['a=', 'USAGE', 'nothing after "="'],
    ['none', 'SOURCE_NOT_FOUND', 'does not exist'],
    ['x'.repeat(5000), 'SOURCE_NOT_FOUND', 'does not exist'],
    [`a=${'x'.repeat(5000)}`, 'SOURCE_NOT_FOUND', 'does not exist'],
    ['a\0b', 'SOURCE_NOT_FOUND', 'is no path of a folder'],
    ['~/none', 'SOURCE_NOT_FOUND', '"~" is read by a shell only'],
    ['a=none', 'SOURCE_NOT_FOUND', 'does not exist'],
    ['../a=none', 'SOURCE_NOT_FOUND', 'does not exist'],
    ['file', 'SOURCE_NOT_A_FOLDER', 'is a file and no archive; name a folder, or an archive'],
    ['pdf/SKILL.md', 'SOURCE_NOT_A_FOLDER', 'name the folder that holds it'],
    ['file/below', 'SOURCE_NOT_A_FOLDER', 'lies below a file'],
    ['pack.zip', 'ARCHIVE_CORRUPT', 'get it again'],
    ['pack.tar.xz', 'ARCHIVE_UNKNOWN_FORMAT', 'is no tar.gz, zip or tar.bz2'],
    ['gone.zip', 'SOURCE_NOT_FOUND', 'does not exist'],
    ['packs', 'ARCHIVE_CORRUPT', 'the archive "a.zip"'],
    ['acme/skills', 'SOURCE_NOT_FOUND', 'a repository on GitHub is written github:acme/skills'],
    ['github.com/a/b/tree/main/x', 'SOURCE_NOT_FOUND', 'a repository is written github:a/b@main#x'],
    ['github.com/', 'SOURCE_NOT_FOUND', 'a repository is written github:OWNER/REPO'],
    ['skills.example/a.zip', 'SOURCE_NOT_FOUND', 'a URL is written https://skills.example/a.zip'],
    ['https://', 'USAGE', 'is no URL'],
    ['https://github.com/a/b', 'USAGE', 'write github:a/b'],
    ['https://skills.example/a.zip#skills', 'USAGE', 'has a "#"'],
    ['https://127.0.0.1:1/a.zip', 'ARCHIVE_DOWNLOAD_FAILED', 'is not public'],
    ['p=http://localhost:1/a.zip', 'ARCHIVE_DOWNLOAD_FAILED', 'is not public'],
    ['github:owner', 'USAGE', 'names no repository'],
    ['GitHub:owner/repo/x', 'USAGE', '"github:owner/repo#x"'],
    ['git@github.com:a/b.git', 'USAGE', 'write github:a/b;'],
    ['ssh://git@github.com/a/b', 'USAGE', 'write github:a/b;'],
    ['git+https://gitlab.com/a/b.git', 'USAGE', 'is for git, which is not run here;'],
    ['file:///tmp', 'USAGE', 'write the path without "file://"'],
    ['ftp://x/a.zip', 'USAGE', 'a source is a folder, an archive (.tar.gz, .zip, .tar.bz2)'],
  ])('refuses %j with %s', async (text, code, message) => {
    const root = tree({
      file: 'some text',
      'pdf/SKILL.md': MANIFEST,
      'pack.zip': 'PK',
      'pack.tar.xz': 'some text',
      'packs/a.zip': 'PK',
    });
    const result = await failure(text, root);
    expect(result.code).toBe(code);
    expect(result.message).toContain(message);
  });
});

describe('openSource with what is packed', () => {
  let server: ArchiveServer;
  beforeAll(async () => {
    server = await archiveServer();
  });
  afterAll(() => server.close());

  const opened: Source[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((source) => source.close()));
  });

  async function names(text: string, options: OpenOptions = {}, path = ''): Promise<string[]> {
    const source = await openSource(text, options);
    opened.push(source);
    return (await source.list(path)).nodes.map(({ name, withheld }) =>
      withheld === undefined ? name : `${name} ${withheld.code}`,
    );
  }

  test('an archive', async () => {
    const files = { 'pdf/SKILL.md': MANIFEST, 'pdf/.env': 'x', 'x/SKILL.md': MANIFEST };
    const cwd = tree({ 'a.zip': packZip(files), 'b.tgz': packTarGz(files, { wrapper: 'w' }) });
    for (const text of ['a.zip', 'b.tgz', join(cwd, 'a.zip')]) {
      expect(await names(text, { cwd })).toEqual(['pdf', 'x']);
      expect(await names(text, { cwd }, 'pdf')).toEqual(['.env SECRET_WITHHELD', 'SKILL.md']);
    }
    expect(await names('team=a.zip', { cwd }, 'team')).toEqual(['pdf', 'x']);
    expect(await names('a.zip', { cwd, allowSecret: ['.env'], ignore: ['/x'] })).toEqual(['pdf']);
  });

  test('a folder of archives, of which one is damaged', async () => {
    const cwd = tree({
      'packs/a.zip': packZip({ 'SKILL.md': MANIFEST }),
      'packs/b.tar.gz': 'x',
      'packs/README': 'x',
    });
    expect(await names('packs', { cwd })).toEqual(['b.tar.gz ARCHIVE_REFUSED', 'pdf']);
    expect(await names('p=packs', { cwd }, 'p')).toEqual(['b.tar.gz ARCHIVE_REFUSED', 'pdf']);
  });

  test.each<[string, Record<string, string>]>([
    ['a skill', { 'x/SKILL.md': MANIFEST }],
    ['a skill far below', { 'a/b/c/d/SKILL.md': MANIFEST }],
  ])('but not a folder with archives and %s', async (_, files) => {
    const cwd = tree({ ...files, 'a.zip': packZip({ 'SKILL.md': MANIFEST }) });
    expect(await names('.', { cwd })).toContain('a.zip');
  });

  test('a folder with archives whose only SKILL.md is ignored is one of archives', async () => {
    const cwd = tree({
      'node_modules/x/SKILL.md': MANIFEST,
      loop: '-> .',
      'a.zip': packZip({ 'SKILL.md': MANIFEST }),
    });
    expect(await names('.', { cwd })).toEqual(['pdf']);
  });

  test('a skill with an archive among its files is a skill', async () => {
    const cwd = tree({ 'pdf/SKILL.md': MANIFEST, 'pdf/assets.zip': packZip({ 'SKILL.md': MANIFEST }) });
    expect(await names('pdf', { cwd }, 'pdf')).toEqual(['SKILL.md', 'assets.zip']);
  });

  test('a URL, whose host may be private when it was typed, and no other', async () => {
    const url = server.put('/a.tar.gz?x=SECRET', packTarGz({ 'SKILL.md': MANIFEST }));
    expect(await names(url, { allowPrivate: true })).toEqual(['pdf']);
    expect(await names(`team=${url}`, { allowPrivate: true }, 'team')).toEqual(['pdf']);
    const team = await openSource(`team=${url}`, { allowPrivate: true });
    opened.push(team);
    expect(team.label).toBe(`team=${server.origin}/a.tar.gz?…`);
    const elsewhere = server.origin.replace('127.0.0.1', '127.0.0.2');
    const away = server.put('/away', (_, response) =>
      response.writeHead(302, { location: `${elsewhere}/a` }).end(),
    );
    await expect(names(away, { allowPrivate: true })).rejects.toMatchObject({
      code: 'ARCHIVE_DOWNLOAD_FAILED',
      details: { net: 'NET_ADDRESS_REFUSED' },
    });
  });

  test('a repository', async () => {
    const files = { 'packs/pdf/SKILL.md': MANIFEST, 'README.md': 'x' };
    server.put('/acme/skills/archive/release%2F2.tar.gz', packTarGz(files, { wrapper: 'skills-release-2' }));
    const options = { githubUrl: server.origin, allowPrivate: true, token: 'ghp_x' };
    expect(await names('github:acme/skills@release/2', options)).toEqual(['README.md', 'packs']);
    expect(server.last().authorization).toBe('Bearer ghp_x');
    expect(await names('team=github:acme/skills@release/2#packs', options, 'team')).toEqual(['pdf']);
  });

  test('a token for GitHub goes to no other server', async () => {
    const url = server.put('/b.tar.gz', packTarGz({ 'SKILL.md': MANIFEST }));
    await names(url, { allowPrivate: true, token: 'ghp_x' });
    expect(server.last().authorization).toBeUndefined();
  });

  test('a download uses the fetch, the store and the signal it is given, and tells how far it is', async () => {
    const store = openStore(tempFolder());
    const told: string[] = [];
    const fetch = async () => new Response(new Uint8Array(packTarGz({ 'SKILL.md': MANIFEST }))) as never;
    const onProgress = ({ step }: SourceProgress): void => void told.push(step);
    expect(await names('https://skills.example/a', { fetch, store, onProgress })).toEqual(['pdf']);
    expect([...new Set(told)]).toEqual(['download', 'unpack']);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(names('https://skills.example/a', { fetch, store, signal })).rejects.toThrow('enough');
    await store.close();
  });
});

describe('a source as it may be shown', () => {
  test.each([
    ['./skills', './skills'],
    ['team=./a?b', 'team=./a?b'],
    ['https://h.example/a.zip?sig=SECRET', 'https://h.example/a.zip?…'],
    ['team=https://h.example/a.zip?sig=SECRET', 'team=https://h.example/a.zip?…'],
    ['https://me:SECRET@h.example/a.zip', 'https://h.example/a.zip'],
    ['github:a/b@c#d', 'github:a/b@c#d'],
  ])('%s is shown as %s', (text, shown) => {
    expect(printableSource(text)).toBe(shown);
  });
});

describe('the text of a source', () => {
  test.each([
    ['skills', '', 'skills'],
    ['a=b', 'a', 'b'],
    ['a/b=c=d', 'a/b', 'c=d'],
    ['./a=b', '', './a=b'],
    ['/a=b', '', '/a=b'],
    ['a//b=c', '', 'a//b=c'],
    ['C:\\skills=x', '', 'C:\\skills=x'],
    ['a=./x=y', 'a', './x=y'],
    ['https://h/?a=b', '', 'https://h/?a=b'],
    ['p=https://h/?a=b', 'p', 'https://h/?a=b'],
  ])('%j is prefix %j and location %j', (text, prefix, location) => {
    expect(parseSourceText(text, tree({}))).toEqual({ prefix, location });
  });

  test('is a path when that exists', async () => {
    const root = tree({ 'b/y/SKILL.md': 'x' });
    mkdirSync(join(root, 'a=b/x'), { recursive: true });
    expect(parseSourceText('a=b', root)).toEqual({ prefix: '', location: 'a=b' });
    expect(look(await openSource('a=b', { cwd: root }), '')).toEqual(['x']);
    mkdirSync(join(root, 'odd:name'));
    expect(basename((await openSource('odd:name', { cwd: root })).hostRoot ?? '')).toBe('odd:name');
  });
});
