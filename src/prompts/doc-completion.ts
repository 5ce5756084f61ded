/**
 * Completion of the path of a document.
 *
 * @module
 */
import { isSkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { SourceFolder, SourceNode } from '../source/index.ts';
import { isInside } from './doc-list.ts';
import { docPathProblem } from './doc-path.ts';
import type { Docs } from './docs.ts';
import type { PromptCompletion } from './mcp.ts';

const MAX_VALUES = 100;

/**
 * Resolves to the documents and folders (with a slash at their end) that begin with what was typed, in code-point order:
 * those of the folder that it names, so that large trees cost no walk. What a read would refuse is not among them, nor is
 * anything for a text longer than any URI that is read.
 *
 * @example
 * (await completeDocPath(docs, 'guide/')).completion.values // ['guide/a b.md', 'guide/more/']
 */
export async function completeDocPath(docs: Docs, typed: string): Promise<PromptCompletion> {
  const folder = typed.slice(0, typed.lastIndexOf('/') + 1);
  const mayBe =
    typed.length <= LIMITS.uriBytes && (folder === '' || docPathProblem(`${folder}x.md`) === undefined);
  const nodes = mayBe ? await nodesOf(docs, folder.replace(/\/$/, '')) : [];
  const values = nodes
    .filter(({ withheld, link }) => withheld === undefined && (link === undefined || isInside(docs, link)))
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

async function nodesOf(docs: Docs, folder: string): Promise<readonly SourceNode[]> {
  const { id, nodes } = await listed(docs, folder);
  const inside = folder === '' || docs.source.contains(docs.root, id) || (await isReachable(docs, folder));
  return inside ? nodes : [];
}

/** Whether documents may be read through every link on the way to a folder. */
async function isReachable(docs: Docs, folder: string): Promise<boolean> {
  const names = folder.split('/');
  for (const [depth, name] of names.entries()) {
    const { nodes } = await listed(docs, names.slice(0, depth).join('/'));
    const node = nodes.find((each) => each.name === name);
    if (node === undefined || (node.link !== undefined && !isInside(docs, node.link))) return false;
  }
  return true;
}

/** A folder; an empty one where nothing can be listed. */
async function listed({ source }: Docs, folder: string): Promise<SourceFolder> {
  try {
    return await source.list(folder);
  } catch (error) {
    if (isSkillError(error)) return { id: '', nodes: [] };
    throw error;
  }
}
