/**
 * A prompt with its placeholders replaced.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { quote } from '../uri/quote.ts';
import { findPlaceholders } from './placeholders.ts';
import type { Prompt } from './prompt.ts';

/** Options of {@link renderPrompt}. */
export interface RenderOptions {
  /** Characters of the text at the most; a short request can name a long value a thousand times. @default 25,165,824 */
  readonly maxLength?: number;
}

/**
 * The body of a prompt with each placeholder replaced, in a single pass: what a value holds is never looked at again. An
 * optional argument without a value is empty; values of arguments that the prompt does not have are ignored.
 *
 * Errors: `INVALID_REQUEST` for a required argument without a value, `RESPONSE_TOO_LARGE`.
 *
 * @example
 * renderPrompt(prompt, { diff: text })
 */
export function renderPrompt(
  prompt: Prompt,
  values: Readonly<Record<string, string>> = {},
  options: RenderOptions = {},
): string {
  const missing = prompt.arguments.filter(
    (argument) => argument.required && !Object.hasOwn(values, argument.name),
  );
  if (missing.length > 0) {
    const names = missing.map(({ name }) => quote(name)).join(', ');
    throw new SkillError(
      'INVALID_REQUEST',
      `the prompt "${prompt.id}" needs ${missing.length === 1 ? 'a value' : 'values'} for ${names}`,
      { details: { prompt: prompt.id, missing: missing.map(({ name }) => name) } },
    );
  }
  const { body } = prompt;
  const maxLength = options.maxLength ?? LIMITS.responseBytesHttp;
  const pieces: string[] = [];
  let length = 0;
  let done = 0;
  const add = (piece: string): void => {
    length += piece.length;
    if (length > maxLength) {
      throw new SkillError(
        'RESPONSE_TOO_LARGE',
        `the prompt "${prompt.id}" with these values is longer than ${maxLength} characters; give shorter values`,
        { details: { prompt: prompt.id, limit: maxLength } },
      );
    }
    pieces.push(piece);
  };
  const declared = new Set(prompt.arguments.map(({ name }) => name));
  for (const { name, start, end } of findPlaceholders(body)) {
    if (!declared.has(name)) continue;
    add(body.slice(done, start));
    add((Object.hasOwn(values, name) ? values[name] : undefined) ?? '');
    done = end;
  }
  add(body.slice(done));
  return pieces.join('');
}
