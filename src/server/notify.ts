/**
 * When a change is told, and what is told of it.
 *
 * @module
 */

import type { Clock } from '../clock.ts';
import { LIMITS } from '../limits.ts';
import { encodeListChanged, type ListChangedParams, type PathChangeEntry } from '../wire/index.ts';

/** What sessions and streams are told at once. */
export interface Broadcast {
  /** Parameters of `notifications/resources/list_changed`; absent where no skill and no list of resources changed. */
  readonly params?: ListChangedParams;
  /** Whether `prompts/list` may have another answer: `notifications/prompts/list_changed` is due. */
  readonly promptsChanged: boolean;
  /** URIs, as they are listed, of the resources that changed: each subscriber of one gets `notifications/resources/updated`. */
  readonly updated: readonly string[];
}

/** Options of {@link Broadcaster}; every time in ms, 0 is none. */
export interface BroadcasterOptions {
  /** A broadcast waits until so long nothing more was asked for. */
  readonly coalesceWindowMs: number;
  /** But never longer than this after the first that it tells; 0 is no end. */
  readonly maxWaitMs: number;
  /** Time between two broadcasts, which wins over both. */
  readonly minBroadcastIntervalMs: number;
  /** The provider's version at this moment. */
  readonly version: () => number;
  /** Whether anybody listens; what changes while nobody does is told to nobody later. */
  readonly heard: () => boolean;
  readonly send: (broadcast: Broadcast) => void;
  readonly clock: Clock;
}

/** One path with what is known of it. */
export interface ChangedPath extends PathChangeEntry {
  readonly path: string;
}

/** The lists that a change concerns. */
export interface ChangedLists {
  readonly resources?: boolean;
  readonly prompts?: boolean;
}

/** What a change of skills concerns. */
const RESOURCES: ChangedLists = { resources: true };

/**
 * Collects what changed and sends it: one entry a path, the latest; never two broadcasts closer than the interval; never
 * one later than the maximum wait, the interval apart; nothing is lost but by {@link Broadcaster.close}.
 */
export class Broadcaster {
  readonly #options: BroadcasterOptions;
  readonly #paths: Map<string, PathChangeEntry> = new Map();
  readonly #updated: Set<string> = new Set();
  readonly #emptied: (() => void)[] = [];
  /** When the first and the last of the requests that wait were made. */
  #waiting: { readonly first: number; readonly last: number } | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #cancelTimer: () => void = nothing;
  #state: 'open' | 'draining' | 'closed' = 'open';
  /** Something was noted that no request asked to tell yet. */
  #noted = false;
  #resources = false;
  #prompts = false;

  constructor(options: BroadcasterOptions) {
    this.#options = options;
  }

  /**
   * Notes what the next broadcast tells; {@link Broadcaster.request} asks for one. `lists` are those that may have another
   * answer.
   */
  add(paths: Iterable<ChangedPath>, updated: Iterable<string>, lists: ChangedLists = RESOURCES): void {
    if (this.#state === 'closed') return;
    this.#noted = true;
    this.#resources ||= lists.resources === true;
    this.#prompts ||= lists.prompts === true;
    for (const { path, ...entry } of paths) this.#paths.set(path, entry);
    for (const uri of updated) this.#updated.add(uri);
  }

  /** Asks for a broadcast of everything noted so far, even if that is nothing. */
  request(): void {
    if (this.#state === 'closed') return;
    this.#noted = false;
    const now = this.#options.clock.now();
    this.#waiting = { first: this.#waiting?.first ?? now, last: now };
    this.#arm();
  }

  /** Asks for a broadcast if something was noted since one was asked for. */
  requestIfNoted(): void {
    if (this.#noted) this.request();
  }

  /** Sends what waits as soon as the interval allows, and resolves when nothing waits any more. */
  async drain(): Promise<void> {
    if (this.#state === 'open') this.#state = 'draining';
    this.requestIfNoted();
    if (this.#waiting === undefined) return;
    const emptied = new Promise<void>((resolve) => this.#emptied.push(resolve));
    this.#arm();
    await emptied;
  }

  /** Drops what waits; nothing is sent from then on. */
  close(): void {
    this.#state = 'closed';
    this.#clear();
  }

  #arm(): void {
    this.#cancelTimer();
    this.#cancelTimer = nothing;
    if (this.#waiting === undefined) return;
    const { clock, coalesceWindowMs, maxWaitMs, minBroadcastIntervalMs, heard } = this.#options;
    const { first, last } = this.#waiting;
    if (this.#state === 'draining' && !heard()) {
      this.#clear();
      return;
    }
    const latest = maxWaitMs > 0 ? first + maxWaitMs : Number.POSITIVE_INFINITY;
    const settled = this.#state === 'draining' ? first : Math.min(last + coalesceWindowMs, latest);
    const wait = Math.max(settled, this.#sentAt + minBroadcastIntervalMs) - clock.now();
    if (wait <= 0) this.#send();
    else this.#cancelTimer = clock.after(wait, () => this.#arm());
  }

  #send(): void {
    const { clock, heard, send, version } = this.#options;
    const broadcast: Broadcast = {
      ...(this.#resources && { params: encodeListChanged({ ...this.#named(), version: version() }) }),
      promptsChanged: this.#prompts,
      updated: [...this.#updated],
    };
    const isHeard = heard();
    if (isHeard) this.#sentAt = clock.now();
    this.#clear();
    if (isHeard) send(broadcast);
  }

  /** The paths, unless there are so many that naming them costs clients more than reading everything again. */
  #named(): { readonly paths?: Readonly<Record<string, PathChangeEntry>> } {
    let most = 0;
    for (const path of this.#paths.keys()) most += path.length * BYTES_A_CHARACTER + BYTES_AN_ENTRY;
    const paths = Object.fromEntries(this.#paths);
    if (most <= LIMITS.changedPathsBytes) return { paths };
    return Buffer.byteLength(JSON.stringify(paths)) <= LIMITS.changedPathsBytes ? { paths } : {};
  }

  #clear(): void {
    this.#cancelTimer();
    this.#cancelTimer = nothing;
    this.#waiting = undefined;
    this.#noted = false;
    this.#resources = false;
    this.#prompts = false;
    this.#paths.clear();
    this.#updated.clear();
    for (const emptied of this.#emptied.splice(0)) emptied();
  }
}

/** What a character of a path takes in JSON at most, and what stands beside a path. */
const BYTES_A_CHARACTER = 6;
const BYTES_AN_ENTRY = 200;

function nothing(): void {}
