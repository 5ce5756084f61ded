/** Prompts and documents; `docs/reference/prompts.md` shows the pieces. */
import type { McpServer } from '@modelcontextprotocol/server';
import {
  checkPrompts,
  type Docs,
  getPrompt,
  openDocs,
  openPrompts,
  type PromptRegistry,
  readDoc,
  readPromptResource,
} from 'skillwire/prompts';
import { createProvider, type SkillProvider } from 'skillwire/server';
import { directorySource } from 'skillwire/source';

/** The ids that a folder offers, and what is wrong with the rest. */
export async function open(): Promise<PromptRegistry> {
  // #region open
  const registry = await openPrompts('./prompts');
  for (const { id, description } of registry.snapshot.prompts) console.log(id, description);
  for (const { path, range, message } of registry.snapshot.diagnostics) {
    console.log(`${path}:${range?.start.line ?? 1}: ${message}`);
  }
  // #endregion open
  return registry;
}

/** A prompt with its arguments filled in. */
export function render({ snapshot }: PromptRegistry, diff: string): string {
  // #region get
  const { messages } = getPrompt(snapshot, { name: 'code-review', arguments: { diff } });
  return messages[0].content.text;
  // #endregion get
}

/** The first page of a search. */
export function search({ snapshot }: PromptRegistry): string {
  // #region read
  const { text } = readPromptResource(snapshot, 'resource://catalog/prompts_index?q=review&limit=5');
  return text;
  // #endregion read
}

/** Reads the prompts again. */
export async function reload(registry: PromptRegistry, tellClients: () => void): Promise<void> {
  // #region reload
  registry.onChange(({ added, removed, changed, listChanged }) => {
    console.log(`${added.length} new, ${removed.length} gone, ${changed.length} changed`);
    if (listChanged) tellClients();
  });
  await registry.reload();
  // #endregion reload
}

/** Skills, prompts and documents on one server. */
export async function serve(): Promise<SkillProvider> {
  // #region serve
  const prompts = await openPrompts('./prompts');
  const docs = await openDocs('./docs');
  const provider = await createProvider({ source: directorySource('./skills'), prompts, docs });
  // #endregion serve
  return provider;
}

/** Skills, prompts and documents that follow their folders. */
export async function follow(): Promise<SkillProvider> {
  // #region follow
  const prompts = await openPrompts('./prompts', { watch: true });
  const docs = await openDocs('./docs', { listed: true, watch: true });
  const source = directorySource('./skills');
  const provider = await createProvider({ source, watch: true, prompts, docs });
  // #endregion follow
  return provider;
}

/** Prompts alone, on a server that has prompts of its own. */
export async function attach(server: McpServer): Promise<void> {
  // #region attach
  const provider = await createProvider({ prompts: await openPrompts('./prompts') });
  provider.attach(server);
  // #endregion attach
}

/** What an author has to know, as values. */
export async function check(): Promise<void> {
  // #region check
  const [checked] = await checkPrompts([directorySource('./prompts')]);
  for (const { code, path, message, hint } of checked?.diagnostics ?? []) {
    console.log(`${path}: ${code}: ${message}${hint === undefined ? '' : ` (${hint})`}`);
  }
  // #endregion check
}

/** One document. */
export async function document(): Promise<Docs> {
  // #region docs
  const docs = await openDocs('./docs');
  const page = await readDoc(docs, 'resource://docs/guide/install.md');
  console.log(page.mimeType, 'text' in page ? page.text : page.blob);
  // #endregion docs
  return docs;
}
