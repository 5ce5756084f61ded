/**
 * The snapshot of a publication, with its lookups.
 *
 * @module
 */

import { isSkillError } from '../errors.ts';
import type { Diagnostic } from '../format/diagnostic.ts';
import { canonicalUri, MANIFEST_FILENAME } from '../uri/index.ts';
import { childrenOf, directoryAt } from './directories.ts';
import type { Publication } from './publish.ts';
import { revisionOf } from './revision.ts';
import type { DirectoryChild, Located, RefusedSkill, Skill, Snapshot } from './snapshot.ts';
import { indexOfUri } from './sorted-index.ts';

const MANIFEST = `/${MANIFEST_FILENAME}`;
/** Length of `skill://`. */
const LEAD = 8;

/** Skills that took the place of others since the map of all roots was made; beyond it a new map is made. */
const MOST_REPLACED = 256;

/**
 * The snapshot of a publication. Building it costs a map of the skills' roots; a file is found by the longest root
 * that its URI begins with and a binary search among that skill's files.
 */
export function buildSnapshot(publication: Publication): Snapshot {
  return new CatalogSnapshot(publication, rootsOf(publication.skills));
}

/** The snapshot of a publication that differs from that of `before` in the `replaced` skills alone. */
export function replaceInSnapshot(
  before: Snapshot,
  publication: Publication,
  replaced: readonly Skill[],
): Snapshot {
  const roots = CatalogSnapshot.rootsOf(before);
  if (roots === undefined || roots.replaced.size + replaced.length > MOST_REPLACED)
    return buildSnapshot(publication);
  const all = new Map(roots.replaced);
  for (const skill of replaced) all.set(skill.rootUri, skill);
  return new CatalogSnapshot(publication, { ...roots, replaced: all });
}

interface Roots {
  readonly all: ReadonlyMap<string, Skill>;
  /** These win over {@link Roots.all}, which snapshots share. */
  readonly replaced: ReadonlyMap<string, Skill>;
  /** Segments of the longest root: a URI with ten thousand slashes is not tried at each. */
  readonly depth: number;
}

function rootsOf(skills: readonly Skill[]): Roots {
  return {
    all: new Map(skills.map((skill) => [skill.rootUri, skill])),
    replaced: new Map(),
    depth: skills.reduce((most, skill) => Math.max(most, skill.rootUri.slice(LEAD).split('/').length), 0),
  };
}

class CatalogSnapshot implements Snapshot {
  readonly revision: string;
  readonly skills: readonly Skill[];
  readonly refused: readonly RefusedSkill[];
  readonly diagnostics: readonly Diagnostic[];
  readonly #roots: Roots;

  constructor({ skills, refused, diagnostics }: Publication, roots: Roots) {
    this.skills = Object.freeze(skills);
    this.refused = Object.freeze(refused);
    this.diagnostics = Object.freeze(diagnostics);
    this.revision = revisionOf(skills);
    this.#roots = roots;
    Object.freeze(this);
  }

  static rootsOf(snapshot: Snapshot): Roots | undefined {
    return snapshot instanceof CatalogSnapshot ? snapshot.#roots : undefined;
  }

  skill(uri: string): Skill | undefined {
    return this.#skillAt(uri) ?? respell(uri, (canonical) => this.#skillAt(canonical));
  }

  locate(uri: string): Located | undefined {
    return this.#locate(uri) ?? respell(uri, (canonical) => this.#locate(canonical));
  }

  children(skill: Skill, path: string): readonly DirectoryChild[] | undefined {
    return childrenOf(skill, path);
  }

  #skillAt(uri: string): Skill | undefined {
    return uri.endsWith(MANIFEST) ? this.#rootAt(uri.slice(0, -MANIFEST.length)) : undefined;
  }

  #rootAt(uri: string): Skill | undefined {
    return this.#roots.replaced.get(uri) ?? this.#roots.all.get(uri);
  }

  #locate(uri: string): Located | undefined {
    const whole = this.#rootAt(uri);
    if (whole !== undefined) return { kind: 'directory', skill: whole, path: '' };
    const ends: number[] = [];
    for (
      let at = uri.indexOf('/', LEAD);
      at !== -1 && ends.length < this.#roots.depth;
      at = uri.indexOf('/', at + 1)
    ) {
      ends.push(at);
    }
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
      const skill = this.#rootAt(uri.slice(0, end));
      const located = skill && locateIn(skill, uri);
      if (located !== undefined) return located;
    }
    return undefined;
  }
}

function locateIn(skill: Skill, uri: string): Located | undefined {
  const file = skill.files[indexOfUri(skill.files, uri)];
  if (file !== undefined) return { kind: 'file', skill, file };
  const path = directoryAt(skill, uri);
  return path === undefined ? undefined : { kind: 'directory', skill, path };
}

/** Looks again under the canonical spelling, if that is another one. Text that is no URI names nothing. */
function respell<T>(uri: string, look: (canonical: string) => T | undefined): T | undefined {
  let canonical: string;
  try {
    canonical = canonicalUri(uri);
  } catch (error) {
    if (isSkillError(error)) return undefined;
    throw error;
  }
  return canonical === uri ? undefined : look(canonical);
}
