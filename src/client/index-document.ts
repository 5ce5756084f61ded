/**
 * The document at `skill://index.json`, as it came.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { textOf } from '../integrity/index.ts';
import { LIMITS } from '../limits.ts';
import { INDEX_URI, type Index, type IndexEntry, type SkillType } from '../wire/index.ts';
import { requireSameUri } from './answer-uri.ts';
import type { Connection } from './connection.ts';
import { bytesOf } from './contents.ts';
import type { RequestScope } from './dialect.ts';
import { isRecord, type JsonRecord } from './json-record.ts';

/** A document of which no more is known than that it is an object. */
export interface IndexDocument {
  readonly value: JsonRecord;
  /** How long the server calls it fresh, ms. */
  readonly ttlMs: number | undefined;
}

/**
 * The index of a server, or undefined when it has none: also when it does not answer the method (seed `ListSkills`). It
 * counts neither as a resource of a skill nor against the budget.
 *
 * Errors: `INVALID_INDEX` for a document that is no JSON object; `URI_MISMATCH`; those of the connection.
 *
 * @example
 * const document = await readIndexDocument(connection, scope)
 */
export async function readIndexDocument(
  connection: Connection,
  scope: RequestScope,
): Promise<IndexDocument | undefined> {
  let text: string;
  let ttlMs: number | undefined;
  try {
    const contents = await connection.readContents(INDEX_URI, LIMITS.clientResponseBytes, scope, true);
    requireSameUri(INDEX_URI, contents.uri);
    text = 'text' in contents.data ? contents.data.text : textOf(bytesOf(contents));
    ttlMs = contents.ttlMs;
  } catch (error) {
    if (isSkillError(error, 'RESOURCE_NOT_FOUND') || isSkillError(error, 'METHOD_NOT_FOUND'))
      return undefined;
    if (isSkillError(error, 'NOT_UTF8')) throw invalid('it is no UTF-8', error);
    throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch (cause) {
    throw invalid('it is no JSON', cause);
  }
  if (!isRecord(value)) throw invalid('it is no JSON object');
  const { skills } = value;
  if (skills !== undefined && skills !== null && !Array.isArray(skills))
    throw invalid('its skills are no list');
  return { value, ttlMs };
}

/** The entries of a document, none of them judged. */
export function entriesOf({ value }: IndexDocument): readonly unknown[] {
  return Array.isArray(value.skills) ? value.skills : [];
}

/**
 * The document as an index of the seed: what is no text counts as missing, and no rule is applied to the entries.
 *
 * Errors: `INVALID_INDEX` for an entry that is no object.
 *
 * @example
 * indexOf(document).skills
 */
export function indexOf(document: IndexDocument): Index {
  const { $schema, _meta: meta } = document.value;
  return {
    $schema: typeof $schema === 'string' ? $schema : '',
    skills: entriesOf(document).map((entry, at): IndexEntry => {
      if (!isRecord(entry)) throw invalid(`skills[${at}] is no object`);
      const { type, name, description, url, digest, _meta } = entry;
      return {
        // Types of later drafts pass: those who load the index skip them.
        type: (typeof type === 'string' ? type : '') as SkillType,
        ...(typeof name === 'string' ? { name } : {}),
        description: typeof description === 'string' ? description : '',
        url: typeof url === 'string' ? url : '',
        ...(typeof digest === 'string' ? { digest } : {}),
        ...(isRecord(_meta) ? { _meta } : {}),
      };
    }),
    ...(isRecord(meta) ? { _meta: meta } : {}),
  };
}

function invalid(why: string, cause?: unknown): SkillError {
  return new SkillError('INVALID_INDEX', `${INDEX_URI} is no index: ${why}`, {
    details: { uri: INDEX_URI },
    cause,
  });
}
