/**
 * The `well-known` surface: which skills its two indexes hold, and what they say of them.
 *
 * @module
 */
import type { Skill, SkillFile, Snapshot } from '../../catalog/snapshot.ts';
import { compareCodePoints } from '../../uri/code-point-order.ts';
import {
  type DiscoveryEntry,
  isLegacyPath,
  type LegacyEntry,
  MAX_WELL_KNOWN_DESCRIPTION,
  type SkillType,
} from '../../wire/index.ts';

/** A listed skill that an index does not hold. */
export interface LeftOut {
  readonly skill: Skill;
  /** `older`: it stands in the 0.2.0 index and not in the older one. */
  readonly from: 'both' | 'older';
  /** Completes "left out because …". */
  readonly because: string;
}

/** The skills of a snapshot that well-known indexes hold. */
export interface WellKnownSkills {
  /** Each under its name, in code-point order by name. */
  readonly skills: ReadonlyMap<string, Skill>;
  /** Those among them that the older form can carry. */
  readonly older: ReadonlyMap<string, Skill>;
  readonly leftOut: readonly LeftOut[];
}

const known = new WeakMap<Snapshot, WellKnownSkills>();

/**
 * The skills that the well-known indexes of a snapshot hold: listed ones whose description has at most 1,024 UTF-16
 * units and whose files have digests. Of several of one name the one with the shortest path: the fewest segments, then
 * the first in code-point order. The same object for the same snapshot.
 *
 * @example
 * wellKnownSkills(catalog.snapshot).skills.get('pdf')?.uri
 */
export function wellKnownSkills(snapshot: Snapshot): WellKnownSkills {
  let made = known.get(snapshot);
  if (made === undefined) {
    made = choose(snapshot);
    known.set(snapshot, made);
  }
  return made;
}

function choose(snapshot: Snapshot): WellKnownSkills {
  const chosen = new Map<string, Skill>();
  const leftOut: LeftOut[] = [];
  const both = (skill: Skill, because: string): void => {
    leftOut.push({ skill, from: 'both', because });
  };
  for (const skill of snapshot.skills) {
    if (!skill.listed || skill.hidden) continue;
    const { name, description, dynamic } = skill;
    const earlier = chosen.get(name);
    if (dynamic) both(skill, 'its files are made anew for each reader and have no digest');
    else if (description.length > MAX_WELL_KNOWN_DESCRIPTION) {
      both(
        skill,
        `its description has ${description.length} UTF-16 units; the limit is ${MAX_WELL_KNOWN_DESCRIPTION}`,
      );
    } else if (earlier === undefined) chosen.set(name, skill);
    else {
      const [first, second] = depth(skill) < depth(earlier) ? [skill, earlier] : [earlier, skill];
      chosen.set(name, first);
      both(second, `${first.uri} has the same name and a shorter path`);
    }
  }
  const skills = new Map([...chosen].sort(([a], [b]) => compareCodePoints(a, b)));
  const older = new Map<string, Skill>();
  for (const [name, skill] of skills) {
    const uncarried = uncarriedBy(skill);
    if (uncarried === undefined) older.set(name, skill);
    else {
      const because = `its clients cannot ask for a file named ${JSON.stringify(uncarried.path)}`;
      leftOut.push({ skill, from: 'older', because });
    }
  }
  return { skills, older, leftOut };
}

const uncarried = new WeakMap<Skill, SkillFile | undefined>();

/** A file that the older form cannot carry; looked for once, since most skills outlive many snapshots. */
function uncarriedBy(skill: Skill): SkillFile | undefined {
  if (uncarried.has(skill)) return uncarried.get(skill);
  const found = skill.files.find((file) => !isLegacyPath(file.path));
  uncarried.set(skill, found);
  return found;
}

function depth({ rootUri }: Skill): number {
  return rootUri.split('/').length;
}

/**
 * Whether a skill goes out as its `SKILL.md` or as an archive: an archive unless it has no other file, since clients
 * fetch nothing but what the entry names.
 *
 * @example
 * artifactType(skill) // 'archive'
 */
export function artifactType(skill: Skill): SkillType {
  return skill.files.length === 1 ? 'skill-md' : 'archive';
}

/** The `SKILL.md` of a skill. */
export function manifestFile(skill: Skill): SkillFile | undefined {
  return skill.files.find((file) => file.uri === skill.uri);
}

/**
 * The entries of a discovery 0.2.0 index in order of name. URLs are relative to the index, and hold the digest: what a
 * URL names never changes, so that it may be cached for ever, and an index that is out of date leads to a 404 and never
 * to other bytes. A skill without an artifact is left out.
 *
 * @example
 * discoveryEntries(wellKnownSkills(snapshot), (skill) => digests.get(skill))
 */
export function discoveryEntries(
  { skills }: WellKnownSkills,
  digestOf: (skill: Skill) => string | undefined,
): readonly DiscoveryEntry[] {
  const entries: DiscoveryEntry[] = [];
  for (const [name, skill] of skills) {
    const digest = digestOf(skill);
    if (digest === undefined) continue;
    const type = artifactType(skill);
    entries.push({
      name,
      type,
      description: skill.description,
      url: artifactPath(name, type, digest),
      digest,
    });
  }
  return entries;
}

/**
 * Where an artifact lies beside the index: `pdf/<hex>/SKILL.md` or `pdf/<hex>/pdf.tar.gz`.
 *
 * @example
 * artifactPath('pdf', 'archive', 'sha256:ab…') // 'pdf/ab…/pdf.tar.gz'
 */
export function artifactPath(name: string, type: SkillType, digest: string): string {
  return `${name}/${digest.slice('sha256:'.length)}/${type === 'archive' ? `${name}.tar.gz` : 'SKILL.md'}`;
}

/**
 * The entries of the older index in order of name, each with the paths of its files, `SKILL.md` first.
 *
 * @example
 * legacyEntries(wellKnownSkills(snapshot))[0]?.files // ['SKILL.md', 'references/forms.md']
 */
export function legacyEntries({ older }: WellKnownSkills): readonly LegacyEntry[] {
  return [...older].map(([name, skill]) => ({
    name,
    description: skill.description,
    files: ['SKILL.md', ...skill.files.filter((file) => file.uri !== skill.uri).map((file) => file.path)],
  }));
}
