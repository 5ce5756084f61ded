import type { IncomingHttpHeaders } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { type CustomFetch, onlyHostOf, safeFetch } from '../../src/net/index.ts';
import { answers, closeRemotes, rejection, remote } from './support.ts';

afterEach(closeRemotes);

const local = { allowPrivate: true, proxy: false } as const;

/** A server that redirects every path to what `where` says and answers the others with the path. */
async function redirecting(where: (path: string) => string | string[] | undefined, status = 302) {
  const seen: { path: string; method: string; headers: IncomingHttpHeaders }[] = [];
  const server = await remote((request, response) => {
    const path = request.url ?? '';
    seen.push({ path, method: request.method ?? '', headers: request.headers });
    const location = where(path);
    if (location === undefined) response.end(path);
    else response.writeHead(status, { location: location as string }).end('the body of a redirect');
  });
  return { ...server, seen };
}

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('of status %i is followed, relative or not', async (status) => {
    const { origin, seen } = await redirecting(
      (path) =>
        ({ '/a/b?x=1': 'c', '/a/c': '../d?y=2#z', '/d?y=2': '//127.0.0.1:PORT/e' })[path]?.replace(
          'PORT',
          origin.slice(17),
        ),
      status,
    );
    const response = await safeFetch(`${origin}/a/b?x=1`, local);
    expect(response.url).toBe(`${origin}/e`);
    expect((await response.bytes()).toString()).toBe('/e');
    expect(seen.map(({ path }) => path)).toEqual(['/a/b?x=1', '/a/c', '/d?y=2', '/e']);
  });

  it.each([300, 304, 305, 306, 399])('of status %i is none', async (status) => {
    const { origin, seen } = await redirecting((path) => (path === '/' ? '/next' : undefined), status);
    expect(await rejection(safeFetch(origin, local))).toMatchObject({
      code: 'NET_STATUS',
      details: { status },
    });
    expect(seen).toHaveLength(1);
  });

  it('keeps HEAD', async () => {
    const { origin, seen } = await redirecting((path) => (path === '/' ? '/next' : undefined), 303);
    const response = await safeFetch(origin, { ...local, method: 'HEAD' });
    expect((await response.bytes()).byteLength).toBe(0);
    expect(seen.map(({ method }) => method)).toEqual(['HEAD', 'HEAD']);
  });

  it.each([
    [5, 0, '/5'],
    [5, undefined, '/5'],
    [1, 1, '/1'],
    [12, -1, '/12'],
  ])('number %i is followed with maxRedirects %s', async (count, maxRedirects, end) => {
    const { origin } = await redirecting((path) =>
      path === end ? undefined : `/${Number(path.slice(1)) + 1}`,
    );
    const options = maxRedirects === undefined ? local : { ...local, maxRedirects };
    const response = await safeFetch(`${origin}/0`, options);
    expect(response.url).toBe(`${origin}/${count}`);
    response.discard();
  });

  it('beyond the limit ends the fetch, loops included', async () => {
    const { origin, seen } = await redirecting((path) => path);
    const error = await rejection(safeFetch(`${origin}/loop?token=s3cret`, local));
    expect(error).toMatchObject({ code: 'NET_TOO_MANY_REDIRECTS', details: { limit: 5 } });
    expect(String(error)).not.toContain('s3cret');
    expect(seen).toHaveLength(6);
  });

  it.each([
    ['no Location', undefined, 'NET_FAILED'],
    ['two Locations', ['/a', '/b'], 'NET_FAILED'],
    ['an invalid URL', 'http://[', 'NET_URL_REFUSED'],
    ['a file', 'file:///etc/passwd', 'NET_URL_REFUSED'],
    ['data', 'data:text/plain,x', 'NET_URL_REFUSED'],
    ['credentials', 'http://me:s3cret@127.0.0.1:1/', 'NET_URL_REFUSED'],
  ])('to %s is refused', async (_, location, code) => {
    const server = await remote((_request, response) => {
      if (location !== undefined) response.setHeader('location', location);
      response.writeHead(302).end();
    });
    const error = await rejection(safeFetch(server.origin, local));
    expect(error).toMatchObject({ code });
    expect(JSON.stringify([String(error), error])).not.toContain('s3cret');
  });

  it.each([
    'http://127.0.0.1:PORT/',
    'http://2130706433:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://localhost:PORT/',
  ])(
    'from a host that may be private to %s, which may not, is refused without a connection',
    async (location) => {
      const inner = await remote((_request, response) => response.end('secret'));
      const outer = await remote((_request, response) => {
        response.writeHead(302, { location: location.replace('PORT', String(inner.port)) }).end();
      });
      const { lookup } = answers({ 'typed.example': [['127.0.0.1']] });
      const typed = `http://typed.example:${outer.port}/`;
      const error = await rejection(
        safeFetch(typed, { lookup, proxy: false, allowPrivate: onlyHostOf(typed) }),
      );
      expect(error).toMatchObject({ code: 'NET_ADDRESS_REFUSED' });
      expect(inner.connections()).toBe(0);
    },
  );

  it('to a name that turns out to be private is refused without a connection', async () => {
    const inner = await remote((_request, response) => response.end('secret'));
    const outer = await remote((_request, response) => {
      response.writeHead(302, { location: `http://rebound.example:${inner.port}/` }).end();
    });
    const { lookup, asked } = answers({
      'typed.example': [['127.0.0.1']],
      'rebound.example': [['127.0.0.1']],
    });
    const typed = `http://typed.example:${outer.port}/`;
    const error = await rejection(
      safeFetch(typed, { lookup, proxy: false, allowPrivate: onlyHostOf(typed) }),
    );
    expect(error).toMatchObject({ code: 'NET_ADDRESS_REFUSED', details: { host: 'rebound.example' } });
    expect(asked.get('rebound.example')).toBe(1);
    expect(inner.connections()).toBe(0);
  });

  it('to a host outside of the allowlist is refused without a connection', async () => {
    const inner = await remote((_request, response) => response.end());
    const outer = await remote((_request, response) => {
      response.writeHead(302, { location: `${inner.origin}/` }).end();
    });
    const options = { ...local, allowedHosts: [`127.0.0.1:${outer.port}`] };
    expect(await rejection(safeFetch(outer.origin, options))).toMatchObject({ code: 'NET_HOST_REFUSED' });
    expect(inner.connections()).toBe(0);
  });
});

describe('https that redirects to http', () => {
  const stub: CustomFetch = async (url) =>
    url.startsWith('https:')
      ? { status: 302, headers: [['Location', 'http://skills.example/a']], body: null }
      : { status: 200, headers: [], body: null };

  it('is not followed', async () => {
    expect(await rejection(safeFetch('https://skills.example/', { fetch: stub }))).toMatchObject({
      code: 'NET_URL_REFUSED',
      message: 'skills.example redirects from https to http (skills.example), which is not followed',
    });
  });

  it('is followed where that is allowed', async () => {
    const response = await safeFetch('https://skills.example/', { fetch: stub, allowDowngrade: true });
    expect(response.url).toBe('http://skills.example/a');
    response.discard();
  });
});

describe('headers on a redirect', () => {
  const headers = {
    authorization: 'Bearer s3cret',
    cookie: 'a=s3cret',
    'private-token': 's3cret',
    'x-anything': 's3cret',
    accept: 'application/gzip',
    'if-none-match': '"1"',
    'user-agent': 'mine',
  };

  it('all stay on the same origin', async () => {
    const { origin, seen } = await redirecting((path) => (path === '/' ? '/next' : undefined));
    (await safeFetch(origin, { ...local, headers })).discard();
    expect(seen[1]?.headers).toMatchObject(headers);
  });

  it.each([
    ['another port', (port: number) => `http://127.0.0.1:${port}/`],
    ['another name of the same host', (port: number) => `http://localhost:${port}/`],
  ])('that say who asks do not go to %s, nor back', async (_, to) => {
    const first = await redirecting((path) => (path === '/' ? to(second.port) : undefined));
    const second = await redirecting(() => `${first.origin}/back`);
    const response = await safeFetch(first.origin, {
      ...local,
      request: (request) => {
        for (const [name, value] of Object.entries(headers)) request.headers.set(name, value);
      },
    });
    response.discard();
    expect(first.seen[0]?.headers).toMatchObject(headers);
    for (const { headers: sent } of [...second.seen, ...first.seen.slice(1)]) {
      expect(JSON.stringify(sent)).not.toContain('s3cret');
      expect(sent).toMatchObject({
        accept: 'application/gzip',
        'if-none-match': '"1"',
        'user-agent': 'mine',
      });
    }
    expect(first.seen).toHaveLength(2);
  });
});
