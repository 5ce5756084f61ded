import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { openReader } from '../../src/archive/index.ts';
import { openCatalog } from '../../src/catalog/index.ts';
import { isSkillError } from '../../src/errors.ts';
import {
  type ArchiveSource,
  archiveSource,
  memorySource,
  type Source,
  type SourceNode,
} from '../../src/source/index.ts';
import { tarGz } from '../archive/build-tar.ts';
import { mode, UNIX, zip } from '../archive/build-zip.ts';
import { packTarGz, packZip } from './pack-files.ts';
import { codeOf, look } from './support.ts';

const MANIFEST = '---\nname: pdf\ndescription: d\n---\n';

interface Vector {
  readonly name: string;
  readonly input: {
    readonly entries: readonly { readonly path: string; readonly body: string }[];
    readonly format: 'tar.gz' | 'zip';
    readonly read: string;
  };
  readonly expect: { readonly body?: string; readonly error?: string };
}

const vectors: readonly Vector[] = JSON.parse(
  readFileSync(new URL('../vectors/archive-fs.json', import.meta.url), 'utf8'),
);

/** Recorded cases where another result is right; each is a line in `docs/reference/deviations.md`. */
const DEVIATIONS: Record<string, string> = { 'duplicate path: one of them served': 'ARCHIVE_DUPLICATE' };

async function failure(action: () => unknown): Promise<{ code: string; message: string }> {
  try {
    await action();
  } catch (error) {
    if (isSkillError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'no error', message: '' };
}

describe('recorded cases of archive-fs', () => {
  test.each(vectors)('$name', async ({ name, input, expect: right }) => {
    const bytes = tarGz(input.entries.map(({ path, body }) => ({ name: path, body })));
    const read = async (): Promise<string> =>
      (await archiveSource(bytes, { format: input.format }).read(input.read)).bytes.toString();
    if (DEVIATIONS[name] !== undefined) expect((await failure(read)).code).toBe(DEVIATIONS[name]);
    else if (right.error !== undefined) expect((await failure(read)).code).toBe('FILE_NOT_FOUND');
    else expect(await read()).toBe(right.body);
  });
});

describe('recorded trees', () => {
  const trees: readonly {
    readonly name: string;
    readonly input: { readonly files: Record<string, string> };
  }[] = JSON.parse(readFileSync(new URL('../vectors/provider-walk.json', import.meta.url), 'utf8'));

  async function walked(source: Source, strict: boolean): Promise<unknown> {
    try {
      const { snapshot } = await openCatalog(source, { strict });
      const skills = snapshot.skills.map(({ uri, files }) => [
        uri,
        files.map(({ uri: file, digest, mimeType }) => [file, digest, mimeType]),
      ]);
      return {
        skills,
        refused: snapshot.refused,
        diagnostics: snapshot.diagnostics,
        revision: snapshot.revision,
      };
    } catch (error) {
      if (isSkillError(error)) return { code: error.code, message: error.message };
      throw error;
    }
  }

  test.each(trees)('are in an archive what they are in memory: $name', async ({ input: { files } }) => {
    for (const strict of [true, false]) {
      const right = await walked(memorySource(files), strict);
      for (const bytes of [packTarGz(files), packZip(files)]) {
        expect(await walked(archiveSource(bytes), strict)).toEqual(right);
      }
    }
  });
});

describe('archiveSource', () => {
  const files = { 'pdf/SKILL.md': MANIFEST, 'pdf/ref/a.md': 'x', 'pdf/out/': '', LICENSE: 'mit' };

  test.each([
    ['tar.gz', packTarGz(files)],
    ['zip', packZip(files)],
  ] as const)('finds out that it is a %s, and answers at once', async (format, bytes) => {
    const source = archiveSource(bytes);
    expect(source.format).toBe(format);
    expect(look(source, '')).toEqual(['LICENSE', 'pdf']);
    expect(look(source, 'pdf')).toEqual(['SKILL.md', 'out', 'ref']);
    expect(look(source, 'pdf/out')).toEqual([]);
    expect(await source.read('pdf/ref/a.md')).toEqual({ bytes: Buffer.from('x') });
    expect(await source.stat('pdf/ref/a.md')).toEqual({ size: 1 });
    expect(source.hostRoot).toBeUndefined();
    expect(source.label).toBe('archive');
  });

  test('has identities of its own', () => {
    const [a, b] = [archiveSource(packZip(files)), archiveSource(packZip(files))];
    expect(a.list('pdf').id).not.toBe(b.list('pdf').id);
    expect(a.contains(a.list('').id, b.list('pdf').id)).toBe(false);
  });

  test('keeps the paths of the archive, and a SKILL.md at the root', () => {
    expect(look(archiveSource(packZip({ 'SKILL.md': MANIFEST })), '')).toEqual(['SKILL.md']);
    const wrapped = packZip(files, { wrapper: 'a' });
    expect(look(archiveSource(wrapped), '')).toEqual(['a']);
    const source = archiveSource(wrapped, { stripWrapper: true, label: 'x.zip' });
    expect(look(source, '')).toEqual(['LICENSE', 'pdf']);
    expect(source).toMatchObject({ wrapper: 'a', label: 'x.zip' });
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ['two folders', ['a/x', 'b/x'], ['a', 'b']],
    ['a file beside the folder', ['a/x', 'y'], ['a', 'y']],
    ['an empty folder', ['a/'], ['a']],
    ['what a Finder leaves beside it', ['a/x', '__MACOSX/a/._x', '.DS_Store'], ['x']],
    ['what Windows leaves beside it', ['a/x', 'Thumbs.db', 'desktop.ini'], ['x']],
    ['a wrapper that is ignored', ['node_modules/x'], []],
    ['a wrapper that looks like a secret', ['.env/x'], ['.env SECRET_WITHHELD']],
    ['one of two levels', ['a/b/x'], ['b']],
  ])('takes a wrapper off, or not: %s', (_, paths, names) => {
    const bytes = packZip(Object.fromEntries(paths.map((path) => [path, path.endsWith('/') ? '' : 'x'])));
    expect(look(archiveSource(bytes, { stripWrapper: true }), '')).toEqual(names);
  });

  test('stands on an open reader too, and closes it', async () => {
    const reader = await openReader(packZip(files));
    const source = archiveSource(reader);
    expect(look(source, 'pdf/ref')).toEqual(['a.md']);
    await source.close();
    expect((await failure(() => reader.read('LICENSE'))).code).toBe('ARCHIVE_CLOSED');
  });

  test('frees everything when it is closed', async () => {
    const source = archiveSource(packTarGz(files), { label: 'x' });
    await Promise.all([source.close(), source.close()]);
    for (const action of [
      () => source.list(''),
      () => source.read('LICENSE'),
      () => source.stat('LICENSE'),
    ]) {
      expect((await failure(action)).code).toBe('ARCHIVE_CLOSED');
    }
  });

  test('tells what is ignored', () => {
    const source = archiveSource(packZip({ '.skillignore': 'drafts/\n', 'drafts/a': 'x', b: 'x' }));
    expect(['drafts/a', 'drafts/new', 'b', '.git/x'].map((path) => source.ignores?.(path))).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  test('refuses a .skillignore that is too large, and serves the folders beside it', async () => {
    const source = archiveSource(packZip({ 'a/.skillignore': 'x\n'.repeat(40_000), 'a/b': 'x', 'c/d': 'x' }));
    expect(codeOf(() => source.list('a'))).toBe('FILE_TOO_LARGE');
    expect((await source.read('c/d')).bytes.toString()).toBe('x');
  });

  test('reads a large file of a zip later, and names a damaged one', async () => {
    const big = Buffer.alloc(600_000, 'abcdefghij');
    const bytes = zip([
      { name: 'big', body: big, method: 8 },
      { name: 'bad', body: 'x', crc: 1, local: { crc: 1 } },
      { name: 'worse', body: Buffer.concat([big, big]), method: 8, crc: 1, local: { crc: 1 } },
    ]);
    const source = archiveSource(bytes, { maxRatio: -1 });
    const read = source.read('big');
    expect(read).toBeInstanceOf(Promise);
    expect((await read).bytes.equals(big)).toBe(true);
    for (const path of ['bad', 'worse']) {
      const { code, message } = await failure(() => source.read(path));
      expect(code).toBe('ARCHIVE_CORRUPT');
      expect(message).toContain(`"${path}" cannot be read: `);
      expect((await failure(() => source.stat(path))).code).toBe('ARCHIVE_CORRUPT');
    }
  });

  test('serves names that Windows refuses, and reads what has a drive of none', async () => {
    const source = archiveSource(
      packTarGz({ 's/aux.md': '1', 's/a:b.md': '2', 's/q?.md': '3', 's/trail.': '4' }),
    );
    for (const node of source.list('s').nodes) {
      expect((await source.read(`s/${node.name}`)).bytes.length).toBe(1);
    }
    expect(look(source, 's')).toHaveLength(4);
  });

  test.each<[string, Buffer, string]>([
    ['traversal', tarGz([{ name: '../evil', body: 'x' }]), 'ARCHIVE_PATH_TRAVERSAL'],
    ['absolute', tarGz([{ name: '/etc/passwd', body: 'x' }]), 'ARCHIVE_ABSOLUTE_PATH'],
    ['drive', zip([{ name: 'C:\\x', body: 'x' }]), 'ARCHIVE_ABSOLUTE_PATH'],
    ['share', zip([{ name: '\\\\host\\x', body: 'x' }]), 'ARCHIVE_ABSOLUTE_PATH'],
    ['backslashes that lead out', zip([{ name: 's\\..\\..\\evil', body: 'x' }]), 'ARCHIVE_PATH_TRAVERSAL'],
    ['NUL', zip([{ name: 'a\0b', body: 'x' }]), 'ARCHIVE_UNSAFE_NAME'],
    ['symbolic link', tarGz([{ name: 'l', type: '2', link: '/etc' }]), 'ARCHIVE_SYMLINK_ESCAPE'],
    ['hard link', tarGz([{ name: 'l', type: '1', link: '../../etc/hosts' }]), 'ARCHIVE_SYMLINK_ESCAPE'],
    [
      'link of a zip',
      zip([{ name: 'l', body: '/etc', madeBy: UNIX, external: mode(0o120777) }]),
      'ARCHIVE_SYMLINK_ESCAPE',
    ],
    ['device', tarGz([{ name: 'd', type: '3' }]), 'ARCHIVE_SPECIAL_FILE'],
    [
      'twice',
      zip([
        { name: 'a', body: '1' },
        { name: 'a', body: '2' },
      ]),
      'ARCHIVE_DUPLICATE',
    ],
    ['case', zip([{ name: 's/SKILL.md' }, { name: 's/Skill.md' }]), 'ARCHIVE_COLLISION'],
    ['composition', zip([{ name: 's/caf\u00e9' }, { name: 's/cafe\u0301' }]), 'ARCHIVE_COLLISION'],
    ['file and folder', zip([{ name: 's/a' }, { name: 's/a/b' }]), 'ARCHIVE_COLLISION'],
    ['bomb', tarGz([{ name: 'a', body: Buffer.alloc(5_000_000) }]), 'ARCHIVE_RATIO'],
    [
      'size that lies',
      zip([{ name: 'a', body: 'hello', method: 8, size: 536_870_912 }]),
      'ARCHIVE_TOO_LARGE',
    ],
    ['no archive', Buffer.from('hello, world'), 'ARCHIVE_UNKNOWN_FORMAT'],
    ['nothing', Buffer.alloc(0), 'ARCHIVE_UNKNOWN_FORMAT'],
  ])('refuses an archive with %s at once', (_, bytes, code) => {
    expect(codeOf(() => archiveSource(bytes))).toBe(code);
  });

  test('takes the caps of unpacking', () => {
    const bytes = packTarGz({ a: '12345', b: '12345' });
    expect(codeOf(() => archiveSource(bytes, { maxBytes: 9 }))).toBe('ARCHIVE_TOO_LARGE');
    expect(codeOf(() => archiveSource(bytes, { maxBytes: 10 }))).toBe('no error');
    expect(codeOf(() => archiveSource(bytes, { maxEntries: 1 }))).toBe('ARCHIVE_TOO_MANY_ENTRIES');
  });
});

describe("links: 'skill'", () => {
  const bytes = (): Buffer =>
    packTarGz(
      {
        'pdf/SKILL.md': MANIFEST,
        'pdf/ref/a.md': 'x',
        'docx/SKILL.md': MANIFEST.replace('pdf', 'docx'),
        'docx/inner/SKILL.md': MANIFEST.replace('pdf', 'inner'),
        'xlsx/SKILL.md': MANIFEST.replace('pdf', 'xlsx'),
        'xlsx/.skillignore': 'local\n',
        'CLAUDE.md': 'x',
      },
      {
        more: [
          { name: 'pdf/ref/b.md', type: '2', link: 'a.md' },
          { name: 'docx/inner/deep/x', type: '1', link: 'CLAUDE.md' },
          { name: 'xlsx/local', type: '2', link: '/home/me' },
          { name: 'xlsx/node_modules', type: '2', link: '/usr/lib/node_modules' },
          { name: 'AGENTS.md', type: '2', link: 'CLAUDE.md' },
          { name: 'SKILL.md', type: '2', link: 'pdf/SKILL.md' },
          { name: 'linked', type: '2', link: 'pdf' },
        ],
      },
    );
  const open = (): ArchiveSource => archiveSource(bytes(), { links: 'skill' });

  test('refuses the skill that a link stands in, and no other', async () => {
    const { snapshot } = await openCatalog(open(), {});
    expect(snapshot.skills.map(({ path }) => path)).toEqual(['docx', 'xlsx']);
    expect(snapshot.refused.map(({ path, diagnostic }) => [path, diagnostic.code])).toEqual([
      ['docx/inner', 'LINK_REFUSED'],
      ['pdf', 'LINK_REFUSED'],
    ]);
    expect(snapshot.refused[1]?.diagnostic.message).toContain('a skill with the link "pdf/ref/b.md"');
  });

  test('reports links outside skills, and a SKILL.md at the root that is one makes no skill', async () => {
    const { snapshot } = await openCatalog(open(), {});
    const links = snapshot.diagnostics.filter(({ code }) => code === 'LINK_REFUSED');
    expect(links.filter(({ severity }) => severity === 'warning').map(({ path }) => path)).toEqual([
      'AGENTS.md',
      'SKILL.md',
      'docx/inner/deep/x',
      'linked',
      'pdf/ref/b.md',
    ]);
  });

  test('follows none', async () => {
    const source = open();
    for (const path of ['pdf/ref/b.md', 'linked', 'AGENTS.md', 'pdf/SKILL.md', 'docx/inner/SKILL.md']) {
      expect((await failure(() => source.read(path))).code).toBe('LINK_ESCAPES');
      expect((await failure(() => source.stat(path))).code).toBe('LINK_ESCAPES');
    }
    expect(codeOf(() => source.list('linked'))).toBe('LINK_ESCAPES');
    expect(codeOf(() => source.list('linked/ref'))).toBe('FILE_NOT_FOUND');
    expect((await source.read('xlsx/SKILL.md')).bytes.length).toBeGreaterThan(0);
    const nodes: readonly SourceNode[] = source.list('xlsx').nodes;
    expect(nodes.map(({ name }) => name)).toEqual(['.skillignore', 'SKILL.md']);
  });
});

describe('recorded faults of other readers', () => {
  test('the metadata of a Finder defeats nothing', async () => {
    const bytes = zip([
      { name: 'find/SKILL.md', body: MANIFEST.replace('pdf', 'find') },
      { name: 'find/scripts/a.py', body: 'x' },
      { name: '__MACOSX/find/._SKILL.md', body: 'x' },
      { name: '__MACOSX/._find', body: 'x' },
      { name: 'find/.DS_Store', body: 'x' },
    ]);
    const { snapshot } = await openCatalog(archiveSource(bytes), {});
    expect(snapshot.skills.map(({ uri, files }) => [uri, files.length])).toEqual([
      ['skill://find/SKILL.md', 2],
    ]);
  });

  test('names in UTF-8 that the zip does not mark are names in UTF-8', () => {
    const bytes = zip([
      { name: Buffer.from('732f72c3a973756dc3a92e6d64', 'hex'), body: 'x' },
      { name: 's/SKILL.md', body: MANIFEST },
    ]);
    expect(look(archiveSource(bytes), 's')).toEqual(['SKILL.md', 'r\u00e9sum\u00e9.md']);
  });

  test('backslashes of PowerShell separate, and a folder ends in one', () => {
    const bytes = zip([
      { name: 's\\', body: '' },
      { name: 's\\SKILL.md', body: MANIFEST },
      { name: 's\\agents\\openai.yaml', body: 'a: 1' },
    ]);
    expect(look(archiveSource(bytes), 's')).toEqual(['SKILL.md', 'agents']);
  });

  test('a tar is unpacked as one, with "./" before its names', async () => {
    const bytes = tarGz([
      { name: './.claude/skills/s/SKILL.md', body: MANIFEST.replace('pdf', 's') },
      { name: './prpm.json', body: '{}' },
    ]);
    const { snapshot } = await openCatalog(archiveSource(bytes), {});
    expect(snapshot.skills.map(({ uri }) => uri)).toEqual(['skill://.claude/skills/s/SKILL.md']);
  });

  test('a global header and a long name of pax are understood', () => {
    const long = `repo-main/s/${'n'.repeat(120)}.md`;
    const bytes = packTarGz({ 'repo-main/s/SKILL.md': MANIFEST, [long]: 'x' }, { comment: 'deadbeef' });
    expect(look(archiveSource(bytes, { stripWrapper: true }), 's')).toEqual([
      'SKILL.md',
      `${'n'.repeat(120)}.md`,
    ]);
    expect(archiveSource(bytes).comment).toBe('deadbeef');
  });
});
