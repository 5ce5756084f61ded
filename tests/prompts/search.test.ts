import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decodeOffset,
  encodeOffset,
  openPrompts,
  type PromptIndex,
  type PromptSnapshot,
  promptIndex,
  readPromptResource,
  searchPrompts,
  uriTemplate,
} from '../../src/prompts/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { codeOf } from '../uri/code-of.ts';

interface Written {
  readonly title?: string;
  readonly description: string;
  readonly tags: readonly string[];
}

async function snapshotOf(written: Readonly<Record<string, Written>>): Promise<PromptSnapshot> {
  const files = Object.entries(written).map(([id, head]) => [
    `${id}.md`,
    `---\n${JSON.stringify(head)}\n---\nx\n`,
  ]);
  const { snapshot } = await openPrompts(memorySource(Object.fromEntries(files) as Record<string, string>));
  expect(snapshot.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return snapshot;
}

const ids = (snapshot: PromptSnapshot, q?: string, tag?: string): readonly string[] =>
  searchPrompts(snapshot, { ...(q !== undefined && { q }), ...(tag !== undefined && { tag }) }).map(
    ({ id }) => id,
  );

describe('search', async () => {
  const snapshot = await snapshotOf({
    alpha: { title: 'Straße', description: 'First of all', tags: ['Greek', 'x y'] },
    beta: { description: 'ΟΔΟΣ und ſonſt', tags: ['greek'] },
    gamma: { description: 'ends with one', tags: ['two', '\u{1f600}'] },
  });

  test.each<[string, readonly string[]]>([
    ['', ['alpha', 'beta', 'gamma']],
    ['   ', ['alpha', 'beta', 'gamma']],
    ['ALPHA', ['alpha']],
    ['  first  ', ['alpha']],
    ['of all', ['alpha']],
    ['strasse', ['alpha']],
    ['STRASSE', ['alpha']],
    ['STRAßE', ['alpha']],
    ['greek', ['alpha', 'beta']],
    ['οδος', ['beta']],
    ['οδοσ', ['beta']],
    ['δοσ u', ['beta']],
    ['sonst', ['beta']],
    ['\u{1f600}', ['gamma']],
    ['x y', ['alpha']],
    // fields do not run into each other
    ['onetwo', []],
    ['one two', []],
    ['one\ntwo', []],
    ['one\u0000two', []],
    ['a.pha', []],
    ['.*', []],
  ])('%j', (q, wanted) => {
    expect(ids(snapshot, q)).toEqual(wanted);
  });

  test.each<[string, readonly string[]]>([
    ['', ['alpha', 'beta', 'gamma']],
    ['greek', ['beta']],
    ['Greek', ['alpha']],
    [' greek', []],
    ['gree', []],
    ['x y', ['alpha']],
    ['constructor', []],
  ])('the tag %j, letter by letter', (tag, wanted) => {
    expect(ids(snapshot, undefined, tag)).toEqual(wanted);
  });

  test('both must match', () => {
    expect(ids(snapshot, 'first', 'Greek')).toEqual(['alpha']);
    expect(ids(snapshot, 'first', 'greek')).toEqual([]);
  });

  test('finds a control character that an author wrote', async () => {
    const odd = await snapshotOf({ odd: { description: 'a\u0000b', tags: ['c'] } });
    expect(ids(odd, 'A\u0000B')).toEqual(['odd']);
    expect(ids(odd, 'b\u0000c')).toEqual([]);
  });
});

const word = fc.stringMatching(/^[a-cA-C ]{1,6}$/).filter((text) => text.trim() !== '');
const written: fc.Arbitrary<Written> = fc.record(
  { title: word, description: word, tags: fc.array(word, { maxLength: 3 }) },
  { requiredKeys: ['description', 'tags'] },
);
const corpus = fc.dictionary(fc.stringMatching(/^[a-c]{1,4}$/), written, { minKeys: 1, maxKeys: 30 });

test('search is the plain filter', async () => {
  await fc.assert(
    fc.asyncProperty(
      corpus,
      fc.stringMatching(/^[a-cA-C ]{0,3}$/),
      fc.option(word),
      async (prompts, q, tag) => {
        const snapshot = await snapshotOf(prompts);
        const wanted = q.trim().toLowerCase();
        const naive = Object.entries(prompts)
          .filter(
            ([id, { title = '', description, tags }]) =>
              [id, title, description, ...tags].some((field) => field.toLowerCase().includes(wanted)) &&
              (tag === null || tags.includes(tag)),
          )
          .map(([id]) => id)
          .sort();
        expect(ids(snapshot, q, tag ?? undefined)).toEqual(naive);
      },
    ),
    { numRuns: 150 },
  );
});

test('a walk by cursors sees every match once, in order', async () => {
  const template = uriTemplate('resource://catalog/prompts_index{?q,tag,cursor,limit}');
  await fc.assert(
    fc.asyncProperty(
      corpus,
      fc.constantFrom('', 'a', 'b'),
      fc.integer({ min: 1, max: 7 }),
      async (prompts, q, limit) => {
        const snapshot = await snapshotOf(prompts);
        const matches = ids(snapshot, q);
        const seen: string[] = [];
        let cursor: string | undefined;
        do {
          const uri = template.expand({ q, limit, ...(cursor !== undefined && { cursor }) });
          const page = JSON.parse(readPromptResource(snapshot, uri).text) as PromptIndex;
          expect(page.total).toBe(matches.length);
          expect(page.items.length).toBeLessThanOrEqual(limit);
          seen.push(...page.items.map(({ id }) => id));
          cursor = page.nextCursor;
        } while (cursor !== undefined);
        expect(seen).toEqual(matches);
      },
    ),
    { numRuns: 100 },
  );
});

describe('pages', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 45 }, (_, at) => [`p${at}`, { description: `n ${at}`, tags: [] }]),
  );
  const snapshot = await snapshotOf(many);

  test('have 20 prompts, and 100 at the most', () => {
    expect(promptIndex(snapshot).items).toHaveLength(20);
    expect(promptIndex(snapshot).nextCursor).toBe('eyJvIjogMjB9');
    expect(promptIndex(snapshot, { limit: '100' })).toMatchObject({ total: 45 });
    expect(promptIndex(snapshot, { limit: '100' })).not.toHaveProperty('nextCursor');
    expect(promptIndex(snapshot, { limit: '45' })).not.toHaveProperty('nextCursor');
    expect(promptIndex(snapshot, { limit: '44' }).nextCursor).toBe('eyJvIjogNDR9');
  });

  test('end with an empty one at the very end', () => {
    expect(promptIndex(snapshot, { cursor: encodeOffset(45) })).toEqual({ items: [], total: 45 });
    expect(codeOf(() => promptIndex(snapshot, { cursor: encodeOffset(46) }))).toBe('INVALID_CURSOR');
    expect(codeOf(() => promptIndex(snapshot, { q: 'n 44', cursor: encodeOffset(2) }))).toBe(
      'INVALID_CURSOR',
    );
  });

  test.each([
    '0',
    '101',
    '-1',
    '+5',
    ' 5',
    '5 ',
    '05',
    '1e1',
    '5.0',
    '0x5',
    '٣',
    '',
    'abc',
    '99999999999999999999',
  ])('refuse the limit %j', (limit) => {
    expect(codeOf(() => promptIndex(snapshot, { limit }))).toBe('INVALID_REQUEST');
  });

  test.each(['1', '9', '10', '99', '100'])('take the limit %s', (limit) => {
    expect(promptIndex(snapshot, { limit }).items).toHaveLength(Math.min(45, Number(limit)));
  });
});

describe('cursors', () => {
  const b64 = (text: string): string => Buffer.from(text).toString('base64url');

  test.each([
    ['eyJvIjogMn0=', 2],
    ['eyJvIjogMn0', 2],
    [b64('{"o":2}'), 2],
    [b64('{"o": 0}'), 0],
  ])('%s is %i', (cursor, offset) => {
    expect(decodeOffset(cursor, 10)).toBe(offset);
  });

  test.each([
    '',
    '=',
    '!!!',
    'eyJvIjogOTl9x',
    'eyJvIjogMn0===',
    'eyJvIjogMn1=',
    b64('{"o": -1}'),
    b64('{"o": 1.5}'),
    b64('{"o": 11}'),
    b64('{"o": 1e400}'),
    b64('{"o": "2"}'),
    b64('{"o": null}'),
    b64('{"o": 2, "x": 1}'),
    b64('{"p": 2}'),
    b64('[2]'),
    b64('2'),
    b64('null'),
    b64('{"__proto__": {"o": 2}}'),
    b64('\ufeff{"o": 2}'),
    b64(`{"o": ${' '.repeat(100)}2}`),
    Buffer.from('{"o": 2}').toString('base64').concat(' '),
  ])('%j is none', (cursor) => {
    expect(codeOf(() => decodeOffset(cursor, 10))).toBe('INVALID_CURSOR');
  });

  test('come back', () => {
    fc.assert(
      fc.property(fc.nat(), (offset) => {
        expect(decodeOffset(encodeOffset(offset), offset)).toBe(offset);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(['INVALID_CURSOR', undefined]).toContain(codeOf(() => decodeOffset(text, 10)));
      }),
    );
  });
});
