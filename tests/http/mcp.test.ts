import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createHttpApp } from '../../src/http/index.ts';
import { isLegacy } from '../../src/http/rpc.ts';
import { fakeProvider } from './fake-provider.ts';
import { INITIALIZE, inSession, JSON_HEADERS, modern, openSession, send, start } from './harness.ts';

describe('/mcp', () => {
  it('answers other methods with 405 and Allow, and never with CORS headers', async () => {
    const { port } = await start({ provider: fakeProvider() });
    for (const method of ['PUT', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE']) {
      const answer = await send(port, { method });
      expect([method, answer.status, answer.headers.allow]).toEqual([method, 405, 'GET, POST, DELETE']);
      if (method === 'HEAD') expect(answer.text).toBe('');
    }
    const preflight = await send(port, {
      method: 'OPTIONS',
      headers: { origin: 'http://localhost:5173', 'access-control-request-method': 'POST' },
    });
    expect(Object.keys(preflight.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('answers GET and DELETE of a 2026-07-28 client with 405, which ends its retries', async () => {
    const { port } = await start({ provider: fakeProvider() });
    for (const method of ['GET', 'DELETE']) {
      const answer = await send(port, { method, headers: { 'mcp-protocol-version': '2026-07-28' } });
      expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    }
  });

  it('answers other paths with 404 and says nothing about them', async () => {
    const { port } = await start({ provider: fakeProvider() });
    for (const path of [
      '/',
      '/mcp/',
      '/MCP',
      '/%6dcp',
      '//mcp',
      '/mcp/x',
      '/etc/passwd',
      '/../mcp',
      '/healthz/',
    ]) {
      for (const method of ['GET', 'POST', 'HEAD']) {
        const answer = await send(port, { method, path });
        expect([path, method, answer.status]).toEqual([path, method, 404]);
        if (method !== 'HEAD') expect(answer.json.error.message).toBe('Not found: the MCP endpoint is /mcp');
      }
    }
    expect((await send(port, { method: 'OPTIONS', path: '/mcp?x=1' })).status).toBe(405);
  });

  it('leaves the header checks of the modern era to the SDK', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const uri = 'skill://a/SKILL.md';
    const rows: [Record<string, string>, number, number | undefined][] = [
      [{}, 200, undefined],
      [{ 'mcp-method': 'resources/list' }, 400, -32020],
      [{ 'mcp-name': 'skill://b/SKILL.md' }, 400, -32020],
      [{ 'mcp-protocol-version': '2025-11-25' }, 400, -32020],
    ];
    for (const [headers, status, code] of rows) {
      const answer = await modern(port, 'resources/read', { uri }, headers);
      expect([answer.status, answer.json.error?.code]).toEqual([status, code]);
    }
    const unknown = await modern(port, 'no/such');
    expect([unknown.status, unknown.json.error.code]).toEqual([404, -32601]);
    expect((await modern(port, 'resources/read', { uri: 'skill://none/x' })).json.error).toMatchObject({
      code: -32602,
      data: { uri: 'skill://none/x' },
    });
  });

  it('sends no message of anything thrown inside', async () => {
    const thrown = [new Error('ENOENT /home/someone/secret'), 'text', null, undefined, { toString: null }];
    for (const what of thrown) {
      const { port } = await start({
        provider: () => {
          throw what;
        },
      });
      const answers = [
        await modern(port, 'resources/list', {}),
        await send(port, { headers: JSON_HEADERS, body: INITIALIZE }),
      ];
      for (const answer of answers) {
        expect([answer.status, answer.json.error]).toEqual([
          500,
          { code: -32603, message: 'Internal server error' },
        ]);
      }
      expect(answers.map((answer) => answer.json.id)).toEqual([1, 0]);
    }
  });

  it('refuses a shared cache for a provider that depends on the caller, and allows it for one for all', async () => {
    const provider = fakeProvider({ cacheScope: 'public' });
    const { port } = await start({ provider: async () => provider });
    for (const answer of [
      await modern(port, 'resources/list'),
      await send(port, { headers: JSON_HEADERS, body: INITIALIZE }),
    ]) {
      expect([answer.status, answer.json.error.data]).toEqual([500, { code: 'PUBLIC_CACHE_REFUSED' }]);
    }
    expect(provider.servers).toBe(0);
    const shared = await start({ provider });
    expect((await modern(shared.port, 'resources/list')).status).toBe(200);
  });

  it('does not fall over a provider function that returns nothing', async () => {
    const { port } = await start({ provider: (() => undefined) as never });
    expect((await modern(port, 'resources/list')).status).toBe(500);
  });

  it('writes one line a request, with neither token nor session id nor query', async () => {
    const lines: string[] = [];
    const note = (message: string, fields?: object): void =>
      void lines.push(`${message} ${JSON.stringify(fields)}`);
    const logger = { debug: note, info: note, warn: note, error: note };
    const { port, app } = await start({ provider: fakeProvider(), token: 'top-s3cret', logger });
    const headers = { authorization: 'Bearer top-s3cret' };
    const id = await openSession(port, headers);
    await inSession(port, id, { jsonrpc: '2.0', id: 1, method: 'resources/list' }, headers);
    await modern(port, 'resources/list', {}, headers);
    await send(port, { method: 'GET', path: '/x?token=top-s3cret', headers });
    await send(port, { method: 'GET', path: '/mcp', headers: { authorization: 'Bearer wr0ng' } });
    await app.close();
    const requests = lines.filter((line) => line.startsWith('request '));
    expect(requests).toHaveLength(6);
    expect(JSON.parse(requests[3]?.slice('request '.length) ?? '')).toEqual({
      method: 'POST',
      path: '/mcp',
      status: 200,
      ms: expect.any(Number),
      rpc: 'resources/list',
      era: 'modern',
    });
    const all = lines.join('\n');
    for (const secret of ['top-s3cret', 'wr0ng', id]) expect(all).not.toContain(secret);
  });

  it('fits a node:http server of the caller', async () => {
    const { createServer } = await import('node:http');
    const app = createHttpApp({ provider: fakeProvider() });
    const server = createServer(app.handler);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect((await modern(port, 'resources/list')).status).toBe(200);
    await app.close();
    const late = await modern(port, 'resources/list');
    expect([late.status, late.headers.connection, late.headers['retry-after']]).toEqual([503, 'close', '5']);
    expect((await send(port, { method: 'GET', path: '/readyz' })).text).toBe('not ready\n');
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('isLegacy', () => {
  const claim = 'io.modelcontextprotocol/protocolVersion';
  const versions = fc.constantFrom('2026-07-28', '2025-11-25', '2099-01-01', 'x', '', 7 as never);
  const meta = fc.record(
    { [claim]: versions, 'io.modelcontextprotocol/clientCapabilities': fc.constant({}) },
    { requiredKeys: [] },
  );
  const message = fc.record(
    {
      jsonrpc: fc.constantFrom('2.0', '1.0'),
      id: fc.constantFrom(1, 'a', null, 1.5),
      method: fc.constantFrom('initialize', 'resources/list', 'notifications/initialized', '', 3),
      params: fc.oneof(
        fc.record({ _meta: fc.oneof(meta, fc.constant(null)) }, { requiredKeys: [] }),
        fc.constant([]),
      ),
      result: fc.constant({}),
      error: fc.constant({ code: 1, message: 'x' }),
      extra: fc.constant(1),
    },
    { requiredKeys: [] },
  );
  const body = fc.oneof(message, fc.array(message, { maxLength: 2 }), fc.constantFrom(1, 'x', null, true));
  const headers = fc.record(
    {
      'mcp-protocol-version': fc.constantFrom('2026-07-28', '2025-11-25', ' 2026-07-28 ', 'x'),
      'mcp-method': fc.constantFrom('initialize', 'resources/list', 'x'),
    },
    { requiredKeys: [] },
  );

  it('decides as the SDK does, for any body', async () => {
    await fc.assert(
      fc.asyncProperty(headers, body, async (fields, value) => {
        const request = new Request('http://localhost/mcp', {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...fields },
          body: JSON.stringify(value),
        });
        const parsed: unknown = JSON.parse(JSON.stringify(value));
        expect(isLegacy(fields, parsed)).toBe(await isLegacyRequest(request, parsed));
      }),
      { numRuns: 3_000 },
    );
  });

  it('hands the SDK nothing that it would answer with a session', async () => {
    const handler = createMcpHandler(() => fakeProvider().createServer({ transport: 'http' }), {
      legacy: 'reject',
    });
    await fc.assert(
      fc.asyncProperty(headers, body, async (fields, value) => {
        const parsed: unknown = JSON.parse(JSON.stringify(value));
        if (isLegacy(fields, parsed)) return;
        const answer = await handler.fetch(
          new Request('http://localhost/mcp', {
            method: 'POST',
            headers: { 'content-type': 'application/json', ...fields },
          }),
          { parsedBody: parsed },
        );
        expect(answer.headers.has('mcp-session-id')).toBe(false);
        expect(answer.status).not.toBe(500);
      }),
      { numRuns: 500 },
    );
    await handler.close();
  });
});
