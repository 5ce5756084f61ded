/**
 * Opening an archive the way its packer meant it.
 *
 * @module
 */
import path from 'node:path';
import { type ArchiveReader, openReader } from '../archive/index.ts';
import { SkillError } from '../errors.ts';
import { parseFrontmatter, validateSkillName } from '../format/index.ts';
import { LIMITS } from '../limits.ts';
import { MANIFEST_FILENAME } from '../uri/index.ts';
import { quote } from '../uri/quote.ts';
import {
  type ArchiveOptions,
  type ArchiveSource,
  type CreateArchiveOptions,
  createArchiveSource,
  readerOptions,
} from './archive.ts';
import { type ArchiveLayout, asStored, type PlacedEntry, unwrapped, within } from './archive-layout.ts';
import { tooLarge } from './source-error.ts';
import type { OnSourceProgress } from './source-progress.ts';

/** Options of {@link openArchive}. */
export interface OpenArchiveOptions extends ArchiveOptions {
  /** Take off the one folder that holds everything, if there is one and it is no skill. @default true */
  readonly stripWrapper?: boolean;
  /** What a path is relative to. @default the working folder of the process */
  readonly cwd?: string;
  /** Hears how far the unpacking of a tar is. */
  readonly onProgress?: OnSourceProgress;
}

/**
 * Resolves to a source over an archive on this machine, or in memory (seed 000's `OpenArchive`).
 *
 * An archive with a `SKILL.md` at its root is one skill and stands below the name in its frontmatter; so does one whose only
 * folder is a skill. Of any other, the one folder that holds everything is taken off. A zip on disk stays there and is read
 * file by file; a tar is unpacked into memory. `close()` it.
 *
 * Errors: `SOURCE_NOT_FOUND`, `SOURCE_UNREADABLE`, those of `openReader`; for a `SKILL.md` at the root those of
 * `parseFrontmatter` and `INVALID_SKILL_NAME`.
 *
 * @example
 * const source = await openArchive('pdf.tar.gz');
 * await source.read('pdf/SKILL.md')
 */
export async function openArchive(
  archive: string | Uint8Array,
  options: OpenArchiveOptions = {},
): Promise<ArchiveSource> {
  const { onProgress, cwd, stripWrapper: _, ...rest } = options;
  const label = options.label ?? (typeof archive === 'string' ? archive : 'archive');
  const input =
    typeof archive === 'string' ? { file: path.resolve(cwd ?? '', archive), shown: archive } : archive;
  const reader = await openReader(input, {
    ...readerOptions(rest),
    ...(onProgress === undefined
      ? {}
      : { onProgress: (bytes, total) => onProgress({ step: 'unpack', label, bytes, total }) }),
  });
  return nameArchive(reader, { ...options, label });
}

/** Options of {@link nameArchive}. */
export interface NameArchiveOptions extends CreateArchiveOptions {
  readonly label: string;
  readonly stripWrapper?: boolean;
}

/** Resolves to the source over `reader` laid out as {@link openArchive} does. When it rejects, `reader` is closed. */
export async function nameArchive(
  reader: ArchiveReader,
  options: NameArchiveOptions,
): Promise<ArchiveSource> {
  try {
    const stored = asStored(reader.entries());
    const layout =
      manifestOf(stored) === undefined
        ? await withoutWrapper(reader, stored, options)
        : await named(reader, stored, options.label);
    return createArchiveSource(reader, layout, options);
  } catch (error) {
    await reader.close();
    throw error;
  }
}

/** Returns a layout whose root is a skill below the name of that skill; any other as it is. */
export async function named(
  reader: ArchiveReader,
  layout: ArchiveLayout,
  label: string,
): Promise<ArchiveLayout> {
  const manifest = manifestOf(layout);
  if (manifest === undefined) return layout;
  return within(layout, await nameOf(reader, manifest, label));
}

async function withoutWrapper(
  reader: ArchiveReader,
  stored: ArchiveLayout,
  { label, stripWrapper = true }: NameArchiveOptions,
): Promise<ArchiveLayout> {
  if (!stripWrapper) return stored;
  const layout = unwrapped(reader.entries());
  const manifest = manifestOf(layout);
  if (layout.wrapper === undefined || manifest === undefined) return layout;
  try {
    const name = await nameOf(reader, manifest, label);
    return name === layout.wrapper ? stored : within(layout, name);
  } catch (error) {
    // A skill in a folder has a name already; what is wrong with it is for the catalog to say, line by line.
    if (error instanceof SkillError) return stored;
    throw error;
  }
}

function manifestOf({ entries }: ArchiveLayout): PlacedEntry | undefined {
  return entries.find((entry) => entry.path === MANIFEST_FILENAME && entry.kind === 'file');
}

/** The name of the skill with this `SKILL.md`. Errors: those of reading, `parseFrontmatter`, `validateSkillName`. */
async function nameOf(reader: ArchiveReader, manifest: PlacedEntry, label: string): Promise<string> {
  try {
    if (manifest.size > LIMITS.fileBytes) {
      throw tooLarge(manifest.stored, manifest.size, LIMITS.fileBytes);
    }
    const { name } = parseFrontmatter(await reader.read(manifest.stored));
    validateSkillName(name);
    return name;
  } catch (error) {
    if (!(error instanceof SkillError)) throw error;
    throw new SkillError(error.code, `${MANIFEST_FILENAME} of ${quote(label)}: ${error.message}`, {
      details: { ...error.details, source: label, path: manifest.stored },
      cause: error,
    });
  }
}
