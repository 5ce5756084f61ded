/**
 * The readers of a client, in the order in which their dialects are looked for.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import type { DialectReader } from './dialect.ts';
import { ReleasedReader } from './dialects/released.ts';
import type { SkillsClientOptions } from './options.ts';
import type { ReaderContext } from './reader-context.ts';

/**
 * The readers that `options` ask for; with `dialect`, that one alone.
 *
 * Errors: `USAGE` for the dialect `well-known` without an origin, and for a dialect that there is not.
 *
 * @example
 * const readers = readersOf(context, { plain: true })
 */
export function readersOf(context: ReaderContext, options: SkillsClientOptions): readonly DialectReader[] {
  const released: ReaderContext = {
    ...context,
    maxResourceBytes: capOf(options.maxResourceBytes, LIMITS.clientResourceBytes),
  };
  const readers: DialectReader[] = [new ReleasedReader(released)];
  const { dialect } = options;
  if (dialect === undefined) return readers;
  const forced = readers.filter((reader) => reader.dialect === dialect);
  if (forced.length > 0) return forced;
  throw new SkillError('USAGE', `there is no dialect ${JSON.stringify(String(dialect))} to read`, {
    details: { dialect },
  });
}
