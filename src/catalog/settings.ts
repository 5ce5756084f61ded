/**
 * The options of a catalog with every default filled in.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { type Logger, silentLogger } from '../logger.ts';
import { encodeSegment } from '../uri/index.ts';
import type { CatalogOptions } from './catalog.ts';
import type { DigestIndex } from './digest-index.ts';

/** {@link CatalogOptions} with every default filled in; caps that are off are Infinity. */
export interface CatalogSettings {
  /** Encoded, with a slash at its end; empty without a prefix. */
  readonly prefix: string;
  readonly nonConforming: 'unlist' | 'list' | 'reject';
  readonly nameMismatch: 'publish-under-name' | 'reject';
  readonly nestedSkills: 'publish' | 'reject';
  readonly invalidSkills: 'skip' | 'throw';
  readonly hidden: (skillPath: string) => boolean;
  readonly maxFileBytes: number;
  readonly maxSkillBytes: number;
  readonly maxFolders: number;
  readonly maxDepth: number;
  readonly digestIndex: DigestIndex | undefined;
  readonly logger: Logger;
  readonly onProgress: (skills: number, total: number) => void;
}

/**
 * `options` with every default filled in. `strict` takes the last value of each choice (design decision 6); empty
 * pieces of `prefix` are dropped, as in seed 000.
 *
 * Errors: `PATH_TRAVERSAL`, `INVALID_SEGMENT` for a `prefix` that cannot stand in a URI; `USAGE` for a choice that
 * does not exist.
 *
 * @example
 * settingsOf({ strict: true }).nestedSkills // 'reject'
 */
export function settingsOf(options: CatalogOptions = {}): CatalogSettings {
  const last = options.strict === true ? 1 : 0;
  return {
    prefix: (options.prefix ?? '')
      .split('/')
      .filter((piece) => piece !== '')
      .map((piece) => `${encodeSegment(piece)}/`)
      .join(''),
    nonConforming: choice(
      'nonConforming',
      options.nonConforming,
      ['unlist', 'list', 'reject'],
      last ? 'reject' : 'unlist',
    ),
    nameMismatch: choice(
      'nameMismatch',
      options.nameMismatch,
      ['publish-under-name', 'reject'],
      last ? 'reject' : 'publish-under-name',
    ),
    nestedSkills: choice(
      'nestedSkills',
      options.nestedSkills,
      ['publish', 'reject'],
      last ? 'reject' : 'publish',
    ),
    invalidSkills: choice('invalidSkills', options.invalidSkills, ['skip', 'throw'], last ? 'throw' : 'skip'),
    hidden: options.hidden ?? none,
    maxFileBytes: capOf(options.maxFileBytes, LIMITS.fileBytes),
    maxSkillBytes: capOf(options.maxSkillBytes, LIMITS.skillBytes),
    maxFolders: capOf(options.maxFolders, LIMITS.scanFolders),
    maxDepth: capOf(options.maxDepth, LIMITS.scanDepth),
    digestIndex: options.digestIndex,
    logger: options.logger ?? silentLogger,
    onProgress: options.onProgress ?? ignore,
  };
}

function none(): boolean {
  return false;
}

function ignore(): void {}

function choice<T extends string>(name: string, value: T | undefined, values: readonly T[], fallback: T): T {
  if (value === undefined) return fallback;
  if (values.includes(value)) return value;
  throw new SkillError('USAGE', `${name} is one of ${values.join(', ')}; this is ${JSON.stringify(value)}`, {
    details: { option: name, value },
  });
}
