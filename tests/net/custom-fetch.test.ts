import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type CustomFetch, type CustomFetchInit, safeFetch } from '../../src/net/index.ts';
import { closeRemotes, rejection, remote } from './support.ts';

afterEach(closeRemotes);

/** A fetch that answers from a table and keeps what it was asked. */
function stub(table: Readonly<Record<string, Response | (() => Response)>>) {
  const asked: { url: string; init: CustomFetchInit }[] = [];
  const fetch: CustomFetch = async (url, init) => {
    asked.push({ url, init });
    const found = table[url];
    if (found === undefined)
      throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ENOTFOUND' }) });
    return typeof found === 'function' ? found() : found;
  };
  return { fetch, asked };
}

describe('a fetch given by the caller', () => {
  it('makes the request, with the headers and without following redirects', async () => {
    const { fetch, asked } = stub({
      'https://skills.example/a': new Response('hello', { headers: { ETag: '"1"' } }),
    });
    const response = await safeFetch('https://skills.example/a', { fetch, headers: { 'X-Mine': 'y' } });
    expect(response.validators).toEqual({ etag: '"1"' });
    expect((await response.bytes()).toString()).toBe('hello');
    expect(asked[0]?.init).toMatchObject({ method: 'GET', redirect: 'manual', headers: { 'x-mine': 'y' } });
  });

  it('is that of the platform', async () => {
    const server = await remote((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('hello'));
    });
    const response = await safeFetch(server.origin, { allowPrivate: true, fetch: globalThis.fetch });
    expect((await response.bytes()).toString()).toBe('hello');
  });

  it('is held to the cap on what it expands', async () => {
    const server = await remote((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000)));
    });
    const response = await safeFetch(server.origin, {
      allowPrivate: true,
      fetch: globalThis.fetch,
      maxBytes: 1_000_000,
    });
    expect(await rejection(response.bytes())).toMatchObject({ code: 'NET_TOO_LARGE' });
  });

  it('is held to hosts and redirects', async () => {
    const to = (location: string) => new Response(null, { status: 302, headers: { location } });
    const { fetch, asked } = stub({
      'https://skills.example/': () => to('https://cdn.example/x'),
      'https://cdn.example/x': () => to('https://evil.example/'),
      'https://inner.example/': () => to('http://169.254.169.254/'),
    });
    const allowedHosts = ['skills.example', 'cdn.example'];
    expect(await rejection(safeFetch('https://skills.example/', { fetch, allowedHosts }))).toMatchObject({
      code: 'NET_HOST_REFUSED',
    });
    const downhill = safeFetch('https://inner.example/', { fetch, allowDowngrade: true });
    expect(await rejection(downhill)).toMatchObject({ code: 'NET_ADDRESS_REFUSED' });
    expect(asked.map(({ url }) => url)).toEqual([
      'https://skills.example/',
      'https://cdn.example/x',
      'https://inner.example/',
    ]);
  });

  it('is refused when it follows redirects on its own', async () => {
    const response = { status: 200, headers: [], body: null, redirected: true } as const;
    expect(
      await rejection(safeFetch('https://skills.example/', { fetch: async () => response })),
    ).toMatchObject({
      code: 'NET_FAILED',
      message: expect.stringContaining('redirect: "manual"'),
    });
  });

  it('fails by our codes, with what it met underneath', async () => {
    const { fetch } = stub({});
    expect(await rejection(safeFetch('https://skills.example/', { fetch }))).toMatchObject({
      code: 'NET_FAILED',
      details: { system: 'ENOTFOUND' },
    });
  });

  it('that heeds no signal is waited for no longer than allowed', async () => {
    const never: CustomFetch = () => new Promise(() => {});
    const stalls: CustomFetch = async () => ({
      status: 200,
      headers: [],
      body: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) },
    });
    const options = { totalTimeoutMs: 50 };
    expect(await rejection(safeFetch('https://skills.example/', { ...options, fetch: never }))).toMatchObject(
      {
        code: 'NET_TIMEOUT',
      },
    );
    const response = await safeFetch('https://skills.example/', { ...options, fetch: stalls });
    expect(await rejection(response.bytes())).toMatchObject({ code: 'NET_TIMEOUT' });
  });

  it('that answers too late has its answer let go', async () => {
    let cancelled: () => void = () => {};
    const done = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    const body = new ReadableStream({ cancel: () => cancelled() });
    const late: CustomFetch = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      return new Response(body);
    };
    const work = safeFetch('https://skills.example/', { fetch: late, signal: AbortSignal.timeout(10) });
    expect(await rejection(work)).toMatchObject({ name: 'TimeoutError' });
    await done;
  });

  it('that announces another length than it brings is found out', async () => {
    const { fetch } = stub({
      'https://skills.example/': new Response('hello', { headers: { 'content-length': '9' } }),
    });
    const response = await safeFetch('https://skills.example/', { fetch });
    expect(await rejection(response.bytes())).toMatchObject({
      code: 'NET_FAILED',
      details: { announced: 9, received: 5 },
    });
  });
});
