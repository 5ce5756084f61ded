/**
 * What `skillwire pull` says.
 *
 * @module
 */
import type { SkillError } from '../errors.ts';
import type { PullFlags } from './commands/pull.ts';
import { EXIT } from './exit.ts';
import { type Output, type Style, tableLines } from './output.ts';
import { plural } from './plural.ts';
import { printable } from './printable.ts';
import type { PulledSkill, PullResult, PullStatus } from './pull-result.ts';
import { refusedEntries, reportProblems } from './report-problems.ts';
import { hintOf } from './usage.ts';
import { errorJson } from './verify-skill.ts';

/** Version of the document of `--json`: it grows when a field changes its meaning or goes. */
const SCHEMA = 1;

/** The exit code: what failed a check is graver than what could not be had, and that than what was left alone. */
export function pullExitCode({ skills, listing, named }: PullResult): number {
  const codes: number[] = skills.flatMap(({ error }) => (error === undefined ? [] : [exitOf(error)]));
  if (!named && refusedEntries(listing).length > 0) codes.push(EXIT.unverified);
  for (const code of [EXIT.unverified, EXIT.unreachable]) if (codes.includes(code)) return code;
  if (listing.dialect === undefined) return EXIT.unreachable;
  if (codes.includes(EXIT.incomplete) || (!listing.complete && !named)) return EXIT.incomplete;
  return codes.length > 0 ? EXIT.findings : EXIT.ok;
}

/** What stands in the way here is there the next time too: trying again, as 3 may have a script do, changes nothing. */
function exitOf({ code, exitCode }: SkillError): number {
  return code === 'TARGET_EXISTS' ? EXIT.findings : exitCode;
}

/** Writes the report: a document, or what was done with each skill, and a summary. */
export function pullReport(result: PullResult, flags: PullFlags, output: Output): void {
  if (flags.json === true) {
    output.json(pullJson(result));
    return;
  }
  const { style, errorStyle } = output;
  const rows = result.skills
    .filter(({ status }) => status !== 'unchanged' && status !== 'refused' && status !== 'contained')
    .map((skill) => [
      paintOf(skill.status, style)(skill.status),
      printable(skill.path ?? skill.uri),
      detail(skill),
    ]);
  for (const line of tableLines(rows)) output.line(line.trimEnd());
  for (const { error, uri } of result.skills) {
    if (error === undefined) continue;
    const text = error.message.includes(uri) ? error.message : `${uri}: ${error.message}`;
    output.note(`${errorStyle.red(`refused[${error.code}]`)} ${printable(text)}`);
    const hint = hintFor(error);
    if (hint !== undefined) output.note(`  ${errorStyle.cyan('hint:')} ${printable(hint)}`);
  }
  for (const { leftover } of result.skills) {
    if (leftover === undefined) continue;
    output.note(
      errorStyle.yellow(`what was replaced could not be removed: ${printable(leftover)}; remove it by hand`),
    );
  }
  reportProblems(result.listing, output);
  if (result.skills.some(({ status }) => status === 'gone')) {
    output.note(
      flags.prune === true
        ? 'nothing was removed: the server lists no skills at all, or entries that cannot be told apart from them'
        : 'gone: no longer on the server, or in another folder now; --prune removes what is unchanged here',
    );
  } else if (flags.prune === true && !result.listing.complete) {
    output.note('nothing was removed: what is missing in a listing that is not complete may still be there');
  }
  output.line(style.bold(printable(summary(result))));
}

function hintFor(error: SkillError): string | undefined {
  return hintOf(error, '');
}

function pullJson({ target, folder, dryRun, listing, skills }: PullResult): object {
  return {
    schema: SCHEMA,
    target,
    dialect: listing.dialect ?? null,
    folder,
    dryRun,
    complete: listing.complete,
    counts: countsOf(skills),
    skills: skills.map(({ error, path, ...rest }) => ({
      ...rest,
      path: path ?? null,
      ...(error === undefined ? {} : { error: { ...errorJson(error), ...hintJson(error) } }),
    })),
    problems: listing.problems,
  };
}

function hintJson(error: SkillError): { readonly hint?: string } {
  const hint = hintFor(error);
  return hint === undefined ? {} : { hint };
}

const STATUSES = ['added', 'updated', 'unchanged', 'contained', 'removed', 'gone', 'refused'] as const;

function countsOf(skills: readonly PulledSkill[]): Record<PullStatus, number> {
  const counts = { added: 0, updated: 0, unchanged: 0, contained: 0, removed: 0, gone: 0, refused: 0 };
  for (const { status } of skills) counts[status] += 1;
  return counts;
}

function summary({ target, folder, dryRun, skills, listing }: PullResult): string {
  const counts = countsOf(skills);
  const parts = STATUSES.filter((status) => counts[status] > 0).map(
    (status) => `${counts[status]} ${status}`,
  );
  const how = listing.dialect === undefined ? 'no dialect that carries skills' : listing.dialect;
  const what = parts.length === 0 ? 'no skills' : parts.join(', ');
  const only = dryRun ? ' (nothing was written)' : '';
  return `${target} (${how}) to ${folder}: ${what}${only}`;
}

function detail({ status, added = [], changed = [], removed = [] }: PulledSkill): string {
  if (status === 'added') return plural(added.length, 'file');
  const parts = [
    ...(changed.length === 0 ? [] : [`${changed.length} changed`]),
    ...(added.length === 0 ? [] : [`${added.length} added`]),
    ...(removed.length === 0 ? [] : [`${removed.length} removed`]),
  ];
  return parts.join(', ');
}

function paintOf(status: PullStatus, style: Style): (text: string) => string {
  return status === 'removed' || status === 'gone' ? style.yellow : style.cyan;
}
