import { describe, expect, it } from 'vitest';
import { checkSkill, checkSource, openCatalog } from '../../src/catalog/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { md } from './trees.ts';

const files = {
  'a/SKILL.md': md('a'),
  'bad/SKILL.md': 'no frontmatter',
  'bad/.env': 'x',
  'long/SKILL.md': md('long', 'd'.repeat(1100)),
  'o/SKILL.md': md('o'),
  'o/i/SKILL.md': md('k'),
  'plain/x.md': '1',
};

describe('checkSource', () => {
  it('finds what a catalog finds, in the same words', async () => {
    const checked = await checkSource(memorySource(files));
    const { snapshot } = await openCatalog(memorySource(files));
    expect(checked.diagnostics).toEqual(snapshot.diagnostics);
    expect(checked.skills).toEqual([
      { path: 'a', name: 'a', outcome: 'listed' },
      { path: 'bad', name: '', outcome: 'refused' },
      { path: 'long', name: 'long', outcome: 'unlisted' },
      { path: 'o', name: 'o', outcome: 'listed' },
      { path: 'o/i', name: 'k', outcome: 'listed' },
    ]);
  });

  it('throws for no skill, not even under strict or with one at the root', async () => {
    const { skills, diagnostics } = await checkSource(memorySource({ ...files, 'SKILL.md': md('x') }), {
      strict: true,
    });
    expect(skills.filter((skill) => skill.outcome === 'refused').map((skill) => skill.path)).toEqual([
      '',
      'bad',
      'long',
      'o/i',
    ]);
    expect(diagnostics[0]).toMatchObject({ code: 'ROOT_SKILL', severity: 'error', path: '' });
  });

  it('says that there is nothing to check', async () => {
    const { skills, diagnostics } = await checkSource(memorySource({ 'x.md': '1' }));
    expect(skills).toEqual([]);
    expect(diagnostics.map((each) => each.code)).toEqual(['NO_SKILLS_FOUND']);
  });
});

describe('checkSkill', () => {
  const codes = async (path: string, options = {}) =>
    (await checkSkill(memorySource(files), path, options)).map((each) => `${each.path} ${each.code}`);

  it.each([
    ['a', []],
    ['a/', []],
    ['./a/SKILL.md', []],
    ['bad', ['bad/.env SECRET_WITHHELD', 'bad/SKILL.md MISSING_FRONTMATTER']],
    ['long', ['long/SKILL.md DESCRIPTION_TOO_LONG']],
    ['o', ['o/i/SKILL.md NAME_FOLDER_MISMATCH']],
    ['o/i', ['o/i/SKILL.md NAME_FOLDER_MISMATCH']],
    ['plain', ['plain NO_SKILLS_FOUND']],
  ])('%s', async (path, expected) => {
    expect(await codes(path)).toEqual(expected);
  });

  it('takes the options of a catalog', async () => {
    expect(await codes('o', { nameMismatch: 'reject' })).toEqual(['o/i/SKILL.md SKILL_NAME_MISMATCH']);
    expect(await codes('o', { nestedSkills: 'reject' })).toEqual([
      'o/i NESTED_SKILL',
      'o/i/SKILL.md NAME_FOLDER_MISMATCH',
    ]);
  });

  it('places what it finds', async () => {
    const [found] = await checkSkill(memorySource(files), 'bad/SKILL.md');
    expect(found?.path).toBe('bad/.env');
    const all = await checkSkill(memorySource(files), 'long');
    expect(all[0]).toMatchObject({
      severity: 'warning',
      range: { start: { line: 3 } },
      hint: expect.any(String),
    });
  });

  it('looks at nothing else', async () => {
    const source = memorySource(files);
    const listed: string[] = [];
    const list = source.list.bind(source);
    source.list = (path) => {
      listed.push(path);
      return list(path);
    };
    await checkSkill(source, 'o');
    expect(listed).toEqual(['o', 'o/i']);
  });

  it('throws when there is no such folder', async () => {
    await expect(checkSkill(memorySource(files), 'nowhere')).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    await expect(checkSkill(memorySource(files), '../a')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });
});
