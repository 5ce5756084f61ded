import { Client } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { SkillsClient } from '../../src/client/index.ts';
import { hostileServers, openHostile } from '../../src/testing/index.ts';

describe('openHostile', () => {
  it('refuses a name that there is not', () => {
    expect(() => openHostile('nothing')).toThrow(expect.objectContaining({ code: 'USAGE' }));
    expect(() => openHostile('__proto__')).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });

  it('gives each a memory of its own', async () => {
    const [one, two] = [openHostile('endless-pages'), openHostile('endless-pages')];
    for (const hostile of [one, two]) {
      const client = new Client({ name: 'test', version: '1.0.0' });
      await client.connect(hostile.connect());
      const { skills } = await new SkillsClient(client, { maxPages: 2 }).listSkills();
      expect(skills.map(({ entry }) => entry.uri)).toEqual([
        'skill://honest/SKILL.md',
        'skill://s1/SKILL.md',
      ]);
      await client.close();
    }
    expect([one.requests.length, two.requests.length]).toEqual([2, 2]);
    await Promise.all([one.close(), two.close()]);
  });

  it('listens once, and can be closed twice', async () => {
    const hostile = openHostile('wrong-digest');
    expect((await hostile.listen()).url).toBe((await hostile.listen()).url);
    const { url } = await hostile.listen();
    await hostile.close();
    await hostile.close();
    await expect(fetch(url)).rejects.toThrow();
  });

  it('serves nothing but its endpoint and its documents', async () => {
    const hostile = openHostile('well-known-bomb');
    const { url } = await hostile.listen();
    const { origin } = new URL(url);
    const statuses = ['/mcp', '/', '/.well-known/agent-skills/index.json'].map(
      async (path) => (await fetch(origin + path)).status,
    );
    expect(await Promise.all(statuses)).toEqual([405, 404, 200]);
    expect([...hostile.fetched].sort()).toEqual(['/', '/.well-known/agent-skills/index.json']);
    await hostile.close();
  });

  it('names what a test needs to know, frozen', () => {
    expect(hostileServers.length).toBeGreaterThan(100);
    for (const each of hostileServers) {
      expect(Object.isFrozen(each)).toBe(true);
      expect(Object.keys(each)).not.toContain('script');
    }
  });
});
