/**
 * Where quotes and brackets of a broken value close.
 *
 * @module
 */

/** Offset of the quote that closes the one at `from`, before `to`; -1 if there is none. */
export function closingQuote(text: string, from: number, to: number, quote: string): number {
  for (let at = from + 1; at < to; at++) {
    const char = text[at];
    if (quote === '"' && char === '\\') at++;
    else if (char === quote) {
      if (quote === "'" && text[at + 1] === "'") at++;
      else return at;
    }
  }
  return -1;
}

/** Offset of the bracket that closes the one at `from`, before `to`; -1 if there is none. */
export function closingBracket(text: string, from: number, to: number): number {
  let depth = 0;
  for (let at = from; at < to; at++) {
    const char = text[at];
    const before = text[at - 1];
    if (
      (char === '"' || char === "'") &&
      (before === '[' || before === '{' || before === ',' || before === ' ')
    ) {
      const close = closingQuote(text, at, to, char);
      if (close === -1) return -1;
      at = close;
    } else if (char === '[' || char === '{') depth++;
    else if ((char === ']' || char === '}') && --depth === 0) return at;
  }
  return -1;
}
