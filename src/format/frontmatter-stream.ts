/**
 * The frontmatter of a `SKILL.md` that arrives in pieces.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { type FenceSearch, type Fences, findFences, startSearch } from './fences.ts';
import { type Frontmatter, requireFields } from './frontmatter.ts';
import { cutAt, type FrontmatterOptions, readHead, tooLarge, unfenced, yamlLimits } from './head.ts';

/** Caps of a streamed file; for each, 0 or absent is the default and -1 is off. */
export interface FrontmatterStreamOptions extends FrontmatterOptions {
  /** Bytes of the whole file. @default 16 MiB */
  readonly maxFileBytes?: number;
}

/** Bytes that may stand before the YAML: a BOM and a fence line with trailing blanks. */
const FENCE_ALLOWANCE = 1_024;

/**
 * The frontmatter and body of a `SKILL.md` read from a stream; see `parseFrontmatter`.
 *
 * Reading stops, and the stream is cancelled, as soon as line 1 is no fence or no closing fence stands within the
 * frontmatter's cap, so a hostile stream costs no more than that.
 *
 * Throws what `parseFrontmatter` throws, and `FILE_TOO_LARGE` (beyond `maxFileBytes`), `FILE_UNREADABLE` (the stream
 * failed; its error is the `cause`).
 *
 * @example
 * const { name } = await parseFrontmatterStream(createReadStream('SKILL.md'))
 */
export async function parseFrontmatterStream(
  stream: AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array>,
  options: FrontmatterStreamOptions = {},
): Promise<Frontmatter> {
  const limits = yamlLimits(options);
  const maxFileBytes = capOf(options.maxFileBytes, LIMITS.fileBytes);
  const encoder = new TextEncoder();
  let bytes = new Uint8Array(8_192);
  let length = 0;
  let search: FenceSearch | undefined;
  let fences: Fences | undefined;

  function look(final: boolean): void {
    // The BOM is three bytes.
    if (fences !== undefined || (length < 4 && !final)) return;
    const view = bytes.subarray(0, length);
    search ??= startSearch(view);
    const found = findFences(view, search, limits.maxBytes, final);
    if (typeof found === 'object') {
      fences = found;
      return;
    }
    const opened = search.yamlStart !== -1;
    if (found === 'missing' || (!opened && length - search.start > FENCE_ALLOWANCE)) {
      throw unfenced(final ? view : wholeCharacters(view), 'missing', limits.maxBytes);
    }
    if (opened && length - search.yamlStart > limits.maxBytes + FENCE_ALLOWANCE)
      throw tooLarge(limits.maxBytes, false);
    if (final) throw unfenced(view, found, limits.maxBytes);
  }

  try {
    for await (const chunk of chunksOf(stream)) {
      const piece = typeof chunk === 'string' ? encoder.encode(chunk) : chunk;
      if (length + piece.length > maxFileBytes) {
        throw new SkillError(
          'FILE_TOO_LARGE',
          `SKILL.md is larger than ${maxFileBytes.toLocaleString('en-US')} bytes`,
          { details: { limit: maxFileBytes } },
        );
      }
      if (length + piece.length > bytes.length) {
        const grown = new Uint8Array(Math.max(bytes.length * 2, length + piece.length));
        grown.set(bytes.subarray(0, length));
        bytes = grown;
      }
      bytes.set(piece, length);
      length += piece.length;
      look(false);
    }
  } catch (error) {
    if (isSkillError(error)) throw error;
    throw new SkillError('FILE_UNREADABLE', 'SKILL.md cannot be read: its stream failed', { cause: error });
  }
  look(true);
  const whole = bytes.subarray(0, length);
  if (fences === undefined) throw unfenced(whole, 'more', limits.maxBytes);
  return requireFields(readHead(cutAt(whole, fences, limits), limits));
}

/** `bytes` without the part of a character that a chunk may end in. */
function wholeCharacters(bytes: Uint8Array): Uint8Array {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return bytes;
    if (byte < 0xc0) continue;
    const size = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return size > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

async function* chunksOf(
  stream: AsyncIterable<Uint8Array | string> | ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array | string, void> {
  // Some browsers have streams that cannot be iterated.
  if (!('getReader' in stream)) {
    yield* stream;
    return;
  }
  const reader = stream.getReader();
  let done = false;
  try {
    for (;;) {
      const step = await reader.read();
      if (step.done) {
        done = true;
        return;
      }
      yield step.value;
    }
  } finally {
    if (!done) await reader.cancel();
    reader.releaseLock();
  }
}
