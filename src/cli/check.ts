/**
 * The work of `skillwire check`.
 *
 * @module
 */
import { type CheckedSkill, checkSource } from '../catalog/index.ts';
import type { Diagnostic } from '../format/index.ts';
import { parseSourceText, printableSource, type Source } from '../source/index.ts';
import { applyFileFixes, type Change, renameFolders } from './apply-fixes.ts';
import { asJson, type Finding, findingsOf } from './check-findings.ts';
import { checkPromptFolders } from './check-prompts.ts';
import type { CheckFlags } from './commands/check.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit.ts';
import { createLogger } from './log.ts';
import { openSources } from './open-sources.ts';
import { plural } from './plural.ts';
import { printable } from './printable.ts';
import { showProgress } from './progress.ts';
import { renderDiagnostic } from './render-diagnostic.ts';
import { catalogOptions, sourceOptions } from './source-flags.ts';
import { createSourcePaths, type SourcePaths } from './source-paths.ts';

/** One source, checked. */
interface Checked {
  readonly skills: readonly CheckedSkill[];
  readonly findings: readonly Finding[];
}

/** Fixing one thing can bring another to light; no real file needs more rounds. */
const ROUNDS = 5;

/**
 * The exit code after checking `sources` and the folders of prompts: 1 when there is an error, or with `--strict` a warning; 3 when a fix could
 * not be written; else 0. Findings go to stdout.
 *
 * Errors: `USAGE`, and those of `openSource` and `checkSource`.
 */
export async function check(
  sources: readonly string[],
  flags: CheckFlags,
  context: CliContext,
): Promise<number> {
  const changes: Change[] = [];
  const results: Checked[] = [];
  for (const text of sources) results.push(await checkPart(text, flags, context, changes));
  const folders = flags.prompts ?? [];
  const ofPrompts =
    folders.length === 0
      ? { prompts: 0, refused: 0, findings: [] }
      : await checkPromptFolders(folders, flags, context.cwd, changes);
  const findings = [...results.flatMap((result) => result.findings), ...ofPrompts.findings];
  const count = (severity: Diagnostic['severity']): number =>
    findings.filter(({ diagnostic }) => diagnostic.severity === severity).length;
  const skills = results.flatMap((result) => result.skills);
  const outcome = (wanted: CheckedSkill['outcome']): number =>
    skills.filter((skill) => skill.outcome === wanted).length;
  const summary = {
    skills: skills.length,
    listed: outcome('listed'),
    unlisted: outcome('unlisted'),
    refused: outcome('refused'),
    prompts: ofPrompts.prompts,
    refusedPrompts: ofPrompts.refused,
    errors: count('error'),
    warnings: count('warning'),
    infos: count('info'),
    fixable: findings.filter(({ diagnostic }) => diagnostic.fix !== undefined).length,
  };
  if (flags.json === true) {
    context.output.json({
      // It grows when a field changes its meaning or goes.
      schema: 1,
      sources: sources.map(printableSource),
      promptFolders: folders,
      ...summary,
      changes,
      diagnostics: findings.map(asJson),
    });
  } else {
    const what = { skills: sources.length > 0, prompts: folders.length > 0 };
    printFindings(findings, { ...summary, what }, changes, context);
  }
  if (changes.some((change) => change.failed !== undefined)) return EXIT.unreachable;
  const wrong = summary.errors > 0 || (flags.strict === true && summary.warnings > 0);
  return wrong ? EXIT.findings : EXIT.ok;
}

async function checkPart(
  text: string,
  flags: CheckFlags,
  context: CliContext,
  changes: Change[],
): Promise<Checked> {
  const { location } = parseSourceText(text, context.cwd);
  const logger = createLogger({ level: flags.logLevel, write: (line) => context.output.note(line) });
  const { strict: _warningsCount, ...scanFlags } = flags;
  for (let round = 1; ; round += 1) {
    const source = await openSources([text], sourceOptions(scanFlags, context.cwd), context, logger);
    try {
      const paths = createSourcePaths(location, source);
      const { skills, diagnostics } = await checkSource(source, {
        ...catalogOptions(scanFlags),
        logger,
        onProgress: showProgress(context.output),
      });
      const made = round > ROUNDS ? [] : await change(diagnostics, source, paths, flags);
      changes.push(...made);
      if (made.some(({ failed }) => failed === undefined)) continue;
      return { skills, findings: await findingsOf(diagnostics, source, paths) };
    } finally {
      context.output.status('');
      await source.close();
    }
  }
}

async function change(
  diagnostics: readonly Diagnostic[],
  source: Source,
  paths: SourcePaths,
  flags: CheckFlags,
): Promise<Change[]> {
  const fixed = flags.fix === true ? await applyFileFixes(diagnostics, source, paths) : [];
  // Names are read again after a fix before a folder is called by them.
  if (fixed.some(({ failed }) => failed === undefined) || flags.renameFolders !== true) return fixed;
  return [...fixed, ...(await renameFolders(diagnostics, source, paths))];
}

interface Summary {
  readonly skills: number;
  readonly listed: number;
  readonly unlisted: number;
  readonly refused: number;
  readonly prompts: number;
  readonly refusedPrompts: number;
  /** What was checked. */
  readonly what: { readonly skills: boolean; readonly prompts: boolean };
  readonly errors: number;
  readonly warnings: number;
  readonly infos: number;
  readonly fixable: number;
}

function printFindings(
  findings: readonly Finding[],
  summary: Summary,
  changes: readonly Change[],
  { output }: CliContext,
): void {
  const { style, width } = output;
  for (const { path, line, title, failed } of changes) {
    const place = printable(path) + (line === undefined ? '' : `:${line}`);
    if (failed === undefined) output.line(`${place}: ${style.cyan('fixed')} ${printable(title)}`);
    else output.line(`${place}: ${style.red('not fixed')} ${printable(title)}: ${printable(failed)}`);
  }
  for (const { diagnostic, path, text } of findings) {
    const options = { path, style, width, ...(text === undefined ? {} : { text }) };
    for (const line of renderDiagnostic(diagnostic, options)) output.line(line);
  }
  output.line(style.bold(summaryText(summary)));
}

function summaryText(summary: Summary): string {
  const { what, skills, unlisted, refused, prompts, refusedPrompts, errors, warnings, infos, fixable } =
    summary;
  const checked = [
    what.skills ? `${plural(skills, 'skill')}${keptText({ unlisted, refused })}` : '',
    what.prompts ? `${plural(prompts, 'prompt')}${keptText({ refused: refusedPrompts })}` : '',
  ].filter((text) => text !== '');
  const found = [
    errors === 0 ? '' : plural(errors, 'error'),
    warnings === 0 ? '' : plural(warnings, 'warning'),
    infos === 0 ? '' : plural(infos, 'remark'),
  ].filter((text) => text !== '');
  const fix = fixable === 0 ? '' : `; --fix repairs ${fixable}`;
  return `${checked.join(', ')}: ${found.length === 0 ? 'nothing found' : found.join(', ')}${fix}`;
}

function keptText(counts: Readonly<Record<string, number>>): string {
  const kept = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${count} ${what}`);
  return kept.length === 0 ? '' : ` (${kept.join(', ')})`;
}
