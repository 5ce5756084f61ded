/**
 * What a user has to know about prompts and documents that are served.
 *
 * @module
 */
import type { Logger } from '../logger.ts';
import type { PromptChanges, PromptRegistry, PromptSnapshot } from '../prompts/index.ts';
import { plural } from './plural.ts';
import type { PromptFlags, PromptParts } from './prompt-flags.ts';
import type { ReportedProblem } from './serve-problems.ts';
import { shellWord } from './shell-word.ts';

/** What is served beside skills. */
type Parts = Pick<PromptParts, 'prompts' | 'docs'>;

/** Names shown of each kind; beyond it, the number of the rest. */
const SHOWN = 5;

/** Prompts that are refused: the files with an error, each once. */
export function refusedPrompts({ diagnostics }: PromptSnapshot): number {
  return new Set(diagnostics.filter(({ severity }) => severity === 'error').map(({ path }) => path)).size;
}

/** A sentence of the report, and its numbers. */
export interface PartSummary {
  readonly text: string;
  readonly counts: Readonly<Record<string, number>>;
}

/**
 * One sentence for the prompts and one for the documents.
 *
 * @example
 * partsSummaries(parts, flags)[0]?.text // '2 prompts from ./prompts, 1 refused'
 */
export function partsSummaries({ prompts, docs }: Parts, flags: PromptFlags): readonly PartSummary[] {
  const lines: PartSummary[] = [];
  if (prompts !== undefined) {
    const count = prompts.snapshot.prompts.length;
    const refused = refusedPrompts(prompts.snapshot);
    const from = (flags.prompts ?? []).map((each) => shellWord(each)).join(', ');
    const what = count === 0 ? 'no prompts' : plural(count, 'prompt');
    lines.push({
      text: `${what} from ${from}${refused === 0 ? '' : `, ${refused} refused`}`,
      counts: { prompts: count, refused },
    });
  }
  if (docs !== undefined) {
    const what = docs.listing === undefined ? 'documents' : plural(docs.listing.length, 'document');
    lines.push({
      text: `${what} from ${shellWord(flags.docs ?? '')}`,
      counts: docs.listing === undefined ? {} : { documents: docs.listing.length },
    });
  }
  return lines;
}

/** Everything about prompts that a user has to know, refusals first. */
export function promptProblems({ snapshot, sources }: PromptRegistry): ReportedProblem[] {
  // With one folder its paths are those below it; with several each begins with its folder.
  const [only, another] = sources;
  const prefix = only === undefined || another !== undefined ? '' : only.label.replace(/\/+$/, '');
  const problems = snapshot.diagnostics
    .filter(({ severity }) => severity !== 'info')
    .map(({ code, path, message, range, severity }): ReportedProblem => {
      const kind = severity === 'error' ? 'refused' : 'warning';
      const place = [prefix, path].filter((part) => part !== '').join('/');
      return { kind, code, path, place, message, ...(range !== undefined && { line: range.start.line }) };
    });
  return [
    ...problems.filter(({ kind }) => kind === 'refused'),
    ...problems.filter(({ kind }) => kind !== 'refused'),
  ];
}

/** What a change of the prompts changed, in one line. */
export function describePromptChanges(changes: PromptChanges): string {
  const groups = (['added', 'changed', 'removed'] as const)
    .filter((kind) => changes[kind].length > 0)
    .map((kind) => `${kind}: ${plural(changes[kind].length, 'prompt')} (${namesOf(changes[kind])})`);
  return groups.join('; ');
}

function namesOf(ids: readonly string[]): string {
  const rest = ids.length - SHOWN;
  return [...ids.slice(0, SHOWN), ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
}

/** Has the logger say what changes from now on, and why a prompt is no longer served. */
export function logPartsChanges({ prompts, docs }: Parts, logger: Logger, withFacts: boolean): void {
  if (prompts !== undefined) {
    let known = new Set(refusals(prompts).keys());
    prompts.onChange((changes) => {
      const { added, changed, removed } = changes;
      logger.info(describePromptChanges(changes), withFacts ? { added, changed, removed } : {});
      const now = refusals(prompts);
      for (const [key, { code, path, message }] of now)
        if (!known.has(key)) logger.warn(message, { code, path });
      known = new Set(now.keys());
    });
  }
  docs?.onChange(({ updated }) => {
    logger.info(`changed: ${plural(updated.length, 'document')}`, withFacts ? { updated } : {});
  });
}

function refusals(prompts: PromptRegistry): Map<string, ReportedProblem> {
  return new Map(
    promptProblems(prompts)
      .filter(({ kind }) => kind === 'refused')
      .map((each) => [JSON.stringify([each.place, each.code, each.message]), each]),
  );
}

/** Reads prompts and documents again; what cannot be read stays as it was, and the logger hears of it. */
export async function reloadParts({ prompts, docs }: Parts, logger: Logger): Promise<void> {
  for (const part of [prompts, docs]) {
    try {
      await part?.reload();
    } catch (error) {
      logger.error('prompts or documents could not be read again, what was served before stays', {
        error: error instanceof Error ? error.message : 'unknown',
      });
    }
  }
  if (prompts === undefined) return;
  const { snapshot } = prompts;
  logger.info('read the prompts again', {
    prompts: snapshot.prompts.length,
    refused: refusedPrompts(snapshot),
  });
}
