/**
 * The readers of a client, in the order in which their dialects are looked for.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { capOf, LIMITS } from '../limits.ts';
import { quote } from '../uri/quote.ts';
import type { DialectReader } from './dialect.ts';
import { ArchiveFiles } from './dialects/archive-files.ts';
import { DraftIndexReader } from './dialects/draft-index.ts';
import { FastmcpReader } from './dialects/fastmcp.ts';
import { PlainReader } from './dialects/plain.ts';
import { ReleasedReader } from './dialects/released.ts';
import { WellKnownReader } from './dialects/well-known.ts';
import type { SkillsClientOptions } from './options.ts';
import type { ReaderContext } from './reader-context.ts';
import { ResourceListing } from './resource-listing.ts';

/**
 * The readers that `options` ask for; with `dialect`, that one alone.
 *
 * Errors: `USAGE` for the dialect `well-known` without an origin, and for a dialect that there is not; `NET_URL_REFUSED`.
 *
 * @example
 * const readers = readersOf(context, { plain: true })
 */
export function readersOf(context: ReaderContext, options: SkillsClientOptions): readonly DialectReader[] {
  const { dialect, plain, wellKnown } = options;
  const archives = new ArchiveFiles();
  const listing = new ResourceListing(context);
  const readers: DialectReader[] = [
    new ReleasedReader({
      ...context,
      maxResourceBytes: capOf(options.maxResourceBytes, LIMITS.clientResourceBytes),
    }),
    new DraftIndexReader(context, archives),
    new FastmcpReader(context, listing),
  ];
  if (wellKnown !== undefined) {
    const timeoutMs = capOf(options.requestTimeoutMs, LIMITS.fetchTotalMs);
    readers.push(new WellKnownReader(context, { ...wellKnown, archives, timeoutMs }));
  }
  if (plain === true || dialect === 'plain') readers.push(new PlainReader(context, listing));
  if (dialect === undefined) return readers;
  const forced = readers.filter((reader) => reader.dialect === dialect);
  if (forced.length > 0) return forced;
  throw new SkillError(
    'USAGE',
    dialect === 'well-known'
      ? 'the dialect well-known is read from an HTTP origin; pass wellKnown: { url }'
      : `there is no dialect ${quote(String(dialect))} to read`,
    { details: { dialect } },
  );
}
