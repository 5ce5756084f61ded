/**
 * The prompts of a moment.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import type { Prompt } from './prompt.ts';

/** Every prompt that could be read, and what was wrong with the others. Never changes. */
export interface PromptSnapshot {
  /** Ordered by id, in code-point order. */
  readonly prompts: readonly Prompt[];
  /** What was found while reading; a prompt with an error is not among `prompts`. */
  readonly diagnostics: readonly Diagnostic[];
  /** The prompt with this id. */
  get(id: string): Prompt | undefined;
}

/** What a reload changed, by id, each list in code-point order. */
export interface PromptChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Prompts whose file says something else now. */
  readonly changed: readonly string[];
  /** What `prompts/list` answers is another one: `notifications/prompts/list_changed` is due. */
  readonly listChanged: boolean;
}

/** A snapshot of prompts whose ids differ. */
export function createSnapshot(
  prompts: readonly Prompt[],
  diagnostics: readonly Diagnostic[],
): PromptSnapshot {
  // Ids are ASCII, where the order of strings is that of code points.
  const sorted = prompts.toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const byId = new Map(sorted.map((prompt) => [prompt.id, prompt]));
  return { prompts: sorted, diagnostics, get: (id) => byId.get(id) };
}

/** What differs between two snapshots. */
export function compareSnapshots(before: PromptSnapshot, after: PromptSnapshot): PromptChanges {
  const added: string[] = [];
  const changed: string[] = [];
  let relisted = false;
  for (const prompt of after.prompts) {
    const old = before.get(prompt.id);
    if (old === undefined) added.push(prompt.id);
    else if (old.document !== prompt.document) {
      changed.push(prompt.id);
      relisted ||= listedPart(old) !== listedPart(prompt);
    }
  }
  const removed = before.prompts.filter(({ id }) => after.get(id) === undefined).map(({ id }) => id);
  return { added, removed, changed, listChanged: relisted || added.length > 0 || removed.length > 0 };
}

/** What `prompts/list` tells of a prompt. */
function listedPart({ title, description, arguments: declared }: Prompt): string {
  const shown = declared.map(({ name, description: text, required }) => [name, text, required]);
  return JSON.stringify([title, description, shown]);
}
