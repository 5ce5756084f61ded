/**
 * What a check found, and where the user finds it.
 *
 * @module
 */
import { isSkillError } from '../errors.ts';
import type { Diagnostic } from '../format/index.ts';
import type { Source } from '../source/index.ts';
import type { SourcePaths } from './source-paths.ts';

/** A diagnostic and where the user finds it. */
export interface Finding {
  readonly diagnostic: Diagnostic;
  /** The file as the user would open it. */
  readonly path: string;
  /** The text of the file, where the diagnostic points into one. */
  readonly text?: string;
}

/** The diagnostics of a source with the text that each points into. */
export async function findingsOf(
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

/** A finding as `--json` shows it. */
export function asJson({ diagnostic, path }: Finding): object {
  return { ...diagnostic, file: path };
}
