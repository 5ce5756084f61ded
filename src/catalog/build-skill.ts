/**
 * One skill of a tree as it is published.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import { LIMITS } from '../limits.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { encodeSegment, MANIFEST_FILENAME } from '../uri/index.ts';
import { FILE_LIST_NAME } from '../uri/parse.ts';
import { hasDigest, keptFile } from './kept-file.ts';
import { byUri } from './order.ts';
import * as problems from './problems.ts';
import { knowSkillHash, skillHash } from './revision.ts';
import type { Skill, SkillFile } from './snapshot.ts';
import { joinPath, lastName, type PublishedAs, pathBelow, type TreeFolder } from './tree.ts';

/** A skill with what is remarkable about it as a whole. */
export interface BuiltSkill {
  readonly skill: Skill;
  readonly diagnostics: readonly Diagnostic[];
}

const built = new WeakMap<TreeFolder, BuiltSkill>();

/**
 * The skill in `folder`, or undefined when its files, those of nested skills among them, exceed `maxBytes`. The same
 * folder gives the same object again.
 *
 * An enclosing skill lists the files of a skill inside it too (requirement S33), by their real paths.
 */
export function buildSkill(folder: TreeFolder, hidden: boolean, maxBytes: number): BuiltSkill | undefined {
  const known = built.get(folder);
  if (known !== undefined && known.skill.hidden === hidden) return known;
  const { head } = folder;
  if (head?.frontmatter === undefined || bytesOf(folder) > maxBytes) return undefined;
  const files: SkillFile[] = [];
  const folders: string[] = [];
  collect(folder, folder, folder.uri, files, folders);
  const skill: Skill = {
    uri: joinPath(folder.uri, MANIFEST_FILENAME),
    rootUri: folder.uri,
    path: folder.path,
    folderId: folder.id,
    name: head.name,
    description: head.description,
    frontmatter: head.frontmatter,
    files: inOrder(files),
    folders: folders.sort(compareCodePoints).slice(),
    dynamic: files.some((file) => !hasDigest(file)),
    listed: head.outcome === 'listed',
    hidden,
    renamed: head.renamed,
    totalBytes: files.reduce((sum, file) => sum + file.size, 0),
  };
  const result = { skill, diagnostics: remarks(skill, folder) };
  built.set(folder, result);
  if (folder.published?.hidden === hidden) knowSkillHash(skill, folder.published.hash);
  return result;
}

/** What a later process need not work out about the skill in `folder`; undefined when it was not built. */
export function publishedAs(folder: TreeFolder): PublishedAs | undefined {
  const skill = built.get(folder)?.skill;
  return skill && { hidden: skill.hidden, hash: skillHash(skill) };
}

/** In order of URI; each of them is put together once. */
function inOrder(files: readonly SkillFile[]): readonly SkillFile[] {
  return files
    .map((file) => ({ uri: file.uri, file }))
    .sort(byUri)
    .map(({ file }) => file);
}

function bytesOf(folder: TreeFolder): number {
  let bytes = 0;
  for (const file of folder.files) bytes += file.size;
  for (const below of folder.folders) bytes += bytesOf(below);
  return bytes;
}

function collect(
  root: TreeFolder,
  folder: TreeFolder,
  uri: string,
  files: SkillFile[],
  folders: string[],
): void {
  // A folder that another skill claims, or whose skill changed its name since, shows its files under other URIs.
  const own = folder.home === root.path && folder.uri === uri;
  const place = { uri, folder: folder.path, home: root.path };
  for (const file of folder.files) {
    if (own) {
      files.push(file);
    } else {
      files.push(keptFile(place, lastName(file.sourcePath), file));
    }
  }
  for (const below of folder.folders) {
    const path = pathBelow(root.path, below.path);
    folders.push(path);
    collect(root, below, joinPath(uri, encodeSegment(lastName(path))), files, folders);
  }
}

function remarks({ path, files, totalBytes }: Skill, folder: TreeFolder): Diagnostic[] {
  const found: Diagnostic[] = [];
  if (files.length > LIMITS.skillFilesWarning) {
    found.push(problems.manyFiles(path, files.length, LIMITS.skillFilesWarning));
  }
  if (totalBytes > LIMITS.skillBytesWarning) {
    found.push(problems.largeSkill(path, totalBytes, LIMITS.skillBytesWarning));
  }
  const taken = folder.files.find((file) => lastName(file.sourcePath) === FILE_LIST_NAME);
  if (taken !== undefined) found.push(problems.manifestNameTaken(taken.sourcePath));
  return found;
}
