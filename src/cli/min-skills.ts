/**
 * How many skills a target has to have.
 *
 * @module
 */
import type { Command } from 'commander';
import { EXIT } from './exit.ts';
import type { Output } from './output.ts';
import { plural } from './plural.ts';
import { printable } from './printable.ts';
import { usageError } from './usage.ts';

/** What {@link addMinSkills} makes of a command line. */
export interface MinSkillsFlags {
  readonly minSkills?: number;
}

/** Adds the flag that says how many skills are the least. */
export function addMinSkills(command: Command): void {
  command.option('--min-skills <n>', 'fewer skills in the listing are a finding: exit code 1', countOf);
}

/**
 * The exit code, which is that of findings where it would be 0 and a listing has fewer skills than wanted; stderr says how
 * many in any case.
 *
 * @example
 * minSkillsExit(0, { minSkills: 3 }, [{ label: 'https://host/mcp', count: 2 }], output) // 1
 */
export function minSkillsExit(
  exitCode: number,
  { minSkills = 0 }: MinSkillsFlags,
  listings: readonly { readonly label: string; readonly count: number }[],
  output: Output,
): number {
  let code = exitCode;
  for (const { label, count } of listings) {
    if (count >= minSkills) continue;
    const text = `${printable(label)} has ${plural(count, 'skill')}, fewer than the ${minSkills} of --min-skills`;
    output.note(output.errorStyle.red(text));
    if (code === EXIT.ok) code = EXIT.findings;
  }
  return code;
}

function countOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw usageError(`--min-skills is ${JSON.stringify(text)}`, 'give a number of skills, such as 1');
}
