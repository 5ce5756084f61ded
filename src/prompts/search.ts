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

/** What is searched: the folded fields of each prompt in one text, and the prompts of each tag. */
interface SearchIndex {
  readonly texts: ReadonlyMap<Prompt, string>;
  readonly byTag: ReadonlyMap<string, readonly Prompt[]>;
}

/** Ends a field; what is searched for and holds it is looked for field by field. */
const END = '\u0000';
const indexes = new WeakMap<PromptSnapshot, SearchIndex>();

/**
 * The prompts that pass both filters, in the order of the snapshot.
 *
 * Folded texts are made at the first search of a snapshot, so that 10,000 prompts are searched in about a millisecond.
 * Letters that differ in case alone are the same, `ß` and `SS` among them.
 *
 * @example
 * searchPrompts(registry.snapshot, { q: 'review', tag: 'quality' })
 */
export function searchPrompts(snapshot: PromptSnapshot, filter: PromptFilter = {}): readonly Prompt[] {
  const { q = '', tag = '' } = filter;
  const wanted = fold(q.trim());
  if (wanted === '' && tag === '') return snapshot.prompts;
  const index = indexOf(snapshot);
  const prompts = tag === '' ? snapshot.prompts : (index.byTag.get(tag) ?? []);
  if (wanted === '') return prompts;
  if (wanted.includes(END)) {
    return prompts.filter((prompt) => fieldsOf(prompt).some((field) => fold(field).includes(wanted)));
  }
  return prompts.filter((prompt) => index.texts.get(prompt)?.includes(wanted));
}

/** Every tag of a snapshot with its prompts, tags in no order. */
export function promptsByTag(snapshot: PromptSnapshot): ReadonlyMap<string, readonly Prompt[]> {
  return indexOf(snapshot).byTag;
}

/** Text whose letters have lost their case; upper case first, since some letters have several lower ones. */
function fold(text: string): string {
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
  const texts = new Map<Prompt, string>();
  const byTag = new Map<string, Prompt[]>();
  for (const prompt of prompts) {
    texts.set(prompt, fold(fieldsOf(prompt).join(END)));
    for (const tag of prompt.tags) {
      const tagged = byTag.get(tag);
      if (tagged === undefined) byTag.set(tag, [prompt]);
      else tagged.push(prompt);
    }
  }
  return { texts, byTag };
}

/** The name is the id. */
function fieldsOf({ id, title, description, tags }: Prompt): readonly string[] {
  return [id, ...(title === undefined ? [] : [title]), description, ...tags];
}
