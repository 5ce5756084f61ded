/**
 * The documents of the `well-known` dialect: their places, shapes and how they are written.
 *
 * @module
 */
import { isAddressableName } from '../uri/segment.ts';
import { INDEX_SCHEMA_URI } from './constants.ts';
import type { SkillType } from './draft-index.ts';

/** Where discovery 0.2.0 has its index, below the root of a server. */
export const DISCOVERY_INDEX_PATH = '/.well-known/agent-skills/index.json';
/** Where the older form has its index; the files of a skill lie beside it, below the skill's name. */
export const LEGACY_INDEX_PATH = '/.well-known/skills/index.json';
/** UTF-16 units of a description: common clients drop an entry with a longer one. */
export const MAX_WELL_KNOWN_DESCRIPTION = 1_024;

/** One skill of a discovery 0.2.0 index, in the order in which the fields go out. */
export interface DiscoveryEntry {
  /** Obeys the naming rule; once in an index. */
  readonly name: string;
  /** `skill-md`: the URL is that of a `SKILL.md`; `archive`: of a tar.gz or zip with one at its root. */
  readonly type: SkillType;
  /** 1 to 1,024 UTF-16 units. */
  readonly description: string;
  /** Relative to the index, or absolute. */
  readonly url: string;
  /** `sha256:` + 64 lower-case hex digits over the raw bytes of what `url` names. */
  readonly digest: string;
}

/** One skill of the older index, in the order in which the fields go out. */
export interface LegacyEntry {
  readonly name: string;
  readonly description: string;
  /** Below the skill's folder, `/`-separated, not encoded; `SKILL.md` among them. Nothing says what they hold. */
  readonly files: readonly string[];
}

/**
 * The text of a discovery 0.2.0 index (`/.well-known/agent-skills/index.json`): compact JSON, fields in the order of
 * the RFC. Equal entries give equal bytes. Entries are written as they are; that they keep the rules is for the caller.
 *
 * @example
 * discoveryIndexText([{ name: 'pdf', type: 'skill-md', description: 'Reads PDF files', url: 'pdf/SKILL.md', digest }])
 */
export function discoveryIndexText(skills: readonly DiscoveryEntry[]): string {
  const entries = skills.map(({ name, type, description, url, digest }) =>
    JSON.stringify({ name, type, description, url, digest }),
  );
  return `{"$schema":${JSON.stringify(INDEX_SCHEMA_URI)},"skills":[${entries.join(',')}]}`;
}

/**
 * The text of an index of the older form (`/.well-known/skills/index.json`), which has no schema, URLs or digests.
 *
 * @example
 * legacyIndexText([{ name: 'pdf', description: 'Reads PDF files', files: ['SKILL.md', 'references/forms.md'] }])
 */
export function legacyIndexText(skills: readonly LegacyEntry[]): string {
  const entries = skills.map(({ name, description, files }) => JSON.stringify({ name, description, files }));
  return `{"skills":[${entries.join(',')}]}`;
}

const UNCARRIED = /[%?#]|\.\./;

/**
 * Whether the older form can carry a file of this path. Its clients append the path to a URL as it stands, so that
 * `%41`, `?` and `#` would lead to another file, and they throw the whole index away for a path with `..` in it.
 *
 * @example
 * isLegacyPath('how to.md') // true
 * isLegacyPath('100%.md') // false
 */
export function isLegacyPath(path: string): boolean {
  return !UNCARRIED.test(path) && path.split('/').every(isAddressableName);
}
