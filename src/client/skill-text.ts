/**
 * What a server wrote about a skill, made fit to be quoted to a model.
 *
 * @module
 */
import { isSkillError } from '../errors.ts';
import { type JsonObject, parseFrontmatter } from '../format/index.ts';

/** What most text is made of, and nothing of it is taken out. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;
/** Everything that ends a line for some reader. */
const LINE_ENDS = /\r\n|[\r\v\f\u0085\u2028\u2029]/g;
/** Controls but for tab and line feed: escape sequences, backspaces. */
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;
/**
 * What a person does not see and a model reads: zero-width characters, bidirectional marks, fillers, variation selectors
 * and tags (a whole text can be written in either), annotations, characters of private use.
 */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Private_Use}\p{Noncharacter_Code_Point}\ufff9-\ufffb]/gu;
/** Half a surrogate pair has no UTF-8 form. */
const LONE_SURROGATES = /[\ud800-\udfff]/gu;
/**
 * How chat templates write where a message begins and ends: `<|name|>`, also with full-width bars, and the words of
 * families that use others. Some tokenizers read them so wherever they stand. With
 * spaces inside it is code, such as that of F#.
 */
const TEMPLATE_MARKS =
  /<[|\uff5c][^<>|\uff5c\s]{1,64}[|\uff5c]>|<(?:start|end)_of_turn>|\[\/?INST\]|<<\/?SYS>>/g;
const SPACES = /[\p{White_Space}]+/gu;

/**
 * `text` with every line ending in LF and nothing in it that cannot be seen. Emoji made of several lose what joins
 * them, and some scripts their joiners: they read worse, and say the same.
 *
 * @example
 * cleanText('a\u202eb\r\nc') // 'ab\nc'
 */
export function cleanText(text: string): string {
  if (PLAIN.test(text)) return text.replace(TEMPLATE_MARKS, apart);
  return text
    .replace(LINE_ENDS, '\n')
    .replace(CONTROLS, '')
    .replace(INVISIBLE, '')
    .replace(LONE_SURROGATES, '\ufffd')
    .replace(TEMPLATE_MARKS, apart);
}

/** The mark with a space after its first character and before its last, so that it is plain text. */
function apart(mark: string): string {
  return `${mark.slice(0, 1)} ${mark.slice(1, -1)} ${mark.slice(-1)}`;
}

/**
 * `text` cleaned, on one line, of at most `length` code points.
 *
 * @example
 * cleanLine(' Fills\nforms ', 1_024) // 'Fills forms'
 */
export function cleanLine(text: string, length: number): string {
  const line = cleanText(text).replace(SPACES, ' ').trim();
  if (line.length <= length) return line;
  const points = [...line];
  return points.length <= length ? line : `${points.slice(0, length - 1).join('')}…`;
}

/**
 * JSON of `value` on one line that closes no tag: `<` and `>` are written as escapes.
 *
 * @example
 * quoteJson({ name: '</skills>' }) // '{"name":"\\u003c/skills\\u003e"}'
 */
export function quoteJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e');
}

/** A field of frontmatter, empty when it is no text. */
export function fieldOf(frontmatter: JsonObject, field: string): string {
  const value = Object.hasOwn(frontmatter, field) ? frontmatter[field] : undefined;
  return typeof value === 'string' ? value : '';
}

/**
 * What stands below the frontmatter of a `SKILL.md`; the whole text when the frontmatter cannot be read, since it is no
 * less the skill's text then.
 *
 * @example
 * instructionsOf(bytes) // '# Filling forms\n…'
 */
export function instructionsOf(bytes: Uint8Array): string {
  try {
    return parseFrontmatter(bytes).body;
  } catch (error) {
    if (!isSkillError(error)) throw error;
    return new TextDecoder().decode(bytes);
  }
}
