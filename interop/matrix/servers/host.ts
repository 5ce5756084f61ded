import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What is needed of the official SDK, of whichever copy a peer stands on. */
export interface Sdk<S> {
  readonly createMcpHandler: (factory: () => S | Promise<S>) => SdkHandler;
  readonly serveStdio: (factory: () => S | Promise<S>) => unknown;
  readonly toNodeHandler: (handler: SdkHandler) => (request: never, response: never) => unknown;
}

/** A handler of both revisions over HTTP. */
export interface SdkHandler {
  readonly fetch: unknown;
  readonly notify: { resourcesChanged(): unknown };
}

/** A server that listens or is spoken to. */
export interface Hosted {
  /** Tells those who listen by the revision of 2026. */
  resourcesChanged(): void;
}

/**
 * Serves what `factory` makes: over stdio, or over HTTP on a free port, which is said on stderr as `listening on URL`. The
 * program ends with its stdin or by a signal.
 */
export async function host<S>(sdk: Sdk<S>, transport: string, factory: () => S): Promise<Hosted> {
  if (transport === 'stdio') {
    sdk.serveStdio(factory);
    process.stdin.once('end', () => process.exit(0));
    return { resourcesChanged: () => undefined };
  }
  const handler = sdk.createMcpHandler(factory);
  const answer = sdk.toNodeHandler(handler);
  const server = createServer((request, response) => answer(request as never, response as never));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  console.error(`listening on http://127.0.0.1:${port}/mcp`);
  return { resourcesChanged: () => void handler.notify.resourcesChanged() };
}
