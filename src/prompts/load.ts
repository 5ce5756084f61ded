/**
 * From folders to a snapshot.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { isSkillError } from '../errors.ts';
import type { Diagnostic } from '../format/diagnostic.ts';
import { capOf, LIMITS } from '../limits.ts';
import { type Pace, startPace } from '../pace.ts';
import type { Source, SourceFolder, SourceNode } from '../source/index.ts';
import type { Prompt } from './prompt.ts';
import {
  looksTruncated,
  PROMPT_SUFFIX,
  type PromptFile,
  type PromptPlace,
  readPromptFile,
  say,
} from './prompt-file.ts';
import { createSnapshot, type PromptSnapshot } from './snapshot.ts';

const NEAR_SUFFIX = /\.(?:md|markdown|mdown|mkd|mdx)$/i;
const README = /^readme\.md$/i;
/** How long an editor that truncates before it writes is given, ms (design decision 13). */
const TRUNCATED_MS = 100;

/** What {@link loadPrompts} needs beside the sources. */
export interface LoadSettings {
  /** Bytes of one file. @default 16,777,216 */
  readonly maxFileBytes: number | undefined;
  /** What was loaded before; a file that says the same is not judged again. */
  readonly before?: LoadedPrompts;
  /** Whether the file of this name in this source may have changed since. @default any may have */
  readonly touched?: (source: Source, name: string) => boolean;
}

/** What was found in one folder. */
export interface PromptFolder {
  readonly source: Source;
  /** What the paths in its diagnostics begin with. */
  readonly prefix: string;
  /** In the order of the files. */
  readonly prompts: readonly Prompt[];
  readonly diagnostics: readonly Diagnostic[];
  readonly files: ReadonlyMap<string, PromptFile>;
}

/** Everything that was found. */
export interface LoadedPrompts {
  readonly snapshot: PromptSnapshot;
  readonly folders: readonly PromptFolder[];
}

/** The prompts in the roots of the sources; of two with one id, that of the earlier source. Throws for roots that cannot be listed. */
export async function loadPrompts(
  sources: readonly Source[],
  settings: LoadSettings,
): Promise<LoadedPrompts> {
  const pace = startPace();
  const taken = new Map<string, Prompt>();
  const folders: PromptFolder[] = [];
  for (const [index, source] of sources.entries()) {
    const prefix = sources.length === 1 ? '' : `${source.label.replace(/\/+$/, '')}/`;
    const before = settings.before?.folders[index]?.files;
    folders.push(await loadFolder({ source, prefix, before, taken, pace }, settings));
  }
  const diagnostics = folders.flatMap((folder) => folder.diagnostics);
  return { snapshot: createSnapshot([...taken.values()], diagnostics), folders };
}

interface FolderToLoad {
  readonly source: Source;
  readonly prefix: string;
  readonly before: ReadonlyMap<string, PromptFile> | undefined;
  /** The prompts so far, by id. */
  readonly taken: Map<string, Prompt>;
  readonly pace: Pace;
}

async function loadFolder(
  { source, prefix, before, taken, pace }: FolderToLoad,
  { touched = () => true, maxFileBytes }: LoadSettings,
): Promise<PromptFolder> {
  const { id, nodes } = await source.list('');
  const place: PromptPlace = { source, prefix, root: id, maxBytes: capOf(maxFileBytes, LIMITS.fileBytes) };
  const files = new Map<string, PromptFile>();
  const truncated: SourceNode[] = [];
  for (const node of nodes) {
    if (!isPromptName(node)) continue;
    if (pace.due()) await pace.rest();
    const known = before?.get(node.name);
    const file = await readPromptFile(place, node, known, touched(source, node.name));
    files.set(node.name, file);
    if (looksTruncated(file, known)) truncated.push(node);
  }
  if (truncated.length > 0) {
    await setTimeout(TRUNCATED_MS);
    for (const node of truncated) {
      files.set(node.name, await readPromptFile(place, node, before?.get(node.name), true));
    }
  }
  const prompts: Prompt[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const node of nodes) {
    const file = files.get(node.name);
    if (file === undefined) {
      if (pace.due()) await pace.rest();
      diagnostics.push(
        ...(node.kind === 'directory' ? await checkFolder(place, node) : checkOther(place, node)),
      );
      continue;
    }
    diagnostics.push(...file.diagnostics);
    if (file.prompt === undefined) continue;
    const first = taken.get(file.prompt.id);
    if (first === undefined) {
      taken.set(file.prompt.id, file.prompt);
      prompts.push(file.prompt);
    } else diagnostics.push(duplicate(file.prompt, first));
  }
  if (files.size === 0) diagnostics.push(noPrompts(source, prefix));
  return { source, prefix, prompts, diagnostics, files };
}

function isPromptName({ kind, name }: SourceNode): boolean {
  return kind === 'file' && name.endsWith(PROMPT_SUFFIX) && !README.test(name);
}

function duplicate({ path }: Prompt, first: Prompt): Diagnostic {
  return say('PROMPT_DUPLICATE_ID', path, `${first.path} is the prompt "${first.id}" already`, {
    hint: 'rename one of the two files',
  });
}

function noPrompts({ label }: Source, prefix: string): Diagnostic {
  return say('NO_PROMPTS_FOUND', prefix.replace(/\/$/, ''), `"${label}" has no prompts`, {
    hint: 'put each prompt into a file of its own, such as "code-review.md"',
  });
}

/** A folder that holds Markdown, which somebody may take for prompts. */
async function checkFolder(
  { source, prefix }: PromptPlace,
  node: SourceNode,
): Promise<readonly Diagnostic[]> {
  if (node.withheld !== undefined) return [];
  let folder: SourceFolder;
  try {
    folder = await source.list(node.name);
  } catch (error) {
    if (!isSkillError(error)) throw error;
    return [];
  }
  const found = folder.nodes.find(isPromptName);
  if (found === undefined) return [];
  return [
    say('PROMPT_IN_FOLDER', `${prefix}${node.name}`, `"${found.name}" in it makes no prompt`, {
      hint: 'move it up, or give that folder to --prompts',
    }),
  ];
}

function checkOther({ prefix }: PromptPlace, node: SourceNode): readonly Diagnostic[] {
  if (!NEAR_SUFFIX.test(node.name) || README.test(node.name)) return [];
  return [
    say(
      'PROMPT_FILE_SUFFIX',
      `${prefix}${node.name}`,
      `${JSON.stringify(node.name)} makes no prompt: it does not end in ".md"`,
      { hint: `rename it to ${JSON.stringify(node.name.replace(NEAR_SUFFIX, PROMPT_SUFFIX))}` },
    ),
  ];
}
