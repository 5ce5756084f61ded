/**
 * Prompts and documents: a folder of each, as resources and as prompts of MCP. Nothing here knows a server.
 *
 * @module
 */
export { type CheckedPrompts, checkPrompts } from './check-prompts.ts';
export { completeDocPath } from './doc-completion.ts';
export type { DocChanges, DocEntry } from './doc-list.ts';
export { DOCS_TEMPLATE, docPath, docPathProblem, docUri } from './doc-path.ts';
export {
  canonicalDocUri,
  type DocContents,
  type Docs,
  type DocsOptions,
  hasDoc,
  isDocUri,
  openDocs,
  readDoc,
} from './docs.ts';
export {
  type PromptIndex,
  type PromptIndexItem,
  type PromptIndexQuery,
  type PromptRecord,
  promptIndex,
  promptRecord,
} from './index-json.ts';
export {
  completePrompt,
  completesPrompts,
  getPrompt,
  type PromptCompletion,
  type PromptCompletionRequest,
  type PromptDefinition,
  type PromptMessages,
  promptDefinitions,
  unknownPrompt,
} from './mcp.ts';
export { decodeOffset, encodeOffset } from './offset-cursor.ts';
export type { Prompt, PromptArgument } from './prompt.ts';
export { isPromptId, type PromptIdProblem, promptIdProblem } from './prompt-id.ts';
export {
  PROMPT_DOCUMENT_TEMPLATE,
  PROMPT_RECORD_TEMPLATE,
  PROMPTS_INDEX_TEMPLATE,
  PROMPTS_INDEX_URI,
} from './prompt-uris.ts';
export { type ReadPrompt, readPrompt } from './read-prompt.ts';
export { openPrompts, type PromptRegistry, type PromptsOptions } from './registry.ts';
export { type RenderOptions, renderPrompt } from './render.ts';
export {
  canonicalPromptUri,
  hasPromptResource,
  isPromptUri,
  JSON_MIME_TYPE,
  MARKDOWN_MIME_TYPE,
  type ResourceText,
  readPromptResource,
} from './resources.ts';
export { PROMPT_RULES } from './rules.ts';
export { type PromptFilter, searchPrompts } from './search.ts';
export type { PromptChanges, PromptSnapshot } from './snapshot.ts';
export { type TemplateValues, type UriTemplate, uriTemplate } from './uri-template.ts';
