/**
 * The prompts of a moment.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import type { Prompt } from './prompt.ts';
import { PROMPTS_INDEX_URI, promptDocumentUri, promptRecordUri } from './prompt-uris.ts';

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
  /**
   * URIs of the resources that say something else now, or are new or gone: the index, without parameters, then records and
   * documents in the order of the ids.
   */
  readonly updated: readonly string[];
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
  const resources: Resource[] = [];
  let relisted = false;
  let indexed = false;
  for (const prompt of after.prompts) {
    const { id } = prompt;
    const old = before.get(id);
    if (old === undefined) {
      added.push(id);
      resources.push({ id, record: true });
    } else if (old !== prompt && old.document !== prompt.document) {
      changed.push(id);
      const record = recordText(old) !== recordText(prompt);
      resources.push({ id, record });
      relisted ||= record && listedPart(old) !== listedPart(prompt);
      indexed ||= record && indexedPart(old) !== indexedPart(prompt);
    }
  }
  const removed = before.prompts.filter(({ id }) => after.get(id) === undefined).map(({ id }) => id);
  resources.push(...removed.map((id) => ({ id, record: true })));
  const others = added.length > 0 || removed.length > 0;
  return {
    added,
    removed,
    changed,
    listChanged: relisted || others,
    updated: [...(indexed || others ? [PROMPTS_INDEX_URI] : []), ...resources.sort(byId).flatMap(urisOf)],
  };
}

/** A prompt one of whose resources changed: its document, and maybe its record. */
interface Resource {
  readonly id: string;
  readonly record: boolean;
}

function byId(a: Resource, b: Resource): number {
  return a.id < b.id ? -1 : 1;
}

function urisOf({ id, record }: Resource): readonly string[] {
  return [...(record ? [promptRecordUri(id)] : []), promptDocumentUri(id)];
}

/** What `prompts/list` tells of a prompt. */
function listedPart({ title, description, arguments: declared }: Prompt): string {
  const shown = declared.map(({ name, description: text, required }) => [name, text, required]);
  return JSON.stringify([title, description, shown]);
}

/** What the index tells of a prompt. */
function indexedPart({ title, description, tags }: Prompt): string {
  return JSON.stringify([title, description, tags]);
}

/** What the record of a prompt tells. */
function recordText(prompt: Prompt): string {
  return `${listedPart(prompt)}${JSON.stringify(prompt.tags)}`;
}
