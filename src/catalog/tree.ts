/**
 * What a scan found: folders with their files and what they say, before anything is published.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import type { JsonObject } from '../format/json.ts';
import type { SkillFile } from './snapshot.ts';

/** The judged `SKILL.md` of a folder. */
export interface SkillHead {
  readonly outcome: 'refused' | 'unlisted' | 'listed';
  /** Present unless refused. */
  readonly frontmatter?: JsonObject;
  /** Empty when refused. */
  readonly name: string;
  readonly description: string;
  readonly renamed: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** What is known of a skill as it was published from the same folder before. */
export interface PublishedAs {
  readonly hidden: boolean;
  /** As `skillHash` has it. */
  readonly hash: string;
}

/**
 * A folder as it was found. Trees are shared between scans: what a refresh did not touch is the same object, so that
 * everything derived from it can be kept.
 */
export interface TreeFolder {
  /** Below the source. */
  readonly path: string;
  readonly id: string;
  /** Reached through a link, by itself or by a folder above. */
  readonly linked: boolean;
  /** Path of the innermost folder with a `SKILL.md`, this one included; undefined outside every skill. */
  readonly home: string | undefined;
  /** {@link TreeFolder.id} of that folder. */
  readonly homeId: string | undefined;
  /** What its `SKILL.md` says; undefined when it has none. */
  readonly head: SkillHead | undefined;
  /** Known only of what another process found. */
  readonly published?: PublishedAs | undefined;
  /** The URI of this folder that the URIs of `files` begin with; empty outside every skill. */
  readonly uri: string;
  /** Empty outside every skill. In no order. */
  readonly files: readonly SkillFile[];
  /** In order of name, those reached through links last. */
  readonly folders: readonly TreeFolder[];
  /** What was found wrong in this very folder, the diagnostics of `head` not among them. */
  readonly problems: readonly Diagnostic[];
  /** Reading stopped because a skill exceeds its cap: the files here or below are not all there are. */
  readonly tooLarge: boolean;
  /** Folders in this tree, this one included. */
  readonly count: number;
  /** Folders with a `SKILL.md` in this tree, this one included. */
  readonly skills: number;
  /** Whether this tree holds links, which a refresh has to judge again. */
  readonly links: boolean;
  /** Whether this tree holds problems or diagnostics. */
  readonly noisy: boolean;
}

/**
 * `name` in the folder at `path`, in one piece: paths are kept by the hundred thousand, and text put together by a
 * template stays a tree of its parts.
 */
export function joinPath(path: string, name: string): string {
  return path === '' ? name : [path, name].join('/');
}

/** The folder that `path` stands in; the empty string for a name in the root. */
export function parentPath(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash === -1 ? '' : path.slice(0, slash);
}

/** The last name of `path`. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `path` as seen from `folder`, which it stands below. */
export function pathBelow(folder: string, path: string): string {
  return folder === '' ? path : path.slice(folder.length + 1);
}
