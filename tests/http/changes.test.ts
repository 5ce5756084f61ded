/** What clients hear of changes over HTTP, both eras, and what becomes of them when a provider closes. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProvider, type ProviderOptions, type SkillProvider } from '../../src/server/index.ts';
import { directorySource, type MemorySource, memorySource } from '../../src/source/index.ts';
import { decodeListChanged, type PathsChangedPayload } from '../../src/wire/index.ts';
import {
  connectClient,
  INITIALIZE,
  inSession,
  JSON_HEADERS,
  modern,
  modernBody,
  modernHeaders,
  openSession,
  openStream,
  send,
  start,
  until,
} from './harness.ts';

const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const skill = (name: string, body = 'Body.'): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n---\n\n${body}\n`;
const FILES = { 'a/SKILL.md': skill('a'), 'a/x': '1', 'b/SKILL.md': skill('b') };

async function provide(
  options: Partial<ProviderOptions> = {},
): Promise<{ provider: SkillProvider; source: MemorySource }> {
  const source = memorySource(FILES);
  const provider = await createProvider({ source, ...options });
  onTestFinished(() => provider.close());
  return { provider, source };
}

function onDisk(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-http-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** A client with a stream, and what it heard. */
async function listening(url: string, mode: 'legacy' | 'auto', uris: readonly string[] = []) {
  const { client, streaming } = await connectClient(url, mode);
  const changes: (PathsChangedPayload | undefined)[] = [];
  const updated: string[] = [];
  client.setNotificationHandler('notifications/resources/list_changed', ({ params }) => {
    changes.push(decodeListChanged(params));
  });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updated.push(params.uri);
  });
  if (mode === 'auto') {
    await client.listen({ resourcesListChanged: true, resourceSubscriptions: [...uris] });
  } else {
    await streaming;
    for (const uri of uris) await client.subscribeResource({ uri });
  }
  return { client, changes, updated };
}

describe.each(['legacy', 'auto'] as const)('a %s client with a stream', (mode) => {
  it('hears of a burst of edits on disk once, with the right paths and digests', async () => {
    const root = onDisk();
    const provider = await createProvider({
      source: directorySource(root),
      watch: { settleMs: 20 },
      coalesceWindowMs: 200,
      maxWaitMs: 10_000,
      minBroadcastIntervalMs: 100,
    });
    onTestFinished(() => provider.close());
    const { url } = await start({ provider });
    const { client, changes, updated } = await listening(url, mode, ['skill://a/x', 'skill://b/SKILL.md']);
    for (let edit = 0; edit <= 20; edit++) writeFileSync(join(root, 'a/x'), `edit ${edit}`);
    mkdirSync(join(root, 'c'));
    writeFileSync(join(root, 'c/SKILL.md'), skill('c'));
    rmSync(join(root, 'b'), { recursive: true });
    await until(() => changes.length > 0);
    const paths = Object.entries(changes[0]?.paths ?? {}).map(([path, { action, digest }]) => [
      path,
      action,
      digest,
    ]);
    expect(paths.sort()).toEqual([
      ['a/x', 'modified', sha('edit 20')],
      ['b/SKILL.md', 'deleted', undefined],
      ['c/SKILL.md', 'created', sha(skill('c'))],
    ]);
    expect(changes[0]?.version).toBe(provider.version);
    await until(() => updated.length === 2);
    expect(updated.sort()).toEqual(['skill://a/x', 'skill://b/SKILL.md']);
    const { contents } = await client.readResource({ uri: 'skill://a/x' });
    expect(contents).toMatchObject([{ text: 'edit 20' }]);
    expect(changes).toHaveLength(1);
  });

  it('hears of a change that another client’s read finds', async () => {
    const { provider, source } = await provide();
    const { url } = await start({ provider });
    const { changes } = await listening(url, mode);
    const { client: reader } = await connectClient(url, mode);
    source.set('a/x', '2');
    const { contents } = await reader.readResource({ uri: 'skill://a/x' });
    expect(contents).toMatchObject([{ text: '2' }]);
    await until(() => changes.length === 1);
    expect(changes[0]).toMatchObject({
      version: 1,
      paths: { 'a/x': { action: 'modified', digest: sha('2') } },
    });
  });

  it('hears the last batch of a shutdown, then its stream ends', async () => {
    const { provider, source } = await provide({ coalesceWindowMs: 60_000 });
    const { url } = await start({ provider });
    const { client, changes } = await listening(url, mode);
    source.set('a/x', '2');
    await provider.notifyChanged('a/x');
    expect(changes).toEqual([]);
    await provider.shutdown();
    await until(() => changes.length === 1);
    expect(changes[0]?.paths?.['a/x']?.digest).toBe(sha('2'));
    await client.close();
  });

  it('without one sees version and revision move when it polls the index', async () => {
    const { provider, source } = await provide();
    const { url } = await start({ provider });
    const { client } = await connectClient(url, mode);
    const meta = async (): Promise<unknown[]> => {
      const { contents } = await client.readResource({ uri: 'skill://index.json' }, {
        cacheMode: 'bypass',
      } as never);
      const [content] = contents as { text: string }[];
      return Object.values((JSON.parse(content?.text ?? '') as { _meta: Record<string, unknown> })._meta);
    };
    const before = await meta();
    expect(before).toEqual([0, provider.revision]);
    source.set('a/x', '2');
    // On a busy machine the first look counts as a costly one, and the next has to wait.
    await expect.poll(async () => (await meta())[0], { timeout: 15_000 }).toBe(1);
    const after = await meta();
    expect(after).toEqual([1, provider.revision]);
    expect(after[1]).not.toBe(before[1]);
  });
});

describe('a provider that closes', () => {
  it('ends sessions and listen streams, and lets other providers be', async () => {
    const [one, two] = [await provide(), await provide()];
    const { port } = await start({
      token: (token) => ({ id: token }),
      provider: ({ id }) => (id === 'one' ? one.provider : two.provider),
    });
    const streams = await Promise.all(
      (['one', 'two'] as const).map(async (token) => {
        const headers = { authorization: `Bearer ${token}` };
        const id = await openSession(port, headers);
        const session = await openStream(port, { headers: { ...headers, 'mcp-session-id': id } });
        const listen = { notifications: { resourcesListChanged: true } };
        const stream = await openStream(port, {
          method: 'POST',
          headers: { ...modernHeaders('subscriptions/listen', {}), ...headers },
          body: modernBody('subscriptions/listen', listen, 'sub'),
        });
        await stream.received(1);
        return { headers, id, session, stream };
      }),
    );
    await one.provider.close();
    const [first, second] = streams;
    await first?.session.ended;
    await first?.stream.ended;
    expect(first?.stream.messages.at(-1)).toMatchObject({ id: 'sub', result: { resultType: 'complete' } });
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await inSession(port, first?.id as string, ping, first?.headers)).status).toBe(404);
    expect((await inSession(port, second?.id as string, ping, second?.headers)).status).toBe(200);
    await two.provider.refresh();
    expect(await second?.session.received(1)).toMatchObject([
      { method: 'notifications/resources/list_changed' },
    ]);
    expect((await second?.stream.received(2))?.[1]).toMatchObject({
      method: 'notifications/resources/list_changed',
    });
  });

  it('says that it is closed to whoever asks later, also for a stream', async () => {
    const { provider } = await provide();
    const { port } = await start({ provider });
    await modern(port, 'resources/list');
    await provider.close();
    const answer = await modern(port, 'resources/read', { uri: 'skill://a/x' });
    expect([answer.status, answer.json.error.data.code]).toEqual([200, 'PROVIDER_CLOSED']);
    const stream = await openStream(port, {
      method: 'POST',
      headers: modernHeaders('subscriptions/listen', {}),
      body: modernBody('subscriptions/listen', { notifications: { resourcesListChanged: true } }, 'sub'),
    });
    expect(stream.status).toBe(503);
    const session = await send(port, { headers: JSON_HEADERS, body: INITIALIZE });
    expect([session.status, session.json.error]).toEqual([
      503,
      {
        code: -32603,
        message: 'Service Unavailable: the provider is closed',
        data: { code: 'PROVIDER_CLOSED' },
      },
    ]);
  });

  it('answers what is under way in a session before the session ends', async () => {
    const { provider } = await provide();
    const { port } = await start({ provider });
    const id = await openSession(port);
    let reading = false;
    let release: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const read = provider.catalog.read.bind(provider.catalog);
    provider.catalog.read = async (uri) => {
      const got = await read(uri);
      reading = true;
      await gate;
      return got;
    };
    const asked = inSession(port, id, {
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/read',
      params: { uri: 'skill://a/x' },
    });
    await until(() => reading);
    await provider.close();
    release();
    const answer = await asked;
    expect([answer.status, answer.json.result?.contents?.[0]?.text]).toEqual([200, '1']);
    expect((await inSession(port, id, { jsonrpc: '2.0', id: 3, method: 'ping' })).status).toBe(404);
  });
});

describe('a request under way', () => {
  it('is answered as JSON though a change comes meanwhile: its client hears of that elsewhere', async () => {
    const { provider, source } = await provide();
    const { port } = await start({ provider });
    source.set('a/x', '2');
    const answer = await modern(port, 'resources/read', { uri: 'skill://a/x' });
    expect([answer.headers['content-type'], answer.json.result.contents[0].text]).toEqual([
      'application/json',
      '2',
    ]);
    expect(provider.version).toBe(1);
  });

  it('on a caller’s own handler too', async () => {
    const { provider, source } = await provide();
    const handler = createMcpHandler(() => {
      const server = new McpServer({ name: 'mine', version: '1.0.0' });
      provider.attach(server, { transport: 'http' });
      return server;
    });
    onTestFinished(() => handler.close());
    provider.onBroadcast(({ params, updated }) => {
      handler.bus.publish({ kind: 'resources_list_changed', params });
      for (const uri of updated) handler.bus.publish({ kind: 'resource_updated', uri });
    });
    const types: (string | null)[] = [];
    const client = new Client(
      { name: 't', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    onTestFinished(() => client.close());
    await client.connect(
      new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), {
        fetch: async (url, init) => {
          const response = await handler.fetch(new Request(url, init));
          types.push(response.headers.get('content-type'));
          return response;
        },
      }),
    );
    const changes: (PathsChangedPayload | undefined)[] = [];
    client.setNotificationHandler('notifications/resources/list_changed', ({ params }) => {
      changes.push(decodeListChanged(params));
    });
    await client.listen({ resourcesListChanged: true });
    types.length = 0;
    source.set('a/x', '2');
    const { contents } = await client.readResource({ uri: 'skill://a/x' });
    expect([contents, types]).toMatchObject([[{ text: '2' }], ['application/json']]);
    await until(() => changes.length === 1);
    expect(changes[0]).toMatchObject({ version: 1, paths: { 'a/x': { digest: sha('2') } } });
  });
});
