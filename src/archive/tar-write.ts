/**
 * Writing a tar that depends on names, content and executability alone.
 *
 * @module
 */
import { BLOCK } from './tar-header.ts';

/** A file to pack. */
export interface PackedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

/** 1980-01-01 00:00 UTC, the first moment that a zip can name; some readers doubt an mtime of 0. */
const MTIME = 315_532_800;
const NAME_LENGTH = 100;
const PREFIX_LENGTH = 155;
const MAX_OCTAL_SIZE = 8 ** 11 - 1;

/**
 * Yields a tar of `files` in the order given: ustar headers, a pax header only before a path that ustar cannot hold.
 * No times, owners or names of owners; modes 0644 and 0755. Names stand as UTF-8.
 */
export function* writeTar(files: Iterable<PackedFile>): Generator<Uint8Array> {
  for (const file of files) {
    const mode = file.executable ? 0o755 : 0o644;
    const fit = splitPath(file.path);
    const records = fit === undefined ? [record('path', file.path)] : [];
    if (file.bytes.length > MAX_OCTAL_SIZE) records.push(record('size', String(file.bytes.length)));
    if (records.length > 0) {
      const body = Buffer.concat(records);
      yield header({ prefix: '', name: 'pax_header' }, body.length, 0o644, 'x');
      yield* padded(body);
    }
    // Readers without pax see this name: nothing right would fit, and a piece of the path could be another file's.
    const shown = fit ?? { prefix: '', name: 'path_in_pax_header' };
    yield header(shown, Math.min(file.bytes.length, MAX_OCTAL_SIZE), mode, '0');
    yield* padded(file.bytes);
  }
  yield Buffer.alloc(2 * BLOCK);
}

/** A path as ustar holds it: a name of 100 bytes behind a prefix of 155; undefined when it does not fit. */
function splitPath(path: string): { readonly prefix: string; readonly name: string } | undefined {
  if (Buffer.byteLength(path) <= NAME_LENGTH) return { prefix: '', name: path };
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
    const [prefix, name] = [path.slice(0, slash), path.slice(slash + 1)];
    if (Buffer.byteLength(name) > NAME_LENGTH) continue;
    return Buffer.byteLength(prefix) <= PREFIX_LENGTH ? { prefix, name } : undefined;
  }
  return undefined;
}

/** One pax record; its length counts its own digits. */
function record(key: string, value: string): Buffer {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  let length = rest + String(rest).length;
  if (String(length).length > String(rest).length) length = rest + String(length).length;
  return Buffer.from(`${length} ${key}=${value}\n`);
}

function header(
  { prefix, name }: { readonly prefix: string; readonly name: string },
  size: number,
  mode: number,
  type: string,
): Buffer {
  const block = Buffer.alloc(BLOCK);
  block.write(name, 0);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(MTIME, 11), 136);
  block.fill(' ', 148, 156);
  block.write(type, 156);
  block.write('ustar\u000000', 257);
  block.write(octal(0, 7), 329);
  block.write(octal(0, 7), 337);
  block.write(prefix, 345);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function octal(value: number, digits: number): string {
  return value.toString(8).padStart(digits, '0');
}

function* padded(bytes: Uint8Array): Generator<Uint8Array> {
  yield bytes;
  const over = bytes.length % BLOCK;
  if (over > 0) yield Buffer.alloc(BLOCK - over);
}
