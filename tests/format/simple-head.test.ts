import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { skillEntry } from '@modelcontextprotocol/server/ext/skills';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JudgeOptions, judgeSkillFile } from '../../src/format/index.ts';
import { readReleased } from '../../src/format/released-reader.ts';
import { readSimpleHead } from '../../src/format/simple-head.ts';
import type { YamlTree } from '../../src/format/yaml-node.ts';
import { readYaml } from '../../src/format/yaml-tree.ts';
import { FEATURE_HEADS } from './feature-heads.ts';
import { judgedBoth, parsedBoth } from './full-reader.ts';
import { nearFile, nearYaml } from './near-heads.ts';
import { bytesOf, skillOf } from './support.ts';

const LIMITS = { maxBytes: 65_536, maxDepth: 32, maxNodes: 10_000, maxAliases: 100 };
const REAL =
  process.env.SKILLWIRE_REAL_HEADS ??
  fileURLToPath(new URL('../../../shared/cases/real-frontmatter.jsonl', import.meta.url));
const RUNS = Number(process.env.SKILLWIRE_PROPERTY_RUNS ?? 6_000);

function simple(yaml: string): YamlTree | undefined {
  return readSimpleHead(yaml, 0, LIMITS);
}

/** Says whether `yaml` is simple; when it is, the two other readers must say the same of it. */
function agrees(yaml: string): boolean {
  const tree = simple(yaml);
  if (tree === undefined) return false;
  expect({ tree }).toEqual(readYaml(yaml, LIMITS));
  expect(readReleased(yaml)).toEqual({ json: tree.json });
  return true;
}

describe('the simple subset', () => {
  it.each([
    ['plain values', 'name: a\ndescription: b c\n', { name: 'a', description: 'b c' }],
    ['several spaces after a colon', 'a:   b\n', { a: 'b' }],
    ['quoted values', 'a: "b: c # d"\ne: \'it\'\'s\'\nf: ""\n', { a: 'b: c # d', e: "it's", f: '' }],
    ['escaped quotes and backslashes', 'a: "\\"b\\" c:\\\\d"\n', { a: '"b" c:\\d' }],
    ['one level of keys', 'm:\n  a: b\n  c: "1.0"\nd: e\n', { m: { a: 'b', c: '1.0' }, d: 'e' }],
    ['four spaces', 'm:\n    a: b\n', { m: { a: 'b' } }],
    [
      'empty lines',
      '\na: b\n\n\nm:\n\n  c: d\n\n  e: f\n\ng: h\n\n',
      { a: 'b', m: { c: 'd', e: 'f' }, g: 'h' },
    ],
    ['folded blocks', 'a: >\n  b\n  c\n\n  d\n\ne: >-\n    f\n    g\n', { a: 'b c\nd\n', e: 'f g' }],
    ['literal blocks', 'a: |\n  b: c\n  # d\n\n  e\nf: |-\n  ---\n', { a: 'b: c\n# d\n\ne\n', f: '---' }],
    ['colons and hashes inside words', 'a: b:c#d\n', { a: 'b:c#d' }],
    [
      'versions and dates',
      'a: 1.0.0\nb: 2024-01-02\nc: 3 steps\n',
      { a: '1.0.0', b: '2024-01-02', c: '3 steps' },
    ],
    ['letters of all kinds', 'a: é — 漢字 😀\nb: 漢\n', { a: 'é — 漢字 😀', b: '漢' }],
    ['keys of every object', 'constructor: a\ntoString: b\n', { constructor: 'a', toString: 'b' }],
  ])('takes %s', (_, yaml, json) => {
    expect(simple(yaml)?.json).toEqual(json);
    expect(agrees(yaml)).toBe(true);
  });

  it.each([
    ['nothing', ''],
    ['empty lines alone', '\n\n'],
    ['a text without a last line end', 'a: b'],
    ['a comment', '# a\nb: c\n'],
    ['a comment after a value', 'a: b # c\n'],
    ['a colon and a space in a value', 'a: b: c\n'],
    ['a colon at the end', 'a: b:\n'],
    ['a blank at the end', 'a: b \n'],
    ['a tab', 'a: b\tc\n'],
    ['a control character', 'a: b\u0001\n'],
    ['a line separator', 'a: b\u2028c\n'],
    ['a byte order mark', '\ufeffa: b\n'],
    ['a value on two lines', 'a: b\n  c\n'],
    ['a value on the next line', 'a:\n  b\n'],
    ['no value', 'a:\nb: c\n'],
    ['no value at the end', 'a:\n'],
    ['a blank for a value', 'a: \n'],
    ['a boolean', 'a: true\n'],
    ['a null', 'a: ~\n'],
    ['a number', 'a: 1.10\n'],
    ['what YAML 1.1 takes for a boolean', 'a: yes\n'],
    ['what YAML 1.1 takes for a number', 'a: 12:30\n'],
    ['a key that is a boolean', 'true: a\n'],
    ['a key that YAML 1.1 takes for a boolean', 'on: a\n'],
    ['a repeated key', 'a: b\na: c\n'],
    ['a repeated key below another', 'm:\n  a: b\n  a: c\n'],
    ['__proto__', '__proto__: a\n'],
    ['a key with a dot', 'a.b: c\n'],
    ['a quoted key', '"a": b\n'],
    ['a space before a colon', 'a : b\n'],
    ['no space after a colon', 'a:b\n'],
    ['a list', 'a:\n  - b\n'],
    ['a list in brackets', 'a: [b]\n'],
    ['a map in braces', 'a: {}\n'],
    ['an anchor', 'a: &b c\n'],
    ['a tag', 'a: !b c\n'],
    ['two levels of keys', 'a:\n  b:\n    c: d\n'],
    ['keys with different indentation', 'a:\n  b: c\n   d: e\n'],
    ['keys that go back halfway', 'a:\n    b: c\n  d: e\n'],
    ['an indented top level', '  a: b\n'],
    ['an escape', 'a: "\\n"\n'],
    ['a quote that stays open', 'a: "b\n'],
    ['text after a quote', 'a: "b" c\n'],
    ['a blank after a quote', 'a: "b" \n'],
    ['a single quote inside', "a: 'b'c'\n"],
    ['a kept block', 'a: |+\n  b\n'],
    ['an empty block', 'a: |\nb: c\n'],
    ['a block that begins with an empty line', 'a: |\n\n  b\n'],
    ['a block with deeper lines', 'a: |\n  b\n    c\n'],
    ['a block with a blank line that is not empty', 'a: |\n  b\n  \n  c\n'],
    ['a block line that ends with a blank', 'a: |\n  b \n'],
    ['a block with a comment in its header', 'a: > # b\n  c\n'],
    ['a block with an indentation', 'a: |2\n  b\n'],
    ['a block below a key of a key', 'm:\n  a: |\n    b\n'],
    ['a fence', 'a: b\n---\n'],
    ['a long key', `${'k'.repeat(65)}: a\n`],
  ])('leaves %s to the full reader', (_, yaml) => {
    expect(simple(yaml)).toBeUndefined();
  });

  it('ends far below the caps on values', () => {
    const lines = (count: number): string =>
      Array.from({ length: count }, (_, index) => `k${index}: v\n`).join('');
    expect(simple(lines(200))?.entries).toHaveLength(200);
    expect(simple(lines(201))).toBeUndefined();
    expect(simple(`a: b\n${'\n'.repeat(200)}`)).toBeUndefined();
    expect(readSimpleHead('a: b\n', 0, { ...LIMITS, maxNodes: 999 })).toBeUndefined();
    expect(readSimpleHead('a: b\n', 0, { ...LIMITS, maxDepth: 7 })).toBeUndefined();
    expect(readSimpleHead('a: b\n', 0, { ...LIMITS, maxDepth: Number.NaN })).toBeUndefined();
  });

  it('gives offsets from the start of the YAML', () => {
    const tree = readSimpleHead('---\n\nm:\n  a: "b"\n', 4, LIMITS);
    expect(tree).toMatchObject({ start: 1, end: 13, entries: [{ keyStart: 1, keyEnd: 2 }] });
    const [inner] = tree?.entries[0]?.value.entries ?? [];
    expect(inner).toMatchObject({ keyStart: 6, keyEnd: 7, value: { start: 9, end: 12, style: 'double' } });
  });
});

describe('simple heads mean the same to every reader', () => {
  it('for generated YAML: the tree with its offsets, and the JSON of released readers', {
    timeout: 120_000,
  }, () => {
    let taken = 0;
    fc.assert(
      fc.property(nearYaml, (yaml) => {
        if (agrees(yaml)) taken++;
      }),
      { numRuns: RUNS },
    );

    expect(taken / RUNS).toBeGreaterThan(0.2);
    expect(taken / RUNS).toBeLessThan(0.8);
  });

  it('for generated files: fields, body and errors', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(nearFile, (text) => {
        const { fast, full } = parsedBoth(bytesOf(text));
        expect(fast).toEqual(full);
        expect(Object.keys(fast as object)).toEqual(Object.keys(full as object));
      }),
      { numRuns: RUNS },
    );
  });

  it('for generated files: outcome and diagnostics, under all options', { timeout: 120_000 }, () => {
    const options = fc.record(
      {
        folderName: fc.constantFrom('a', 'a', 'a', 'skill-a', 'b'),
        nonConforming: fc.constantFrom('unlist', 'list', 'reject'),
        nameMismatch: fc.constantFrom('publish-under-name', 'reject'),
        limits: fc.constantFrom(
          ...[undefined, {}, { maxDepth: 8, maxNodes: 1_000 }, { maxBytes: -1, maxDepth: -1, maxNodes: -1 }],
          ...[{ maxBytes: 40 }, { maxDepth: 1 }, { maxDepth: 2, maxNodes: 8 }, { maxNodes: 3 }],
        ),
      },
      { requiredKeys: [] },
    );
    let quiet = 0;
    fc.assert(
      fc.property(nearFile, options, (text, given) => {
        const { fast, full } = judgedBoth(bytesOf(text), {
          path: 'x/a/SKILL.md',
          ...(given as Partial<JudgeOptions>),
        });
        expect(fast).toEqual(full);
        if ((fast as { diagnostics: unknown[] }).diagnostics.length === 0) quiet++;
      }),
      { numRuns: RUNS },
    );

    expect(quiet / RUNS).toBeGreaterThan(0.03);
  });

  it('for the reader of the official library', { timeout: 120_000 }, async () => {
    let taken = 0;
    await fc.assert(
      fc.asyncProperty(nearYaml, async (yaml) => {
        const text = `---\n${yaml}---\n`;
        const tree = simple(yaml);
        if (tree === undefined || judgeSkillFile(text, { path: 'SKILL.md' }).outcome !== 'listed') return;
        taken++;
        const { frontmatter } = await skillEntry(String(tree.json.name), { 'SKILL.md': text });
        expect(frontmatter).toEqual(tree.json);
      }),
      { numRuns: RUNS },
    );
    expect(taken / RUNS).toBeGreaterThan(0.1);
  });

  const yamls = FEATURE_HEADS.map(({ title, yaml }) => [title, yaml] as const);
  it.each(yamls)('for %s', (_, yaml) => {
    agrees(`${yaml}\n`);
    for (const text of [skillOf(yaml), skillOf('name: a', 'description: b', yaml)]) {
      for (const written of [
        text,
        text.replaceAll('\n', '\r\n'),
        text.replaceAll('\n', '\r'),
        `\ufeff${text}`,
      ]) {
        const parsed = parsedBoth(written);
        expect(parsed.fast).toEqual(parsed.full);
        const judged = judgedBoth(written, { path: 'a/SKILL.md', folderName: 'a' });
        expect(judged.fast).toEqual(judged.full);
      }
    }
  });

  it('for the vectors and the reported bugs', () => {
    const texts: string[] = [];
    const collect = (value: unknown): void => {
      if (typeof value === 'string') texts.push(value);
      else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
    };
    for (const file of ['frontmatter.json', 'bug-frontmatter.json']) {
      collect(JSON.parse(readFileSync(new URL(`../vectors/${file}`, import.meta.url), 'utf8')));
    }
    const files = texts.filter((text) => text.includes('---'));
    expect(files.length).toBeGreaterThan(60);
    for (const text of files) {
      const parsed = parsedBoth(text);
      expect(parsed.fast).toEqual(parsed.full);
      const judged = judgedBoth(text, { path: 'a/SKILL.md', folderName: 'a' });
      expect(judged.fast).toEqual(judged.full);
    }
  });
});

describe.skipIf(!existsSync(REAL))('heads of public skills (SKILLWIRE_REAL_HEADS)', () => {
  const heads = (existsSync(REAL) ? readFileSync(REAL, 'utf8').split('\n') : [])
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly path: string; readonly head: string });

  it('are simple but for a few, and mean the same to every reader', () => {
    let taken = 0;
    for (const { path, head } of heads) {
      if (agrees(head.slice(4, -4))) taken++;
      const options = { path, folderName: path.split('/').at(-2) ?? '' };
      for (const written of [head, head.replaceAll('\n', '\r\n'), `\ufeff${head}`, head.slice(0, -9)]) {
        const parsed = parsedBoth(written);
        expect(parsed.fast).toEqual(parsed.full);
        const judged = judgedBoth(written, options);
        expect(judged.fast).toEqual(judged.full);
      }
    }
    expect([taken, heads.length]).toEqual([528, 538]);
  });
});
