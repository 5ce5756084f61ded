/**
 * The placeholders of a body.
 *
 * @module
 */

/** `{{name}}`: no space and no brace inside. A failed try ends at the next brace, so the search is linear. */
const PLACEHOLDER = /\{\{([^{}\s]+)\}\}/g;
const SPACED = /\{\{[ \t]+([^{}\s]+)[ \t]*\}\}|\{\{([^{}\s]+)[ \t]+\}\}/g;
/** What can stand between the braces, and no control characters. */
const ARGUMENT_NAME = /^[^{}\s\p{Cc}\p{Surrogate}]+$/u;
/** Characters of the name of an argument. */
export const MAX_ARGUMENT_NAME = 64;

/** One placeholder; offsets count UTF-16 units of the body. */
export interface Placeholder {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Whether an argument can have this name: otherwise no placeholder could name it. */
export function isArgumentName(name: string): boolean {
  return name.length <= MAX_ARGUMENT_NAME && ARGUMENT_NAME.test(name);
}

/** The placeholders of a body, in order, one by one: a hostile body has millions. */
export function findPlaceholders(body: string): Iterable<Placeholder> {
  return found(body, PLACEHOLDER);
}

/** What looks like a placeholder and is none, because of the spaces in it. */
export function findSpacedPlaceholders(body: string): Iterable<Placeholder> {
  return found(body, SPACED);
}

function* found(body: string, pattern: RegExp): Generator<Placeholder> {
  if (!body.includes('{{')) return;
  for (const { 0: whole, 1: name, 2: other, index } of body.matchAll(pattern)) {
    yield { name: name ?? other ?? '', start: index, end: index + whole.length };
  }
}
