import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type LyingServer, lyingSkill, sha256, startLying } from './lying-server.ts';
import { skillText, start, stopAll } from './program.ts';
import { filesIn, newFolder, type OurServer, removeFolders, runWith, serve, TWO } from './targets.ts';

const open: { close(): Promise<void> }[] = [];

async function ours(...args: Parameters<typeof serve>): Promise<OurServer> {
  const server = await serve(...args);
  open.push(server);
  return server;
}

async function lying(...args: Parameters<typeof startLying>): Promise<LyingServer> {
  const server = await startLying(...args);
  open.push(server);
  return server;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  removeFolders();
});
afterAll(stopAll);

interface Document {
  readonly counts: Record<string, number>;
  readonly skills: readonly {
    readonly uri: string;
    readonly path: string | null;
    readonly status: string;
    readonly error?: { readonly code: string; readonly message: string };
  }[];
}

/** Pulls and gives the one document. */
async function pullJson(
  args: readonly string[],
): Promise<{ code: number; document: Document; stderr: string }> {
  const { code, stdout, stderr } = await runWith(['pull', ...args, '--json']);
  return { code, document: JSON.parse(stdout), stderr };
}

function codesOf({ skills }: Document): Record<string, string> {
  return Object.fromEntries(
    skills.flatMap(({ uri, error }) => (error === undefined ? [] : [[uri, error.code]])),
  );
}

const ADDED = { added: 0, updated: 0, unchanged: 0, contained: 0, removed: 0, gone: 0, refused: 0 };

describe('pull', () => {
  it('puts every skill below its own path, and has nothing to do the second time', async () => {
    const { url } = await ours(TWO);
    const folder = newFolder();
    const first = await pullJson([url, '--to', folder]);
    expect(first.code).toBe(0);
    expect(first.document.counts).toEqual({ ...ADDED, added: 2 });
    expect(filesIn(folder)).toEqual({
      'pdf/SKILL.md': TWO['pdf/SKILL.md'],
      'pdf/scripts/run.sh': '#!/bin/sh\necho hi\n',
      'pdf/data.bin': '\u0000\u00ff\u0001\u00fe',
      'acme/notes/SKILL.md': TWO['acme/notes/SKILL.md'],
    });
    const record = join(folder, '.skillwire', 'pull.json');
    const { mtimeNs, ino } = statSync(record, { bigint: true });
    const second = await pullJson([url, '--to', folder]);
    expect(second.code).toBe(0);
    expect(second.document.counts).toEqual({ ...ADDED, unchanged: 2 });
    expect(statSync(record, { bigint: true })).toMatchObject({ mtimeNs, ino });
    expect(readdirSync(folder).sort()).toEqual(['.skillwire', 'acme', 'pdf']);
  });

  it('makes nothing executable', async () => {
    const { url } = await ours(TWO);
    const folder = newFolder();
    await runWith(['pull', url, '--to', folder]);
    expect(statSync(join(folder, 'pdf', 'scripts', 'run.sh')).mode & 0o111).toBe(0);
  });

  it('records where each file came from', async () => {
    const { url } = await ours(TWO);
    const folder = newFolder();
    await runWith(['pull', url, 'notes', '--to', folder]);
    const text = String(TWO['acme/notes/SKILL.md']);
    expect(JSON.parse(readFileSync(join(folder, '.skillwire', 'pull.json'), 'utf8'))).toEqual({
      version: 1,
      skills: [
        {
          path: 'acme/notes',
          name: 'notes',
          uri: 'skill://acme/notes/SKILL.md',
          target: url,
          dialect: 'released',
          integrity: 'complete',
          pulledAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
          files: [{ path: 'SKILL.md', digest: sha256(text), size: Buffer.byteLength(text) }],
        },
      ],
    });
  });

  it('makes a folder that can be served, with the same skills under the same URIs', async () => {
    const { url } = await ours(TWO);
    const folder = newFolder();
    await runWith(['pull', url, '--to', folder]);
    const { code, stdout } = await runWith(['diff', url, folder]);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${url} and ${folder}: no differences in 2 skills\n`,
    });
  });

  it('replaces what changed on the server and leaves the rest alone', async () => {
    const before = await ours(TWO);
    const folder = newFolder();
    await runWith(['pull', before.url, '--to', folder]);
    const untouched = statSync(join(folder, 'acme', 'notes', 'SKILL.md'), { bigint: true });
    const record = JSON.parse(readFileSync(join(folder, '.skillwire', 'pull.json'), 'utf8'));
    const { 'pdf/data.bin': _gone, ...rest } = TWO;
    const after = await ours({
      ...rest,
      'pdf/new.md': 'new\n',
      'pdf/scripts/run.sh': '#!/bin/sh\necho ho\n',
    });
    // The same server, which another port does not change.
    for (const skill of record.skills) skill.target = after.url;
    writeFileSync(join(folder, '.skillwire', 'pull.json'), JSON.stringify(record));
    const dry = await pullJson([after.url, '--to', folder, '--dry-run']);
    expect(dry.document.counts).toEqual({ ...ADDED, updated: 1, unchanged: 1 });
    expect(filesIn(folder)).toHaveProperty('pdf/data.bin');
    const { code, document } = await pullJson([after.url, '--to', folder]);
    expect(code).toBe(0);
    expect(document.skills.find(({ status }) => status === 'updated')).toMatchObject({
      path: 'pdf',
      added: ['new.md'],
      changed: ['scripts/run.sh'],
      removed: ['data.bin'],
    });
    expect(Object.keys(filesIn(folder)).sort()).toEqual([
      'acme/notes/SKILL.md',
      'pdf/SKILL.md',
      'pdf/new.md',
      'pdf/scripts/run.sh',
    ]);
    expect(statSync(join(folder, 'acme', 'notes', 'SKILL.md'), { bigint: true }).ino).toBe(untouched.ino);
  });

  it.each([
    ['changed', (folder: string) => writeFileSync(join(folder, 'pdf', 'SKILL.md'), 'mine\n'), 'SKILL.md'],
    ['added', (folder: string) => writeFileSync(join(folder, 'pdf', 'mine.md'), 'mine\n'), 'mine.md'],
    ['removed', (folder: string) => rmSync(join(folder, 'pdf', 'data.bin')), 'data.bin'],
    [
      'turned into a link',
      (folder: string) => {
        rmSync(join(folder, 'pdf', 'data.bin'));
        symlinkSync('SKILL.md', join(folder, 'pdf', 'data.bin'));
      },
      'data.bin',
    ],
  ])('loses no edit: a file that was %s', async (_what, edit, file) => {
    const server = await lying((contents) => [lyingSkill('pdf', { 'data.bin': 'data' }, contents)]);
    const folder = newFolder();
    expect((await runWith(['pull', server.url, '--to', folder])).code).toBe(0);
    edit(folder);
    const edited = filesIn(folder);
    server.state.pages = [[lyingSkill('pdf', { 'data.bin': 'other' }, server.state.contents)]];
    const { code, document } = await pullJson([server.url, '--to', folder]);
    expect(code).toBe(1);
    expect(codesOf(document)).toEqual({ 'skill://pdf/SKILL.md': 'LOCAL_CHANGES' });
    expect(document.skills[0]?.error?.message).toContain(file);
    expect(filesIn(folder)).toEqual(edited);
    const forced = await pullJson([server.url, '--to', folder, '--force']);
    expect(forced.code).toBe(0);
    expect(filesIn(folder)['pdf/data.bin']).toBe('other');
    expect(Object.keys(filesIn(folder)).sort()).toEqual(['pdf/SKILL.md', 'pdf/data.bin']);
  });

  it('takes what systems and interpreters leave behind for no edit', async () => {
    const server = await lying((contents) => [lyingSkill('pdf', {}, contents)]);
    const folder = newFolder();
    await runWith(['pull', server.url, '--to', folder]);
    mkdirSync(join(folder, 'pdf', '__pycache__'));
    writeFileSync(join(folder, 'pdf', '__pycache__', 'x.pyc'), 'x');
    writeFileSync(join(folder, 'pdf', '.DS_Store'), 'x');
    expect((await pullJson([server.url, '--to', folder])).document.counts).toEqual({
      ...ADDED,
      unchanged: 1,
    });
    server.state.pages = [[lyingSkill('pdf', { 'new.md': 'new' }, server.state.contents)]];
    expect((await pullJson([server.url, '--to', folder])).document.counts).toEqual({ ...ADDED, updated: 1 });
  });

  it.each([[[]], [['--force']]])('never replaces a folder that it did not make (%j)', async (flags) => {
    const { url } = await ours(TWO);
    const folder = newFolder();
    mkdirSync(join(folder, 'pdf'));
    writeFileSync(join(folder, 'pdf', 'mine.md'), 'mine\n');
    writeFileSync(join(folder, 'acme'), 'a file\n');
    const { code, document } = await pullJson([url, '--to', folder, ...flags]);
    expect(code).toBe(3);
    expect(codesOf(document)['skill://pdf/SKILL.md']).toBe('TARGET_EXISTS');
    expect(document.counts).toEqual({ ...ADDED, refused: 2 });
    expect(filesIn(folder)).toEqual({ 'pdf/mine.md': 'mine\n', acme: 'a file\n' });
  });

  it('takes up a folder that holds the very bytes, as one that a killed process left', async () => {
    const { url } = await ours(TWO);
    const folder = newFolder();
    await runWith(['pull', url, '--to', folder]);
    rmSync(join(folder, '.skillwire'), { recursive: true });
    const { code, document } = await pullJson([url, '--to', folder]);
    expect(code).toBe(0);
    expect(document.counts).toEqual({ ...ADDED, unchanged: 2 });
    expect(filesIn(folder, true)).toHaveProperty('.skillwire/pull.json');
  });

  it('keeps the skills of one target from those of another', async () => {
    const a = await ours(TWO);
    const b = await ours({ ...TWO, 'pdf/more.md': 'more\n' });
    const folder = newFolder();
    await runWith(['pull', a.url, 'pdf', '--to', folder]);
    const refused = await pullJson([b.url, 'pdf', '--to', folder]);
    expect(refused.code).toBe(1);
    expect(refused.document.skills[0]?.error?.message).toContain(`was pulled from ${a.url}`);
    expect(filesIn(folder)).not.toHaveProperty('pdf/more.md');
    expect((await pullJson([b.url, 'pdf', '--to', folder, '--force'])).code).toBe(0);
    expect(filesIn(folder)).toHaveProperty('pdf/more.md');
  });
});

describe('pull with an eye on what happens meanwhile', () => {
  it('fetches only what is not there yet, and SKILL.md, whose frontmatter is compared', async () => {
    const server = await lying((contents) => [lyingSkill('pdf', { 'a.md': 'a', 'b.md': 'b' }, contents)]);
    const folder = newFolder();
    await pullJson([server.url, '--to', folder]);
    server.state.reads.length = 0;
    await pullJson([server.url, '--to', folder]);
    expect(server.state.reads).toEqual([]);
    server.state.pages = [[lyingSkill('pdf', { 'a.md': 'a', 'b.md': 'new' }, server.state.contents)]];
    expect((await pullJson([server.url, '--to', folder])).code).toBe(0);
    expect([...server.state.reads].sort()).toEqual(['skill://pdf/SKILL.md', 'skill://pdf/b.md']);
    expect(filesIn(folder)).toMatchObject({ 'pdf/a.md': 'a', 'pdf/b.md': 'new' });
  });

  it('sees an edit that is made while it reads', async () => {
    const server = await lying((contents) => [lyingSkill('pdf', { 'a.md': 'a' }, contents)]);
    const folder = newFolder();
    await pullJson([server.url, '--to', folder]);
    server.state.pages = [[lyingSkill('pdf', { 'a.md': 'new' }, server.state.contents)]];
    server.state.reads.length = 0;
    server.state.readDelayMs = 200;
    const pulling = pullJson([server.url, '--to', folder]);
    while (server.state.reads.length === 0) await sleep(5);
    writeFileSync(join(folder, 'pdf', 'a.md'), 'mine');
    const { code, document } = await pulling;
    expect(code).toBe(1);
    expect(codesOf(document)).toEqual({ 'skill://pdf/SKILL.md': 'LOCAL_CHANGES' });
    expect(filesIn(folder)['pdf/a.md']).toBe('mine');
  });

  it('lets two pulls into one folder pass each other', async () => {
    const a = await ours({ 'one/SKILL.md': skillText('one'), 'two/SKILL.md': skillText('two') });
    const b = await ours({ 'three/SKILL.md': skillText('three') });
    const folder = newFolder();
    const both = await Promise.all([pullJson([a.url, '--to', folder]), pullJson([b.url, '--to', folder])]);
    expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ]);
    // Whichever record was written last, the next pull of each finds its bytes.
    for (const { url } of [a, b]) await pullJson([url, '--to', folder]);
    const { skills } = JSON.parse(readFileSync(join(folder, '.skillwire', 'pull.json'), 'utf8'));
    expect(skills.map(({ path }: { path: string }) => path)).toEqual(['one', 'three', 'two']);
  });

  it('writes nothing at all with --dry-run', async () => {
    const { url } = await ours(TWO);
    const folder = join(newFolder(), 'new');
    const { code, document } = await pullJson([url, '--to', folder, '--dry-run']);
    expect(code).toBe(0);
    expect(document.counts).toEqual({ ...ADDED, added: 2 });
    expect(() => statSync(folder)).toThrow();
  });

  it('writes through no link', async () => {
    const { url } = await ours(TWO);
    const [folder, other] = [newFolder(), newFolder()];
    symlinkSync(other, join(folder, 'skills'));
    const { code, document } = await pullJson([url, '--to', join(folder, 'skills')]);
    expect(code).toBe(3);
    expect(new Set(Object.values(codesOf(document)))).toEqual(new Set(['WRITE_FAILED']));
    expect(readdirSync(other)).toEqual([]);
  });

  it('takes a skill that was named twice for one', async () => {
    const { url } = await ours(TWO);
    const { document } = await pullJson([
      url,
      'pdf',
      'skill://pdf/SKILL.md',
      'skill://pdf',
      '--to',
      newFolder(),
    ]);
    expect(document.counts).toEqual({ ...ADDED, added: 1 });
  });
});

describe('pull --prune', () => {
  async function twoPulled(): Promise<{ server: LyingServer; folder: string }> {
    const server = await lying((contents) => [
      lyingSkill('pdf', {}, contents),
      lyingSkill('acme/notes', {}, contents),
    ]);
    const folder = newFolder();
    await runWith(['pull', server.url, '--to', folder]);
    return { server, folder };
  }

  it('removes what is gone from the server, with the folders that are empty then', async () => {
    const { server, folder } = await twoPulled();
    server.state.pages = [server.state.pages.flat().slice(0, 1)];
    const kept = await pullJson([server.url, '--to', folder]);
    expect(kept.document.counts).toEqual({ ...ADDED, unchanged: 1, gone: 1 });
    expect(filesIn(folder)).toHaveProperty('acme/notes/SKILL.md');
    const dry = await pullJson([server.url, '--to', folder, '--prune', '--dry-run']);
    expect(dry.document.counts).toEqual({ ...ADDED, unchanged: 1, removed: 1 });
    expect(filesIn(folder)).toHaveProperty('acme/notes/SKILL.md');
    const pruned = await pullJson([server.url, '--to', folder, '--prune']);
    expect(pruned.code).toBe(0);
    expect(pruned.document.counts).toEqual({ ...ADDED, unchanged: 1, removed: 1 });
    expect(readdirSync(folder).sort()).toEqual(['.skillwire', 'pdf']);
    expect(readFileSync(join(folder, '.skillwire', 'pull.json'), 'utf8')).not.toContain('notes');
  });

  it('leaves what was edited here, what others put here, and what came from elsewhere', async () => {
    const { server, folder } = await twoPulled();
    const other = await ours({ 'zip/SKILL.md': skillText('zip') });
    await runWith(['pull', other.url, '--to', folder]);
    mkdirSync(join(folder, 'mine'));
    writeFileSync(join(folder, 'mine', 'SKILL.md'), skillText('mine'));
    writeFileSync(join(folder, 'acme', 'notes', 'more.md'), 'mine\n');
    server.state.pages = [server.state.pages.flat().slice(0, 1)];
    const { code, document } = await pullJson([server.url, '--to', folder, '--prune']);
    expect(code).toBe(1);
    expect(codesOf(document)).toEqual({ 'skill://acme/notes/SKILL.md': 'LOCAL_CHANGES' });
    expect(Object.keys(filesIn(folder)).sort()).toEqual([
      'acme/notes/SKILL.md',
      'acme/notes/more.md',
      'mine/SKILL.md',
      'pdf/SKILL.md',
      'zip/SKILL.md',
    ]);
  });

  it.each([
    [
      'is not complete',
      (server: LyingServer) => {
        server.state.pages = [server.state.pages.flat().slice(0, 1)];
        server.state.repeats = true;
      },
      5,
    ],
    [
      'is empty',
      (server: LyingServer) => {
        server.state.pages = [[]];
      },
      0,
    ],
    [
      'has the skill with an entry that is refused',
      (server: LyingServer) => {
        const [pdf, notes] = server.state.pages.flat();
        server.state.pages = [[pdf as never, { ...(notes as object), resources: 'nonsense' } as never]];
      },
      4,
    ],
  ])('removes nothing when the listing %s', async (_what, change, exit) => {
    const { server, folder } = await twoPulled();
    change(server);
    const { code } = await pullJson([server.url, '--to', folder, '--prune']);
    expect(code).toBe(exit);
    expect(Object.keys(filesIn(folder)).sort()).toEqual(['acme/notes/SKILL.md', 'pdf/SKILL.md']);
  });

  it('does not go with the names of skills', async () => {
    const { code, stderr } = await runWith(['pull', './x', 'pdf', '--to', newFolder(), '--prune']);
    expect(code).toBe(2);
    expect(stderr).toContain('--prune goes with all skills');
  });
});

describe('pull from a server that lies', () => {
  it.each([
    [
      'other bytes',
      'DIGEST_MISMATCH',
      (server: LyingServer) => server.state.contents.set('skill://bad/a.md', 'b'),
    ],
    [
      'more bytes',
      'SIZE_MISMATCH',
      (server: LyingServer) => server.state.contents.set('skill://bad/a.md', 'aa'),
    ],
    [
      'no file',
      'RESOURCE_NOT_FOUND',
      (server: LyingServer) => server.state.contents.delete('skill://bad/a.md'),
    ],
    [
      'another frontmatter',
      'FRONTMATTER_MISMATCH',
      (server: LyingServer) => {
        const bad = server.state.pages.flat().find(({ uri }) => uri.includes('bad'));
        if (bad !== undefined) bad.frontmatter.license = 'MIT';
      },
    ],
  ] as const)('writes nothing of a skill with %s, and the others whole', async (_what, expected, lie) => {
    const server = await lying((contents) => [
      lyingSkill('bad', { 'a.md': 'a' }, contents),
      lyingSkill('good', { 'a.md': 'a' }, contents),
    ]);
    lie(server);
    const folder = newFolder();
    const { code, document } = await pullJson([server.url, '--to', folder]);
    expect(codesOf(document)).toEqual({ 'skill://bad/SKILL.md': expected });
    expect(code).toBe(expected === 'RESOURCE_NOT_FOUND' ? 3 : 4);
    expect(Object.keys(filesIn(folder)).sort()).toEqual(['good/SKILL.md', 'good/a.md']);
    expect(readdirSync(folder).sort()).toEqual(['.skillwire', 'good']);
  });

  it.each([
    ['con.md', 'UNSAFE_NAME'],
    ['a?.md', 'UNSAFE_NAME'],
    ['trailing.', 'UNSAFE_NAME'],
    ['.git/config', 'UNSAFE_NAME'],
    ['.GIT/hooks/post-checkout', 'UNSAFE_NAME'],
    ['a.md|A.md', 'NAME_COLLISION'],
    ['dir/x.md|DIR/y.md', 'NAME_COLLISION'],
    ['caf\u00e9.md|cafe\u0301.md', 'NAME_COLLISION'],
    ['x|x/y.md', 'NAME_COLLISION'],
  ])('refuses the names %j', async (names, expected) => {
    const server = await lying((contents) => {
      const skill = lyingSkill('bad', {}, contents);
      const resources = skill.resources as { uri: string; digest: string; size: number }[];
      for (const name of names.split('|')) {
        const uri = `skill://bad/${name.split('/').map(encodeURIComponent).join('/')}`;
        contents.set(uri, 'x');
        resources.push({ uri, digest: sha256('x'), size: 1 });
      }
      return [skill];
    });
    const folder = newFolder();
    const { code, document } = await pullJson([server.url, '--to', folder]);
    expect(codesOf(document)).toEqual({ 'skill://bad/SKILL.md': expected });
    expect(code).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
    expect(server.state.reads).toEqual([]);
  });

  it.each([
    'skill://bad/../../evil.md',
    'skill://bad/%2e%2e/evil.md',
    'skill://bad/a%2F..%2F..%2Fevil.md',
    'skill://bad/a%5C..%5Cevil.md',
    'skill://other/evil.md',
    'file:///etc/passwd',
  ])('never leaves the folder: %s', async (uri) => {
    const server = await lying((contents) => {
      const skill = lyingSkill('bad', {}, contents);
      contents.set(uri, 'x');
      (skill.resources as object[]).push({ uri, digest: sha256('x'), size: 1 });
      return [skill, lyingSkill('good', {}, contents)];
    });
    const folder = newFolder();
    const inside = join(folder, 'deep', 'skills');
    const { code } = await pullJson([server.url, '--to', inside]);
    expect(code).toBe(4);
    expect(Object.keys(filesIn(folder)).filter((path) => !path.includes('.skillwire'))).toEqual([
      'deep/skills/good/SKILL.md',
    ]);
  });

  it.each([
    ['.git/bad', 'UNSAFE_NAME'],
    ['.skillwire/bad', 'UNSAFE_NAME'],
    ['nul/bad', 'UNSAFE_NAME'],
  ])('refuses a skill below %s', async (path, expected) => {
    const server = await lying((contents) => [lyingSkill(path, {}, contents)]);
    const folder = newFolder();
    const { document } = await pullJson([server.url, '--to', folder]);
    expect(codesOf(document)).toEqual({ [`skill://${path}/SKILL.md`]: expected });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('prefers none of two skills that some file system takes for one', async () => {
    const server = await lying((contents) => [
      lyingSkill('Team/pdf', {}, contents),
      lyingSkill('team/pdf', {}, contents),
      lyingSkill('zip', {}, contents),
    ]);
    const folder = newFolder();
    const { code, document } = await pullJson([server.url, '--to', folder]);
    expect(code).toBe(1);
    expect(codesOf(document)).toEqual({
      'skill://Team/pdf/SKILL.md': 'NAME_COLLISION',
      'skill://team/pdf/SKILL.md': 'NAME_COLLISION',
    });
    expect(Object.keys(filesIn(folder))).toEqual(['zip/SKILL.md']);
  });

  it('holds no more of a skill than the cap', async () => {
    const server = await lying((contents) => [lyingSkill('big', { 'a.md': 'x'.repeat(5_000) }, contents)]);
    const folder = newFolder();
    const { code, document } = await pullJson([server.url, '--to', folder, '--max-bytes', '4000']);
    expect(code).toBe(1);
    expect(codesOf(document)).toEqual({ 'skill://big/SKILL.md': 'SKILL_TOO_LARGE' });
    expect(server.state.reads).toEqual([]);
    expect((await pullJson([server.url, '--to', folder, '--max-bytes', '-1'])).code).toBe(0);
  });

  it('keeps nothing of a skill that is made anew at each read', async () => {
    const server = await lying((contents) => [{ ...lyingSkill('live', {}, contents), resources: 'dynamic' }]);
    const folder = newFolder();
    const { code, document } = await pullJson([server.url, '--to', folder]);
    expect(code).toBe(4);
    expect(codesOf(document)).toEqual({ 'skill://live/SKILL.md': 'DYNAMIC_REFUSED' });
  });
});

describe('skills inside skills', () => {
  const NESTED = {
    'outer/SKILL.md': skillText('outer'),
    'outer/inner/SKILL.md': skillText('inner'),
    'outer/inner/more.md': 'more\n',
    'outer/folder/SKILL.md': skillText('renamed'),
  };

  it('come in the folder of the outer one, each byte once', async () => {
    const { url } = await ours(NESTED);
    const folder = newFolder();
    const { code, document } = await pullJson([url, '--to', folder]);
    expect(code).toBe(0);
    expect(Object.fromEntries(document.skills.map(({ uri, status }) => [uri, status]))).toEqual({
      'skill://outer/SKILL.md': 'added',
      'skill://outer/inner/SKILL.md': 'added',
      'skill://outer/renamed/SKILL.md': 'contained',
    });
    expect(filesIn(folder)).toEqual(NESTED);
    expect((await pullJson([url, '--to', folder])).document.counts).toEqual({
      ...ADDED,
      unchanged: 2,
      contained: 1,
    });
    expect((await runWith(['diff', url, folder])).code).toBe(0);
  });

  it('can be pulled alone, and then with the outer one', async () => {
    const { url } = await ours(NESTED);
    const folder = newFolder();
    await pullJson([url, 'inner', '--to', folder]);
    expect(Object.keys(filesIn(folder)).sort()).toEqual(['outer/inner/SKILL.md', 'outer/inner/more.md']);
    const { code } = await pullJson([url, '--to', folder]);
    expect(code).toBe(0);
    expect(filesIn(folder)).toEqual(NESTED);
  });
});

describe('pull --prune of skills inside skills', () => {
  it('removes the outer one around one that stays', async () => {
    const server = await lying((contents) => [
      lyingSkill('a', { 'a.md': 'a' }, contents),
      lyingSkill('a/sub', { 'b.md': 'b' }, contents),
    ]);
    const folder = newFolder();
    await pullJson([server.url, '--to', folder]);
    expect(Object.keys(filesIn(folder)).sort()).toEqual([
      'a/SKILL.md',
      'a/a.md',
      'a/sub/SKILL.md',
      'a/sub/b.md',
    ]);
    server.state.pages = [server.state.pages.flat().slice(1)];
    const kept = await pullJson([server.url, '--to', folder]);
    expect(kept.document.counts).toEqual({ ...ADDED, unchanged: 1, gone: 1 });
    expect(filesIn(folder)).toHaveProperty('a/a.md');
    writeFileSync(join(folder, 'a', 'a.md'), 'mine');
    const refused = await pullJson([server.url, '--to', folder, '--prune']);
    expect(refused.code).toBe(1);
    expect(refused.document.counts).toEqual({ ...ADDED, refused: 1, gone: 1 });
    expect(filesIn(folder)).toHaveProperty('a/a.md', 'mine');
    const pruned = await pullJson([server.url, '--to', folder, '--prune', '--force']);
    expect(pruned.code).toBe(0);
    expect(Object.keys(filesIn(folder)).sort()).toEqual(['a/sub/SKILL.md', 'a/sub/b.md']);
    const again = await pullJson([server.url, '--to', folder, '--prune']);
    expect(again.document.counts).toEqual({ ...ADDED, unchanged: 1 });
  });

  it('keeps an inner one that is gone, and removes it on demand', async () => {
    const server = await lying((contents) => [
      lyingSkill('a', { 'a.md': 'a' }, contents),
      lyingSkill('a/sub', { 'b.md': 'b' }, contents),
    ]);
    const folder = newFolder();
    await pullJson([server.url, '--to', folder]);
    server.state.pages = [[lyingSkill('a', { 'a.md': 'new' }, server.state.contents)]];
    const kept = await pullJson([server.url, '--to', folder]);
    expect(kept.document.counts).toEqual({ ...ADDED, updated: 1, gone: 1 });
    expect(filesIn(folder)).toMatchObject({ 'a/a.md': 'new', 'a/sub/b.md': 'b' });
    const pruned = await pullJson([server.url, '--to', folder, '--prune']);
    expect(pruned.document.counts).toMatchObject({ removed: 1 });
    expect(Object.keys(filesIn(folder)).sort()).toEqual(['a/SKILL.md', 'a/a.md']);
    expect(readFileSync(join(folder, '.skillwire', 'pull.json'), 'utf8')).not.toContain('a/sub');
  });
});

describe('pull in other dialects', () => {
  it.each([
    ['fastmcp', {}],
    ['draft-index', { archive: 'tar.gz' }],
    ['draft-index', { archive: 'zip' }],
  ] as const)('takes what is verified: %s %j', async (dialect, options) => {
    const { url } = await ours(TWO, options);
    const folder = newFolder();
    const { code, document } = await pullJson([url, '--to', folder, '--dialect', dialect]);
    expect(codesOf(document)).toEqual({});
    expect(code).toBe(0);
    expect(filesIn(folder)).toEqual({ ...TWO, 'pdf/data.bin': '\u0000\u00ff\u0001\u00fe' });
    const again = await pullJson([url, '--to', folder, '--dialect', dialect]);
    expect(again.document.counts).toEqual({ ...ADDED, unchanged: 2 });
  });

  it('takes a skill for which the digest of SKILL.md alone is stated only when told to', async () => {
    const { url } = await ours(TWO, { supportingDigests: 'off' });
    const folder = newFolder();
    const args = [url, '--to', folder, '--dialect', 'draft-index'];
    const { code, document } = await pullJson(args);
    expect(code).toBe(4);
    expect(codesOf(document)).toEqual({
      'skill://acme/notes/SKILL.md': 'NOT_VERIFIABLE',
      'skill://pdf/SKILL.md': 'NOT_VERIFIABLE',
    });
    expect(filesIn(folder)).toEqual({});
    expect((await pullJson([...args, '--allow-unverified'])).document.counts).toEqual({
      ...ADDED,
      added: 2,
    });
  });

  it('takes the well-known documents of a web server', async () => {
    const { url } = await ours(TWO);
    const folder = newFolder();
    const { code, stderr } = await pullJson([new URL(url).origin, '--to', folder]);
    expect(stderr).toContain('reading the well-known documents');
    expect(code).toBe(0);
    expect(filesIn(folder)).toMatchObject({
      'pdf/SKILL.md': TWO['pdf/SKILL.md'],
      'pdf/scripts/run.sh': TWO['pdf/scripts/run.sh'],
    });
  });

  it('takes what nothing verifies only when told to', async () => {
    const dialect = 'plain';
    const { url } = await ours(TWO);
    const folder = newFolder();
    const refused = await pullJson([url, '--to', folder, '--dialect', dialect]);
    expect(refused.code).toBe(4);
    expect(new Set(Object.values(codesOf(refused.document)))).toEqual(new Set(['NOT_VERIFIABLE']));
    expect(filesIn(folder, true)).toEqual({});
    const taken = await pullJson([url, '--to', folder, '--dialect', dialect, '--allow-unverified']);
    expect(taken.code).toBe(0);
    expect(filesIn(folder)).toHaveProperty('pdf/SKILL.md', TWO['pdf/SKILL.md']);
    const again = await pullJson([url, '--to', folder, '--dialect', dialect, '--allow-unverified']);
    expect(again.document.counts).toEqual({ ...ADDED, unchanged: 2 });
  });
});

describe('pull --flat', () => {
  it('moves what was pulled below its path', async () => {
    const { url } = await ours(TWO);
    const folder = newFolder();
    await pullJson([url, '--to', folder]);
    const { document } = await pullJson([url, '--to', folder, '--flat', '--prune']);
    expect(document.counts).toEqual({ ...ADDED, unchanged: 1, added: 1, removed: 1 });
    expect(readdirSync(folder).sort()).toEqual(['.skillwire', 'notes', 'pdf']);
  });

  it('names folders by skills alone, and prefers none of two with one name', async () => {
    const { url } = await ours({ ...TWO, 'b/pdf/SKILL.md': skillText('pdf') });
    const folder = newFolder();
    const { code, document } = await pullJson([url, '--to', folder, '--flat']);
    expect(code).toBe(1);
    expect(codesOf(document)).toEqual({
      'skill://pdf/SKILL.md': 'NAME_COLLISION',
      'skill://b/pdf/SKILL.md': 'NAME_COLLISION',
    });
    expect(Object.keys(filesIn(folder))).toEqual(['notes/SKILL.md']);
  });
});

describe('pull of a skill whose place another takes', () => {
  it.each([[['--prune']], [[]]])('keeps its record: %s', async (flags) => {
    const server = await lying((contents) => [lyingSkill('a/pdf', {}, contents)]);
    const folder = newFolder();
    await runWith(['pull', server.url, '--to', folder, '--flat']);
    server.state.pages = [[lyingSkill('b/pdf', { 'more.md': 'more' }, server.state.contents)]];
    const dry = await pullJson([server.url, '--to', folder, '--flat', ...flags, '--dry-run']);
    const { code, document } = await pullJson([server.url, '--to', folder, '--flat', ...flags]);
    expect(code).toBe(0);
    expect(document.counts).toEqual({ ...ADDED, updated: 1 });
    expect(dry.document.counts).toEqual(document.counts);
    expect(Object.keys(filesIn(folder)).sort()).toEqual(['pdf/SKILL.md', 'pdf/more.md']);
    const record = readFileSync(join(folder, '.skillwire', 'pull.json'), 'utf8');
    expect(JSON.parse(record).skills).toMatchObject([{ path: 'pdf', uri: 'skill://b/pdf/SKILL.md' }]);
    const again = await pullJson([server.url, '--to', folder, '--flat', ...flags]);
    expect(again.document.counts).toEqual({ ...ADDED, unchanged: 1 });
  });

  it('leaves that one alone when the other is refused', async () => {
    const server = await lying((contents) => [lyingSkill('a/pdf', {}, contents)]);
    const folder = newFolder();
    await runWith(['pull', server.url, '--to', folder, '--flat']);
    server.state.pages = [[lyingSkill('b/pdf', { 'more.md': 'more' }, server.state.contents)]];
    server.state.contents.set('skill://b/pdf/more.md', 'nope');
    const { code, document } = await pullJson([server.url, '--to', folder, '--flat', '--prune']);
    expect(code).toBe(4);
    expect(document.counts).toEqual({ ...ADDED, gone: 1, refused: 1 });
    expect(Object.keys(filesIn(folder))).toEqual(['pdf/SKILL.md']);
  });
});

describe('where skills come from', () => {
  it('tells two queries of one URL apart, and knows one whose token changed', async () => {
    const server = await lying((contents) => [lyingSkill('pdf', {}, contents)]);
    const folder = newFolder();
    const from = (query: string): string[] => [`${server.url}?${query}`, '--to', folder, '--prune'];
    expect((await pullJson(from('tenant=a&api_key=hunter2'))).code).toBe(0);
    const record = readFileSync(join(folder, '.skillwire', 'pull.json'), 'utf8');
    expect(record).not.toMatch(/hunter2|api_key|tenant/);
    expect((await pullJson(from('api_key=hunter3&tenant=a'))).document.counts).toMatchObject({
      unchanged: 1,
    });
    server.state.pages = [[lyingSkill('notes', {}, server.state.contents)]];
    const { document } = await pullJson(from('tenant=b&api_key=hunter3'));
    expect(document.counts).toEqual({ ...ADDED, added: 1 });
    expect(Object.keys(filesIn(folder)).sort()).toEqual(['notes/SKILL.md', 'pdf/SKILL.md']);
  });
});

describe('files of a skill that are called as the record is', () => {
  it('leave the record readable', async () => {
    const server = await lying((contents) => [
      lyingSkill('pdf', { '.skillwire/pull.json': '{}', '.skillwire-x/a': 'a' }, contents),
    ]);
    const folder = newFolder();
    expect((await pullJson([server.url, '--to', folder])).document.counts).toEqual({ ...ADDED, added: 1 });
    const again = await pullJson([server.url, '--to', folder]);
    expect(again.document.counts).toEqual({ ...ADDED, unchanged: 1 });
  });
});

describe('names that some file system takes for the folder of the record', () => {
  it.each(['.skillwire', '.SkillWire-x', '.\u017fkillwire', '.s\u212aillwire', 'SKILLW~1'])(
    'are refused: %s',
    async (name) => {
      const encoded = encodeURIComponent(name);
      const server = await lying((contents) => [lyingSkill(`${encoded}/pdf`, {}, contents)]);
      const folder = newFolder();
      const { code, document } = await pullJson([server.url, '--to', folder]);
      expect(code).toBe(1);
      expect(Object.values(codesOf(document))).toEqual(['UNSAFE_NAME']);
      expect(filesIn(folder, true)).toEqual({});
    },
  );
});

describe('the record', () => {
  it.each([
    ['{', 'it is no JSON'],
    ['{"version":2,"skills":[]}', 'its version is 2'],
    ['{"version":1}', 'no list of skills'],
    [JSON.stringify({ version: 1, skills: [{ path: '../outside', files: [] }] }), 'is no folder below it'],
    [JSON.stringify({ version: 1, skills: [{ path: '', files: [] }] }), 'is no folder below it'],
    [JSON.stringify({ version: 1, skills: [{ path: '.Skillwire', files: [] }] }), 'is no folder below it'],
    [
      JSON.stringify({ version: 1, skills: [{ path: '.\u017fkillwire', files: [] }] }),
      'is no folder below it',
    ],
  ])('is refused when it is %s', async (text, why) => {
    const { url } = await ours(TWO);
    const folder = newFolder();
    mkdirSync(join(folder, '.skillwire'));
    writeFileSync(join(folder, '.skillwire', 'pull.json'), text);
    const { code, stderr } = await runWith(['pull', url, '--to', folder, '--prune', '--force']);
    expect(code).toBe(3);
    expect(stderr).toContain('error[PULL_RECORD_INVALID]');
    expect(stderr).toContain(why);
    expect(filesIn(folder)).toEqual({});
  });

  it('is not read or written through a link', async () => {
    const { url } = await ours(TWO);
    const [folder, other] = [newFolder(), newFolder()];
    symlinkSync(other, join(folder, '.skillwire'));
    writeFileSync(join(other, 'pull.json'), '{"version":1,"skills":[]}');
    const { code, stderr } = await runWith(['pull', url, '--to', folder]);
    expect(code).toBe(3);
    expect(stderr).toContain('it is a link');
  });

  it('holds no credential, and neither does anything that is said', async () => {
    const token = 'tok-0123456789-secret';
    const { url } = await ours(TWO, { token });
    const folder = newFolder();
    const tokenFile = join(newFolder(), 'token');
    writeFileSync(tokenFile, `${token}\n`);
    chmodSync(tokenFile, 0o600);
    const said: string[] = [];
    for (const [args, env] of [
      [[], { SKILLWIRE_TOKEN: token }],
      [['--token-file', tokenFile], {}],
      [['--header', `Authorization: Bearer ${token}`], {}],
    ] as const) {
      const { code, stdout, stderr } = await runWith(
        ['pull', `${url}?key=${token}`, '--to', folder, ...args],
        { env },
      );
      expect(code).toBe(0);
      said.push(stdout, stderr);
    }
    said.push(...Object.values(filesIn(folder, true)));
    expect(said.join('\n')).not.toContain(token);
    expect((await runWith(['pull', url, '--to', folder])).code).toBe(3);
  });
});

describe('pull that ends early', () => {
  it.each(['SIGKILL', 'SIGINT', 'SIGTERM'] as const)(
    'leaves whole skills and nothing else: %s',
    async (signal) => {
      const server = await lying((contents) =>
        ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) =>
          lyingSkill(name, { 'one.md': '1', 'two.md': '2', 'three.md': '3' }, contents),
        ),
      );
      server.state.readDelayMs = 40;
      const folder = newFolder();
      const started = start(['pull', server.url, '--to', folder]);
      while (server.state.reads.length < 9) await sleep(10);
      started.child.kill(signal);
      const { signal: ended, stderr } = await started.finished;
      expect(ended).toBe(signal);
      if (signal !== 'SIGKILL') expect(stderr).toMatch(/interrupted; (nothing was changed|\d folders? done)/);
      for (const name of readdirSync(folder).filter((each) => !each.startsWith('.'))) {
        expect(readdirSync(join(folder, name)).sort()).toEqual(['SKILL.md', 'one.md', 'three.md', 'two.md']);
      }
      if (signal !== 'SIGKILL') {
        expect(readdirSync(folder).filter((name) => name.startsWith('.') && name !== '.skillwire')).toEqual(
          [],
        );
      }
      server.state.readDelayMs = 0;
      const { code } = await pullJson([server.url, '--to', folder]);
      expect(code).toBe(0);
      expect(readdirSync(folder).sort()).toEqual(['.skillwire', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    },
    60_000,
  );
});

describe('the words of pull', () => {
  it.each([
    [['pull', './x'], 'pull needs the folder'],
    [['pull', '--to', 'x'], 'no target given'],
    [['pull', '--to', 'x', '--'], 'there is no command after --'],
    [['pull', 'http://me:pw@127.0.0.1/mcp', '--to', 'x'], 'a user name or password in a URL'],
    [['pull', 'http://127.0.0.1/mcp', '--to', 'x', '--timeout', 'soon'], '--timeout is "soon"'],
    [
      ['pull', 'http://127.0.0.1/mcp', '--to', 'x', '--header', 'nonsense-secret'],
      "--header is not of the form 'Name: value'",
    ],
    [['pull', 'http://127.0.0.1/mcp', '--to', 'x', '--header', 'Host: a'], 'belongs to the connection'],
  ])('refuses %j', async (args, message) => {
    const { code, stderr } = await runWith(args);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain('secret');
    expect(stderr).not.toContain('pw@');
  });
});
