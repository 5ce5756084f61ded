/** What a server says of itself when a client connects. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { createProvider, type SkillProvider } from '../../src/server/index.ts';
import { instructionsOf } from '../../src/server/instructions.ts';
import { cutWords, oneLine } from '../../src/server/one-line.ts';
import { directorySource, memorySource } from '../../src/source/index.ts';
import { linkProvider, REVISIONS } from './link.ts';
import { skillText } from './support.ts';

const TOOLS = { tools: true, prompts: false };
const skill = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${JSON.stringify(description)}\n---\nBody.\n`;

async function written(
  files: Record<string, string>,
  exposed = TOOLS,
  hidden?: (path: string) => boolean,
): Promise<string> {
  const catalog = await openCatalog(memorySource(files), hidden === undefined ? {} : { hidden });
  const text = instructionsOf(catalog.snapshot, exposed);
  await catalog.close();
  return text;
}

describe('instructionsOf', () => {
  it('says what the server is, how to reach skills, and which there are: the nearest to the root first', async () => {
    const text = await written({
      'team/pdf/SKILL.md': skill('pdf', 'Of the team.'),
      'pdf/SKILL.md': skill('pdf', 'Fills forms.'),
      'zip/SKILL.md': skill('zip', 'Packs\nand unpacks.\u0000'),
    });
    expect(
      text,
    ).toBe(`This server has skills: instructions for particular kinds of task. Before a task that one covers, read it: with load_skill, and its files with read_skill_file; or as a resource, at the URI that resources/list has.

Skills:
- pdf (skill://pdf/SKILL.md): Fills forms.
- zip: Packs and unpacks.
- pdf (skill://team/pdf/SKILL.md): Of the team.`);
  });

  it.each([
    [
      { tools: false, prompts: false },
      'read the resource at its URI.\n\nSkills:\n- a (skill://a/SKILL.md): A.',
    ],
    [{ tools: false, prompts: true }, 'read it: by the prompt with its name; or as a resource'],
    [{ tools: true, prompts: true }, 'read_skill_file; or by the prompt with its name; or as a resource'],
  ])('names the ways of %j', async (exposed, text) => {
    expect(await written({ 'a/SKILL.md': skill('a', 'A.') }, exposed)).toContain(text);
  });

  it('names no skill that is hidden or unlisted, and says so when there is none', async () => {
    const files = { 'shy/SKILL.md': skill('shy', 'Shy.'), 'long/SKILL.md': skill('long', 'x'.repeat(1025)) };
    expect(await written(files, TOOLS, (path) => path === 'shy')).toMatch(/\n\nIt has no skills now\.$/);
  });

  it('keeps within 2,000 characters and counts what it leaves out', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 300 }, (_, n) => [
        `s${n}/SKILL.md`,
        skill(`s${n}`, `Number ${n}. ${'Many words '.repeat(60)}`),
      ]),
    );
    const text = await written(files);
    expect(text.length).toBeLessThanOrEqual(2_000);
    expect(text.length).toBeGreaterThan(1_800);
    const shown = text.split('\n').filter((line) => line.startsWith('- ')).length;
    expect(shown).toBeGreaterThan(10);
    expect(text).toMatch(new RegExp(`\\n… and ${300 - shown} more; list_skills finds them$`));
    for (const line of text.split('\n- ').slice(1, -1)) expect(line).toMatch(/ (?:Many|words)…$/);
  });

  it('holds for whatever authors write: one line a skill, within the budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 400 }), {
          minLength: 1,
          maxLength: 40,
        }),
        async (descriptions) => {
          const files = Object.fromEntries(
            descriptions.map((description, n) => [`s${n}/SKILL.md`, skill(`s${n}`, `x${description}`)]),
          );
          const text = await written(files);
          expect(text.length).toBeLessThanOrEqual(2_000);
          expect(text).not.toMatch(
            /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/,
          );
          for (const line of text.split('\n').slice(3)) expect(line).toMatch(/^(?:- s\d+: x|… and \d+ more)/);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe('one line', () => {
  it.each([
    ['  a \r\n\t b\u2028c\u0085d ', 'a b c d'],
    ['a\u202eb\u2066c\u200bd\ufeffe\u00adf', 'abcdef'],
    ['\u{e0041}tag\u{e0042}', 'tag'],
    ['half \ud800 pair', 'half pair'],
    ['می\u200cخواهم 👩\u200d💻', 'می\u200cخواهم 👩\u200d💻'],
    ['\u0000', ''],
    ['a\u3164b\u115f\uffa0\u180ec\u034fd\u206ae', 'abcde'],
    ['a\ufe00\ufe01\u{e0100}\u{e01ef}b', 'ab'],
    ['\u2764\ufe0f\u200d\u{1f525}', '\u2764\ufe0f\u200d\u{1f525}'],
    ['a\u200c\u200d\u200d\u200c\u200c\ufe0f\u200db', 'a\u200c\u200db'],
    ['a\u200c\u200b\u200c\u200b\u200cb', 'a\u200c\u200cb'],
  ])('%j becomes %j', (text, expected) => expect(oneLine(text)).toBe(expected));

  it.each([
    ['short', 5, 'short'],
    ['Fills forms and reads tables', 15, 'Fills forms…'],
    ['Fills forms, and', 13, 'Fills forms…'],
    ['Fills forms and', 12, 'Fills forms…'],
    ['Donaudampfschifffahrt', 10, 'Donaudamp…'],
    ['👩👩👩', 4, '👩…'],
    ['x', 0, '…'],
  ])('%j cut to %i is %j', (text, length, expected) => expect(cutWords(text, length)).toBe(expected));
});

describe.each(REVISIONS)('%s', (revision) => {
  let provider: SkillProvider;
  afterEach(() => provider.close());

  it.each([
    [
      'with tools',
      { expose: ['tools'] as const },
      /^This server has skills: .*\n\nSkills:\n- pdf: About pdf$/,
    ],
    ['without anything exposed', {}, undefined],
    ['switched off', { expose: ['tools'] as const, instructions: false }, undefined],
    ['switched on', { instructions: true }, /\n- pdf \(skill:\/\/pdf\/SKILL\.md\): About pdf$/],
    ['of its owner', { instructions: 'Ask for the pdf skill.' }, /^Ask for the pdf skill\.$/],
  ])('%s', async (_, options, expected) => {
    provider = await createProvider({
      source: memorySource({ 'pdf/SKILL.md': skillText('pdf') }),
      ...options,
    });
    const link = await linkProvider(provider, revision);
    const text = link.client.getInstructions();
    if (expected === undefined) expect(text).toBeUndefined();
    else expect(text).toMatch(expected);
    await link.close();
  });

  it('follow what changed, for who connects then', async () => {
    const root = mkdtempSync(join(tmpdir(), 'skillwire-instructions-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const put = (name: string): void => {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, 'SKILL.md'), skillText(name));
    };
    put('pdf');
    provider = await createProvider({ source: directorySource(root), expose: ['tools'] });
    expect(provider.instructions()).toContain('- pdf: About pdf');
    put('zip');
    await provider.refresh();
    const link = await linkProvider(provider, revision);
    const named = link.client.getInstructions() ?? '';
    await link.close();
    expect(named).toContain('- zip: About zip');
    expect(named).toBe(provider.instructions());
  });
});

describe('options', () => {
  const source = memorySource({ 'pdf/SKILL.md': skillText('pdf') });
  it.each([
    [{ expose: ['tool'] }, 'expose names "tool"; there are tools and prompts'],
    [{ expose: ['tools'], exposeTo: 'none' }, 'exposeTo is "none"; it is clients-without-skills or all'],
    [{ exposeTo: 'all' }, 'exposeTo says who sees what expose names, which is nothing'],
    [{ instructions: ' ' }, 'instructions are empty; false sends none'],
    [{ instructions: 'x'.repeat(2_001) }, 'instructions have 2001 characters; clients are sent at most 2000'],
  ])('%#: what cannot be followed is refused', async (options, message) => {
    await expect(createProvider({ source, ...(options as object) })).rejects.toMatchObject({
      code: 'USAGE',
      message,
    });
  });
});
