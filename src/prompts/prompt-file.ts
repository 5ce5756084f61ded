/**
 * One file of a folder of prompts: read, judged, or known from before.
 *
 * @module
 */
import { isSkillError, type SkillError } from '../errors.ts';
import type { Diagnostic, Severity } from '../format/diagnostic.ts';
import type { Source, SourceNode } from '../source/index.ts';
import { promptIdProblem } from './prompt-id.ts';
import { type ReadPrompt, readPrompt } from './read-prompt.ts';
import { PROMPT_RULES } from './rules.ts';

/** The suffix of a prompt. */
export const PROMPT_SUFFIX = '.md';

/** A folder of prompts while it is read. */
export interface PromptPlace {
  readonly source: Source;
  /** What its paths begin with in diagnostics. */
  readonly prefix: string;
  /** Identity of the folder that every prompt really lies in. */
  readonly root: string;
  readonly maxBytes: number;
}

/** What a file said when it was read. */
export interface PromptFile extends ReadPrompt {
  /** Undefined when it could not be read. */
  readonly size: number | undefined;
}

/**
 * What a file says. The one from before is kept when the bytes are the same and nothing was wrong with it, or when nobody
 * says that it changed.
 */
export async function readPromptFile(
  place: PromptPlace,
  node: SourceNode,
  before: PromptFile | undefined,
  changed: boolean,
): Promise<PromptFile> {
  if (before !== undefined && !changed && node.withheld === undefined) return before;
  const path = `${place.prefix}${node.name}`;
  const id = node.name.slice(0, -PROMPT_SUFFIX.length);
  const problem = promptIdProblem(id);
  if (problem !== undefined) {
    return told(say('PROMPT_ID_INVALID', path, problem.message, { hint: problem.hint }));
  }
  if (node.withheld !== undefined) {
    return told(say(node.withheld.code, path, node.withheld.message, { severity: 'error' }));
  }
  let bytes: Buffer;
  try {
    ({ bytes } = await place.source.read(node.name, { within: place.root, maxBytes: place.maxBytes }));
  } catch (error) {
    if (!isSkillError(error)) throw error;
    return told(...unreadable(error, path));
  }
  const size = bytes.length;
  if (
    before?.prompt !== undefined &&
    before.size === size &&
    bytes.equals(Buffer.from(before.prompt.document))
  )
    return before;
  return { ...readPrompt(bytes, { id, path }), size };
}

/** Whether a file that was a prompt is now as an editor leaves it that truncates before it writes. */
export function looksTruncated(now: PromptFile, before: PromptFile | undefined): boolean {
  return (
    before?.prompt !== undefined &&
    now.prompt === undefined &&
    now.size !== undefined &&
    now.size < (before.size ?? 0)
  );
}

/** A diagnostic of a rule for prompts. */
export function say(
  code: string,
  path: string,
  message: string,
  more: { readonly hint?: string; readonly severity?: Severity } = {},
): Diagnostic {
  return {
    code,
    path,
    message,
    ...more,
    severity: more.severity ?? PROMPT_RULES[code]?.severity ?? 'warning',
  };
}

function told(...diagnostics: readonly Diagnostic[]): PromptFile {
  return { diagnostics, size: undefined };
}

function unreadable(error: SkillError, path: string): readonly Diagnostic[] {
  // Deleted since it was listed: there is nothing to say.
  if (error.code === 'FILE_NOT_FOUND') return [];
  return [say(error.code, path, error.message, { severity: 'error' })];
}
