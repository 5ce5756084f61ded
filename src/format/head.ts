/**
 * A `SKILL.md` cut into frontmatter and body; what every reader of this room stands on.
 *
 * @module
 */
import type { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { asSkillError, type Fault, faultError, shiftFault } from './fault.ts';
import { explainMissingFence, explainNotUtf8, explainUnterminated } from './fence-faults.ts';
import { type Fences, findFences, startSearch } from './fences.ts';
import { createPositions, type Positions } from './positions.ts';
import { readSimpleHead } from './simple-head.ts';
import { isUtf8 } from './utf8.ts';
import type { YamlLimits, YamlTree } from './yaml-node.ts';
import { readYaml } from './yaml-tree.ts';

/** Caps of a frontmatter; for each, 0 or absent is the default and -1 is off. */
export interface FrontmatterOptions {
  /** UTF-8 bytes between the fences, and characters with aliases expanded. @default 65,536 */
  readonly maxBytes?: number;
  /** Nesting; more than 500 levels are refused in any case. @default 32 */
  readonly maxDepth?: number;
  /** Values, aliases expanded. @default 10,000 */
  readonly maxNodes?: number;
  /** Aliases. @default 100 */
  readonly maxAliases?: number;
}

/** A `SKILL.md` cut at its fences; nothing is known yet about the YAML between them. */
export interface CutFile {
  /** From the opening fence to the closing one, without it; BOM dropped, line ends as they stand. */
  readonly written: string;
  /** `written` with LF line ends. */
  readonly text: string;
  /** Offset in `text` of the YAML. */
  readonly yamlStart: number;
  /** The body, decoded from the bytes of the file when it is first asked for. */
  readonly body: () => string;
}

/** A frontmatter that is a mapping. */
export interface Head {
  readonly text: string;
  /** Offset in `text` of the YAML; offsets of `tree` count from there. */
  readonly yamlStart: number;
  readonly tree: YamlTree;
  /** It is in the subset of `readSimpleHead`, so that released readers get the same values. */
  readonly simple: boolean;
  readonly positions: Positions;
  readonly body: () => string;
  /** What keeps released readers from finding the fences: they know no CR alone and no spaces after the opening fence. */
  readonly oddity: 'padded-fence' | 'lone-cr' | 'separator-fence' | undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
/** Characters of an opening fence without padding. */
const PLAIN_FENCE = 4;

/** The caps in force for `options`. */
export function yamlLimits(options: FrontmatterOptions): YamlLimits {
  return {
    maxBytes: capOf(options.maxBytes, LIMITS.frontmatterBytes),
    maxDepth: capOf(options.maxDepth, LIMITS.frontmatterDepth),
    maxNodes: capOf(options.maxNodes, LIMITS.frontmatterNodes),
    maxAliases: capOf(options.maxAliases, LIMITS.frontmatterAliases),
  };
}

/**
 * A `SKILL.md` cut at its fences.
 *
 * Throws a `SkillError`: `NOT_UTF8`, `MISSING_FRONTMATTER`, `UNTERMINATED_FRONTMATTER`, `FRONTMATTER_TOO_LARGE`.
 */
export function cutFile(input: Uint8Array | string, limits: YamlLimits): CutFile {
  const bytes = typeof input === 'string' ? encode(input) : input;
  const fences = findFences(bytes, startSearch(bytes), limits.maxBytes, true);
  if (fences === 'missing' || fences === 'more') throw unfenced(bytes, fences, limits.maxBytes);
  return cutAt(bytes, fences, limits);
}

/** A file whose fences are known, cut at them; see {@link cutFile}. */
export function cutAt(bytes: Uint8Array, fences: Fences, limits: YamlLimits): CutFile {
  if (fences.yamlEnd - fences.yamlStart > limits.maxBytes) throw tooLarge(limits.maxBytes, true);
  // The head is decoded by itself: strings cut out of it would otherwise keep the whole file in memory.
  const written = decode(bytes, fences.start, fences.yamlEnd);
  if (!isUtf8(bytes, fences.bodyStart)) throw explainNotUtf8(bytes);
  const text = unixLines(written);
  let body: string | undefined;
  return {
    written,
    text,
    yamlStart: text.indexOf('\n') + 1,
    body: () => {
      body ??= bodyOf(bytes, fences.bodyStart);
      return body;
    },
  };
}

function hasLoneCr(written: string): boolean {
  return written.includes('\r') && /\r(?!\n)/.test(written);
}

/**
 * The frontmatter of a cut file.
 *
 * Throws a `SkillError`: `FRONTMATTER_TOO_LARGE`, `INVALID_YAML`, `DUPLICATE_KEY`, `UNSUPPORTED_YAML`,
 * `NON_MAPPING_FRONTMATTER`.
 */
export function readHead(cut: CutFile, limits: YamlLimits): Head {
  const tree = readSimpleHead(cut.text, cut.yamlStart, limits);
  return tree === undefined ? readFullHead(cut, limits) : headOf(cut, tree, true);
}

/** The frontmatter of a cut file, read by the YAML library; throws what {@link readHead} throws. */
export function readFullHead(cut: CutFile, limits: YamlLimits): Head {
  const { text, yamlStart } = cut;
  const read = readYamlSafely(text.slice(yamlStart), limits);
  if ('fault' in read) throw faultError(shiftFault(read.fault, yamlStart), createPositions(text));
  return headOf(cut, read.tree, false);
}

function headOf({ text, yamlStart, written, body }: CutFile, tree: YamlTree, simple: boolean): Head {
  const oddity = oddityOf(written, yamlStart, simple);
  return { text, yamlStart, tree, simple, positions: createPositions(text), body, oddity };
}

function bodyOf(bytes: Uint8Array, start: number): string {
  const body = unixLines(decode(bytes, start, bytes.length));
  return body.startsWith('\n') ? body.slice(1) : body;
}

function readYamlSafely(yaml: string, limits: YamlLimits): ReturnType<typeof readYaml> {
  try {
    return readYaml(yaml, limits);
  } catch (error) {
    throw asSkillError(error);
  }
}

function oddityOf(written: string, yamlStart: number, simple: boolean): Head['oddity'] {
  if (hasLoneCr(written)) return 'lone-cr';
  if (yamlStart !== PLAIN_FENCE) return 'padded-fence';
  // Those readers take a fence after one of these two for the closing one; a simple head holds none.
  if (simple) return undefined;
  return /[\u2028\u2029]---[\t ]*(?:[\n\r\u2028\u2029]|$)/.test(written) ? 'separator-fence' : undefined;
}

/** The error for a file without a complete frontmatter. */
export function unfenced(bytes: Uint8Array, why: 'missing' | 'more', maxBytes: number): SkillError {
  const text = unixLines(decode(bytes, 0, bytes.length));
  const shown = text.startsWith('\ufeff') ? text.slice(1) : text;
  if (why === 'missing') return faultError(explainMissingFence(shown), createPositions(shown));
  const yamlStart = shown.indexOf('\n') + 1;
  if (yamlStart > 0 && encoder.encode(shown.slice(yamlStart)).length > maxBytes)
    return tooLarge(maxBytes, false);
  return faultError(explainUnterminated(shown), createPositions(shown));
}

/** The error for a frontmatter beyond its cap. */
export function tooLarge(maxBytes: number, closed: boolean): SkillError {
  const limit = `${maxBytes.toLocaleString('en-US')} bytes`;
  const fault: Fault = {
    code: 'FRONTMATTER_TOO_LARGE',
    message: closed
      ? `the frontmatter is larger than ${limit}`
      : `no closing "---" stands within ${limit} of the opening one`,
    start: 0,
    end: 3,
    hint: closed
      ? 'keep the frontmatter small and move data into a file of the skill'
      : 'close the frontmatter with a line of exactly three dashes before the body',
    details: { limit: maxBytes },
  };
  return faultError(fault, createPositions('---'));
}

function encode(text: string): Uint8Array {
  // Looking for halves of pairs takes long in a text with any characters beyond Latin-1, and most texts have no pairs.
  const lone = /[\ud800-\udfff]/.test(text) ? /\p{Surrogate}/u.exec(text) : null;
  if (lone !== null) {
    throw faultError(
      {
        code: 'NOT_UTF8',
        message: 'the text holds half a surrogate pair, which has no UTF-8 form',
        start: lone.index,
        end: lone.index + 1,
        hint: 'remove the broken character',
      },
      createPositions(text.replace(/\r\n?/g, '\n')),
    );
  }
  return encoder.encode(text);
}

function decode(bytes: Uint8Array, start: number, end: number): string {
  try {
    return decoder.decode(bytes.subarray(start, end));
  } catch {
    throw explainNotUtf8(bytes);
  }
}

function unixLines(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}
