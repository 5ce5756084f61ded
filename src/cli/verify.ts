/**
 * The work of `skillwire verify`.
 *
 * @module
 */
import type { FoundSkill, ListingProblem, SkillListing } from '../client/skill.ts';
import type { VerifyFlags } from './commands/verify.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit.ts';
import { findFound } from './find-found.ts';
import { inParallel } from './in-parallel.ts';
import { readLocked } from './locked.ts';
import { minSkillsExit } from './min-skills.ts';
import { type TargetWords, targetOf, withTarget } from './open-target.ts';
import { showCount } from './progress.ts';
import { refusedEntries } from './report-problems.ts';
import type { OpenedTarget } from './skill-reader.ts';
import { turns } from './turns.ts';
import { usageError } from './usage.ts';
import { verifyReport } from './verify-report.ts';
import { type SkillReport, type VerifyOutcome, verifySkill } from './verify-skill.ts';

/** What was found of a target. */
export interface VerifyResult {
  readonly target: string;
  readonly listing: SkillListing;
  readonly skills: readonly SkillReport[];
  /** Entries that break the rules: they were never skills. */
  readonly refused: readonly ListingProblem[];
  readonly exitCode: number;
}

/** Skills and files that are looked at side by side. */
const SKILLS = 8;
const FILES = 8;

/**
 * Checks the skills of a target, all of them if none is named, and reports.
 *
 * Errors: those of opening, of listing and of `findFound`; what is wrong with skills is no error but the exit code.
 */
export async function verify(
  words: TargetWords,
  wanted: readonly string[],
  flags: VerifyFlags,
  context: CliContext,
): Promise<void> {
  if (flags.locked !== undefined && wanted.length > 0) {
    throw usageError('--locked goes with the skills that are recorded', 'leave the names out, or --locked');
  }
  const target = targetOf(words, flags, context.cwd);
  // The frontmatter of a skill that is made anew at each read is compared all the same (requirement H32).
  const options = { dynamic: true };
  await withTarget(
    target,
    flags,
    context,
    async (opened) => {
      const result = await verified(opened, wanted, flags, context);
      verifyReport(result, flags, context.output);
      context.exitCode = result.exitCode;
    },
    options,
  );
}

async function verified(
  opened: OpenedTarget,
  wanted: readonly string[],
  flags: VerifyFlags,
  { output }: CliContext,
): Promise<VerifyResult> {
  const { client, label } = opened;
  output.status('listing skills');
  const listing = await client.listSkills();
  const locked = flags.locked === undefined ? undefined : await readLocked(opened, flags.locked);
  const chosen: FoundSkill[] = [];
  for (const each of wanted) chosen.push(await findFound(opened, listing, each));
  const skills = locked?.found(listing) ?? (wanted.length === 0 ? listing.skills : chosen);
  const shown = showCount(output, 'verifying skills', skills.length);
  let done = 0;
  const inTurn = turns(FILES);
  const reports = await inParallel(skills, SKILLS, async (found) => {
    const report = await verifySkill(found, { client, inTurn, onFile: () => shown(done) });
    done += 1;
    shown(done);
    return locked === undefined ? report : locked.compare(report);
  });
  output.status('');
  const all = [...reports, ...(locked?.missing(listing) ?? [])];
  const isAll = wanted.length === 0 && locked === undefined;
  const refused = isAll ? refusedEntries(listing) : [];
  // Nothing was verified of a server in which no skills can be looked for, and saying so by 0 would be a lie.
  const exitCode =
    listing.dialect === undefined
      ? EXIT.unreachable
      : exitCodeFor(all, refused, listing.complete || !isAll, flags);
  if (flags.requireDigests === true && all.length === 0) {
    output.note(
      output.errorStyle.red(
        '--require-digests: there is no skill, so there is nothing that anything verifies',
      ),
    );
  }
  const counted = [{ label, count: listing.skills.length }];
  const exit = minSkillsExit(exitCode, flags, counted, output);
  return { target: label, listing, skills: all, refused, exitCode: exit };
}

function exitCodeFor(
  reports: readonly SkillReport[],
  refused: readonly ListingProblem[],
  complete: boolean,
  { requireDigests }: VerifyFlags,
): number {
  const has = (outcome: VerifyOutcome): boolean => reports.some((report) => report.outcome === outcome);
  if (has('failed') || refused.length > 0) return EXIT.unverified;
  if (has('unread')) return EXIT.unreachable;
  if (has('incomplete') || !complete) return EXIT.incomplete;
  // Of no skills nothing states a digest either.
  const lacking = has('unverifiable') || reports.length === 0;
  return requireDigests === true && lacking ? EXIT.unverified : EXIT.ok;
}
