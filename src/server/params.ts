/**
 * Parameters of requests, read from what came off the wire.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import type { CompleteParams } from './surfaces/completion.ts';

/** Parameters as they came off the wire. */
export type RawParams = Readonly<Record<string, unknown>>;

/**
 * The `uri` of a request. Errors: `INVALID_REQUEST`.
 *
 * @example
 * uriOf({ uri: 'skill://pdf/SKILL.md' })
 */
export function uriOf(params: RawParams): string {
  const { uri } = params;
  if (typeof uri !== 'string') throw invalid('uri', 'a string', uri);
  if (uri === '') throw new SkillError('INVALID_REQUEST', 'uri is empty; it names what to read');
  return uri;
}

/**
 * The `cursor` of a request, where it has one. Errors: `INVALID_REQUEST`.
 *
 * @example
 * cursorOf({}) // {}
 */
export function cursorOf(params: RawParams): { readonly cursor?: string } {
  const { cursor } = params;
  if (cursor === undefined) return {};
  if (typeof cursor !== 'string') throw invalid('cursor', 'a string', cursor);
  return { cursor };
}

/**
 * The parameters of `completion/complete`. Errors: `INVALID_REQUEST`.
 *
 * @example
 * completionOf({ ref: { type: 'ref/resource', uri: 'skill://{+path}' }, argument: { name: 'path', value: 'p' } })
 */
export function completionOf(params: RawParams): CompleteParams {
  const ref = recordOf(params, 'ref');
  const argument = recordOf(params, 'argument');
  const { type, uri, name: prompt } = ref;
  const { name, value } = argument;
  if (typeof type !== 'string') throw invalid('ref.type', 'a string', type);
  if (uri !== undefined && typeof uri !== 'string') throw invalid('ref.uri', 'a string', uri);
  if (prompt !== undefined && typeof prompt !== 'string') throw invalid('ref.name', 'a string', prompt);
  if (typeof name !== 'string') throw invalid('argument.name', 'a string', name);
  if (typeof value !== 'string') throw invalid('argument.value', 'a string', value);
  return {
    ref: { type, ...(uri !== undefined && { uri }), ...(prompt !== undefined && { name: prompt }) },
    argument: { name, value },
  };
}

function recordOf(params: RawParams, key: string): RawParams {
  const value = params[key];
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(key, 'an object', value);
  return value as RawParams;
}

function invalid(name: string, wanted: string, value: unknown): SkillError {
  const got =
    value === undefined
      ? 'missing'
      : value === null
        ? 'null'
        : Array.isArray(value)
          ? 'an array'
          : `a ${typeof value}`;
  return new SkillError('INVALID_REQUEST', `${name} must be ${wanted}; it is ${got}`);
}
