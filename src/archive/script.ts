/**
 * Which packed files are executable.
 *
 * @module
 */

const HASH = 0x23;
const BANG = 0x21;

/**
 * Whether content begins with `#!`, which is what makes a packed file executable: not every file system keeps a bit
 * for it, and an archive has to have the same bytes everywhere.
 *
 * @example
 * isScript(Buffer.from('#!/bin/sh\n')) // true
 */
export function isScript(bytes: Uint8Array): boolean {
  return bytes[0] === HASH && bytes[1] === BANG;
}
