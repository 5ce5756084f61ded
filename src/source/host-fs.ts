/**
 * The file system of this machine, as far as a directory source uses it.
 *
 * @module
 */
import fs, { type BigIntStats, type Dirent } from 'node:fs';

/** The calls a directory source makes. Tests hand in one that fails. */
export interface HostFs {
  open(path: string, flags: number): number;
  close(fd: number): void;
  fstat(fd: number): BigIntStats;
  lstat(path: string): BigIntStats;
  read(fd: number, buffer: Uint8Array, offset: number, length: number, position: number): number;
  readdir(path: string): Dirent[];
  readdirBytes(path: string): Buffer[];
  readlink(path: string): string;
  /** The real path in the case the volume stores. */
  realpath(path: string): string;
}

const BIGINT = { bigint: true } as const;
const TYPES = { withFileTypes: true } as const;

/** `node:fs`. */
export const hostFs: HostFs = {
  open: (path, flags) => fs.openSync(path, flags),
  close: (fd) => fs.closeSync(fd),
  fstat: (fd) => fs.fstatSync(fd, BIGINT),
  lstat: (path) => fs.lstatSync(path, BIGINT),
  read: (fd, buffer, offset, length, position) => fs.readSync(fd, buffer, offset, length, position),
  readdir: (path) => fs.readdirSync(path, TYPES),
  readdirBytes: (path) => fs.readdirSync(path, 'buffer'),
  readlink: (path) => fs.readlinkSync(path),
  realpath: (path) => fs.realpathSync.native(path),
};
