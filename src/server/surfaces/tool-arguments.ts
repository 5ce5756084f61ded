/**
 * Arguments of a tool, as models write them.
 *
 * @module
 */
import { SkillError } from '../../errors.ts';
import { quote } from '../../uri/quote.ts';
import type { SkillTool } from './tools.ts';

/** The arguments that were given. */
export type ToolArguments = Readonly<Record<string, string>>;

/** UTF-16 units of an argument; the longest that can mean something is a URI. */
const MAX_LENGTH = 8_192;

/**
 * The arguments of a call, checked against the schema of the tool. Null and the empty text stand for an argument that was
 * not given, since models write them for that.
 *
 * Errors, all `INVALID_REQUEST`: no object, an argument that the tool does not take, no string, too long, or missing.
 *
 * @example
 * toolArguments(tool, { query: 'pdf', cursor: null }) // { query: 'pdf' }
 */
export function toolArguments({ name, inputSchema }: SkillTool, given: unknown): ToolArguments {
  const { properties, required = [] } = inputSchema;
  const taken: Record<string, string> = {};
  if (given !== undefined && given !== null) {
    if (typeof given !== 'object' || Array.isArray(given))
      throw invalid(`arguments of ${name} must be an object`);
    for (const [key, value] of Object.entries(given)) {
      if (!Object.hasOwn(properties, key)) {
        throw invalid(
          `${name} has no argument ${quote(key)}; it takes ${Object.keys(properties).join(' and ')}`,
        );
      }
      if (value === null || value === undefined || value === '') continue;
      if (typeof value !== 'string')
        throw invalid(`${key} of ${name} must be a string; it is ${kindOf(value)}`);
      if (value.length > MAX_LENGTH) {
        throw invalid(`${key} of ${name} has ${value.length} characters; at most ${MAX_LENGTH} are read`);
      }
      taken[key] = value;
    }
  }
  for (const key of required) {
    if (taken[key] === undefined) throw invalid(`${name} needs ${required.join(' and ')}; ${key} is missing`);
  }
  return taken;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'an array' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function invalid(message: string): SkillError {
  return new SkillError('INVALID_REQUEST', message);
}
