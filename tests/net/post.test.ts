import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openConnections } from '../../src/net/connect.ts';
import { type Post, postOver } from '../../src/net/post.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

interface Served {
  readonly url: URL;
  readonly sockets: () => number;
}

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Served> {
  let sockets = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => answer(request, response));
  });
  server.on('connection', () => {
    sockets += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/mcp?a=b`), sockets: () => sockets };
}

function agent(): Agent {
  const made = new Agent();
  onTestFinished(() => made.destroy());
  return made;
}

const post = (changes: Partial<Post> = {}): Post => ({
  headers: new Headers({ 'content-type': 'application/json', 'x-a': 'b' }),
  body: '{"ä":1}',
  timeoutMs: Number.POSITIVE_INFINITY,
  whole: () => true,
  maxBytes: 1_000,
  tooLarge: () => new RangeError('too large'),
  ...changes,
});

async function textOf(body: Awaited<ReturnType<typeof postOver>>['body']): Promise<string> {
  return body instanceof Buffer ? body.toString() : new Response(body).text();
}

describe('postOver', () => {
  it('sends what it is given, and the length of it in bytes', async () => {
    let got: IncomingMessage | undefined;
    const { url } = await serve((request, response) => {
      got = request;
      response.writeHead(200, JSON_TYPE).end('{}');
    });
    await postOver(agent(), url, post());
    expect([got?.method, got?.url]).toEqual(['POST', '/mcp?a=b']);
    expect(got?.headers).toMatchObject({
      host: url.host,
      'content-type': 'application/json',
      'content-length': '8',
      'accept-encoding': 'br, gzip, deflate',
      'x-a': 'b',
    });
    expect(got?.headers).not.toHaveProperty('transfer-encoding');
  });

  it('sets what belongs to the connection, whatever the headers say', async () => {
    let got: IncomingMessage | undefined;
    const { url } = await serve((request, response) => {
      got = request;
      response.end('{}');
    });
    const headers = new Headers({ host: 'evil.example', 'content-length': '3', 'user-agent': 'mine' });
    await postOver(agent(), url, post({ headers }));
    expect(got?.headers).toMatchObject({ host: url.host, 'content-length': '8', 'user-agent': 'mine' });
  });

  it('keeps connections for the next, also after errors of the server', async () => {
    let turn = 0;
    const { url, sockets } = await serve((_, response) => {
      turn += 1;
      response.writeHead(turn % 2 === 0 ? 500 : 200, JSON_TYPE).end('{}');
    });
    const connections = agent();
    for (let each = 0; each < 20; each++) {
      const { body } = await postOver(connections, url, post({ whole: (status) => status === 200 }));
      expect(await textOf(body)).toBe('{}');
    }
    // One is still being put back while the next is wanted.
    expect(sockets()).toBeLessThanOrEqual(2);
  });

  it('goes on with another connection after one that was cut for its size', async () => {
    let turn = 0;
    const { url, sockets } = await serve((_, response) => {
      turn += 1;
      response.writeHead(200, JSON_TYPE);
      if (turn > 1) response.end('{}');
      else while (response.write('x'.repeat(1_000)));
    });
    const connections = agent();
    await expect(postOver(connections, url, post())).rejects.toThrow('too large');
    expect(await textOf((await postOver(connections, url, post())).body)).toBe('{}');
    expect(sockets()).toBeGreaterThanOrEqual(2);
  });

  it('streams what is not wanted whole, as it comes', async () => {
    let next: () => void = () => {};
    const { url } = await serve((_, response) => {
      response.write('one');
      next = () => response.end('two');
    });
    const { body } = await postOver(agent(), url, post({ whole: () => false }));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('one');
    next();
    expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('two');
    expect((await reader.read()).done).toBe(true);
  });

  it('asks a server for no more than is read', async () => {
    let sent = 0;
    const { url } = await serve((_, response) => {
      const more = (): void => {
        do sent += 10_000;
        while (!response.destroyed && sent < 200_000_000 && response.write('x'.repeat(10_000)));
        if (!response.destroyed && sent < 200_000_000) response.once('drain', more);
      };
      more();
    });
    const { body } = await postOver(agent(), url, post({ whole: () => false }));
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(sent).toBeLessThan(100_000_000);
    await reader.cancel();
  });

  it('takes an answer compressed five times over, and cuts the connection of one that is so more often', async () => {
    const gzips = (count: number): Buffer => {
      let bytes = Buffer.from('{"a":1}');
      for (let at = 0; at < count; at++) bytes = gzipSync(bytes);
      return bytes;
    };
    let count = 5;
    let cut = 0;
    const { url } = await serve((_, response) => {
      response.on('close', () => {
        if (!response.writableEnded) cut += 1;
      });
      const coding = Array(count).fill('gzip').join(', ');
      response.writeHead(200, { 'content-encoding': coding });
      if (count === 5) response.end(gzips(5));
      else response.write(gzips(count));
    });
    const dispatcher = agent();
    for (const whole of [true, false]) {
      count = 5;
      const { body } = await postOver(dispatcher, url, post({ whole: () => whole }));
      expect(await textOf(body)).toBe('{"a":1}');
      count = 6;
      const failed = postOver(dispatcher, url, post({ whole: () => whole }));
      await expect(failed).rejects.toThrow(new TypeError('fetch failed'));
    }
    await vi.waitFor(() => expect(cut).toBe(2));
  });

  it.each<[string, boolean, (response: ServerResponse) => void]>([
    ['before an answer', true, () => {}],
    ['within a body that is taken whole', true, (response) => response.writeHead(200).write('x')],
    ['within a stream', false, (response) => response.writeHead(200).write('x')],
  ])('ends with the reason of the signal %s, and lets go of the connection', async (_, whole, answer) => {
    let closed: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const stop = new AbortController();
    const { url } = await serve((_request, response) => {
      response.on('close', () => closed());
      answer(response);
      setTimeout(() => stop.abort(new Error('enough')), 20);
    });
    const asked = postOver(agent(), url, post({ whole: () => whole, signal: stop.signal })).then(({ body }) =>
      textOf(body),
    );
    await expect(asked).rejects.toThrow('enough');
    await gone;
  });

  it('asks nothing once the signal is aborted', async () => {
    const { url, sockets } = await serve((_, response) => response.end());
    const signal = AbortSignal.abort(new Error('before'));
    await expect(postOver(agent(), url, post({ signal }))).rejects.toThrow('before');
    expect(sockets()).toBe(0);
  });

  it('ends while it waits for a connection', async () => {
    const { url } = await serve((_, response) => response.end());
    const stop = new AbortController();
    const asked = postOver(agent(), url, post({ signal: stop.signal }));
    stop.abort(new Error('at once'));
    await expect(asked).rejects.toThrow('at once');
  });

  it('connects to no address that the policy refuses, and says so in the cause', async () => {
    const { url, sockets } = await serve((_, response) => response.end());
    const connections = openConnections({ proxy: false });
    onTestFinished(() => connections.destroy());
    await expect(postOver(connections, url, post())).rejects.toMatchObject({
      name: 'TypeError',
      message: 'fetch failed',
      cause: { code: 'NET_ADDRESS_REFUSED' },
    });
    expect(sockets()).toBe(0);
  });

  it('tells a server that is not there, and connections that were closed', async () => {
    const { url } = await serve((_, response) => response.end());
    const closed = new Agent();
    await closed.destroy();
    await expect(postOver(closed, url, post())).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { code: 'UND_ERR_DESTROYED' },
    });
    await expect(postOver(agent(), new URL('http://127.0.0.1:1/'), post())).rejects.toMatchObject({
      message: 'fetch failed',
      cause: { code: 'ECONNREFUSED' },
    });
  });
});
