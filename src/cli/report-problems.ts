/**
 * What is wrong with a listing, for people.
 *
 * @module
 */
import type { ListingProblem, SkillListing } from '../client/skill.ts';
import type { Output } from './output.ts';
import { plural } from './plural.ts';
import { printable } from './printable.ts';

const SHOWN = 20;

/** Writes to stderr which entries were refused, and that there may be more than was listed. */
export function reportProblems({ problems, complete }: SkillListing, output: Output): void {
  const { errorStyle: style } = output;
  for (const problem of problems.slice(0, SHOWN)) {
    output.note(`${style.yellow(`warning[${problem.code}]`)} ${printable(textOf(problem))}`);
  }
  if (problems.length > SHOWN) output.note(`and ${plural(problems.length - SHOWN, 'more warning')}`);
  if (!complete) output.note(style.yellow('the listing is not complete: the server may have more skills'));
}

/** The message, and the URI it is about if it does not name it itself. */
function textOf({ message, uri }: ListingProblem): string {
  return uri === undefined || message.includes(uri) ? message : `${uri}: ${message}`;
}
