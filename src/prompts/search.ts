/**
 * Finding prompts by text and tag.
 *
 * @module
 */
import type { Prompt } from './prompt.ts';
import type { PromptSnapshot } from './snapshot.ts';

/** What {@link searchPrompts} filters by; an empty text is no filter. */
export interface PromptFilter {
  /** Text that stands in the id, the title, the description or a tag, whatever the case; spaces around it do not count. */
  readonly q?: string;
  /** A tag, letter by letter. */
  readonly tag?: string;
}

/** What is searched: the folded fields of all prompts in one text, and the prompts of each tag. */
interface SearchIndex {
  readonly text: string;
  /** Where each prompt begins in `text`. */
  readonly starts: readonly number[];
  readonly byTag: ReadonlyMap<string, readonly Prompt[]>;
  /** The last text searched for and what it found: a walk over the pages asks for the same again and again. */
  last: { readonly wanted: string; readonly found: readonly Prompt[] } | undefined;
}

/** Ends a field; what is searched for and holds it is looked for field by field. */
const END = '\u0000';
const ASCII = /^[\u0000-\u007f]*$/;
const indexes = new WeakMap<PromptSnapshot, SearchIndex>();

/**
 * The prompts that pass both filters, in the order of the snapshot.
 *
 * The folded text of a snapshot is made at its first search; searching 10,000 prompts then is one pass over about two
 * megabytes. Letters that differ in case alone are the same, `ß` and `SS` among them.
 *
 * @example
 * searchPrompts(registry.snapshot, { q: 'review', tag: 'quality' })
 */
export function searchPrompts(snapshot: PromptSnapshot, filter: PromptFilter = {}): readonly Prompt[] {
  const { q = '', tag = '' } = filter;
  const wanted = fold(q.trim());
  if (wanted === '') return tag === '' ? snapshot.prompts : (promptsByTag(snapshot).get(tag) ?? []);
  const found = findText(snapshot, wanted);
  return tag === '' ? found : found.filter(({ tags }) => tags.includes(tag));
}

function findText(snapshot: PromptSnapshot, wanted: string): readonly Prompt[] {
  const index = indexOf(snapshot);
  if (index.last?.wanted === wanted) return index.last.found;
  const found = wanted.includes(END)
    ? snapshot.prompts.filter((prompt) => fieldsOf(prompt).some((field) => fold(field).includes(wanted)))
    : findInText(snapshot.prompts, index, wanted);
  index.last = { wanted, found };
  return found;
}

/** From one hit to the prompt it stands in, and on from the next prompt. */
function findInText(
  prompts: readonly Prompt[],
  { text, starts }: SearchIndex,
  wanted: string,
): readonly Prompt[] {
  const found: Prompt[] = [];
  let next = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, starts[next])) {
    let high = starts.length;
    while (next < high) {
      const middle = (next + high) >>> 1;
      if ((starts[middle] ?? 0) > at) high = middle;
      else next = middle + 1;
    }
    const prompt = prompts[next - 1];
    if (prompt !== undefined) found.push(prompt);
    if (next >= prompts.length) break;
  }
  return found;
}

/** Every tag of a snapshot with its prompts, tags in no order. */
export function promptsByTag(snapshot: PromptSnapshot): ReadonlyMap<string, readonly Prompt[]> {
  return indexOf(snapshot).byTag;
}

/** Text whose letters have lost their case; upper case first, since some letters have several lower ones. */
function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text.toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

function indexOf(snapshot: PromptSnapshot): SearchIndex {
  let index = indexes.get(snapshot);
  if (index === undefined) {
    index = makeIndex(snapshot.prompts);
    indexes.set(snapshot, index);
  }
  return index;
}

function makeIndex(prompts: readonly Prompt[]): SearchIndex {
  const texts: string[] = [];
  const starts: number[] = [];
  const byTag = new Map<string, Prompt[]>();
  let length = 0;
  for (const prompt of prompts) {
    const text = fold(fieldsOf(prompt).join(END)) + END;
    starts.push(length);
    length += text.length;
    texts.push(text);
    for (const tag of prompt.tags) {
      const tagged = byTag.get(tag);
      if (tagged === undefined) byTag.set(tag, [prompt]);
      else tagged.push(prompt);
    }
  }
  return { text: texts.join(''), starts, byTag, last: undefined };
}

/** The name is the id. */
function fieldsOf({ id, title, description, tags }: Prompt): readonly string[] {
  return [id, ...(title === undefined ? [] : [title]), description, ...tags];
}
