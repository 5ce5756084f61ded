/**
 * The work of `skillwire check`.
 *
 * @module
 */
import { type CheckedSkill, checkSource } from '../catalog/index.ts';
import { isSkillError } from '../errors.ts';
import type { Diagnostic } from '../format/index.ts';
import { parseSourceText, printableSource, type Source } from '../source/index.ts';
import { applyFileFixes, type Change, renameFolders } from './apply-fixes.ts';
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

/** A diagnostic and where the user finds it. */
interface Finding {
  readonly diagnostic: Diagnostic;
  /** The file as the user would open it. */
  readonly path: string;
  /** The text of the file, where the diagnostic points into one. */
  readonly text?: string;
}

/** One source, checked. */
interface Checked {
  readonly skills: readonly CheckedSkill[];
  readonly findings: readonly Finding[];
}

/** Fixing one thing can bring another to light; no real file needs more rounds. */
const ROUNDS = 5;

/**
 * The exit code after checking `sources`: 1 when there is an error, or with `--strict` a warning; 3 when a fix could
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
  const findings = results.flatMap((result) => result.findings);
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
    errors: count('error'),
    warnings: count('warning'),
    infos: count('info'),
    fixable: findings.filter(({ diagnostic }) => diagnostic.fix !== undefined).length,
  };
  if (flags.json === true) {
    context.output.json({
      sources: sources.map(printableSource),
      ...summary,
      changes,
      diagnostics: findings.map(asJson),
    });
  } else {
    printFindings(findings, summary, changes, context);
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

async function findingsOf(
  diagnostics: readonly Diagnostic[],
  source: Source,
  paths: SourcePaths,
): Promise<Finding[]> {
  const texts = new Map<string, string | undefined>();
  const findings: Finding[] = [];
  for (const diagnostic of diagnostics) {
    const { path, range } = diagnostic;
    if (range !== undefined && !texts.has(path)) texts.set(path, await textOf(source, path));
    const text = texts.get(path);
    findings.push({ diagnostic, path: paths.shown(path), ...(text === undefined ? {} : { text }) });
  }
  return findings;
}

/** The text of a file to quote from; what cannot be read any more is not quoted. */
async function textOf(source: Source, path: string): Promise<string | undefined> {
  try {
    return (await source.read(path)).bytes.toString('utf8');
  } catch (error) {
    if (isSkillError(error)) return undefined;
    throw error;
  }
}

function asJson({ diagnostic, path }: Finding): object {
  return { ...diagnostic, file: path };
}

interface Summary {
  readonly skills: number;
  readonly listed: number;
  readonly unlisted: number;
  readonly refused: number;
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
  const { skills, unlisted, refused, errors, warnings, infos, fixable } = summary;
  const kept = [unlisted === 0 ? '' : `${unlisted} unlisted`, refused === 0 ? '' : `${refused} refused`]
    .filter((text) => text !== '')
    .join(', ');
  const found = [
    errors === 0 ? '' : plural(errors, 'error'),
    warnings === 0 ? '' : plural(warnings, 'warning'),
    infos === 0 ? '' : plural(infos, 'remark'),
  ].filter((text) => text !== '');
  const fix = fixable === 0 ? '' : `; --fix repairs ${fixable}`;
  return `${plural(skills, 'skill')}${kept === '' ? '' : ` (${kept})`}: ${found.length === 0 ? 'nothing found' : found.join(', ')}${fix}`;
}
