/** What clients hear over HTTP of prompts and documents, both eras. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDocs, openPrompts } from '../../src/prompts/index.ts';
import { createProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { connectClient, inSession, openSession, openStream, start, until } from './harness.ts';

const PROMPTS = 'notifications/prompts/list_changed';
const INDEX = 'resource://catalog/prompts_index';
const prompt = (description: string, body = 'x'): string =>
  `---\ndescription: ${description}\n---\n${body}\n`;

describe.each(['legacy', 'auto'] as const)('a %s client with a stream', (mode) => {
  it('hears of edits on disk: of the list, of what it subscribed to, of an edit that breaks a prompt', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-http-prompts-')));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    for (const folder of ['prompts', 'docs']) mkdirSync(join(root, folder));
    writeFileSync(join(root, 'prompts/a.md'), prompt('A'));
    writeFileSync(join(root, 'prompts/b.md'), prompt('B'));
    writeFileSync(join(root, 'docs/index.md'), '# I\n');
    const watch = { settleMs: 20 };
    const prompts = await openPrompts(join(root, 'prompts'), { watch });
    const docs = await openDocs(join(root, 'docs'), { listed: true, watch });
    const provider = await createProvider({ prompts, docs, coalesceWindowMs: 50 });
    onTestFinished(async () => {
      await provider.close();
      await prompts.close();
      await docs.close();
    });
    const { url } = await start({ provider });
    const { client, streaming } = await connectClient(url, mode);
    let lists = 0;
    let resources = 0;
    const updated: string[] = [];
    client.setNotificationHandler(PROMPTS, () => {
      lists += 1;
    });
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      resources += 1;
    });
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
      updated.push(params.uri);
    });
    const uris = [INDEX, 'resource://prompts/a/document', 'resource://docs/index.md'];
    if (mode === 'auto') {
      await client.listen({
        promptsListChanged: true,
        resourcesListChanged: true,
        resourceSubscriptions: uris,
      });
    } else {
      await streaming;
      for (const uri of uris) await client.subscribeResource({ uri });
    }
    expect(client.getServerCapabilities()?.prompts).toEqual({ listChanged: true });

    writeFileSync(join(root, 'prompts/a.md'), prompt('A', 'another body'));
    await until(() => updated.includes('resource://prompts/a/document'));
    expect([lists, resources]).toEqual([0, 0]);

    writeFileSync(join(root, 'docs/index.md'), '# J\n');
    await until(() => updated.includes('resource://docs/index.md'));
    writeFileSync(join(root, 'docs/new.md'), '# N\n');
    await until(() => resources === 1);

    writeFileSync(join(root, 'prompts/b.md'), 'broken');
    await until(() => lists === 1 && updated.includes(INDEX));
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['a']);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      INDEX,
      'resource://docs/index.md',
      'resource://docs/new.md',
    ]);
  });
});

it('a session hears of what changed before its stream, each list by itself', async () => {
  const files = memorySource({ 'a.md': prompt('A') });
  const pages = memorySource({ 'index.md': '# I\n' });
  const prompts = await openPrompts(files);
  const docs = await openDocs(pages, { listed: true });
  const provider = await createProvider({ prompts, docs });
  onTestFinished(() => provider.close());
  const { port } = await start({ provider });
  const heardAfter = async (change: () => Promise<unknown>): Promise<unknown> => {
    const id = await openSession(port);
    await inSession(port, id, { jsonrpc: '2.0', method: 'notifications/initialized' });
    await change();
    const stream = await openStream(port, {
      method: 'GET',
      headers: { accept: 'text/event-stream', 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' },
    });
    const [first] = (await stream.received(1)) as { method?: string }[];
    return first?.method;
  };
  expect(
    await heardAfter(() => {
      files.set('a.md', prompt('Another'));
      return prompts.reload();
    }),
  ).toBe(PROMPTS);
  expect(
    await heardAfter(() => {
      pages.set('new.md', '# N\n');
      return docs.reload();
    }),
  ).toBe('notifications/resources/list_changed');
});
