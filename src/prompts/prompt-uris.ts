/**
 * The URIs of prompts.
 *
 * @module
 */
import { uriTemplate } from './uri-template.ts';

/** The URI of the first page of the index. */
export const PROMPTS_INDEX_URI = 'resource://catalog/prompts_index';
/** The template of the index with its parameters. */
export const PROMPTS_INDEX_TEMPLATE = 'resource://catalog/prompts_index{?q,tag,cursor,limit}';
/** The template of the record of a prompt. */
export const PROMPT_RECORD_TEMPLATE = 'resource://catalog/prompts/{prompt_id}';
/** The template of the document of a prompt. */
export const PROMPT_DOCUMENT_TEMPLATE = 'resource://prompts/{prompt_id}/document';

const INDEX = uriTemplate(PROMPTS_INDEX_TEMPLATE);
const RECORD = uriTemplate(PROMPT_RECORD_TEMPLATE);
const DOCUMENT = uriTemplate(PROMPT_DOCUMENT_TEMPLATE);

/** What a URI of the prompts names. */
export type PromptResource =
  | { readonly kind: 'index'; readonly query: Readonly<Record<string, string>> }
  | { readonly kind: 'record' | 'document'; readonly id: string };

/** What a URI names, whether or not something is there; undefined when it is none of the prompts. The scheme is in lower case. */
export function promptResourceOf(uri: string): PromptResource | undefined {
  const query = INDEX.match(uri);
  if (query !== undefined) return { kind: 'index', query };
  const record = RECORD.match(uri);
  if (record !== undefined) return { kind: 'record', id: record.prompt_id ?? '' };
  const document = DOCUMENT.match(uri);
  return document === undefined ? undefined : { kind: 'document', id: document.prompt_id ?? '' };
}

/** Where the record of a prompt is read. */
export function promptRecordUri(id: string): string {
  return `resource://catalog/prompts/${id}`;
}

/** Where the document of a prompt is read. */
export function promptDocumentUri(id: string): string {
  return `resource://prompts/${id}/document`;
}
