/**
 * One file of a skill during a scan: kept from the scan before, read, or left out.
 *
 * @module
 */
import { isSkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { SourceNode } from '../source/source.ts';
import { encodeSegment, isAddressableName } from '../uri/index.ts';
import type { Filled, ReadTreeOptions } from './filled.ts';
import { type FilePlace, keptFile } from './kept-file.ts';
import * as problems from './problems.ts';
import type { TimedFacts } from './read-ahead.ts';
import { type FileFacts, fileFacts, readDynamic, readFacts } from './read-facts.ts';
import type { SkillFile } from './snapshot.ts';
import { joinPath, pathBelow } from './tree.ts';
import { folderUri } from './uris.ts';

/**
 * Adds one name of a folder to its files, unless it is none or has to be left out. Undefined when that is done at once,
 * else a promise that does not reject for anything that is wrong with the file.
 */
export function addFile(
  folder: Filled,
  node: SourceNode,
  options: ReadTreeOptions,
  told?: TimedFacts,
): Promise<void> | undefined {
  const { draft, home, head } = folder;
  if (home === undefined || node.kind !== 'file') return undefined;
  if (head !== undefined && node === draft.manifest) {
    if (head.facts !== undefined) append(folder, node.name, head.facts, options);
    return undefined;
  }
  if (node.withheld !== undefined) return undefined;
  const path = joinPath(draft.path, node.name);
  if (!isAddressableName(node.name) || isTooLong(path, folder.place.uri, node.name, options)) {
    draft.problems.push(problems.unaddressable(path));
    return undefined;
  }
  if (
    node.link !== undefined &&
    node.link.anywhere !== true &&
    !options.source.contains(home.id, node.link.id)
  ) {
    draft.problems.push(problems.linkEscapes(path));
    return undefined;
  }
  if (told !== undefined) {
    append(folder, node.name, fileFacts(path, told.facts, told.readAt), options);
    return undefined;
  }
  const known = folder.known(path);
  if (known === undefined || node.dynamic === true) return readInto(folder, node, path, options);
  if (!draft.deep && node.link === undefined && !options.touched.deep(path)) {
    append(folder, node.name, known, options);
    return undefined;
  }
  const stamp = options.certainStamp(known);
  if (stamp === undefined) return readInto(folder, node, path, options);
  const settle = (now: { readonly stamp?: string }): Promise<void> | undefined => {
    if (now.stamp !== stamp) return readInto(folder, node, path, options);
    append(folder, node.name, known, options);
    return undefined;
  };
  try {
    const stat = options.source.stat(path, home.options);
    if (!(stat instanceof Promise)) return settle(stat);
    return stat.then(settle, (error) => leaveOut(folder, path, error, options));
  } catch (error) {
    leaveOut(folder, path, error, options);
    return undefined;
  }
}

function readInto(
  folder: Filled,
  node: SourceNode,
  path: string,
  options: ReadTreeOptions,
): Promise<void> | undefined {
  const take = (facts: FileFacts): void => append(folder, node.name, facts, options);
  const readOptions = folder.home?.options ?? {};
  try {
    const facts =
      node.dynamic === true
        ? readDynamic(options.source, path, readOptions)
        : readFacts(options.source, path, readOptions);
    if (!(facts instanceof Promise)) {
      take(facts);
      return undefined;
    }
    return facts.then(take, (error) => leaveOut(folder, path, error, options));
  } catch (error) {
    leaveOut(folder, path, error, options);
    return undefined;
  }
}

function leaveOut(folder: Filled, path: string, error: unknown, options: ReadTreeOptions): void {
  if (isSkillError(error, 'FILE_NOT_FOUND')) return;
  if (!isSkillError(error)) options.settings.logger.warn('a file could not be read', { path, error });
  folder.draft.problems.push(problems.leftOut(path, error));
}

function append(folder: Filled, name: string, facts: FileFacts, options: ReadTreeOptions): void {
  const { home, place } = folder;
  if (home === undefined) return;
  folder.files.push(isKept(facts, place, name) ? facts : keptFile(place, name, facts));
  home.bytes += facts.size;
  if (home.bytes > options.settings.maxSkillBytes) home.tooLarge = true;
}

/** A known file that stays where it was keeps its identity, and with it what the catalog learned of it by reads. */
function isKept(facts: FileFacts, place: FilePlace, name: string): facts is SkillFile {
  return (
    isSkillFile(facts) &&
    facts.uri === joinPath(place.uri, encodeSegment(name)) &&
    facts.path === pathBelow(place.home ?? '', joinPath(place.folder, name))
  );
}

function isSkillFile(facts: FileFacts): facts is SkillFile {
  return 'uri' in facts;
}

/** Whether the URI of a file, as its skill or as a skill around it shows it, exceeds what a request may carry. */
function isTooLong(path: string, uri: string, name: string, options: ReadTreeOptions): boolean {
  const longest = 8 + options.settings.prefix.length + path.length * 9 + 64;
  if (longest <= LIMITS.uriBytes) return false;
  const own = uri.length + 1 + encodeSegment(name).length;
  return Math.max(own, folderUri(options.settings.prefix, path).length) > LIMITS.uriBytes;
}
