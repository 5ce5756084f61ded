/**
 * The start-up report: what is served, what is not, and why.
 *
 * @module
 */
import type { Snapshot } from '../catalog/index.ts';
import type { ProviderWarning } from '../server/index.ts';
import { type Style, tableLines } from './output.ts';
import { plural, sizeText } from './plural.ts';
import { printable } from './printable.ts';
import { countsOf, PROBLEM_KINDS, problemsOf, type ReportedProblem } from './serve-problems.ts';
import { shellWord } from './shell-word.ts';

/** What a report is made of. */
export interface ReportInput {
  readonly snapshot: Snapshot;
  readonly warnings: readonly ProviderWarning[];
  /** The sources as they were written. */
  readonly sources: readonly string[];
  readonly version: string;
  /** What is served beside skills. */
  readonly beside?: Beside;
  /** A path below the source as the user would open it. */
  readonly shown: (path: string) => string;
}

/** Prompts and documents in a report. */
export interface Beside {
  /** A sentence for each. */
  readonly summaries: readonly { readonly text: string }[];
  readonly problems: readonly ReportedProblem[];
  /** The folders of prompts as they were written. */
  readonly promptFolders: readonly string[];
}

const NOTHING: Beside = { summaries: [], problems: [], promptFolders: [] };

/** Problems of a kind that are shown one by one; beyond it, the number of the rest. */
const SHOWN = 10;

const HEADINGS: Readonly<Record<ReportedProblem['kind'], string>> = {
  refused: 'refused, not served at all',
  unlisted: 'unlisted: served by URI and in no listing, because common clients would drop the whole listing',
  'left out': 'left out, the rest of the skill is served',
  warning: 'warnings',
};

/**
 * The report as lines of text: a sentence of numbers, then each kind of problem with its count; long lists are cut
 * with the number of what is not shown.
 *
 * @example
 * for (const line of reportLines(input, style)) process.stderr.write(`${line}\n`)
 */
export function reportLines(input: ReportInput, style: Style): string[] {
  const { snapshot, sources, version, warnings, beside = NOTHING } = input;
  const summaries = [
    ...(sources.length === 0 ? [] : [summaryOf(snapshot, sources)]),
    ...beside.summaries.map(({ text }) => text),
  ];
  const name = `skillwire ${version}`;
  const lines = summaries.map((text, at) =>
    at === 0 ? `${style.bold(name)}: ${printable(text)}` : `${' '.repeat(name.length + 2)}${printable(text)}`,
  );
  const problems = [...(sources.length === 0 ? [] : problemsOf(snapshot)), ...beside.problems];
  for (const kind of PROBLEM_KINDS) {
    const group = problems.filter((each) => each.kind === kind);
    if (group.length === 0) continue;
    const paint = kind === 'refused' ? style.red : style.yellow;
    lines.push(`${paint(HEADINGS[kind])} (${group.length}):`, ...groupLines(group, input.shown));
  }
  for (const { code, message } of warnings) lines.push(`${style.yellow(code)}: ${printable(message)}`);
  if (problems.length > 0) {
    const words = [
      ...sources.map((each) => shellWord(each)),
      ...beside.promptFolders.map((each) => `--prompts ${shellWord(each)}`),
    ];
    lines.push(`details and how to fix them: skillwire check ${printable(words.join(' '))}`);
  }
  return lines;
}

/** One sentence: how many skills, from where. */
export function summaryOf(snapshot: Snapshot, sources: readonly string[]): string {
  const counts = countsOf(snapshot);
  const from = `from ${sources.map((each) => shellWord(each)).join(', ')}`;
  const refused = counts.refused === 0 ? '' : `, ${counts.refused} refused`;
  if (counts.skills === 0) {
    return `no skills ${from}${refused}; a skill is a folder with a file named exactly SKILL.md`;
  }
  const unlisted = counts.unlisted === 0 ? '' : `, ${counts.unlisted} unlisted`;
  return `${plural(counts.skills, 'skill')} ${from} (${counts.listed} listed${unlisted}${refused}; ${plural(counts.files, 'file')}, ${sizeText(counts.bytes)})`;
}

function groupLines(group: readonly ReportedProblem[], shown: ReportInput['shown']): string[] {
  const rows = (some: readonly ReportedProblem[]): string[] =>
    tableLines(some.map((each) => row(each, shown))).map((line) => `  ${line}`);
  if (group.length <= SHOWN) return rows(group);
  // Many of few kinds: every kind is seen, with the first of its places.
  const byCode = new Map<string, ReportedProblem[]>();
  for (const one of group) {
    const same = byCode.get(one.code);
    if (same === undefined) byCode.set(one.code, [one]);
    else same.push(one);
  }
  const each = Math.max(2, Math.floor(SHOWN / byCode.size));
  return [...byCode].flatMap(([code, same]) => {
    const first = rows(same.slice(0, each));
    const rest = same.length - each;
    return rest > 0 ? [...first, `  … and ${rest} more of ${code}`] : first;
  });
}

function row(
  { code, path, place: given, line, message }: ReportedProblem,
  shown: ReportInput['shown'],
): string[] {
  const place = printable((given ?? shown(path)) || '.') + (line === undefined ? '' : `:${line}`);
  return [place, code, printable(message)];
}
