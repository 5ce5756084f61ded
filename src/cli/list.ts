/**
 * The work of `skillwire list`.
 *
 * @module
 */
import type { FoundSkill, SkillListing } from '../client/skill.ts';
import type { ListFlags } from './commands/list.ts';
import type { CliContext } from './context.ts';
import { EXIT } from './exit.ts';
import { minSkillsExit } from './min-skills.ts';
import { type TargetWords, targetOf, withTarget } from './open-target.ts';
import { tableLines } from './output.ts';
import { plural } from './plural.ts';
import { printable } from './printable.ts';
import { reportProblems } from './report-problems.ts';
import { shownName } from './skill-files.ts';
import { clip } from './text-width.ts';

/** Version of the document of `--json`: it grows when a field changes its meaning or goes. */
const SCHEMA = 1;

/** Lists the skills of a target. Errors: those of opening and of listing. */
export async function list(words: TargetWords, flags: ListFlags, context: CliContext): Promise<void> {
  const { output } = context;
  const target = targetOf(words, flags, context.cwd);
  await withTarget(target, flags, context, async ({ client, label }) => {
    output.status('listing skills');
    const listing = await client.listSkills();
    output.status('');
    if (!listing.complete) context.exitCode = EXIT.incomplete;
    // A server that has no skills is fine; one that says it has and does not give them is not.
    else if (listing.dialect === undefined && listing.problems.length > 0)
      context.exitCode = EXIT.unreachable;
    const counted = [{ label, count: listing.skills.length }];
    context.exitCode = minSkillsExit(context.exitCode, flags, counted, output);
    if (flags.json === true) output.json(listingJson(label, listing));
    else show(label, listing, context);
  });
}

/** The document of `list --json`. */
function listingJson(target: string, { skills, complete, dialect, problems }: SkillListing): object {
  return {
    schema: SCHEMA,
    target,
    dialect: dialect ?? null,
    complete,
    skills: skills.map((found) => ({
      name: shownName(found.entry),
      description: descriptionOf(found),
      uri: found.entry.uri,
      dialect: found.dialect,
      integrity: found.integrity,
      files: fileCount(found) ?? null,
      frontmatter: found.entry.frontmatter,
    })),
    problems,
  };
}

function show(label: string, listing: SkillListing, { output }: CliContext): void {
  const { skills, dialect } = listing;
  const { style } = output;
  const how = dialect === undefined ? 'no dialect that carries skills is spoken' : dialect;
  output.line(style.bold(printable(`${label}: ${plural(skills.length, 'skill')} (${how})`)));
  const rows = skills.map((found) => {
    const count = fileCount(found);
    return [
      printable(shownName(found.entry)),
      found.integrity,
      count === undefined ? '' : plural(count, 'file'),
      printable(found.entry.uri),
      printable(descriptionOf(found).replace(/\s+/g, ' ').trim()),
    ];
  });
  for (const line of tableLines(rows)) output.line(output.isTerminal ? clip(line, output.width) : line);
  reportProblems(listing, output);
}

function descriptionOf({ entry }: FoundSkill): string {
  const { description } = entry.frontmatter;
  return typeof description === 'string' ? description : '';
}

function fileCount({ entry }: FoundSkill): number | undefined {
  return typeof entry.resources === 'string' ? undefined : entry.resources.length;
}
