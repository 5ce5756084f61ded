/**
 * Which entries of an archive come in.
 *
 * @module
 */
import { LIMITS } from '../limits.ts';
import { collisionKey } from '../uri/portable-name.ts';
import { quote } from '../uri/quote.ts';
import { entryError } from './archive-error.ts';
import type { ArchiveCaps, Budget } from './budget.ts';
import { entryPath, isArchiveNoise, tooLong } from './guard.ts';

/** One file, folder or link of an archive. */
export interface ArchiveEntry {
  /** Below the root of the archive, `/`-separated. */
  readonly path: string;
  readonly kind: 'file' | 'directory' | 'link';
  /** Bytes of a file; 0 for the rest. */
  readonly size: number;
  /** Permission bits as stored, without setuid, setgid and sticky. */
  readonly mode: number;
  /** Of a link: the text of its target, as stored. */
  readonly target?: string;
}

/** How an archive is read. */
export interface ReadArchiveOptions extends ArchiveCaps {
  /**
   * `refuse`: a symbolic or hard link anywhere refuses the archive; `list`: it becomes an entry without content, which
   * nothing follows.
   * @default 'refuse'
   */
  readonly links?: 'refuse' | 'list';
  /**
   * Which entries matter, by their path after the name rules. What it leaves out is not kept, and its kind and
   * collisions refuse nothing; a name that leads out of the archive always does. Its bytes count.
   * @default all
   */
  readonly include?: (path: string) => boolean;
}

/** An entry as a format knows it, before any rule was applied. */
export interface RawEntry {
  readonly name: string;
  readonly kind: 'file' | 'directory' | 'link' | 'special';
  readonly size: number;
  readonly mode: number;
  readonly target?: string;
  /** What a special entry is, for the message. */
  readonly what?: string;
  /** The name may use backslashes as separators. */
  readonly backslash?: 'separator';
}

interface Taken {
  readonly path: string;
  readonly kind: ArchiveEntry['kind'];
}

/** Applies the rules to one entry after the other; what it lets in, it remembers, to find collisions. */
export class Admission {
  readonly #options: ReadArchiveOptions;
  readonly #budget: Budget;
  readonly #taken: Map<string, Taken> = new Map();
  readonly #folders: Set<string> = new Set();

  constructor(options: ReadArchiveOptions, budget: Budget) {
    this.#options = options;
    this.#budget = budget;
  }

  /**
   * Returns the entry as it comes in, or undefined when it is left out: noise, the root itself, not included.
   *
   * Errors: those of {@link entryPath}; `ARCHIVE_SYMLINK_ESCAPE`, `ARCHIVE_SPECIAL_FILE`; `ARCHIVE_DUPLICATE`,
   * `ARCHIVE_COLLISION`; `ARCHIVE_TOO_MANY_ENTRIES`, `ARCHIVE_TOO_LARGE`, `ARCHIVE_RATIO`.
   */
  admit(raw: RawEntry): ArchiveEntry | undefined {
    const { maxDepth, include, links = 'refuse' } = this.#options;
    const path = entryPath(raw.name, {
      ...(raw.backslash === undefined ? {} : { backslash: raw.backslash }),
      ...(maxDepth === undefined ? {} : { maxDepth }),
    });
    this.#budget.entry();
    if (path === '') {
      if (raw.kind === 'directory') return undefined;
      throw entryError('ARCHIVE_UNSAFE_NAME', raw.name, 'is no folder and has no name', { rule: 'empty' });
    }
    if (raw.kind === 'file' && raw.name.endsWith('/')) {
      throw entryError('ARCHIVE_UNSAFE_NAME', raw.name, 'is a file with the name of a folder', {
        rule: 'empty',
      });
    }
    if (include !== undefined && !include(path)) {
      if (raw.kind === 'file') this.#budget.declare(path, raw.size);
      return undefined;
    }
    if (raw.kind === 'special') {
      throw entryError(
        'ARCHIVE_SPECIAL_FILE',
        path,
        `is a ${raw.what ?? 'special file'}; pack files and folders alone`,
      );
    }
    if (raw.kind === 'link' && links === 'refuse') {
      throw entryError(
        'ARCHIVE_SYMLINK_ESCAPE',
        path,
        'is a link; links in archives are refused wherever they lead, so pack the file itself',
        raw.target === undefined ? {} : { target: raw.target.slice(0, LIMITS.archivePathBytes) },
      );
    }
    const target = Buffer.byteLength(raw.target ?? '');
    if (target > LIMITS.archivePathBytes) throw tooLong(path, 'a target', target, LIMITS.archivePathBytes);
    if (raw.kind === 'file') this.#budget.declare(path, raw.size);
    if (isArchiveNoise(path)) return undefined;
    this.#take(path, raw.kind);
    return {
      path,
      kind: raw.kind,
      size: raw.kind === 'file' ? raw.size : 0,
      mode: raw.mode & 0o777,
      ...(raw.target === undefined ? {} : { target: raw.target }),
    };
  }

  #take(path: string, kind: ArchiveEntry['kind']): void {
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      this.#takeOne(path.slice(0, slash), 'directory');
    }
    this.#takeOne(path, kind);
  }

  #takeOne(path: string, kind: ArchiveEntry['kind']): void {
    if (kind === 'directory' && this.#folders.has(path)) return;
    const key = collisionKey(path);
    const other = this.#taken.get(key);
    if (other === undefined) {
      this.#taken.set(key, { path, kind });
      if (kind === 'directory') this.#folders.add(path);
      return;
    }
    if (other.path !== path) {
      throw entryError(
        'ARCHIVE_COLLISION',
        path,
        `and ${quote(other.path)} are one path on file systems that fold case or compose characters; rename one`,
        { other: other.path },
      );
    }
    if (kind === 'directory' || other.kind === 'directory') {
      throw entryError('ARCHIVE_COLLISION', path, 'is a file and a folder; rename one', { other: path });
    }
    throw entryError(
      'ARCHIVE_DUPLICATE',
      path,
      'stands in the archive twice, and readers disagree about which counts; pack it once',
    );
  }
}
