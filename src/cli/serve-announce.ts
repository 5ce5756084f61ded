/**
 * The start of `serve`, told.
 *
 * @module
 */
import type { Logger } from '../logger.ts';
import type { SkillProvider } from '../server/index.ts';
import { parseSourceText, printableSource } from '../source/index.ts';
import type { ServeFlags } from './commands/serve.ts';
import type { CliContext } from './context.ts';
import type { PromptParts } from './prompt-flags.ts';
import { partsSummaries, promptProblems } from './prompt-report.ts';
import { countsOf, problemsOf } from './serve-problems.ts';
import { reportLines, summaryOf } from './serve-report.ts';
import { createSourcePaths } from './source-paths.ts';

/** What is served. */
export interface Served {
  readonly provider: SkillProvider;
  readonly parts: PromptParts;
  /** Whether there is a source of skills. */
  readonly skills: boolean;
}

/** How it was asked to be served. */
export interface AnnounceOptions {
  readonly sources: readonly string[];
  readonly flags: ServeFlags;
  readonly context: CliContext;
  readonly logger: Logger;
  readonly transport: 'stdio' | 'http';
}

/**
 * Says on stderr what is served, what is not, and why: as lines for people, or as one log entry each.
 *
 * @example
 * announce({ provider, parts, skills: true }, { sources, flags, context, logger, transport: 'stdio' })
 */
export function announce(
  { provider, parts, skills }: Served,
  { flags, context, logger, transport, ...setup }: AnnounceOptions,
): void {
  const { output, version } = context;
  const sources = setup.sources.map(printableSource);
  const { snapshot } = provider.catalog;
  const warnings = provider.warnings(transport);
  const beside = {
    summaries: partsSummaries(parts, flags),
    problems: parts.prompts === undefined ? [] : promptProblems(parts.prompts),
    promptFolders: flags.prompts ?? [],
  };
  if (flags.logFormat === 'json') {
    if (skills) logger.info(summaryOf(snapshot, sources), { ...countsOf(snapshot) });
    for (const { text, counts } of beside.summaries) logger.info(text, { ...counts });
    for (const { message, ...facts } of [...(skills ? problemsOf(snapshot) : []), ...beside.problems])
      logger.warn(message, facts);
    for (const { message, ...facts } of warnings) logger.warn(message, facts);
    return;
  }
  if (flags.logLevel === 'error') return;
  const [only, ...more] = setup.sources;
  const paths =
    only === undefined || more.length > 0
      ? undefined
      : createSourcePaths(parseSourceText(only, context.cwd).location, provider.catalog.source);
  const shown = (path: string): string => paths?.shown(path) ?? path;
  const input = { snapshot, warnings, sources, version, shown, beside };
  for (const line of reportLines(input, output.errorStyle)) output.note(line);
}
