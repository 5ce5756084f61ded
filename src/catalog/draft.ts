/**
 * Folders that were listed and whose files are still to be read.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import type { LinkTarget, SourceNode } from '../source/source.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import type { AheadPlace } from './read-ahead.ts';
import type { TreeFolder } from './tree.ts';

/** A folder that was listed and whose files are still to be read. */
export interface Draft {
  /** Its place among the drafts of its scan. */
  readonly index: number;
  readonly path: string;
  readonly id: string;
  readonly linked: boolean;
  readonly home: string | undefined;
  readonly homeId: string | undefined;
  /** None any more once its files were read: a scan of many folders would hold all names to its end. */
  nodes: readonly SourceNode[];
  /** Its `SKILL.md`. */
  readonly manifest: SourceNode | undefined;
  /** The same folder in the scan before, when it is still the same folder. */
  readonly previous: TreeFolder | undefined;
  /** Its files are to be compared with the source even if no path names them. */
  readonly deep: boolean;
  readonly parent: Draft | undefined;
  readonly folders: (Draft | TreeFolder)[];
  readonly problems: Diagnostic[];
  links: boolean;
  /** Where the facts of its files are, when they were asked for ahead. */
  ahead: AheadPlace | undefined;
}

/** Whether a child of a {@link Draft} was listed in this scan. */
export function isDraft(folder: Draft | TreeFolder): folder is Draft {
  return 'nodes' in folder;
}

/** A folder outside skills that is not listed: it holds what it held. */
export function passedDraft(
  index: number,
  path: string,
  parent: Draft | undefined,
  previous: TreeFolder,
): Draft {
  return {
    index,
    path,
    id: previous.id,
    linked: previous.linked,
    home: undefined,
    homeId: undefined,
    nodes: [],
    manifest: undefined,
    previous,
    deep: false,
    parent,
    folders: [...previous.folders],
    problems: [...previous.problems],
    links: false,
    ahead: undefined,
  };
}

/** A folder that is still to be listed. */
export interface Job {
  readonly path: string;
  readonly depth: number;
  readonly parent: Draft | undefined;
  readonly previous: TreeFolder | undefined;
  readonly deep: boolean;
  readonly link?: LinkTarget;
  /** What stands in its place among the folders of its parent, which was not listed. */
  readonly replaces?: TreeFolder;
}

/** Links that are still to be followed, first in order of path first out. */
export class LinkQueue {
  readonly #jobs: Job[] = [];
  #sorted = true;

  put(job: Job): void {
    this.#jobs.push(job);
    this.#sorted = false;
  }

  take(): Job | undefined {
    // The last one is taken, so that taking costs nothing.
    if (!this.#sorted) this.#jobs.sort((a, b) => compareCodePoints(b.path, a.path));
    this.#sorted = true;
    return this.#jobs.pop();
  }
}
