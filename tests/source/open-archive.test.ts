import { execFileSync } from 'node:child_process';
import { readdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { isSkillError } from '../../src/errors.ts';
import {
  directorySource,
  type OpenArchiveOptions,
  openArchive,
  type Source,
  type SourceProgress,
} from '../../src/source/index.ts';
import { bzip2 } from '../archive/build-bzip2.ts';
import { tar, tarGz } from '../archive/build-tar.ts';
import { packTarGz, packZip } from './pack-files.ts';
import { look, tempFolder, tree } from './support.ts';

const MANIFEST = '---\nname: pdf\ndescription: d\n---\n';
const EXAMPLES = join(import.meta.dirname, '../../examples/skills');

const opened: Source[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((source) => source.close()));
});

async function open(archive: string | Uint8Array, options: OpenArchiveOptions = {}): Promise<Source> {
  const source = await openArchive(archive, options);
  opened.push(source);
  return source;
}

async function failure(action: Promise<unknown>): Promise<{ code: string; message: string }> {
  try {
    await action;
  } catch (error) {
    if (isSkillError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'no error', message: '' };
}

/** Descriptors of this process, where the system can tell. */
const descriptors = (): number => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);

describe('openArchive', () => {
  test.each<[string, Record<string, string>, string, readonly string[]]>([
    ['a packed skill', { 'SKILL.md': MANIFEST, 'ref/a.md': 'x' }, '', ['pdf']],
    ['a packed skill, inside', { 'SKILL.md': MANIFEST, 'ref/a.md': 'x' }, 'pdf', ['SKILL.md', 'ref']],
    ['a skill in its folder', { 'pdf/SKILL.md': MANIFEST, 'pdf/a': 'x' }, '', ['pdf']],
    [
      'a skill in another folder',
      { 'skill_package/SKILL.md': MANIFEST, 'skill_package/t': 'x' },
      'pdf',
      ['SKILL.md', 't'],
    ],
    ['a folder of skills', { 'skills/pdf/SKILL.md': MANIFEST, 'skills/x/SKILL.md': 'x' }, '', ['pdf', 'x']],
    [
      'a repository',
      { 'repo-main/README.md': 'x', 'repo-main/skills/pdf/SKILL.md': MANIFEST },
      '',
      ['README.md', 'skills'],
    ],
    ['a repository that is a skill', { 'pdf-main/SKILL.md': MANIFEST, 'pdf-main/LICENSE': 'x' }, '', ['pdf']],
    ['two skills', { 'pdf/SKILL.md': MANIFEST, 'x/SKILL.md': 'x' }, '', ['pdf', 'x']],
    ['no skill', { README: 'x' }, '', ['README']],
    ['nothing', {}, '', []],
    // What is wrong with a skill in a folder is for the catalog to say.
    ['a broken skill in its folder', { 'pdf/SKILL.md': 'no frontmatter' }, '', ['pdf']],
    ['a skill with a bad name in its folder', { 'x/SKILL.md': MANIFEST.replace('pdf', '../y') }, '', ['x']],
  ])('lays out %s', async (_, files, path, names) => {
    const root = tree({ 'a.tar.gz': packTarGz(files), 'a.zip': packZip(files) });
    expect(look(await open(join(root, 'a.tar.gz')), path)).toEqual(names);
    expect(look(await open('a.zip', { cwd: root }), path)).toEqual(names);
    expect(look(await open(packZip(files), { format: 'zip' }), path)).toEqual(names);
  });

  test('leaves the wrapper where it is told to', async () => {
    const bytes = packZip({ 'a/b/SKILL.md': MANIFEST });
    expect(look(await open(bytes, { stripWrapper: false }), '')).toEqual(['a']);
    expect(look(await open(packZip({ 'SKILL.md': MANIFEST }), { stripWrapper: false }), '')).toEqual(['pdf']);
  });

  test.each<[string, string, string, string]>([
    ['no frontmatter', '# pdf\n', 'MISSING_FRONTMATTER', '"---"'],
    ['an open frontmatter', '---\nname: pdf\n', 'UNTERMINATED_FRONTMATTER', ''],
    ['broken YAML', '---\nname: a: b\n---\n', 'INVALID_YAML', 'line 2'],
    ['no name', '---\ndescription: d\n---\n', 'FRONTMATTER_MISSING_NAME', 'name'],
    ['no description', '---\nname: pdf\n---\n', 'FRONTMATTER_MISSING_DESCRIPTION', 'description'],
    ['a name that leads up', MANIFEST.replace('pdf', '../escape'), 'INVALID_SKILL_NAME', '../escape'],
    ['a name of two', MANIFEST.replace('pdf', 'a/b'), 'INVALID_SKILL_NAME', 'a/b'],
    ['a name that is a dot', MANIFEST.replace('pdf', '.'), 'INVALID_SKILL_NAME', ''],
    ['a name in upper case', MANIFEST.replace('pdf', 'PDF'), 'INVALID_SKILL_NAME', 'PDF'],
  ])('refuses a SKILL.md at the root with %s', async (_, manifest, code, words) => {
    const root = tree({ 'a.zip': packZip({ 'SKILL.md': manifest }) });
    const before = descriptors();
    const { code: found, message } = await failure(openArchive('a.zip', { cwd: root }));
    expect(found).toBe(code);
    expect(message).toContain('SKILL.md of "a.zip": ');
    expect(message).toContain(words);
    expect(descriptors()).toBe(before);
  });

  test.each([
    ['none.zip', 'SOURCE_NOT_FOUND'],
    ['file/none.zip', 'SOURCE_NOT_FOUND'],
    ['folder', 'SOURCE_UNREADABLE'],
    ['file', 'ARCHIVE_UNKNOWN_FORMAT'],
    ['wrong.zip', 'ARCHIVE_CORRUPT'],
    ['empty.tar.gz', 'ARCHIVE_CORRUPT'],
  ])('says what is wrong with %s, and names no place of this machine', async (name, code) => {
    const root = tree({ file: 'text', 'folder/': '', 'wrong.zip': 'no zip', 'empty.tar.gz': '' });
    const { code: found, message } = await failure(openArchive(name, { cwd: root }));
    expect(found).toBe(code);
    expect(message).not.toContain(root);
  });

  test('knows a format by its suffix, then by its first bytes', async () => {
    const files = { 'pdf/SKILL.md': MANIFEST, x: 'x' };
    const bz2 = bzip2(
      tar([
        { name: 'pdf/SKILL.md', body: MANIFEST },
        { name: 'x', body: 'x' },
      ]),
    );
    const root = tree({
      'a.tgz': packTarGz(files),
      'b.ZIP': packZip(files),
      'c.skill': packZip(files),
      'd.tar.bz2': bz2,
      'e.tbz2': bz2,
    });
    for (const name of readdirSync(root))
      expect(look(await open(name, { cwd: root }), '')).toEqual(['pdf', 'x']);
    expect((await failure(openArchive('b.ZIP', { cwd: root, format: 'tar.gz' }))).code).toBe(
      'ARCHIVE_CORRUPT',
    );
  });

  test('reads a zip from the file that was opened, and frees it', async () => {
    const root = tree({ 'a.zip': packZip({ a: 'first', b: 'x' }) });
    const before = descriptors();
    const source = await open(join(root, 'a.zip'));
    writeFileSync(join(root, 'b.zip'), packZip({ a: 'other', b: 'x' }));
    renameSync(join(root, 'b.zip'), join(root, 'a.zip'));
    expect((await source.read('a')).bytes.toString()).toBe('first');
    await source.close();
    expect(descriptors()).toBe(before);
    expect((await failure((async () => source.read('a'))())).code).toBe('ARCHIVE_CLOSED');
  });

  test('says that a zip is damaged which is written over while it is read', async () => {
    const root = tree({ 'a.zip': packZip({ a: 'first', b: 'x' }) });
    const source = await open(join(root, 'a.zip'));
    truncateSync(join(root, 'a.zip'), 10);
    expect((await failure((async () => source.read('a'))())).code).toBe('ARCHIVE_CORRUPT');
  });

  test('tells how far the unpacking of a tar is', async () => {
    const bytes = packTarGz({ a: Buffer.alloc(900_000, 'abc') });
    const root = tree({ 'a.tar.gz': bytes });
    const told: SourceProgress[] = [];
    await open('a.tar.gz', { cwd: root, onProgress: (progress) => told.push(progress) });
    expect(told.length).toBeGreaterThan(2);
    expect(told.at(-1)).toEqual({
      step: 'unpack',
      label: 'a.tar.gz',
      bytes: bytes.length,
      total: bytes.length,
    });
  });

  test('a hostile archive writes nothing and leaves no file open', async () => {
    const root = tree({
      'slip.tar.gz': tarGz([
        { name: 'ok', body: 'x' },
        { name: '../slipped', body: 'x' },
      ]),
      'link.tar.gz': tarGz([
        { name: 'l', type: '2', link: '..' },
        { name: 'l/slipped', body: 'x' },
      ]),
    });
    const names = readdirSync(join(root, '..')).filter((name) => name.includes('slipped'));
    const before = descriptors();
    expect((await failure(openArchive('slip.tar.gz', { cwd: root }))).code).toBe('ARCHIVE_PATH_TRAVERSAL');
    expect((await failure(openArchive('link.tar.gz', { cwd: root }))).code).toBe('ARCHIVE_SYMLINK_ESCAPE');
    expect(readdirSync(root).sort()).toEqual(['link.tar.gz', 'slip.tar.gz']);
    expect(readdirSync(join(root, '..')).filter((name) => name.includes('slipped'))).toEqual(names);
    expect(descriptors()).toBe(before);
  });
});

describe('what `tar` and `git archive` make of a folder', () => {
  /** Everything a catalog publishes, but for what only a folder on this machine has. */
  async function published(source: Source): Promise<unknown> {
    opened.push(source);
    const { snapshot } = await openCatalog(source, {});
    const entries = snapshot.skills.map(({ uri, name, frontmatter, folders, listed, renamed, files }) => ({
      uri,
      name,
      frontmatter,
      folders,
      listed,
      renamed,
      files: files.map(({ path, size, digest, mimeType, text }) => ({ path, size, digest, mimeType, text })),
    }));
    return { entries, revision: snapshot.revision };
  }

  function packed(...args: readonly string[]): string {
    const path = join(tempFolder(), args[0] ?? '');
    execFileSync('tar', ['-czf', path, ...args.slice(1)], { stdio: 'ignore' });
    return path;
  }

  test.each([
    ['its content', () => packed('a.tar.gz', '-C', EXAMPLES, '.')],
    ['the folder', () => packed('a.tar.gz', '-C', join(EXAMPLES, '..'), 'skills')],
    [
      'a repository',
      () => packed('a.tgz', '-C', join(EXAMPLES, '..'), '--transform=s,^skills,repo-1.0,', 'skills'),
    ],
  ])('is served like the folder itself, entry by entry: %s', async (_, pack) => {
    const right = await published(directorySource(EXAMPLES));
    expect(await published(await openArchive(pack()))).toEqual(right);
    expect(JSON.stringify(right)).toContain('skill://writing-skills/SKILL.md');
  });
});
