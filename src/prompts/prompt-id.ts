/**
 * The rule for the ids of prompts.
 *
 * @module
 */
import { quote } from '../uri/quote.ts';

const PROMPT_ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
/** Characters of an id. */
const MAX_ID = 64;

/** What is wrong with an id, and how to write it. */
export interface PromptIdProblem {
  readonly message: string;
  readonly hint: string;
}

/**
 * Whether a text is the id of a prompt: lower-case kebab-case that begins with a letter, at most 64 characters.
 *
 * @example
 * isPromptId('code-review') // true
 */
export function isPromptId(text: string): boolean {
  return text.length <= MAX_ID && PROMPT_ID.test(text);
}

/**
 * What keeps the stem of a file name from being an id; undefined when nothing does.
 *
 * @example
 * promptIdProblem('Code_Review')?.hint // 'rename the file to "code-review.md"'
 */
export function promptIdProblem(stem: string): PromptIdProblem | undefined {
  if (isPromptId(stem)) return undefined;
  const near = nearest(stem);
  return {
    message: `${quote(stem)} is not the id of a prompt: ${reason(stem)}`,
    hint:
      near === undefined
        ? 'name the file with a-z, 0-9 and single hyphens, such as "code-review.md"'
        : `rename the file to "${near}.md"`,
  };
}

function reason(stem: string): string {
  if (stem === '') return 'it is empty';
  if (stem.length > MAX_ID) return `it has ${stem.length} characters; the limit is ${MAX_ID}`;
  const [odd] = /[^a-z0-9-]/u.exec(stem) ?? [];
  if (odd !== undefined) {
    return /\p{Lu}/u.test(odd)
      ? `it has the upper-case letter ${quote(odd)}`
      : `it has ${quote(odd)}; only a-z, 0-9 and "-" may stand in it`;
  }
  if (!/^[a-z]/.test(stem)) return 'it does not begin with a letter';
  return stem.endsWith('-') ? 'it ends with a hyphen' : 'it has two hyphens in a row';
}

/** The id that was most likely meant. */
function nearest(stem: string): string | undefined {
  if (!/^[A-Za-z0-9 ._-]*$/.test(stem)) return undefined;
  const near = stem
    .replace(/\.prompt$/i, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join('-');
  return isPromptId(near) ? near : undefined;
}
