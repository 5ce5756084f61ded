import { mkdir, mkdtemp, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SkillError } from '../../src/errors.ts';
import {
  openPrompts,
  PROMPT_RULES,
  type PromptChanges,
  readPromptResource,
} from '../../src/prompts/index.ts';
import { memorySource, mountSources, type Source } from '../../src/source/index.ts';

const prompt = (description: string, body = 'x\n', more = ''): string =>
  `---\ndescription: ${description}\n${more}---\n${body}`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillwire-prompts-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});
const write = (path: string, text: string): Promise<void> => writeFile(join(folder, path), text);
const codes = (diagnostics: readonly { code: string; path: string; severity: string }[]): readonly string[] =>
  diagnostics.map(({ code, path, severity }) => `${severity} ${code} ${path}`);

describe('a folder', () => {
  test('gives its prompts in order, whatever else stands in it', async () => {
    await mkdir(join(folder, 'team'));
    await mkdir(join(folder, 'x.md'));
    await mkdir(join(folder, 'images'));
    await mkdir(join(folder, '.git'));
    await write('b.md', prompt('B'));
    await write('a-1.md', prompt('A'));
    await write('a.md', prompt('A'));
    await write('README.md', '# Our prompts\n');
    await write('notes.txt', 'x');
    await write('.git/config.md', 'x');
    await write('images/logo.png', 'x');
    await write('team/c.md', prompt('C'));
    await write('Bad_Name.md', prompt('D'));
    await write('e.MD', prompt('E'));
    await write('f.markdown', prompt('F'));
    await write('g.md', 'no frontmatter');
    await write('.env.md', prompt('H'));
    const registry = await openPrompts(folder);
    expect(registry.snapshot.prompts.map(({ id }) => id)).toEqual(['a', 'a-1', 'b']);
    expect(codes(registry.snapshot.diagnostics).filter((each) => !each.includes('.env'))).toEqual([
      'error PROMPT_ID_INVALID Bad_Name.md',
      'warning PROMPT_FILE_SUFFIX e.MD',
      'warning PROMPT_FILE_SUFFIX f.markdown',
      'error MISSING_FRONTMATTER g.md',
      'warning PROMPT_IN_FOLDER team',
    ]);
    for (const { message } of registry.snapshot.diagnostics) expect(message).not.toContain(folder);
    await registry.close();
    await registry.close();
    expect(registry.snapshot.get('a')?.description).toBe('A');
    await expect(registry.reload()).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
  });

  test('without a prompt says so', async () => {
    await write('README.md', 'x');
    const { snapshot } = await openPrompts(folder);
    expect(codes(snapshot.diagnostics)).toEqual(['warning NO_PROMPTS_FOUND ']);
    expect(snapshot.prompts).toEqual([]);
    expect(JSON.parse(readPromptResource(snapshot, 'resource://catalog/prompts_index').text)).toEqual({
      items: [],
      total: 0,
    });
  });

  test('that is not there, or is a file', async () => {
    await write('a.md', prompt('A'));
    await expect(openPrompts(join(folder, 'nope'))).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
    await expect(openPrompts(join(folder, 'a.md'))).rejects.toMatchObject({ code: 'SOURCE_NOT_A_FOLDER' });
  });

  test('shows no file behind a link that leads out of it', async () => {
    await mkdir(join(folder, 'in'));
    await write('secret.md', prompt('outside'));
    await write('in/a.md', prompt('A'));
    await symlink('../secret.md', join(folder, 'in', 'b.md'));
    await symlink('a.md', join(folder, 'in', 'c.md'));
    await symlink('nowhere.md', join(folder, 'in', 'd.md'));
    const { snapshot } = await openPrompts(join(folder, 'in'));
    expect(snapshot.prompts.map(({ id }) => id)).toEqual(['a', 'c']);
    expect(codes(snapshot.diagnostics)).toEqual(['error LINK_ESCAPES b.md', 'error LINK_BROKEN d.md']);
  });

  test('leaves out a file over the cap', async () => {
    await write('a.md', prompt('A', 'x'.repeat(2000)));
    await write('b.md', prompt('B'));
    const { snapshot } = await openPrompts(folder, { maxFileBytes: 1000 });
    expect(snapshot.prompts.map(({ id }) => id)).toEqual(['b']);
    expect(codes(snapshot.diagnostics)).toEqual(['error FILE_TOO_LARGE a.md']);
  });
});

test('a file that cannot be read takes no neighbour down, and one that vanished is not mentioned', async () => {
  const memory = memorySource({ 'a.md': prompt('A'), 'b.md': prompt('B'), 'c.md': prompt('C') });
  const source: Source = {
    ...memory,
    list: (path) => memory.list(path),
    contains: (ancestor, id) => memory.contains(ancestor, id),
    close: () => memory.close(),
    stat: (path) => memory.stat(path),
    read(path, options) {
      if (path === 'a.md') throw new SkillError('FILE_UNREADABLE', '"a.md" cannot be read (EACCES)');
      if (path === 'b.md') throw new SkillError('FILE_NOT_FOUND', 'gone');
      return memory.read(path, options);
    },
  };
  const { snapshot } = await openPrompts(source);
  expect(snapshot.prompts.map(({ id }) => id)).toEqual(['c']);
  expect(codes(snapshot.diagnostics)).toEqual(['error FILE_UNREADABLE a.md']);
});

describe('two folders', () => {
  const team = memorySource({ 'a.md': prompt('team'), 'b.md': prompt('B') }, { label: 'team' });
  const mine = memorySource({ 'a.md': prompt('mine'), 'c.md': prompt('C') }, { label: 'mine' });

  test('are one registry; of two prompts with one id the first counts', async () => {
    const { snapshot } = await openPrompts([team, mine]);
    expect(snapshot.prompts.map(({ id, description }) => `${id} ${description}`)).toEqual([
      'a team',
      'b B',
      'c C',
    ]);
    expect(snapshot.diagnostics).toEqual([
      {
        code: 'PROMPT_DUPLICATE_ID',
        severity: 'error',
        path: 'mine/a.md',
        message: 'team/a.md is the prompt "a" already',
        hint: 'rename one of the two files',
      },
    ]);
  });

  test('are refused when errors are to be thrown', async () => {
    await expect(openPrompts([team, mine], { invalidPrompts: 'throw' })).rejects.toMatchObject({
      code: 'PROMPT_REFUSED',
      message: 'mine/a.md: team/a.md is the prompt "a" already',
    });
  });
});

test('a refusal names file, line and column', async () => {
  const source = memorySource({ 'a.md': prompt('A', 'Say {{x}}\n'), 'b.md': 'x', 'c.md': prompt('C') });
  await expect(openPrompts(source, { invalidPrompts: 'throw' })).rejects.toMatchObject({
    message: 'a.md:4:5: the placeholder "{{x}}" names no argument, and 1 more',
    exitCode: 1,
  });
  // Warnings refuse nothing.
  const warned = memorySource({ 'a.md': prompt('A', 'x\n', 'foo: 1\n') });
  expect((await openPrompts(warned, { invalidPrompts: 'throw' })).snapshot.prompts).toHaveLength(1);
});

test('the rules have every code of a folder', () => {
  for (const code of [
    'NO_PROMPTS_FOUND',
    'PROMPT_ID_INVALID',
    'PROMPT_DUPLICATE_ID',
    'PROMPT_FILE_SUFFIX',
    'PROMPT_IN_FOLDER',
  ])
    expect(PROMPT_RULES).toHaveProperty(code);
});

describe('a reload', () => {
  test('tells what changed, and what clients have to hear', async () => {
    await write('a.md', prompt('A'));
    await write('b.md', prompt('B'));
    const registry = await openPrompts(folder);
    const before = registry.snapshot;
    const kept = before.get('a');
    const none = { added: [], removed: [], changed: [], listChanged: false, updated: [] };
    const index = 'resource://catalog/prompts_index';
    const record = (id: string): string => `resource://catalog/prompts/${id}`;
    const document = (id: string): string => `resource://prompts/${id}/document`;
    const heard: unknown[] = [];
    const forget = registry.onChange((changes) => heard.push(changes));
    expect(await registry.reload()).toEqual(none);
    expect(registry.snapshot.get('a')).toBe(kept);

    await write('b.md', prompt('B', 'another body\n'));
    expect(await registry.reload()).toEqual({ ...none, changed: ['b'], updated: [document('b')] });

    await write('b.md', prompt('B', 'another body\n', 'tags: [t]\n'));
    expect(await registry.reload()).toEqual({
      ...none,
      changed: ['b'],
      updated: [index, record('b'), document('b')],
    });

    await write('b.md', prompt('B', 'another body\n', 'tags: [t]\narguments:\n  - name: x\n'));
    expect(await registry.reload()).toEqual({
      ...none,
      changed: ['b'],
      listChanged: true,
      updated: [record('b'), document('b')],
    });

    await write('b.md', prompt('Better', 'another body\n'));
    expect(await registry.reload()).toEqual({
      ...none,
      changed: ['b'],
      listChanged: true,
      updated: [index, record('b'), document('b')],
    });

    await write('c.md', prompt('C'));
    await unlink(join(folder, 'a.md'));
    const last = await registry.reload();
    expect(last).toEqual({
      added: ['c'],
      removed: ['a'],
      changed: [],
      listChanged: true,
      updated: [index, record('a'), document('a'), record('c'), document('c')],
    });
    expect(heard).toHaveLength(5);
    expect(heard.at(-1)).toBe(last);
    forget();
    await write('c.md', prompt('Cc'));
    await registry.reload();
    expect(heard).toHaveLength(5);

    // The snapshot of before is what it was.
    expect(before.prompts.map(({ id, description }) => `${id} ${description}`)).toEqual(['a A', 'b B']);
    await registry.close();
  });

  test('withdraws a prompt that became wrong, alone, and keeps saying why', async () => {
    await write('a.md', prompt('A'));
    await write('b.md', prompt('B', 'x\n', 'foo: 1\n'));
    const registry = await openPrompts(folder);
    await write('a.md', 'oops');
    expect(await registry.reload()).toMatchObject({ removed: ['a'], listChanged: true });
    expect(codes(registry.snapshot.diagnostics)).toEqual([
      'error MISSING_FRONTMATTER a.md',
      'warning PROMPT_UNKNOWN_KEY b.md',
    ]);
    await registry.reload();
    expect(codes(registry.snapshot.diagnostics)).toEqual([
      'error MISSING_FRONTMATTER a.md',
      'warning PROMPT_UNKNOWN_KEY b.md',
    ]);
    await registry.close();
  });

  test('that fails changes nothing', async () => {
    await write('a.md', prompt('A'));
    const registry = await openPrompts(folder, { invalidPrompts: 'throw' });
    const { snapshot } = registry;
    await write('b.md', 'oops');
    await expect(registry.reload()).rejects.toMatchObject({ code: 'PROMPT_REFUSED' });
    expect(registry.snapshot).toBe(snapshot);
    await rm(folder, { recursive: true });
    await expect(registry.reload()).rejects.toMatchObject({ code: expect.stringMatching(/^SOURCE_/) });
    expect(registry.snapshot).toBe(snapshot);
    await registry.close();
  });

  test('waits for the one before it', async () => {
    await write('a.md', prompt('A'));
    const registry = await openPrompts(folder);
    const first = registry.reload();
    await write('b.md', prompt('B'));
    const [one, two] = await Promise.all([first, registry.reload()]);
    expect([...one.added, ...two.added]).toEqual(['b']);
    await registry.close();
  });
});

test('prompts are read from any source', async () => {
  const nested = mountSources([{ source: memorySource({ 'a.md': prompt('A') }), prefix: '' }]);
  expect((await openPrompts(nested)).snapshot.get('a')?.description).toBe('A');
});

describe('resources', async () => {
  const { snapshot } = await openPrompts(
    memorySource({ 'a.md': `\ufeff${prompt('Ä').replaceAll('\n', '\r\n')}` }),
  );

  test('keep the bytes of the author', () => {
    expect(readPromptResource(snapshot, 'resource://prompts/a/document').text).toBe(
      '\ufeff---\r\ndescription: Ä\r\n---\r\nx\r\n',
    );
  });

  test('are written with two spaces, LF and letters as they are', () => {
    expect(readPromptResource(snapshot, 'RESOURCE://catalog/prompts_index').text).toBe(
      '{\n  "items": [\n    {\n      "id": "a",\n      "name": "a",\n      "description": "Ä",\n      "tags": [],\n      "uri": "resource://prompts/a/document"\n    }\n  ],\n  "total": 1\n}',
    );
    expect(readPromptResource(snapshot, 'resource://catalog/prompts/a?x=1').text).toContain(
      '"arguments": [],\n  "uri"',
    );
  });

  test.each([
    'resource://catalog/prompts/b',
    'resource://catalog/prompts/A',
    'resource://catalog/prompts/',
    'resource://catalog/prompts',
    'resource://catalog/prompts/a/',
    'resource://catalog/prompts/a/document',
    'resource://catalog/prompts/a#x',
    'resource://catalog/prompts/..',
    'resource://catalog/prompts/%2e%2e',
    'resource://catalog/prompts/a%00',
    'resource://catalog/prompts/a%ZZ',
    'resource://catalog/prompts/__proto__',
    'resource://catalog//prompts/a',
    'resource://catalog/prompts_index/',
    'resource://catalog/prompts_indexx',
    'resource://catalog/prompts_index#x',
    'resource://prompts/a',
    'resource://prompts/a/',
    'resource://prompts/a/document/',
    'resource://prompts//document',
    'resource://prompts/a/b/document',
    'resource://prompts/a%2Fdocument',
    'resource://user@prompts/a/document',
    'resource://prompts:80/a/document',
    'http://catalog/prompts_index',
    'resource:catalog/prompts_index',
    '',
  ])('are not at %j, in the same words', (uri) => {
    expect(() => readPromptResource(snapshot, uri)).toThrow(
      expect.objectContaining({
        code: 'RESOURCE_NOT_FOUND',
        details: { uri },
        message: `no such resource: "${uri}"`,
        rpcCode: -32602,
      }),
    );
  });

  test('are not at a URI over 8 KiB', () => {
    expect(() =>
      readPromptResource(snapshot, `resource://catalog/prompts_index?q=${'ä'.repeat(4096)}`),
    ).toThrow(expect.objectContaining({ code: 'URI_TOO_LONG', rpcCode: -32602 }));
  });
});

describe('a watch', () => {
  const waitFor = async (test: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 400 && !test(); turn++) await setTimeout(25);
    expect(test()).toBe(true);
  };

  test.each([{ poll: false }, { poll: true, pollMs: 30 }])('follows the folder (%o)', async (watch) => {
    await write('a.md', prompt('A'));
    await write('b.md', prompt('B'));
    await write('bad.md', 'no frontmatter');
    const registry = await openPrompts(folder, { watch: { ...watch, settleMs: 10 } });
    const heard: PromptChanges[] = [];
    registry.onChange((changes) => heard.push(changes));
    const b = registry.snapshot.get('b');
    await write('a.md', prompt('Another'));
    await waitFor(() => heard.length > 0);
    expect(heard[0]).toMatchObject({ changed: ['a'], listChanged: true });
    // What did not change is not read again, and what is wrong with it is still said.
    expect(registry.snapshot.get('b')).toBe(b);
    expect(codes(registry.snapshot.diagnostics)).toEqual(['error MISSING_FRONTMATTER bad.md']);
    // An edit that breaks a prompt withdraws it alone, one that mends it brings it back.
    await write('a.md', prompt('A', 'Say {{x}}, which no argument is called.\n'));
    await waitFor(() => registry.snapshot.get('a') === undefined);
    expect(registry.snapshot.prompts.map(({ id }) => id)).toEqual(['b']);
    await write('a.md', prompt('A'));
    await unlink(join(folder, 'b.md'));
    await waitFor(() => registry.snapshot.get('a') !== undefined && registry.snapshot.get('b') === undefined);
    await registry.close();
    const told = heard.length;
    await write('c.md', prompt('C'));
    await setTimeout(100);
    expect(heard).toHaveLength(told);
  });

  test('tells nothing where nothing changed', async () => {
    await write('a.md', prompt('A'));
    const registry = await openPrompts(folder, { watch: { settleMs: 10 } });
    const heard: PromptChanges[] = [];
    registry.onChange((changes) => heard.push(changes));
    await write('a.md', prompt('A'));
    await write('notes.txt', 'x');
    await setTimeout(300);
    expect(heard).toEqual([]);
    await registry.close();
  });

  test('gives an editor that truncates before it writes time to write', async () => {
    await write('a.md', prompt('A'));
    const memory = memorySource({ 'a.md': prompt('A') });
    const texts = ['', prompt('B')];
    let reading = false;
    const source: Source = {
      ...memory,
      label: 'prompts',
      list: (path) => memory.list(path),
      contains: (ancestor, id) => memory.contains(ancestor, id),
      close: () => memory.close(),
      stat: (path) => memory.stat(path),
      read: (path, options) =>
        reading ? { bytes: Buffer.from(texts.shift() ?? '') } : memory.read(path, options),
    };
    const registry = await openPrompts(source);
    reading = true;
    expect(await registry.reload()).toMatchObject({ changed: ['a'], removed: [] });
    expect(registry.snapshot.get('a')?.description).toBe('B');
  });

  test('needs a folder of this machine', async () => {
    await expect(openPrompts(memorySource({ 'a.md': prompt('A') }), { watch: true })).rejects.toMatchObject({
      code: 'FS_WATCHER_MISSING_HOST_ROOT',
    });
  });

  test('of several folders reads again only where something changed', async () => {
    await mkdir(join(folder, 'one'));
    await mkdir(join(folder, 'two'));
    await write('one/a.md', prompt('A of one'));
    await write('two/a.md', prompt('A of two'));
    const registry = await openPrompts([join(folder, 'one'), join(folder, 'two')], {
      watch: { settleMs: 10 },
    });
    expect(codes(registry.snapshot.diagnostics)).toEqual([
      `error PROMPT_DUPLICATE_ID ${join(folder, 'two')}/a.md`,
    ]);
    await unlink(join(folder, 'one', 'a.md'));
    await waitFor(() => registry.snapshot.get('a')?.description === 'A of two');
    expect(codes(registry.snapshot.diagnostics)).toEqual([`warning NO_PROMPTS_FOUND ${join(folder, 'one')}`]);
    await registry.close();
  });
});
