import { McpServer, Server } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { createProvider, type ProviderOptions, type SkillProvider } from '../../src/server/index.ts';
import { type MemorySource, memorySource } from '../../src/source/index.ts';
import { type Link, linkProvider, linkServer, REVISIONS, type Revision } from './link.ts';
import { skillText } from './support.ts';

const LIST_CHANGED = 'notifications/resources/list_changed';
const UPDATED = 'notifications/resources/updated';
const KEY = 'io.modelcontextprotocol.skills/paths-changed';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(
  options: Partial<ProviderOptions> = {},
): Promise<{ source: MemorySource; provider: SkillProvider }> {
  const source = memorySource({ 'a/SKILL.md': skillText('a'), 'a/x y': '1', 'b/SKILL.md': skillText('b') });
  const provider = await createProvider({ source, ...options });
  ends.push(() => provider.close());
  return { source, provider };
}

async function connect(provider: SkillProvider, revision: Revision): Promise<Link> {
  const link = await linkProvider(provider, revision);
  ends.push(() => link.close());
  return link;
}

/** The parameters of each notification that came, without what the SDK adds. */
function heard(link: Link, wanted: string): unknown[] {
  return link.heard
    .filter((message) => 'method' in message && message.method === wanted)
    .map((message) => {
      const { _meta, ...params } = (message as { params?: Record<string, unknown> }).params ?? {};
      const { 'io.modelcontextprotocol/subscriptionId': _, ...meta } = (_meta ?? {}) as Record<
        string,
        unknown
      >;
      return { ...params, ...(Object.keys(meta).length > 0 && { _meta: meta }) };
    });
}

async function want(link: Link, revision: Revision, uris: readonly string[]): Promise<void> {
  if (revision === '2026-07-28') {
    await link.client.listen({ resourcesListChanged: true, resourceSubscriptions: [...uris] });
  } else {
    for (const uri of uris)
      expect(await link.ask('resources/subscribe', { uri })).toMatchObject({ result: {} });
  }
}

describe.each(REVISIONS)('over stdio, %s', (revision) => {
  it('list_changed carries which paths changed, to a client that asks for nothing else', async () => {
    const { source, provider } = await open();
    const link = await connect(provider, revision);
    await want(link, revision, []);
    source.set('a/x y', '2');
    await provider.refresh();
    await link.ask('skills/list');
    expect(heard(link, LIST_CHANGED)).toEqual([
      {
        _meta: {
          [KEY]: {
            version: 1,
            paths: {
              'a/x y': {
                action: 'modified',
                timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
                digest: 'sha256:d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35',
              },
            },
          },
        },
      },
    ]);
    expect(heard(link, UPDATED)).toEqual([]);
  });

  it('each resource that is subscribed to is told of by the URI that is listed', async () => {
    const { source, provider } = await open();
    const link = await connect(provider, revision);
    // The SDK compares what is listened to letter by letter; a 2025-era client may spell as it likes.
    const spelled = revision === '2026-07-28' ? 'skill://a/x%20y' : 'SKILL://a/x y';
    await want(link, revision, [spelled, 'skill://index.json']);
    source.set('a/x y', '2');
    source.set('b/new', '3');
    await provider.refresh();
    source.delete('a/x y');
    await provider.notifyChanged('a/x y');
    await link.ask('skills/list');
    expect(heard(link, UPDATED)).toEqual([
      { uri: 'skill://a/x%20y' },
      { uri: 'skill://index.json' },
      { uri: 'skill://a/x%20y' },
      { uri: 'skill://index.json' },
    ]);
  });
});

describe.each(['2025-11-25', '2025-06-18'] as const)('resources/subscribe, %s', (revision) => {
  it('ends with unsubscribe, in any spelling, also when the file is gone', async () => {
    const { source, provider } = await open();
    const link = await connect(provider, revision);
    await want(link, revision, ['skill://a/x%20y', 'skill://b/SKILL.md']);
    expect(await link.ask('resources/unsubscribe', { uri: 'skill://b/%53KILL.md' })).toMatchObject({
      result: {},
    });
    source.delete('a/x y');
    source.delete('b');
    await provider.refresh();
    expect(await link.ask('resources/unsubscribe', { uri: 'skill://a/x y' })).toMatchObject({ result: {} });
    expect(await link.ask('resources/unsubscribe', { uri: 'skill://never/x' })).toMatchObject({ result: {} });
    source.set('a/x y', 'again');
    await provider.refresh();
    await link.ask('ping');
    expect(heard(link, UPDATED)).toEqual([{ uri: 'skill://a/x%20y' }]);
  });

  it.each([
    ['what is not served', 'skill://a/none', { uri: 'skill://a/none' }],
    ['a folder', 'skill://a', { uri: 'skill://a' }],
    ['another scheme', 'file:///etc/passwd', { uri: 'file:///etc/passwd' }],
    ['a long URI', `skill://a/${'x'.repeat(9_000)}`, { code: 'URI_TOO_LONG', limit: 8_192, actual: 9_010 }],
    ['nothing', '', { code: 'INVALID_REQUEST', uri: '' }],
    ['no text', 5, { code: 'INVALID_REQUEST' }],
  ])('refuses %s', async (_name, uri, data) => {
    const { provider } = await open();
    const link = await connect(provider, revision);
    expect((await link.ask('resources/subscribe', { uri })).error).toMatchObject({ code: -32602, data });
  });

  it.runIf(revision === '2025-11-25')('has an end', async () => {
    const files: Record<string, string> = { 'a/SKILL.md': skillText('a') };
    for (let at = 0; at < 10_001; at++) files[`a/f${at}`] = '';
    const provider = await createProvider({ source: memorySource(files) });
    ends.push(() => provider.close());
    const link = await connect(provider, revision);
    const { client } = link;
    for (let at = 0; at < 10_000; at += 500) {
      await Promise.all(
        Array.from({ length: 500 }, (_, each) =>
          client.subscribeResource({ uri: `skill://a/f${at + each}` }),
        ),
      );
    }
    expect((await link.ask('resources/subscribe', { uri: 'skill://a/f10000' })).error).toMatchObject({
      code: -32602,
      data: { code: 'INVALID_REQUEST', limit: 10_000 },
    });
    expect(await link.ask('resources/subscribe', { uri: 'skill://a/f1' })).toMatchObject({ result: {} });
  });

  it('of one session is no matter of another', async () => {
    const { source, provider } = await open();
    const [one, other] = [await connect(provider, revision), await connect(provider, revision)];
    await want(one, revision, ['skill://a/x%20y']);
    source.set('a/x y', '2');
    await provider.refresh();
    await one.ask('ping');
    await other.ask('ping');
    expect([heard(one, UPDATED).length, heard(other, UPDATED).length]).toEqual([1, 0]);
    expect([heard(one, LIST_CHANGED).length, heard(other, LIST_CHANGED).length]).toEqual([1, 1]);
  });
});

describe.each(REVISIONS)('on a server of the caller’s, %s', (revision) => {
  it('changes arrive beside the caller’s own resources', async () => {
    const { source, provider } = await open();
    const link = await linkServer(() => {
      const server = new McpServer({ name: 'mine', version: '1.0.0' });
      server.registerResource('note', 'note://one', {}, () => ({ contents: [] }));
      provider.attach(server);
      return server;
    }, revision);
    ends.push(() => link.close());
    expect(link.client.getServerCapabilities()?.resources).toEqual({ listChanged: true, subscribe: true });
    await want(link, revision, ['skill://a/x%20y']);
    source.set('a/x y', '2');
    await provider.refresh();
    await link.ask('skills/list');
    expect(heard(link, LIST_CHANGED)).toMatchObject([{ _meta: { [KEY]: { version: 1 } } }]);
    expect(heard(link, UPDATED)).toEqual([{ uri: 'skill://a/x%20y' }]);
  });
});

describe('subscriptions on a server of the caller’s', () => {
  it('to what is not ours are the caller’s, where it takes any', async () => {
    const { provider } = await open();
    const asked: string[] = [];
    const link = await linkServer(() => {
      const server = new Server(
        { name: 'mine', version: '1.0.0' },
        { capabilities: { resources: { subscribe: true } } },
      );
      server.setRequestHandler('resources/subscribe', ({ params }) => {
        asked.push(params.uri);
        return {};
      });
      provider.attach(server);
      server.setRequestHandler('resources/unsubscribe', ({ params }) => {
        asked.push(`no ${params.uri}`);
        return {};
      });
      return server;
    }, '2025-11-25');
    ends.push(() => link.close());
    for (const uri of ['note://one', 'skill://mine/x', 'skill://a/SKILL.md']) {
      expect(await link.ask('resources/subscribe', { uri })).toMatchObject({ result: {} });
      expect(await link.ask('resources/unsubscribe', { uri })).toMatchObject({ result: {} });
    }
    expect(asked).toEqual(['note://one', 'no note://one', 'skill://mine/x', 'no skill://mine/x']);
  });

  it('to what nobody has are refused', async () => {
    const { provider } = await open();
    const link = await linkServer(() => {
      const server = new McpServer({ name: 'mine', version: '1.0.0' });
      provider.attach(server);
      return server;
    }, '2025-11-25');
    ends.push(() => link.close());
    expect((await link.ask('resources/subscribe', { uri: 'note://one' })).error).toMatchObject({
      code: -32602,
      data: { uri: 'note://one' },
    });
  });

  it('are not declared where changes are not told', async () => {
    const { provider } = await open();
    const link = await linkServer(() => {
      const server = new McpServer({ name: 'mine', version: '1.0.0' });
      provider.attach(server, { listChanged: false });
      return server;
    }, '2025-11-25');
    ends.push(() => link.close());
    expect((await link.ask('resources/subscribe', { uri: 'skill://a/SKILL.md' })).error?.code).toBe(-32601);
  });
});
