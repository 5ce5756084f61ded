/**
 * Prompts and documents as resources.
 *
 * @module
 */
import { SkillError } from '../../errors.ts';
import {
  completeDocPath,
  completePrompt,
  completesPrompts,
  DOCS_TEMPLATE,
  type DocContents,
  type DocEntry,
  type Docs,
  isDocUri,
  isPromptUri,
  JSON_MIME_TYPE,
  MARKDOWN_MIME_TYPE,
  PROMPT_DOCUMENT_TEMPLATE,
  PROMPT_RECORD_TEMPLATE,
  PROMPTS_INDEX_TEMPLATE,
  PROMPTS_INDEX_URI,
  type PromptSnapshot,
  type ResourceText,
  readDoc,
  readPromptResource,
} from '../../prompts/index.ts';
import { quote } from '../../uri/quote.ts';
import type { SurfaceContext } from '../context.ts';
import { base64Bytes, jsonTextBytes } from '../json-size.ts';
import type { CompleteParams, CompleteResult } from './completion.ts';
import { cacheHints, refuseLarge } from './listing.ts';
import type { ReadResourceResult } from './read.ts';
import type { SkillResource, SkillResourceTemplate } from './resources.ts';

/** The first page of the index, as `resources/list` shows it. */
const PROMPTS_INDEX_RESOURCE: SkillResource = {
  uri: PROMPTS_INDEX_URI,
  name: 'prompts_index',
  title: 'Prompts',
  description:
    'The prompts of this server, by id, with description, tags and the URI of each; its template searches them',
  mimeType: JSON_MIME_TYPE,
};

const PROMPT_TEMPLATES: readonly SkillResourceTemplate[] = [
  {
    name: 'prompts_index',
    title: 'Search prompts',
    uriTemplate: PROMPTS_INDEX_TEMPLATE,
    description:
      'The prompts that hold the text q and have the tag; limit is 1 to 100, cursor comes from the page before',
    mimeType: JSON_MIME_TYPE,
  },
  {
    name: 'prompt',
    title: 'Prompt',
    uriTemplate: PROMPT_RECORD_TEMPLATE,
    description: 'One prompt with its arguments',
    mimeType: JSON_MIME_TYPE,
  },
  {
    name: 'prompt-document',
    title: 'Document of a prompt',
    uriTemplate: PROMPT_DOCUMENT_TEMPLATE,
    description: 'The file of a prompt as its author wrote it',
    mimeType: MARKDOWN_MIME_TYPE,
  },
];

const DOC_TEMPLATES: readonly SkillResourceTemplate[] = [
  {
    name: 'doc',
    title: 'Document',
    uriTemplate: DOCS_TEMPLATE,
    description: 'A Markdown file of the documentation, by its path',
    mimeType: MARKDOWN_MIME_TYPE,
  },
];

/** What is served beside skills; each may be absent. */
export interface PromptParts {
  /** The prompts of this moment. */
  readonly prompts: PromptSnapshot | undefined;
  readonly docs: Docs | undefined;
}

/**
 * The templates of what is served.
 *
 * @example
 * promptTemplates({ prompts, docs: undefined }).length // 3
 */
export function promptTemplates({ prompts, docs }: PromptParts): readonly SkillResourceTemplate[] {
  return [...(prompts === undefined ? [] : PROMPT_TEMPLATES), ...(docs === undefined ? [] : DOC_TEMPLATES)];
}

const NONE: readonly SkillResource[] = [];
const INDEX_ALONE: readonly SkillResource[] = [PROMPTS_INDEX_RESOURCE];
const docResources = new WeakMap<
  readonly DocEntry[],
  Readonly<Record<'alone' | 'withIndex', readonly SkillResource[]>>
>();

/**
 * What `resources/list` shows of them, in the order of the URIs: the index of prompts, and documents that are to be listed.
 * The same array as long as it holds the same.
 *
 * @example
 * otherResources({ prompts, docs: undefined }).map(({ uri }) => uri) // ['resource://catalog/prompts_index']
 */
export function otherResources({ prompts, docs }: PromptParts): readonly SkillResource[] {
  const listing = docs?.listing;
  if (listing === undefined) return prompts === undefined ? NONE : INDEX_ALONE;
  let made = docResources.get(listing);
  if (made === undefined) {
    const alone = listing.map(docResource);
    made = { alone, withIndex: [...INDEX_ALONE, ...alone] };
    docResources.set(listing, made);
  }
  return prompts === undefined ? made.alone : made.withIndex;
}

function docResource({ uri, path, size }: DocEntry): SkillResource {
  return { uri, name: path, mimeType: MARKDOWN_MIME_TYPE, size };
}

/**
 * The contents at a URI of prompts or documents, or undefined where the URI belongs to neither.
 *
 * Errors: those of `readPromptResource` and `readDoc`, `RESPONSE_TOO_LARGE`.
 *
 * @example
 * await readPromptPart(parts, 'resource://catalog/prompts_index', context)
 */
export function readPromptPart(
  { prompts, docs }: PromptParts,
  uri: string,
  context: SurfaceContext,
): Promise<ReadResourceResult> | undefined {
  if (prompts !== undefined && isPromptUri(uri)) {
    return Promise.resolve(prompts).then((snapshot) => sent(readPromptResource(snapshot, uri), context));
  }
  if (docs !== undefined && isDocUri(uri)) return readDoc(docs, uri).then((doc) => sent(doc, context));
  return undefined;
}

function sent(contents: ResourceText | DocContents, context: SurfaceContext): ReadResourceResult {
  const bytes =
    'text' in contents
      ? jsonTextBytes(Buffer.from(contents.text))
      : base64Bytes(Buffer.byteLength(contents.blob, 'base64'));
  refuseLarge(contents.uri, bytes, context);
  return { contents: [contents], ...cacheHints(context) };
}

/**
 * Completions for a template of prompts or documents, or undefined where the reference is to neither.
 *
 * Errors: `INVALID_REQUEST`.
 *
 * @example
 * await completePromptPart(parts, params)
 */
export function completePromptPart(
  { prompts, docs }: PromptParts,
  params: CompleteParams,
): CompleteResult | Promise<CompleteResult> | undefined {
  const { ref, argument } = params;
  if (prompts !== undefined && completesPrompts(ref)) return completePrompt(prompts, params);
  if (docs === undefined || ref.type !== 'ref/resource' || ref.uri !== DOCS_TEMPLATE) return undefined;
  if (argument.name === 'path') return completeDocPath(docs, argument.value);
  throw new SkillError(
    'INVALID_REQUEST',
    `the template ${DOCS_TEMPLATE} has no variable ${quote(argument.name)}; it has path`,
  );
}
