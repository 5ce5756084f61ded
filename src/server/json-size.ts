/**
 * How many bytes a value takes as JSON, without building the JSON where it can be known.
 *
 * @module
 */

const sizes = new WeakMap<object, number>();

/**
 * The UTF-8 bytes of `value` as JSON, remembered per object: entries and resources are immutable and live as long as
 * their snapshot. Infinity when the value has no JSON form, so that no page ever holds it.
 *
 * @example
 * jsonBytes({ a: 'é' }) // 10
 */
export function jsonBytes(value: object): number {
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = measuredBytes(value);
  sizes.set(value, size);
  return size;
}

/**
 * As {@link jsonBytes}, of what is not asked for again.
 *
 * @example
 * measuredBytes({ a: 'é' }) // 10
 */
export function measuredBytes(value: object): number {
  try {
    const text: string | undefined = JSON.stringify(value);
    return text === undefined ? Number.POSITIVE_INFINITY : Buffer.byteLength(text);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Bytes that JSON adds to each byte of UTF-8 text: `\n` for a line feed, `\u0001` for a control character without a short form. */
const EXTRA = new Uint8Array(256);
EXTRA.fill(5, 0, 0x20);
for (const char of '\b\t\n\f\r"\\') EXTRA[char.charCodeAt(0)] = 1;

/**
 * The bytes of a JSON string that holds this UTF-8 text, quotes not counted.
 *
 * @example
 * jsonTextBytes(Buffer.from('a\n"')) // 5
 */
export function jsonTextBytes(text: Uint8Array): number {
  let size = text.length;
  for (let at = 0; at < text.length; at++) size += EXTRA[text[at] as number] as number;
  return size;
}

/**
 * The bytes of base64 text for so many bytes.
 *
 * @example
 * base64Bytes(4) // 8
 */
export function base64Bytes(length: number): number {
  return Math.ceil(length / 3) * 4;
}
