/**
 * The revision: one hash over everything that is published.
 *
 * @module
 */
import { createHash } from 'node:crypto';
import type { Skill } from './snapshot.ts';

const hashes = new WeakMap<Skill, string>();

/**
 * A hash over one skill as published: URI, listing, frontmatter, every file's URI, digest and size, and the folders
 * that hold nothing. Computed once a skill.
 */
export function skillHash(skill: Skill): string {
  const known = hashes.get(skill);
  if (known !== undefined) return known;
  // Canonical URIs and digests hold no space and no line end, so that the lines are unambiguous.
  let text = `${skill.uri} ${skill.listed} ${skill.hidden} ${skill.dynamic}\n${JSON.stringify(skill.frontmatter)}\n`;
  for (const { uri, digest, size } of skill.files)
    text += digest === undefined ? `${uri}\n` : `${uri} ${digest} ${size}\n`;
  for (const folder of emptyFolders(skill)) text += `${JSON.stringify(folder)}\n`;
  const hash = createHash('sha256').update(text).digest('hex');
  hashes.set(skill, hash);
  return hash;
}

/** Takes over the hash of a skill that another process worked out. */
export function knowSkillHash(skill: Skill, hash: string): void {
  hashes.set(skill, hash);
}

/**
 * The revision of `skills` in their order: 64 lower-case hex digits, equal for equal content wherever it lies. A skill
 * that did not change costs 64 bytes of hashing.
 */
export function revisionOf(skills: readonly Skill[]): string {
  let hashes = '';
  for (const skill of skills) hashes += skillHash(skill);
  return createHash('sha256').update(hashes).digest('hex');
}

/** Folders without anything in them: other folders show in the files' URIs. */
function emptyFolders(skill: Skill): string[] {
  if (skill.folders.length === 0) return [];
  const filled = new Set<string>();
  const add = (path: string): void => {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
      filled.add(path.slice(0, at));
  };
  for (const file of skill.files) add(file.path);
  for (const folder of skill.folders) add(folder);
  return skill.folders.filter((folder) => !filled.has(folder));
}
