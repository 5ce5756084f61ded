import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type ConnectionOptions, judgedLookup, openConnections } from '../../src/net/connect.ts';
import { safeFetch } from '../../src/net/index.ts';
import { answers, closeRemotes, rejection, remote } from './support.ts';

afterEach(closeRemotes);

/** Asks a lookup as the platform does. */
function ask(lookup: LookupFunction, name: string, all = true): Promise<unknown> {
  return new Promise((resolve, reject) => {
    lookup(name, { all }, (error, found, family) => {
      if (error !== null) reject(error);
      else
        resolve(
          typeof found === 'string' ? [found, family] : found.map((each: LookupAddress) => each.address),
        );
    });
  });
}

function judged(
  table: Readonly<Record<string, readonly (readonly string[])[]>>,
  options: ConnectionOptions = {},
) {
  return judgedLookup({ ...options, lookup: answers(table).lookup });
}

describe('the lookup', () => {
  it('gives public addresses, all or one', async () => {
    const lookup = judged({ 'a.example': [['8.8.8.8', '2606:4700::1']] });
    expect(await ask(lookup, 'a.example')).toEqual(['8.8.8.8', '2606:4700::1']);
    expect(await ask(lookup, 'a.example', false)).toEqual(['8.8.8.8', 4]);
  });

  it('leaves the private ones of a mixed answer out', async () => {
    const lookup = judged({ 'a.example': [['10.0.0.1', '8.8.8.8', '::1', '::ffff:127.0.0.1']] });
    expect(await ask(lookup, 'a.example')).toEqual(['8.8.8.8']);
    expect(await ask(lookup, 'a.example', false)).toEqual(['8.8.8.8', 4]);
  });

  it.each(['127.0.0.1', '10.1.2.3', '169.254.169.254', '100.64.0.1', '0.0.0.0', '::1', 'fe80::1', 'fd00::1'])(
    'refuses a name whose address is %s',
    async (address) => {
      const error = await rejection(ask(judged({ 'a.example': [[address]] }), 'a.example'));
      expect(error).toMatchObject({ code: 'NET_ADDRESS_REFUSED', details: { host: 'a.example', address } });
    },
  );

  it('refuses a name that is public when first asked and private when asked again', async () => {
    const lookup = judged({ 'a.example': [['8.8.8.8'], ['127.0.0.1'], ['8.8.4.4']] });
    expect(await ask(lookup, 'a.example')).toEqual(['8.8.8.8']);
    expect(await rejection(ask(lookup, 'a.example'))).toMatchObject({ code: 'NET_ADDRESS_REFUSED' });
    expect(await ask(lookup, 'a.example')).toEqual(['8.8.4.4']);
  });

  it('refuses that change even for a host that may be private', async () => {
    const table = { 'a.example': [['8.8.8.8'], ['127.0.0.1']], 'b.example': [['127.0.0.1'], ['127.0.0.1']] };
    const lookup = judged(table, { allowPrivate: true });
    expect(await ask(lookup, 'b.example')).toEqual(['127.0.0.1']);
    expect(await ask(lookup, 'b.example')).toEqual(['127.0.0.1']);
    expect(await ask(lookup, 'a.example')).toEqual(['8.8.8.8']);
    expect(await rejection(ask(lookup, 'a.example'))).toMatchObject({
      code: 'NET_ADDRESS_REFUSED',
      message: expect.stringContaining('although it had a public one before'),
    });
  });

  it('allows private addresses to the hosts named and to no other', async () => {
    const table = { 'a.example': [['10.0.0.1']], 'b.example': [['10.0.0.1']] };
    const lookup = judged(table, { allowPrivate: (host) => host === 'a.example' });
    expect(await ask(lookup, 'a.example')).toEqual(['10.0.0.1']);
    expect(await rejection(ask(lookup, 'b.example'))).toMatchObject({ code: 'NET_ADDRESS_REFUSED' });
  });

  it('takes an answer of one address, as lookups of callers may give it', async () => {
    const one: LookupFunction = (_name, _options, callback) => callback(null, '127.0.0.1', 4);
    expect(await rejection(ask(judgedLookup({ lookup: one }), 'a.example'))).toMatchObject({
      code: 'NET_ADDRESS_REFUSED',
    });
  });

  it('says so when a name has no address', async () => {
    expect(await rejection(ask(judged({ 'a.example': [[]] }), 'a.example'))).toMatchObject({
      code: 'NET_FAILED',
      message: 'the name a.example has no address',
    });
  });
});

describe('a connection', () => {
  /** 127.0.0.1 stands for a public address here, every other one of loopback for a private one. */
  const judge = (ip: string) =>
    ip === '127.0.0.1' ? undefined : { range: '127.0.0.0/8', what: 'private for this test' };

  it('is made to a public address and refused to a private one, whatever the name was before', async () => {
    const server = await remote((_request, response) => response.end('public'));
    const { lookup, asked } = answers({ 'a.example': [['127.0.0.1'], ['127.0.0.2']] });
    const dispatcher = openConnections({ lookup, proxy: false }, judge);
    const ask = () =>
      dispatcher.request({
        origin: `http://a.example:${server.port}`,
        path: '/',
        method: 'GET',
        reset: true,
      });
    const first = await ask();
    expect(await first.body.text()).toBe('public');
    expect(await rejection(ask())).toMatchObject({ code: 'NET_ADDRESS_REFUSED' });
    expect(server.connections()).toBe(1);
    expect(asked.get('a.example')).toBe(2);
    await dispatcher.destroy();
  });

  it('is cut before a byte is sent when the far end is not what the lookup said', async () => {
    const seen: string[] = [];
    const server = await remote((request, response) => {
      seen.push(request.url ?? '');
      response.end();
    });
    // The lookup is judged at its word; the socket then tells another address.
    let calls = 0;
    const dispatcher = openConnections(
      { lookup: answers({ 'a.example': [['127.0.0.1']] }).lookup, proxy: false },
      (ip) => (++calls === 1 ? undefined : { range: ip, what: 'private for this test' }),
    );
    const work = dispatcher.request({
      origin: `http://a.example:${server.port}`,
      path: '/s3cret',
      method: 'GET',
    });
    expect(await rejection(work)).toMatchObject({
      code: 'NET_ADDRESS_REFUSED',
      details: { address: '127.0.0.1' },
    });
    expect(seen).toEqual([]);
    await dispatcher.destroy();
  });

  it('to a literal address is refused although nobody looks it up', async () => {
    const server = await remote((_request, response) => response.end());
    const dispatcher = openConnections({ proxy: false });
    const work = dispatcher.request({ origin: server.origin, path: '/', method: 'GET' });
    expect(await rejection(work)).toMatchObject({
      code: 'NET_ADDRESS_REFUSED',
      details: { address: '127.0.0.1' },
    });
    expect(server.connections()).toBe(0);
    await dispatcher.destroy();
  });

  it('asks for a name once and goes to the address of that answer', async () => {
    const server = await remote((_request, response) => response.end('ok'));
    const { lookup, asked } = answers({ 'a.example': [['127.0.0.1'], ['10.0.0.1']] });
    const response = await safeFetch(`http://a.example:${server.port}/`, {
      lookup,
      proxy: false,
      allowPrivate: (host) => host === 'a.example',
    });
    expect((await response.bytes()).toString()).toBe('ok');
    expect(asked.get('a.example')).toBe(1);
  });

  it('refuses a proxy whose URL is not valid without showing it', async () => {
    const error = await rejection(
      safeFetch('https://skills.example/', { proxy: { httpsProxy: 'http://me:s3cret@proxy.example:99999' } }),
    );
    expect(error).toMatchObject({ code: 'NET_FAILED' });
    expect(JSON.stringify([String(error), error, (error as Error).cause ?? null])).not.toContain('s3cret');
  });
});
