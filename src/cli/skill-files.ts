/**
 * A skill of a server as folders and files.
 *
 * @module
 */
import type { ClientResource, FoundSkill } from '../client/skill.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { isSafeSegment } from '../source/index.ts';
import { quote } from '../uri/quote.ts';

/** A file of a skill below its folder. */
export interface SkillFile {
  /** Below the skill, `/`-separated; the names are decoded, and each is safe to be one. */
  readonly path: string;
  readonly uri: string;
  readonly digest?: string;
  readonly size?: number;
}

/** What a skill is called. */
export interface SkillNames {
  /** Its name as the entry states it, or the last name of its path. */
  readonly name: string;
  /** The names that lead to it, `/`-separated; of a URL, where they say how it is hosted, the last one alone. */
  readonly path: string;
}

const MANIFEST = 'SKILL.md';

/**
 * What the skill of an entry is called. Errors: `INVALID_ENTRY` for a URI that is none of a `SKILL.md`, or has a name in it
 * that no folder can have.
 *
 * @example
 * namesOf({ uri: 'skill://acme/pdf/SKILL.md', frontmatter: { name: 'pdf' } }) // { name: 'pdf', path: 'acme/pdf' }
 */
export function namesOf({ uri, frontmatter }: Pick<FoundSkill['entry'], 'uri' | 'frontmatter'>): SkillNames {
  const match = /^([a-z][a-z0-9+.-]*):\/{0,3}(.*)$/i.exec(uri);
  const segments = (match?.[2] ?? '').split('/').map((segment) => decoded(segment, uri));
  if (segments.pop() !== MANIFEST || segments.length === 0) {
    throw invalid(uri, 'is not the URI of a SKILL.md in a folder');
  }
  const last = segments.at(-1) ?? '';
  const isUrl = /^https?$/i.test(match?.[1] ?? '');
  // The first name of a URL may have a port, and is no folder anyway.
  const path = isUrl ? [last] : segments;
  for (const segment of path) {
    if (!isSafeSegment(segment))
      throw invalid(uri, `has the name ${quote(segment)}, which no folder can have`);
  }
  return { name: typeof frontmatter.name === 'string' ? frontmatter.name : last, path: path.join('/') };
}

/**
 * What to call the skill of an entry where something has to be said: its name, the last name of its path, or its URI.
 *
 * @example
 * shownName(found.entry) // 'pdf'
 */
export function shownName(entry: Pick<FoundSkill['entry'], 'uri' | 'frontmatter'>): string {
  if (typeof entry.frontmatter.name === 'string') return entry.frontmatter.name;
  try {
    return namesOf(entry).name;
  } catch (error) {
    if (isSkillError(error)) return entry.uri;
    throw error;
  }
}

/**
 * The files of a skill whose entry tells them, in the order of the entry. Errors: `INVALID_ENTRY` for one that is not below
 * the skill, has a name that no file can have, or stands there twice.
 *
 * @example
 * filesOf(await client.getSkill('skill://pdf/SKILL.md'))
 */
export function filesOf({ entry }: FoundSkill): SkillFile[] {
  if (typeof entry.resources === 'string') return [];
  const root = entry.uri.slice(0, entry.uri.lastIndexOf('/') + 1);
  const seen = new Set<string>();
  return entry.resources.map((resource) => {
    const path = pathBelow(root, resource);
    if (seen.has(path)) throw invalid(resource.uri, 'stands twice in its entry');
    seen.add(path);
    return { ...resource, path };
  });
}

function pathBelow(root: string, { uri }: ClientResource): string {
  const base = rootLength(root, uri);
  if (base === undefined) throw invalid(uri, `is not below ${quote(root)}`);
  const segments = uri
    .slice(base)
    .split('/')
    .map((segment) => decoded(segment, uri));
  for (const segment of segments) {
    if (!isSafeSegment(segment)) throw invalid(uri, `has the name ${quote(segment)}, which no file can have`);
  }
  return segments.join('/');
}

/** Where the part below `root` begins, whatever way the names above are spelled. */
function rootLength(root: string, uri: string): number | undefined {
  if (uri.startsWith(root)) return root.length;
  const depth = root.split('/').length;
  const parts = uri.split('/');
  if (parts.length < depth) return undefined;
  const above = parts.slice(0, depth - 1);
  const same = root
    .split('/')
    .slice(0, -1)
    .every((segment, index) => decoded(segment, root) === decoded(above[index] ?? '', uri));
  return same ? above.join('/').length + 1 : undefined;
}

function decoded(segment: string, uri: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new SkillError('INVALID_ENTRY', `${quote(uri)} has a bad percent escape`, {
      details: { uri },
      cause,
    });
  }
}

function invalid(uri: string, why: string): SkillError {
  return new SkillError('INVALID_ENTRY', `${quote(uri)} ${why}`, { details: { uri } });
}
