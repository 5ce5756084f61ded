/**
 * What is read at the URIs of prompts.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { quote } from '../uri/quote.ts';
import { jsonText, promptIndex, promptRecord } from './index-json.ts';
import { isPromptId } from './prompt-id.ts';
import { promptDocumentUri, promptRecordUri, promptResourceOf } from './prompt-uris.ts';
import type { PromptSnapshot } from './snapshot.ts';

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
  const resource = promptResourceOf(normalScheme(uri));
  if (resource === undefined) throw resourceNotFound(uri);
  if (resource.kind === 'index')
    return { uri, mimeType: JSON_MIME_TYPE, text: jsonText(promptIndex(snapshot, resource.query)) };
  const prompt = snapshot.get(resource.id);
  if (prompt === undefined) throw resourceNotFound(uri);
  return resource.kind === 'record'
    ? { uri, mimeType: JSON_MIME_TYPE, text: jsonText(promptRecord(prompt)) }
    : { uri, mimeType: MARKDOWN_MIME_TYPE, text: prompt.document };
}

/**
 * Whether something can be read at a URI of the prompts.
 *
 * @example
 * hasPromptResource(registry.snapshot, 'resource://catalog/prompts_index?limit=0') // false
 */
export function hasPromptResource(snapshot: PromptSnapshot, uri: string): boolean {
  try {
    readPromptResource(snapshot, uri);
    return true;
  } catch (error) {
    if (isSkillError(error)) return false;
    throw error;
  }
}

/**
 * The one spelling of a URI of the prompts, in which changes are told; undefined for what names none. The index with
 * parameters stays as it was given, since every page is a resource of its own.
 *
 * @example
 * canonicalPromptUri('RESOURCE://prompts/code%2Dreview/document') // 'resource://prompts/code-review/document'
 */
export function canonicalPromptUri(uri: string): string | undefined {
  if (!isPromptUri(uri) || Buffer.byteLength(uri) > LIMITS.uriBytes) return undefined;
  const text = normalScheme(uri);
  const resource = promptResourceOf(text);
  if (resource === undefined) return undefined;
  if (resource.kind === 'index') return text;
  if (!isPromptId(resource.id)) return undefined;
  return resource.kind === 'record' ? promptRecordUri(resource.id) : promptDocumentUri(resource.id);
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
