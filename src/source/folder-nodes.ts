/**
 * What the names in a folder of a directory source are.
 *
 * @module
 */
import type { Dirent } from 'node:fs';
import type { IgnoreRules } from './ignore.ts';
import { childOf, identityOf, type LinkRoots } from './link-roots.ts';
import { isSafeSegment } from './safe-path.ts';
import type { SourceNode } from './source.ts';
import { fromSystem, withheld } from './source-error.ts';

/** Nodes that are kept to be used again: `SKILL.md`, `scripts` and the like stand in every other folder. */
const KEPT = 256;

/** A link that is not served because of where it leads, which may change while nothing changes in its folder. */
export const IGNORED_LINK = 'ignored link';

/** Judges the names in folders by the rules of their tree, and links by where they lead. */
export class FolderNodes {
  readonly #rules: IgnoreRules;
  readonly #links: LinkRoots;
  readonly #anywhere: boolean;
  /** The last node with a name of the same length and ends; half for files, half for folders. */
  readonly #kept: (SourceNode | undefined)[] = new Array(2 * KEPT).fill(undefined);

  /** `anywhere`: links are followed anywhere inside the roots. */
  constructor(rules: IgnoreRules, links: LinkRoots, anywhere: boolean) {
    this.#rules = rules;
    this.#links = links;
    this.#anywhere = anywhere;
  }

  /** Returns the node of `entry` in the folder at `folder`, which is really `real`; undefined when it is ignored whatever it is. */
  of(folder: string, real: string, entry: Dirent): SourceNode | typeof IGNORED_LINK | undefined {
    const { name } = entry;
    const kind = entry.isDirectory() ? 'directory' : 'file';
    const verdict = this.#rules.judge(folder, name, kind === 'directory');
    if (verdict === 'ignored') return undefined;
    if (!isSafeSegment(name)) return { name, kind, withheld: withheld('UNADDRESSABLE_NAME') };
    if (verdict === 'secret') return { name, kind, withheld: withheld('SECRET_WITHHELD') };
    if (entry.isFile() || kind === 'directory') return this.#plain(name, kind);
    if (entry.isSymbolicLink()) return this.#linkNode(folder, real, name);
    return { name, kind, withheld: withheld('SPECIAL_FILE') };
  }

  #plain(name: string, kind: SourceNode['kind']): SourceNode {
    const ends = name.length * 31 + name.charCodeAt(0) * 7 + name.charCodeAt(name.length - 1);
    const slot = (ends % KEPT) + (kind === 'file' ? KEPT : 0);
    const kept = this.#kept[slot];
    if (kept?.name === name) return kept;
    const node: SourceNode = { name, kind };
    this.#kept[slot] = node;
    return node;
  }

  #linkNode(folder: string, real: string, name: string): SourceNode | typeof IGNORED_LINK {
    try {
      const followed = this.#links.follow(childOf(real, name));
      if ('withheld' in followed) return { name, kind: 'file', withheld: withheld(followed.withheld) };
      const kind = followed.directory ? 'directory' : 'file';
      const own = this.#rules.judge(folder, name, followed.directory);
      if (own === 'ignored' || followed.verdict === 'ignored') return IGNORED_LINK;
      const link = {
        id: identityOf(followed.real),
        ...(followed.path === undefined ? {} : { path: followed.path }),
        ...(this.#anywhere ? { anywhere: true as const } : {}),
      };
      if (own === 'secret' || followed.verdict === 'secret') {
        return { name, kind, link, withheld: withheld('SECRET_WITHHELD') };
      }
      if (followed.directory && this.#links.leadsBack(followed.real, folder, real)) {
        return { name, kind, link, withheld: withheld('LINK_LOOP') };
      }
      return { name, kind, link };
    } catch (error) {
      // The link went away or cannot be looked at; its neighbours are fine.
      const reason = fromSystem(error, name).message;
      return { name, kind: 'file', withheld: withheld('FILE_UNREADABLE', reason) };
    }
  }
}
