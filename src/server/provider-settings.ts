/**
 * The options of a provider, judged.
 *
 * @module
 */

import { MAX_TIMER_MS } from '../clock.ts';
import { SkillError } from '../errors.ts';
import { dialectsOf, type ServedDialect } from './dialects.ts';
import { exposureOf } from './exposure.ts';
import type { ProviderOptions } from './provider.ts';

/**
 * The dialects to serve, once every option is one that can be followed; none where prompts or documents are served alone.
 *
 * Errors: `PROVIDER_MISSING_FS`, `USAGE`, `ARCHIVE_UNSUPPORTED_FOR_PACK`, `ARCHIVE_UNKNOWN_FORMAT`.
 *
 * @example
 * requireOptions({ source }) // Set { 'released', 'draft-index', 'fastmcp', 'well-known' }
 */
export function requireOptions(options: ProviderOptions): ReadonlySet<ServedDialect> {
  const hasSource = options.source !== undefined && options.source !== null;
  if (!hasSource && options.prompts === undefined && options.docs === undefined) {
    throw new SkillError(
      'PROVIDER_MISSING_FS',
      'createProvider needs a source, such as directorySource(path)',
    );
  }
  requireWhole('ttlMs', options.ttlMs, 0, 'ms; 0 is "do not cache"');
  requireWhole('pageSize', options.pageSize, -1, 'entries; 0 is the default, -1 is off');
  requireWhole('archiveMaxBytes', options.archiveMaxBytes, -1, 'bytes; 0 is the default, -1 is off');
  requireWhole('indexCacheTtlMs', options.indexCacheTtlMs, 0, 'ms; 0 is "make it anew each time"');
  for (const name of ['coalesceWindowMs', 'maxWaitMs', 'minBroadcastIntervalMs'] as const) {
    requireWhole(name, options[name], 0, 'ms; 0 is none', MAX_TIMER_MS);
  }
  const { supportingDigests } = options;
  if (supportingDigests !== undefined && supportingDigests !== 'per-file' && supportingDigests !== 'off') {
    throw new SkillError(
      'USAGE',
      `supportingDigests is ${JSON.stringify(supportingDigests)}; it is per-file or off`,
    );
  }
  const { supportingFiles } = options;
  if (supportingFiles !== undefined && supportingFiles !== 'template' && supportingFiles !== 'resources') {
    throw new SkillError(
      'USAGE',
      `supportingFiles is ${JSON.stringify(supportingFiles)}; it is template or resources`,
    );
  }
  exposureOf(options);
  if (!hasSource) return withoutSkills(options);
  const dialects = dialectsOf(options.dialects);
  requireArchive(options.archive, dialects);
  return dialects;
}

/** No dialect at all: a server without skills does not say that it has some. Errors: `USAGE` for options about skills. */
function withoutSkills({ dialects, archive, expose }: ProviderOptions): ReadonlySet<ServedDialect> {
  for (const [name, value] of Object.entries({ dialects, archive, expose })) {
    if (value === undefined) continue;
    throw new SkillError('USAGE', `${name} is about skills, and there is no source of skills`);
  }
  return new Set();
}

function requireWhole(
  name: string,
  value: number | undefined,
  least: number,
  unit: string,
  most: number = Number.MAX_SAFE_INTEGER,
): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least && value <= most)) return;
  throw new SkillError('USAGE', `${name} is ${value}; it is a whole number of ${unit}`);
}

function requireArchive(archive: string | undefined, dialects: ReadonlySet<ServedDialect>): void {
  if (archive === undefined) return;
  if (archive === 'tar.bz2') {
    throw new SkillError('ARCHIVE_UNSUPPORTED_FOR_PACK', 'archive is tar.bz2, which is read and not written');
  }
  if (archive !== 'tar.gz' && archive !== 'zip') {
    throw new SkillError(
      'ARCHIVE_UNKNOWN_FORMAT',
      `archive is ${JSON.stringify(archive)}; skills are packed as tar.gz or zip`,
    );
  }
  if (dialects.has('draft-index')) return;
  throw new SkillError('USAGE', 'archive is for the dialect draft-index, which is switched off');
}
