/**
 * A prompt as it was read.
 *
 * @module
 */

/** One argument of a prompt. */
export interface PromptArgument {
  /** As it stands between the braces of its placeholder. */
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
  /** Values to suggest while a user types; others are accepted as well. */
  readonly values?: readonly string[];
}

/** One prompt. */
export interface Prompt {
  /** The stem of its file name, and its name everywhere. */
  readonly id: string;
  readonly title?: string;
  readonly description: string;
  /** Each once, in code-point order. */
  readonly tags: readonly string[];
  /** In the order of the file. */
  readonly arguments: readonly PromptArgument[];
  /** The file as its author wrote it: a BOM, CRLF and the frontmatter are kept. */
  readonly document: string;
  /** What stands below the frontmatter: line ends LF, one leading blank line dropped, placeholders as they are. */
  readonly body: string;
  /** Its file below the source. */
  readonly path: string;
}
