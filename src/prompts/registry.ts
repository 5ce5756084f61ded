/**
 * A folder of prompts, read at once and again on demand, or when it changes.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { type DirectoryOptions, directorySource, type Source, type WatchOptions } from '../source/index.ts';
import { type Followed, follow, Listeners, type Touched } from './follow.ts';
import { type LoadedPrompts, loadPrompts } from './load.ts';
import { compareSnapshots, type PromptChanges, type PromptSnapshot } from './snapshot.ts';

/** Options of {@link openPrompts}. */
export interface PromptsOptions extends DirectoryOptions {
  /**
   * What becomes of a prompt with an error: `'skip'` leaves it out and reports it, `'throw'` refuses them all. A reload
   * that is refused leaves the prompts as they were. @default 'skip'
   */
  readonly invalidPrompts?: 'skip' | 'throw';
  /** Bytes of one file; 0 is the default, -1 is off. @default 16,777,216 */
  readonly maxFileBytes?: number;
  /** Read again by itself what changes: one watch a folder, or looks at intervals. @default false */
  readonly watch?: boolean | WatchOptions;
  /** Hears of changes that could not be read. @default nobody */
  readonly logger?: Logger;
}

/** The prompts of one or more folders. */
export interface PromptRegistry {
  /** The prompts in force. It is replaced as a whole by {@link PromptRegistry.reload} and never changes itself. */
  readonly snapshot: PromptSnapshot;
  /** Where the prompts are read from. */
  readonly sources: readonly Source[];
  /**
   * Reads everything again and resolves to what changed. Calls do not overlap: one made during another begins after it.
   * Errors: as {@link openPrompts}, and `PROVIDER_CLOSED` after `close()`; the prompts stay as they were.
   */
  reload(): Promise<PromptChanges>;
  /**
   * Calls `listener` after each reload, by hand or by a watch, that changed something; the returned function ends that.
   */
  onChange(listener: (changes: PromptChanges) => void): () => void;
  /** Ends the watch and frees what was opened here: folders that were given by name. The snapshot stays. Twice is fine. */
  close(): Promise<void>;
}

/**
 * Resolves to the prompts in a folder: each file `<id>.md` in it is one. Several folders may be given; of two prompts
 * with the same id the earlier one counts and the other is reported.
 *
 * One bad prompt does not take its neighbours down; `snapshot.diagnostics` says what is wrong with it. With `watch` an
 * edit that breaks a prompt withdraws that prompt alone.
 *
 * Errors: those of opening a folder (`SOURCE_NOT_FOUND`, `SOURCE_NOT_A_FOLDER`, `SOURCE_UNREADABLE`),
 * `PROMPT_REFUSED` with `invalidPrompts: 'throw'`, whose `details.diagnostics` holds every problem; with `watch` those of
 * `watchSource`, such as `FS_WATCHER_MISSING_HOST_ROOT` for a source that is no folder of this machine.
 *
 * @example
 * const registry = await openPrompts('./prompts');
 * registry.snapshot.prompts.map((prompt) => prompt.id)
 */
export async function openPrompts(
  from: string | Source | readonly (string | Source)[],
  options: PromptsOptions = {},
): Promise<PromptRegistry> {
  const { invalidPrompts: _, maxFileBytes: __, watch = false, logger = silentLogger, ...directory } = options;
  const given: readonly (string | Source)[] = Array.isArray(from) ? from : [from as string | Source];
  const opened: Source[] = [];
  let followed: Followed | undefined;
  try {
    const sources = given.map((each) => {
      if (typeof each !== 'string') return each;
      const source = directorySource(each, directory);
      opened.push(source);
      return source;
    });
    const registry: LiveRegistry = new LiveRegistry(sources, opened, options);
    followed = await follow(sources, { watch, logger, onChange: (touched) => registry.touched(touched) });
    await registry.load();
    registry.followed = followed;
    await followed.begin();
    return registry;
  } catch (error) {
    await followed?.close();
    await closeAll(opened);
    throw error;
  }
}

class LiveRegistry implements PromptRegistry {
  readonly sources: readonly Source[];
  followed: Followed | undefined;
  readonly #opened: readonly Source[];
  readonly #options: PromptsOptions;
  readonly #logger: Logger;
  readonly #listeners: Listeners<PromptChanges>;
  #loaded: LoadedPrompts | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** A batch was not taken: which files it named is over. */
  #missed = false;

  constructor(sources: readonly Source[], opened: readonly Source[], options: PromptsOptions) {
    this.sources = sources;
    this.#opened = opened;
    this.#options = options;
    this.#logger = options.logger ?? silentLogger;
    this.#listeners = new Listeners(this.#logger);
  }

  get snapshot(): PromptSnapshot {
    if (this.#loaded === undefined) throw new SkillError('INTERNAL', 'the prompts are not loaded yet');
    return this.#loaded.snapshot;
  }

  /** Reads what may have changed, by default everything. */
  async load(touched?: (source: Source, name: string) => boolean): Promise<void> {
    const { invalidPrompts = 'skip', maxFileBytes } = this.#options;
    const before = this.#loaded;
    const loaded = await loadPrompts(this.sources, {
      maxFileBytes,
      ...(before !== undefined && { before }),
      ...(touched !== undefined && { touched }),
    });
    if (invalidPrompts === 'throw') refuseErrors(loaded.snapshot);
    this.#loaded = loaded;
  }

  reload(): Promise<PromptChanges> {
    return this.#reload();
  }

  /** Takes a batch of a watch. Never rejects: what cannot be read now is read at the next change. */
  async touched({ source, paths }: Touched): Promise<void> {
    const names = new Set(paths);
    const touched = names.has('')
      ? undefined
      : (one: Source, name: string) => one === source && names.has(name);
    try {
      await this.#reload(touched);
    } catch (error) {
      if (isSkillError(error, 'PROVIDER_CLOSED')) return;
      this.#logger.error('the prompts could not be read again, what was served before stays', {
        error: error instanceof Error ? error.message : typeof error,
      });
    }
  }

  onChange(listener: (changes: PromptChanges) => void): () => void {
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.followed?.close();
    await this.#last;
    this.#listeners.clear();
    await closeAll(this.#opened);
  }

  #reload(touched?: (source: Source, name: string) => boolean): Promise<PromptChanges> {
    const next = this.#last.then(async () => {
      if (this.#closed) throw new SkillError('PROVIDER_CLOSED', 'the prompts are closed');
      const before = this.snapshot;
      const known = this.#missed ? undefined : touched;
      this.#missed = true;
      await this.load(known);
      this.#missed = false;
      const changes = compareSnapshots(before, this.snapshot);
      if (changes.updated.length > 0) this.#listeners.call(changes);
      return changes;
    });
    this.#last = next.catch(() => undefined);
    return next;
  }
}

async function closeAll(sources: readonly Source[]): Promise<void> {
  for (const source of sources) await source.close();
}

function refuseErrors({ diagnostics }: PromptSnapshot): void {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const [first] = errors;
  if (first === undefined) return;
  const { line, column } = first.range?.start ?? {};
  const where = line === undefined ? first.path : `${first.path}:${line}:${column}`;
  const more = errors.length === 1 ? '' : `, and ${errors.length - 1} more`;
  throw new SkillError('PROMPT_REFUSED', `${where}: ${first.message}${more}`, { details: { diagnostics } });
}
