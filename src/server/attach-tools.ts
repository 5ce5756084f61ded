/**
 * The tool methods that a caller's server and skills share: who answers what.
 *
 * @module
 */
import type { Result, ServerContext } from '@modelcontextprotocol/server';
import type { Logger } from '../logger.ts';
import type { RawParams } from './params.ts';
import type { WireHandler } from './register.ts';
import type { FrontHandler, StoredHandler } from './sdk-access.ts';
import { skillTool } from './surfaces/tools.ts';

/** Pages of the caller's tools that are looked through for a name. */
const MAX_PAGES = 100;

/**
 * The fronts of `tools/list` and `tools/call`: our tools before the caller's. Where the caller has a tool of the same
 * name, now or later, that one counts and ours is left out: whoever serves something under a name goes on doing so, and
 * with two tools of one name model APIs refuse the whole list.
 *
 * @example
 * frontHandlers(server, toolFronts({ list, call }, logger))
 */
export function toolFronts(
  ours: { readonly list: WireHandler; readonly call: WireHandler },
  logger: Logger,
): ReadonlyMap<string, FrontHandler> {
  const told = new Set<string>();
  const tell = (name: string): void => {
    if (told.has(name)) return;
    told.add(name);
    logger.warn('the server has a tool of its own of this name, so that of the skills is left out', { name });
  };
  const list: FrontHandler = async (params, context, theirs) => {
    if (theirs === undefined) return ours.list(params, context);
    const page = await theirs({ method: 'tools/list', params }, context);
    if (params.cursor !== undefined) return page;
    const own = await ours.list(params, context);
    const taken = await namesFrom(page, theirs, params, context);
    const free = toolsOf(own).filter((tool) => !taken.has(nameOf(tool)));
    for (const tool of toolsOf(own)) if (taken.has(nameOf(tool))) tell(nameOf(tool));
    // How fresh the caller's list is, only the caller knows; who may keep it depends on ours too.
    const scope = own.cacheScope === 'private' ? { cacheScope: 'private' } : {};
    return { ...page, ...scope, tools: [...free, ...toolsOf(page)] };
  };
  const call: FrontHandler = async (params, context, theirs, behind) => {
    if (theirs === undefined) return ours.call(params, context);
    const request = { method: 'tools/call', params };
    const name = skillTool(params.name)?.name;
    if (name === undefined) return theirs(request, context);
    const shown = toolsOf(await ours.list({}, context)).some((tool) => nameOf(tool) === name);
    if (!shown) return theirs(request, context);
    const lists = behind('tools/list');
    const taken = lists !== undefined && (await namesOf(lists, params, context)).has(name);
    return taken ? theirs(request, context) : ours.call(params, context);
  };
  return new Map([
    ['tools/list', list],
    ['tools/call', call],
  ]);
}

async function namesOf(
  theirs: StoredHandler,
  params: RawParams,
  context: ServerContext,
): Promise<Set<string>> {
  const first = await theirs({ method: 'tools/list', params: envelopeOf(params) }, context);
  return namesFrom(first, theirs, params, context);
}

/** The names of the caller's tools on a first page and all that follow. */
async function namesFrom(
  first: Result,
  theirs: StoredHandler,
  params: RawParams,
  context: ServerContext,
): Promise<Set<string>> {
  const names = new Set<string>();
  let page = first;
  for (let pages = 1; ; pages++) {
    for (const tool of toolsOf(page)) names.add(nameOf(tool));
    const { nextCursor } = page;
    if (typeof nextCursor !== 'string' || pages >= MAX_PAGES) return names;
    page = await theirs(
      { method: 'tools/list', params: { ...envelopeOf(params), cursor: nextCursor } },
      context,
    );
  }
}

/** What every request carries, whatever its method. */
function envelopeOf({ _meta }: RawParams): RawParams {
  return _meta === undefined ? {} : { _meta };
}

function toolsOf(result: Result): readonly unknown[] {
  return Array.isArray(result.tools) ? result.tools : [];
}

function nameOf(tool: unknown): string {
  return typeof tool === 'object' && tool !== null && 'name' in tool && typeof tool.name === 'string'
    ? tool.name
    : '';
}
