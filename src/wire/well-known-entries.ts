/**
 * What both documents of the `well-known` dialect share when strangers wrote them: problems, entries, names.
 *
 * @module
 */
import { nameProblem, slug } from '../format/name.ts';
import { quote } from '../uri/quote.ts';

/** The rule that a document or an entry broke. */
export type WellKnownRule =
  | 'NOT_JSON'
  | 'NO_SKILLS'
  | 'SCHEMA'
  | 'TOO_MANY_ENTRIES'
  | 'ENTRY'
  | 'NAME'
  | 'DUPLICATE_NAME'
  | 'DESCRIPTION'
  | 'TYPE'
  | 'URL'
  | 'DIGEST'
  | 'FILES';

/** A broken rule. */
export interface WellKnownProblem {
  readonly code: WellKnownRule;
  /** `error`: the entry, or at `""` the whole document, is dropped; `warning`: it is read all the same. */
  readonly severity: 'error' | 'warning';
  /** Where: `skills[3].digest`; the empty string is the document. */
  readonly at: string;
  /** What is wrong, with the value. */
  readonly message: string;
}

/** Options of {@link parseDiscoveryIndex} and {@link parseLegacyIndex}. */
export interface ParseWellKnownOptions {
  /**
   * Read what is published against the rules and can still be checked, each time with a warning: another `$schema` or
   * none, bare or upper-case hex as a digest, also in a field `sha256`, the type `task` for a `SKILL.md`, display names
   * of a `SKILL.md`; in the older form good entries beside bad ones. @default false
   */
  readonly tolerant?: boolean;
}

/** Problems told one by one; a hostile index can have one for each entry. */
const MAX_PROBLEMS = 100;
/** Entries looked at. */
const MAX_ENTRIES = 200_000;
export type Fields = Readonly<Record<string, unknown>>;

/** Gathers problems up to a bound. */
export class Problems {
  readonly list: WellKnownProblem[] = [];
  #more = 0;

  add(severity: 'error' | 'warning', code: WellKnownRule, at: string, message: string): undefined {
    if (this.list.length < MAX_PROBLEMS) this.list.push({ code, severity, at, message });
    else this.#more += 1;
    return undefined;
  }

  all(): readonly WellKnownProblem[] {
    if (this.#more === 0) return this.list;
    const message = `${this.#more} more problems of this index are not told`;
    return [...this.list, { code: 'ENTRY', severity: 'warning', at: '', message }];
  }
}

/** The entries of a document, or none, which is then told. */
export function entriesOf(
  text: string,
  problems: Problems,
  judgeSchema: (schema: unknown) => string | undefined,
  tolerant: boolean,
): readonly unknown[] {
  let document: unknown;
  try {
    document = JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    problems.add('error', 'NOT_JSON', '', 'the index is not valid JSON');
    return [];
  }
  const fields = recordOf(document);
  if (fields === undefined) {
    problems.add('error', 'NO_SKILLS', '', `the index is ${kindOf(document)}, not an object with skills`);
    return [];
  }
  const wrong = judgeSchema(own(fields, '$schema'));
  if (wrong !== undefined) {
    problems.add(tolerant ? 'warning' : 'error', 'SCHEMA', '', wrong);
    if (!tolerant) return [];
  }
  const skills = own(fields, 'skills');
  if (!Array.isArray(skills)) {
    problems.add('error', 'NO_SKILLS', '', `skills is ${kindOf(skills)}, not a list`);
    return [];
  }
  if (skills.length <= MAX_ENTRIES) return skills;
  problems.add(
    'warning',
    'TOO_MANY_ENTRIES',
    '',
    `the index has ${skills.length} entries; the first ${MAX_ENTRIES} are read`,
  );
  return skills.slice(0, MAX_ENTRIES);
}

/** The name of an entry; with the path of a `SKILL.md`, a display name gives way to what that path says. */
export function nameOf(
  fields: Fields,
  at: string,
  manifestPath: string | undefined,
  problems: Problems,
): string | undefined {
  const name = own(fields, 'name');
  if (typeof name !== 'string') {
    return problems.add('error', 'NAME', `${at}.name`, `name is ${kindOf(name)}, not text`);
  }
  const wrong = nameProblem(name);
  if (wrong === undefined) return name;
  const folder = manifestPath?.split('/').at(-2) ?? '';
  const instead =
    manifestPath === undefined ? '' : [folder, slug(name)].find((each) => nameProblem(each) === undefined);
  if (!instead) return problems.add('error', 'NAME', `${at}.name`, wrong.message);
  problems.add('warning', 'NAME', `${at}.name`, `${wrong.message}; it is read as "${instead}"`);
  return instead;
}

export function keep<T extends { readonly name: string }>(
  skills: Map<string, T>,
  skill: T,
  at: string,
  problems: Problems,
): void {
  if (!skills.has(skill.name)) skills.set(skill.name, skill);
  else problems.add('error', 'DUPLICATE_NAME', `${at}.name`, `an earlier entry is named "${skill.name}" too`);
}

export function shown(value: unknown): string {
  return typeof value === 'string' ? quote(value) : kindOf(value);
}

export function kindOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}

export function recordOf(value: unknown): Fields | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

export function own(record: Fields, key: string): unknown {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}
