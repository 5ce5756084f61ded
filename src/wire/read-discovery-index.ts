/**
 * An index of discovery 0.2.0, read: what strangers publish, judged entry by entry.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { isDigest } from '../integrity/digest.ts';
import { LIMITS } from '../limits.ts';
import { quote } from '../uri/quote.ts';
import { INDEX_SCHEMA_URI } from './constants.ts';
import type { SkillType } from './draft-index.ts';
import { MAX_WELL_KNOWN_DESCRIPTION } from './well-known.ts';
import {
  entriesOf,
  type Fields,
  keep,
  kindOf,
  nameOf,
  own,
  type ParseWellKnownOptions,
  Problems,
  recordOf,
  shown,
  type WellKnownProblem,
} from './well-known-entries.ts';

/** One skill of a discovery index that can be fetched. */
export interface DiscoveredSkill {
  readonly name: string;
  readonly type: SkillType;
  readonly description: string;
  /** Absolute `http:` or `https:`, without fragment. */
  readonly url: string;
  /** `sha256:` + 64 lower-case hex digits over the raw bytes of what `url` names. */
  readonly digest: string;
}

const HEX = /^[0-9a-f]{64}$/i;
const MANIFEST_URL = /(?:^|\/)SKILL\.md$/;

/**
 * The skills of a discovery 0.2.0 index, their URLs resolved against `indexUrl`, and every rule that was broken. A bad
 * entry is dropped alone; a document that is no such index gives no skills and a problem at `""`. Strict unless told
 * otherwise: the rules of the RFC and of the most common installer, and each name once, the first of several.
 *
 * Never throws for what the text holds, and looks at no more than 200,000 entries; how long a text may be is for
 * whoever fetches it. Errors: `USAGE` for an `indexUrl` that is no URL.
 *
 * @example
 * const { skills, problems } = parseDiscoveryIndex(text, 'https://host/.well-known/agent-skills/index.json')
 */
export function parseDiscoveryIndex(
  text: string,
  indexUrl: string,
  options: ParseWellKnownOptions = {},
): { readonly skills: readonly DiscoveredSkill[]; readonly problems: readonly WellKnownProblem[] } {
  const { tolerant = false } = options;
  if (!URL.canParse(indexUrl)) throw new SkillError('USAGE', `${quote(indexUrl)} is no URL of an index`);
  const base = new URL(indexUrl).href;
  const problems = new Problems();
  const found = entriesOf(
    text,
    problems,
    (schema) => {
      if (schema === INDEX_SCHEMA_URI) return undefined;
      return schema === undefined
        ? `the index has no $schema; that of discovery 0.2.0 is ${INDEX_SCHEMA_URI}, and without it an index is of the older form`
        : `$schema is ${shown(schema)}, not ${INDEX_SCHEMA_URI}`;
    },
    tolerant,
  );
  const skills = new Map<string, DiscoveredSkill>();
  for (const [index, entry] of found.entries()) {
    const skill = discovered(entry, `skills[${index}]`, { base, tolerant, problems });
    if (skill !== undefined) keep(skills, skill, `skills[${index}]`, problems);
  }
  return { skills: [...skills.values()], problems: problems.all() };
}

interface EntryContext {
  readonly base: string;
  readonly tolerant: boolean;
  readonly problems: Problems;
}

function discovered(entry: unknown, at: string, context: EntryContext): DiscoveredSkill | undefined {
  const { base, problems, tolerant } = context;
  const fields = recordOf(entry);
  if (fields === undefined) return problems.add('error', 'ENTRY', at, `the entry is ${kindOf(entry)}`);
  const url = urlOf(own(fields, 'url'), base);
  if ('wrong' in url) return problems.add('error', 'URL', `${at}.url`, url.wrong);
  const isManifest = MANIFEST_URL.test(url.pathname);
  const name = nameOf(fields, at, tolerant && isManifest ? url.pathname : undefined, problems);
  if (name === undefined) return undefined;
  const description = descriptionOf(fields, at, problems);
  if (description === undefined) return undefined;
  const type = own(fields, 'type');
  const isTask = tolerant && type === 'task' && isManifest;
  if (isTask) problems.add('warning', 'TYPE', `${at}.type`, 'the type is "task"; it is read as skill-md');
  else if (type !== 'skill-md' && type !== 'archive') {
    return problems.add('error', 'TYPE', `${at}.type`, `type is ${shown(type)}; it is skill-md or archive`);
  }
  const digest = digestFrom(fields, at, tolerant, problems);
  if (digest === undefined) return undefined;
  return { name, type: type === 'archive' ? 'archive' : 'skill-md', description, url: url.href, digest };
}

function descriptionOf(fields: Fields, at: string, problems: Problems): string | undefined {
  const description = own(fields, 'description');
  const where = `${at}.description`;
  if (typeof description !== 'string' || description === '') {
    return problems.add('error', 'DESCRIPTION', where, 'the description is no text, or empty');
  }
  if (description.length <= MAX_WELL_KNOWN_DESCRIPTION) return description;
  const why = `the description has ${description.length} UTF-16 units; the limit is ${MAX_WELL_KNOWN_DESCRIPTION}`;
  return problems.add('error', 'DESCRIPTION', where, why);
}

function urlOf(
  value: unknown,
  base: string,
): { readonly href: string; readonly pathname: string } | { readonly wrong: string } {
  if (typeof value !== 'string' || value === '') return { wrong: 'url is no text, or empty' };
  if (value.length > LIMITS.uriBytes) {
    return { wrong: `url has ${value.length} characters; the limit is ${LIMITS.uriBytes}` };
  }
  const url = URL.canParse(value, base) ? new URL(value, base) : undefined;
  if (url === undefined) return { wrong: `${quote(value)} is no URL` };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { wrong: `${quote(value)} is no URL of http or https` };
  }
  if (url.username !== '' || url.password !== '') return { wrong: 'the URL holds a user or a password' };
  url.hash = '';
  return { href: url.href, pathname: url.pathname };
}

function digestFrom(fields: Fields, at: string, tolerant: boolean, problems: Problems): string | undefined {
  const stated = own(fields, 'digest');
  if (isDigest(stated)) return stated;
  const other = stated ?? own(fields, 'sha256');
  const hex = typeof other === 'string' ? other.replace(/^sha256:/i, '') : '';
  if (tolerant && HEX.test(hex)) {
    const read = `sha256:${hex.toLowerCase()}`;
    problems.add('warning', 'DIGEST', `${at}.digest`, `${shown(other)} is read as ${read}`);
    return read;
  }
  return problems.add(
    'error',
    'DIGEST',
    `${at}.digest`,
    `digest is ${shown(stated)}; it is "sha256:" and 64 lower-case hex digits`,
  );
}
