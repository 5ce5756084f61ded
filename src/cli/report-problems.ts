/**
 * What is wrong with a listing, for people.
 *
 * @module
 */
import type { ListingProblem, SkillListing } from '../client/skill.ts';
import { ERROR_TABLE } from '../errors.ts';
import { EXIT } from './exit.ts';
import type { Output } from './output.ts';
import { plural } from './plural.ts';
import { printable } from './printable.ts';

const SHOWN = 20;

/** Writes to stderr which entries were refused, and that there may be more than was listed. */
export function reportProblems({ problems, complete, dialect }: SkillListing, output: Output): void {
  const { errorStyle: style } = output;
  for (const problem of problems.slice(0, SHOWN)) {
    output.note(`${style.yellow(`warning[${problem.code}]`)} ${printable(textOf(problem))}`);
  }
  if (problems.length > SHOWN) output.note(`and ${plural(problems.length - SHOWN, 'more warning')}`);
  if (dialect === undefined) {
    output.note(
      'no skills are offered in any dialect; --plain also takes bare skill:// resources for skills',
    );
  }
  if (!complete) output.note(style.yellow('the listing is not complete: the server may have more skills'));
}

/** Entries of a listing that are against the rules, as opposed to remarks on how it was read. */
export function refusedEntries({ problems }: SkillListing): readonly ListingProblem[] {
  return problems.filter(({ code, uri }) => {
    const known = Object.hasOwn(ERROR_TABLE, code)
      ? ERROR_TABLE[code as keyof typeof ERROR_TABLE]
      : undefined;
    if (known === undefined) return false;
    return known.exit === EXIT.unverified || (uri !== undefined && known.exit !== EXIT.incomplete);
  });
}

/** The message, and the URI it is about if it does not name it itself. */
function textOf({ message, uri }: ListingProblem): string {
  return uri === undefined || message.includes(uri) ? message : `${uri}: ${message}`;
}
