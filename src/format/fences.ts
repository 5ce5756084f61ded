/**
 * Where the frontmatter of a `SKILL.md` begins and ends, in bytes.
 *
 * @module
 */

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

/** How far a search for the fences came; hand it back with more bytes to go on. */
export interface FenceSearch {
  /** After the BOM, if there is one. */
  start: number;
  /** First byte after the opening fence line; -1 until that line is complete. */
  yamlStart: number;
  /** Start of the line that is looked at. */
  line: number;
  /** First byte of that line not looked at yet. */
  next: number;
}

/** Byte offsets of a complete frontmatter. */
export interface Fences {
  readonly start: number;
  readonly yamlStart: number;
  /** Start of the closing fence line. */
  readonly yamlEnd: number;
  readonly bodyStart: number;
}

/** A search from the start of a file. */
export function startSearch(bytes: Uint8Array): FenceSearch {
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  return { start: bom, yamlStart: -1, line: bom, next: bom };
}

/**
 * The fences, `'missing'` when the first line is none, or `'more'` when no closing one stands in `bytes` up to `maxBytes`
 * after the opening one.
 *
 * A fence is a line of exactly `---`, trailing spaces and tabs aside; lines end with LF, CRLF or CR.
 * `final` says that no bytes follow, so that a last line without an end counts.
 */
export function findFences(
  bytes: Uint8Array,
  search: FenceSearch,
  maxBytes: number,
  final: boolean,
): Fences | 'missing' | 'more' {
  for (;;) {
    const end = lineEnd(bytes, search.next);
    // A CR at the end of a chunk may be half of a CRLF.
    const complete = end < bytes.length && (bytes[end] === LF || end + 1 < bytes.length || final);
    if (!complete && !final) {
      search.next = end;
      return 'more';
    }
    const fence = isFence(bytes, search.line, end);
    const after = Math.min(bytes.length, end + (bytes[end] === CR && bytes[end + 1] === LF ? 2 : 1));
    if (search.yamlStart === -1) {
      if (!fence) return 'missing';
      search.yamlStart = after;
    } else {
      if (search.line - search.yamlStart > maxBytes) return 'more';
      if (fence)
        return { start: search.start, yamlStart: search.yamlStart, yamlEnd: search.line, bodyStart: after };
    }
    if (end >= bytes.length) return 'more';
    search.line = after;
    search.next = after;
  }
}

function lineEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at++;
  return at;
}

function isFence(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from < 3 || bytes[from] !== DASH || bytes[from + 1] !== DASH || bytes[from + 2] !== DASH)
    return false;
  for (let at = from + 3; at < to; at++) if (bytes[at] !== 0x20 && bytes[at] !== 0x09) return false;
  return true;
}
