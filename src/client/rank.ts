/**
 * Which skills a host shows first.
 *
 * @module
 */
import MiniSearch from 'minisearch';

/** What a skill is found by. */
export interface Ranked {
  readonly name: string;
  readonly description: string;
}

/** Words of a query that count: a whole message of a user may be handed in, and each word is looked for. */
const QUERY_WORDS = 64;
/** Runs of letters, marks and digits; scripts that write no spaces are taken apart below. */
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/**
 * The places of `skills`, the best match for `query` first, then those that do not match, each group in the order given.
 * Words are compared without case, a beginning of a word and a small slip count a little, the name more than the
 * description. A blank query keeps the order. `owner` is what the index is kept with. The words are the server's own: a description full of words ranks high.
 *
 * @example
 * rankSkills([{ name: 'pdf', description: 'Fills forms' }], 'fill in a form') // [0]
 */
export function rankSkills(
  skills: readonly Ranked[],
  query: string,
  owner: object = skills,
): readonly number[] {
  const order = skills.map((_, at) => at);
  if (words(query).length === 0) return order;
  const score = new Map<number, number>(
    searchOf(skills, owner)
      .search(query)
      .map((found) => [found.id as number, found.score]),
  );
  return order.sort((a, b) => (score.get(b) ?? 0) - (score.get(a) ?? 0) || a - b);
}

interface Index {
  /** Copied, since a caller may change its own. */
  readonly texts: readonly Ranked[];
  readonly search: MiniSearch;
}

const indexes: WeakMap<object, Index> = new WeakMap();

/** A host asks on every turn, mostly of the same listing: its index is kept as long as the listing is. */
function searchOf(skills: readonly Ranked[], owner: object): MiniSearch {
  const kept = indexes.get(owner);
  if (kept !== undefined && sameTexts(kept.texts, skills)) return kept.search;
  const search = new MiniSearch<Ranked & { readonly id: number }>({
    fields: ['name', 'description'],
    tokenize: words,
    processTerm: (word) => word,
    searchOptions: {
      tokenize: (query) => [...new Set(words(query))].slice(0, QUERY_WORDS),
      boost: { name: 3 },
      prefix: (word) => word.length > 2,
      fuzzy: (word) => word.length > 4 && 0.2,
    },
  });
  const texts = skills.map(({ name, description }) => ({ name, description }));
  search.addAll(texts.map((text, id) => ({ id, ...text })));
  indexes.set(owner, { texts, search });
  return search;
}

function sameTexts(kept: readonly Ranked[], skills: readonly Ranked[]): boolean {
  return (
    kept.length === skills.length &&
    skills.every(({ name, description }, at) => {
      const text = kept[at];
      return text?.name === name && text.description === description;
    })
  );
}

/** The words of a text, folded; of a script without spaces each pair of neighbours. */
function words(text: string): string[] {
  const found: string[] = [];
  for (const [run] of text.normalize('NFKC').toLowerCase().matchAll(WORDS)) {
    const letters = [...run];
    if (!UNSPACED.test(run)) {
      // "a" and the like tell nothing.
      if (letters.length > 1) found.push(run);
      continue;
    }
    if (letters.length === 1) found.push(run);
    for (let at = 1; at < letters.length; at++) found.push(`${letters[at - 1]}${letters[at]}`);
  }
  return found;
}
