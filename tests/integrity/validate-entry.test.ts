import { SkillSchema } from '@modelcontextprotocol/core/ext/skills';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSkillError, SkillError } from '../../src/errors.ts';
import { validateEntry } from '../../src/integrity/index.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const file = (uri: string, more: object = {}) => ({ uri, digest: DIGEST, size: 10, ...more });
const SELF = file('skill://demo/SKILL.md');

function entry(more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    uri: 'skill://demo/SKILL.md',
    frontmatter: { name: 'demo', description: 'd' },
    resources: [SELF],
    ...more,
  };
}

function faultAt(value: unknown): unknown {
  try {
    validateEntry(value);
  } catch (error) {
    if (error instanceof SkillError && error.code === 'INVALID_ENTRY') return error.details.at;
    throw error;
  }
  return undefined;
}

describe('accepts', () => {
  test.each([
    ['the smallest entry', entry()],
    ['a dynamic one', entry({ resources: 'dynamic' })],
    ['fields it does not know', entry({ _meta: { a: 1 }, later: true })],
    ['supporting files', entry({ resources: [SELF, file('skill://demo/references/how%20to.md')] })],
    ['an empty file', entry({ resources: [SELF, file('skill://demo/a', { size: 0 })] })],
    ['files of nested skills', entry({ resources: [SELF, file('skill://demo/inner/SKILL.md')] })],
    [
      'a SKILL.md in an oddly named folder',
      entry({ resources: [SELF, file('skill://demo/My_Notes/SKILL.md')] }),
    ],
    ['another spelling of itself', entry({ resources: [file('SKILL:///demo/%53KILL.md')] })],
    [
      'NFC and NFD twins',
      entry({ resources: [SELF, file('skill://demo/%C3%A9'), file('skill://demo/e%CC%81')] }),
    ],
    [
      'another scheme',
      entry({ uri: 'github://o/r/demo/SKILL.md', resources: [file('github://o/r/demo/SKILL.md')] }),
    ],
    [
      'a scheme without authority',
      entry({ uri: 'file:///srv/demo/SKILL.md', resources: [file('file:///srv/demo/SKILL.md')] }),
    ],
    [
      'more files than a host must accept',
      entry({ resources: [SELF, ...Array.from({ length: 600 }, (_, i) => file(`skill://demo/${i}`))] }),
    ],
  ])('%s, and gives back the same value', (_, value) => {
    expect(validateEntry(value)).toBe(value);
    expect(SkillSchema.safeParse(value).success).toBe(true);
  });
});

describe('refuses', () => {
  test.each([
    ['null', null, 'the top'],
    ['a list', [], 'the top'],
    ['a string', 'x', 'the top'],
    ['no uri', entry({ uri: undefined }), 'uri'],
    ['a uri that is a number', entry({ uri: 7 }), 'uri'],
    ['no URI at all', entry({ uri: 'demo/SKILL.md' }), 'uri'],
    ['traversal', entry({ uri: 'skill://demo/../demo/SKILL.md' }), 'uri'],
    ['a query', entry({ uri: 'skill://demo/SKILL.md?x' }), 'uri'],
    ['another file', entry({ uri: 'skill://demo/README.md' }), 'uri'],
    ['another letter case', entry({ uri: 'skill://demo/skill.md' }), 'uri'],
    ['a trailing slash', entry({ uri: 'skill://demo/SKILL.md/' }), 'uri'],
    ['no skill', entry({ uri: 'skill://SKILL.md' }), 'uri'],
    ['a folder that is no skill name', entry({ uri: 'skill://Demo/SKILL.md' }), 'uri'],
    ['a deep folder that is no skill name', entry({ uri: 'skill://a/b/Demo/SKILL.md' }), 'uri'],
    ['no frontmatter', entry({ frontmatter: undefined }), 'frontmatter'],
    ['frontmatter that is a list', entry({ frontmatter: [] }), 'frontmatter'],
    ['no name', entry({ frontmatter: { description: 'd' } }), 'frontmatter.name'],
    ['a name that is a number', entry({ frontmatter: { name: 7, description: 'd' } }), 'frontmatter.name'],
    ['another name', entry({ frontmatter: { name: 'other', description: 'd' } }), 'frontmatter.name'],
    ['no description', entry({ frontmatter: { name: 'demo' } }), 'frontmatter.description'],
    [
      'an empty description',
      entry({ frontmatter: { name: 'demo', description: '' } }),
      'frontmatter.description',
    ],
    [
      'an inherited name',
      entry({ frontmatter: Object.create({ name: 'demo', description: 'd' }) }),
      'frontmatter.name',
    ],
    [
      'a __proto__ field',
      entry({ frontmatter: JSON.parse('{"name":"demo","description":"d","__proto__":{}}') }),
      'frontmatter.__proto__',
    ],
    ['a date', entry({ frontmatter: { name: 'demo', description: 'd', at: () => 1 } }), 'frontmatter["at"]'],
    ['NaN', entry({ frontmatter: { name: 'demo', description: 'd', n: [Number.NaN] } }), 'frontmatter["n"]'],
    ['no resources', entry({ resources: undefined }), 'resources'],
    ['resources null', entry({ resources: null }), 'resources'],
    ['resources in other letters', entry({ resources: 'DYNAMIC' }), 'resources'],
    ['resources as an object', entry({ resources: {} }), 'resources'],
    ['no files', entry({ resources: [] }), 'resources'],
    ['SKILL.md missing', entry({ resources: [file('skill://demo/a')] }), 'resources'],
    [
      'only the SKILL.md of a nested skill',
      entry({ resources: [file('skill://demo/inner/SKILL.md')] }),
      'resources',
    ],
    ['null as a file', entry({ resources: [SELF, null] }), 'resources[1]'],
    ['a hole', entry({ resources: Object.assign(new Array(2), { 0: SELF }) }), 'resources[1]'],
    ['a file without uri', entry({ resources: [SELF, { digest: DIGEST, size: 1 }] }), 'resources[1].uri'],
    ['a bad URI', entry({ resources: [SELF, file('skill://demo/%2e%2e/x')] }), 'resources[1].uri'],
    ['a sibling', entry({ resources: [SELF, file('skill://demo2/x')] }), 'resources[1].uri'],
    [
      'a sibling by an encoded slash',
      entry({ resources: [SELF, file('skill://demo%2Fx')] }),
      'resources[1].uri',
    ],
    ['the folder itself', entry({ resources: [SELF, file('skill://demo')] }), 'resources[1].uri'],
    ['the folder with a slash', entry({ resources: [SELF, file('skill://demo/')] }), 'resources[1].uri'],
    ['a folder', entry({ resources: [SELF, file('skill://demo/a/')] }), 'resources[1].uri'],
    ['a file of another scheme', entry({ resources: [SELF, file('https://demo/x')] }), 'resources[1].uri'],
    ['a file twice', entry({ resources: [SELF, SELF] }), 'resources[1].uri'],
    [
      'a file twice in two spellings',
      entry({ resources: [SELF, file('skill://demo/a:b'), file('skill://demo/a%3ab')] }),
      'resources[2].uri',
    ],
    ['no digest', entry({ resources: [{ uri: SELF.uri, size: 1 }] }), 'resources[0].digest'],
    [
      'an upper-case digest',
      entry({ resources: [file(SELF.uri, { digest: `sha256:${'A'.repeat(64)}` })] }),
      'resources[0].digest',
    ],
    [
      'a short digest',
      entry({ resources: [file(SELF.uri, { digest: 'sha256:00' })] }),
      'resources[0].digest',
    ],
    ['no size', entry({ resources: [file(SELF.uri, { size: undefined })] }), 'resources[0].size'],
    ['a size below 0', entry({ resources: [file(SELF.uri, { size: -1 })] }), 'resources[0].size'],
    ['half a byte', entry({ resources: [file(SELF.uri, { size: 1.5 })] }), 'resources[0].size'],
    ['a size as text', entry({ resources: [file(SELF.uri, { size: '1' })] }), 'resources[0].size'],
    ['a size beyond 2^53', entry({ resources: [file(SELF.uri, { size: 2 ** 53 })] }), 'resources[0].size'],
  ])('%s', (_, value, at) => {
    expect(faultAt(value)).toBe(at);
  });

  test('nesting and numbers of values that no SKILL.md can have, circles among them', () => {
    const circle: Record<string, unknown> = {};
    circle.a = circle;
    circle.b = circle;
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    for (const odd of [circle, deep, new Array(10_001).fill(0)]) {
      expect(faultAt(entry({ frontmatter: { name: 'demo', description: 'd', odd } }))).toBe('frontmatter');
    }
  });

  test('with a message on one line that names entry, place and reason', () => {
    const value = entry({ uri: 'skill://de\nmo/SKILL.md' });
    expect(() => validateEntry(value)).toThrow(
      'the entry of "skill://de\\u000amo/SKILL.md" is refused at uri: "skill://de\\u000amo/SKILL.md" is not a skill URI: it holds a control character',
    );
  });
});

test('throws nothing but SkillError, and what it accepts the official schema accepts', () => {
  const uri = fc.constantFrom('skill://demo/SKILL.md', 'skill://demo/a', 'skill://x/a', 'skill://demo/%', 7);
  const resource = fc.record(
    { uri, digest: fc.constantFrom(DIGEST, 'x'), size: fc.oneof(fc.nat(), fc.anything()) },
    { requiredKeys: [] },
  );
  const shaped = fc.record(
    {
      uri: fc.oneof({ weight: 4, arbitrary: uri }, { weight: 1, arbitrary: fc.anything() }),
      frontmatter: fc.oneof(
        {
          weight: 4,
          arbitrary: fc
            .dictionary(fc.string(), fc.jsonValue())
            .map((more) => ({ ...more, name: 'demo', description: 'd' })),
        },
        { weight: 1, arbitrary: fc.anything() },
      ),
      resources: fc.oneof(
        fc.array(fc.oneof(resource, fc.constant(SELF))),
        fc.constant('dynamic'),
        fc.anything(),
      ),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), shaped), (value) => {
      try {
        validateEntry(value);
      } catch (error) {
        expect(isSkillError(error, 'INVALID_ENTRY')).toBe(true);
        return;
      }
      expect(SkillSchema.safeParse(value).success).toBe(true);
    }),
    { numRuns: 3000 },
  );
});
