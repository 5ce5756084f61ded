import { describe, expect, it } from 'vitest';
import {
  type ArchiveReader,
  openReader,
  packSkill,
  stripWrapper,
  unpackArchive,
} from '../../src/archive/index.ts';
import { bzip2 } from './build-bzip2.ts';
import { paxRecord, type TarPart, tar, tarGz } from './build-tar.ts';
import { type ZipPart, zip } from './build-zip.ts';
import { codeOf } from './code-of.ts';

const SKILL = '---\nname: s\ndescription: d\n---\n\n# Demo\nBody.\n';
const paths = (archive: ArchiveReader): string[] => archive.entries().map(({ path }) => path);
const code = (bytes: Buffer): Promise<string | undefined> => codeOf(() => unpackArchive(bytes));

/** What users of other tools ran into, by the id of the report. */
describe('reported cases', () => {
  it('ar-macosx-sibling: what a Finder adds is gone before the wrapping folder is looked for', async () => {
    const names = [
      'find/SKILL.md',
      'find/scripts/a.py',
      '__MACOSX/find/._SKILL.md',
      '__MACOSX/._find',
      'find/.DS_Store',
    ];
    const archive = await openReader(zip(names.map((name) => ({ name, body: 'x' }))));
    const { wrapper, entries } = stripWrapper(archive.entries());
    expect([wrapper, entries.map(({ path }) => path)]).toEqual(['find', ['SKILL.md', 'scripts/a.py']]);
  });

  it('ar-utf8-flag-missing: names in UTF-8 without the flag are taken as UTF-8', async () => {
    const bytes = zip([
      { name: Buffer.from('732f72c3a973756dc3a92e6d64', 'hex'), body: 'x' },
      { name: 's/SKILL.md', body: SKILL },
    ]);
    expect((await unpackArchive(bytes)).map(({ path }) => path)).toEqual(['s/résumé.md', 's/SKILL.md']);
  });

  it('ar-tar-symlink-write-through: a link refuses the archive, whatever comes after it', async () => {
    const parts: TarPart[] = [
      { name: 's/SKILL.md', body: SKILL },
      { name: 's/link', type: '2', link: '/outside' },
      { name: 's/link/pwned', body: 'x' },
      { name: 's/hl', type: '1', link: '../../etc/hosts' },
    ];
    expect(await code(tarGz(parts))).toBe('ARCHIVE_SYMLINK_ESCAPE');
    expect(await code(tarGz([parts[0], parts[3]] as TarPart[]))).toBe('ARCHIVE_SYMLINK_ESCAPE');
  });

  it('ar-backslash-entries, ar-backslash-dir-entry: a zip of PowerShell has folders, and none that leads out', async () => {
    const parts: ZipPart[] = [
      { name: 's\\', body: '' },
      { name: 's\\SKILL.md', body: SKILL },
      { name: 's\\agents\\openai.yaml', body: 'a: 1' },
    ];
    const archive = await openReader(zip(parts));
    expect(archive.entries().map(({ path, kind }) => [path, kind])).toEqual([
      ['s', 'directory'],
      ['s/SKILL.md', 'file'],
      ['s/agents/openai.yaml', 'file'],
    ]);
    expect(await code(zip([...parts, { name: 's\\..\\..\\evil', body: 'x' }]))).toBe(
      'ARCHIVE_PATH_TRAVERSAL',
    );
  });

  it('ar-lying-size: unpacking stops at the size that was declared', async () => {
    const bytes = zip([{ name: 's/SKILL.md', method: 8, size: 100, body: Buffer.alloc(10_485_760) }]);
    expect(await code(bytes)).toBe('ARCHIVE_CORRUPT');
  });

  it('ar-over-declared-size: a size that is not there refuses and does not allocate', async () => {
    const bytes = zip([{ name: 's/SKILL.md', method: 8, size: 536_870_912, body: 'hello' }]);
    expect(bytes.length).toBeLessThan(226);
    expect(await code(bytes)).toBe('ARCHIVE_TOO_LARGE');
  });

  it('ar-truncated-listing: the last entry is judged as the first', async () => {
    const names = [...Array(3_000).keys()].map((index) => ({ name: `${index}-${'long-name'.repeat(10)}` }));
    const last = { name: '../../evil', body: 'x' };
    expect(await code(tarGz([...names, last]))).toBe('ARCHIVE_PATH_TRAVERSAL');
    expect(await code(bzip2(tar([...names.slice(0, 20), last])))).toBe('ARCHIVE_PATH_TRAVERSAL');
    expect(await code(zip([...names, last]))).toBe('ARCHIVE_PATH_TRAVERSAL');
  });

  it('ar-gunzip-without-untar: content is that of the files, and "./" is no folder', async () => {
    const bytes = tarGz([
      { name: './.claude/skills/s/SKILL.md', body: SKILL },
      { name: './prpm.json', body: '{}' },
    ]);
    const [skill, other] = await unpackArchive(bytes);
    expect([skill?.path, skill?.bytes.toString(), other?.path]).toEqual([
      '.claude/skills/s/SKILL.md',
      SKILL,
      'prpm.json',
    ]);
  });

  it('ar-pax-global-header: the header of git archive is understood, and a pax path is judged', async () => {
    const long = `repo-main/s/${'n'.repeat(120)}.md`;
    const start: TarPart[] = [
      { name: 'pax_global_header', type: 'g', body: paxRecord('comment', 'deadbeef') },
      { name: 'repo-main/s/SKILL.md', body: SKILL },
    ];
    const archive = await openReader(tarGz([...start, { name: 'cut', pax: [['path', long]], body: 'x' }]));
    expect(paths(archive)).toEqual(['repo-main/s/SKILL.md', long]);
    expect(await code(tarGz([...start, { name: 'cut', pax: [['path', `../${long}`]], body: 'x' }]))).toBe(
      'ARCHIVE_PATH_TRAVERSAL',
    );
  });

  it('ar-unrelated-symlink-blocks-install: a link outside of what matters refuses nothing', async () => {
    const bytes = tarGz([
      { name: 'repo/skills/s/SKILL.md', body: SKILL },
      { name: 'repo/AGENTS.md', type: '2', link: 'CLAUDE.md' },
    ]);
    expect(await code(bytes)).toBe('ARCHIVE_SYMLINK_ESCAPE');
    const chosen = await openReader(bytes, { include: (path) => path.startsWith('repo/skills/') });
    expect(paths(chosen)).toEqual(['repo/skills/s/SKILL.md']);
    const all = await openReader(bytes, { links: 'list' });
    expect(all.entries().at(-1)).toMatchObject({ kind: 'link', target: 'CLAUDE.md' });
  });

  it('ar-wrapper-name: a wrapping folder of any name comes off', async () => {
    const archive = await openReader(
      zip([
        { name: 'skill_package/SKILL.md', body: SKILL },
        { name: 'skill_package/t.txt', body: 'x' },
      ]),
    );
    const { wrapper, entries } = stripWrapper(archive.entries());
    expect([wrapper, entries.map(({ path }) => path)]).toEqual(['skill_package', ['SKILL.md', 't.txt']]);
  });

  it('ar-export-backslashes: no packed name has a backslash', async () => {
    const files = [{ path: 'SKILL.md', bytes: Buffer.from(SKILL) }];
    const windows = [...files, { path: 'references\\a.md', bytes: Buffer.from('x') }];
    expect(await codeOf(() => packSkill(windows, 'zip'))).toBe('ARCHIVE_UNSAFE_NAME');
    const right = await packSkill([...files, { path: 'references/a.md', bytes: Buffer.from('x') }], 'zip');
    expect((await unpackArchive(right)).map(({ path }) => path)).toEqual(['SKILL.md', 'references/a.md']);
  });

  it.each<[string[], string]>([
    [['s/SKILL.md', 's/Skill.md'], 'ARCHIVE_COLLISION'],
    [['s/caf\u00e9.md', 's/cafe\u0301.md'], 'ARCHIVE_COLLISION'],
    [['s/a', 's/a/b'], 'ARCHIVE_COLLISION'],
    [['s/a/b', 's/a'], 'ARCHIVE_COLLISION'],
    [['S/x', 's/y'], 'ARCHIVE_COLLISION'],
    [['s/A/x', 's/a'], 'ARCHIVE_COLLISION'],
    [['s/\u017f', 's/S'], 'ARCHIVE_COLLISION'],
    [['s/SKILL.md', 's/SKILL.md'], 'ARCHIVE_DUPLICATE'],
    [['s/SKILL.md', './s//SKILL.md'], 'ARCHIVE_DUPLICATE'],
  ])('ar-casefold-collision: %j is refused with %s', async (names, expected) => {
    const parts = names.map((name, index) => ({ name, body: `${index}` }));
    expect(await code(tarGz(parts))).toBe(expected);
    expect(await code(zip(parts))).toBe(expected);
    expect(await code(bzip2(tar(parts)))).toBe(expected);
  });
});
