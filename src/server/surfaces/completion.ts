/**
 * Completion of the variable of `skill://{+path}`: skills, then the paths within one.
 *
 * @module
 */
import type { Skill, Snapshot } from '../../catalog/snapshot.ts';
import { SkillError } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { quote } from '../../uri/quote.ts';
import { SKILL_TEMPLATE } from './resources.ts';

/** Parameters of `completion/complete`, as far as they matter here. */
export interface CompleteParams {
  readonly ref: { readonly type: string; readonly uri?: string; readonly name?: string };
  readonly argument: { readonly name: string; readonly value: string };
}

/** Result of `completion/complete`. */
export interface CompleteResult {
  readonly completion: {
    readonly values: readonly string[];
    readonly total: number;
    readonly hasMore: boolean;
  };
}

/** What the protocol allows in one answer. */
const MAX_VALUES = 100;
const PREFIX = 'skill://';

/** Whether a completion request is about our template. */
export function completesSkills(params: CompleteParams): boolean {
  return params.ref.type === 'ref/resource' && params.ref.uri === SKILL_TEMPLATE;
}

/**
 * Completions of `path`, sorted, at most 100 with the total beside them. Before a skill is complete they are the paths
 * of skills that start with the value, or whose name does; once one skill is left, or the value is its path, its files
 * are among them. A skill that its owner hid is never suggested, and nothing for a value longer than any URI that is read.
 *
 * Values are URI text whose spaces and letters outside ASCII stand as themselves, because expanding the template
 * encodes those (RFC 6570, reserved expansion).
 *
 * Errors: `INVALID_REQUEST` for another template or variable.
 *
 * @example
 * completePath(snapshot, params).completion.values // ['pdf', 'pdf/SKILL.md', 'pdf/references/FORMS.md']
 */
export function completePath(snapshot: Snapshot, params: CompleteParams): CompleteResult {
  const { ref, argument } = params;
  if (!completesSkills(params)) {
    throw new SkillError(
      'INVALID_REQUEST',
      `no such template: ${quote(ref.uri ?? ref.type)}; there is ${SKILL_TEMPLATE}`,
    );
  }
  requireVariable(argument.name);
  return completionResult(valuesFor(snapshot, argument.value));
}

/** Nothing, if a variable is `path`, the only one of our templates. Errors: `INVALID_REQUEST`. */
export function requireVariable(name: string): void {
  if (name === 'path') return;
  throw new SkillError('INVALID_REQUEST', `the template has no variable ${quote(name)}; it has path`);
}

/** The values sorted, as many as an answer may hold, with the total beside them. */
export function completionResult(values: Iterable<string>): CompleteResult {
  const found = [...values].sort();
  return {
    completion: {
      values: found.slice(0, MAX_VALUES),
      total: found.length,
      hasMore: found.length > MAX_VALUES,
    },
  };
}

function valuesFor(snapshot: Snapshot, value: string): Set<string> {
  const values = new Set<string>();
  if (value.length > LIMITS.uriBytes) return values;
  const wanted = readable(value);
  const skills: Skill[] = [];
  for (const skill of snapshot.skills) {
    if (skill.hidden) continue;
    const path = pathOf(skill.rootUri);
    if (wanted === path || wanted.startsWith(`${path}/`)) addFiles(values, skill, wanted);
    if (path.startsWith(wanted) || skill.name.startsWith(wanted)) {
      values.add(path);
      skills.push(skill);
    }
  }
  const [only] = skills;
  if (skills.length === 1 && only !== undefined) addFiles(values, only, '');
  return values;
}

function addFiles(values: Set<string>, skill: Skill, wanted: string): void {
  for (const file of skill.files) {
    const path = pathOf(file.uri);
    if (path.startsWith(wanted)) values.add(path);
  }
}

/** The value of the variable that expands to a URI. */
function pathOf(uri: string): string {
  return readable(uri.slice(PREFIX.length));
}

const ESCAPES = /(?:%[0-9A-Fa-f]{2})+/g;

/** Escapes that expansion writes again become what they stand for; the others stay, since `%` is not escaped twice. */
function readable(text: string): string {
  return text.includes('%') ? text.replace(ESCAPES, (run) => decodeRun(run)) : text;
}

function decodeRun(run: string): string {
  let decoded: string;
  try {
    decoded = decodeURIComponent(run);
  } catch {
    return run;
  }
  let out = '';
  for (const char of decoded) {
    const again = encodeURI(char);
    out += again !== char && char !== '%' ? char : encodeURIComponent(char);
  }
  return out;
}
