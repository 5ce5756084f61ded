/**
 * From what a caller reports to what is told of it.
 *
 * @module
 */
import type { FileChange } from '../catalog/file-changes.ts';
import type { Skill, SkillFile, Snapshot } from '../catalog/snapshot.ts';
import { SkillError } from '../errors.ts';
import type { PathChange } from '../wire/index.ts';
import type { ChangedPath } from './notify.ts';

/** A reported event whose path is in the spelling of the catalog and whose time is known. */
export interface DescribedEvent {
  readonly path: string;
  readonly action?: string;
  readonly timestamp: string;
  readonly digest?: string;
}

const ACTIONS: ReadonlySet<string> = new Set(['modified', 'created', 'deleted']);

/**
 * The events as they can be told; those with an empty path are left out, as in seed 000. Errors: `USAGE` for an event
 * that no broadcast could carry.
 *
 * @example
 * describeEvents([{ path: 'pdf/SKILL.md' }], new Date())
 */
export function describeEvents(events: readonly PathChange[], now: Date): readonly DescribedEvent[] {
  const described: DescribedEvent[] = [];
  for (const event of events) {
    const { path, action, timestamp = now, digest } = event;
    if (typeof path !== 'string') throw invalid('a path that is no text');
    if (action !== undefined && !ACTIONS.has(action)) throw invalid('an action that does not exist');
    if (digest !== undefined && typeof digest !== 'string') throw invalid('a digest that is no text');
    if (!(timestamp instanceof Date) || !isPlainYear(timestamp)) throw invalid('a timestamp that is no date');
    const plain = plainPath(path);
    if (plain === '') continue;
    described.push({
      path: plain,
      timestamp: timestamp.toISOString(),
      ...(action !== undefined && { action }),
      ...(digest !== undefined && digest !== '' && { digest }),
    });
  }
  return described;
}

function invalid(what: string): SkillError {
  return new SkillError('USAGE', `a reported change has ${what}`);
}

/** RFC 3339 has four digits for the year. */
function isPlainYear(date: Date): boolean {
  const time = date.getTime();
  return !Number.isNaN(time) && /^\d{4}-/.test(date.toISOString());
}

/** Without what a refresh forgives, so that one path is told once. */
function plainPath(path: string): string {
  return path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/');
}

/**
 * What is told of the events, once their paths were scanned: what the caller left out is filled in from what the scan
 * found and the catalog serves. What is gone has no digest.
 *
 * @example
 * changedPaths(described, changes.files, catalog.snapshot)
 */
export function changedPaths(
  events: readonly DescribedEvent[],
  found: readonly FileChange[],
  snapshot: Snapshot,
): readonly ChangedPath[] {
  const actions = new Map(found.map(({ path, action }) => [path, action]));
  return events.map(({ path, timestamp, ...event }) => {
    const action = event.action ?? actions.get(path) ?? 'modified';
    if (action === 'deleted') return { path, action, timestamp };
    const digest = event.digest ?? filesAt(snapshot, path).find((file) => file.sourcePath === path)?.digest;
    return { path, action, timestamp, ...(digest !== undefined && { digest }) };
  });
}

const byFolder = new WeakMap<Snapshot, ReadonlyMap<string, Skill>>();

/**
 * The files that are served from a path of the source, or from below it; one that two skills show stands there twice.
 *
 * @example
 * filesAt(catalog.snapshot, 'pdf/references')
 */
export function filesAt(snapshot: Snapshot, path: string): readonly SkillFile[] {
  let skills = byFolder.get(snapshot);
  if (skills === undefined) {
    skills = new Map(snapshot.skills.map((skill) => [skill.path, skill]));
    byFolder.set(snapshot, skills);
  }
  const below = `${path}/`;
  const found: SkillFile[] = [];
  for (let folder = path; folder !== ''; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    for (const file of skills.get(folder)?.files ?? []) {
      if (file.sourcePath === path || file.sourcePath.startsWith(below)) found.push(file);
    }
  }
  if (found.some((file) => file.sourcePath === path)) return found;
  for (const skill of snapshot.skills) if (skill.path.startsWith(below)) found.push(...skill.files);
  return found;
}
