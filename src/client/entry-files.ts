/**
 * The files of an entry by their URI, after the rules about them held.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { validateEntry } from '../integrity/index.ts';
import { canonicalUri } from '../uri/canonical.ts';
import { quote } from '../uri/quote.ts';
import { isRecord } from './json-record.ts';
import type { ClientEntry, ClientResource, FoundSkill } from './skill.ts';

/** What a skill may be read as. */
export interface EntryFiles {
  /** Canonical URI of `SKILL.md`. */
  readonly manifest: string;
  /** Canonical URI of the skill's folder, with a slash at its end. */
  readonly folder: string;
  /** By canonical URI; undefined where the entry does not tell them. */
  readonly files: ReadonlyMap<string, ClientResource> | undefined;
}

const ANY = { anyScheme: true, nested: true } as const;
/** Only frozen entries stand here: of these nothing can change behind the files that were taken from them. */
const known: WeakMap<ClientEntry, EntryFiles | undefined> = new WeakMap();

/**
 * `skill` frozen with everything in it. Its structure was judged by the reader that made it and is not judged again.
 *
 * @example
 * return freezeSkill({ entry, dialect: 'released', integrity: 'complete', wholeFrontmatter: true })
 */
export function freezeSkill(skill: FoundSkill): FoundSkill {
  const { entry, archive } = skill;
  freezeJson(entry.frontmatter);
  if (typeof entry.resources !== 'string') {
    for (const resource of entry.resources) Object.freeze(resource);
    Object.freeze(entry.resources);
  }
  if (archive !== undefined) Object.freeze(archive);
  if (!known.has(Object.freeze(entry))) known.set(entry, undefined);
  return Object.freeze(skill);
}

/** Depth is bounded by the rules of the readers. */
function freezeJson(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const item of Object.values(value)) freezeJson(item);
}

/**
 * The files of a skill. An entry that did not come from a reader of this client, say from a store, is judged first: by the
 * rules of the extension where it is a released one, else by those about places, names and repetition.
 *
 * Errors: `INVALID_ENTRY`.
 *
 * @example
 * filesOf(skill).files?.get(canonicalUri(uri))
 */
export function filesOf(skill: FoundSkill): EntryFiles {
  const { entry } = skill;
  const isOurs = known.has(entry);
  const held = known.get(entry);
  if (held !== undefined) return held;
  if (!isOurs) requireSkill(skill);
  const files = indexOf(entry);
  if (isOurs) known.set(entry, files);
  return files;
}

function requireSkill(skill: FoundSkill): void {
  const { entry } = skill;
  if (!isRecord(entry) || typeof entry.uri !== 'string' || !isRecord(entry.frontmatter)) {
    throw new SkillError('INVALID_ENTRY', 'the skill has no entry with a uri and a frontmatter', {
      details: { at: 'entry' },
    });
  }
  if (skill.dialect === 'released') validateEntry(entry);
}

function indexOf(entry: ClientEntry): EntryFiles {
  const refused = (at: string, why: string): SkillError =>
    new SkillError('INVALID_ENTRY', `the entry of ${quote(entry.uri)} is refused at ${at}: ${why}`, {
      details: { uri: entry.uri, at },
    });
  const manifest = canonical(entry.uri, (why) => refused('uri', why));
  const folder = manifest.slice(0, manifest.lastIndexOf('/') + 1);
  const { resources } = entry;
  if (resources === 'dynamic' || resources === 'on-request') return { manifest, folder, files: undefined };
  if (!Array.isArray(resources)) throw refused('resources', 'it is no list');
  const files = new Map<string, ClientResource>();
  for (const [at, resource] of (resources as readonly ClientResource[]).entries()) {
    const where = `resources[${at}]`;
    if (!isRecord(resource) || typeof resource.uri !== 'string') throw refused(where, 'it has no uri');
    const uri = canonical(resource.uri, (why) => refused(`${where}.uri`, why));
    if (!uri.startsWith(folder) || uri.endsWith('/')) {
      throw refused(`${where}.uri`, `${quote(resource.uri)} is no file inside the skill`);
    }
    if (files.has(uri)) throw refused(`${where}.uri`, `${quote(resource.uri)} stands there twice`);
    files.set(uri, resource);
  }
  return { manifest, folder, files };
}

function canonical(uri: string, refused: (why: string) => SkillError): string {
  try {
    return canonicalUri(uri, ANY);
  } catch (error) {
    throw refused(error instanceof Error ? error.message : 'it is no URI');
  }
}
