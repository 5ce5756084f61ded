/**
 * The work of `skillwire diff`.
 *
 * @module
 */
import type { DiffFlags } from './commands/diff.ts';
import { type ComparedSide, comparedSide } from './compared-skill.ts';
import type { CliContext } from './context.ts';
import { credentialsOf, type Headers } from './credentials.ts';
import { diffReport } from './diff-report.ts';
import { type ComparedSkill, diffSkills, hasDifferences } from './diff-skills.ts';
import { EXIT } from './exit.ts';
import { minSkillsExit } from './min-skills.ts';
import { type TargetWords, targetOf, withTarget } from './open-target.ts';
import { printable } from './printable.ts';
import { showCount } from './progress.ts';
import { refusedEntries } from './report-problems.ts';
import type { SkillReader } from './skill-reader.ts';
import type { Target } from './target.ts';

/**
 * Compares the skills of two targets and reports.
 *
 * Errors: those of opening, listing and reading.
 */
export async function diff(
  a: TargetWords,
  b: TargetWords,
  flags: DiffFlags,
  context: CliContext,
): Promise<void> {
  const before = targetOf(a, flags, context.cwd);
  const after = targetOf(b, flags, context.cwd);
  const headers = headersOf(before, after, flags, context);
  await withTarget(
    before,
    flags,
    context,
    (opened) =>
      withTarget(
        after,
        flags,
        context,
        async (other) => {
          const old = await sideOf(opened.client, before, context);
          const fresh = await sideOf(other.client, after, context);
          const result = await diffSkills(known(old, fresh), known(fresh, old), (skill, side) =>
            (side === 'before' ? old : fresh).frontmatter(skill),
          );
          context.output.status('');
          const counted = [
            { label: opened.label, count: old.listing.skills.length },
            { label: other.label, count: fresh.listing.skills.length },
          ];
          const exitCode = exitCodeFor(old, fresh, hasDifferences(result));
          context.exitCode = minSkillsExit(exitCode, flags, counted, context.output);
          diffReport(
            { before: opened.label, after: other.label, old, fresh, diff: result },
            flags,
            context.output,
          );
        },
        { headers: headers.after },
      ),
    { headers: headers.before },
  );
}

async function sideOf(client: SkillReader, { label }: Target, { output }: CliContext): Promise<ComparedSide> {
  output.status(`listing skills of ${printable(label)}`);
  let shown: ((done: number) => void) | undefined;
  return comparedSide(client, (done, total) => {
    shown ??= showCount(output, 'looking at skills', total);
    shown(done);
  });
}

/** The skills of a side without those of which nobody knows what the other has. */
function known({ skills }: ComparedSide, { unknown }: ComparedSide): readonly ComparedSkill[] {
  return skills.filter(({ uri }) => !unknown.has(uri));
}

function exitCodeFor(old: ComparedSide, fresh: ComparedSide, differs: boolean): number {
  const codes: number[] = [...old.failed, ...fresh.failed].map(({ error }) => error.exitCode);
  for (const { listing } of [old, fresh]) {
    if (refusedEntries(listing).length > 0) codes.push(EXIT.unverified);
    // Of a server in which no skills can be looked for nothing was compared.
    if (listing.dialect === undefined) codes.push(EXIT.unreachable);
  }
  for (const code of [EXIT.unverified, EXIT.unreachable]) if (codes.includes(code)) return code;
  if (codes.length > 0 || !old.listing.complete || !fresh.listing.complete) return EXIT.incomplete;
  return differs ? EXIT.findings : EXIT.ok;
}

/**
 * What is sent to one server is not told to another: `--header`, `--token-file` and `SKILLWIRE_TOKEN` go to the first server
 * over HTTP and to others of the same origin, `--header-b` and `--token-file-b` to the second target.
 */
function headersOf(
  before: Target,
  after: Target,
  flags: DiffFlags,
  context: CliContext,
): { readonly before: Headers; readonly after: Headers } {
  const hasOwn = flags.headerB !== undefined || flags.tokenFileB !== undefined;
  const first =
    before.kind === 'http' || (after.kind === 'http' && !hasOwn) ? credentialsOf(flags, context) : {};
  if (hasOwn) {
    const own = {
      ...(flags.headerB === undefined ? {} : { header: flags.headerB }),
      ...(flags.tokenFileB === undefined ? {} : { tokenFile: flags.tokenFileB }),
    };
    return { before: first, after: credentialsOf(own, { ...context, env: {} }) };
  }
  const shared = after.kind === 'http' && (before.kind !== 'http' || before.url.origin === after.url.origin);
  return { before: first, after: shared ? first : {} };
}
