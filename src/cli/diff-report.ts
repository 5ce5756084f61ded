/**
 * What `skillwire diff` says.
 *
 * @module
 */
import type { JsonValue } from '../format/json.ts';
import type { DiffFlags } from './commands/diff.ts';
import type { ComparedSide } from './compared-skill.ts';
import type { ComparedFile, ComparedSkill, SkillChange, SkillDiff, SkillRename } from './diff-skills.ts';
import { hasDifferences } from './diff-skills.ts';
import type { Output, Style } from './output.ts';
import { plural, sizeText } from './plural.ts';
import { printable } from './printable.ts';
import { reportProblems } from './report-problems.ts';
import { clip } from './text-width.ts';
import { errorJson } from './verify-skill.ts';

/** Version of the document of `--json`: it grows when a field changes its meaning or goes. */
const SCHEMA = 1;
const VALUE_WIDTH = 60;
const DIGITS = 12;

/** What is to be reported. */
export interface DiffFindings {
  readonly before: string;
  readonly after: string;
  readonly old: ComparedSide;
  readonly fresh: ComparedSide;
  readonly diff: SkillDiff;
}

/** Writes what differs: a document, or lines, and what is breaking in it. */
export function diffReport(findings: DiffFindings, flags: DiffFlags, output: Output): void {
  if (flags.json === true) {
    output.json(diffJson(findings));
    return;
  }
  const { style, errorStyle } = output;
  const { diff, old, fresh } = findings;
  for (const skill of diff.added)
    output.line(style.cyan(`added ${printable(skill.uri)} (${filesText(skill)})`));
  for (const skill of diff.removed) {
    output.line(`${style.red(`removed ${printable(skill.uri)}`)}${breaking(style)}`);
  }
  for (const { from, to, by, change } of diff.renamed) {
    output.line(
      `${style.red(`renamed ${printable(from.uri)} to ${printable(to.uri)}`)}${breaking(style)} (${LIKE[by]})`,
    );
    for (const line of changeLines(change, style)) output.line(`  ${line}`);
  }
  for (const { skill, change } of diff.changed) {
    output.line(style.yellow(`changed ${printable(skill.uri)}`));
    for (const line of changeLines(change, style)) output.line(`  ${line}`);
  }
  for (const { uri, error } of [...old.failed, ...fresh.failed]) {
    output.note(`${errorStyle.red(`error[${error.code}]`)} ${printable(`${uri}: ${error.message}`)}`);
  }
  reportProblems(old.listing, output);
  reportProblems(fresh.listing, output);
  output.line(style.bold(printable(summary(findings))));
}

const LIKE: Readonly<Record<SkillRename['by'], string>> = {
  files: 'the same files',
  'supporting-files': 'the same files but SKILL.md',
  description: 'the same description',
};

function breaking(style: Style): string {
  return ` ${style.bold('breaking')}`;
}

function changeLines(change: SkillChange, style: Style): string[] {
  return [
    ...change.frontmatter.map(
      ({ field, before, after }) => `${printable(field)}: ${valueText(before)} -> ${valueText(after)}`,
    ),
    ...change.renamed.map(
      ({ from, to }) => `${style.red(`renamed ${printable(from)} to ${printable(to)}`)}${breaking(style)}`,
    ),
    ...change.removed.map(({ path }) => `${style.red(`removed ${printable(path)}`)}${breaking(style)}`),
    ...change.added.map(({ path, after }) => style.cyan(`added ${printable(path)} (${fileText(after)})`)),
    ...change.changed.map(
      ({ path, before, after }) => `changed ${printable(path)} (${fileText(before)} -> ${fileText(after)})`,
    ),
  ];
}

function valueText(value: JsonValue | undefined): string {
  if (value === undefined) return '(none)';
  return clip(printable(JSON.stringify(value)), VALUE_WIDTH);
}

function fileText(file: ComparedFile | undefined): string {
  if (file === undefined) return '';
  const size = file.size === undefined ? '' : `${sizeText(file.size)}, `;
  return `${size}${file.digest.slice(0, 'sha256:'.length + DIGITS)}…`;
}

function filesText({ files }: ComparedSkill): string {
  return files === 'dynamic' ? 'dynamic' : plural(files.size, 'file');
}

function countsOf({ added, removed, renamed, changed, unchanged }: SkillDiff): Record<string, number> {
  return {
    added: added.length,
    removed: removed.length,
    renamed: renamed.length,
    changed: changed.length,
    unchanged,
    breaking: removed.length + renamed.length + changed.filter(({ change }) => change.breaking).length,
  };
}

function summary({ before, after, diff }: DiffFindings): string {
  if (!hasDifferences(diff)) {
    return `${before} and ${after}: no differences in ${plural(diff.unchanged, 'skill')}`;
  }
  const parts = Object.entries(countsOf(diff)).filter(([, count]) => count > 0);
  return `${before} to ${after}: ${parts.map(([what, count]) => `${count} ${what}`).join(', ')}`;
}

function diffJson({ before, after, old, fresh, diff }: DiffFindings): object {
  const failures = ({ failed }: ComparedSide): object[] =>
    failed.map(({ uri, error }) => ({ uri, error: errorJson(error) }));
  return {
    schema: SCHEMA,
    before: { target: before, dialect: old.listing.dialect ?? null, complete: old.listing.complete },
    after: { target: after, dialect: fresh.listing.dialect ?? null, complete: fresh.listing.complete },
    same: !hasDifferences(diff),
    counts: countsOf(diff),
    added: diff.added.map((skill) => ({ ...refOf(skill), breaking: false })),
    removed: diff.removed.map((skill) => ({ ...refOf(skill), breaking: true })),
    renamed: diff.renamed.map(({ from, to, by, change }) => ({
      from: refOf(from),
      to: refOf(to),
      by,
      ...changeJson(change),
      breaking: true,
    })),
    changed: diff.changed.map(({ skill, change }) => ({ ...refOf(skill), ...changeJson(change) })),
    failed: { before: failures(old), after: failures(fresh) },
    problems: { before: old.listing.problems, after: fresh.listing.problems },
  };
}

function refOf({ uri, name }: ComparedSkill): { readonly uri: string; readonly name: string } {
  return { uri, name };
}

function changeJson({ frontmatter, breaking: isBreaking, ...files }: SkillChange): object {
  return {
    breaking: isBreaking,
    frontmatter: frontmatter.map(({ field, before, after }) => ({
      field,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    })),
    files,
  };
}
