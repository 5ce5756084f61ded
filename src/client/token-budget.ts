/**
 * What fits a budget of tokens.
 *
 * @module
 */
import { SkillError } from '../errors.ts';

/** Counts the tokens of a text as the host's model does. */
export type TokenCounter = (text: string) => number;

/** Parts of a text, of which as many as fit are taken. */
export interface BudgetedText {
  /** The most important first. */
  readonly parts: readonly string[];
  /** How the text reads with these parts (by their place in `parts`) and this many names of what is left out. */
  readonly render: (taken: readonly number[], named: number) => string;
  /** Names of what is left out, at most. */
  readonly mostNames: number;
  /** Infinity for no budget. */
  readonly budget: number;
  readonly count: TokenCounter;
}

/** A text within its budget. */
export interface FittedText {
  /** Empty when not even the words around the parts fit. */
  readonly text: string;
  readonly tokens: number;
  /** Places in `parts`, in order. */
  readonly taken: readonly number[];
}

/**
 * Tokens of a text, estimated: a third of its UTF-8 bytes, rounded up. Today's tokenizers take about four bytes of English
 * and about three of Chinese or Japanese for one, so that this is rather too many.
 *
 * @example
 * estimateTokens('Fills forms') // 4
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

/**
 * The text with as many parts as the budget holds, taken in order, each that does not fit passed over. The whole text is
 * counted at the end, so that the budget holds for any counter. Errors: `USAGE` (the counter gives no number).
 *
 * @example
 * fitBudget({ parts, render, mostNames: 50, budget: 8_000, count: estimateTokens }).text
 */
export function fitBudget(options: BudgetedText): FittedText {
  const { parts, render, budget, mostNames } = options;
  const count = checked(options.count);
  const all = parts.map((_, at) => at);
  const whole = render(all, 0);
  const wholeTokens = count(whole);
  if (wholeTokens <= budget) return { text: whole, tokens: wholeTokens, taken: all };

  const bare = count(render([], 0));
  if (bare > budget) return { text: '', tokens: 0, taken: [] };
  let taken: number[] = [];
  const costs = parts.map((part) => count(`${part}\n`));
  let sum = bare;
  for (const at of all) {
    const cost = costs[at] ?? 0;
    if (sum + cost > budget) continue;
    sum += cost;
    taken.push(at);
  }
  let [text, tokens] = measure(taken, 0);
  if (tokens > budget) {
    // Parts can cost more together than alone, so fewer are tried; only what was measured to fit is taken.
    let [fits, tooMany] = [0, taken.length];
    [text, tokens] = measure([], 0);
    while (tooMany - fits > 1) {
      const middle = (fits + tooMany) >>> 1;
      const [shorter, cost] = measure(taken.slice(0, middle), 0);
      if (cost > budget) tooMany = middle;
      else [fits, text, tokens] = [middle, shorter, cost];
    }
    taken = taken.slice(0, fits);
  }
  for (
    let named = Math.min(mostNames, parts.length - taken.length);
    named > 0;
    named = Math.floor(named / 2)
  ) {
    const [longer, more] = measure(taken, named);
    if (more <= budget) return { text: longer, tokens: more, taken };
  }
  return { text, tokens, taken };

  function measure(some: readonly number[], named: number): [string, number] {
    const made = render(some, named);
    return [made, count(made)];
  }
}

function checked(count: TokenCounter): TokenCounter {
  return (text) => {
    const tokens = count(text);
    if (Number.isFinite(tokens) && tokens >= 0) return tokens;
    throw new SkillError(
      'USAGE',
      `countTokens gave ${String(tokens)} for a text; it gives the number of its tokens, 0 or more`,
    );
  };
}
