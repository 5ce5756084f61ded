/**
 * Where the token of the HTTP server comes from.
 *
 * @module
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import { SkillError } from '../errors.ts';
import { shellWord } from './shell-word.ts';
import { usageError } from './usage.ts';

/** A token and what to warn of. */
export interface FoundToken {
  readonly token: string;
  readonly warning?: string;
}

/** A token has no use for more; a larger file is the wrong file. */
const MAX_BYTES = 4_096;

/**
 * The token in a file, or in `SKILLWIRE_TOKEN` when no file is named; undefined when there is neither.
 *
 * One line end after the token is dropped, as editors write one. A file that others can read is a warning.
 *
 * Errors: `USAGE` for an empty token, one that no HTTP header carries (spaces, controls, not ASCII), or a file over
 * 4 KiB; `FILE_UNREADABLE`.
 */
export function findToken(
  file: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): FoundToken | undefined {
  if (file !== undefined) return fromFile(file, cwd);
  const token = env.SKILLWIRE_TOKEN;
  if (token === undefined) return undefined;
  return { token: checked(token, 'SKILLWIRE_TOKEN') };
}

function fromFile(shown: string, cwd: string): FoundToken {
  let text: string;
  let mode: number;
  try {
    const fd = openSync(resolve(cwd, shown), 'r');
    try {
      mode = fstatSync(fd).mode;
      text = readCapped(fd, shown);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof SkillError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const hint =
      code === 'ENOENT'
        ? `make one: (umask 077; openssl rand -hex 32 > ${shellWord(shown)}); relative paths count from ${cwd}`
        : 'name a file that holds the token and nothing else';
    throw new SkillError('FILE_UNREADABLE', `cannot read the token file ${shown} (${code})`, {
      cause: error,
      details: { hint },
    });
  }
  const token = checked(text.replace(/\r?\n$/, ''), shown);
  // Windows has no such bits.
  const open = process.platform !== 'win32' && (mode & 0o077) !== 0;
  return open
    ? { token, warning: `others on this machine can read ${shown}; chmod 600 ${shown} keeps the token yours` }
    : { token };
}

/** What `fd` gives until it ends. Its size is not asked: a pipe has none, and some devices never end. */
function readCapped(fd: number, shown: string): string {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  let length = 0;
  for (;;) {
    const read = readSync(fd, bytes, length, bytes.length - length, null);
    if (read === 0) return bytes.toString('utf8', 0, length);
    length += read;
    if (length > MAX_BYTES) {
      throw usageError(
        `${shown} has more than the ${MAX_BYTES} bytes that a token file may have`,
        'is it the right file?',
      );
    }
  }
}

function checked(token: string, from: string): string {
  if (token === '') throw usageError(`the token in ${from} is empty`, 'make one: openssl rand -hex 32');
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw usageError(
      `the token in ${from} has characters that an Authorization header does not carry`,
      'use letters and digits on one line: openssl rand -hex 32',
    );
  }
  return token;
}
