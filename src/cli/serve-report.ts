/**
 * The start-up report: what is served, what is not, and why.
 *
 * @module
 */
import type { RefusedSkill, Skill, Snapshot } from '../catalog/index.ts';
import type { Diagnostic } from '../format/index.ts';
import type { ProviderWarning } from '../server/index.ts';
import type { Style } from './output.ts';
import { tableLines } from './output.ts';
import { printable } from './printable.ts';
import { reasonUnlisted } from './unlisted.ts';

/** What a report is made of. */
export interface ReportInput {
  readonly snapshot: Snapshot;
  readonly warnings: readonly ProviderWarning[];
  /** The sources as they were written. */
  readonly sources: readonly string[];
  readonly version: string;
}

/** Problems of a kind that are shown one by one; beyond it, the number of the rest. */
const SHOWN = 10;

/** Codes of files that are missing from a skill that is served. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'FILE_TOO_LARGE',
  'FILE_UNREADABLE',
  'FILE_CHANGED',
  'SPECIAL_FILE',
  'SECRET_WITHHELD',
  'LINK_ESCAPES',
  'LINK_BROKEN',
  'LINK_LOOP',
  'LINK_REFUSED',
  'UNADDRESSABLE_NAME',
]);

/** One problem, ready to be a line or a log entry. */
export interface ReportedProblem {
  readonly kind: 'refused' | 'unlisted' | 'left out' | 'warning';
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly line?: number;
}

/** Numbers of a report. */
export interface ReportCounts {
  readonly skills: number;
  readonly listed: number;
  readonly unlisted: number;
  readonly refused: number;
  readonly files: number;
  readonly bytes: number;
}

/** How many skills and files there are. */
export function countsOf(snapshot: Snapshot): ReportCounts {
  const { skills, refused } = snapshot;
  const listed = skills.filter((skill) => skill.listed).length;
  return {
    skills: skills.length,
    listed,
    unlisted: skills.length - listed,
    refused: refused.length,
    files: skills.reduce((sum, skill) => sum + skill.files.length, 0),
    bytes: skills.reduce((sum, skill) => sum + skill.totalBytes, 0),
  };
}

/** Everything of a snapshot that a user has to know, worst first. */
export function problemsOf(snapshot: Snapshot): ReportedProblem[] {
  const refusals = new Set<Diagnostic>(snapshot.refused.map((refused) => refused.diagnostic));
  const unlisted = snapshot.skills.filter((skill) => !skill.listed && !skill.hidden);
  const reasons = new Map(unlisted.map((skill) => [skill, reasonUnlisted(skill, snapshot.diagnostics)]));
  const told = new Set<Diagnostic | undefined>([...refusals, ...reasons.values()]);
  const others = snapshot.diagnostics.filter((each) => !told.has(each) && each.severity !== 'info');
  return [
    ...snapshot.refused.map(refusal),
    ...unlisted.map((skill) => unlisting(skill, reasons.get(skill))),
    ...others.filter((each) => LEFT_OUT.has(each.code)).map((each) => problem('left out', each)),
    ...others.filter((each) => !LEFT_OUT.has(each.code)).map((each) => problem('warning', each)),
  ];
}

function problem(kind: ReportedProblem['kind'], diagnostic: Diagnostic): ReportedProblem {
  const { code, path, message, range } = diagnostic;
  return { kind, code, path, message, ...(range === undefined ? {} : { line: range.start.line }) };
}

function refusal({ path, diagnostic }: RefusedSkill): ReportedProblem {
  return { ...problem('refused', diagnostic), path: diagnostic.path === '' ? path : diagnostic.path };
}

function unlisting(skill: Skill, reason: Diagnostic | undefined): ReportedProblem {
  if (reason !== undefined) return problem('unlisted', reason);
  return {
    kind: 'unlisted',
    code: 'NON_CONFORMING',
    path: skill.path,
    message: 'official clients refuse its entry',
  };
}

const HEADINGS: Readonly<Record<ReportedProblem['kind'], string>> = {
  refused: 'refused, not served at all',
  unlisted: 'unlisted: served by URI and in no listing, because common clients would drop the whole listing',
  'left out': 'left out, the rest of the skill is served',
  warning: 'served with a warning',
};

/**
 * The report as lines of text: a sentence of numbers, then each kind of problem with its count; long lists are cut
 * with the number of what is not shown.
 *
 * @example
 * for (const line of reportLines(input, style)) process.stderr.write(`${line}\n`)
 */
export function reportLines(input: ReportInput, style: Style): string[] {
  const { snapshot, sources, version, warnings } = input;
  const lines = [`${style.bold(`skillwire ${version}`)}: ${summaryOf(snapshot, sources)}`];
  const problems = problemsOf(snapshot);
  for (const kind of ['refused', 'unlisted', 'left out', 'warning'] as const) {
    const group = problems.filter((each) => each.kind === kind);
    if (group.length === 0) continue;
    const paint = kind === 'refused' ? style.red : style.yellow;
    lines.push(`${paint(HEADINGS[kind])} (${group.length}):`, ...groupLines(group));
  }
  for (const { code, message } of warnings) lines.push(`${style.yellow(code)}: ${printable(message)}`);
  if (problems.length > 0)
    lines.push(`details and how to fix them: skillwire check ${sources.map(quoted).join(' ')}`);
  return lines;
}

/** One sentence: how many skills, from where. */
export function summaryOf(snapshot: Snapshot, sources: readonly string[]): string {
  const counts = countsOf(snapshot);
  const from = `from ${sources.map(quoted).join(', ')}`;
  const refused = counts.refused === 0 ? '' : `, ${counts.refused} refused`;
  if (counts.skills === 0)
    return `no skills ${from}${refused}; a skill is a folder with a file named exactly SKILL.md`;
  const unlisted = counts.unlisted === 0 ? '' : `, ${counts.unlisted} unlisted`;
  return `${plural(counts.skills, 'skill')} ${from} (${counts.listed} listed${unlisted}${refused}; ${plural(counts.files, 'file')}, ${sizeText(counts.bytes)})`;
}

function groupLines(group: readonly ReportedProblem[]): string[] {
  if (group.length <= SHOWN) return tableLines(group.map(row)).map((line) => `  ${line}`);
  // Many of few kinds: every kind is seen, with the first of its places.
  const byCode = new Map<string, ReportedProblem[]>();
  for (const one of group) byCode.set(one.code, [...(byCode.get(one.code) ?? []), one]);
  const each = Math.max(2, Math.floor(SHOWN / byCode.size));
  return [...byCode].flatMap(([, same]) => {
    const shown = tableLines(same.slice(0, each).map(row)).map((line) => `  ${line}`);
    const rest = same.length - each;
    return rest > 0 ? [...shown, `  … and ${rest} more of ${same[0]?.code}`] : shown;
  });
}

function row({ code, path, line, message }: ReportedProblem): string[] {
  const place = printable(path === '' ? '.' : path) + (line === undefined ? '' : `:${line}`);
  return [place, code, printable(message)];
}

function quoted(source: string): string {
  return /^[\w./~=:@%+-]+$/.test(source) ? source : JSON.stringify(source);
}

function plural(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function sizeText(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1_024).toFixed(1)} KiB`;
  return `${(bytes / 1_048_576).toFixed(1)} MiB`;
}
