/**
 * Prompts in `skillwire check`.
 *
 * @module
 */
import { type CheckedPrompts, checkPrompts } from '../prompts/index.ts';
import { directorySource, type Source } from '../source/index.ts';
import { applyFileFixes, type Change } from './apply-fixes.ts';
import { type Finding, findingsOf } from './check-findings.ts';
import type { CheckFlags } from './commands/check.ts';
import { withPromptHint } from './prompt-flags.ts';
import { sourceOptions } from './source-flags.ts';
import { createSourcePaths } from './source-paths.ts';

/** The folders of `--prompts`, checked. */
export interface CheckedPromptFolders {
  /** Files that are prompts, or should be. */
  readonly prompts: number;
  readonly refused: number;
  readonly findings: readonly Finding[];
}

/** Fixing one thing can bring another to light; no real file needs more rounds. */
const ROUNDS = 5;

/**
 * What is wrong with the prompts in `folders`, after the fixes that `flags` ask for, which are added to `changes`.
 *
 * Errors: those of opening a folder.
 */
export async function checkPromptFolders(
  folders: readonly string[],
  flags: CheckFlags,
  cwd: string,
  changes: Change[],
): Promise<CheckedPromptFolders> {
  const { strict: _warningsCount, ...sourceFlags } = flags;
  for (let round = 1; ; round += 1) {
    const sources = await withPromptHint(cwd, async () =>
      folders.map((folder) => directorySource(folder, sourceOptions(sourceFlags, cwd))),
    );
    try {
      const checked = await checkPrompts(sources);
      const made = flags.fix === true && round <= ROUNDS ? await fixAll(checked, folders) : [];
      changes.push(...made);
      if (made.some(({ failed }) => failed === undefined)) continue;
      return {
        prompts: sum(checked, ({ files }) => files),
        refused: sum(checked, ({ refused }) => refused),
        findings: await allFindings(checked, folders),
      };
    } finally {
      await closeAll(sources);
    }
  }
}

async function fixAll(checked: readonly CheckedPrompts[], folders: readonly string[]): Promise<Change[]> {
  const changes: Change[] = [];
  for (const [at, { source, diagnostics }] of checked.entries()) {
    changes.push(
      ...(await applyFileFixes(diagnostics, source, createSourcePaths(folders[at] ?? '', source))),
    );
  }
  return changes;
}

async function allFindings(
  checked: readonly CheckedPrompts[],
  folders: readonly string[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [at, { source, diagnostics }] of checked.entries()) {
    findings.push(...(await findingsOf(diagnostics, source, createSourcePaths(folders[at] ?? '', source))));
  }
  return findings;
}

async function closeAll(sources: readonly Source[]): Promise<void> {
  for (const source of sources) await source.close();
}

function sum(checked: readonly CheckedPrompts[], of: (folder: CheckedPrompts) => number): number {
  return checked.reduce((total, folder) => total + of(folder), 0);
}
