/**
 * A folder of prompts, read at once and again on demand.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { type DirectoryOptions, directorySource, type Source } from '../source/index.ts';
import { loadPrompts } from './load.ts';
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
}

/** The prompts of one or more folders. */
export interface PromptRegistry {
  /** The prompts in force. It is replaced as a whole by {@link PromptRegistry.reload} and never changes itself. */
  readonly snapshot: PromptSnapshot;
  /** Where the prompts are read from; a watcher can watch them. */
  readonly sources: readonly Source[];
  /**
   * Reads everything again and resolves to what changed. Calls do not overlap: one made during another begins after it.
   * Errors: as {@link openPrompts}, and `PROVIDER_CLOSED` after `close()`; the prompts stay as they were.
   */
  reload(): Promise<PromptChanges>;
  /** Frees what was opened here: folders that were given by name. The snapshot stays. Twice is fine. */
  close(): Promise<void>;
}

/**
 * Resolves to the prompts in a folder: each file `<id>.md` in it is one. Several folders may be given; of two prompts
 * with the same id the earlier one counts and the other is reported.
 *
 * One bad prompt does not take its neighbours down; `snapshot.diagnostics` says what is wrong with it.
 *
 * Errors: those of opening a folder (`SOURCE_NOT_FOUND`, `SOURCE_NOT_A_FOLDER`, `SOURCE_UNREADABLE`), and
 * `PROMPT_REFUSED` with `invalidPrompts: 'throw'`, whose `details.diagnostics` holds every problem.
 *
 * @example
 * const registry = await openPrompts('./prompts');
 * registry.snapshot.prompts.map((prompt) => prompt.id)
 */
export async function openPrompts(
  from: string | Source | readonly (string | Source)[],
  options: PromptsOptions = {},
): Promise<PromptRegistry> {
  const { invalidPrompts = 'skip', maxFileBytes, ...directory } = options;
  const given: readonly (string | Source)[] = Array.isArray(from) ? from : [from as string | Source];
  const opened: Source[] = [];
  const sources = given.map((each) => {
    if (typeof each !== 'string') return each;
    const source = directorySource(each, directory);
    opened.push(source);
    return source;
  });

  async function load(before?: PromptSnapshot): Promise<PromptSnapshot> {
    const loaded = await loadPrompts(sources, { maxFileBytes, ...(before && { before }) });
    if (invalidPrompts === 'throw') refuseErrors(loaded);
    return loaded;
  }

  let snapshot: PromptSnapshot;
  try {
    snapshot = await load();
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  async function reload(): Promise<PromptChanges> {
    if (closed) throw new SkillError('PROVIDER_CLOSED', 'the prompts are closed');
    const before = snapshot;
    const after = await load(before);
    snapshot = after;
    return compareSnapshots(before, after);
  }

  return {
    get snapshot() {
      return snapshot;
    },
    sources,
    reload() {
      const next = last.then(reload);
      last = next.catch(() => undefined);
      return next;
    },
    async close() {
      if (closed) return;
      closed = true;
      await last;
      await closeAll(opened);
    },
  };
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
