/**
 * Entries of strangers, judged before use.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { canonicalUri } from '../uri/canonical.ts';
import { parseSkillUri } from '../uri/parse.ts';
import { quote } from '../uri/quote.ts';
import { isDigest } from './digest.ts';
import type { SkillEntry } from './entry.ts';

const ANY = { anyScheme: true, nested: true } as const;

type Fault = (at: string, why: string, cause?: unknown) => SkillError;

function faultOf(uri: unknown): Fault {
  const whose = typeof uri === 'string' ? ` of ${quote(uri)}` : '';
  return (at, why, cause) =>
    new SkillError('INVALID_ENTRY', `the entry${whose} is refused at ${at}: ${why}`, {
      details: { ...(typeof uri === 'string' ? { uri } : {}), at },
      cause,
    });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}

/** Runs a function of the `uri` room and turns what it refuses into a fault of the entry. */
function refusing<T>(fault: Fault, at: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (isSkillError(error)) throw fault(at, error.message, error);
    throw error;
  }
}

/** Refuses what JSON cannot carry, and more than `SKILL.md` itself may hold: no such entry can ever be verified. */
function requireJson(fault: Fault, frontmatter: Readonly<Record<string, unknown>>): void {
  let nodes = 0;
  const visit = (value: unknown, at: string, depth: number): void => {
    nodes++;
    if (nodes > LIMITS.frontmatterNodes) {
      throw fault('frontmatter', `it has more than ${LIMITS.frontmatterNodes} values`);
    }
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
    if (typeof value === 'number' && Number.isFinite(value)) return;
    if (typeof value !== 'object') throw fault(at, `it is ${kindOf(value)}, which JSON does not carry`);
    if (depth > LIMITS.frontmatterDepth)
      throw fault('frontmatter', `it is nested deeper than ${LIMITS.frontmatterDepth}`);
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index++) visit(value[index], at, depth + 1);
    } else {
      for (const item of Object.values(value as object)) visit(item, at, depth + 1);
    }
  };
  for (const [key, value] of Object.entries(frontmatter)) visit(value, `frontmatter[${quote(key)}]`, 1);
}

function requireFrontmatter(fault: Fault, value: unknown, skillName: string): void {
  if (!isObject(value)) throw fault('frontmatter', `it is ${kindOf(value)} and must be an object`);
  // The official client refuses this key too; a careless copy would make it a prototype.
  if (Object.hasOwn(value, '__proto__')) throw fault('frontmatter.__proto__', 'no field may have this name');
  for (const field of ['name', 'description'] as const) {
    const text = Object.hasOwn(value, field) ? value[field] : undefined;
    if (typeof text !== 'string')
      throw fault(`frontmatter.${field}`, `it is ${kindOf(text)} and must be a string`);
    if (text === '') throw fault(`frontmatter.${field}`, 'it is empty');
  }
  requireJson(fault, value);
  if (value.name !== skillName) {
    throw fault(
      'frontmatter.name',
      `it is ${quote(String(value.name))}, but the URI says ${quote(skillName)}`,
    );
  }
}

function requireResources(fault: Fault, resources: readonly unknown[], manifest: string): void {
  const folder = manifest.slice(0, manifest.lastIndexOf('/') + 1);
  const seen = new Set<string>();
  for (let index = 0; index < resources.length; index++) {
    const at = `resources[${index}]`;
    const resource = resources[index];
    if (!isObject(resource)) throw fault(at, `it is ${kindOf(resource)} and must be an object`);
    const { uri, digest, size } = resource;
    if (typeof uri !== 'string') throw fault(`${at}.uri`, `it is ${kindOf(uri)} and must be a string`);
    const canonical = refusing(fault, `${at}.uri`, () => canonicalUri(uri, ANY));
    if (!canonical.startsWith(folder)) throw fault(`${at}.uri`, `${quote(uri)} lies outside the skill`);
    if (canonical.endsWith('/')) throw fault(`${at}.uri`, `${quote(uri)} is a folder`);
    if (seen.has(canonical)) throw fault(`${at}.uri`, `${quote(uri)} stands there twice`);
    seen.add(canonical);
    if (!isDigest(digest)) throw fault(`${at}.digest`, 'it must be "sha256:" and 64 lower-case hex digits');
    if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0) {
      throw fault(
        `${at}.size`,
        `it is ${typeof size === 'number' ? size : kindOf(size)} and must be a whole number from 0`,
      );
    }
  }
  if (!seen.has(manifest)) throw fault('resources', 'SKILL.md itself is not among them');
}

/**
 * `value` itself as an entry, after every rule of the extension about its structure held (requirements S11, S12, S24,
 * S28–S32, H15): the URI, under any scheme, is that of a `SKILL.md` in a folder named as the frontmatter says;
 * `resources` is `"dynamic"` or lists files inside that folder, each once whatever its spelling, `SKILL.md` among
 * them, with digest and size.
 *
 * Fields it does not know stay. Whether the skill is too large to load is the host's decision.
 *
 * Errors: `INVALID_ENTRY`; details `uri`, and `at`, the place of the fault: `resources[3].digest`.
 *
 * @example
 * const entry = validateEntry(JSON.parse(text))
 */
export function validateEntry(value: unknown): SkillEntry {
  if (!isObject(value)) throw faultOf(undefined)('the top', `it is ${kindOf(value)} and must be an object`);
  const { uri, frontmatter, resources } = value;
  const fault = faultOf(uri);
  if (typeof uri !== 'string') throw fault('uri', `it is ${kindOf(uri)} and must be a string`);
  const { isManifest, skillName } = refusing(fault, 'uri', () => parseSkillUri(uri, ANY));
  const manifest = refusing(fault, 'uri', () => canonicalUri(uri, ANY));
  if (!isManifest || manifest.endsWith('/')) {
    throw fault('uri', 'it must end with /<skill name>/SKILL.md, the name of a-z, 0-9 and single hyphens');
  }
  requireFrontmatter(fault, frontmatter, skillName);
  if (Array.isArray(resources)) requireResources(fault, resources, manifest);
  else if (resources !== 'dynamic')
    throw fault('resources', `it is ${kindOf(resources)} and must be a list or "dynamic"`);
  return value as unknown as SkillEntry;
}
