/**
 * A source over an archive from elsewhere, which another archive can take the place of.
 *
 * @module
 */
import type { ArchiveFormat } from '../archive/index.ts';
import { SkillError } from '../errors.ts';
import type { Validators } from '../net/index.ts';
import { quote } from '../uri/quote.ts';
import type { ArchiveSource } from './archive.ts';
import type { FetchedArchive } from './http.ts';
import type { MaybePromise, ReadOptions, Revalidate, SourceFile, SourceFolder } from './source.ts';

/** One version of an archive, open. */
export interface Generation {
  readonly source: ArchiveSource;
  readonly digest: string;
  readonly notModified: boolean;
  readonly validators: Validators;
}

/** Resolves to the version that there is now: undefined or one with the same `source` when it is the one given. */
export type Refetch = (now: Generation, signal: AbortSignal) => Promise<Generation | undefined>;

/**
 * A source whose archive is exchanged as a whole. Identities of folders stay what they were; stamps of files do not. What
 * is being read ends on the archive on which it began, which is closed after that.
 */
export class FetchedSource implements FetchedArchive {
  readonly label: string;
  readonly revalidate: Revalidate | undefined;
  readonly #ending: AbortController = new AbortController();
  /** Reads under way, by the archive they are on. */
  readonly #reading: Map<ArchiveSource, number> = new Map();
  readonly #retired: Set<ArchiveSource> = new Set();
  #now: Generation;
  #asking: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  constructor(label: string, first: Generation, refetch?: Refetch) {
    this.label = label;
    this.#now = first;
    this.revalidate =
      refetch === undefined
        ? undefined
        : ({ signal } = {}) => {
            // One after the other: whoever asks is told of the state after they asked.
            const asked = this.#asking.then(() => this.#ask(refetch, signal));
            this.#asking = asked.catch(() => undefined);
            return asked;
          };
  }

  get format(): ArchiveFormat {
    return this.#now.source.format;
  }

  get wrapper(): string | undefined {
    return this.#now.source.wrapper;
  }

  get comment(): string | undefined {
    return this.#now.source.comment;
  }

  get digest(): string {
    return this.#now.digest;
  }

  get notModified(): boolean {
    return this.#now.notModified;
  }

  list(path: string): SourceFolder {
    return this.#now.source.list(path);
  }

  read(path: string, options?: ReadOptions): MaybePromise<SourceFile> {
    return this.#during((source) => source.read(path, options));
  }

  stat(
    path: string,
    options?: ReadOptions,
  ): MaybePromise<Omit<SourceFile, 'bytes'> & { readonly size: number }> {
    return this.#during((source) => source.stat(path, options));
  }

  ignores(path: string, directory?: boolean): boolean {
    return this.#now.source.ignores?.(path, directory) === true;
  }

  contains(ancestor: string, id: string): boolean {
    return this.#now.source.contains(ancestor, id);
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#ending.abort(
      new SkillError('ARCHIVE_CLOSED', `the source ${quote(this.label)} is closed; open it again`),
    );
    const { source } = this.#now;
    await source.close();
    await this.#asking;
    await Promise.all([...this.#retired].map((retired) => retired.close()));
  }

  async #ask(refetch: Refetch, signal: AbortSignal | undefined): Promise<boolean> {
    const ended = this.#ending.signal;
    const either = signal === undefined ? ended : AbortSignal.any([ended, signal]);
    either.throwIfAborted();
    const before = this.#now;
    const next = await refetch(before, either);
    if (next === undefined) return false;
    if (next.source !== before.source && either.aborted) {
      await next.source.close();
      throw either.reason;
    }
    this.#now = next;
    if (next.source === before.source) return false;
    this.#retired.add(before.source);
    await this.#release(before.source);
    return true;
  }

  #during<T>(use: (source: ArchiveSource) => MaybePromise<T>): MaybePromise<T> {
    const { source } = this.#now;
    const value = use(source);
    if (!(value instanceof Promise)) return value;
    this.#reading.set(source, (this.#reading.get(source) ?? 0) + 1);
    return value.finally(() => {
      const left = (this.#reading.get(source) ?? 1) - 1;
      if (left > 0) this.#reading.set(source, left);
      else this.#reading.delete(source);
      return this.#release(source);
    });
  }

  /** Closes an archive that another one took the place of, once nobody reads it. */
  async #release(source: ArchiveSource): Promise<void> {
    if (!this.#retired.has(source) || this.#reading.has(source)) return;
    this.#retired.delete(source);
    await source.close();
  }
}
