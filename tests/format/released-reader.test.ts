import { skillEntry } from '@modelcontextprotocol/server/ext/skills';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeSkillFile, parseFrontmatter } from '../../src/format/index.ts';
import { readReleased } from '../../src/format/released-reader.ts';
import { FEATURE_HEADS } from './feature-heads.ts';
import { skillOf } from './support.ts';

/** Fields whose values the official server checks. Under another name they pass, so that only the reader is compared. */
const CHECKED = /^([ \t]*["']?)(name|description|compatibility|metadata)(?=["']?[ \t]*(?::|$))/gm;

/** The YAML with valid `name` and `description` before everything and no other field that is checked. */
function disguise(yaml: string): string {
  const lines = yaml.split('\n');
  const first = lines.find((line) => line.trim() !== '' && !line.trim().startsWith('#')) ?? '';
  const indent = /^ */.exec(first)?.[0] ?? '';
  return `${indent}name: x\n${indent}description: d\n${yaml.replace(CHECKED, '$1z$2')}`;
}

/** What the reader of the official SDK makes of a whole `SKILL.md`, by its public interface. */
async function official(text: string): Promise<{ json: unknown } | { error: string }> {
  try {
    const entry = await skillEntry('x', { 'SKILL.md': text });
    return { json: entry.frontmatter };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!message.includes('SKILL.md frontmatter')) throw error;
    return { error: message };
  }
}

function ours(text: string): { json: unknown } | { error: string } {
  try {
    return { json: parseFrontmatter(text).frontmatter };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Both forms of a value: the text shows own `__proto__` keys, and 0 and -0 are one. */
function shown(value: unknown): string {
  return JSON.stringify(value);
}

async function compare(yaml: string): Promise<'both' | 'official' | 'ours' | 'none'> {
  const document = disguise(yaml);
  const text = `---\n${document}${document.endsWith('\n') ? '' : '\n'}---\n`;
  const theirs = await official(text);
  const reading = readReleased(text.slice(4, -4));
  // Our recogniser is theirs: same acceptance, same values.
  expect([text, 'json' in reading && reading.json !== undefined]).toEqual([text, 'json' in theirs]);
  if ('json' in theirs && reading.json !== undefined) expect(shown(reading.json)).toBe(shown(theirs.json));

  const parsed = ours(text);
  const { outcome, diagnostics } = judgeSkillFile(text, { path: 'x/SKILL.md', folderName: 'x' });
  const warned = diagnostics.some(({ code }) => code === 'OUTSIDE_RELEASED_READER');
  if (outcome !== 'refused') {
    const same =
      'json' in theirs && 'json' in parsed && shown(sorted(theirs.json)) === shown(sorted(parsed.json));
    expect([text, warned]).toEqual([text, !same]);
  }
  if ('json' in theirs) return 'json' in parsed ? 'both' : 'official';
  return 'json' in parsed ? 'ours' : 'none';
}

/** Keys in one order: integer-like keys come first in either reader, the others as written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .map(([key, item]) => [key, sorted(item)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

describe('the released reader and YAML', () => {
  it.each(FEATURE_HEADS.map(({ title, yaml, readers }) => [title, yaml, readers] as const))(
    '%s',
    async (_, yaml, readers) => {
      expect(await compare(yaml)).toBe(readers);
    },
  );

  const word = fc.constantFrom(
    'a',
    'use it',
    'x y z',
    '1.10',
    'true',
    'null',
    "it's",
    '2024-01-02',
    'a#b',
    'é',
    'a:b',
    '-x',
    '?x',
  );
  const scalar = fc.oneof(
    word,
    word.map((text) => `"${text}"`),
    word.map((text) => `'${text.replaceAll("'", "''")}'`),
    fc.constantFrom(
      '',
      '~',
      '"\\u00e9\\n\\\\"',
      '[a, b]',
      '{a: b}',
      '[]',
      '{}',
      '[a, [b, {c: d}]]',
      '[\'a: b\', "c"]',
    ),
    fc.constantFrom(
      'a # c',
      '"a" # c',
      '[a] # c',
      'a: b',
      '"a" b',
      '[a] b',
      '[a',
      '*a',
      '&a b',
      '!t a',
      '@a',
      '0o17',
      '0x1F',
      '.5',
      '5.',
      '1e3',
      '-0',
      '.inf',
      '1e999',
    ),
  );
  const blockLines = fc.array(
    fc.constantFrom('', '  x', '  y z', '    deeper', '  # no comment', '   ', '  a: b', '\t', '  \tx', ' '),
    {
      maxLength: 5,
    },
  );
  const block = fc
    .tuple(fc.constantFrom('|', '>', '|-', '>-', '|+', '>+', '|2', '> # c', '|x'), blockLines)
    .map(([header, lines]) => [header, ...lines].join('\n'));
  const plainLines = fc
    .tuple(
      word,
      fc.array(
        fc.constantFrom('', '  more', '    deep', '  # c', '  x # c', '  k: v', '  - i', '\t', 'col0'),
        { maxLength: 4 },
      ),
    )
    .map(([first, lines]) => [first, ...lines].join('\n'));
  const nested = fc
    .array(
      fc.constantFrom(
        '  a: 1',
        '  b:',
        '    c: d',
        '    - e',
        '  - f',
        '  - g: h',
        '    i: j',
        '  -',
        '  - - k',
        '# c',
        '',
        '   l: m',
        ' n: o',
        '\tp: q',
        '  "q r": s',
        "  't': u",
        '  - "v": w',
        '  - x # y',
        '  - |',
        '     z',
        '- top',
        '  ? k',
        '  <<: m',
        '  1: n',
        '  __proto__: o',
      ),
      { maxLength: 7 },
    )
    .map((lines) => ['', ...lines].join('\n'));
  const key = fc.constantFrom(
    'k',
    'long key',
    '"quoted"',
    "'single'",
    'dash-key',
    'k2',
    'kk',
    'x.y',
    '1',
    'true',
    'a b ',
  );
  const entry = fc
    .tuple(key, fc.constantFrom(': ', ':', ':  ', ' : ', ':\t'), fc.oneof(scalar, block, plainLines, nested))
    .map(([name, colon, value]) => `${name}${colon}${value}`);
  const document = fc.array(
    fc.oneof(
      { weight: 6, arbitrary: entry },
      fc.constantFrom('# comment', '', '  ', '...', '%TAG', '- item', '\ufeff'),
    ),
    {
      maxLength: 5,
    },
  );

  it('agree on generated documents wherever both read them', async () => {
    const seen = { both: 0, official: 0, ours: 0, none: 0 };
    await fc.assert(
      fc.asyncProperty(document, async (lines) => {
        seen[await compare(lines.join('\n'))]++;
      }),
      { numRuns: 4_000 },
    );
    expect(seen.both).toBeGreaterThan(300);
    expect(seen.ours).toBeGreaterThan(50);
    expect(seen.none).toBeGreaterThan(300);
  }, 60_000);
});

describe('the fences of the released reader', () => {
  const yaml = 'name: x\ndescription: d\n';
  it.each<[string, string, boolean]>([
    ['plain', `---\n${yaml}---\n`, true],
    ['CRLF', `---\n${yaml}---\n`.replaceAll('\n', '\r\n'), true],
    ['BOM', `\ufeff---\n${yaml}---\n`, true],
    ['BOM and CRLF', `\ufeff---\n${yaml}---\n`.replaceAll('\n', '\r\n'), true],
    ['spaces after the closing fence', `---\n${yaml}--- \t\nbody`, true],
    ['a closing fence at the end of the file', `---\n${yaml}---`, true],
    ['spaces after the opening fence', `--- \n${yaml}---\n`, false],
    ['CR', `---\n${yaml}---\n`.replaceAll('\n', '\r'), false],
    ['one CR', `---\nname: x\rdescription: d\n---\n`, false],
    ['a fence after a line separator', `---\n${yaml}x: a\u2028---\u2028b\n---\n`, false],
    ['a line separator', `---\n${yaml}x: a\u2028b\n---\n`, true],
    ['a body with CR', `---\n${yaml}---\na\rb\r`, true],
  ])('%s', async (_, text, readable) => {
    const theirs = await official(text);
    const parsed = parseFrontmatter(text);
    const { diagnostics } = judgeSkillFile(text, { path: 'x/SKILL.md', folderName: 'x' });
    const same = 'json' in theirs && shown(theirs.json) === shown(parsed.frontmatter);
    expect(same).toBe(readable);
    expect(diagnostics.some(({ code }) => code === 'OUTSIDE_RELEASED_READER')).toBe(!readable);
  });
});

describe('OUTSIDE_RELEASED_READER', () => {
  it.each<[string, RegExp, number]>([
    ['x: "a\n  b"', /does not end on its line/, 4],
    ['x: [a,\n  b]', /does not end on its line/, 4],
    ['x: &a b', /anchor, alias or tag/, 4],
    ['x: &a b\ny: *a', /anchor, alias or tag/, 4],
    ['x: |2\n  a', /block of text is opened by "\|2"/, 4],
    ['m:\n  ? k\n  : v', /begins with "\?"/, 5],
    ['m: {__proto__: v}', /"__proto__"/, 4],
    ['x: [a, b: c]', /"key: value" pair/, 4],
    ['x: {a: , b: c}', /empty/, 4],
  ])('%j says why and where', (yaml, message, line) => {
    const { outcome, diagnostics } = judgeSkillFile(skillOf('name: x', 'description: d', yaml), {
      path: 'x/SKILL.md',
      folderName: 'x',
    });
    const found = diagnostics.find(({ code }) => code === 'OUTSIDE_RELEASED_READER');
    expect(outcome).not.toBe('refused');
    expect(found?.message).toMatch(message);
    expect(found?.range?.start.line).toBe(line);
    expect(found?.hint).toMatch(/.{8}/);
    expect(found?.severity).toBe('warning');
  });
});
