/**
 * What is said of a request that a server answers.
 *
 * @module
 */
import type { OperationAttributes } from './operation.ts';

/** A request, as far as telemetry looks at it. */
export interface ServedRequest {
  readonly method: string;
  /** Its `uri`, when it has one; anything but text is left out. */
  readonly uri?: unknown;
  /** The id of the session, over a transport that has one. */
  readonly sessionId?: string | undefined;
  /** Its `_meta`, which may name the trace that it belongs to. */
  readonly meta?: unknown;
  /** When it came, in ms since 1970, if that is over. @default now */
  readonly startTime?: number;
}

const MANIFEST = /^skill:\/\/(.+)\/(SKILL\.md)$/;

/**
 * The attributes of a request's span (seed 000): the URI as it was asked for, taken apart by its text alone.
 *
 * @example
 * requestAttributes({ method: 'resources/read', uri: 'skill://acme/pdf/SKILL.md' })['mcp.skill.path'] // 'acme/pdf'
 */
export function requestAttributes({ method, uri, sessionId }: ServedRequest): OperationAttributes {
  const [, path, file] = (typeof uri === 'string' && MANIFEST.exec(uri)) || [];
  return {
    'mcp.method': method,
    ...(sessionId !== undefined && { 'mcp.session.id': sessionId }),
    ...(typeof uri === 'string' && { 'mcp.resource.uri': uri }),
    ...(typeof uri === 'string' && uri.startsWith('skill://') && { 'mcp.skill.uri': uri }),
    ...(path !== undefined && file !== undefined && { 'mcp.skill.path': path, 'mcp.skill.file': file }),
  };
}
