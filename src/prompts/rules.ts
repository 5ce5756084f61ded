/**
 * The rules for prompts.
 *
 * @module
 */
import type { Rule } from '../format/rules.ts';

const HEAD = '---\ndescription: Review a diff';

/**
 * What is said about a prompt alone, by code, in the order of `docs/reference/prompts.md`. What is said about any
 * frontmatter, and about files that a source withholds, is in `RULES` of `skillwire/format`.
 *
 * @example
 * PROMPT_RULES['PROMPT_ID_INVALID']?.title
 */
export const PROMPT_RULES: Readonly<Record<string, Rule>> = {
  NO_PROMPTS_FOUND: {
    severity: 'warning',
    title: 'The folder has no prompts',
    text: 'Prompts are the files ending in ".md" that stand in the folder itself.',
    bad: 'prompts/\n  review.txt',
    good: 'prompts/\n  review.md',
  },
  PROMPT_ID_INVALID: {
    severity: 'error',
    title: 'The name of a file is no id',
    text: 'The name without ".md" is the id: a-z, 0-9 and single hyphens, a letter first, at most 64 characters. "README.md" is left out without a word.',
    bad: 'prompts/\n  Code_Review.md',
    good: 'prompts/\n  code-review.md',
  },
  PROMPT_DUPLICATE_ID: {
    severity: 'error',
    title: 'Two prompts have the same id',
    text: 'The one of the folder given first is served; the other is refused.',
    bad: 'team/\n  review.md\nmine/\n  review.md',
    good: 'team/\n  review.md\nmine/\n  my-review.md',
  },
  PROMPT_FILE_SUFFIX: {
    severity: 'warning',
    title: 'A file does not end in ".md"',
    text: 'It is no prompt. The suffix must be ".md" in lower case.',
    bad: 'prompts/\n  review.MD\n  triage.markdown',
    good: 'prompts/\n  review.md\n  triage.md',
  },
  PROMPT_IN_FOLDER: {
    severity: 'warning',
    title: 'Markdown stands in a folder below',
    text: 'It makes no prompt: prompts stand in the folder itself, one file each.',
    bad: 'prompts/\n  team/\n    review.md',
    good: 'prompts/\n  team-review.md',
  },
  PROMPT_NAME_MISMATCH: {
    severity: 'error',
    title: 'The name differs from the id',
    text: 'The name may be left out. When it is there it is the name of the file without ".md".',
    bad: `${HEAD}\nname: review\n---\nReview it.     (code-review.md)\n`,
    good: `${HEAD}\nname: code-review\n---\nReview it.     (code-review.md)\n`,
  },
  PROMPT_TITLE_INVALID: {
    severity: 'error',
    title: 'The title is no text',
    text: 'The title may be left out. When it is there it is text and not blank.',
    bad: `${HEAD}\ntitle: 2024\n---\nReview it.\n`,
    good: `${HEAD}\ntitle: '2024'\n---\nReview it.\n`,
  },
  PROMPT_TAGS_INVALID: {
    severity: 'error',
    title: 'The tags are no list of texts',
    text: 'Write a list; a tag that looks like a number or a boolean needs quotes.',
    bad: `${HEAD}\ntags: review, quality\n---\nReview it.\n`,
    good: `${HEAD}\ntags: [review, quality]\n---\nReview it.\n`,
  },
  PROMPT_TAG_REPEATED: {
    severity: 'warning',
    title: 'A tag stands twice',
    text: 'It counts once.',
    bad: `${HEAD}\ntags: [review, review]\n---\nReview it.\n`,
    good: `${HEAD}\ntags: [review]\n---\nReview it.\n`,
  },
  PROMPT_ARGUMENTS_INVALID: {
    severity: 'error',
    title: 'The arguments are not what they must be',
    text: 'They are a list; each has a "name", and may have a "description" (text), "required" (true or false) and "values" (a list of texts to suggest). A name has no spaces and no braces.',
    bad: `${HEAD}\narguments: [diff]\n---\n{{diff}}\n`,
    good: `${HEAD}\narguments:\n  - name: diff\n    required: true\n---\n{{diff}}\n`,
  },
  PROMPT_ARGUMENT_REPEATED: {
    severity: 'error',
    title: 'Two arguments have the same name',
    text: 'Keep one of the two.',
    bad: `${HEAD}\narguments:\n  - name: diff\n  - name: diff\n---\n{{diff}}\n`,
    good: `${HEAD}\narguments:\n  - name: diff\n---\n{{diff}}\n`,
  },
  PROMPT_ARGUMENT_UNUSED: {
    severity: 'warning',
    title: 'An argument stands nowhere in the body',
    text: 'Clients ask for it and it changes nothing.',
    bad: `${HEAD}\narguments:\n  - name: diff\n---\nReview it.\n`,
    good: `${HEAD}\narguments:\n  - name: diff\n---\nReview {{diff}}.\n`,
  },
  PROMPT_PLACEHOLDER_UNDECLARED: {
    severity: 'error',
    title: 'A placeholder names no argument',
    text: 'Declare the argument. Braces that are meant as text need spaces inside: "{{ diff }}" stays as it is.',
    bad: `${HEAD}\n---\nReview {{diff}}.\n`,
    good: `${HEAD}\narguments:\n  - name: diff\n---\nReview {{diff}}.\n`,
  },
  PROMPT_PLACEHOLDER_SPACED: {
    severity: 'warning',
    title: 'A placeholder has spaces in it',
    text: 'It is left as it is, although there is an argument of that name.',
    bad: `${HEAD}\narguments:\n  - name: diff\n---\nReview {{ diff }}, {{diff}}.\n`,
    good: `${HEAD}\narguments:\n  - name: diff\n---\nReview {{diff}}, {{diff}}.\n`,
  },
  PROMPT_BODY_EMPTY: {
    severity: 'warning',
    title: 'Nothing stands below the frontmatter',
    text: 'The prompt is served and says nothing.',
    bad: `${HEAD}\n---\n`,
    good: `${HEAD}\n---\nReview it.\n`,
  },
  PROMPT_UNKNOWN_KEY: {
    severity: 'warning',
    title: 'A key means nothing here',
    text: 'It stays in the document. Keys are "name", "title", "description", "tags" and "arguments".',
    bad: `${HEAD}\ntag: review\n---\nReview it.\n`,
    good: `${HEAD}\ntags: [review]\n---\nReview it.\n`,
  },
};
