/**
 * The `SKILL.md` files of a scan: each is read once and judged, before the other files of its skill.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { isSkillError } from '../errors.ts';
import type { Diagnostic } from '../format/diagnostic.ts';
import { judgeSkillFile } from '../format/index.ts';
import type { SourceFile } from '../source/source.ts';
import { MANIFEST_FILENAME } from '../uri/index.ts';
import type { Draft } from './draft.ts';
import type { ReadTreeOptions } from './filled.ts';
import { InFlight } from './in-flight.ts';
import * as problems from './problems.ts';
import { type FileFacts, factsOf, readSettled } from './read-facts.ts';
import type { SkillFile } from './snapshot.ts';
import { joinPath, lastName, type SkillHead } from './tree.ts';

/** How long an editor that truncates before it writes is given, ms (design decision 13). */
const TRUNCATED_MS = 100;

/** A judged `SKILL.md`. */
export interface ReadHead {
  readonly head: SkillHead;
  /** Undefined when it could not be read. */
  readonly facts: FileFacts | undefined;
  /** It was listed and is gone. */
  readonly vanished: boolean;
}

/**
 * What the `SKILL.md` of each draft says.
 *
 * One that was valid in the scan before and is now empty, or refused and shorter, is read again after 100 ms, all such
 * files together: an editor that truncates before it writes must not make a skill come and go.
 */
export async function readHeads(
  drafts: readonly Draft[],
  options: ReadTreeOptions,
): Promise<Map<Draft, ReadHead>> {
  const heads = new Map<Draft, ReadHead>();
  const truncated: Draft[] = [];
  const inFlight = new InFlight();
  const take = (draft: Draft, read: ReadHead): void => {
    heads.set(draft, read);
    if (looksTruncated(draft, read)) truncated.push(draft);
  };
  for (const draft of drafts) {
    if (draft.manifest === undefined) continue;
    if (options.pace.due()) {
      await options.pace.rest();
      options.check();
    }
    const read = readHead(draft, options);
    if (read instanceof Promise) await inFlight.add(read.then((late) => take(draft, late)));
    else take(draft, read);
  }
  await inFlight.rest();
  if (truncated.length > 0) {
    await setTimeout(TRUNCATED_MS);
    options.check();
    for (const draft of truncated) heads.set(draft, await readAnew(draft, options));
  }
  return heads;
}

function looksTruncated(draft: Draft, read: ReadHead): boolean {
  const { previous } = draft;
  if (previous?.head === undefined || previous.head.outcome === 'refused') return false;
  if (read.head.outcome !== 'refused' || read.facts === undefined) return false;
  return read.facts.size < (manifestOf(previous.files)?.size ?? 0);
}

function manifestOf(files: readonly SkillFile[]): SkillFile | undefined {
  return files.find(
    (file) => file.sourcePath.endsWith(MANIFEST_FILENAME) && lastName(file.sourcePath) === MANIFEST_FILENAME,
  );
}

function readHead(draft: Draft, options: ReadTreeOptions): ReadHead | Promise<ReadHead> {
  const known = draft.previous?.head === undefined ? undefined : manifestOf(draft.previous.files);
  const head = draft.previous?.head;
  if (known === undefined || head === undefined || draft.manifest?.dynamic === true)
    return readAnew(draft, options);
  const path = known.sourcePath;
  const same: ReadHead = { head, facts: known, vanished: false };
  if (!draft.deep && !options.touched.deep(path) && draft.manifest?.link === undefined) return same;
  const stamp = options.certainStamp(known);
  if (stamp === undefined) return readAnew(draft, options);
  try {
    const stat = options.source.stat(path, readOptions(draft, options));
    if (!(stat instanceof Promise)) return stat.stamp === stamp ? same : readAnew(draft, options);
    return stat.then(
      (now) => (now.stamp === stamp ? same : readAnew(draft, options)),
      () => readAnew(draft, options),
    );
  } catch {
    // The read that follows meets the same error and reports it.
    return readAnew(draft, options);
  }
}

function readOptions(draft: Draft, options: ReadTreeOptions): { within: string; maxBytes?: number } {
  const { maxFileBytes } = options.settings;
  return maxFileBytes === Number.POSITIVE_INFINITY
    ? { within: draft.id }
    : { within: draft.id, maxBytes: maxFileBytes };
}

function readAnew(draft: Draft, options: ReadTreeOptions): ReadHead | Promise<ReadHead> {
  const path = joinPath(draft.path, MANIFEST_FILENAME);
  const node = draft.manifest;
  if (node?.withheld !== undefined)
    return refusedHead({ ...problems.withheld(path, node.withheld), severity: 'error' });
  if (node?.link !== undefined && node.link.anywhere !== true) {
    if (!options.source.contains(draft.id, node.link.id)) {
      return refusedHead({ ...problems.linkEscapes(path), severity: 'error' });
    }
  }
  const readAt = Date.now();
  try {
    const file = readSettled(options.source, path, readOptions(draft, options));
    if (!(file instanceof Promise)) return judge(draft, path, file, readAt, options);
    return file.then(
      (got) => judge(draft, path, got, readAt, options),
      (error) => unreadable(path, error, options),
    );
  } catch (error) {
    return unreadable(path, error, options);
  }
}

function judge(
  draft: Draft,
  path: string,
  file: SourceFile,
  readAt: number,
  options: ReadTreeOptions,
): ReadHead {
  const { nonConforming, nameMismatch } = options.settings;
  const judged = judgeSkillFile(file.bytes, {
    path,
    folderName: lastName(draft.path),
    nonConforming,
    nameMismatch,
  });
  const { outcome, diagnostics, renamed, frontmatter } = judged;
  const served = outcome === 'refused' ? undefined : frontmatter;
  return {
    head: {
      outcome,
      ...(served !== undefined && { frontmatter: served.frontmatter }),
      name: served?.name ?? '',
      description: served?.description ?? '',
      renamed,
      diagnostics,
    },
    facts: factsOf(path, file, draft.manifest?.dynamic === true, readAt),
    vanished: false,
  };
}

function unreadable(path: string, error: unknown, options: ReadTreeOptions): ReadHead {
  if (!isSkillError(error)) options.settings.logger.warn('a SKILL.md could not be read', { path, error });
  const vanished = isSkillError(error, 'FILE_NOT_FOUND');
  return { ...refusedHead({ ...problems.leftOut(path, error), severity: 'error' }), vanished };
}

/** A `SKILL.md` that is refused without its content. */
export function refusedHead(diagnostic: Diagnostic): ReadHead {
  const head: SkillHead = {
    outcome: 'refused',
    name: '',
    description: '',
    renamed: false,
    diagnostics: [diagnostic],
  };
  return { head, facts: undefined, vanished: false };
}
