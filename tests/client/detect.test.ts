import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { type ClientDialect, SkillsClient } from '../../src/client/index.ts';
import type { JsonRecord } from '../../src/client/json-record.ts';
import { createProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { fakeClock } from '../server/fake-clock.ts';
import { type Answer, linked, type Script, SKILLS, scripted } from './link.ts';
import { contents, entryOf, manifestText, notFound, PDF, sha256, skillServer } from './skill-server.ts';

const INDEX = 'skill://index.json';
const entry = entryOf('pdf', PDF);
const PLAIN = { resources: {} };
const ENVELOPE = {
  resources: {},
  extensions: {
    'io.modelcontextprotocol/skills': {
      specVersion: '2026-04-23',
      stability: 'draft',
      config: { directoryRead: true },
    },
  },
};
const index = {
  $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
  skills: [
    {
      type: 'skill-md',
      name: 'pdf',
      description: 'About pdf',
      url: 'skill://pdf/SKILL.md',
      digest: sha256(manifestText('pdf')),
    },
  ],
};

/** A server of the draft, which knows no method of the extension. */
function draft(capabilities: JsonRecord, document: unknown = index): Script {
  return {
    capabilities,
    answer: (method, { uri }): Answer | undefined => {
      if (method === 'resources/list') return { resources: [] };
      if (method !== 'resources/read') return undefined;
      if (uri === INDEX) return contents(INDEX, JSON.stringify(document));
      const text = PDF[String(uri)];
      return text === undefined ? notFound(uri) : contents(String(uri), text);
    },
  };
}

describe('the dialect of a server', () => {
  it('is the released one alone where the extension is declared', async () => {
    const { client, seen } = await scripted(skillServer(PDF, entry));
    expect(await new SkillsClient(client).listSkills()).toMatchObject({ dialect: 'released', problems: [] });
    expect(seen.map(({ method }) => method)).toEqual(['skills/list']);
  });

  it('is that of the draft index where it is not, and the document is read once', async () => {
    const { client, seen } = await scripted(draft(PLAIN));
    const listing = await new SkillsClient(client).listSkills();
    expect(listing).toMatchObject({ dialect: 'draft-index', problems: [], complete: true });
    expect(listing.skills).toMatchObject([{ dialect: 'draft-index', integrity: 'partial' }]);
    expect(seen.map(({ params }) => params.uri)).toEqual([INDEX]);
  });

  it('is found out once', async () => {
    const clock = fakeClock();
    const { client, seen } = await scripted(draft(PLAIN));
    const skills = new SkillsClient(client, { clock });
    await skills.listSkills();
    clock.pass(60_000);
    await skills.listSkills();
    expect(seen.map(({ method }) => method)).toEqual(['resources/read', 'resources/read']);
  });

  it('falls back behind a proxy that swallows the methods, and says so', async () => {
    const { client, seen } = await scripted(draft(SKILLS));
    const skills = new SkillsClient(client);
    const listing = await skills.listSkills();
    expect(listing).toMatchObject({ dialect: 'draft-index', problems: [{ code: 'METHOD_NOT_FOUND' }] });
    expect(listing.problems[0]?.message).toContain('proxy');
    expect(listing.skills).toHaveLength(1);
    await skills.listSkills({ fresh: true });
    expect(seen.filter(({ method }) => method === 'skills/list')).toHaveLength(1);
  });

  it('falls back without a word from a server that declares the draft', async () => {
    const { client } = await scripted(draft(ENVELOPE));
    const skills = new SkillsClient(client);
    expect(await skills.listSkills()).toMatchObject({ dialect: 'draft-index', problems: [] });
    expect(skills.supportsSkills).toBe(true);
    expect(skills.supportsDirectoryRead).toBe(true);
  });

  it('falls back from a get as well', async () => {
    const { client } = await scripted(draft(SKILLS));
    expect(await new SkillsClient(client).getSkill('skill://pdf/SKILL.md')).toMatchObject({
      dialect: 'draft-index',
    });
  });

  it('stays what it is when a server that lists does not answer a get', async () => {
    const script = skillServer(PDF, entry);
    const { client } = await scripted({
      answer: (method, params) => (method === 'skills/get' ? undefined : script.answer(method, params)),
    });
    const skills = new SkillsClient(client);
    await skills.listSkills();
    await expect(skills.getSkill('skill://pdf/SKILL.md')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
    expect(await skills.listSkills({ fresh: true })).toMatchObject({ dialect: 'released' });
  });

  it.each([
    ['no resources', {}, 0],
    ['resources that are no skills', PLAIN, 2],
  ])('is none for a server with %s, and it is not asked on every turn', async (_, capabilities, requests) => {
    const clock = fakeClock();
    const { client, seen } = await scripted({
      capabilities,
      answer: (method, { uri }) => (method === 'resources/list' ? { resources: [] } : notFound(uri)),
    });
    const skills = new SkillsClient(client, { clock });
    for (let turn = 0; turn < 20; turn++) {
      expect(await skills.listSkills()).toEqual({
        skills: [],
        complete: true,
        dialect: undefined,
        problems: [],
      });
    }
    expect(seen).toHaveLength(requests);
    await expect(skills.getSkill('skill://x/SKILL.md')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });

  it('is not proved by a scheme (H4)', async () => {
    const listed = ['skill://pdf/SKILL.md', 'skill://pdf/references/a.md'].map((uri) => ({ uri, name: 'x' }));
    const { client, seen } = await scripted({
      capabilities: PLAIN,
      answer: (method, { uri }) => (method === 'resources/list' ? { resources: listed } : notFound(uri)),
    });
    expect(await new SkillsClient(client).listSkills()).toMatchObject({ skills: [], dialect: undefined });
    expect(seen.map(({ params }) => params.uri)).toEqual([INDEX, undefined]);
    expect(await new SkillsClient(client, { plain: true }).listSkills()).toMatchObject({
      dialect: 'plain',
      skills: [{ integrity: 'none' }],
    });
  });

  it('is not the next one when the server is down', async () => {
    const { client } = await scripted({ capabilities: PLAIN, answer: () => new Promise(() => {}) });
    await expect(new SkillsClient(client, { requestTimeoutMs: 20 }).listSkills()).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
    });
  });

  it('is looked for further, with a word, when an index is none', async () => {
    const { client } = await scripted(draft(PLAIN, 'no object'));
    expect(await new SkillsClient(client).listSkills()).toMatchObject({
      dialect: undefined,
      problems: [{ code: 'INVALID_INDEX' }],
    });
  });
});

describe('a forced dialect', () => {
  it.each<[ClientDialect, string | undefined]>([
    ['released', 'complete'],
    ['draft-index', 'complete'],
    ['fastmcp', undefined],
  ])('%s is read where the server speaks all', async (dialect, integrity) => {
    const provider = await createProvider({ source: memorySource({ 'pdf/SKILL.md': manifestText('pdf') }) });
    const server = new McpServer({ name: 'own', version: '1' });
    provider.attach(server);
    const skills = new SkillsClient(await linked(server), { dialect });
    const listing = await skills.listSkills();
    expect(listing).toMatchObject({ dialect, complete: true, problems: [] });
    const [skill] = listing.skills;
    expect(skill?.dialect).toBe(dialect);
    if (integrity !== undefined) expect(skill?.integrity).toBe(integrity);
    if (skill !== undefined)
      expect(await skills.read(skill)).toMatchObject({ text: manifestText('pdf'), verified: true });
  });

  it('is not left when the server does not answer', async () => {
    const { client } = await scripted(draft(SKILLS));
    await expect(new SkillsClient(client, { dialect: 'released' }).listSkills()).rejects.toMatchObject({
      code: 'METHOD_NOT_FOUND',
    });
  });

  it('calls no method of an extension that is not declared (H2)', async () => {
    const { client, seen } = await scripted({ ...skillServer(PDF, entry), capabilities: PLAIN });
    const skills = new SkillsClient(client, { dialect: 'released' });
    await expect(skills.listSkills()).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
    await expect(skills.getSkill('skill://pdf/SKILL.md')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
    expect(seen).toEqual([]);
  });

  it.each([['well-known'], ['gopher']])('%s that cannot be read is refused at once', async (dialect) => {
    const { client } = await scripted(draft(PLAIN));
    expect(() => new SkillsClient(client, { dialect: dialect as ClientDialect })).toThrow(
      expect.objectContaining({ code: 'USAGE' }),
    );
  });
});
