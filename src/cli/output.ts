/**
 * Where commands write: two streams, colour or not, and a reader that may go away.
 *
 * @module
 */
import { writeError } from '../store/atomic.ts';
import { type ClosableStream, quietWhenClosed } from './quiet-stream.ts';
import { textWidth } from './text-width.ts';

/** What {@link createOutput} needs of a stream. */
export interface OutputStream extends ClosableStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  hasColors?(): boolean;
}

/** The colours of messages; each returns its text unchanged where colour is off. */
export interface Style {
  readonly red: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
  readonly bold: Paint;
  readonly dim: Paint;
}

type Paint = (text: string) => string;

/** What a command writes to. */
export interface Output {
  /** Writes a line to stdout. */
  line(text?: string): void;
  /** Writes text or bytes to stdout as they are. */
  raw(data: string | Uint8Array): void;
  /** Writes a line to stderr. */
  note(text?: string): void;
  /** Writes one JSON document to stdout. */
  json(value: unknown): void;
  /** Replaces the last status line on stderr when that is a terminal; an empty text removes it. */
  status(text: string): void;
  /** From now on no line and no document shows `secret`; bytes written by `raw` stay as they are. */
  hide(secret: string): void;
  readonly style: Style;
  readonly errorStyle: Style;
  /** Cells in a line of stdout; 100 where it is no terminal. */
  readonly width: number;
  readonly isTerminal: boolean;
  readonly errorIsTerminal: boolean;
}

/**
 * Whether a stream gets colour: `FORCE_COLOR` decides when set (`0` or `false`: no), then `NO_COLOR`, then
 * whether the stream is a terminal that has colours.
 */
export function wantsColour(
  stream: Pick<OutputStream, 'isTTY' | 'hasColors'>,
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const forced = env.FORCE_COLOR;
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return stream.isTTY === true && (stream.hasColors?.() ?? true);
}

function styleOf(on: boolean): Style {
  const paint =
    (open: number, close: number): Paint =>
    (text) =>
      on ? `\u001b[${open}m${text}\u001b[${close}m` : text;
  return {
    red: paint(31, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
    bold: paint(1, 22),
    dim: paint(2, 22),
  };
}

/**
 * The output of a command. A reader that closes its end early (`| head`) silences that stream; the command goes
 * on and its exit code stays its own. So it does where stderr cannot be written, as with a log on a full disk: there is no
 * other place to say so, and a server goes on. What stdout does not take is lost work, thrown as `WRITE_FAILED`.
 *
 * @example
 * const output = createOutput(process.stdout, process.stderr, process.env)
 */
export function createOutput(
  stdout: OutputStream,
  stderr: OutputStream,
  env: Readonly<Record<string, string | undefined>>,
): Output {
  const out = quietWhenClosed(stdout, (error) => {
    throw writeError('stdout', error);
  });
  const err = quietWhenClosed(stderr, () => undefined);
  const secrets = new Set<string>();
  const clean = (text: string): string =>
    [...secrets].reduce((shown, secret) => shown.replaceAll(secret, '[hidden]'), text);
  let statusShown = false;
  const clear = (): string => {
    const text = statusShown ? '\r\u001b[2K' : '';
    statusShown = false;
    return text;
  };
  return {
    line: (text = '') => out(`${clean(text)}\n`),
    raw: (data) => out(data),
    note: (text = '') => err(`${clear()}${clean(text)}\n`),
    json: (value) => out(`${JSON.stringify(value, cleaner(clean, secrets), 2)}\n`),
    status(text) {
      if (stderr.isTTY !== true) return;
      const before = clear();
      statusShown = text !== '';
      if (before !== '' || text !== '') err(`${before}${clean(text)}`);
    },
    hide(secret) {
      if (secret === '') return;
      secrets.add(secret);
      // As a document in a text spells it.
      secrets.add(JSON.stringify(secret).slice(1, -1));
    },
    style: styleOf(wantsColour(stdout, env)),
    errorStyle: styleOf(wantsColour(stderr, env)),
    width: Math.max(40, stdout.columns ?? 100),
    isTerminal: stdout.isTTY === true,
    errorIsTerminal: stderr.isTTY === true,
  };
}

/** A shorter text may be the name of a field of ours. */
const NEVER_OURS = 16;

/** Cleans the texts of a document, and the names in it of long secrets: what makes it a document stays as it is. */
function cleaner(
  clean: (text: string) => string,
  secrets: ReadonlySet<string>,
): (key: string, value: unknown) => unknown {
  const long = [...secrets].filter((secret) => secret.length >= NEVER_OURS);
  return (_key, value) => {
    if (typeof value === 'string') return clean(value);
    if (long.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
      return value;
    const names = Object.keys(value);
    if (!names.some((name) => long.some((secret) => name.includes(secret)))) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [clean(name), each]));
  };
}

/**
 * Lines of a table: every column but the last padded to its widest cell, two spaces between columns.
 *
 * @example
 * tableLines([['3', 'LINK_ESCAPES'], ['12', 'SECRET_WITHHELD']])
 */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, textWidth(cell));
    });
  }
  return rows.map((row) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell + ' '.repeat((widths[column] ?? 0) - textWidth(cell)),
      )
      .join('  '),
  );
}
