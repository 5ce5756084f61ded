/** The text form of seed 000: tests/vectors/blocks.json, and what no vector says. */
import { describe, expect, it } from 'vitest';
import { catalogBlock, instructionsBlock } from '../../src/client/blocks.ts';
import type { LoadedSkill } from '../../src/client/load-result.ts';
import type { FoundSkill, SkillListing } from '../../src/client/skill.ts';
import { SkillError } from '../../src/errors.ts';
import type { Index } from '../../src/wire/index.ts';
import { textOf } from '../house/tree.ts';

interface CatalogCase {
  readonly name: string;
  readonly input: { readonly index: Index };
  readonly expect: { readonly text: string };
}
interface InstructionsCase {
  readonly name: string;
  readonly input: {
    readonly loaded: readonly {
      readonly url: string;
      readonly name: string;
      readonly description?: string;
      readonly body: string;
      readonly error?: string;
    }[];
  };
  readonly expect: { readonly text: string };
}
const vectors = JSON.parse(textOf('tests/vectors/blocks.json')) as {
  readonly 'catalog-block': readonly CatalogCase[];
  readonly 'instructions-block': readonly InstructionsCase[];
};

const CATALOG =
  "## Skills (catalog)\n\nThese skills are available. Call load_skill(name) to read a skill's full instructions before using it.\n\n";
const INSTRUCTIONS =
  '## Skills\n\nThe following skills are provided by connected servers. Follow their instructions when relevant.\n\n';
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function found(uri: string, frontmatter: Record<string, string | number>): FoundSkill {
  return {
    entry: { uri, frontmatter, resources: [] },
    dialect: 'released',
    integrity: 'complete',
    wholeFrontmatter: true,
  };
}

describe('catalogBlock', () => {
  it.each(vectors['catalog-block'])('$name', ({ input, expect: { text } }) => {
    expect(catalogBlock(input.index)).toBe(text);
  });

  it('has the vectors', () => expect(vectors['catalog-block']).toHaveLength(5));

  it('is empty for an empty index', () => {
    expect(catalogBlock({ $schema: '', skills: [] })).toBe('');
  });

  it('shows every skill of a listing, whichever way it travels', () => {
    const listing: SkillListing = {
      skills: [
        found('skill://b/SKILL.md', { name: 'b', description: 'does b' }),
        { ...found('skill://a/SKILL.md', { name: 'a' }), archive: { uri: 'skill://a.zip' } },
        found('skill://c/SKILL.md', { name: 7, description: 'no name that is text' }),
      ],
      complete: true,
      dialect: 'released',
      problems: [],
    };
    expect(catalogBlock(listing)).toBe(
      `${CATALOG}- b: does b\n- a\n- skill://c/SKILL.md: no name that is text\n`,
    );
    expect(catalogBlock({ ...listing, skills: [] })).toBe('');
  });
});

describe('instructionsBlock', () => {
  it.each(vectors['instructions-block'])('$name', ({ input, expect: { text } }) => {
    const loaded = input.loaded.map(
      ({ url, name, description = '', body, error }): LoadedSkill => ({
        entry: { type: 'skill-md', name, description, url },
        body: bytes(body),
        ...(error !== undefined && { error: new SkillError('INTERNAL', error) }),
      }),
    );
    expect(instructionsBlock(loaded)).toBe(text);
  });

  it('has the vectors', () => expect(vectors['instructions-block']).toHaveLength(6));

  const entry = { type: 'skill-md', name: 'a', description: '', url: 'u' } as const;
  const one = (body: string | Uint8Array): string =>
    instructionsBlock([{ entry, body: typeof body === 'string' ? bytes(body) : body }]);

  it.each([
    ['frontmatter stays', '---\nname: a\n---\nB', '---\nname: a\n---\nB'],
    ['white space alone still renders', ' \n\t', ''],
    ['every Unicode white space is trimmed', '\u0085\u00a0\u2003\u3000x\u2028', 'x'],
    ['a byte order mark is none', '\ufeffx', '\ufeffx'],
    ['white space inside stays', 'a \r\n b', 'a \r\n b'],
  ])('%s', (_, body, shown) => {
    expect(one(body)).toBe(`${INSTRUCTIONS}### Skill: a\n\n${shown}\n\n`);
  });

  it('shows bytes that are no UTF-8 as replacements', () => {
    expect(one(Uint8Array.of(0x61, 0xff, 0x62))).toBe(`${INSTRUCTIONS}### Skill: a\n\na\ufffdb\n\n`);
  });

  it('trims megabytes of spaces in one pass', () => {
    const spaces = ' '.repeat(4_000_000);
    expect(one(`${spaces}a${spaces}b${spaces}`).length).toBe(
      INSTRUCTIONS.length + '### Skill: a\n\na'.length + 4_000_000 + 'b\n\n'.length,
    );
  });

  it('shows nothing of a skill without body', () => {
    expect(instructionsBlock([{ entry }])).toBe('');
  });
});
