import { describe, expect, it, onTestFinished } from 'vitest';
import { createProvider, type ProviderOptions, type SkillProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { connectClient, inSession, modern, openSession, openStream, start, until } from './harness.ts';

function skill(name: string, body = 'Body.'): string {
  return `---\nname: ${name}\ndescription: The skill ${name}.\n---\n\n${body}\n`;
}

async function provide(
  files: Record<string, string>,
  options: Partial<ProviderOptions> = {},
): Promise<SkillProvider> {
  const provider = await createProvider({ source: memorySource(files), ...options });
  onTestFinished(() => provider.close());
  return provider;
}

describe('the HTTP room with a real provider', () => {
  it.each(['legacy', 'auto'] as const)('serves skills to a %s client, and each change once', async (mode) => {
    const provider = await provide({ 'a/SKILL.md': skill('a'), 'a/references/x.md': '# X\n' });
    const { url } = await start({ provider });
    const { client, streaming } = await connectClient(url, mode);
    expect(client.getServerCapabilities()?.resources).toMatchObject({ listChanged: true });
    expect((await client.listResources()).resources.map((resource) => resource.uri)).toEqual([
      'skill://a/SKILL.md',
      'skill://a/_manifest',
      'skill://index.json',
    ]);
    const read = await client.readResource({ uri: 'skill://a/references/x.md' });
    expect(read.contents[0]).toMatchObject({ uri: 'skill://a/references/x.md', text: '# X\n' });
    let heard = 0;
    client.setNotificationHandler('notifications/resources/list_changed', () => {
      heard += 1;
    });
    if (mode === 'auto') await client.listen({ resourcesListChanged: true });
    else await streaming;
    await provider.refresh();
    await until(() => heard === 1);
    await client.readResource({ uri: 'skill://a/SKILL.md' });
    expect(heard).toBe(1);
  });

  it('says not found the same way on both eras, with no path of this machine', async () => {
    const { port } = await start({ provider: await provide({ 'a/SKILL.md': skill('a') }) });
    const uri = 'skill://a/none.md';
    const id = await openSession(port);
    const legacy = await inSession(port, id, {
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/read',
      params: { uri },
    });
    const stateless = await modern(port, 'resources/read', { uri });
    for (const answer of [legacy, stateless]) {
      expect([answer.status, answer.json.error.code, answer.json.error.data]).toEqual([200, -32602, { uri }]);
    }
  });

  it('adds freshness to modern results only', async () => {
    const { port } = await start({ provider: await provide({ 'a/SKILL.md': skill('a') }) });
    const id = await openSession(port);
    const legacy = await inSession(port, id, { jsonrpc: '2.0', id: 1, method: 'skills/list', params: {} });
    const stateless = await modern(port, 'skills/list');
    expect(stateless.json.result).toMatchObject({
      ttlMs: 5_000,
      cacheScope: 'private',
      resultType: 'complete',
    });
    for (const key of ['ttlMs', 'cacheScope', 'resultType'])
      expect(legacy.json.result).not.toHaveProperty(key);
    expect(legacy.json.result.skills).toEqual(stateless.json.result.skills);
  });

  it('delivers one notification for one refresh to each of two sessions and two listeners', async () => {
    const provider = await provide({ 'a/SKILL.md': skill('a') });
    const { port, url } = await start({ provider });
    const ids = [await openSession(port), await openSession(port)];
    const streams = await Promise.all(
      ids.map((id) => openStream(port, { headers: { 'mcp-session-id': id } })),
    );
    const heard = [0, 0];
    for (const index of [0, 1]) {
      const { client } = await connectClient(url, 'auto');
      client.setNotificationHandler('notifications/resources/list_changed', () => {
        heard[index] = (heard[index] ?? 0) + 1;
      });
      await client.listen({ resourcesListChanged: true });
    }
    await provider.refresh();
    await until(() => heard.every((count) => count === 1));
    await provider.refresh();
    await until(() => heard.every((count) => count === 2));
    for (const stream of streams) expect(await stream.received(2)).toHaveLength(2);
    expect(heard).toEqual([2, 2]);
    expect(streams.map((stream) => stream.messages.length)).toEqual([2, 2]);
  });

  it('refuses cacheScope public from a provider function', async () => {
    const provider = await provide({ 'a/SKILL.md': skill('a') }, { cacheScope: 'public' });
    const { port } = await start({ provider: () => provider });
    expect((await modern(port, 'skills/list')).json.error.data).toEqual({ code: 'PUBLIC_CACHE_REFUSED' });
  });
});
