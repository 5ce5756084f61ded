import { describe, expect, it } from 'vitest';
import { fakeProvider } from './fake-provider.ts';
import { connectClient, start, until } from './harness.ts';

describe('official clients', () => {
  it.each(['legacy', 'auto'] as const)(
    'lists, reads and hears of changes once each: two %s clients',
    async (mode) => {
      const provider = fakeProvider();
      const { url } = await start({ provider });
      const heard = [0, 0];
      const clients = [];
      for (const index of [0, 1]) {
        const { client } = await connectClient(url, mode);
        client.setNotificationHandler('notifications/resources/list_changed', () => {
          heard[index] = (heard[index] ?? 0) + 1;
        });
        if (mode === 'auto') await client.listen({ resourcesListChanged: true });
        clients.push(client);
      }
      for (const client of clients) {
        expect(client.getProtocolEra()).toBe(mode === 'auto' ? 'modern' : 'legacy');
        expect(client.getServerCapabilities()?.resources).toEqual({ listChanged: true });
        expect((await client.listResources()).resources.map((resource) => resource.uri)).toEqual([
          'skill://a/SKILL.md',
        ]);
        expect((await client.readResource({ uri: 'skill://a/SKILL.md' })).contents).toEqual([
          { uri: 'skill://a/SKILL.md', text: 'hello' },
        ]);
      }
      provider.change();
      await until(() => heard.every((count) => count > 0));
      provider.change();
      await until(() => heard.every((count) => count > 1));
      expect(heard).toEqual([2, 2]);
    },
  );
});
