/**
 * The logger that library code is given; it has no other way to speak.
 *
 * @module
 */

/** One line per call; `fields` are facts for a structured log, never skill content and never a credential. */
export interface Logger {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

function drop(): void {}

/** Says nothing. The default wherever a logger is optional. */
export const silentLogger: Logger = { debug: drop, info: drop, warn: drop, error: drop };
