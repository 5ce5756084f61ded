import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import { openNet, safeFetch } from '../../src/net/index.ts';
import { answers, closeRemotes, endless, proxy, rawRemote, rejection, remote } from './support.ts';

afterEach(closeRemotes);

const local = { allowPrivate: true, proxy: false } as const;

describe('a response', () => {
  it('has its status, headers, validators, length and bytes', async () => {
    const server = await remote((request, response) => {
      expect(request.headers).toMatchObject({ accept: '*/*', 'accept-encoding': 'identity' });
      expect(request.headers['user-agent']).toMatch(/^skillwire\/\d/);
      response.writeHead(200, {
        etag: 'W/"v1"',
        'last-modified': 'Tue, 06 Oct 2026 10:00:00 GMT',
        'content-length': '5',
        'X-Twice': ['a', 'b'],
      });
      response.end('hello');
    });
    const response = await safeFetch(`${server.origin}/a?b=c#d`, local);
    expect(response).toMatchObject({
      url: `${server.origin}/a?b=c`,
      status: 200,
      length: 5,
      notModified: false,
      validators: { etag: 'W/"v1"', lastModified: 'Tue, 06 Oct 2026 10:00:00 GMT' },
    });
    expect(response.headers['x-twice']).toBe('a, b');
    expect(await response.bytes()).toEqual(Buffer.from('hello'));
  });

  it('of no bytes is one', async () => {
    const server = await remote((_request, response) => response.writeHead(204).end());
    const response = await safeFetch(server.origin, local);
    expect(response.status).toBe(204);
    expect((await response.bytes()).byteLength).toBe(0);
  });

  it('to HEAD has the length of the body that GET would bring, and no cap on it', async () => {
    const server = await remote((_request, response) =>
      response.writeHead(200, { 'content-length': '99' }).end(),
    );
    const response = await safeFetch(server.origin, { ...local, method: 'HEAD', maxBytes: 10 });
    expect(response.length).toBe(99);
    expect((await response.bytes()).byteLength).toBe(0);
  });

  it('is read once', async () => {
    const server = await remote((_request, response) => response.end('x'));
    const response = await safeFetch(server.origin, local);
    await response.bytes();
    expect(await rejection(response.bytes())).toMatchObject({ code: 'NET_FAILED' });
    response.discard();
    response.discard();
  });

  it('frees its connection when the loop over its body is left', async () => {
    const server = await remote((_request, response) => endless(response, Buffer.alloc(65_536)));
    const response = await safeFetch(server.origin, { ...local, maxBytes: -1 });
    let chunks = 0;
    for await (const chunk of response.body) if (chunk.byteLength > 0 && ++chunks === 3) break;
    expect(await rejection(response.bytes())).toMatchObject({ code: 'NET_FAILED' });
  });

  it('frees its connection when it is discarded unread', async () => {
    let closed: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await remote((_request, response) => {
      response.on('close', closed);
      endless(response, Buffer.alloc(65_536));
    });
    const response = await safeFetch(server.origin, { ...local, maxBytes: -1 });
    response.discard();
    await gone;
    expect(await rejection(response.bytes())).toMatchObject({ code: 'NET_FAILED' });
  });
});

describe('a status', () => {
  it.each([
    [206, /answers 206 \(Partial Content\)$/],
    [304, /answers 304/],
    [400, /answers 400/],
    [401, /answers 401 \(Unauthorized\)$/],
    [404, /answers 404 \(Not Found\)$/],
    [500, /answers 500/],
    [599, /answers 599$/],
  ])('%i is an error that says so', async (status, message) => {
    const server = await remote((_request, response) =>
      response.writeHead(status).end('words of the server'),
    );
    const error = await rejection(safeFetch(`${server.origin}/a?token=s3cret`, local));
    expect(error).toMatchObject({
      code: 'NET_STATUS',
      exitCode: 3,
      details: { status, url: `${server.origin}/a?…` },
    });
    expect(String(error)).toMatch(message);
    expect(JSON.stringify([String(error), error])).not.toMatch(/s3cret|words of the server/);
  });

  it('that asks to wait says how long', async () => {
    const server = await remote((_request, response) =>
      response.writeHead(429, { 'retry-after': '17' }).end(),
    );
    expect(await rejection(safeFetch(server.origin, local))).toMatchObject({
      details: { status: 429, retryAfter: '17' },
    });
  });
});

describe('asking again', () => {
  it('gets nothing when nothing changed', async () => {
    const server = await remote((request, response) => {
      const same = request.headers['if-none-match'] === '"v1"';
      response.writeHead(same ? 304 : 200, { etag: '"v1"', 'content-length': '7' });
      response.end(same ? undefined : 'content');
    });
    const first = await safeFetch(server.origin, local);
    expect((await first.bytes()).toString()).toBe('content');
    const second = await safeFetch(server.origin, { ...local, validators: first.validators, maxBytes: 1 });
    expect(second).toMatchObject({ status: 304, notModified: true, validators: { etag: '"v1"' } });
    expect((await second.bytes()).byteLength).toBe(0);
    const third = await safeFetch(server.origin, { ...local, validators: { etag: '"v0"' } });
    expect(third.notModified).toBe(false);
    expect((await third.bytes()).toString()).toBe('content');
  });

  it('by time sends the time', async () => {
    const server = await remote((request, response) => response.end(request.headers['if-modified-since']));
    const lastModified = 'Tue, 06 Oct 2026 10:00:00 GMT';
    const response = await safeFetch(server.origin, { ...local, validators: { lastModified } });
    expect((await response.bytes()).toString()).toBe(lastModified);
  });

  it('is not misled by a 304 that was not asked for', async () => {
    const server = await remote((_request, response) => response.writeHead(304).end());
    const options = { ...local, validators: { etag: 'no quotes', lastModified: 'yesterday\r\nx: y' } };
    expect(await rejection(safeFetch(server.origin, options))).toMatchObject({ code: 'NET_STATUS' });
  });
});

describe('maxBytes', () => {
  const sized = (bytes: number) =>
    remote((_request, response) =>
      response.writeHead(200, { 'content-length': bytes }).end(Buffer.alloc(bytes)),
    );

  it('lets a body of exactly that size through', async () => {
    const server = await sized(1_000);
    const response = await safeFetch(server.origin, { ...local, maxBytes: 1_000 });
    expect((await response.bytes()).byteLength).toBe(1_000);
  });

  it('refuses at once a body that is announced larger', async () => {
    const server = await sized(1_001);
    expect(await rejection(safeFetch(server.origin, { ...local, maxBytes: 1_000 }))).toMatchObject({
      code: 'NET_TOO_LARGE',
      details: { limit: 1_000, actual: 1_001 },
    });
  });

  it('is 100 MiB by default, and -1 lifts it', async () => {
    const server = await remote((_request, response) => {
      response.writeHead(200, { 'content-length': '104857601' });
      response.flushHeaders();
    });
    expect(await rejection(safeFetch(server.origin, local))).toMatchObject({
      details: { limit: 104_857_600 },
    });
    expect(await rejection(safeFetch(server.origin, { ...local, maxBytes: 0 }))).toMatchObject({
      code: 'NET_TOO_LARGE',
    });
    const response = await safeFetch(server.origin, { ...local, maxBytes: -1 });
    expect(response.length).toBe(104_857_601);
    response.discard();
  });

  it('cuts an endless body', async () => {
    const server = await remote((_request, response) => endless(response, Buffer.alloc(65_536)));
    const response = await safeFetch(server.origin, { ...local, maxBytes: 1_000_000 });
    let received = 0;
    const reading = (async () => {
      for await (const chunk of response.body) received += chunk.byteLength;
    })();
    expect(await rejection(reading)).toMatchObject({ code: 'NET_TOO_LARGE', details: { limit: 1_000_000 } });
    expect(received).toBeLessThanOrEqual(1_000_000);
  });

  it('counts a compressed body as it was sent and never expands it', async () => {
    const bomb = gzipSync(Buffer.alloc(20_000_000));
    const server = await remote((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
    });
    const response = await safeFetch(server.origin, { ...local, maxBytes: bomb.byteLength });
    expect(response.headers['content-encoding']).toBe('gzip');
    expect(await response.bytes()).toEqual(bomb);
  });
});

describe('a server that breaks HTTP', () => {
  const head = 'HTTP/1.1 200 OK\r\n';

  it.each([
    ['a body shorter than announced', `${head}content-length: 10\r\n\r\nhello`],
    ['a body cut in the middle of a chunk', `${head}transfer-encoding: chunked\r\n\r\na\r\nhello`],
    ['a body cut between chunks', `${head}transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n`],
    ['a chunk of no size', `${head}transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n`],
    ['two lengths', `${head}content-length: 5\r\ncontent-length: 6\r\n\r\nhello`],
    [
      'a length and chunks',
      `${head}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    ],
    ['a length that is no number', `${head}content-length: 5x\r\n\r\nhello`],
    ['a negative length', `${head}content-length: -5\r\n\r\nhello`],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.0\r\n'],
    ['nothing', ''],
    ['a head that is cut', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['endless headers', `${head}${'x: y\r\n'.repeat(20_000)}\r\n`],
    ['a header with a NUL', `${head}x: a\0b\r\ncontent-length: 0\r\n\r\n`],
  ])('by %s is NET_FAILED', async (_, answer) => {
    const server = await rawRemote((socket) => socket.end(answer, 'latin1'));
    const work = safeFetch(`${server.origin}/?token=s3cret`, local).then((response) => response.bytes());
    const error = await rejection(work);
    expect(error).toMatchObject({ code: 'NET_FAILED', details: { url: `${server.origin}/?…` } });
    expect(String(error)).not.toMatch(/s3cret|UNKNOWN/);
  });

  it('by a body longer than announced gives what was announced', async () => {
    const server = await rawRemote((socket) =>
      socket.end(`${head}content-length: 5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n`),
    );
    const response = await safeFetch(server.origin, local);
    expect((await response.bytes()).toString()).toBe('hello');
  });

  it('by a reset in the middle of a body is NET_FAILED', async () => {
    const server = await rawRemote((socket) => {
      socket.write(`${head}content-length: 10\r\n\r\nhello`, () => socket.resetAndDestroy());
    });
    const work = safeFetch(server.origin, local).then((response) => response.bytes());
    expect(await rejection(work)).toMatchObject({ code: 'NET_FAILED' });
  });

  it('by interim answers first is understood', async () => {
    const server = await rawRemote((socket) => {
      socket.end(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${head}content-length: 2\r\n\r\nok`);
    });
    expect((await (await safeFetch(server.origin, local)).bytes()).toString()).toBe('ok');
  });

  it('by no length and no chunks ends the body with the connection', async () => {
    const server = await rawRemote((socket) => socket.end(`${head}\r\nuntil the end`));
    const response = await safeFetch(server.origin, local);
    expect(response.length).toBeUndefined();
    expect((await response.bytes()).toString()).toBe('until the end');
  });

  it('by not listening is NET_FAILED', async () => {
    const server = await remote(() => {});
    await server.close();
    expect(await rejection(safeFetch(server.origin, local))).toMatchObject({
      code: 'NET_FAILED',
      message: `cannot fetch ${server.origin}/: nothing listens there`,
      details: { system: 'ECONNREFUSED' },
    });
  });

  it('by having no name is NET_FAILED', async () => {
    const { lookup } = answers({});
    expect(await rejection(safeFetch('http://a.example/', { lookup, proxy: false }))).toMatchObject({
      code: 'NET_FAILED',
      details: { system: 'ENOTFOUND' },
    });
  });
});

describe('whatever a server sends', () => {
  const line = fc.oneof(
    fc.constantFrom(
      'content-length: 3',
      'content-length: 3, 3',
      'transfer-encoding: chunked',
      'connection: close',
    ),
    fc.constantFrom(
      'location: //[',
      'content-encoding: gzip',
      ' folded',
      'etag: "',
      ': no name',
      'transfer-encoding: x',
    ),
    fc.string({ maxLength: 20 }),
  );
  const answer = fc.tuple(
    fc.constantFrom(
      'HTTP/1.1 200 OK',
      'HTTP/1.0 200',
      'HTTP/1.1 302 x',
      'HTTP/1.1 101 x',
      'HTTP/1.1 999 x',
      'HTTP/3 200',
      '',
    ),
    fc.array(line, { maxLength: 4 }),
    fc.constantFrom('\r\n', '\n'),
    fc.oneof(
      fc.constantFrom('abc', '3\r\nabc\r\n0\r\n\r\n', '3\r\nab', 'ffffffffffffffffff\r\n'),
      fc.string(),
    ),
  );

  it('is a response or an error of ours', async () => {
    let next = '';
    const server = await rawRemote((socket) => socket.end(next, 'latin1'));
    await fc.assert(
      fc.asyncProperty(answer, async ([status, lines, end, body]) => {
        next = [status, ...lines, '', body].join(end);
        const outcome = await safeFetch(server.origin, { ...local, totalTimeoutMs: 2_000 })
          .then((response) => response.bytes())
          .catch((error: unknown) => error);
        expect(Buffer.isBuffer(outcome) || isSkillError(outcome)).toBe(true);
        if (isSkillError(outcome)) expect(outcome.code).toMatch(/^NET_(FAILED|STATUS|URL_REFUSED|TIMEOUT)$/);
      }),
      { numRuns: 300 },
    );
  });
});

describe('time', () => {
  it('to connect is limited', async () => {
    const silent = { lookup: () => {}, proxy: false, connectTimeoutMs: 50 } as const;
    expect(await rejection(safeFetch('http://a.example/', silent))).toMatchObject({
      code: 'NET_TIMEOUT',
      details: { system: 'UND_ERR_CONNECT_TIMEOUT' },
    });
  });

  it.each([
    ['a name that is never answered', async () => ({ url: 'http://a.example/', lookup: () => {} })],
    ['no answer', async () => ({ url: (await rawRemote(() => {})).origin })],
    [
      'half a head',
      async () => ({ url: (await rawRemote((socket) => socket.write('HTTP/1.1 200'))).origin }),
    ],
    [
      'redirects that drip',
      async () => {
        const server = await remote((_request, response) => {
          setTimeout(() => response.writeHead(302, { location: '/' }).end(), 20);
        });
        return { url: server.origin, maxRedirects: -1 };
      },
    ],
  ])('of all is limited: %s', async (_, make) => {
    const { url, ...rest } = await make();
    const error = await rejection(safeFetch(url, { ...local, ...rest, totalTimeoutMs: 150 }));
    expect(error).toMatchObject({ code: 'NET_TIMEOUT', details: { limit: 150 } });
  });

  it.each([
    [
      'stalls',
      (write: (text: string) => void) => {
        write('x');
        return () => {};
      },
    ],
    [
      'drips',
      (write: (text: string) => void) => {
        const timer = setInterval(() => write('x'), 10);
        timer.unref();
        return () => clearInterval(timer);
      },
    ],
  ])('of all is limited: a body that %s', async (_, send) => {
    const server = await rawRemote((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
      const stop = send((text) => socket.write(text));
      socket.on('close', () => stop());
    });
    const response = await safeFetch(server.origin, { ...local, totalTimeoutMs: 150 });
    expect(await rejection(response.bytes())).toMatchObject({ code: 'NET_TIMEOUT' });
  });

  it('runs while the body is not read', async () => {
    const server = await remote((_request, response) => endless(response, Buffer.alloc(65_536)));
    const response = await safeFetch(server.origin, { ...local, maxBytes: -1, totalTimeoutMs: 50 });
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(await rejection(response.bytes())).toMatchObject({ code: 'NET_TIMEOUT' });
  });
});

describe('the signal', () => {
  it('that is aborted already ends the fetch before a connection', async () => {
    const server = await remote((_request, response) => response.end());
    const reason = new Error('mine');
    expect(await rejection(safeFetch(server.origin, { ...local, signal: AbortSignal.abort(reason) }))).toBe(
      reason,
    );
    expect(server.connections()).toBe(0);
  });

  it.each(['the name', 'the answer', 'the body'])('ends the wait for %s with its reason', async (stage) => {
    const controller = new AbortController();
    const reason = { any: 'value' };
    const abort = (): void => controller.abort(reason);
    const server = await rawRemote((socket) => {
      if (stage === 'the answer') abort();
      else socket.write('HTTP/1.1 200 OK\r\n\r\nx');
    });
    const waiting = {
      ...local,
      signal: controller.signal,
      ...(stage === 'the name' && { lookup: () => queueMicrotask(abort) }),
    };
    const work = safeFetch(stage === 'the name' ? 'http://a.example/' : server.origin, waiting).then(
      async (response) => {
        for await (const chunk of response.body) if (chunk.byteLength > 0) abort();
      },
    );
    expect(await rejection(work)).toBe(reason);
  });

  it('is let go of when the fetch is over', async () => {
    const server = await remote((_request, response) => response.end('x'));
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--;
      remove(...args);
    };
    await (await safeFetch(server.origin, { ...local, signal })).bytes();
    await rejection(safeFetch('ftp://a.example', { signal }));
    expect(listeners).toBe(0);
  });
});

describe('a request', () => {
  it('is changed by its modifier, which may take its time', async () => {
    const server = await remote((request, response) => response.end(request.headers.authorization));
    const response = await safeFetch(server.origin, {
      ...local,
      request: async ({ headers, method, url }) => {
        await Promise.resolve();
        headers.set('authorization', `${method} ${url.pathname}`);
      },
    });
    expect((await response.bytes()).toString()).toBe('GET /');
  });

  it('passes on what its modifier throws', async () => {
    const reason = new Error('no token');
    const request = (): void => {
      throw reason;
    };
    expect(await rejection(safeFetch('https://skills.example/', { request }))).toBe(reason);
  });

  it('goes where its URL says, whatever the modifier does to it or to the headers of the connection', async () => {
    const server = await remote((request, response) =>
      response.end(`${request.url} ${request.headers.host}`),
    );
    const response = await safeFetch(`${server.origin}/a`, {
      ...local,
      headers: { host: 'other.example', 'transfer-encoding': 'chunked' },
      request: ({ headers, url }) => {
        url.pathname = '/b';
        headers.set('host', 'other.example');
        headers.set('content-length', '5');
        headers.set('proxy-authorization', 's3cret');
      },
    });
    expect((await response.bytes()).toString()).toBe(`/a 127.0.0.1:${server.port}`);
  });

  it.each([{ authorization: 'a\r\nx: s3cret' }, { 'a b': 's3cret' }, { x: 'ünï\u{1F600}s3cret' }])(
    'with a header that cannot be sent is refused without its value: %j',
    async (headers) => {
      const error = await rejection(safeFetch('https://skills.example/', { headers }));
      expect(error).toMatchObject({ code: 'NET_FAILED' });
      expect(JSON.stringify([String(error), error, (error as Error).cause ?? null])).not.toContain('s3cret');
    },
  );
});

describe('a Net', () => {
  it('keeps its connection between fetches', async () => {
    const server = await remote((request, response) => response.end(request.url));
    const net = openNet(local);
    for (const path of ['/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h']) {
      expect((await (await net.fetch(`${server.origin}${path}`)).bytes()).toString()).toBe(path);
    }
    // Not always one: the next fetch may begin before the last one's connection counts as free.
    expect(server.connections()).toBeLessThan(8);
    await net.close();
  });

  it('ends its fetches when it is closed, and begins none after', async () => {
    const server = await rawRemote((socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nx'));
    const net = openNet(local);
    const response = await net.fetch(server.origin);
    const reading = rejection(response.bytes());
    await net.close();
    await net.close();
    expect(await reading).toMatchObject({ code: 'NET_FAILED' });
    expect(await rejection(net.fetch(server.origin))).toMatchObject({ code: 'NET_FAILED' });
  });
});

describe('a proxy', () => {
  it('is asked by name, with its own credentials, and the address is its business', async () => {
    const server = await remote((request, response) =>
      response.end(`${request.url} ${request.headers.host}`),
    );
    const seen: { target: string; authorization: string | undefined }[] = [];
    const forward = await proxy(() => server.port, seen);
    const response = await safeFetch('http://skills.example/a', {
      proxy: { httpProxy: `http://me:pw@127.0.0.1:${forward.port}` },
      lookup: () => {
        throw new Error('nobody looks a name up behind a proxy');
      },
    });
    expect((await response.bytes()).toString()).toBe('/a skills.example');
    expect(seen).toEqual([
      { target: 'skills.example:80', authorization: `Basic ${Buffer.from('me:pw').toString('base64')}` },
    ]);
  });

  it('is not asked for what is refused by its name', async () => {
    const seen: { target: string; authorization: string | undefined }[] = [];
    const forward = await proxy(() => undefined, seen);
    const settings = { httpProxy: forward.origin };
    const options = { proxy: settings, allowedHosts: ['skills.example', '169.254.169.254', 'db.internal'] };
    for (const [url, code] of [
      ['http://other.example/', 'NET_HOST_REFUSED'],
      ['http://169.254.169.254/', 'NET_ADDRESS_REFUSED'],
      ['http://0xa9fea9fe/', 'NET_ADDRESS_REFUSED'],
      ['http://db.internal/', 'NET_ADDRESS_REFUSED'],
    ]) {
      expect(await rejection(safeFetch(url as string, options))).toMatchObject({ code });
    }
    expect(seen).toEqual([]);
  });

  it('that refuses is NET_FAILED', async () => {
    const forward = await proxy(() => undefined, []);
    const error = await rejection(
      safeFetch('http://skills.example/', {
        proxy: { httpProxy: `http://me:s3cret@127.0.0.1:${forward.port}` },
      }),
    );
    expect(error).toMatchObject({ code: 'NET_FAILED' });
    expect(JSON.stringify([String(error), error, String((error as Error).cause)])).not.toContain('s3cret');
  });

  it('is passed by for hosts of NO_PROXY, whose addresses are judged', async () => {
    const seen: { target: string; authorization: string | undefined }[] = [];
    const forward = await proxy(() => undefined, seen);
    const { lookup } = answers({ 'direct.example': [['127.0.0.1']] });
    const settings = { httpProxy: forward.origin, noProxy: '.example' };
    const error = await rejection(safeFetch('http://direct.example/', { lookup, proxy: settings }));
    expect(error).toMatchObject({ code: 'NET_ADDRESS_REFUSED' });
    expect(seen).toEqual([]);
  });

  it('comes from the environment unless it is switched off', async () => {
    const seen: { target: string; authorization: string | undefined }[] = [];
    const server = await remote((_request, response) => response.end('ok'));
    const forward = await proxy(() => server.port, seen);
    const kept = { ...process.env };
    for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'NO_PROXY', 'HTTPS_PROXY'])
      delete process.env[name];
    process.env.HTTP_PROXY = forward.origin;
    try {
      const response = await safeFetch('http://skills.example/');
      expect((await response.bytes()).toString()).toBe('ok');
      const { lookup } = answers({});
      expect(await rejection(safeFetch('http://skills.example/', { lookup, proxy: false }))).toMatchObject({
        details: { system: 'ENOTFOUND' },
      });
      expect(seen).toHaveLength(1);
    } finally {
      process.env = kept;
    }
  });
});
