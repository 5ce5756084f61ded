/** What a host can rely on in a client, where the demand itself is on hosts: identity, holding, activation. */
import type { Client } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ActivationEvent,
  type FoundSkill,
  SkillsClient,
  type SkillsClientOptions,
  safeCatalogBlock,
} from '../../src/client/index.ts';
import { createProvider, type SkillProvider } from '../../src/server/index.ts';
import { type MemorySource, memorySource } from '../../src/source/index.ts';
import { linkProvider } from '../server/link.ts';

const ERAS = ['2026-07-28', '2025-11-25'] as const;

function text(name: string, body: string): string {
  return `---\nname: ${name}\ndescription: About ${name}\n---\n\n${body}\n`;
}

interface Server {
  readonly skills: SkillsClient;
  readonly source: MemorySource;
  readonly provider: SkillProvider;
  /** Methods that the server was asked, with what they are about. */
  readonly asked: string[];
}

/** A server of two skills, one inside the other, that says `words`. */
async function serve(
  era: (typeof ERAS)[number],
  words: string,
  options: SkillsClientOptions = {},
): Promise<Server> {
  const source = memorySource({
    'pdf/SKILL.md': text('pdf', words),
    'pdf/references/a.md': `${words}\n`,
    'pdf/inner/SKILL.md': text('inner', words),
  });
  const provider = await createProvider({ source, dialects: ['released'] });
  const link = await linkProvider(provider, era);
  onTestFinished(async () => {
    await link.close();
    await provider.close();
  });
  const asked: string[] = [];
  const { client } = link;
  const request = client.request.bind(client) as (...args: unknown[]) => Promise<unknown>;
  client.request = ((sent: { method: string; params?: { uri?: string } }, ...rest: unknown[]) => {
    asked.push(`${sent.method} ${sent.params?.uri ?? ''}`.trim());
    return request(sent, ...rest);
  }) as Client['request'];
  return { skills: new SkillsClient(client, options), source, provider, asked };
}

const PDF = 'skill://pdf/SKILL.md';

async function edit({ source, provider }: Server, words: string): Promise<void> {
  source.set('pdf/SKILL.md', text('pdf', words));
  await provider.refresh();
}

describe.each(ERAS)('%s', (era) => {
  it('H6: what was activated is one URI; the skill inside is asked for and activated by itself', async () => {
    const events: ActivationEvent[] = [];
    const { skills, asked } = await serve(era, 'one', { onActivate: (event) => events.push(event) });
    const outer = await skills.getSkill(PDF);
    skills.activate(outer.entry.uri);
    const inside = await skills.read(outer, 'inner/SKILL.md');
    expect([inside.frontmatter, inside.body]).toEqual([undefined, undefined]);
    expect(events.map(({ uri }) => uri)).toEqual([PDF]);
    const inner = await skills.getSkill('skill://pdf/inner/SKILL.md');
    expect(asked.at(-1)).toBe('skills/get skill://pdf/inner/SKILL.md');
    skills.activate(inner.entry.uri);
    expect(events.map(({ uri }) => uri)).toEqual([PDF, 'skill://pdf/inner/SKILL.md']);
  });

  it('H7, H8: one URI on two servers is two skills; neither gets content, entry or cache of the other', async () => {
    const [a, b] = [await serve(era, 'of a', { origin: 'a' }), await serve(era, 'of b', { origin: 'b' })];
    const [ofA, ofB] = [await a.skills.getSkill(PDF), await b.skills.getSkill(PDF)];
    for (let turn = 0; turn < 2; turn++) {
      expect((await a.skills.read(ofA)).body).toContain('of a');
      expect((await b.skills.read(ofB)).body).toContain('of b');
    }
    // An entry of one server is no entry of the other.
    await expect(b.skills.read(ofA, 'references/a.md')).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
    expect([a.skills.origin, b.skills.origin]).toEqual(['a', 'b']);
  });

  it('H13, H14: a catalog of two servers has both skills of one name, each under the label of its host', async () => {
    const servers = [await serve(era, 'of a', { origin: 'a' }), await serve(era, 'of b', { origin: 'b' })];
    const origins = new Map<FoundSkill, string>();
    for (const { skills } of servers) {
      for (const skill of (await skills.listSkills()).skills) origins.set(skill, skills.origin ?? '');
    }
    const { text: block } = safeCatalogBlock([...origins.keys()], {
      origin: (skill) => origins.get(skill) ?? '',
    });
    const shown = block
      .split('\n')
      .filter((line) => line.startsWith('{"name":"pdf"'))
      .map((line) => (JSON.parse(line) as { origin: string }).origin);
    expect(shown.sort()).toEqual(['a', 'b']);
  });

  it('H23, H24: a raw read gives the bytes of a resource: no skill, no standing for other files, no activation', async () => {
    const events: ActivationEvent[] = [];
    const { skills, asked } = await serve(era, 'one', { onActivate: (event) => events.push(event) });
    const bytes = await skills.readSkillUri(PDF);
    expect(bytes).toBeInstanceOf(Uint8Array);
    expect(Buffer.from(bytes).toString()).toBe(text('pdf', 'one'));
    expect(asked).toEqual([`resources/read ${PDF}`]);
    expect(events).toEqual([]);
    // What is not a skill of this client opens no file.
    await expect(
      skills.read({ dialect: 'released', entry: { uri: PDF } } as never, 'references/a.md'),
    ).rejects.toMatchObject({
      code: 'INVALID_ENTRY',
    });
    expect(asked).toHaveLength(1);
  });

  it('H29, H30: an entry that a host holds stays as it is, whatever the server lists by now', async () => {
    const server = await serve(era, 'one');
    const held = await server.skills.getSkill(PDF);
    const before = JSON.stringify(held);
    await edit(server, 'two');
    const now = (await server.skills.listSkills({ fresh: true })).skills.find(
      ({ entry }) => entry.uri === PDF,
    );
    expect(now?.entry.resources).not.toEqual(held.entry.resources);
    expect(JSON.stringify(held)).toBe(before);
    expect(Object.isFrozen(held.entry) && Object.isFrozen(held.entry.resources)).toBe(true);
    await expect(server.skills.read(held)).rejects.toMatchObject({
      code: expect.stringMatching(/_MISMATCH$/),
    });
    expect((await server.skills.read(held, 'references/a.md')).text).toBe('one\n');
  });

  it('H28, H39: a skill that changed is refused under the old entry and told anew by its URI', async () => {
    const server = await serve(era, 'one', { cacheBytes: false });
    const held = await server.skills.getSkill(PDF);
    await edit(server, 'other');
    await expect(server.skills.read(held)).rejects.toMatchObject({
      code: 'SIZE_MISMATCH',
      details: { uri: PDF },
    });
    const now = await server.skills.getSkill(PDF);
    expect(now.entry.uri).toBe(held.entry.uri);
    expect(now.entry.resources).not.toEqual(held.entry.resources);
    expect((await server.skills.read(now)).body).toContain('other');
  });
});

it('H3: the authority of a URI is a name of a skill, and nothing is looked up or connected to', async () => {
  const { Socket } = await import('node:net');
  const connect = Socket.prototype.connect;
  let connects = 0;
  Socket.prototype.connect = function counted(this: InstanceType<typeof Socket>, ...args: never[]) {
    connects += 1;
    return Reflect.apply(connect, this, args);
  } as typeof connect;
  onTestFinished(() => {
    Socket.prototype.connect = connect;
  });
  const source = memorySource({ 'evil.example.com/pdf/SKILL.md': text('pdf', 'one') });
  const provider = await createProvider({ source, dialects: ['released'] });
  const link = await linkProvider(provider, '2026-07-28');
  onTestFinished(async () => {
    await link.close();
    await provider.close();
  });
  const skills = new SkillsClient(link.client);
  const skill = await skills.getSkill('skill://evil.example.com/pdf/SKILL.md');
  expect((await skills.read(skill)).body).toContain('one');
  expect(connects).toBe(0);
});
