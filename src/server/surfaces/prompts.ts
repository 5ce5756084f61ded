/**
 * Prompts and documents on the wire: as resources, and by the prompt methods of the base protocol.
 *
 * @module
 */
import {
  completeDocPath,
  completePrompt,
  completesPrompts,
  DOCS_TEMPLATE,
  type DocContents,
  type Docs,
  getPrompt,
  isDocUri,
  isPromptUri,
  JSON_MIME_TYPE,
  MARKDOWN_MIME_TYPE,
  PROMPT_DOCUMENT_TEMPLATE,
  PROMPT_RECORD_TEMPLATE,
  PROMPTS_INDEX_TEMPLATE,
  PROMPTS_INDEX_URI,
  type PromptDefinition,
  type PromptMessages,
  type PromptSnapshot,
  promptDefinitions,
  type ResourceText,
  readDoc,
  readPromptResource,
} from '../../prompts/index.ts';
import { decodeCursor, encodeCursor } from '../../wire/index.ts';
import type { SurfaceContext } from '../context.ts';
import { base64Bytes, jsonBytes, jsonTextBytes } from '../json-size.ts';
import { type PageOptions, pageOf } from '../page.ts';
import type { CompleteParams, CompleteResult } from './completion.ts';
import { type CacheHints, cacheHints, pageOptions, refuseLarge } from './listing.ts';
import type { ReadResourceResult } from './read.ts';
import type { SkillResource, SkillResourceTemplate } from './resources.ts';

/** Result of `prompts/list`. */
export interface ListPromptsResult extends CacheHints {
  readonly prompts: readonly PromptDefinition[];
  readonly nextCursor?: string;
}

/** The name of the list in its cursors. */
const PROMPTS_LIST = 'prompts';

/** The first page of the index, as `resources/list` shows it. */
export const PROMPTS_INDEX_RESOURCE: SkillResource = {
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
 * One page of the prompts, cut by name, so that none is missed or seen twice when others come and go.
 *
 * Errors: `INVALID_CURSOR`.
 *
 * @example
 * listPrompts(registry.snapshot, {}, context).prompts[0]?.name
 */
export function listPrompts(
  snapshot: PromptSnapshot,
  params: { readonly cursor?: string },
  context: SurfaceContext,
): ListPromptsResult {
  const all = promptDefinitions(snapshot);
  const { maxItems, maxBytes, maxItemBytes } = pageOptions(all.length, context);
  const options: PageOptions<PromptDefinition> = {
    keyOf: ({ name }) => name,
    sizeOf: jsonBytes,
    maxItems,
    maxBytes,
    maxItemBytes,
  };
  const { cursor } = params;
  const page = pageOf(
    all,
    cursor === undefined ? options : { ...options, after: decodeCursor(PROMPTS_LIST, cursor) },
  );
  return {
    prompts: page.items,
    ...(page.next !== undefined && { nextCursor: encodeCursor(PROMPTS_LIST, page.next) }),
    ...cacheHints(context),
  };
}

/**
 * A prompt with its arguments filled in. Errors: those of `getPrompt`, `RESPONSE_TOO_LARGE`.
 *
 * @example
 * promptMessages(registry.snapshot, { name: 'code-review', arguments: { diff } }, context)
 */
export function promptMessages(
  snapshot: PromptSnapshot,
  params: Readonly<Record<string, unknown>>,
  context: SurfaceContext,
): PromptMessages {
  const result = getPrompt(
    snapshot,
    { name: params.name, arguments: params.arguments },
    { maxLength: context.responseBytes },
  );
  refuseLarge(String(params.name), jsonBytes(result), context);
  return result;
}

/**
 * Completions for a prompt or a template of prompts or documents, or undefined where the reference is to neither.
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
  if (
    docs === undefined ||
    ref.type !== 'ref/resource' ||
    ref.uri !== DOCS_TEMPLATE ||
    argument.name !== 'path'
  ) {
    return undefined;
  }
  return completeDocPath(docs, argument.value);
}
