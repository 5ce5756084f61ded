/**
 * The operations that telemetry knows, and the attributes they carry.
 *
 * @module
 */
import { LIMITS } from '../limits.ts';
import type { RemoteTrace } from './trace-context.ts';

/** What a client does; the name of its span (seed 000, but for `skills.get`, which the draft did not have). */
export type OperationName =
  | 'skills.list'
  | 'skills.get'
  | 'skills.read'
  | 'skills.read_manifest'
  | 'skills.read_and_verify'
  | 'skills.read_directory'
  | 'skills.activate';

/** Facts about an operation. On spans and channels every value is text, as seed 000 has it. */
export type AttributeName =
  | 'mcp.method'
  | 'mcp.session.id'
  | 'mcp.resource.uri'
  | 'mcp.error.code'
  | 'mcp.skill.uri'
  | 'mcp.skill.path'
  | 'mcp.skill.file'
  | 'mcp.skill.name'
  | 'mcp.skill.count'
  | 'mcp.skill.entries'
  | 'mcp.skill.index_absent'
  | 'mcp.skill.expected_digest'
  | 'mcp.skill.digest_verified'
  | 'mcp.skill.activation.reason'
  | 'error.type';

/** Attributes that are known when the operation begins. */
export type OperationAttributes = Readonly<Partial<Record<AttributeName, string>>>;

/** An operation that begins. */
export interface OperationStart {
  readonly name: string;
  readonly attributes: OperationAttributes;
  /** When it began, in ms since 1970, if that is over. */
  readonly startTime?: number | undefined;
  /** Present: a server answers a request here, and this trace came with it. */
  readonly served?: { readonly remote: RemoteTrace | undefined };
}

/** An operation while it runs. */
export interface OperationSpan {
  /** Adds a fact that is known only now; numbers and booleans become text. */
  set(name: AttributeName, value: string | number | boolean): void;
  /** Counts bytes that came from a server. */
  readBytes(bytes: number): void;
}

/** A span that nobody looks at. */
export const SILENT_SPAN: OperationSpan = { set: () => {}, readBytes: () => {} };

/**
 * A value that is fit for a span: text that is no longer than a URI may be, since a server chooses names and URIs and
 * must not fill the traces of a host with them.
 *
 * @example
 * attributeValue(3) // '3'
 */
export function attributeValue(value: string | number | boolean): string {
  const text = String(value);
  if (text.length <= LIMITS.uriBytes) return text;
  // Half a surrogate pair is no text.
  return `${text.slice(0, LIMITS.uriBytes).replace(/[\ud800-\udbff]$/, '')}…`;
}

/**
 * Attributes with every value fit for a span; a new object each time.
 *
 * @example
 * boundedAttributes({ 'mcp.skill.uri': uri })
 */
export function boundedAttributes(attributes: OperationAttributes): Partial<Record<AttributeName, string>> {
  const bounded: Partial<Record<AttributeName, string>> = {};
  for (const [name, value] of Object.entries(attributes) as [AttributeName, string | undefined][]) {
    if (value !== undefined) bounded[name] = attributeValue(value);
  }
  return bounded;
}
