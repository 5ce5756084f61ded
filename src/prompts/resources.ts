/**
 * What is read at the URIs of prompts.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { quote } from '../uri/quote.ts';
import { jsonText, promptIndex, promptRecord } from './index-json.ts';
import type { Prompt } from './prompt.ts';
import type { PromptSnapshot } from './snapshot.ts';
import { uriTemplate } from './uri-template.ts';

/** The URI of the first page of the index. */
export const PROMPTS_INDEX_URI = 'resource://catalog/prompts_index';
/** The template of the index with its parameters. */
export const PROMPTS_INDEX_TEMPLATE = 'resource://catalog/prompts_index{?q,tag,cursor,limit}';
/** The template of the record of a prompt. */
export const PROMPT_RECORD_TEMPLATE = 'resource://catalog/prompts/{prompt_id}';
/** The template of the document of a prompt. */
export const PROMPT_DOCUMENT_TEMPLATE = 'resource://prompts/{prompt_id}/document';

/** The MIME type of the index and of records. */
export const JSON_MIME_TYPE = 'application/json';
/** The MIME type of documents. */
export const MARKDOWN_MIME_TYPE = 'text/markdown';

/** The contents of one resource, as `resources/read` sends them. */
export interface ResourceText {
  /** As it was asked for. */
  readonly uri: string;
  readonly mimeType: string;
  readonly text: string;
}

const INDEX = uriTemplate(PROMPTS_INDEX_TEMPLATE);
const RECORD = uriTemplate(PROMPT_RECORD_TEMPLATE);
const DOCUMENT = uriTemplate(PROMPT_DOCUMENT_TEMPLATE);

/**
 * Whether a URI belongs to the prompts, whether or not something is there.
 *
 * @example
 * isPromptUri('resource://catalog/prompts_index') // true
 */
export function isPromptUri(uri: string): boolean {
  return /^resource:\/\/(?:catalog|prompts)(?:[/?#]|$)/i.test(uri);
}

/**
 * The contents at a URI of the prompts: a page of the index, a record, or the document of a prompt with its frontmatter.
 * A query behind a record or a document is ignored, as FastMCP does.
 *
 * Errors: `URI_TOO_LONG`; `INVALID_REQUEST` and `INVALID_CURSOR` for the parameters of the index; `RESOURCE_NOT_FOUND` with
 * `details.uri` for everything else, in the same words whether an id is malformed or unknown.
 *
 * @example
 * readPromptResource(registry.snapshot, 'resource://catalog/prompts_index?q=review').text
 */
export function readPromptResource(snapshot: PromptSnapshot, uri: string): ResourceText {
  const text = normalScheme(uri);
  const query = INDEX.match(text);
  if (query !== undefined)
    return { uri, mimeType: JSON_MIME_TYPE, text: jsonText(promptIndex(snapshot, query)) };
  const record = RECORD.match(text);
  if (record !== undefined) {
    return { uri, mimeType: JSON_MIME_TYPE, text: jsonText(promptRecord(find(snapshot, record, uri))) };
  }
  const document = DOCUMENT.match(text);
  if (document !== undefined) {
    return { uri, mimeType: MARKDOWN_MIME_TYPE, text: find(snapshot, document, uri).document };
  }
  throw resourceNotFound(uri);
}

function find(snapshot: PromptSnapshot, values: Readonly<Record<string, string>>, uri: string): Prompt {
  const prompt = snapshot.get(values.prompt_id ?? '');
  if (prompt === undefined) throw resourceNotFound(uri);
  return prompt;
}

/** A URI short enough to be looked at, its scheme in lower case. Errors: `URI_TOO_LONG`. */
export function normalScheme(uri: string): string {
  const actual = Buffer.byteLength(uri);
  if (actual > LIMITS.uriBytes) {
    throw new SkillError('URI_TOO_LONG', `the URI has ${actual} bytes; at most ${LIMITS.uriBytes} are read`, {
      details: { limit: LIMITS.uriBytes, actual },
    });
  }
  return uri.replace(/^[A-Za-z]+(?=:)/, (scheme) => scheme.toLowerCase());
}

/** The one error for whatever cannot be read at a URI. */
export function resourceNotFound(uri: string): SkillError {
  return new SkillError('RESOURCE_NOT_FOUND', `no such resource: ${quote(uri)}`, { details: { uri } });
}
