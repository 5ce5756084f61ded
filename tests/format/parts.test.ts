import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { foldScalar, quoteScalar, sameJson } from '../../src/format/index.ts';
import { createPositions } from '../../src/format/positions.ts';
import { suggest } from '../../src/format/suggest.ts';

describe('createPositions', () => {
  it.each([
    [0, 1, 1],
    [1, 1, 2],
    [2, 2, 1],
    [4, 2, 3],
    [5, 3, 1],
    [6, 4, 1],
    [99, 4, 1],
    [-1, 1, 1],
  ])('offset %i is line %i, column %i', (offset, line, column) => {
    expect(createPositions('a\nbc\n\n').at(offset)).toEqual({ line, column });
  });

  it('agrees with counting', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', '😀') }), fc.nat(30), (text, offset) => {
        const before = text.slice(0, offset);
        expect(createPositions(text).at(offset)).toEqual({
          line: before.split('\n').length,
          column: before.length - (before.lastIndexOf('\n') + 1) + 1,
        });
      }),
    );
  });
});

describe('quoteScalar and foldScalar', () => {
  it.each([
    ['a: b', "'a: b'"],
    ['', "''"],
    ["it's", '"it\'s"'],
    ['"a" \\', '\'"a" \\\''],
    ['a\n"b"', '"a\\n\\"b\\""'],
    ['\u0000\u2028\ufeff', '"\\u0000\\u2028\\ufeff"'],
  ])('%j', (text, quoted) => {
    expect(quoteScalar(text)).toBe(quoted);
  });

  it('read back as they were', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const quoted = quoteScalar(text);
        expect(quoted).not.toContain('\n');
        expect(parse(`k: ${quoted}\n`)).toEqual({ k: text });
      }),
    );
  });

  it('folds paragraphs', () => {
    const paragraph = fc.stringMatching(/^[a-z]{1,5}( [a-z:#'"-]{1,5}){0,5}$/);
    fc.assert(
      fc.property(
        fc.array(paragraph, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('\n', '\n\n'),
        (parts, between) => {
          const text = parts.join(between);
          expect(parse(`k: ${foldScalar(text, 0)}\nl: x\n`)).toEqual({ k: text, l: 'x' });
          expect(parse(`m:\n  k: ${foldScalar(text, 2)}\n`)).toEqual({ m: { k: text } });
        },
      ),
    );
  });
});

describe('suggest', () => {
  const known = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];
  it.each([
    ['Name', 'name'],
    ['nmae', 'name'],
    ['desc', undefined],
    ['descripton', 'description'],
    ['DESCRIPTION', 'description'],
    ['allowed_tools', 'allowed-tools'],
    ['allowedTools', 'allowed-tools'],
    ['allowed tools', 'allowed-tools'],
    ['meta', undefined],
    ['version', undefined],
    ['author', undefined],
    ['licence', 'license'],
    ['', undefined],
    ['x'.repeat(1_000), undefined],
  ])('%s', (word, meant) => {
    expect(suggest(word, known)).toBe(meant);
  });
});

describe('sameJson', () => {
  it.each([
    [1, 1, true],
    [0, -0, true],
    [1, '1', false],
    [null, {}, false],
    [[], {}, false],
    [{}, [], false],
    [[1, [2]], [1, [2]], true],
    [[1], [1, 2], false],
    [[null], [], false],
    [{ a: 1, b: { c: null } }, { b: { c: null }, a: 1 }, true],
    [{ a: null }, { b: null }, false],
    [{ a: 1 }, { a: 1, b: 1 }, false],
    [JSON.parse('{"__proto__":1}'), {}, false],
    [JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}'), true],
    [{ toString: 1 }, { a: 1 }, false],
  ])('%j and %j: %s', (left, right, same) => {
    expect(sameJson(left, right)).toBe(same);
  });

  it('agrees with equality of JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (left, right) => {
        const copy = JSON.parse(JSON.stringify(left)) as typeof left;
        expect(sameJson(copy as never, left as never)).toBe(true);
        expect(sameJson(left as never, right as never)).toBe(sameJson(right as never, left as never));
      }),
    );
  });
});
