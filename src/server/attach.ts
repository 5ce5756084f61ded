/**
 * Skills on a server of the caller's, beside its own tools, resources and prompts.
 *
 * @module
 */
import { McpServer, ResourceTemplate, type Server, type ServerContext } from '@modelcontextprotocol/server';
import { SkillError } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { Telemetry } from '../telemetry/index.ts';
import { frontsOf } from './attach-fronts.ts';
import type { SkillMethod } from './handlers.ts';
import type { Broadcast } from './notify.ts';
import { capabilitiesOf, type Declared, type WireHandler } from './register.ts';
import { ANY_PARAMS, frontHandlers, hasHandler, lowLevel } from './sdk-access.ts';
import type { ServedUris } from './served-uris.ts';
import { notifySession } from './session.ts';
import { Subscriptions } from './subscriptions.ts';

/** Options of {@link attachHandlers} that a caller chooses. */
export interface AttachOptions {
  /** How the caller serves: decides how large a response may be. @default 'stdio', the smaller of the two */
  readonly transport?: 'stdio' | 'http';
  /**
   * Advertise `resources.listChanged`, as `McpServer` does, `resources.subscribe` and `prompts.listChanged`, and send what
   * changes to the server's session. Say false where that cannot arrive: a server made anew for each request whose handler nobody tells
   * of broadcasts. @default true
   */
  readonly listChanged?: boolean;
}

/** What {@link attachHandlers} puts on the server. */
export interface AttachedSkills {
  readonly handlers: ReadonlyMap<SkillMethod, WireHandler>;
  /** JSON bytes of a page that holds both our resources and the caller's. */
  readonly pageBytes: number;
  readonly declared: Omit<Declared, 'listChanged'>;
  readonly uris: ServedUris;
  /** Whether a prompt of ours has this name, for the client of this request. */
  readonly hasPrompt: (name: unknown, context: ServerContext) => boolean;
  readonly onBroadcast: (listener: (broadcast: Broadcast) => void) => () => void;
  readonly logger: Logger;
  readonly telemetry: Telemetry;
}

/** Methods that nobody else may handle. */
const OWN: readonly SkillMethod[] = ['skills/list', 'skills/get', 'resources/directory/read'];

/** Methods that the caller answers too. */
const SHARED: readonly SkillMethod[] = [
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
];

/** Methods that the caller answers too, where prompts are served. */
const PROMPTS: readonly SkillMethod[] = ['prompts/list', 'prompts/get'];

/** Methods that the caller answers too, where tools are exposed. */
const TOOLS: readonly SkillMethod[] = ['tools/list', 'tools/call'];

const attached = new WeakSet<Server>();

/**
 * Serves skills on a caller's server: ours are the methods of the extension, every `skill:` resource, the prompts and
 * documents of the provider, and the pages of each list before the caller's; everything else goes to the caller's
 * handlers, whether they were registered before or are registered later.
 *
 * Everything is checked first, so that an error leaves the server as it was: `SERVER_CONNECTED` (capabilities are
 * settled by then), `ALREADY_ATTACHED`, `HANDLER_TAKEN` (another skills extension is there), `USAGE` (no server).
 *
 * @example
 * attachHandlers(mcpServer, {}, { handlers, pageBytes, declared, uris, hasPrompt, onBroadcast, logger })
 */
export function attachHandlers(
  target: McpServer | Server,
  options: AttachOptions,
  skills: AttachedSkills,
): void {
  const server = lowLevel(target);
  if (server === undefined) {
    throw new SkillError(
      'USAGE',
      'this is no server of @modelcontextprotocol/server 2: attach takes its McpServer or Server, from the copy of the package that Skillwire uses',
    );
  }
  refuse(server, skills);
  const listChanged = options.listChanged ?? true;
  attached.add(server);
  server.registerCapabilities(capabilitiesOf({ ...skills.declared, listChanged }));
  for (const method of OWN) {
    const handler = skills.handlers.get(method);
    if (handler !== undefined) server.setRequestHandler(method, { params: ANY_PARAMS }, handler);
  }
  const free = (methods: readonly string[]): boolean =>
    methods.every((method) => !hasHandler(server, method));
  const late = {
    resources: free(SHARED),
    prompts: free(PROMPTS) && skills.handlers.has('prompts/list'),
    tools: free(TOOLS) && skills.handlers.has('tools/list'),
  };
  const subscriptions = new Subscriptions(skills.uris);
  frontHandlers(server, frontsOf(skills, listChanged ? subscriptions : undefined));
  if (target instanceof McpServer && late.resources) allowLateResources(target);
  if (target instanceof McpServer && late.prompts) allowLatePrompts(target);
  if (target instanceof McpServer && late.tools) allowLateTools(target);
  if (listChanged) {
    notifySession(server, { onBroadcast: skills.onBroadcast, subscriptions, logger: skills.logger });
  }
}

/**
 * Lets the caller register its first resource while the server is connected: `McpServer` sets its handlers up with the
 * first registration, which it can do only before, so one is made here and taken back.
 */
function allowLateResources(mcp: McpServer): void {
  const template = new ResourceTemplate('skillwire-attach:{x}', {
    list: undefined,
    complete: { x: () => [] },
  });
  mcp.registerResource('skillwire-attach', template, {}, () => ({ contents: [] })).remove();
}

/** The same for the caller's first prompt. */
function allowLatePrompts(mcp: McpServer): void {
  mcp.registerPrompt('skillwire-attach', {}, () => ({ messages: [] })).remove();
}

/** The same for its first tool. */
function allowLateTools(mcp: McpServer): void {
  mcp.registerTool('skillwire-attach', {}, () => ({ content: [] })).remove();
}

function refuse(server: Server, { handlers }: AttachedSkills): void {
  if (server.transport !== undefined) {
    throw new SkillError('SERVER_CONNECTED', 'the server is connected; attach skills before connecting it');
  }
  if (attached.has(server)) {
    throw new SkillError(
      'ALREADY_ATTACHED',
      'a provider is attached to this server; to serve several sources, mount them into one provider',
    );
  }
  for (const method of OWN) {
    if (handlers.has(method) && hasHandler(server, method)) {
      throw new SkillError(
        'HANDLER_TAKEN',
        `the server already handles ${method}; a server has one skills extension`,
        { details: { method } },
      );
    }
  }
}
