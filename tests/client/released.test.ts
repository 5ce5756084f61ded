import { SkillsClient as OfficialSkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { McpServer } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { describe, expect, it } from 'vitest';
import { SkillsClient } from '../../src/client/index.ts';
import type { JsonRecord } from '../../src/client/json-record.ts';
import { createHttpApp } from '../../src/http/index.ts';
import { createProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { linked, overHttp, scripted } from './link.ts';
import { contents, entryOf, manifestText, PDF, skillServer } from './skill-server.ts';

const entry = entryOf('pdf', PDF);

describe('listing a released server', () => {
  it('gives entries as the server stated them, frozen', async () => {
    const { client } = await scripted(skillServer(PDF, entry));
    const listing = await new SkillsClient(client).listSkills();
    expect(listing).toEqual({
      skills: [{ entry, dialect: 'released', integrity: 'complete', wholeFrontmatter: true }],
      complete: true,
      dialect: 'released',
      problems: [],
    });
    const [skill] = listing.skills;
    for (const part of [
      listing,
      listing.skills,
      skill,
      skill?.entry,
      skill?.entry.frontmatter,
      skill?.entry.resources,
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  const without = (key: string): JsonRecord =>
    Object.fromEntries(Object.entries(entry).filter(([name]) => name !== key));
  const withResource = (change: JsonRecord): JsonRecord => ({
    ...entry,
    resources: [(entry.resources as JsonRecord[])[0], { ...(entry.resources as JsonRecord[])[1], ...change }],
  });

  it.each<[string, unknown]>([
    ['no resources (cl-size-check)', without('resources')],
    ['null for resources', { ...entry, resources: null }],
    ['another word for resources', { ...entry, resources: 'DYNAMIC' }],
    ['no frontmatter', without('frontmatter')],
    ['no uri', without('uri')],
    ['another name than its folder', { ...entry, frontmatter: { name: 'other', description: 'd' } }],
    ['no SKILL.md among its resources', { ...entry, resources: [] }],
    ['a resource outside', withResource({ uri: 'skill://other/a.md' })],
    ['a resource above', withResource({ uri: 'skill://pdf/%2e%2e/a.md' })],
    ['a resource of another scheme', withResource({ uri: 'file://pdf/a.md' })],
    ['a resource twice', withResource({ uri: 'skill://pdf/%53KILL.md' })],
    ['a digest of another algorithm', withResource({ digest: `sha512:${'a'.repeat(64)}` })],
    ['no size', withResource({ size: undefined })],
    ['a negative size', withResource({ size: -1 })],
    ['more files than are judged', { ...entry, resources: Array(50_001).fill(null) }],
    ['a list', []],
    ['null', null],
    ['text', 'skill://pdf/SKILL.md'],
  ])('refuses an entry with %s and keeps its neighbours', async (_, bad) => {
    const good = entryOf('good', { 'skill://good/SKILL.md': manifestText('good') });
    const { client } = await scripted(skillServer(PDF, entry, { 'skills/list': { skills: [bad, good] } }));
    const { skills, problems, complete } = await new SkillsClient(client).listSkills();
    expect(skills.map((skill) => skill.entry.uri)).toEqual(['skill://good/SKILL.md']);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ code: 'INVALID_ENTRY' });
    expect(complete).toBe(true);
  });

  it('refuses every copy of a URI, also one in another spelling and one that is invalid', async () => {
    const good = entryOf('good', { 'skill://good/SKILL.md': manifestText('good') });
    const again = { ...entry, uri: 'SKILL://pdf/SKILL.md' };
    const skills = [entry, good, again, { ...good, resources: null }];
    const { client } = await scripted(skillServer(PDF, entry, { 'skills/list': { skills } }));
    const listing = await new SkillsClient(client).listSkills();
    expect(listing.skills).toEqual([]);
    expect(listing.problems.map(({ code }) => code)).toEqual(Array(4).fill('INVALID_ENTRY'));
  });

  it('keeps two skills of one name under two URIs (H11, H12)', async () => {
    const deep = entryOf('pdf', { 'skill://team/pdf/SKILL.md': manifestText('pdf') });
    const skills = [entry, { ...deep, uri: 'skill://team/pdf/SKILL.md' }];
    const { client } = await scripted(skillServer(PDF, entry, { 'skills/list': { skills } }));
    expect((await new SkillsClient(client).listSkills()).skills).toHaveLength(2);
  });

  it('takes a skill under another scheme, and one far beyond what hosts have to take (H17)', async () => {
    const files = Object.fromEntries(
      ['SKILL.md', ...Array.from({ length: 600 }, (_, at) => `f${at}.md`)].map((name) => [
        `acme://x/pdf/${name}`,
        name === 'SKILL.md' ? manifestText('pdf') : 'x',
      ]),
    );
    const many = { ...entryOf('pdf', files), uri: 'acme://x/pdf/SKILL.md' };
    const { client } = await scripted(skillServer(files, many));
    const skills = new SkillsClient(client);
    const [skill] = (await skills.listSkills()).skills;
    expect(skill?.entry.resources).toHaveLength(601);
    if (skill !== undefined)
      expect(await skills.read(skill, 'f599.md')).toMatchObject({ verified: true, text: 'x' });
  });

  it('tells the first thousand problems one by one and counts the rest', async () => {
    const skills = Array.from({ length: 1_500 }, () => ({}));
    const { client } = await scripted(skillServer(PDF, entry, { 'skills/list': { skills } }));
    const { problems } = await new SkillsClient(client).listSkills();
    expect(problems).toHaveLength(1_001);
    expect(problems.at(-1)?.message).toContain('500 more');
  });

  it('takes a page of 2026-07-28 that does not say how long it is fresh', async () => {
    const { client } = await scripted(skillServer(PDF, entry), {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
    });
    const skills = new SkillsClient(client);
    const [skill] = (await skills.listSkills()).skills;
    expect(skill?.entry.uri).toBe('skill://pdf/SKILL.md');
    expect(await skills.getSkill('skill://pdf/SKILL.md')).toEqual(skill);
  });

  it('fetches nothing but the listing (H34)', async () => {
    const { client, seen } = await scripted(skillServer(PDF, entry));
    const skills = new SkillsClient(client);
    await skills.listSkills();
    await skills.getSkill('skill://pdf/SKILL.md');
    skills.activate('skill://pdf/SKILL.md');
    expect(seen.map(({ method }) => method)).toEqual(['skills/list', 'skills/get']);
  });

  it('says nothing of what an empty listing leaves out (H20, H21)', async () => {
    const { client } = await scripted(skillServer(PDF, entry, { 'skills/list': { skills: [] } }));
    const skills = new SkillsClient(client);
    expect(await skills.listSkills()).toMatchObject({ skills: [], complete: true, dialect: 'released' });
    const skill = await skills.getSkill('skill://pdf/SKILL.md');
    expect(await skills.read(skill)).toMatchObject({ verified: true });
  });
});

describe('getting one skill', () => {
  it.each<[string, string, JsonRecord, string]>([
    [
      'another skill than asked for',
      'skill://pdf/SKILL.md',
      { skill: { ...entry, uri: 'skill://x/pdf/SKILL.md', resources: 'dynamic' } },
      'URI_MISMATCH',
    ],
    ['no entry', 'skill://pdf/SKILL.md', {}, 'INVALID_ENTRY'],
    [
      'an entry without resources',
      'skill://pdf/SKILL.md',
      { skill: { ...entry, resources: undefined } },
      'INVALID_ENTRY',
    ],
  ])('refuses %s', async (_, uri, answer, code) => {
    const { client } = await scripted(skillServer(PDF, entry, { 'skills/get': answer }));
    await expect(new SkillsClient(client).getSkill(uri)).rejects.toMatchObject({ code });
  });

  it('takes another spelling of its URI', async () => {
    const { client } = await scripted(skillServer(PDF, entry, { 'skills/get': { skill: entry } }));
    expect((await new SkillsClient(client).getSkill('SKILL://pdf/%53KILL.md')).entry.uri).toBe(
      'skill://pdf/SKILL.md',
    );
  });

  it.each([
    ['skill://none/SKILL.md', 'RESOURCE_NOT_FOUND', 1],
    ['skill://pdf/references/a.md', 'NOT_MANIFEST_URI', 0],
    ['skill://pdf/%2e%2e/SKILL.md', 'PATH_TRAVERSAL', 0],
    ['not a uri', 'INVALID_SCHEME', 0],
  ])('answers %j with %s after %d requests', async (uri, code, requests) => {
    const { client, seen } = await scripted(skillServer(PDF, entry));
    await expect(new SkillsClient(client).getSkill(uri)).rejects.toMatchObject({ code });
    expect(seen).toHaveLength(requests);
  });
});

describe('real servers', () => {
  const files = {
    'pdf/SKILL.md': manifestText('pdf'),
    'pdf/references/a b.md': 'a\r\n',
    'pdf/assets/x.bin': Buffer.from([0, 255, 128]),
    'pdf/empty.txt': '',
    'team/docs/SKILL.md': manifestText('docs'),
  };

  async function everyFile(skills: SkillsClient): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    const listing = await skills.listSkills();
    expect(listing).toMatchObject({ complete: true, dialect: 'released', problems: [] });
    for (const skill of listing.skills) {
      for (const { uri } of skill.entry.resources as readonly { uri: string }[]) {
        const { bytes, verified } = await skills.read(skill, uri);
        expect(verified).toBe(true);
        found[uri] = Buffer.from(bytes).toString('latin1');
      }
    }
    return found;
  }

  const expected = {
    'skill://pdf/SKILL.md': manifestText('pdf'),
    'skill://pdf/references/a%20b.md': 'a\r\n',
    'skill://pdf/assets/x.bin': '\u0000\u00ff\u0080',
    'skill://pdf/empty.txt': '',
    'skill://team/docs/SKILL.md': manifestText('docs'),
  };

  it('reads every file of our own, in memory', async () => {
    const provider = await createProvider({ source: memorySource(files) });
    const server = new McpServer({ name: 'own', version: '1' });
    provider.attach(server);
    expect(await everyFile(new SkillsClient(await linked(server)))).toEqual(expected);
  });

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'reads every file of our own, over HTTP in %s',
    async (revision) => {
      const provider = await createProvider({ source: memorySource(files) });
      const client = await overHttp(createHttpApp({ provider }), revision);
      expect(await everyFile(new SkillsClient(client))).toEqual(expected);
    },
  );

  it('gives what the official client gives', async () => {
    const provider = await createProvider({
      source: memorySource({
        ...files,
        'typed/SKILL.md': '---\nname: typed\ndescription: d\nn: 1.10\nl: [a, 2]\n---\n\nBody\n',
      }),
    });
    const server = new McpServer({ name: 'own', version: '1' });
    provider.attach(server);
    const mcp = await linked(server);
    const [ours, theirs] = [new SkillsClient(mcp), new OfficialSkillsClient(mcp)];
    const [listing, official] = [await ours.listSkills(), await theirs.list()];
    expect(listing.skills.map(({ entry }) => entry)).toEqual(official.skills);
    for (const skill of listing.skills) {
      const same = (await theirs.get(skill.entry.uri)).skill;
      expect((await ours.getSkill(skill.entry.uri)).entry).toEqual(same);
      for (const { uri } of skill.entry.resources as readonly { uri: string }[]) {
        const [file, expectedFile] = [await ours.read(skill, uri), await theirs.read(same, uri)];
        expect({ ...file, bytes: new Uint8Array(file.bytes) }).toMatchObject(
          'frontmatter' in expectedFile
            ? {
                uri,
                bytes: expectedFile.bytes,
                text: expectedFile.text,
                frontmatter: expectedFile.frontmatter,
                verified: true,
              }
            : { uri, bytes: expectedFile.bytes, mimeType: expectedFile.mimeType, verified: true },
        );
      }
    }
  });

  it('reads every file of the official server', async () => {
    const server = new McpServer({ name: 'official', version: '1' });
    const files = memorySkillFiles({ 'pdf/SKILL.md': manifestText('pdf'), 'pdf/a.md': 'a\r\n' });
    (await SkillsExtension.load(files)).attach(server);
    expect(await everyFile(new SkillsClient(await linked(server)))).toEqual({
      'skill://pdf/SKILL.md': manifestText('pdf'),
      'skill://pdf/a.md': 'a\r\n',
    });
  });
});

describe('a document that a proxy cut', () => {
  it('is refused, however successful it looks (mt-truncated-with-marker)', async () => {
    const files = { ...PDF, 'skill://pdf/big.md': '0123456789abcdef\n'.repeat(20_000) };
    const cut = `${files['skill://pdf/big.md'].slice(0, 262_144)}…[truncated]`;
    const { client } = await scripted(
      skillServer(files, entryOf('pdf', files), {
        'resources/read skill://pdf/big.md': contents('skill://pdf/big.md', cut),
      }),
    );
    const skills = new SkillsClient(client);
    const skill = await skills.getSkill('skill://pdf/SKILL.md');
    await expect(skills.read(skill, 'big.md')).rejects.toMatchObject({ code: 'SIZE_MISMATCH' });
  });
});
