import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { isSkillError, type SkillError } from '../../src/errors.ts';
import { type ArchivesDirOptions, openArchivesDir, type Source } from '../../src/source/index.ts';
import { tarGz } from '../archive/build-tar.ts';
import { packTarGz, packZip } from './pack-files.ts';
import { look, tree } from './support.ts';

const manifest = (name: string): string => `---\nname: ${name}\ndescription: d\n---\n`;

const opened: Source[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((source) => source.close()));
});

async function open(root: string, options: ArchivesDirOptions = {}): Promise<Source> {
  const source = await openArchivesDir(root, options);
  opened.push(source);
  return source;
}

async function failure(root: string, options: ArchivesDirOptions = {}): Promise<SkillError> {
  try {
    await open(root, options);
  } catch (error) {
    if (isSkillError(error)) return error;
    throw error;
  }
  throw new Error('no error');
}

const packs = (): string =>
  tree({
    'git-workflow.tar.gz': packTarGz({ 'SKILL.md': manifest('git-workflow'), 'a.md': 'x' }),
    'bundle.zip': packZip({
      'pdf/SKILL.md': manifest('pdf'),
      'docx/SKILL.md': manifest('docx'),
      'README.md': 'bundle',
    }),
    'repo.tgz': packTarGz(
      { 'xlsx/SKILL.md': manifest('xlsx'), 'README.md': 'repo' },
      { wrapper: 'repo-main' },
    ),
    'README.md': 'about these archives',
    '._bundle.zip': 'noise',
    'deep/more.zip': packZip({ 'SKILL.md': manifest('more') }),
  });

describe('openArchivesDir', () => {
  test('lays all archives over each other', async () => {
    const source = await open(packs());
    expect(look(source, '')).toEqual(['README.md', 'docx', 'git-workflow', 'pdf', 'xlsx']);
    expect(look(source, 'git-workflow')).toEqual(['SKILL.md', 'a.md']);
    const { snapshot } = await openCatalog(source, {});
    expect(snapshot.skills.map(({ uri }) => uri)).toEqual([
      'skill://docx/SKILL.md',
      'skill://git-workflow/SKILL.md',
      'skill://pdf/SKILL.md',
      'skill://xlsx/SKILL.md',
    ]);
  });

  test('takes the first of several files at the root, by the names of the archives', async () => {
    expect((await (await open(packs())).read('README.md')).bytes.toString()).toBe('bundle');
  });

  test('prefers a folder to a file of its name', async () => {
    const root = tree({
      'a.zip': packZip({ pdf: 'no skill', x: 'x' }),
      'b.zip': packZip({ 'pdf/SKILL.md': manifest('pdf'), x: 'y' }),
    });
    expect(look(await open(root), 'pdf')).toEqual(['SKILL.md']);
  });

  test('knows what it holds', async () => {
    const source = await open(packs());
    const root = (await source.list('')).id;
    const pdf = (await source.list('pdf')).id;
    const xlsx = (await source.list('xlsx')).id;
    expect([source.contains(root, pdf), source.contains(pdf, root), source.contains(pdf, xlsx)]).toEqual([
      true,
      false,
      false,
    ]);
    expect((await source.read('pdf/SKILL.md', { within: root })).bytes.length).toBeGreaterThan(0);
    await expect((async () => source.read('xlsx/SKILL.md', { within: pdf }))()).rejects.toMatchObject({
      code: 'LINK_ESCAPES',
    });
  });

  test('refuses two archives with one folder, naming both', async () => {
    const root = tree({
      'a.tar.gz': packTarGz({ 'SKILL.md': manifest('pdf') }),
      'b.zip': packZip({ 'pdf/SKILL.md': manifest('pdf'), 'x/SKILL.md': manifest('x') }),
    });
    const { code, message, details } = await failure(root);
    expect(code).toBe('ARCHIVES_DIR_COLLISION');
    expect(message).toContain('"a.tar.gz" and "b.zip" both hold "pdf"');
    expect(details).toEqual({ name: 'pdf', archives: ['a.tar.gz', 'b.zip'] });
  });

  const bad = (): string =>
    tree({
      'a.zip': packZip({ 'pdf/SKILL.md': manifest('pdf'), 'README.md': 'x' }),
      'b.zip': 'damaged',
      'c.tar.gz': tarGz([{ name: '../evil', body: 'x' }]),
      'd.tar.gz': packTarGz({ 'SKILL.md': 'no frontmatter' }),
    });

  test('refuses the folder for an archive that cannot be opened, and names it', async () => {
    const { code, message, details } = await failure(bad());
    expect(code).toBe('ARCHIVE_CORRUPT');
    expect(message).toMatch(/^the archive "b.zip": /);
    expect(details.archive).toBe('b.zip');
  });

  test("serves the others with invalidArchives: 'skip', and a catalog says which are not", async () => {
    const source = await open(bad(), { invalidArchives: 'skip' });
    const { snapshot } = await openCatalog(source, {});
    expect(snapshot.skills.map(({ uri }) => uri)).toEqual(['skill://pdf/SKILL.md']);
    const problems = snapshot.diagnostics.map(({ code, path, message }) => [code, path, message]);
    expect(problems).toEqual([
      ['ARCHIVE_REFUSED', 'b.zip', expect.stringContaining('damaged or cut short')],
      ['ARCHIVE_REFUSED', 'c.tar.gz', expect.stringContaining('has a ".." in its path')],
      ['ARCHIVE_REFUSED', 'd.tar.gz', expect.stringContaining('SKILL.md of "d.tar.gz"')],
    ]);
    await expect((async () => source.read('b.zip'))()).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('has nothing to serve when none can be opened', async () => {
    const { code } = await failure(tree({ 'a.zip': 'x', 'b.zip': 'x' }), { invalidArchives: 'skip' });
    expect(code).toBe('ARCHIVE_CORRUPT');
  });

  test.each([
    ['none', 'SOURCE_NOT_FOUND', 'does not exist'],
    ['file', 'SOURCE_NOT_A_FOLDER', 'is a file'],
    [
      'empty',
      'SOURCE_NOT_FOUND',
      '"empty" holds no archive; put .tar.gz, .zip or .tar.bz2 files directly into it',
    ],
    ['others', 'SOURCE_NOT_FOUND', 'holds no archive'],
  ])('says what is wrong with %s', async (name, code, words) => {
    const root = tree({
      file: 'x',
      'empty/': '',
      'others/a.txt': 'x',
      'others/sub/a.zip': packZip({ a: '' }),
    });
    const error = await failure(name, { cwd: root });
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(words)]);
    expect(error.message).not.toContain(root);
  });

  test('passes over links and folders with the name of an archive', async () => {
    const root = packs();
    mkdirSync(join(root, 'folder.zip'));
    symlinkSync(join(root, 'deep/more.zip'), join(root, 'link.zip'));
    expect(look(await open(root), '')).toEqual(['README.md', 'docx', 'git-workflow', 'pdf', 'xlsx']);
  });
});
