/**
 * Prompts as the prompt methods of MCP have them.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { quote } from '../uri/quote.ts';
import type { Prompt } from './prompt.ts';
import { PROMPT_DOCUMENT_TEMPLATE, PROMPT_RECORD_TEMPLATE, PROMPTS_INDEX_TEMPLATE } from './prompt-uris.ts';
import { type RenderOptions, renderPrompt } from './render.ts';
import { promptsByTag } from './search.ts';
import type { PromptSnapshot } from './snapshot.ts';

/** A prompt in `prompts/list`. */
export interface PromptDefinition {
  /** The id. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string;
    readonly required: boolean;
  }[];
}

/** The result of `prompts/get`. */
export interface PromptMessages {
  readonly description: string;
  readonly messages: readonly [
    { readonly role: 'user'; readonly content: { readonly type: 'text'; readonly text: string } },
  ];
}

/** The result of `completion/complete`. */
export interface PromptCompletion {
  readonly completion: {
    readonly values: readonly string[];
    readonly total: number;
    readonly hasMore: boolean;
  };
}

/** What a completion is asked for. */
export interface PromptCompletionRequest {
  readonly ref: { readonly type: string; readonly name?: string; readonly uri?: string };
  readonly argument: { readonly name: string; readonly value: string };
}

/** What the protocol allows in one answer. */
const MAX_VALUES = 100;
const definitions = new WeakMap<PromptSnapshot, readonly PromptDefinition[]>();

/**
 * The prompts as `prompts/list` shows them, ordered by name in code-point order; cutting them into pages is the server's
 * business. The same list as long as the snapshot is the same.
 *
 * @example
 * promptDefinitions(registry.snapshot)[0]?.name
 */
export function promptDefinitions(snapshot: PromptSnapshot): readonly PromptDefinition[] {
  let made = definitions.get(snapshot);
  if (made === undefined) {
    made = snapshot.prompts.map(definitionOf);
    definitions.set(snapshot, made);
  }
  return made;
}

/**
 * What `prompts/get` answers: the prompt as one message of the user.
 *
 * Errors: `INVALID_REQUEST` for an unknown prompt, a required argument without a value, a value that is no string;
 * `RESPONSE_TOO_LARGE`.
 *
 * @example
 * getPrompt(registry.snapshot, { name: 'code-review', arguments: { diff } }).messages[0].content.text
 */
export function getPrompt(
  snapshot: PromptSnapshot,
  request: { readonly name: unknown; readonly arguments?: unknown },
  options: RenderOptions = {},
): PromptMessages {
  const prompt = requirePrompt(snapshot, request.name);
  const text = renderPrompt(prompt, stringsOf(request.arguments), options);
  return { description: prompt.description, messages: [{ role: 'user', content: { type: 'text', text } }] };
}

/**
 * Whether {@link completePrompt} answers for this reference.
 *
 * @example
 * completesPrompts({ type: 'ref/prompt', name: 'code-review' }) // true
 */
export function completesPrompts(ref: PromptCompletionRequest['ref']): boolean {
  return ref.type === 'ref/prompt' || (ref.uri !== undefined && VARIABLES.has(ref.uri));
}

/**
 * Completions that begin with what was typed, whatever the case: of an argument, the values its author listed, in that
 * order; of `prompt_id`, ids; of `tag`, tags; nothing for anything else there is.
 *
 * Errors: `INVALID_REQUEST` for an unknown prompt, argument, template or variable.
 *
 * @example
 * completePrompt(snapshot, { ref: { type: 'ref/prompt', name: 'translate' }, argument: { name: 'language', value: 'fr' } })
 */
export function completePrompt(snapshot: PromptSnapshot, request: PromptCompletionRequest): PromptCompletion {
  const { ref, argument } = request;
  const typed = argument.value.toLowerCase();
  const candidates =
    ref.type === 'ref/prompt'
      ? valuesOf(requirePrompt(snapshot, ref.name), argument.name)
      : variableValues(snapshot, ref.uri ?? '', argument.name);
  const values = candidates.filter((value) => value.toLowerCase().startsWith(typed));
  return {
    completion: {
      values: values.slice(0, MAX_VALUES),
      total: values.length,
      hasMore: values.length > MAX_VALUES,
    },
  };
}

const VARIABLES: ReadonlyMap<string, readonly string[]> = new Map([
  [PROMPTS_INDEX_TEMPLATE, ['q', 'tag', 'cursor', 'limit']],
  [PROMPT_RECORD_TEMPLATE, ['prompt_id']],
  [PROMPT_DOCUMENT_TEMPLATE, ['prompt_id']],
]);

function definitionOf({ id, title, description, arguments: declared }: Prompt): PromptDefinition {
  return {
    name: id,
    ...(title !== undefined && { title }),
    description,
    arguments: declared.map(({ name, description: text, required }) => ({
      name,
      ...(text !== undefined && { description: text }),
      required,
    })),
  };
}

/**
 * The error for a name that no prompt has, or that is none.
 *
 * @example
 * throw unknownPrompt(params.name)
 */
export function unknownPrompt(name: unknown): SkillError {
  if (typeof name !== 'string') return invalid('name must be a string: the name of a prompt');
  return invalid(`no such prompt: ${quote(name)}; prompts/list names them`);
}

function requirePrompt(snapshot: PromptSnapshot, name: unknown): Prompt {
  const prompt = typeof name === 'string' ? snapshot.get(name) : undefined;
  if (prompt === undefined) throw unknownPrompt(name);
  return prompt;
}

function stringsOf(given: unknown): Readonly<Record<string, string>> {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid('arguments must be an object whose values are strings');
  }
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string') throw invalid(`the value of the argument ${quote(name)} must be a string`);
  }
  return given as Readonly<Record<string, string>>;
}

function valuesOf(prompt: Prompt, name: string): readonly string[] {
  const argument = prompt.arguments.find((each) => each.name === name);
  if (argument !== undefined) return argument.values ?? [];
  throw invalid(`the prompt "${prompt.id}" has no argument ${quote(name)}`);
}

function variableValues(snapshot: PromptSnapshot, template: string, name: string): readonly string[] {
  const variables = VARIABLES.get(template);
  if (variables === undefined) throw invalid(`no such template: ${quote(template)}`);
  if (!variables.includes(name)) throw invalid(`the template ${template} has no variable ${quote(name)}`);
  if (name === 'prompt_id') return snapshot.prompts.map(({ id }) => id);
  return name === 'tag' ? [...promptsByTag(snapshot).keys()].sort(compareCodePoints) : [];
}

function invalid(message: string): SkillError {
  return new SkillError('INVALID_REQUEST', message);
}
