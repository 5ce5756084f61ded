/**
 * The sources of a command line as one source.
 *
 * @module
 */
import { type Logger, silentLogger } from '../logger.ts';
import {
  mountSources,
  type OnSourceProgress,
  type OpenOptions,
  openSource,
  type Source,
} from '../source/index.ts';
import { openStore } from '../store/index.ts';
import type { CliContext } from './context.ts';
import type { Output } from './output.ts';
import { printable } from './printable.ts';
import { showBytes } from './progress.ts';

/**
 * All of `texts` opened and put side by side; one alone stays as it is. Downloads go through the cache folder, with
 * `GITHUB_TOKEN` for GitHub, show their progress on a terminal, and may come from the private host that was typed, though
 * from no other. What they put on disk for the time being goes when the source is closed.
 *
 * Errors: those of `openSource`; `MOUNT_COLLISION` from the first `list`. What was opened before an error is closed.
 */
export async function openSources(
  texts: readonly string[],
  options: OpenOptions,
  { output, env }: Pick<CliContext, 'output' | 'env'>,
  logger: Logger = silentLogger,
): Promise<Source> {
  const store = openStore(undefined, { logger });
  const token = env.GITHUB_TOKEN ?? '';
  const remote: OpenOptions = {
    ...options,
    store,
    allowPrivate: true,
    logger,
    onProgress: progressOn(output),
    ...(token === '' ? {} : { token }),
  };
  const opened: Source[] = [];
  try {
    for (const text of texts) opened.push(await openSource(text, remote));
  } catch (error) {
    await Promise.all(opened.map((source) => source.close()));
    await store.close();
    throw error;
  }
  const [first, ...more] = opened;
  const source =
    first !== undefined && more.length === 0
      ? first
      : mountSources(
          opened.map((each) => ({ source: each })),
          { logger },
        );
  const closeSource = source.close.bind(source);
  return Object.assign(source, {
    close: async (): Promise<void> => {
      await closeSource();
      await store.close();
    },
  });
}

function progressOn(output: Output): OnSourceProgress {
  const shown = new Map<string, ReturnType<typeof showBytes>>();
  return ({ step, label, bytes, total }) => {
    const what = `${step === 'download' ? 'downloading' : 'unpacking'} ${printable(label)}`;
    let show = shown.get(what);
    if (show === undefined) {
      show = showBytes(output, what);
      shown.set(what, show);
    }
    show(bytes, total);
  };
}
