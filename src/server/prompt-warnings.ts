/**
 * Skills that no prompt shows, because a prompt of a file has the name.
 *
 * @module
 */
import type { Snapshot } from '../catalog/snapshot.ts';
import type { PromptSnapshot } from '../prompts/index.ts';
import { namesOf } from './surfaces/named-skill.ts';
import { skillPromptNames } from './surfaces/skill-prompts.ts';
import type { ProviderWarning } from './warnings.ts';

/**
 * The warning about skills whose prompt would have the name of a prompt of a file, which counts; none where there are none.
 *
 * @example
 * promptWarnings(catalog.snapshot, registry.snapshot)[0]?.message
 */
export function promptWarnings(skills: Snapshot, prompts: PromptSnapshot): readonly ProviderWarning[] {
  const taken = skillPromptNames(skills).filter((name) => prompts.get(name) !== undefined);
  if (taken.length === 0) return [];
  const why =
    taken.length === 1
      ? '1 skill is no prompt, because a prompt of a file has its name'
      : `${taken.length} skills are no prompts, because prompts of files have their names`;
  return [
    { code: 'PROMPT_NAME_TAKEN', message: `${why}: ${namesOf(taken)}; rename one of the two to have both` },
  ];
}
