/**
 * Extended headers of a tar (POSIX pax).
 *
 * @module
 */
import { corrupt, unsupported } from './archive-error.ts';
import { decodeName } from './tar-header.ts';

/** What the records of an extended header change about the next entry. */
export interface PaxFields {
  readonly path?: string;
  readonly linkPath?: string;
  readonly size?: number;
  readonly comment?: string;
}

const SPACE = 0x20;
const EQUALS = 0x3d;
const NEWLINE = 0x0a;

/**
 * Returns the fields of an extended header, `<length> <key>=<value>\n` one after the other. Keys that change nothing
 * about files are passed over; an empty value takes its key back.
 *
 * Errors: `ARCHIVE_CORRUPT` for a record that is not whole, since readers disagree about what follows;
 * `ARCHIVE_UNSUPPORTED` for sparse files, whose content would come out wrong; `ARCHIVE_UNSAFE_NAME`.
 */
export function readPax(body: Buffer, offset: number): PaxFields {
  const fields: { path?: string; linkPath?: string; size?: number; comment?: string } = {};
  for (const { key, value, at } of records(body, offset)) {
    if (key.startsWith('GNU.sparse.')) throw unsupported('holds a sparse file');
    if (key === 'path') set(fields, 'path', value.length === 0 ? undefined : decodeName(value));
    else if (key === 'linkpath')
      set(fields, 'linkPath', value.length === 0 ? undefined : value.toString('utf8'));
    else if (key === 'size') set(fields, 'size', value.length === 0 ? undefined : readSize(value, at));
    else if (key === 'comment') set(fields, 'comment', value.toString('utf8'));
  }
  return fields;
}

/**
 * Returns the comment of a global extended header, in which `git archive` records its commit.
 *
 * Errors: as {@link readPax}; `ARCHIVE_UNSUPPORTED` when it would rename or resize every entry.
 */
export function readGlobalPax(body: Buffer, offset: number): string | undefined {
  const { comment, ...others } = readPax(body, offset);
  if (Object.keys(others).length > 0) throw unsupported('names or sizes every entry in a global header');
  return comment;
}

function set<K extends keyof PaxFields>(
  fields: { [key in K]?: PaxFields[K] },
  key: K,
  value: PaxFields[K],
): void {
  if (value === undefined) delete fields[key];
  else fields[key] = value;
}

function* records(
  body: Buffer,
  offset: number,
): Generator<{ readonly key: string; readonly value: Buffer; readonly at: number }> {
  let start = 0;
  while (start < body.length) {
    const at = offset + start;
    const space = body.indexOf(SPACE, start);
    const digits = space < 0 ? '' : body.toString('latin1', start, Math.min(space, start + 10));
    const end = start + (/^[1-9][0-9]*$/.test(digits) ? Number(digits) : 0);
    const equals = space < 0 ? -1 : body.indexOf(EQUALS, space);
    if (end > body.length || equals <= space + 1 || equals >= end - 1 || body[end - 1] !== NEWLINE) {
      throw corrupt('a record of an extended tar header is not whole', at);
    }
    yield {
      key: body.toString('utf8', space + 1, equals),
      value: body.subarray(equals + 1, end - 1),
      at,
    };
    start = end;
  }
}

function readSize(value: Buffer, offset: number): number {
  const text = value.toString('latin1');
  const size = /^[0-9]{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(size)) throw corrupt('the size in an extended tar header is no number', offset);
  return size;
}
