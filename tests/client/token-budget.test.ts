import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens, fitBudget } from '../../src/client/token-budget.ts';

describe('estimateTokens', () => {
  it.each([
    ['', 0],
    ['a', 1],
    ['abc', 1],
    ['abcd', 2],
    ['Fills forms', 4],
    ['ö', 1],
    ['漢字', 2],
    ['😀', 2],
  ])('of %j is %i', (text, tokens) => {
    expect(estimateTokens(text)).toBe(tokens);
  });
});

describe('fitBudget', () => {
  const parts = ['aaaa', 'bbbbbbbbbb', 'cc', 'dd'];
  const render = (taken: readonly number[], named: number): string =>
    `[${taken.map((at) => parts[at]).join('')}${'!'.repeat(named)}]`;
  const count = (text: string): number => text.length;
  const fitted = (budget: number, mostNames = 0): unknown => {
    const { text, tokens, taken } = fitBudget({ parts, render, mostNames, budget, count });
    return [text, tokens, [...taken]];
  };

  it.each([
    [Number.POSITIVE_INFINITY, ['[aaaabbbbbbbbbbccdd]', 20, [0, 1, 2, 3]]],
    [20, ['[aaaabbbbbbbbbbccdd]', 20, [0, 1, 2, 3]]],
    [19, ['[aaaabbbbbbbbbb]', 16, [0, 1]]],
    [13, ['[aaaaccdd]', 10, [0, 2, 3]]],
    [12, ['[aaaacc]', 8, [0, 2]]],
    [7, ['[aaaa]', 6, [0]]],
    [6, ['[cc]', 4, [2]]],
    [4, ['[]', 2, []]],
    [2, ['[]', 2, []]],
    [1, ['', 0, []]],
    [0, ['', 0, []]],
  ])('of %d takes what fits, in order, and passes over what does not', (budget, expected) => {
    expect(fitted(budget)).toEqual(expected);
  });

  it('uses what is left for names', () => {
    expect(fitted(13, 10)).toEqual(['[aaaaccdd!]', 11, [0, 2, 3]]);
    expect(fitted(19, 10)).toEqual(['[aaaabbbbbbbbbb!!]', 18, [0, 1]]);
    expect(fitted(10, 10)).toEqual(['[aaaacc!!]', 10, [0, 2]]);
  });

  it('never exceeds the budget, whatever the counter says of parts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ maxLength: 20 }), { maxLength: 20 }),
        fc.integer({ min: 0, max: 200 }),
        fc.constantFrom<(text: string) => number>(
          (text) => text.length,
          (text) => text.length ** 2 / 50,
          (text) => Math.sqrt(text.length) * 5,
          (text) => (text.length * 7_919) % 101,
        ),
        (some, budget, counter) => {
          const { text, tokens, taken } = fitBudget({
            parts: some,
            render: (places, named) => `<${places.map((at) => some[at]).join('|')}${'+'.repeat(named)}>`,
            mostNames: 5,
            budget,
            count: counter,
          });
          expect(tokens).toBeLessThanOrEqual(budget);
          expect(tokens).toBe(text === '' ? 0 : counter(text));
          expect([...taken]).toEqual([...taken].sort((a, b) => a - b));
        },
      ),
      { numRuns: 300 },
    );
  });
});
