/**
 * Whether a client takes an answer compressed.
 *
 * @module
 */

const LISTED = /^([!#$%&'*+\-.^_`|~\dA-Za-z]+)[ \t]*(?:;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i;

let usual: string | undefined;
let takesUsual = false;

/**
 * Whether gzip may be sent to a client with this `Accept-Encoding`, and is wanted no less than plain bytes (RFC 9110,
 * section 12.5.3). A header that is not written as it should be asks for nothing.
 *
 * @example
 * takesGzip('gzip, deflate') // true
 */
export function takesGzip(header: string | undefined): boolean {
  if (header === undefined) return false;
  if (header !== usual) {
    takesUsual = judge(header);
    usual = header;
  }
  return takesUsual;
}

function judge(header: string): boolean {
  const weights = new Map<string, number>();
  for (const part of header.split(',')) {
    const listed = part.trim();
    // A list may have empty members.
    if (listed === '') continue;
    const [, given, weight = '1'] = LISTED.exec(listed) ?? [];
    if (given === undefined) return false;
    const name = given.toLowerCase().replace(/^x-gzip$/, 'gzip');
    weights.set(name, Math.min(Number(weight), weights.get(name) ?? 1));
  }
  const gzip = weights.get('gzip') ?? weights.get('*') ?? 0;
  return gzip > 0 && gzip >= (weights.get('identity') ?? 0);
}
