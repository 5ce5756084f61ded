/**
 * Objects that came as JSON from a stranger.
 *
 * @module
 */

/** An object of which nothing is known. */
export type JsonRecord = Readonly<Record<string, unknown>>;

/** Whether `value` is an object, and no list. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** About how many bytes `value` takes in memory; Infinity as soon as that is more than `limit`. Nesting costs no stack. */
export function weightOf(value: unknown, limit: number): number {
  let weight = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    weight += 16;
    if (typeof next === 'string') weight += next.length;
    else if (Array.isArray(next)) for (const item of next) open.push(item);
    else if (typeof next === 'object' && next !== null) {
      for (const [key, item] of Object.entries(next)) {
        weight += key.length;
        open.push(item);
      }
    }
    if (weight > limit) return Number.POSITIVE_INFINITY;
  }
  return weight;
}
