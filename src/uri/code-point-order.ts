/**
 * The order of names in a listing.
 *
 * @module
 */

/**
 * Returns a negative number, zero or a positive number as `a` sorts before, with or after `b` in code-point order. The
 * order of `<` on strings differs: it puts U+1F600 before U+FF5E.
 *
 * @example
 * names.sort(compareCodePoints)
 */
export function compareCodePoints(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above U+FFFF, so they rank above the units from U+E000 on. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
