/**
 * What the reader of a dialect stands on.
 *
 * @module
 */
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { Connection } from './connection.ts';
import type { WalkLimits } from './walk.ts';

/** Shared by all readers of one client. */
export interface ReaderContext {
  readonly connection: Connection;
  /** For {@link walkPages}. */
  readonly walk: WalkLimits;
  /** Bytes of one resource outside the released form, and of one archive. */
  readonly maxResourceBytes: number;
  readonly clock: Clock;
  readonly logger: Logger;
}
