/**
 * What `skillwire verify` says.
 *
 * @module
 */
import type { VerifyFlags } from './commands/verify.ts';
import { EXIT } from './exit.ts';
import type { Output, Style } from './output.ts';
import { plural, sizeText } from './plural.ts';
import { printable } from './printable.ts';
import { reportProblems } from './report-problems.ts';
import type { VerifyResult } from './verify.ts';
import type { ErrorJson, SkillReport, VerifiedEntry, VerifyOutcome } from './verify-skill.ts';

/** Version of the document of `--json`: it grows when a field changes its meaning or goes. */
const SCHEMA = 1;

/** Writes the report: a document, or the skills that are not as they should be and a summary. */
export function verifyReport(result: VerifyResult, flags: VerifyFlags, output: Output): void {
  if (flags.json === true) {
    output.json(verifyJson(result));
    return;
  }
  const { style } = output;
  for (const report of result.skills) {
    if (report.outcome === 'verified') continue;
    output.line(`${paintOf(report.outcome, style)(report.outcome)} ${style.bold(printable(report.uri))}`);
    if (report.error !== undefined) output.line(`  ${reasonText(report.error)}`);
    for (const file of report.files)
      if (isWorthALine(report, file)) output.line(`  ${fileText(file, style)}`);
    if (report.outcome === 'unverifiable' && report.error === undefined)
      output.line(`  ${whyUnverifiable(report)}`);
  }
  reportProblems(result.listing, output);
  output.line(style.bold(printable(summary(result))));
}

function verifyJson({ target, listing, skills, refused, exitCode }: VerifyResult): object {
  return {
    schema: SCHEMA,
    target,
    dialect: listing.dialect ?? null,
    ok: exitCode === EXIT.ok,
    complete: listing.complete,
    counts: { skills: skills.length, ...countsOf(skills), refused: refused.length, ...sums(skills) },
    skills,
    problems: listing.problems,
  };
}

function countsOf(skills: readonly SkillReport[]): Record<VerifyOutcome, number> {
  const counts = { verified: 0, failed: 0, unverifiable: 0, unread: 0, incomplete: 0 };
  for (const { outcome } of skills) counts[outcome] += 1;
  return counts;
}

function sums(skills: readonly SkillReport[]): { readonly files: number; readonly bytes: number } {
  let files = 0;
  let bytes = 0;
  for (const skill of skills) {
    files += skill.files.length;
    for (const file of skill.files) bytes += file.size;
  }
  return { files, bytes };
}

function summary({ target, skills, refused, listing }: VerifyResult): string {
  const { files, bytes } = sums(skills);
  const counts = countsOf(skills);
  const parts = (['verified', 'failed', 'unverifiable', 'unread', 'incomplete'] as const)
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => `${counts[outcome]} ${outcome}`);
  if (refused.length > 0) parts.push(`${plural(refused.length, 'entry', 'entries')} against the rules`);
  const how = listing.dialect === undefined ? 'no dialect that carries skills' : listing.dialect;
  const what = parts.length === 0 ? 'nothing to verify' : parts.join(', ');
  return `${target} (${how}): ${plural(skills.length, 'skill')}, ${plural(files, 'file')}, ${sizeText(bytes)}: ${what}`;
}

/** Of a skill in which nothing can be verified, every file is the same, and one line says it. */
function isWorthALine(report: SkillReport, { outcome }: VerifiedEntry): boolean {
  return outcome !== 'verified' && !(report.outcome === 'unverifiable' && outcome === 'unverifiable');
}

function fileText({ path, outcome, error }: VerifiedEntry, style: Style): string {
  const reason = error === undefined ? 'nothing states its digest' : reasonText(error);
  return `${paintOf(outcome, style)(outcome)} ${printable(path)}: ${reason}`;
}

function reasonText({ code, message }: ErrorJson): string {
  return printable(`[${code}] ${message}`);
}

function whyUnverifiable({ integrity }: SkillReport): string {
  if (integrity === 'dynamic') return 'the server makes the content anew at each read';
  return integrity === 'partial'
    ? 'the server states a digest for SKILL.md alone'
    : 'the server states no digests';
}

function paintOf(outcome: VerifyOutcome, style: Style): (text: string) => string {
  if (outcome === 'failed' || outcome === 'unread') return style.red;
  return outcome === 'verified' ? style.cyan : style.yellow;
}
