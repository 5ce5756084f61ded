/**
 * The work of `skillwire show`.
 *
 * @module
 */
import { type Catalog, openCatalog, type Skill } from '../catalog/index.ts';
import { isSkillError } from '../errors.ts';
import { printableSource } from '../source/index.ts';
import type { ShowFlags } from './commands/show.ts';
import type { CliContext } from './context.ts';
import { findSkill } from './find-skill.ts';
import { openSources } from './open-sources.ts';
import { showProgress } from './progress.ts';
import { shellWord } from './shell-word.ts';
import { showFile } from './show-file.ts';
import { showOverview } from './show-overview.ts';
import { showSkill } from './show-skill.ts';
import { catalogOptions, sourceOptions } from './source-flags.ts';
import { usageError } from './usage.ts';

/** What all views of a source are given. */
export interface ShowInput {
  /** As it was written, without what a URL may have of secrets. */
  readonly source: string;
  readonly catalog: Catalog;
  readonly flags: ShowFlags;
  readonly context: CliContext;
}

/**
 * Shows a source, a skill of it, or a file of that.
 *
 * Errors: `USAGE`, `RESOURCE_NOT_FOUND`, `SKILL_REFUSED`, and those of the source.
 */
export async function show(
  source: string,
  skill: string | undefined,
  file: string | undefined,
  flags: ShowFlags,
  context: CliContext,
): Promise<void> {
  const catalog = await open(source, flags, context);
  try {
    const input: ShowInput = { source: printableSource(source), catalog, flags, context };
    if (skill === undefined) return showOverview(input);
    const found = findSkillOf(input, skill);
    if (file === undefined) await showSkill(input, found);
    else await showFile(input, found, file);
  } finally {
    await catalog.close();
  }
}

/** Of a source with one skill, users name the file alone. */
function findSkillOf({ catalog, source }: ShowInput, wanted: string): Skill {
  try {
    return findSkill(catalog.snapshot, wanted, source);
  } catch (error) {
    const [only, ...others] = catalog.snapshot.skills;
    if (!isSkillError(error, 'RESOURCE_NOT_FOUND') || only === undefined || others.length > 0) throw error;
    if (!only.files.some(({ path }) => path === wanted)) throw error;
    const words = [source, only.name, wanted].map((word) => shellWord(word)).join(' ');
    throw usageError(`${wanted} is a file of the skill ${only.name}`, `skillwire show ${words}`);
  }
}

async function open(text: string, flags: ShowFlags, context: CliContext): Promise<Catalog> {
  const { output, cwd } = context;
  output.status('looking for skills');
  try {
    const source = await openSources([text], sourceOptions(flags, cwd), context);
    try {
      return await openCatalog(source, { ...catalogOptions(flags), onProgress: showProgress(output) });
    } catch (error) {
      await source.close();
      throw error;
    }
  } finally {
    output.status('');
  }
}
