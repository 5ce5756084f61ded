import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CatalogOptions, openCatalog } from '../../src/catalog/index.ts';
import { isSkillError, SkillError } from '../../src/errors.ts';
import { RULES } from '../../src/format/index.ts';
import { directorySource, memorySource, type Source } from '../../src/source/index.ts';
import { md, onDisk, watched } from './trees.ts';

async function found(source: Source, options?: CatalogOptions) {
  const { snapshot } = await openCatalog(source, options);
  for (const { code } of snapshot.diagnostics) expect(RULES).toHaveProperty(code);
  return {
    files: snapshot.skills.map((skill) => [skill.uri, ...skill.files.slice().map((file) => file.path)]),
    codes: snapshot.diagnostics.map(({ path, code, severity }) => `${path} ${code} ${severity}`),
    refused: snapshot.refused.map(({ path, diagnostic }) => `${path} ${diagnostic.code}`),
  };
}

async function failure(source: Source, options?: CatalogOptions): Promise<SkillError> {
  try {
    await openCatalog(source, options);
  } catch (error) {
    if (isSkillError(error)) return error;
    throw error;
  }
  throw new Error('it opened');
}

describe('what is a skill', () => {
  it('reads each file once and asks for nothing else', async () => {
    const source = watched(
      memorySource({ 'a/SKILL.md': md('a'), 'a/r/x.md': '1', 'b/y.md': '2', 'z.md': '3' }),
    );
    await openCatalog(source);
    expect(source.calls.filter((call) => !call.startsWith('list'))).toEqual([
      'read a/SKILL.md',
      'read a/r/x.md',
    ]);
    expect(source.calls.filter((call) => call.startsWith('list')).sort()).toEqual([
      'list ',
      'list a',
      'list a/r',
      'list b',
    ]);
  });

  it('publishes digest, size, type and text of the raw bytes', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
    const crlf = '\ufeffa\r\nb';
    const { snapshot } = await openCatalog(
      memorySource({ 'a/SKILL.md': md('a'), 'a/logo.png': png, 'a/t.txt': crlf, 'a/zero.md': '' }),
    );
    const sha = (bytes: string | Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    expect(
      snapshot.skills[0]?.files.map(({ path, size, digest, mimeType, text }) => [
        path,
        size,
        digest,
        mimeType,
        text,
      ]),
    ).toEqual([
      ['SKILL.md', 42, sha(md('a')), 'text/markdown', true],
      ['logo.png', 16, sha(png), 'image/png', false],
      ['t.txt', 7, sha(crlf), 'text/plain', true],
      [
        'zero.md',
        0,
        'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        'text/markdown',
        true,
      ],
    ]);
  });

  it.each([
    ['a folder called SKILL.md', { 'a/SKILL.md/x.md': '1' }, [' NO_SKILLS_FOUND warning']],
    [
      'lower case',
      { 'a/skill.md': md('a') },
      [' NO_SKILLS_FOUND warning', 'a/skill.md SKILL_MD_CASE warning'],
    ],
    [
      'mixed case',
      { 'a/Skill.MD': md('a') },
      [' NO_SKILLS_FOUND warning', 'a/Skill.MD SKILL_MD_CASE warning'],
    ],
    ['a longer name', { 'a/SKILL.md.bak': md('a') }, [' NO_SKILLS_FOUND warning']],
  ])('%s is none', async (_name, files, codes) => {
    expect(await found(memorySource(files as unknown as Record<string, string>))).toMatchObject({
      files: [],
      codes,
    });
  });

  it('says how to rename a misspelled SKILL.md, and says less inside a skill', async () => {
    const { snapshot } = await openCatalog(
      memorySource({ 'a/SKILL.md': md('a'), 'a/b/skill.md': md('b'), 'c/skill.md': md('c') }),
    );
    expect(snapshot.diagnostics.map(({ path, severity, hint }) => [path, severity, hint])).toEqual([
      ['a/b/skill.md', 'info', 'rename it to "SKILL.md"'],
      ['c/skill.md', 'warning', 'rename it to "SKILL.md"'],
    ]);
  });

  it('keeps empty folders, and folders with odd names', async () => {
    const { snapshot } = await openCatalog(
      memorySource({ 'a/SKILL.md': md('a'), 'a/out/': '', 'a/data/raw/': '', 'a/[x] {1} */y': '1' }),
    );
    expect(snapshot.skills[0]?.folders).toEqual(['[x] {1} *', 'data', 'data/raw', 'out']);
  });

  it('does not take frontmatter below a skill for a skill', async () => {
    const source = memorySource({ 'a/SKILL.md': md('a'), 'a/references/other.md': md('other') });
    expect((await found(source)).files).toEqual([['skill://a/SKILL.md', 'SKILL.md', 'references/other.md']]);
  });
});

describe('left out, and the rest of the skill served', () => {
  it('a file over the cap', async () => {
    const source = memorySource({
      'a/SKILL.md': md('a'),
      'a/big': 'x'.repeat(101),
      'a/edge': 'x'.repeat(100),
    });
    expect(await found(source, { maxFileBytes: 100 })).toEqual({
      files: [['skill://a/SKILL.md', 'SKILL.md', 'edge']],
      codes: ['a/big FILE_TOO_LARGE warning'],
      refused: [],
    });
    expect((await found(source, { maxFileBytes: -1 })).codes).toEqual([]);
  });

  it('an unreadable file, and one that breaks in a way nobody foresaw', async () => {
    const source = watched(memorySource({ 'a/SKILL.md': md('a'), 'a/no': '1', 'a/odd': '2', 'a/yes': '3' }));
    source.errors.set('read a/no', () => new SkillError('FILE_UNREADABLE', '"a/no" cannot be read'));
    source.errors.set('read a/odd', () => new Error('at /srv/private/odd'));
    const { snapshot } = await openCatalog(source);
    expect(snapshot.skills[0]?.files.map((file) => file.path)).toEqual(['SKILL.md', 'yes']);
    expect(snapshot.diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['FILE_UNREADABLE', '"a/no" cannot be read'],
      ['FILE_UNREADABLE', '"a/odd" cannot be read'],
    ]);
  });

  it.each([
    ['sync', false],
    ['async', true],
  ])('a file that changes at each read, while one that settles is read again (%s)', async (_name, later) => {
    const source = watched(memorySource({ 'a/SKILL.md': md('a'), 'a/log': '1', 'a/once': '2' }), later);
    let once = 0;
    source.errors.set('read a/log', () => new SkillError('FILE_CHANGED', 'moving'));
    source.errors.set('read a/once', () => (once++ === 0 ? new SkillError('FILE_CHANGED') : undefined));
    expect(await found(source)).toMatchObject({
      files: [['skill://a/SKILL.md', 'SKILL.md', 'once']],
      codes: ['a/log FILE_CHANGED warning'],
    });
    expect(source.calls.filter((call) => call === 'read a/log').length).toBe(3);
  });

  it('a secret', async () => {
    const source = memorySource({
      'a/SKILL.md': md('a'),
      'a/.env': 'TOKEN=1',
      'a/.env.example': 'TOKEN=',
      'a/key.txt': '-----BEGIN RSA PRIVATE KEY-----\n',
    });
    expect(await found(source)).toMatchObject({
      files: [['skill://a/SKILL.md', '.env.example', 'SKILL.md']],
      codes: ['a/.env SECRET_WITHHELD warning', 'a/key.txt SECRET_WITHHELD warning'],
    });
  });

  it('says nothing of secrets outside skills', async () => {
    expect(await found(memorySource({ '.env': 'x', 'a/SKILL.md': md('a') }))).toMatchObject({ codes: [] });
  });

  it('a file whose URI would be longer than a request may carry', async () => {
    const segment = 'é'.repeat(80);
    const deep = Array.from({ length: 20 }, () => segment).join('/');
    const source = memorySource({ 'a/SKILL.md': md('a'), [`a/${deep}/x.md`]: '1', 'a/b.md': '2' });
    const { files, codes } = await found(source);
    expect(files).toEqual([['skill://a/SKILL.md', 'SKILL.md', 'b.md']]);
    expect(codes).toEqual([`a/${deep}/x.md UNADDRESSABLE_NAME warning`]);
  });

  it('on disk: names that no URI can carry, pipes, broken links, links out, loops', async () => {
    const root = onDisk(
      {
        'a/SKILL.md': md('a'),
        'a/ok.md': '1',
        'a/back\\slash.md': '2',
        'a/dir\\x/y.md': '3',
        'other/secret.md': 'no',
      },
      {
        'a/broken': './nowhere',
        'a/out.md': '../other/secret.md',
        'a/out': '../other',
        'a/up': '..',
        'a/self': '.',
        'a/in.md': 'ok.md',
        dangling: './nowhere',
        root: '/',
      },
    );
    const { files, codes } = await found(directorySource(root));
    expect(files).toEqual([['skill://a/SKILL.md', 'SKILL.md', 'in.md', 'ok.md']]);
    expect(codes.map((code) => code.replace(/ (warning|info)$/, '')).sort()).toEqual([
      'a/back\\slash.md UNADDRESSABLE_NAME',
      'a/broken LINK_BROKEN',
      'a/dir\\x UNADDRESSABLE_NAME',
      'a/out LINK_ESCAPES',
      'a/out.md LINK_ESCAPES',
      expect.stringMatching(/^a\/self (LINK_LOOP|FOLDER_REPEATED)$/),
      expect.stringMatching(/^a\/up (LINK_LOOP|LINK_ESCAPES)$/),
      'dangling LINK_BROKEN',
      expect.stringMatching(/^root (LINK_ESCAPES|LINK_LOOP)$/),
    ]);
  });
});

describe('refused, and the neighbours served', () => {
  const neighbour = { 'good/SKILL.md': md('good') };
  const good = ['skill://good/SKILL.md', 'SKILL.md'];

  it.each<[string, string | Uint8Array, string]>([
    ['empty', '', 'MISSING_FRONTMATTER'],
    ['not UTF-8', Buffer.from([0x2d, 0x2d, 0x2d, 0x0a, 0xff, 0xfe]), 'NOT_UTF8'],
    ['unterminated', '---\nname: a\n', 'UNTERMINATED_FRONTMATTER'],
    ['an alias bomb', `---\na: &a [x,x]\nb: &b [*a,*a]\n${bomb()}---\n`, 'FRONTMATTER_TOO_LARGE'],
    ['a bad name', md('Bad Name'), 'INVALID_SKILL_NAME'],
  ])('a SKILL.md that is %s', async (_name, content, code) => {
    const source = memorySource({ ...neighbour, 'bad/SKILL.md': content });
    expect(await found(source)).toMatchObject({ files: [good], refused: [`bad ${code}`] });
  });

  it('a SKILL.md over the cap of a file, unreadable, or a link out of its folder', async () => {
    const large = memorySource({ ...neighbour, 'bad/SKILL.md': md('bad', 'x'.repeat(1000)) });
    expect(await found(large, { maxFileBytes: 500 })).toMatchObject({
      files: [good],
      refused: ['bad FILE_TOO_LARGE'],
    });
    const closed = watched(memorySource({ ...neighbour, 'bad/SKILL.md': md('bad') }));
    closed.errors.set('read bad/SKILL.md', () => new SkillError('FILE_UNREADABLE', 'no'));
    expect(await found(closed)).toMatchObject({ files: [good], refused: ['bad FILE_UNREADABLE'] });
    const root = onDisk({ ...neighbour, 'shared.md': md('bad') }, { 'bad/SKILL.md': '../shared.md' });
    expect(await found(directorySource(root))).toMatchObject({
      files: [good],
      refused: ['bad LINK_ESCAPES'],
    });
  });

  it('a folder that cannot be listed', async () => {
    const source = watched(memorySource({ ...neighbour, 'locked/SKILL.md': md('locked') }));
    source.errors.set('list locked', () => new SkillError('FILE_UNREADABLE', '"locked" cannot be listed'));
    expect(await found(source)).toMatchObject({ files: [good], codes: ['locked FILE_UNREADABLE warning'] });
  });

  it('a skill over the cap of bytes, while what is inside it stands', async () => {
    const source = memorySource({
      ...neighbour,
      'big/SKILL.md': md('big'),
      'big/a': 'x'.repeat(600),
      'big/b': 'x'.repeat(600),
      'big/in/SKILL.md': md('in'),
    });
    expect(await found(source, { maxSkillBytes: 1000 })).toEqual({
      files: [['skill://big/in/SKILL.md', 'SKILL.md'], good],
      codes: ['big SKILL_TOO_LARGE error'],
      refused: ['big SKILL_TOO_LARGE'],
    });
  });

  it('a skill whose own files fit, but not with those of the skills inside it', async () => {
    const source = memorySource({
      'o/SKILL.md': md('o'),
      'o/a/SKILL.md': md('a'),
      'o/a/x': 'x'.repeat(600),
      'o/b/SKILL.md': md('b'),
      'o/b/x': 'x'.repeat(600),
    });
    expect(await found(source, { maxSkillBytes: 1000 })).toMatchObject({ refused: ['o SKILL_TOO_LARGE'] });
  });

  it('reads a skill that is too large no further', async () => {
    const files: Record<string, string> = { 'big/SKILL.md': md('big') };
    for (let at = 0; at < 50; at++) files[`big/f${at}`] = 'x'.repeat(300);
    const source = watched(memorySource(files));
    await openCatalog(source, { maxSkillBytes: 1000 });
    expect(source.calls.filter((call) => call.startsWith('read')).length).toBeLessThan(8);
  });
});

describe('warnings about a whole skill', () => {
  it.each([
    [512, []],
    [513, ['a SKILL_FILES_MANY warning']],
  ])('%d files', async (count, codes) => {
    const files: Record<string, string> = { 'a/SKILL.md': md('a') };
    for (let at = 1; at < count; at++) files[`a/f${at}`] = '1';
    expect((await found(memorySource(files))).codes).toEqual(codes);
  });

  it('more than 16 MiB', async () => {
    const half = new Uint8Array(8_388_608);
    const source = memorySource({ 'a/SKILL.md': md('a'), 'a/x': half, 'a/y': half });
    expect((await found(source)).codes).toEqual(['a SKILL_BYTES_MANY warning']);
  });

  it('names that differ in case or composition only are both served and named', async () => {
    const source = memorySource({
      'a/SKILL.md': md('a'),
      'a/skill.md': '1',
      'a/Ref/x': '1',
      'a/ref/y': '2',
      'a/caf\u00e9.md': '3',
      'a/cafe\u0301.md': '4',
    });
    const { snapshot } = await openCatalog(source);
    expect(snapshot.skills[0]?.files.length).toBe(6);
    const messages = snapshot.diagnostics.filter(({ code }) => code === 'CASE_COLLISION');
    expect(messages.map(({ path }) => path)).toEqual(['a/caf\u00e9.md', 'a/ref', 'a/skill.md']);
    expect(messages[1]?.message).toContain('"a/ref" and "a/Ref"');
  });
});

describe('caps of a scan', () => {
  it('too many folders', async () => {
    const source = memorySource({ 'a/x': '', 'b/x': '', 'c/x': '' });
    expect((await openCatalog(source, { maxFolders: 4 })).snapshot.skills).toEqual([]);
    const error = await failure(source, { maxFolders: 3 });
    expect([error.code, error.details]).toEqual(['SCAN_TOO_MANY_FOLDERS', { path: 'c', limit: 3 }]);
  });

  it('too deep', async () => {
    const deep = (levels: number) => `${Array.from({ length: levels }, () => 'd').join('/')}/x`;
    await openCatalog(memorySource({ [deep(32)]: '' }));
    const error = await failure(memorySource({ [deep(33)]: '' }));
    expect(error.code).toBe('SCAN_TOO_DEEP');
    expect(error.details).toEqual({ path: deep(33).slice(0, -2), limit: 32 });
    await openCatalog(memorySource({ [deep(300)]: '' }), { maxDepth: -1 });
  });

  it.each(['SOURCE_NOT_FOUND', 'SOURCE_UNREADABLE', 'SOURCE_NOT_A_FOLDER'] as const)(
    'a root that cannot be listed: %s',
    async (code) => {
      const source = watched(memorySource({}));
      source.errors.set('list ', () => new SkillError(code));
      expect((await failure(source)).code).toBe(code);
    },
  );
});

describe('what vanishes while it is scanned', () => {
  it('a file, a folder, a SKILL.md, a whole skill', async () => {
    const memory = memorySource({
      'a/SKILL.md': md('a'),
      'a/gone.md': '1',
      'a/dir/x': '2',
      'b/SKILL.md': md('b'),
      'c/SKILL.md': md('c'),
      'c/d/SKILL.md': md('d'),
    });
    const source = watched(memory);
    const lost = () => new SkillError('FILE_NOT_FOUND');
    source.errors.set('read a/gone.md', lost);
    source.errors.set('list a/dir', lost);
    source.errors.set('read b/SKILL.md', () => {
      memory.delete('b');
      source.errors.delete('read b/SKILL.md');
      return lost();
    });
    source.errors.set('read c/SKILL.md', () => {
      memory.delete('c/SKILL.md');
      source.errors.delete('read c/SKILL.md');
      return lost();
    });
    expect(await found(source)).toEqual({
      files: [
        ['skill://a/SKILL.md', 'SKILL.md'],
        ['skill://c/d/SKILL.md', 'SKILL.md'],
      ],
      codes: [],
      refused: [],
    });
  });

  it('a SKILL.md that is listed for ever and never there is refused after three rounds', async () => {
    const source = watched(memorySource({ 'a/SKILL.md': md('a') }));
    source.errors.set('read a/SKILL.md', () => new SkillError('FILE_NOT_FOUND'));
    expect(await found(source)).toMatchObject({ refused: ['a FILE_NOT_FOUND'] });
    expect(source.calls.filter((call) => call.startsWith('read')).length).toBe(3);
  });
});

describe('links', () => {
  it('a link to a skill in the source is published once, under its real path', async () => {
    const root = onDisk(
      { 'src/x/SKILL.md': md('x'), 'src/x/a.md': '1' },
      { 'skills/x': '../src/x', all: 'src' },
    );
    expect(await found(directorySource(root))).toEqual({
      files: [['skill://src/x/SKILL.md', 'SKILL.md', 'a.md']],
      codes: ['all FOLDER_REPEATED info', 'skills/x FOLDER_REPEATED info'],
      refused: [],
    });
  });

  it('a link to a skill in a link root is published under the link', async () => {
    const store = onDisk({ 'x/SKILL.md': md('x'), 'x/a.md': '1', 'k/SKILL.md': md('k') });
    const root = onDisk({}, { 'skills/x': join(store, 'x'), 'skills/x2': join(store, 'x'), zall: store });
    const { files, codes } = await found(directorySource(root, { linkRoots: [store] }));
    expect(files.map(([uri]) => uri)).toEqual(['skill://skills/x/SKILL.md', 'skill://zall/k/SKILL.md']);
    expect(codes).toEqual(['skills/x2 FOLDER_REPEATED info', 'zall/x FOLDER_REPEATED info']);
    expect(await found(directorySource(root))).toMatchObject({ files: [] });
  });

  it('a file link inside a skill in a link root is read there', async () => {
    const store = onDisk(
      { 'x/SKILL.md': md('x'), 'x/a.md': '1', 'o.md': '2' },
      { 'x/in.md': 'a.md', 'x/up.md': '../o.md' },
    );
    const root = onDisk({}, { x: join(store, 'x') });
    expect(await found(directorySource(root, { linkRoots: [store] }))).toMatchObject({
      files: [['skill://x/SKILL.md', 'SKILL.md', 'a.md', 'in.md']],
      codes: ['x/up.md LINK_ESCAPES warning'],
    });
  });

  it('a folder link within a skill is not repeated', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'a/v2/x.md': '1' }, { 'a/latest': 'v2' });
    expect(await found(directorySource(root))).toMatchObject({
      files: [['skill://a/SKILL.md', 'SKILL.md', 'v2/x.md']],
      codes: ['a/latest FOLDER_REPEATED info'],
    });
  });

  it('a link of a nested skill stays inside the nested skill', async () => {
    const root = onDisk(
      { 'o/SKILL.md': md('o'), 'o/a.md': '1', 'o/i/SKILL.md': md('i') },
      { 'o/i/a.md': '../a.md' },
    );
    expect(await found(directorySource(root))).toMatchObject({ codes: ['o/i/a.md LINK_ESCAPES warning'] });
  });

  it('follow: a skill shows folders and files elsewhere in the root under its own path, each once', async () => {
    const root = onDisk(
      { 'a/SKILL.md': md('a'), 'shared/x.md': '1', 'shared/deep/y.md': '2', 'b/SKILL.md': md('b') },
      {
        'a/shared': '../shared',
        'a/again': '../shared',
        'a/b': '../b',
        'shared/a': '../a',
        'a/one.md': '../shared/x.md',
      },
    );
    const { files } = await found(directorySource(root, { symlinks: 'follow' }));
    expect(files).toEqual([
      ['skill://a/SKILL.md', 'SKILL.md', 'again/deep/y.md', 'again/x.md', 'b/SKILL.md', 'one.md'],
      ['skill://b/SKILL.md', 'SKILL.md'],
    ]);
  });

  it('refuse: no link is followed, and each is named', async () => {
    const root = onDisk(
      { 'src/x/SKILL.md': md('x'), 'src/x/a.md': '1' },
      { skills: 'src', 'src/x/b.md': 'a.md' },
    );
    expect(await found(directorySource(root, { symlinks: 'refuse' }))).toMatchObject({
      files: [['skill://src/x/SKILL.md', 'SKILL.md', 'a.md']],
      codes: ['skills LINK_REFUSED warning', 'src/x/b.md LINK_REFUSED warning'],
    });
  });

  it('loops end: two skills that link to each other, and a skill that links to itself', async () => {
    const root = onDisk(
      { 'a/SKILL.md': md('a'), 'b/SKILL.md': md('b') },
      { 'a/loop': '../b', 'b/loop': '../a', 'a/a': '../a', round: '.' },
    );
    for (const symlinks of ['contained', 'follow'] as const) {
      const { snapshot } = await openCatalog(directorySource(root, { symlinks }));
      expect(snapshot.skills.map((skill) => skill.uri)).toEqual(['skill://a/SKILL.md', 'skill://b/SKILL.md']);
    }
  });

  it('folders that double at each level by links do not double the work', async () => {
    const root = onDisk({ 's/SKILL.md': md('s') });
    for (let level = 0; level < 25; level++) {
      mkdirSync(join(root, `d${level}`));
      writeFileSync(join(root, `d${level}/f.md`), '1');
    }
    const links: Record<string, string> = { 's/start': '../d0' };
    for (let level = 0; level < 24; level++) {
      links[`d${level}/a`] = `../d${level + 1}`;
      links[`d${level}/b`] = `../d${level + 1}`;
    }
    const { symlinkSync } = await import('node:fs');
    for (const [path, target] of Object.entries(links)) symlinkSync(target, join(root, path));
    const { snapshot } = await openCatalog(directorySource(root, { symlinks: 'follow' }));
    expect(snapshot.skills[0]?.files.length).toBe(26);
  });
});

it('lets the event loop turn while it works', async () => {
  const files: Record<string, string> = {};
  for (let at = 0; at < 300; at++) files[`s${at}/SKILL.md`] = md(`s${at}`);
  const slow = watched(memorySource(files));
  const busy = () => {
    for (const end = performance.now() + 1; performance.now() < end; );
    return undefined;
  };
  for (let at = 0; at < 300; at++) slow.errors.set(`read s${at}/SKILL.md`, busy);
  let turns = 0;
  let open = true;
  const count = (): void => {
    turns++;
    if (open) setImmediate(count);
  };
  setImmediate(count);
  await openCatalog(slow);
  open = false;
  expect(turns).toBeGreaterThan(2);
});

it('gives the same catalog from a source that answers later', async () => {
  const files = { 'a/SKILL.md': md('a'), 'a/x': '1', 'b/SKILL.md': 'no', 'a/i/SKILL.md': md('j') };
  const now = await openCatalog(memorySource(files));
  const later = await openCatalog(watched(memorySource(files), true));
  expect(later.snapshot.revision).toBe(now.snapshot.revision);
  expect(later.snapshot.diagnostics).toEqual(now.snapshot.diagnostics);
});

it('reports progress', async () => {
  const seen: number[][] = [];
  await openCatalog(memorySource({ 'a/SKILL.md': md('a'), 'b/SKILL.md': md('b') }), {
    onProgress: (skills, total) => seen.push([skills, total]),
  });
  expect(seen.at(-1)).toEqual([2, 2]);
});

it('orders diagnostics by path, then place', async () => {
  const two = '---\nname: b\ndescription: d\ncompatibility: 5\nmetadata:\n  x: 1\n---\n';
  const { snapshot } = await openCatalog(
    memorySource({ 'b/SKILL.md': two, 'a/SKILL.md': 'x', 'b/A': '1', 'b/a': '2' }),
  );
  const places = snapshot.diagnostics.map(({ path, range }) => [path, range?.start.line ?? 0]);
  expect(places).toEqual([
    ['a/SKILL.md', 1],
    ['b/SKILL.md', 4],
    ['b/SKILL.md', 6],
    ['b/a', 0],
  ]);
});

function bomb(): string {
  let text = '';
  for (let at = 0; at < 20; at++) {
    const [to, from] = [String.fromCharCode(99 + at), String.fromCharCode(98 + at)];
    text += `${to}: &${to} [*${from},*${from},*${from},*${from}]\n`;
  }
  return text;
}
