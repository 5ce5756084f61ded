/**
 * A connection to a server over HTTP.
 *
 * @module
 */
import { setTimeout } from 'node:timers/promises';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { fetch as undiciFetch } from 'undici';
import { cappedFetch, SkillsClient } from '../client/index.ts';
import { isSkillError } from '../errors.ts';
import { openConnections } from '../net/connect.ts';
import { onlyHostOf } from '../net/index.ts';
import {
  type ClientSettings,
  type Connected,
  connectError,
  connectOptions,
  inTime,
  isDown,
  newClient,
  statusOf,
} from './connected.ts';
import type { CliContext } from './context.ts';
import type { Headers } from './credentials.ts';
import type { Target } from './target.ts';

type HttpTarget = Target & { readonly kind: 'http' };

/** How long a server may take to hear that a session ends. */
const GOODBYE_MS = 1_000;

/**
 * Resolves to a connection to the MCP endpoint at the URL of a target, or, where none answers, to the well-known documents of
 * its web server. Headers go to the origin of the URL and to no other; only the host that was typed may be private.
 *
 * Errors: `SERVER_UNREACHABLE`.
 */
export async function connectHttp(
  target: HttpTarget,
  headers: Headers,
  settings: ClientSettings,
  { output }: CliContext,
): Promise<Connected> {
  warnPlainText(target.url, headers, output);
  const wellKnown = { url: target.url.href, headers };
  if (settings.dialect === 'well-known') {
    const client = new SkillsClient(newClient('legacy'), { ...settings, wellKnown });
    return { client, notes: [], said: () => [], close: async () => undefined };
  }
  const dispatcher = openConnections({ allowPrivate: onlyHostOf(target.url) });
  const send = (url: string | URL, init?: RequestInit): Promise<Response> =>
    // The platform's fetch knows neither proxies nor which address is meant; the types of the two differ in name only.
    undiciFetch(url, { ...init, dispatcher } as Parameters<
      typeof undiciFetch
    >[1]) as unknown as Promise<Response>;
  const opened = new Map<Client, StreamableHTTPClientTransport>();
  const open = async (): Promise<Client> => {
    const client = newClient('auto', settings.requestTimeoutMs);
    const transport = new StreamableHTTPClientTransport(target.url, {
      fetch: cappedFetch(undefined, { fetch: send, dispatcher }),
      requestInit: { headers: { ...headers } },
    });
    await client.connect(transport, connectOptions(settings));
    opened.set(client, transport);
    return client;
  };
  let client: Client;
  try {
    client = await inTime(target.label, settings, open);
  } catch (error) {
    await dispatcher.destroy();
    // One that wants a token is a server: the documents that it shows everybody are not what was asked for.
    const mayHaveDocuments =
      settings.dialect === undefined &&
      statusOf(error) !== 401 &&
      settings.signal?.aborted !== true &&
      !isDown(error) &&
      !isSkillError(error);
    const documents = mayHaveDocuments ? await documentsOf(target, wellKnown, settings) : undefined;
    if (documents !== undefined) return documents;
    throw connectError(target.label, error, hintFor(target, error, headers));
  }
  const skills = new SkillsClient(client, { ...settings, wellKnown, reconnect: open });
  const close = async (): Promise<void> => {
    for (const [each, transport] of opened) {
      await endSession(transport);
      await each.close();
    }
    opened.clear();
    await dispatcher.destroy();
  };
  return { client: skills, notes: [], said: () => [], close };
}

/** A server of an earlier revision keeps a session until it is told or has waited for long; one that does not answer waits. */
async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  if (transport.sessionId === undefined) return;
  const ended = transport.terminateSession().catch(() => undefined);
  await Promise.race([ended, setTimeout(GOODBYE_MS, undefined, { ref: false })]);
}

/** The well-known documents of a web server that has no MCP endpoint there; undefined when it has none either. */
async function documentsOf(
  target: HttpTarget,
  wellKnown: { readonly url: string; readonly headers: Headers },
  settings: ClientSettings,
): Promise<Connected | undefined> {
  const client = new SkillsClient(newClient('legacy'), { ...settings, dialect: 'well-known', wellKnown });
  try {
    const { skills, problems } = await inTime(target.label, settings, () => client.listSkills());
    if (skills.length === 0 && problems.some(({ code }) => code === 'RESOURCE_NOT_FOUND')) return undefined;
  } catch {
    // What is worth saying is why the endpoint cannot be reached.
    return undefined;
  }
  const notes = [
    `no MCP server answers at ${target.label}; reading the well-known documents of its web server`,
  ];
  return { client, notes, said: () => [], close: async () => undefined };
}

function hintFor(target: HttpTarget, error: unknown, headers: Headers): string {
  const status = statusOf(error);
  if (status === 401 || status === 403) {
    return 'authorization' in headers
      ? 'the token or header that was sent is not the right one'
      : "send a token: SKILLWIRE_TOKEN, --token-file FILE or --header 'Authorization: …'";
  }
  if (status !== undefined && !target.url.pathname.endsWith('/mcp')) {
    return `the endpoint of a server usually ends with /mcp: ${target.url.origin}/mcp`;
  }
  return 'check the URL; HTTPS_PROXY is used if it is set';
}

/** A token that crosses a network unencrypted is everybody's. */
function warnPlainText(url: URL, headers: Headers, output: CliContext['output']): void {
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  if (url.protocol !== 'http:' || isLocal || !('authorization' in headers)) return;
  output.note(
    output.errorStyle.yellow(
      `the token goes to ${url.host} unencrypted; use https where the server offers it`,
    ),
  );
}
