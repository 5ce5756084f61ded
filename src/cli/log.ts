/**
 * The logger of the command line: lines on stderr, as text or as JSON.
 *
 * @module
 */
import { type Logger, silentLogger } from '../logger.ts';
import { printable } from './printable.ts';

/** Levels from the most to the least talkative. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** One of {@link LOG_LEVELS}. */
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Options of {@link createLogger}. */
export interface CliLoggerOptions {
  /** Lines below this level are dropped. @default 'info' */
  readonly level?: LogLevel;
  /** @default 'text' */
  readonly format?: 'text' | 'json';
  /** Takes each finished line, without a line end. */
  readonly write: (line: string) => void;
  /** Texts that never appear in a line, such as the token in force. */
  readonly secrets?: readonly string[];
  /** The time of a line. @default the clock */
  readonly now?: () => Date;
}

const CREDENTIAL_KEY = /token|secret|password|authorization|cookie|api[-_]?key/i;

/**
 * A logger that writes one line a call. Fields whose name speaks of a credential are blanked, and so is every
 * text of `secrets`, wherever it stands.
 *
 * @example
 * const logger = createLogger({ level: 'debug', write: (line) => process.stderr.write(`${line}\n`) })
 */
export function createLogger(options: CliLoggerOptions): Logger {
  const least = LOG_LEVELS.indexOf(options.level ?? 'info');
  const secrets = (options.secrets ?? []).filter((secret) => secret !== '');
  const hide = (text: string): string =>
    secrets.reduce((shown, secret) => shown.replaceAll(secret, '[hidden]'), text);
  const hideIn = (key: string, value: unknown): unknown => {
    const shown = shownValue(key, value);
    return typeof shown === 'string' ? hide(withoutStack(shown, options.level)) : shown;
  };
  // Through JSON, so that texts deep inside are cleaned before anything escapes them.
  const clean = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    JSON.parse(JSON.stringify(fields, hideIn));
  const emit = (level: LogLevel, message: string, fields: Readonly<Record<string, unknown>>): void => {
    if (LOG_LEVELS.indexOf(level) < least) return;
    const shown = clean(fields);
    if (options.format === 'json') {
      const time = (options.now?.() ?? new Date()).toISOString();
      options.write(JSON.stringify({ time, level, message: hide(message), ...shown }));
    } else {
      const parts = [`skillwire: ${level}: ${hide(message)}`, ...Object.entries(shown).map(asText)];
      options.write(printable(parts.join(' ')));
    }
  };
  return {
    // Whoever sees that nothing is heard need not put it together.
    debug: least > 0 ? silentLogger.debug : (message, fields = {}) => emit('debug', message, fields),
    info: (message, fields = {}) => emit('info', message, fields),
    warn: (message, fields = {}) => emit('warn', message, fields),
    error: (message, fields = {}) => emit('error', message, fields),
  };
}

function shownValue(key: string, value: unknown): unknown {
  if (CREDENTIAL_KEY.test(key)) return '[hidden]';
  if (value instanceof Error) return value.message;
  return typeof value === 'bigint' ? value.toString() : value;
}

/** A stack trace is for who asked for everything; others get its first line. */
function withoutStack(text: string, level: LogLevel | undefined): string {
  return level === 'debug' ? text : text.replace(/\n\s+at [\s\S]*$/, '');
}

function asText([key, value]: [string, unknown]): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  return `${key}=${/[\s"]/.test(text) && typeof value === 'string' ? JSON.stringify(text) : text}`;
}
