/** Fails when the SDK moves what `src/server/sdk-access.ts` leans on. */
import { McpServer, ResourceTemplate, type Result, Server } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import {
  ANY_PARAMS,
  frontHandlers,
  hasHandler,
  lowLevel,
  setOwnHandler,
  storedHandler,
} from '../../src/server/sdk-access.ts';

const INFO = { name: 'caller', version: '1.0.0' };

describe('what is not public in the SDK', () => {
  it('has the accessor of stored handlers where it was', async () => {
    const server = new Server(INFO, { capabilities: { resources: {} } });
    expect('_getRequestHandler' in server).toBe(true);
    expect(storedHandler(server, 'resources/list')).toBeUndefined();
    server.setRequestHandler('resources/list', { params: ANY_PARAMS }, () => ({ resources: [] }));
    const stored = storedHandler(server, 'resources/list');
    expect(stored).toBeTypeOf('function');
    const context = { mcpReq: { requestState: () => undefined } } as never;
    expect(await stored?.({ method: 'resources/list', params: {} }, context)).toEqual({ resources: [] });
  });

  it('has the judgement of calls of tools where it was', async () => {
    const context = { mcpReq: { requestState: () => undefined } } as never;
    const answer = (server: Server): unknown => {
      setOwnHandler(server, 'tools/call', (params) => ({ content: [], got: params.arguments }));
      return storedHandler(server, 'tools/call')?.(
        { method: 'tools/call', params: { name: 'a', arguments: 'x' as never } },
        context,
      );
    };
    const server = new Server(INFO, { capabilities: { tools: {} } });
    expect('_wrapHandler' in server).toBe(true);
    expect(await answer(server)).toEqual({ content: [], got: 'x' });
    expect(Object.hasOwn(server, '_wrapHandler')).toBe(false);
  });

  it('says so when it is gone', () => {
    const server = Object.create(Server.prototype, { _getRequestHandler: { value: undefined } }) as Server;
    expect(() => storedHandler(server, 'resources/list')).toThrow(
      expect.objectContaining({ code: 'INTERNAL' }),
    );
  });

  it('asks the shadowed methods when McpServer registers its own handlers', () => {
    const mcp = new McpServer(INFO);
    mcp.server.registerCapabilities({ resources: {} });
    frontHandlers(mcp.server, new Map([['resources/list', (): Result => ({ resources: [] })]]));
    const front = storedHandler(mcp.server, 'resources/list');
    expect(() => mcp.registerResource('a', 'test://a', {}, () => ({ contents: [] }))).not.toThrow();
    expect(storedHandler(mcp.server, 'resources/list')).not.toBe(front);
    expect(hasHandler(mcp.server, 'resources/read')).toBe(true);
  });
});

describe('a handler put before the caller’s', () => {
  const mark = (by: string): Result => ({ by });
  const context = { mcpReq: { requestState: () => undefined } } as never;

  function fronted(): Server {
    const server = new Server(INFO, { capabilities: { resources: {}, completions: {} } });
    return server;
  }
  const front = new Map([
    [
      'resources/list',
      async (_params: unknown, ctx: never, theirs: ReturnType<typeof storedHandler>): Promise<Result> =>
        theirs === undefined
          ? mark('front alone')
          : { front: true, ...(await theirs({ method: 'resources/list' }, ctx)) },
    ],
  ]);
  const call = (server: Server): Promise<Result> | undefined =>
    storedHandler(server, 'resources/list')?.({ method: 'resources/list', params: {} }, context);

  it('is alone when the caller has none', async () => {
    const server = fronted();
    frontHandlers(server, front as never);
    expect(await call(server)).toEqual({ by: 'front alone' });
    expect(hasHandler(server, 'resources/list')).toBe(false);
  });

  it.each(['before', 'after'])('has one the caller registered %s it', async (when) => {
    const server = fronted();
    const register = (): void =>
      server.setRequestHandler('resources/list', { params: ANY_PARAMS }, () => mark('caller'));
    if (when === 'before') register();
    frontHandlers(server, front as never);
    if (when === 'after') register();
    expect(await call(server)).toEqual({ front: true, by: 'caller' });
    expect(hasHandler(server, 'resources/list')).toBe(true);
  });

  it('stays when the caller replaces or removes his', async () => {
    const server = fronted();
    frontHandlers(server, front as never);
    server.setRequestHandler('resources/list', { params: ANY_PARAMS }, () => mark('one'));
    server.setRequestHandler('resources/list', { params: ANY_PARAMS }, () => mark('two'));
    expect(await call(server)).toEqual({ front: true, by: 'two' });
    server.removeRequestHandler('resources/list');
    expect(await call(server)).toEqual({ by: 'front alone' });
  });

  it('leaves other methods alone', () => {
    const server = fronted();
    frontHandlers(server, front as never);
    server.setRequestHandler('custom/method', { params: ANY_PARAMS }, () => mark('caller'));
    expect(hasHandler(server, 'custom/method')).toBe(true);
    expect(() => server.assertCanSetRequestHandler('custom/method')).toThrow();
    server.removeRequestHandler('custom/method');
    expect(hasHandler(server, 'custom/method')).toBe(false);
  });
});

describe('the low-level server', () => {
  it('is that of either kind', () => {
    const mcp = new McpServer(INFO);
    const server = new Server(INFO);
    expect(lowLevel(mcp)).toBe(mcp.server);
    expect(lowLevel(server)).toBe(server);
    mcp.registerResource('t', new ResourceTemplate('t://{x}', { list: undefined }), {}, () => ({
      contents: [],
    }));
    expect(hasHandler(mcp.server, 'resources/templates/list')).toBe(true);
    const firstVersion = {
      setRequestHandler: () => {},
      registerCapabilities: () => {},
      getClientCapabilities: () => {},
    };
    expect(lowLevel(firstVersion as unknown as Server)).toBe(undefined);
  });
});
