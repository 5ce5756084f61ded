/**
 * "Did you mean …?"
 *
 * @module
 */

/**
 * The known word that `word` is most likely meant to be: the same letters in another case or with other separators, or
 * at most two edits away (one for short words). Undefined when none is near.
 *
 * @example
 * suggest('allowed_tools', ['allowed-tools']) // 'allowed-tools'
 */
export function suggest(word: string, known: readonly string[]): string | undefined {
  if (word.length > 40) return undefined;
  const plain = fold(word);
  let best: string | undefined;
  let bestDistance = plain.length <= 5 ? 2 : 3;
  for (const candidate of known) {
    const distance = edits(plain, fold(candidate));
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

function fold(word: string): string {
  return word.toLowerCase().replace(/[\s_.-]/g, '');
}

/** Insertions, deletions, replacements and swaps of neighbours that lead from one word to the other. */
function edits(from: string, to: string): number {
  let before: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const next = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (next[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, (before[column - 2] ?? 0) + 1);
      }
      next.push(cost);
    }
    before = last;
    last = next;
  }
  return last[to.length] ?? 0;
}
