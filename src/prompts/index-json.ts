/**
 * The JSON documents about prompts.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { quote } from '../uri/quote.ts';
import { decodeOffset, encodeOffset } from './offset-cursor.ts';
import type { Prompt } from './prompt.ts';
import { promptDocumentUri } from './prompt-uris.ts';
import { searchPrompts } from './search.ts';
import type { PromptSnapshot } from './snapshot.ts';

/** One prompt in the index. Keys stand in this order. */
export interface PromptIndexItem {
  readonly id: string;
  /** The id. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** In code-point order. */
  readonly tags: readonly string[];
  /** Where its document is read. */
  readonly uri: string;
}

/** One page of the index. */
export interface PromptIndex {
  readonly items: readonly PromptIndexItem[];
  /** Prompts that match, on all pages together. */
  readonly total: number;
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** One prompt in full, without its text. */
export interface PromptRecord {
  readonly id: string;
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }[];
  readonly uri: string;
}

/** The parameters of the index as they stand in its URI. */
export interface PromptIndexQuery {
  readonly q?: string;
  readonly tag?: string;
  readonly cursor?: string;
  readonly limit?: string;
}

const LIMIT = /^(?:[1-9][0-9]?|100)$/;
const DEFAULT_LIMIT = 20;

/**
 * A page of the prompts that match. A cursor is an offset and bound to nothing: going on with another filter is the
 * caller's business.
 *
 * Errors: `INVALID_REQUEST` for a limit that is not 1 to 100, `INVALID_CURSOR`.
 *
 * @example
 * promptIndex(registry.snapshot, { q: 'review', limit: '5' }).total
 */
export function promptIndex(snapshot: PromptSnapshot, query: PromptIndexQuery = {}): PromptIndex {
  const limit = limitOf(query.limit);
  const found = searchPrompts(snapshot, query);
  const start = query.cursor === undefined ? 0 : decodeOffset(query.cursor, found.length);
  const end = start + limit;
  return {
    items: found.slice(start, end).map(indexItem),
    total: found.length,
    ...(end < found.length && { nextCursor: encodeOffset(end) }),
  };
}

/**
 * One prompt in full, without its text.
 *
 * @example
 * promptRecord(prompt).arguments
 */
export function promptRecord(prompt: Prompt): PromptRecord {
  const { uri, ...item } = indexItem(prompt);
  return {
    ...item,
    arguments: prompt.arguments.map(({ name, description, required }) => ({
      name,
      ...(description !== undefined && { description }),
      required,
    })),
    uri,
  };
}

/** JSON as these documents have it: two spaces a level, LF, letters beyond ASCII as themselves. */
export function jsonText(value: object): string {
  return JSON.stringify(value, null, 2);
}

function indexItem({ id, title, description, tags }: Prompt): PromptIndexItem {
  return {
    id,
    name: id,
    ...(title !== undefined && { title }),
    description,
    tags,
    uri: promptDocumentUri(id),
  };
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  if (LIMIT.test(text)) return Number(text);
  throw new SkillError(
    'INVALID_REQUEST',
    `limit is ${quote(text)}; it must be a whole number from 1 to 100`,
    {
      details: { limit: text },
    },
  );
}
