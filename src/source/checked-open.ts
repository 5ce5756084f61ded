/**
 * Opening what stands at a real path, and nothing that a link put in its place.
 *
 * @module
 */
import { type BigIntStats, constants, type Dirent } from 'node:fs';
import { dirname } from 'node:path';
import type { HostFs } from './host-fs.ts';
import { errnoOf } from './source-error.ts';

/** Windows has none of these flags; there the check after opening does the whole work. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const FILE_FLAGS = constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);
const FOLDER_FLAGS = constants.O_RDONLY | NO_FOLLOW | (constants.O_DIRECTORY ?? 0);

/** Looks that have to agree where something changed within `COARSE_MS`. */
const LOOKS = 8;
/** Clocks of file systems are coarse, ms. */
const COARSE_MS = 2_000;

/** What stands at the path is not what was to be opened: a link is in the way, or came in the way. */
export const ELSEWHERE = 'elsewhere';

/** What a {@link CheckedOpener} works with. */
export interface CheckedOpenerOptions {
  /** Ask the kernel for the path of an open file. @default whether it can be asked here */
  readonly procFd?: boolean;
}

/**
 * Opens files and folders at real paths (no link in any segment). The check comes after opening and looks at what was
 * opened, so a link that is swapped in between yields {@link ELSEWHERE} and never the bytes behind it.
 *
 * Where the kernel names the path of an open file, that path has to be the expected one. Elsewhere the real path is
 * resolved again after opening and has to lead to the same file.
 */
export class CheckedOpener {
  readonly #fs: HostFs;
  readonly #root: string;
  readonly #procFd: boolean;

  constructor(fs: HostFs, root: string, options: CheckedOpenerOptions = {}) {
    this.#fs = fs;
    this.#root = root;
    this.#procFd = options.procFd ?? kernelNamesOpenFiles(fs, root);
  }

  /** Returns a descriptor of the file at `real`, for the caller to close. Throws what the system throws. */
  openFile(real: string): number | typeof ELSEWHERE {
    return this.#open(real, FILE_FLAGS);
  }

  /** Returns what is in the folder at `real`, in no order. Throws what the system throws. */
  readFolder(real: string): Dirent[] | typeof ELSEWHERE {
    return this.#inFolder(real, (path) => this.#fs.readdir(path));
  }

  /** Returns the names in the folder at `real` as bytes. Throws what the system throws. */
  readFolderBytes(real: string): Buffer[] | typeof ELSEWHERE {
    return this.#inFolder(real, (path) => this.#fs.readdirBytes(path));
  }

  #inFolder<T>(real: string, read: (path: string) => T): T | typeof ELSEWHERE {
    if (!this.#procFd) {
      if (this.#fs.realpath(real) !== real) return ELSEWHERE;
      const result = read(real);
      return this.#fs.realpath(real) === real ? result : ELSEWHERE;
    }
    const fd = this.#open(real, FOLDER_FLAGS);
    if (fd === ELSEWHERE) return ELSEWHERE;
    try {
      return read(`/proc/self/fd/${fd}`);
    } finally {
      this.#fs.close(fd);
    }
  }

  #open(real: string, flags: number): number | typeof ELSEWHERE {
    let fd: number;
    try {
      fd = this.#fs.open(real, flags);
    } catch (error) {
      // A link at the last segment; with O_DIRECTORY the same refusal reads ENOTDIR.
      const errno = errnoOf(error);
      if (errno === 'ELOOP' || errno === 'EMLINK') return ELSEWHERE;
      if (errno === 'ENOTDIR' && this.#isLink(real)) return ELSEWHERE;
      throw error;
    }
    let expected = false;
    try {
      expected = this.#procFd ? this.#fs.readlink(`/proc/self/fd/${fd}`) === real : this.#leadsTo(real, fd);
    } finally {
      if (!expected) this.#fs.close(fd);
    }
    return expected ? fd : ELSEWHERE;
  }

  #isLink(path: string): boolean {
    try {
      return this.#fs.lstat(path).isSymbolicLink();
    } catch {
      return false;
    }
  }

  /**
   * Each look at a path may meet another state of it, so a link that comes and goes can pass one. What exchanges a
   * folder changes the folder it stands in: where nothing above the file changed lately one look is enough, elsewhere
   * several have to agree.
   */
  #leadsTo(real: string, fd: number): boolean {
    const opened = this.#fs.fstat(fd);
    for (let look = 1; look <= LOOKS; look += 1) {
      if (this.#fs.realpath(real) !== real || !sameFile(this.#fs.lstat(real), opened)) return false;
      if (look === 1 && this.#atRest(real)) break;
    }
    return true;
  }

  #atRest(real: string): boolean {
    const lately = BigInt(Date.now() - COARSE_MS) * 1_000_000n;
    let below = real;
    for (let folder = dirname(real); folder !== below; folder = dirname(folder)) {
      if (this.#fs.lstat(folder).ctimeNs > lately) return false;
      if (folder === this.#root) break;
      below = folder;
    }
    return true;
  }
}

/** Some volumes have no inode numbers; size and time of change then have to do. */
function sameFile(a: BigIntStats, b: BigIntStats): boolean {
  if (a.ino !== 0n || b.ino !== 0n) return a.ino === b.ino && a.dev === b.dev;
  return a.size === b.size && a.mtimeNs === b.mtimeNs;
}

function kernelNamesOpenFiles(fs: HostFs, root: string): boolean {
  if (process.platform !== 'linux') return false;
  let fd: number | undefined;
  try {
    fd = fs.open(root, FOLDER_FLAGS);
    return fs.readlink(`/proc/self/fd/${fd}`) === root;
  } catch {
    // Without /proc, as in some containers, the other check is used.
    return false;
  } finally {
    if (fd !== undefined) fs.close(fd);
  }
}
