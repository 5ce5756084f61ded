/**
 * Skills that no prompt shows, because a prompt of a file has the name.
 *
 * @module
 */
import type { Snapshot } from '../catalog/snapshot.ts';
import type { PromptSnapshot } from '../prompts/index.ts';
import { quote } from '../uri/quote.ts';
import { skillPromptNames } from './surfaces/skill-prompts.ts';
import type { ProviderWarning } from './warnings.ts';

/**
 * A warning for each skill whose prompt would have the name of a prompt of a file, which counts.
 *
 * @example
 * promptWarnings(catalog.snapshot, registry.snapshot).map((warning) => warning.message)
 */
export function promptWarnings(skills: Snapshot, prompts: PromptSnapshot): readonly ProviderWarning[] {
  return skillPromptNames(skills)
    .filter((name) => prompts.get(name) !== undefined)
    .map((name) => ({
      code: 'PROMPT_NAME_TAKEN' as const,
      message: `the skill ${quote(name)} is no prompt, because a prompt of a file is called so; rename one of the two`,
    }));
}
