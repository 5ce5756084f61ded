/**
 * Completion of the path of a document.
 *
 * @module
 */
import { isSkillError } from '../errors.ts';
import type { Source, SourceNode } from '../source/index.ts';
import { docPathProblem } from './doc-path.ts';
import type { Docs } from './docs.ts';
import type { PromptCompletion } from './mcp.ts';

const MAX_VALUES = 100;

/**
 * Resolves to the documents and folders (with a slash at their end) that begin with what was typed, in code-point order:
 * those of the folder that it names, so that large trees cost no walk.
 *
 * @example
 * (await completeDocPath(docs, 'guide/')).completion.values // ['guide/a b.md', 'guide/more/']
 */
export async function completeDocPath(docs: Docs, typed: string): Promise<PromptCompletion> {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const nodes =
    folder === '' || docPathProblem(`${folder}x.md`) === undefined ? await nodesOf(docs.source, folder) : [];
  const values = nodes
    .filter(({ withheld }) => withheld === undefined)
    .map(({ kind, name }) => `${folder}${name}${kind === 'directory' ? '/' : ''}`)
    .filter((path) => path.startsWith(typed) && (path.endsWith('/') || docPathProblem(path) === undefined));
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  };
}

async function nodesOf(source: Source, folder: string): Promise<readonly SourceNode[]> {
  try {
    return (await source.list(folder.replace(/\/$/, ''))).nodes;
  } catch (error) {
    if (isSkillError(error)) return [];
    throw error;
  }
}
