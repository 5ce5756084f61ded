/**
 * The flags for prompts and documents.
 *
 * @module
 */
import type { Command } from 'commander';
import { isSkillError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { type Docs, openDocs, openPrompts, type PromptRegistry } from '../prompts/index.ts';
import type { WatchOptions } from '../source/index.ts';
import { collect, type SourceFlags, sourceOptions } from './source-flags.ts';
import { hintOf, usageError } from './usage.ts';

/** What {@link addPromptFlags} makes of a command line. */
export interface PromptFlags {
  readonly prompts?: readonly string[];
  readonly docs?: string;
  readonly listDocs?: boolean;
}

/** What the flags name, opened. */
export interface PromptParts {
  readonly prompts?: PromptRegistry;
  readonly docs?: Docs;
  /** Ends what watches and frees the folders. */
  close(): Promise<void>;
}

/** How {@link openPromptParts} opens. */
export interface OpenPartsOptions {
  readonly cwd: string;
  readonly watch: boolean | WatchOptions;
  readonly logger: Logger;
}

/** Adds the flags that name what is served beside skills. */
export function addPromptFlags(command: Command): void {
  command
    .option('--prompts <dir>', 'a folder of prompts, one file <id>.md each; repeatable', collect)
    .option('--docs <dir>', 'a folder of Markdown, read at resource://docs/…')
    .option('--list-docs', 'show every document in resources/list too');
}

/** Whether the flags name anything to serve. */
export function hasParts({ prompts, docs }: PromptFlags): boolean {
  return prompts !== undefined || docs !== undefined;
}

/** Refuses flags that mean nothing together. Errors: `USAGE`. */
export function requirePromptFlags({ docs, listDocs }: PromptFlags): void {
  if (listDocs !== true || docs !== undefined) return;
  throw usageError('--list-docs lists what --docs serves, which is nothing', 'add --docs ./docs');
}

/**
 * The prompts and documents that the flags name. What was opened before an error is closed.
 *
 * Errors: those of `openPrompts` and `openDocs`, each with a hint that fits.
 */
export async function openPromptParts(
  flags: PromptFlags & SourceFlags,
  { cwd, watch, logger }: OpenPartsOptions,
): Promise<PromptParts> {
  const options = { ...sourceOptions(flags, cwd), watch, logger };
  const prompts =
    flags.prompts &&
    (await withPromptHint(cwd, () =>
      openPrompts(flags.prompts ?? [], {
        ...options,
        ...(flags.strict === true && { invalidPrompts: 'throw' }),
      }),
    ));
  try {
    const { docs: folder, listDocs = false } = flags;
    const docs =
      folder === undefined
        ? undefined
        : await hinted('give the folder that holds the Markdown', cwd, () =>
            openDocs(folder, { ...options, listed: listDocs }),
          );
    return {
      ...(prompts !== undefined && { prompts }),
      ...(docs !== undefined && { docs }),
      close: async () => {
        await docs?.close();
        await prompts?.close();
      },
    };
  } catch (error) {
    await prompts?.close();
    throw error;
  }
}

/** What `work` gives, which opens folders of prompts. */
export function withPromptHint<T>(cwd: string, work: () => Promise<T>): Promise<T> {
  return hinted('give a folder that holds prompts, one file <id>.md each', cwd, work);
}

/** What `work` gives; an error about its folder gets a hint of its own, since the usual one speaks of skills. */
async function hinted<T>(hint: string, cwd: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isSkillError(error) || hintOf(error, cwd) === undefined || !error.code.startsWith('SOURCE_'))
      throw error;
    const from = error.code === 'SOURCE_NOT_FOUND' ? `; relative paths count from ${cwd}` : '';
    throw usageError(error.message, hint + from, error.code);
  }
}
