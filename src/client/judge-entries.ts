/**
 * The entries of a listing, judged one by one: a bad one never takes its neighbours down.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { startPace } from '../pace.ts';
import { canonicalUri } from '../uri/canonical.ts';
import { quote } from '../uri/quote.ts';
import { freezeSkill } from './entry-files.ts';
import { isRecord } from './json-record.ts';
import type { FoundSkill, ListingProblem } from './skill.ts';

/** Skills that held, in the order of the server, and what is wrong with the others. */
export interface JudgedEntries {
  readonly skills: readonly FoundSkill[];
  readonly problems: readonly ListingProblem[];
}

/**
 * What `judge` makes of each value: a skill; nothing for one to be passed over; or an error with a code, which becomes a
 * problem. Every copy of a URI that stands there twice, in whatever spelling, is refused: none can be told to be the
 * right one. Of very many problems the first thousand are told one by one.
 *
 * @example
 * const { skills, problems } = await judgeEntries(items, (value) => foundSkill(validateEntry(value)))
 */
export async function judgeEntries(
  values: readonly unknown[],
  judge: (value: unknown, at: number) => FoundSkill | undefined,
  /** The field of a refused value that says which URI it stands for. */
  field: 'uri' | 'url' = 'uri',
): Promise<JudgedEntries> {
  const pace = startPace();
  const problems = new Problems();
  const found = new Map<string, FoundSkill | 'refused'>();
  for (const [at, value] of values.entries()) {
    if (pace.due()) await pace.rest();
    let skill: FoundSkill | undefined;
    try {
      skill = judge(value, at);
    } catch (error) {
      if (!isSkillError(error)) throw error;
      problems.add(error);
    }
    const uri = skill?.entry.uri ?? (isRecord(value) ? value[field] : undefined);
    const key = typeof uri === 'string' ? keyOf(uri) : undefined;
    if (key === undefined) continue;
    const other = found.get(key);
    if (other === undefined) {
      found.set(key, skill === undefined ? 'refused' : freezeSkill(skill));
      continue;
    }
    if (other !== 'refused') problems.add(twice(other.entry.uri));
    if (skill !== undefined) problems.add(twice(skill.entry.uri));
    found.set(key, 'refused');
  }
  const skills = [...found.values()].filter((skill) => skill !== 'refused');
  return { skills, problems: problems.list() };
}

function keyOf(uri: string): string | undefined {
  try {
    return canonicalUri(uri, { anyScheme: true });
  } catch {
    // What is no URI is refused already, and equals nothing.
    return undefined;
  }
}

function twice(uri: string): SkillError {
  return new SkillError(
    'INVALID_ENTRY',
    `${quote(uri)} stands in the listing more than once; every copy is refused`,
    {
      details: { uri, at: 'uri' },
    },
  );
}

/** Problems, told one by one up to a cap. */
export class Problems {
  readonly #told: ListingProblem[] = [];
  #untold = 0;

  /** `error` as a problem. */
  add(error: SkillError): void {
    if (this.#told.length >= LIMITS.clientProblems) {
      this.#untold += 1;
      return;
    }
    const { uri } = error.details;
    this.#told.push({
      code: error.code,
      message: error.message,
      ...(typeof uri === 'string' && uri.length <= LIMITS.uriBytes ? { uri } : {}),
    });
  }

  /** Those told, and one that counts the rest. */
  list(): readonly ListingProblem[] {
    if (this.#untold === 0) return this.#told;
    const message = `${this.#untold} more entries are refused; they are not told one by one`;
    return [...this.#told, { code: 'INVALID_ENTRY', message }];
  }
}
