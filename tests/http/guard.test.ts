import { createServer } from 'node:http';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostName, isLoopbackName, parseAuthority } from '../../src/http/authority.ts';
import { createHttpApp, type HttpAppOptions } from '../../src/http/index.ts';
import { fakeProvider } from './fake-provider.ts';
import { modernBody, modernHeaders, rawSocket, send, start } from './harness.ts';

const READ = modernBody('resources/list', {});
const HEADERS = modernHeaders('resources/list', {});

async function status(port: number, headers: Record<string, string>): Promise<number> {
  return (await send(port, { headers: { ...HEADERS, ...headers }, body: READ })).status;
}

describe('Host and Origin', () => {
  const rows: [string, Record<string, string>, number][] = [
    ['no Origin', {}, 200],
    ['localhost', { host: 'localhost' }, 200],
    ['localhost with another port', { host: 'localhost:1' }, 200],
    ['upper case', { host: 'LOCALHOST:3000' }, 200],
    ['an address of 127.0.0.0/8', { host: '127.8.9.10:3000' }, 200],
    ['IPv6 loopback', { host: '[::1]:3000' }, 200],
    ['IPv6 loopback, long', { host: '[0:0:0:0:0:0:0:1]' }, 200],
    ['an empty port', { host: 'localhost:' }, 200],
    ['another site', { host: 'evil.example:3000' }, 403],
    ['a name that begins with localhost', { host: 'localhost.evil.example' }, 403],
    ['a name that ends with localhost', { host: 'evil-localhost' }, 403],
    ['an address that begins like loopback', { host: '127.0.0.1.evil.example' }, 403],
    ['127.0.0.256', { host: '127.0.0.256' }, 403],
    ['a short address', { host: '127.1' }, 403],
    ['a number', { host: '2130706433' }, 403],
    ['the wildcard', { host: '0.0.0.0' }, 403],
    ['another address', { host: '192.168.1.1' }, 403],
    ['IPv4 in IPv6', { host: '[::ffff:127.0.0.1]' }, 403],
    ['a user before the name', { host: 'localhost@evil.example' }, 403],
    ['a path behind the name', { host: 'localhost/evil' }, 403],
    ['a port out of range', { host: 'localhost:65536' }, 403],
    ['two names', { host: 'localhost, evil.example' }, 403],
    ['a trailing dot', { host: 'localhost.' }, 403],
    ['Origin localhost', { origin: 'http://localhost:5173' }, 200],
    ['Origin over TLS', { origin: 'https://127.0.0.1' }, 200],
    ['Origin IPv6', { origin: 'http://[::1]:8080' }, 200],
    ['Origin of another site', { origin: 'https://evil.example' }, 403],
    ['Origin that begins with localhost', { origin: 'http://localhost.evil.example' }, 403],
    ['Origin null', { origin: 'null' }, 403],
    ['Origin empty', { origin: '' }, 403],
    ['Origin of an extension', { origin: 'chrome-extension://localhost' }, 403],
    ['Origin with a user', { origin: 'http://localhost@evil.example' }, 403],
    ['Origin with a path', { origin: 'http://localhost/x' }, 403],
    ['good Host, bad Origin', { host: 'localhost', origin: 'http://evil.example' }, 403],
    ['bad Host, good Origin', { host: 'evil.example', origin: 'http://localhost' }, 403],
  ];

  it('judges each pair before any handler runs', async () => {
    const provider = fakeProvider();
    const { port } = await start({ provider });
    let served = 0;
    for (const [what, headers, expected] of rows) {
      expect([what, await status(port, headers)]).toEqual([what, expected]);
      if (expected === 200) served += 1;
      expect([what, provider.servers]).toEqual([what, served]);
    }
  });

  it('answers the four recorded cases: only an IPv6 loopback Host is served', async () => {
    const { port } = await start({ provider: fakeProvider() });
    expect(await status(port, { origin: 'https://evil.example' })).toBe(403);
    expect(await status(port, { host: 'evil.example:3000' })).toBe(403);
    expect(await status(port, { host: '[::1]:3000' })).toBe(200);
    expect(await status(port, { origin: 'http://localhost.evil.example' })).toBe(403);
  });

  it('covers every path and method but health, and names neither header in its answer', async () => {
    const { port } = await start({ provider: fakeProvider() });
    for (const path of [
      '/mcp',
      '/',
      '/other',
      '/mcp/',
      '//mcp',
      '/.well-known/x',
      '/healthz/',
      '/healthz/../mcp',
    ]) {
      for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS', 'PUT', 'HEAD']) {
        const answer = await send(port, { method, path, headers: { host: 'evil.example' } });
        expect([method, path, answer.status]).toEqual([method, path, 403]);
        expect(answer.text).not.toContain('evil');
      }
    }
    expect(
      (await send(port, { method: 'GET', path: '/healthz', headers: { host: 'evil.example' } })).status,
    ).toBe(200);
  });

  it('refuses a second Host header, a missing one, and a target that names another host', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const raw = async (text: string): Promise<string> => {
      const { socket, text: answer } = await rawSocket(port);
      socket.end(text);
      return (await answer).split('\r\n')[0] ?? '';
    };
    expect(
      await raw('GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n'),
    ).toBe('HTTP/1.1 400 Bad Request');
    expect(await raw('GET /mcp HTTP/1.1\r\nConnection: close\r\n\r\n')).toBe('HTTP/1.1 400 Bad Request');
    expect(await raw('GET /mcp HTTP/1.0\r\n\r\n')).toBe('HTTP/1.1 403 Forbidden');
    expect(
      await raw('GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
    ).toBe('HTTP/1.1 404 Not Found');
  });

  it('reads no body of a request it refuses', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const { socket, text } = await rawSocket(port);
    socket.write(
      'POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json\r\nContent-Length: 100\r\nExpect: 100-continue\r\n\r\n',
    );
    const answer = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(data.toString())),
    );
    socket.destroy();
    await text;
    expect(answer.startsWith('HTTP/1.1 403')).toBe(true);
  });

  it('tells a client that waits for it to send its body', async () => {
    const { port } = await start({ provider: fakeProvider() });
    const { socket, text } = await rawSocket(port);
    const headers = Object.entries(HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}Content-Length: ${READ.length}\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n`,
    );
    const sign = await new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(data.toString())),
    );
    expect(sign).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(READ);
    expect(await text).toContain('HTTP/1.1 200 OK');
  });

  it('accepts allowed hosts in both headers, with any port or with theirs', async () => {
    const { port } = await start({
      provider: fakeProvider(),
      allowedHosts: ['Skills.example', 'b.example:8443', '::2'],
    });
    const table: [Record<string, string>, number][] = [
      [{ host: 'skills.example:1234' }, 200],
      [{ host: 'b.example:8443' }, 200],
      [{ host: 'b.example' }, 403],
      [{ host: 'b.example:1' }, 403],
      [{ host: '[::2]:9' }, 200],
      [{ host: 'x.skills.example' }, 403],
      [{ origin: 'https://skills.example' }, 200],
      [{ origin: 'https://b.example' }, 403],
    ];
    for (const [headers, expected] of table)
      expect([headers, await status(port, headers)]).toEqual([headers, expected]);
  });

  it.each(['https://a.example', '*.example', 'a.example/x', '', 'a b', '*'])(
    'refuses the allowed host %j',
    (name) => {
      expect(() => createHttpApp({ provider: fakeProvider(), allowedHosts: [name] })).toThrowError(
        expect.objectContaining({ code: 'USAGE' }),
      );
    },
  );
});

describe('Host, Origin and token on an address that is not loopback', () => {
  const token = 's3cret-token';
  const rows: [string, Partial<HttpAppOptions>, Record<string, string>, number][] = [
    ['token, any Host', { token }, { host: 'evil.example', authorization: `Bearer ${token}` }, 200],
    ['token missing', { token }, { host: 'localhost' }, 401],
    [
      'token, Origin elsewhere',
      { token },
      { host: 'x', origin: 'https://x', authorization: `Bearer ${token}` },
      403,
    ],
    [
      'token, allowed Origin',
      { token, allowedHosts: ['x'] },
      { host: 'y', origin: 'https://x', authorization: `Bearer ${token}` },
      200,
    ],
    ['anonymous, allowed Host', { allowAnonymous: true, allowedHosts: ['x'] }, { host: 'x:1' }, 200],
    ['anonymous, other Host', { allowAnonymous: true, allowedHosts: ['x'] }, { host: 'evil.example' }, 403],
    ['anonymous, wildcard Host', { allowAnonymous: true, allowedHosts: ['x'] }, { host: '0.0.0.0' }, 403],
  ];
  it.each(rows)('%s', async (_what, options, headers, expected) => {
    // The server below listens on loopback: a test must not open a port to the network.
    const mounted = createHttpApp({ provider: fakeProvider(), ...options, boundHost: '0.0.0.0' });
    const server = createServer((request, response) => mounted.handler(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    try {
      const address = server.address();
      expect(await status(typeof address === 'object' ? (address?.port ?? 0) : 0, headers)).toBe(expected);
    } finally {
      await mounted.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('does not lift the Host check on loopback because of a token', async () => {
    const { port } = await start({ provider: fakeProvider(), token });
    expect(await status(port, { host: 'evil.example', authorization: `Bearer ${token}` })).toBe(403);
  });

  it.each<[string, Partial<HttpAppOptions>]>([
    ['0.0.0.0', {}],
    ['::', {}],
    ['', {}],
    ['192.168.7.7', {}],
    ['skills.example', {}],
    ['0.0.0.0', { allowAnonymous: true }],
    ['0.0.0.0', { allowedHosts: ['x'] }],
  ])('refuses to bind to %j with %j', async (host, options) => {
    const app = createHttpApp({ provider: fakeProvider(), ...options });
    await expect(app.listen({ host, port: 0 })).rejects.toMatchObject({ code: 'BIND_REFUSED' });
    expect(() => createHttpApp({ provider: fakeProvider(), ...options, boundHost: host })).toThrowError(
      expect.objectContaining({ code: 'BIND_REFUSED' }),
    );
    await app.close();
  });
});

describe('parseAuthority', () => {
  it.each([
    ['localhost', { name: 'localhost' }],
    ['A.b:80', { name: 'a.b', port: 80 }],
    ['[2001:DB8::1]:1', { name: '[2001:db8::1]', port: 1 }],
    ['[::1', undefined],
    ['::1', undefined],
    ['a:b', undefined],
    ['a:1:2', undefined],
    ['ä.example', undefined],
    ['a%2e', undefined],
    ['[::1%25eth0]', undefined],
    [' a', undefined],
    ['', undefined],
  ])('%j', (text, expected) => {
    expect(parseAuthority(text)).toEqual(expected);
  });

  it('never takes for loopback what a URL parser does not', () => {
    const piece = fc.constantFrom(
      'localhost',
      '127.0.0.1',
      '[::1]',
      '127.',
      '0',
      '1',
      '.',
      ':',
      '@',
      '/',
      '%',
      '[',
      ']',
      'a',
      ' ',
    );
    const text = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: 'binary' })), (candidate) => {
        const found = parseAuthority(candidate);
        if (found === undefined || !isLoopbackName(found.name)) return;
        expect(new URL(`http://${candidate}`).hostname).toBe(found.name);
      }),
      { numRuns: 2_000 },
    );
  });

  it('names bound addresses as clients write them', () => {
    const names = ['::1', '[::1]', '127.0.0.1', 'fe80::1%eth0', '0.0.0.0', '::', '', 'Box.local'].map(
      hostName,
    );
    expect(names).toEqual([
      '[::1]',
      '[::1]',
      '127.0.0.1',
      '[fe80::1]',
      undefined,
      undefined,
      undefined,
      'box.local',
    ]);
  });
});
