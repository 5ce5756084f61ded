import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validateSkillName } from '../../src/format/index.ts';
import { slug } from '../../src/format/name.ts';
import { thrownBy } from './support.ts';

interface Vector {
  readonly input: { readonly name: string };
  readonly expect: { readonly valid?: boolean; readonly error?: string };
}

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/skill-name.json', import.meta.url), 'utf8'),
) as Vector[];
const CODES: Readonly<Record<string, string>> = {
  ErrEmptySkillName: 'EMPTY_SKILL_NAME',
  ErrInvalidSkillName: 'INVALID_SKILL_NAME',
};
/** The peer has no limit of length; the specification has one. */
const TOO_LONG = 'a'.repeat(65);

describe('recorded cases', () => {
  it('are all there', () => {
    expect(vectors).toHaveLength(27);
    expect(vectors.filter(({ input }) => input.name === TOO_LONG)).toHaveLength(1);
  });

  it.each(vectors.map(({ input, expect: expected }) => [input.name, expected] as const))(
    '%j',
    (name, expected) => {
      const code = name === TOO_LONG ? 'INVALID_SKILL_NAME' : CODES[expected.error ?? ''];
      if (code === undefined) expect(validateSkillName(name)).toBeUndefined();
      else expect(thrownBy(() => validateSkillName(name)).code).toBe(code);
    },
  );
});

describe('messages', () => {
  it.each([
    ['', 'the skill name is empty', undefined],
    ['Git', 'the skill name "Git" has an upper-case letter', 'git'],
    ['a_b', 'the skill name "a_b" has an underscore', 'a-b'],
    ['a b', 'the skill name "a b" has a space', 'a-b'],
    ['a ', 'the skill name "a " begins or ends with a space', 'a'],
    ['-a', 'the skill name "-a" begins with a hyphen', 'a'],
    ['a-', 'the skill name "a-" ends with a hyphen', 'a'],
    ['a--b', 'the skill name "a--b" has two hyphens in a row', 'a-b'],
    ['a/b', 'the skill name "a/b" has a slash, so it would be split in a URI', 'a-b'],
    ['a\\b', 'the skill name "a\\\\b" has a slash, so it would be split in a URI', 'a-b'],
    ['é', 'the skill name "é" has "é" (U+00E9), which is not ASCII', 'e'],
    ['а', 'the skill name "а" has "а" (U+0430), which is not ASCII', undefined],
    ['😀', 'the skill name "😀" has "😀" (U+1F600), which is not ASCII', undefined],
    ['a.b', 'the skill name "a.b" has ".", which is no letter, digit or hyphen', 'a-b'],
    ['a\n', 'the skill name "a\\n" has a line end or another control character', 'a'],
  ])('%j', (name, message, suggestion) => {
    const error = thrownBy(() => validateSkillName(name));
    expect(error.message).toBe(message);
    if (suggestion !== undefined) expect(error.details.hint).toContain(`"${suggestion}"`);
    else expect(error.details.hint).toMatch(/^(?:use|write) /);
  });

  it('names the limit and the length', () => {
    expect(thrownBy(() => validateSkillName('a'.repeat(65))).message).toMatch(
      /is 65 characters long; the limit is 64$/,
    );
    expect(validateSkillName('a'.repeat(64))).toBeUndefined();
  });

  it('does not repeat a huge name', () => {
    expect(thrownBy(() => validateSkillName('A'.repeat(100_000))).message.length).toBeLessThan(200);
  });
});

describe('properties', () => {
  it('a suggestion is a valid name or nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        const suggestion = slug(text);
        if (suggestion !== '') expect(validateSkillName(suggestion)).toBeUndefined();
      }),
    );
  });

  it('accepts exactly the names of the rule', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'z', '0', '9', '-', 'A', '_', '.'), maxLength: 70 });
    fc.assert(
      fc.property(name, (text) => {
        const parts = text.split('-');
        const valid = text.length <= 64 && parts.every((part) => part !== '' && /^[a-z0-9]*$/.test(part));
        let accepted = true;
        try {
          validateSkillName(text);
        } catch {
          accepted = false;
        }
        expect(accepted).toBe(valid);
      }),
    );
  });
});
