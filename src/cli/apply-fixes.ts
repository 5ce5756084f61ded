/**
 * What `check` changes when it is told to: fixes of diagnostics, names of folders.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import { isSkillError } from '../errors.ts';
import { applyFixes, type Diagnostic, type Fix, parseFrontmatter } from '../format/index.ts';
import type { Source } from '../source/index.ts';
import { renameFolder, writeFileAtomic } from '../store/index.ts';
import type { SourcePaths } from './source-paths.ts';

/** One change made, or why it was not. */
export interface Change {
  /** As the user would open it. */
  readonly path: string;
  readonly line?: number;
  readonly title: string;
  /** Why nothing was changed. */
  readonly failed?: string;
}

/** Applies the fixes of `diagnostics` to their files on disk and returns what was done, in order of path and place. */
export async function applyFileFixes(
  diagnostics: readonly Diagnostic[],
  source: Source,
  paths: SourcePaths,
): Promise<Change[]> {
  const byFile = new Map<string, Fix[]>();
  for (const { path, fix } of diagnostics) {
    if (fix !== undefined) byFile.set(path, [...(byFile.get(path) ?? []), fix]);
  }
  const changes: Change[] = [];
  for (const [path, fixes] of byFile) {
    const apart = withoutOverlaps(fixes);
    const failed = await fixFile(path, apart, source, paths);
    for (const { range, title } of apart) {
      const change = { path: paths.shown(path), line: range.start.line, title };
      changes.push(failed === undefined ? change : { ...change, failed });
    }
  }
  return changes;
}

/** Fixes that do not touch each other, in order; the rest is found again when the file is checked again. */
function withoutOverlaps(fixes: readonly Fix[]): Fix[] {
  const place = ({ line, column }: Fix['range']['start']): number => line * 1_000_000 + column;
  const sorted = [...fixes].sort((a, b) => place(a.range.start) - place(b.range.start));
  let done = -1;
  return sorted.filter(({ range }) => {
    const free = place(range.start) >= done;
    if (free) done = Math.max(place(range.end), place(range.start) + 1);
    return free;
  });
}

async function fixFile(
  path: string,
  fixes: readonly Fix[],
  source: Source,
  paths: SourcePaths,
): Promise<string | undefined> {
  const file = paths.onDisk(path);
  if (file === undefined) return 'this source cannot be written';
  return reasonOf(async () => {
    const { bytes } = await source.read(path);
    const text = bytes.toString('utf8');
    if (!Buffer.from(text, 'utf8').equals(bytes)) return 'it is not UTF-8';
    const fixed = applyFixes(text, fixes);
    if (fixed === text) return 'the fix changes nothing';
    // What was checked is what is replaced.
    if (!(await readFile(file)).equals(bytes)) return 'it changed meanwhile';
    await writeFileAtomic(file, fixed);
    return undefined;
  });
}

const MISMATCH: ReadonlySet<string> = new Set(['NAME_FOLDER_MISMATCH', 'SKILL_NAME_MISMATCH']);

/** Renames the folders of skills that have another name, the deepest first, and returns what was done. */
export async function renameFolders(
  diagnostics: readonly Diagnostic[],
  source: Source,
  paths: SourcePaths,
): Promise<Change[]> {
  const files = diagnostics.filter(({ code }) => MISMATCH.has(code)).map(({ path }) => path);
  const changes: Change[] = [];
  for (const path of files.sort((a, b) => b.split('/').length - a.split('/').length)) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    const name = parseFrontmatter((await source.read(path)).bytes).name;
    const change = { path: paths.shown(folder), title: `folder renamed to ${name}` };
    const failed = await moveFolder(folder, name, paths);
    changes.push(failed === undefined ? change : { ...change, failed });
  }
  return changes;
}

async function moveFolder(folder: string, name: string, paths: SourcePaths): Promise<string | undefined> {
  const from = paths.onDisk(folder);
  if (from === undefined) return 'this source cannot be written';
  if (paths.isRoot(folder)) return 'it is the folder you named; check the folder above it';
  const above = folder.slice(0, Math.max(0, folder.lastIndexOf('/')));
  const to = paths.onDisk(above === '' ? name : `${above}/${name}`);
  if (to === undefined) return 'this source cannot be written';
  return reasonOf(async () => {
    await renameFolder(from, to);
    return undefined;
  });
}

async function reasonOf(work: () => Promise<string | undefined>): Promise<string | undefined> {
  try {
    return await work();
  } catch (error) {
    if (isSkillError(error)) return error.message;
    throw error;
  }
}
