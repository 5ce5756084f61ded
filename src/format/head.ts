/**
 * A `SKILL.md` cut into frontmatter tree and body; what every reader of this room stands on.
 *
 * @module
 */
import type { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { asSkillError, type Fault, faultError, shiftFault } from './fault.ts';
import { explainMissingFence, explainNotUtf8, explainUnterminated } from './fence-faults.ts';
import { type Fences, findFences, startSearch } from './fences.ts';
import { createPositions, type Positions } from './positions.ts';
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

/** A frontmatter that is a valid mapping, and the body. */
export interface Head {
  /** From the opening fence to the closing one, without it; BOM dropped, line ends LF. */
  readonly text: string;
  /** Offset in `text` of the YAML; offsets of `tree` count from there. */
  readonly yamlStart: number;
  readonly tree: YamlTree;
  readonly positions: Positions;
  readonly body: string;
  /** What keeps released readers from finding the fences: they know no CR alone and no spaces after the opening fence. */
  readonly oddity: 'padded-fence' | 'lone-cr' | 'separator-fence' | undefined;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

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
 * The head and body of a `SKILL.md`.
 *
 * Throws a `SkillError`: `NOT_UTF8`, `MISSING_FRONTMATTER`, `UNTERMINATED_FRONTMATTER`, `FRONTMATTER_TOO_LARGE`,
 * `INVALID_YAML`, `DUPLICATE_KEY`, `UNSUPPORTED_YAML`, `NON_MAPPING_FRONTMATTER`.
 */
export function readHead(input: Uint8Array | string, options: FrontmatterOptions = {}): Head {
  const limits = yamlLimits(options);
  const bytes = typeof input === 'string' ? encode(input) : input;
  const fences = findFences(bytes, startSearch(bytes), limits.maxBytes, true);
  if (fences === 'missing' || fences === 'more') throw unfenced(bytes, fences, limits.maxBytes);
  return cutHead(bytes, fences, limits);
}

/** The head and body of a file whose fences are known; see {@link readHead}. */
export function cutHead(bytes: Uint8Array, fences: Fences, limits: YamlLimits): Head {
  if (fences.yamlEnd - fences.yamlStart > limits.maxBytes) throw tooLarge(limits.maxBytes, true);
  // The head is decoded by itself: strings cut out of it would otherwise keep the whole file in memory.
  const written = decode(bytes, fences.start, fences.yamlEnd);
  const text = unixLines(written);
  const yamlStart = text.indexOf('\n') + 1;
  const yaml = text.slice(yamlStart);
  const positions = createPositions(text);
  const body = unixLines(decode(bytes, fences.bodyStart, bytes.length));
  const read = readYamlSafely(yaml, limits);
  if ('fault' in read) throw faultError(shiftFault(read.fault, yamlStart), positions);
  return {
    text,
    yamlStart,
    tree: read.tree,
    positions,
    body: body.startsWith('\n') ? body.slice(1) : body,
    oddity: oddityOf(written, yamlStart),
  };
}

function readYamlSafely(yaml: string, limits: YamlLimits): ReturnType<typeof readYaml> {
  try {
    return readYaml(yaml, limits);
  } catch (error) {
    throw asSkillError(error);
  }
}

function oddityOf(written: string, yamlStart: number): Head['oddity'] {
  if (written.includes('\r') && /\r(?!\n)/.test(written)) return 'lone-cr';
  if (yamlStart !== 4) return 'padded-fence';
  // Those readers take a fence after one of these two for the closing one.
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
  const lone = /\p{Surrogate}/u.exec(text);
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
