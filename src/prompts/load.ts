/**
 * From folders to a snapshot.
 *
 * @module
 */
import { isSkillError, type SkillError } from '../errors.ts';
import type { Diagnostic, Severity } from '../format/diagnostic.ts';
import { capOf, LIMITS } from '../limits.ts';
import { startPace } from '../pace.ts';
import type { Source, SourceFolder, SourceNode } from '../source/index.ts';
import type { Prompt } from './prompt.ts';
import { promptIdProblem } from './prompt-id.ts';
import { type ReadPrompt, readPrompt } from './read-prompt.ts';
import { PROMPT_RULES } from './rules.ts';
import { createSnapshot, type PromptSnapshot } from './snapshot.ts';

const SUFFIX = '.md';
const NEAR_SUFFIX = /\.(?:md|markdown|mdown|mkd|mdx)$/i;
const README = /^readme\.md$/i;

/** What {@link loadPrompts} needs beside the sources. */
export interface LoadSettings {
  /** Bytes of one file. @default 16,777,216 */
  readonly maxFileBytes: number | undefined;
  /** The snapshot before; a file that says the same is not judged again. */
  readonly before?: PromptSnapshot;
}

/** A source, and what its paths begin with in diagnostics. */
interface Place {
  readonly source: Source;
  readonly prefix: string;
}

/** The prompts in the roots of the sources; of two with one id, that of the earlier source. Throws for roots that cannot be listed. */
export async function loadPrompts(
  sources: readonly Source[],
  settings: LoadSettings,
): Promise<PromptSnapshot> {
  const pace = startPace();
  const diagnostics: Diagnostic[] = [];
  const prompts = new Map<string, Prompt>();
  const before = new Map(settings.before?.prompts.map((prompt) => [prompt.path, prompt]));
  const maxBytes = capOf(settings.maxFileBytes, LIMITS.fileBytes);
  let files = 0;
  for (const source of sources) {
    const place: Place = { source, prefix: sources.length === 1 ? '' : `${source.label}/` };
    const root = await source.list('');
    for (const node of root.nodes) {
      if (pace.due()) await pace.rest();
      if (node.kind === 'directory') {
        diagnostics.push(...(await checkFolder(place, node)));
        continue;
      }
      if (!node.name.endsWith(SUFFIX) || README.test(node.name)) {
        diagnostics.push(...checkOther(place, node));
        continue;
      }
      files++;
      const read = await readNode(place, root, node, maxBytes, before);
      diagnostics.push(...read.diagnostics);
      if (read.prompt === undefined) continue;
      const first = prompts.get(read.prompt.id);
      if (first === undefined) prompts.set(read.prompt.id, read.prompt);
      else {
        diagnostics.push(
          say('PROMPT_DUPLICATE_ID', read.prompt.path, `${first.path} is the prompt "${first.id}" already`, {
            hint: 'rename one of the two files',
          }),
        );
      }
    }
  }
  if (files === 0) {
    const labels = sources.map(({ label }) => `"${label}"`).join(' and ');
    diagnostics.push(
      say('NO_PROMPTS_FOUND', '', `${labels} ${sources.length === 1 ? 'has' : 'have'} no prompts`, {
        hint: 'put each prompt into a file of its own, such as "code-review.md"',
      }),
    );
  }
  return createSnapshot([...prompts.values()], diagnostics);
}

async function readNode(
  { source, prefix }: Place,
  root: SourceFolder,
  node: SourceNode,
  maxBytes: number,
  before: ReadonlyMap<string, Prompt>,
): Promise<ReadPrompt> {
  const path = `${prefix}${node.name}`;
  const id = node.name.slice(0, -SUFFIX.length);
  const problem = promptIdProblem(id);
  if (problem !== undefined) {
    return { diagnostics: [say('PROMPT_ID_INVALID', path, problem.message, { hint: problem.hint })] };
  }
  if (node.withheld !== undefined) {
    return { diagnostics: [say(node.withheld.code, path, node.withheld.message, { severity: 'error' })] };
  }
  let bytes: Buffer;
  try {
    ({ bytes } = await source.read(node.name, { within: root.id, maxBytes }));
  } catch (error) {
    if (!isSkillError(error)) throw error;
    return { diagnostics: unreadable(error, path) };
  }
  const old = before.get(path);
  // Only what has nothing wrong with it can be kept: its diagnostics would be lost.
  if (old !== undefined && bytes.equals(Buffer.from(old.document)) && isClean(old))
    return { prompt: old, diagnostics: [] };
  const read = readPrompt(bytes, { id, path });
  if (read.prompt !== undefined && read.diagnostics.length === 0) clean.add(read.prompt);
  return read;
}

const clean = new WeakSet<Prompt>();

function isClean(prompt: Prompt): boolean {
  return clean.has(prompt);
}

function unreadable(error: SkillError, path: string): readonly Diagnostic[] {
  // Deleted since it was listed: there is nothing to say.
  if (error.code === 'FILE_NOT_FOUND') return [];
  return [say(error.code, path, error.message, { severity: 'error' })];
}

/** A folder that holds Markdown, which somebody may take for prompts. */
async function checkFolder({ source, prefix }: Place, node: SourceNode): Promise<readonly Diagnostic[]> {
  if (node.withheld !== undefined) return [];
  let folder: SourceFolder;
  try {
    folder = await source.list(node.name);
  } catch (error) {
    if (!isSkillError(error)) throw error;
    return [];
  }
  const found = folder.nodes.find(
    ({ kind, name }) => kind === 'file' && name.endsWith(SUFFIX) && !README.test(name),
  );
  if (found === undefined) return [];
  return [
    say('PROMPT_IN_FOLDER', `${prefix}${node.name}`, `"${found.name}" in it makes no prompt`, {
      hint: 'move it up, or give that folder to --prompts',
    }),
  ];
}

function checkOther({ prefix }: Place, node: SourceNode): readonly Diagnostic[] {
  if (!NEAR_SUFFIX.test(node.name) || README.test(node.name)) return [];
  return [
    say(
      'PROMPT_FILE_SUFFIX',
      `${prefix}${node.name}`,
      `${JSON.stringify(node.name)} makes no prompt: it does not end in ".md"`,
      {
        hint: `rename it to ${JSON.stringify(node.name.replace(NEAR_SUFFIX, SUFFIX))}`,
      },
    ),
  ];
}

function say(
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
