/**
 * The facts of many files of a folder, as one thread asks them of another.
 *
 * @module
 */
import type { BigIntStats } from 'node:fs';
import { CheckedOpener, type CheckedOpenerOptions, ELSEWHERE } from './checked-open.ts';
import { FactsTaker } from './file-facts.ts';
import { CHANGED } from './file-read.ts';
import type { HostFs } from './host-fs.ts';
import { childOf, hostPath } from './link-roots.ts';
import { isMarkdownName, looksLikePrivateKey } from './secret.ts';
import type { FactsBatch, SourceFacts } from './source.ts';

/** What is the same for all files that are asked for. */
export interface FactsScope {
  /** The real path of the root. */
  readonly root: string;
  /** As in {@link CheckedOpenerOptions}. */
  readonly procFd?: boolean;
  /** Larger files are not told; absent: no cap. */
  readonly maxBytes?: number;
  /** The files of a group are told until together they exceed this; absent: no cap. */
  readonly maxBytesWithin?: number;
}

/** Files that are asked for, in columns: a message of few long lists is cheaper than one of many objects. */
export interface FactsRequest {
  readonly id: number;
  readonly folders: readonly string[];
  /** The group of the files of each folder. */
  readonly groups: readonly number[];
  /** How many of `names` belong to each folder. */
  readonly counts: readonly number[];
  /** Empty where nothing is to be told. */
  readonly names: readonly string[];
}

/** The answer to one {@link FactsRequest}, by the same places. */
export interface FactsReply {
  readonly id: number;
  readonly readAt: number;
  /** -1 for a file that is not told. */
  readonly sizes: readonly number[];
  readonly modified: Float64Array;
  readonly texts: Uint8Array;
  readonly digests: readonly string[];
  readonly stamps: readonly string[];
}

class Untold extends Error {}

/**
 * Answers requests. Told are plain files that were opened at their real path below the root, as the checks after opening
 * found, and could be read; about everything else (links, secrets, errors of any kind) the other side has more to say.
 */
export class FactsAnswerer {
  readonly #fs: HostFs;
  readonly #scope: FactsScope;
  readonly #opener: CheckedOpener;
  readonly #taker: FactsTaker;
  readonly #told: Map<number, number> = new Map();

  constructor(fs: HostFs, scope: FactsScope) {
    const options: CheckedOpenerOptions = scope.procFd === undefined ? {} : { procFd: scope.procFd };
    this.#fs = fs;
    this.#scope = scope;
    this.#opener = new CheckedOpener(fs, scope.root, options);
    this.#taker = new FactsTaker(fs);
  }

  answer({ id, folders, groups, counts, names }: FactsRequest): FactsReply {
    const modified = new Float64Array(names.length);
    const texts = new Uint8Array(names.length);
    const sizes: number[] = [];
    const digests: string[] = [];
    const stamps: string[] = [];
    const readAt = Date.now();
    for (const [index, folder] of folders.entries()) {
      const group = groups[index] ?? 0;
      for (let left = counts[index] ?? 0; left > 0; left -= 1) {
        const place = sizes.length;
        const name = names[place] ?? '';
        const facts = name === '' ? undefined : this.#tell(folder === '' ? name : `${folder}/${name}`, group);
        sizes.push(facts?.size ?? -1);
        digests.push(facts?.digest ?? '');
        stamps.push(facts?.stamp ?? '');
        modified[place] = facts?.modifiedAt ?? 0;
        texts[place] = facts?.text === true ? 1 : 0;
      }
    }
    return { id, readAt, sizes, modified, texts, digests, stamps };
  }

  #tell(path: string, group: number): SourceFacts | undefined {
    const { maxBytesWithin } = this.#scope;
    const before = this.#told.get(group) ?? 0;
    if (maxBytesWithin !== undefined && before > maxBytesWithin) return undefined;
    let facts: SourceFacts | undefined;
    try {
      facts = this.#facts(path);
    } catch {
      // Whatever it is, the other side meets it too and gives it its words.
      return undefined;
    }
    if (facts !== undefined) this.#told.set(group, before + facts.size);
    return facts;
  }

  #facts(path: string): SourceFacts | undefined {
    const fd = this.#opener.openFile(childOf(this.#scope.root, hostPath(path)));
    if (fd === ELSEWHERE) return undefined;
    try {
      const stats = this.#fs.fstat(fd);
      if (!this.#admits(stats)) return undefined;
      const facts = this.#taker.take(fd, stats, (head) => {
        if (!isMarkdownName(path) && looksLikePrivateKey(head)) throw new Untold();
      });
      return facts === CHANGED ? undefined : facts;
    } finally {
      this.#fs.close(fd);
    }
  }

  #admits(stats: BigIntStats): boolean {
    const { maxBytes } = this.#scope;
    return stats.isFile() && (maxBytes === undefined || stats.size <= maxBytes);
  }
}

/** Returns the facts in a reply. */
export function batchOf(reply: FactsReply): FactsBatch {
  return {
    readAt: reply.readAt,
    at: (place) => {
      const size = reply.sizes[place] ?? -1;
      const digest = reply.digests[place];
      const stamp = reply.stamps[place];
      if (size < 0 || digest === undefined || stamp === undefined) return undefined;
      return { size, digest, text: reply.texts[place] === 1, stamp, modifiedAt: reply.modified[place] ?? 0 };
    },
  };
}

/** A batch in which nothing is told. */
export const NOTHING_TOLD: FactsBatch = { readAt: 0, at: () => undefined };
