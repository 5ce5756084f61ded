import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newSkill } from '../../src/cli/new-skill.ts';
import { isSkillError } from '../../src/errors.ts';
import { judgeSkillFile } from '../../src/format/index.ts';
import { runHere } from './in-process.ts';
import { folderWith, run, stopAll } from './program.ts';

let folder: ReturnType<typeof folderWith>;
beforeEach(() => {
  folder = folderWith({});
});
afterEach(() => folder.remove());
afterAll(stopAll);

describe('skillwire init', () => {
  it('makes a skill that passes check, with everything it was asked for', async () => {
    const { path: cwd } = folder;
    const made = await run(
      [
        'init',
        'pdf-tools',
        '--description',
        'Reads PDF files: text, tables. Use for "forms" & more.',
        '--references',
        '--script',
        '--assets',
      ],
      { cwd },
    );
    expect(made).toMatchObject({ code: 0 });
    expect(made.stdout).toBe(
      'made pdf-tools\n  SKILL.md\n  references/details.md\n  scripts/run.mjs\n  assets/template.md\n',
    );
    expect(made.stderr).toContain('skillwire check pdf-tools');
    const checked = await run(['check', 'pdf-tools', '--strict', '--json'], { cwd });
    expect(checked.code).toBe(0);
    expect(JSON.parse(checked.stdout)).toMatchObject({ skills: 1, diagnostics: [] });
    expect(await run(['check', '--strict'], { cwd })).toMatchObject({
      code: 0,
      stdout: '1 skill: nothing found\n',
    });
  });

  it('makes one that passes without any option', async () => {
    const { path: cwd } = folder;
    await run(['init', 'a', '--dir', 'x/y'], { cwd });
    expect(readdirSync(join(cwd, 'x', 'y', 'a'))).toEqual(['SKILL.md']);
    expect(await run(['check', 'x', '--strict'], { cwd })).toMatchObject({
      code: 0,
      stdout: '1 skill: nothing found\n',
    });
  });

  it('replaces nothing', async () => {
    const { path: cwd } = folder;
    await run(['init', 'a'], { cwd });
    const before = readFileSync(join(cwd, 'a', 'SKILL.md'), 'utf8');
    const again = await run(['init', 'a', '--description', 'other'], { cwd });
    expect(again.code).toBe(3);
    expect(again.stderr).toContain('error[TARGET_EXISTS]: a already exists');
    expect(readFileSync(join(cwd, 'a', 'SKILL.md'), 'utf8')).toBe(before);
  });

  it('prints one JSON document', async () => {
    const { stdout } = await run(['init', 'a', '--script', '--json', '--dir', 'd'], { cwd: folder.path });
    expect(JSON.parse(stdout)).toEqual({
      name: 'a',
      path: join('d', 'a'),
      files: ['SKILL.md', 'scripts/run.mjs'],
    });
  });

  it.each(['Bad Name', 'UPPER', '-a', 'a--b', '../a', 'a/b', 'a'.repeat(65), 'ä'])(
    'refuses the name %j',
    async (name) => {
      const { code, stderr } = await runHere(['init', '--dir', folder.path, '--', name]);
      expect(code).toBe(2);
      expect(stderr).toContain('error[INVALID_SKILL_NAME]');
      expect(readdirSync(folder.path)).toEqual([]);
    },
  );
});

describe('newSkill', () => {
  const descriptions = [
    'Plain words. Use when asked.',
    'Use when: a colon stands in it',
    '# not a comment',
    '"quoted" and \'quoted\'',
    'back\\slash and "both\' kinds',
    '- dash, [list], {map}, &anchor, *alias, !tag, |block, >fold, %dir, @at, `tick`',
    'two\nlines\tand a tab',
    '  spaces around  ',
    'null',
    '1.10',
    'ünïcode 日本語 🙂',
    'x'.repeat(1024),
    '🙂'.repeat(1024),
    'ends with a colon:',
  ];
  it.each(descriptions)('keeps the description %j', (description) => {
    const [main] = newSkill('a-skill', { description });
    const judged = judgeSkillFile(String(main?.content), { path: 'a-skill/SKILL.md', folderName: 'a-skill' });
    expect(judged.diagnostics.filter(({ code }) => code !== 'DESCRIPTION_TOO_LONG_FOR_WELL_KNOWN')).toEqual(
      [],
    );
    expect(judged.outcome).toBe('listed');
    expect(judged.frontmatter?.description).toBe(description.replace(/\s+/g, ' ').trim());
  });

  it.each(['a', '1', '0x1', '1e3', 'null', 'true', 'no', 'y', '2024-01-01', '007'])(
    'writes the name %s as text',
    (name) => {
      const [main] = newSkill(name, { description: 'Does it. Use it.' });
      const judged = judgeSkillFile(String(main?.content), { path: `${name}/SKILL.md`, folderName: name });
      expect(judged.diagnostics).toEqual([]);
      expect(judged.frontmatter?.name).toBe(name);
    },
  );

  it.each([
    ['', 'FRONTMATTER_MISSING_DESCRIPTION'],
    [' \n\t', 'FRONTMATTER_MISSING_DESCRIPTION'],
    ['x'.repeat(1025), 'USAGE'],
  ] as const)('refuses the description %j', (description, code) => {
    try {
      newSkill('a', { description });
      expect.unreachable();
    } catch (error) {
      expect(isSkillError(error, code)).toBe(true);
    }
  });
});
