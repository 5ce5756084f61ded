/**
 * The provider of `skillwire serve`.
 *
 * @module
 */
import { LIMITS } from '../limits.ts';
import type { Logger } from '../logger.ts';
import {
  createProvider,
  type PackFormat,
  type ProviderOptions,
  SERVED_DIALECTS,
  type ServedDialect,
  type SkillProvider,
} from '../server/index.ts';
import type { Source, WatchOptions } from '../source/index.ts';
import { openDigestIndex } from '../store/index.ts';
import { describeChanges } from './change-log.ts';
import type { ServeFlags } from './commands/serve.ts';
import { exposureOptions } from './exposure-flags.ts';
import { type PromptParts, requirePromptFlags } from './prompt-flags.ts';
import { logPartsChanges } from './prompt-report.ts';
import { catalogOptions } from './source-flags.ts';
import { usageError } from './usage.ts';

/** What `openProvider` needs beside the flags. */
export interface OpenProviderOptions {
  /** Absent: prompts or documents are served alone. */
  readonly source: Source | undefined;
  readonly parts?: Pick<PromptParts, 'prompts' | 'docs'>;
  readonly logger: Logger;
  readonly onProgress: NonNullable<ProviderOptions['onProgress']>;
}

/**
 * A provider as `flags` say, which watches the folders of its source, and asks servers for what was fetched, unless told not
 * to, and logs what changes. Digests are kept for the next start. A source with neither is not watched; only `--poll` insists.
 *
 * Errors: those of `createProvider`.
 */
export async function openProvider(flags: ServeFlags, options: OpenProviderOptions): Promise<SkillProvider> {
  const { source, parts = {}, logger, onProgress } = options;
  const dialects = dialectsOf(flags);
  const archive = archiveOf(flags);
  const provider = await createProvider({
    ...catalogOptions(flags),
    ...(source !== undefined && { source }),
    ...(parts.prompts !== undefined && { prompts: parts.prompts }),
    ...(parts.docs !== undefined && { docs: parts.docs }),
    // What it says of changes is said below in the words of the command line.
    logger: { ...logger, info: logger.debug },
    watch: watchOf(flags, source),
    coalesceWindowMs: LIMITS.coalesceWindowMs,
    maxWaitMs: LIMITS.maxWaitMs,
    minBroadcastIntervalMs: LIMITS.minBroadcastIntervalMs,
    ...(flags.pageSize === undefined ? {} : { pageSize: flags.pageSize }),
    ...(flags.ttl === undefined ? {} : { ttlMs: flags.ttl }),
    ...(dialects === undefined ? {} : { dialects }),
    ...(flags.supportingFiles === undefined ? {} : { supportingFiles: flags.supportingFiles }),
    ...(archive === undefined ? {} : { archive }),
    ...exposureOptions(flags),
    ...(flags.cache && { digestIndex: openDigestIndex(undefined, { logger }) }),
    onProgress,
  });
  provider.onChange((changes) => {
    const line = describeChanges(changes);
    if (line === undefined) return;
    const { added, changed, removed, files } = changes;
    const facts = { added, changed, removed, files: files.map(({ uri, action }) => ({ uri, action })) };
    logger.info(line, flags.logFormat === 'json' ? facts : {});
  });
  logPartsChanges(parts, logger, flags.logFormat === 'json');
  return provider;
}

function watchOf(flags: ServeFlags, source: Source | undefined): boolean | WatchOptions {
  if (source === undefined) return false;
  if (flags.poll === true) return { poll: true };
  return flags.watch && ((source.hostRoots ?? []).length > 0 || source.revalidate !== undefined);
}

/** Refuses flags about skills where none are served. Errors: `USAGE`. */
export function refuseSkillFlags(flags: ServeFlags): void {
  const given = [
    flags.dialects === undefined ? '' : '--dialects',
    flags.archive === undefined ? '' : '--archive',
    flags.supportingFiles === undefined ? '' : '--supporting-files',
    flags.expose === undefined ? '' : '--expose',
    flags.prefix === undefined ? '' : '--prefix',
    flags.publicWellKnown === true ? '--public-well-known' : '',
  ].find((flag) => flag !== '');
  if (given === undefined) return;
  throw usageError(
    `${given} is about skills, and no source of skills is given`,
    'add one: skillwire serve ./skills',
  );
}

/** Refuses flags that contradict each other. Errors: `USAGE`. */
export function requireServeFlags(flags: ServeFlags): void {
  if (flags.poll === true && !flags.watch) {
    throw usageError('--poll and --no-watch contradict each other', 'leave one of them out');
  }
  requirePromptFlags(flags);
  archiveOf(flags);
  exposureOptions(flags);
  if (flags.publicWellKnown !== true || dialectsOf(flags)?.includes('well-known') !== false) return;
  throw usageError(
    '--public-well-known is for the dialect well-known, which --dialects leaves out',
    'add well-known to --dialects, or leave --public-well-known out',
  );
}

/** Refuses to serve over stdio what exists over HTTP alone. Errors: `USAGE`. */
export function refuseWellKnownAlone(flags: ServeFlags): void {
  if (dialectsOf(flags)?.some((dialect) => dialect !== 'well-known') !== false) return;
  throw usageError(
    '--dialects names well-known alone, which is for HTTP, and this serves over stdio',
    'add --http, or name another dialect too',
  );
}

function dialectsOf({ dialects }: ServeFlags): readonly ServedDialect[] | undefined {
  if (dialects === undefined) return undefined;
  return dialects.split(',').map((name) => {
    const found = SERVED_DIALECTS.find((each) => each === name.trim());
    if (found !== undefined) return found;
    throw usageError(
      `--dialects knows no ${JSON.stringify(name)}`,
      `one or more of ${SERVED_DIALECTS.join(',')}, with commas between them`,
    );
  });
}

function archiveOf(flags: ServeFlags): PackFormat | undefined {
  const { archive } = flags;
  if (archive === undefined || dialectsOf(flags)?.includes('draft-index') !== false) return archive;
  throw usageError(
    '--archive is for the dialect draft-index, which --dialects leaves out',
    'add draft-index to --dialects, or leave --archive out',
  );
}
