/**
 * Lists that a caller's server and skills share: our pages, then the caller's.
 *
 * @module
 */
import type { Result, ServerContext } from '@modelcontextprotocol/server';
import { isSkillError } from '../errors.ts';
import { decodeCursor, encodeCursor } from '../wire/index.ts';
import type { AttachedSkills } from './attach.ts';
import { toProtocolError } from './errors.ts';
import { jsonBytes } from './json-size.ts';
import type { RawParams } from './params.ts';
import type { WireHandler } from './register.ts';
import type { FrontHandler, StoredHandler } from './sdk-access.ts';
import { PROMPTS_LIST } from './surfaces/prompt-list.ts';
import { RESOURCES_LIST } from './surfaces/resources.ts';
import { TEMPLATES_LIST } from './surfaces/templates.ts';

/** One list that both have. */
interface SharedList {
  readonly method: string;
  /** Where a result has its items. */
  readonly key: 'resources' | 'resourceTemplates' | 'prompts';
  /** The name of the list in its cursors. */
  readonly name: string;
  /** Whether an item of the caller's is one that ours answers for. */
  readonly isOurs: (item: unknown, context: ServerContext) => boolean;
}

/** `resources/list`: a file of a skill is ours, whoever lists it, and so is what ours lists. */
export function resourcesFront(ours: WireHandler, skills: AttachedSkills): FrontHandler {
  const isOurs = (resource: unknown): boolean => {
    const uri = textAt(resource, 'uri');
    return uri !== undefined && skills.uris.claims(uri) && skills.uris.isShown(uri);
  };
  return listFront(
    { method: 'resources/list', key: 'resources', name: RESOURCES_LIST, isOurs },
    ours,
    skills,
  );
}

/** `resources/templates/list`. */
export function templatesFront(ours: WireHandler, skills: AttachedSkills): FrontHandler {
  const isOurs = (template: unknown): boolean => {
    const uri = textAt(template, 'uriTemplate');
    return uri !== undefined && skills.uris.hasTemplate(uri);
  };
  return listFront(
    { method: 'resources/templates/list', key: 'resourceTemplates', name: TEMPLATES_LIST, isOurs },
    ours,
    skills,
  );
}

/** `prompts/list`: of two prompts with one name ours counts, as it does for `prompts/get`. */
export function promptsFront(ours: WireHandler, skills: AttachedSkills): FrontHandler {
  const isOurs = (prompt: unknown, context: ServerContext): boolean =>
    skills.hasPrompt(textAt(prompt, 'name'), context);
  return listFront({ method: 'prompts/list', key: 'prompts', name: PROMPTS_LIST, isOurs }, ours, skills);
}

/** Keys of our own lists begin with a letter or digit; these two say where the caller's list goes on. */
const THEIRS_FIRST = '+';
const THEIRS_AFTER = '=';

/**
 * Our pages, then the caller's. The caller's first page rides on our last one where both fit, so that a client that
 * never asks for a second page sees both.
 */
function listFront(list: SharedList, ours: WireHandler, { pageBytes, logger }: AttachedSkills): FrontHandler {
  const { method, key, name } = list;
  const theirPage = async (
    theirs: StoredHandler,
    params: RawParams,
    context: ServerContext,
    cursor?: string,
  ): Promise<Result> => {
    const { cursor: _, ...rest } = params;
    const page = await theirs({ method, params: cursor === undefined ? rest : { ...rest, cursor } }, context);
    const { nextCursor, ...others } = page;
    return {
      ...others,
      [key]: itemsOf(page, key).filter((item) => !list.isOurs(item, context)),
      ...(typeof nextCursor === 'string' && { nextCursor: encodeCursor(name, THEIRS_AFTER + nextCursor) }),
    };
  };
  const page = async (
    params: RawParams,
    context: ServerContext,
    theirs: StoredHandler | undefined,
  ): Promise<Result> => {
    const { cursor } = params;
    const after = typeof cursor === 'string' ? decodeCursor(name, cursor) : undefined;
    if (after?.startsWith(THEIRS_FIRST) === true || after?.startsWith(THEIRS_AFTER) === true) {
      if (theirs === undefined) return { [key]: [] };
      return theirPage(theirs, params, context, after.startsWith(THEIRS_AFTER) ? after.slice(1) : undefined);
    }
    const own = await ours(params, context);
    if (own.nextCursor !== undefined || theirs === undefined) return own;
    const next = await theirPage(theirs, params, context);
    const [mine, others] = [itemsOf(own, key), itemsOf(next, key)];
    if (mine.length > 0 && bytesOf(mine) + bytesOf(others) > pageBytes) {
      return { ...own, nextCursor: encodeCursor(name, THEIRS_FIRST) };
    }
    // How fresh the caller's list is, only the caller knows; the SDK fills in what the caller did not say.
    return { ...next, [key]: [...mine, ...others] };
  };
  return (params, context, theirs) =>
    page(params, context, theirs).catch((error: unknown) => {
      // What the caller's handler throws is the caller's to word.
      throw isSkillError(error) ? toProtocolError(error, { method }, logger) : error;
    });
}

function textAt(item: unknown, key: string): string | undefined {
  if (typeof item !== 'object' || item === null || !(key in item)) return undefined;
  const value = (item as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' ? value : undefined;
}

function itemsOf(result: Result, key: string): readonly unknown[] {
  const items = result[key];
  return Array.isArray(items) ? items : [];
}

function bytesOf(items: readonly unknown[]): number {
  let bytes = 0;
  for (const item of items) bytes += typeof item === 'object' && item !== null ? jsonBytes(item) + 1 : 0;
  return bytes;
}
