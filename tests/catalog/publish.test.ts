import { describe, expect, it } from 'vitest';
import { type CatalogOptions, openCatalog } from '../../src/catalog/index.ts';
import { isSkillError } from '../../src/errors.ts';
import { memorySource } from '../../src/source/index.ts';
import { md } from './trees.ts';

type Files = Record<string, string>;

async function outcome(files: Files, options: CatalogOptions = {}) {
  const { snapshot } = await openCatalog(memorySource(files), options);
  return {
    skills: snapshot.skills.map((skill) => skill.uri),
    refused: snapshot.refused.map(({ path, diagnostic }) => `${path} ${diagnostic.code}`),
    codes: snapshot.diagnostics.map(({ path, code }) => `${path} ${code}`),
  };
}

async function failure(files: Files, options: CatalogOptions = {}): Promise<string> {
  try {
    await openCatalog(memorySource(files), options);
  } catch (error) {
    if (isSkillError(error)) return error.code;
    throw error;
  }
  return 'opened';
}

describe('names and URIs', () => {
  const cases: [string, Files, string[], string[]][] = [
    ['a skill at the top', { 'pdf/SKILL.md': md('pdf') }, ['skill://pdf/SKILL.md'], []],
    [
      'a skill below other folders, hidden ones too',
      { 'skills/.curated/x/SKILL.md': md('x') },
      ['skill://skills/.curated/x/SKILL.md'],
      [],
    ],
    [
      'folders with spaces, accents and reserved characters',
      { 'Acme Org/é#?%/x/SKILL.md': md('x') },
      ['skill://Acme%20Org/%C3%A9%23%3F%25/x/SKILL.md'],
      [],
    ],
    [
      'a renamed skill: only the last segment is replaced',
      { 'p/x/SKILL.md': md('y'), 'p/x/a.md': '1' },
      ['skill://p/y/SKILL.md'],
      [],
    ],
    [
      'a skill inside a renamed one keeps the real path',
      { 'p/x/SKILL.md': md('y'), 'p/x/z/SKILL.md': md('z') },
      ['skill://p/x/z/SKILL.md', 'skill://p/y/SKILL.md'],
      [],
    ],
    [
      'a renamed skill whose name belongs to another skill',
      { 'p/x/SKILL.md': md('y'), 'p/y/SKILL.md': md('y') },
      ['skill://p/y/SKILL.md'],
      ['p/x URI_TAKEN'],
    ],
    [
      'a renamed skill whose name belongs to a skill that is refused',
      { 'p/x/SKILL.md': md('y'), 'p/y/SKILL.md': 'nothing' },
      [],
      ['p/x URI_TAKEN', 'p/y MISSING_FRONTMATTER'],
    ],
    [
      'a renamed skill whose name is a folder of skills',
      { 'p/x/SKILL.md': md('y'), 'p/y/deep/k/SKILL.md': md('k') },
      ['skill://p/y/deep/k/SKILL.md'],
      ['p/x URI_TAKEN'],
    ],
    [
      'a renamed skill whose name is a folder that nobody serves',
      { 'p/x/SKILL.md': md('y'), 'p/y/notes.md': '1' },
      ['skill://p/y/SKILL.md'],
      [],
    ],
    [
      'a renamed skill whose name is a folder of the skill around it',
      { 'o/SKILL.md': md('o'), 'o/x/SKILL.md': md('y'), 'o/y/notes.md': '1' },
      ['skill://o/SKILL.md'],
      ['o/x URI_TAKEN'],
    ],
    [
      'a renamed skill whose name is a file of the skill around it',
      { 'o/SKILL.md': md('o'), 'o/x/SKILL.md': md('y'), 'o/y': '1' },
      ['skill://o/SKILL.md'],
      ['o/x URI_TAKEN'],
    ],
    [
      'two skills renamed to one name: the first in order of path has it',
      { 'p/b/SKILL.md': md('y'), 'p/a/SKILL.md': md('y'), 'p/c/SKILL.md': md('y') },
      ['skill://p/y/SKILL.md'],
      ['p/b URI_TAKEN', 'p/c URI_TAKEN'],
    ],
    [
      'two skills with each other’s names',
      { 'a/SKILL.md': md('b'), 'b/SKILL.md': md('a') },
      [],
      ['a URI_TAKEN', 'b URI_TAKEN'],
    ],
    [
      'one name in two folders is two skills',
      { 'a/x/SKILL.md': md('x'), 'b/x/SKILL.md': md('x') },
      ['skill://a/x/SKILL.md', 'skill://b/x/SKILL.md'],
      [],
    ],
    [
      'siblings that sort between a skill and what is inside it',
      { 'foo/SKILL.md': md('foo'), 'foo-bar/SKILL.md': md('foo-bar'), 'foo/in/SKILL.md': md('in') },
      ['skill://foo-bar/SKILL.md', 'skill://foo/SKILL.md', 'skill://foo/in/SKILL.md'],
      [],
    ],
  ];
  it.each(cases)('%s', async (_name, files, skills, refused) => {
    expect(await outcome(files)).toMatchObject({ skills, refused });
  });

  it('names both skills when a URI is taken', async () => {
    const { snapshot } = await openCatalog(
      memorySource({ 'p/x/SKILL.md': md('y'), 'p/y/SKILL.md': md('y') }),
    );
    expect(snapshot.refused[0]?.diagnostic.message).toBe(
      'the skill "p/x" is called "y" and would be published at skill://p/y, which belongs to "p/y"',
    );
  });

  it('lists the files of a renamed nested skill twice: under its name, and by their real path around it', async () => {
    const { snapshot } = await openCatalog(
      memorySource({ 'o/SKILL.md': md('o'), 'o/x/SKILL.md': md('y'), 'o/x/a.md': '1' }),
    );
    expect(snapshot.skills.map((skill) => skill.files.map((file) => file.uri))).toEqual([
      ['skill://o/SKILL.md', 'skill://o/x/SKILL.md', 'skill://o/x/a.md'],
      ['skill://o/y/SKILL.md', 'skill://o/y/a.md'],
    ]);
    expect(snapshot.locate('skill://o/x/a.md')).toMatchObject({
      skill: { name: 'o' },
      file: { path: 'x/a.md' },
    });
    expect(snapshot.locate('skill://o/y/a.md')).toMatchObject({
      skill: { name: 'y' },
      file: { path: 'a.md' },
    });
  });

  it('gives the files of a nested skill one URI, shared with the skill around it', async () => {
    const { snapshot } = await openCatalog(
      memorySource({ 'o/SKILL.md': md('o'), 'o/i/SKILL.md': md('i'), 'o/i/j/SKILL.md': md('j') }),
    );
    expect(snapshot.skills.map((skill) => skill.files.map((file) => file.uri))).toEqual([
      ['skill://o/SKILL.md', 'skill://o/i/SKILL.md', 'skill://o/i/j/SKILL.md'],
      ['skill://o/i/SKILL.md', 'skill://o/i/j/SKILL.md'],
      ['skill://o/i/j/SKILL.md'],
    ]);
    expect(snapshot.locate('skill://o/i/j/SKILL.md')).toMatchObject({ skill: { name: 'j' } });
  });
});

describe('prefix', () => {
  it.each([
    ['/org//team/', 'skill://org/team/a/SKILL.md'],
    ['my org', 'skill://my%20org/a/SKILL.md'],
    ['', 'skill://a/SKILL.md'],
  ])('%j', async (prefix, uri) => {
    expect((await outcome({ 'a/SKILL.md': md('a') }, { prefix })).skills).toEqual([uri]);
  });

  it('stands before a renamed skill and the skill around it', async () => {
    const { snapshot } = await openCatalog(memorySource({ 'o/SKILL.md': md('o'), 'o/x/SKILL.md': md('y') }), {
      prefix: 'p',
    });
    expect(snapshot.skills.flatMap((skill) => skill.files.map((file) => file.uri))).toEqual([
      'skill://p/o/SKILL.md',
      'skill://p/o/x/SKILL.md',
      'skill://p/o/y/SKILL.md',
    ]);
  });

  it.each([
    ['a/../b', 'PATH_TRAVERSAL'],
    ['a\\b', 'INVALID_SEGMENT'],
    ['a\u0000', 'INVALID_SEGMENT'],
  ])('%j is refused', async (prefix, code) => {
    expect(await failure({}, { prefix })).toBe(code);
  });
});

describe('every value of every option', () => {
  const long = `---\nname: long\ndescription: ${'d'.repeat(1025)}\n---\n`;
  const mixed: Files = {
    'fine/SKILL.md': md('fine'),
    'long/SKILL.md': long,
    'other/SKILL.md': md('renamed'),
    'out/SKILL.md': md('out'),
    'out/in/SKILL.md': md('in'),
    'broken/SKILL.md': 'no',
  };
  const all = ['fine', 'long', 'out', 'out/in', 'renamed'].map((path) => `skill://${path}/SKILL.md`);
  const without = (path: string) => all.filter((uri) => uri !== `skill://${path}/SKILL.md`);
  const broken = 'broken MISSING_FRONTMATTER';

  it.each<[string, CatalogOptions, string[], string[], boolean | undefined]>([
    ['defaults', {}, all, [broken], false],
    ['nonConforming unlist', { nonConforming: 'unlist' }, all, [broken], false],
    ['nonConforming list', { nonConforming: 'list' }, all, [broken], true],
    [
      'nonConforming reject',
      { nonConforming: 'reject' },
      without('long'),
      [broken, 'long DESCRIPTION_TOO_LONG'],
      undefined,
    ],
    ['nameMismatch publish-under-name', { nameMismatch: 'publish-under-name' }, all, [broken], false],
    [
      'nameMismatch reject',
      { nameMismatch: 'reject' },
      without('renamed'),
      [broken, 'other SKILL_NAME_MISMATCH'],
      false,
    ],
    ['nestedSkills publish', { nestedSkills: 'publish' }, all, [broken], false],
    [
      'nestedSkills reject',
      { nestedSkills: 'reject' },
      without('out/in'),
      [broken, 'out/in NESTED_SKILL'],
      false,
    ],
    ['invalidSkills skip', { invalidSkills: 'skip' }, all, [broken], false],
    [
      'strict but skip',
      { strict: true, invalidSkills: 'skip' },
      ['skill://fine/SKILL.md', 'skill://out/SKILL.md'],
      [broken, 'long DESCRIPTION_TOO_LONG', 'other SKILL_NAME_MISMATCH', 'out/in NESTED_SKILL'],
      undefined,
    ],
  ])('%s', async (_name, options, skills, refused, listed) => {
    const { snapshot } = await openCatalog(memorySource(mixed), options);
    expect(snapshot.skills.map((skill) => skill.uri)).toEqual(skills);
    expect(snapshot.refused.map(({ path, diagnostic }) => `${path} ${diagnostic.code}`)).toEqual(refused);
    expect(snapshot.skills.find((skill) => skill.name === 'long')?.listed).toBe(listed);
  });

  it.each<[string, CatalogOptions, string]>([
    ['invalidSkills throw', { invalidSkills: 'throw' }, 'MISSING_FRONTMATTER'],
    ['strict: nesting comes first', { strict: true }, 'NESTED_SKILL'],
    ['strict, nesting allowed', { strict: true, nestedSkills: 'publish' }, 'MISSING_FRONTMATTER'],
  ])('%s', async (_name, options, code) => {
    expect(await failure(mixed, options)).toBe(code);
  });

  it.each(['nonConforming', 'nameMismatch', 'nestedSkills', 'invalidSkills'])(
    '%s has no other value',
    async (option) => {
      expect(await failure(mixed, { [option]: 'maybe' } as CatalogOptions)).toBe('USAGE');
    },
  );

  it('keeps a nested file in the skill around it when the nested skill is rejected', async () => {
    const { snapshot } = await openCatalog(memorySource(mixed), { nestedSkills: 'reject' });
    const outer = snapshot.skills.find((skill) => skill.name === 'out');
    expect(outer?.files.map((file) => file.uri)).toEqual(['skill://out/SKILL.md', 'skill://out/in/SKILL.md']);
    expect(snapshot.locate('skill://out/in/SKILL.md')).toMatchObject({ skill: { name: 'out' } });
  });

  it('hides skills from discovery by path', async () => {
    const { snapshot } = await openCatalog(memorySource(mixed), { hidden: (path) => path === 'out/in' });
    expect(snapshot.skills.filter((skill) => skill.hidden).map((skill) => skill.path)).toEqual(['out/in']);
  });
});

describe('neighbours', () => {
  it('serves what is inside a refused skill', async () => {
    const files = { 'o/SKILL.md': 'broken', 'o/i/SKILL.md': md('i') };
    expect(await outcome(files)).toMatchObject({
      skills: ['skill://o/i/SKILL.md'],
      refused: ['o MISSING_FRONTMATTER'],
    });
  });

  it('shows the SKILL.md of a refused nested skill as a file of the skill around it', async () => {
    const { snapshot } = await openCatalog(memorySource({ 'o/SKILL.md': md('o'), 'o/i/SKILL.md': 'broken' }));
    expect(snapshot.skills[0]?.files.map((file) => file.path)).toEqual(['SKILL.md', 'i/SKILL.md']);
  });

  it('refuses a SKILL.md at the root, whatever the options', async () => {
    const files = { 'SKILL.md': md('x'), 'a/SKILL.md': md('a') };
    expect(await failure(files)).toBe('MANIFEST_NOT_IN_ROOT');
    expect(await failure(files, { strict: true })).toBe('MANIFEST_NOT_IN_ROOT');
  });

  it('says so when there is no skill at all', async () => {
    expect(await outcome({ 'README.md': 'x' })).toEqual({
      skills: [],
      refused: [],
      codes: [' NO_SKILLS_FOUND'],
    });
    expect(await outcome({})).toEqual({ skills: [], refused: [], codes: [' NO_SKILLS_FOUND'] });
  });
});

describe('duplicate names', () => {
  it('warns once for each later skill and keeps all', async () => {
    const files: Files = {};
    for (const folder of ['a', 'b', 'c'])
      files[`${folder}/x/SKILL.md`] = md('x', folder === 'c' ? 'differs' : 'd');
    const { snapshot } = await openCatalog(memorySource(files));
    expect(snapshot.skills.length).toBe(3);
    expect(snapshot.diagnostics.map(({ path, code, message }) => [path, code, message])).toEqual([
      ['b/x', 'DUPLICATE_NAME', '"b/x" and "a/x" are two copies of one skill called "x"; both are served'],
      ['c/x', 'DUPLICATE_NAME', '"c/x" and "a/x" are two different skills called "x"; both are served'],
    ]);
  });

  it('counts only what one listing shows', async () => {
    const files = { 'a/x/SKILL.md': md('x'), 'b/x/SKILL.md': md('x') };
    expect((await outcome(files, { hidden: (path) => path === 'b/x' })).codes).toEqual([]);
  });

  it('gives a thousand skills of one name a thousand warnings, not a million', async () => {
    const files: Files = {};
    for (let at = 0; at < 1000; at++) files[`f${at}/x/SKILL.md`] = md('x');
    const { codes } = await outcome(files);
    expect(codes.length).toBe(999);
  });
});
