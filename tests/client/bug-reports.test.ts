/** Public bug reports about clients, and about what carries them, by their id; the words and inputs are our own. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  cappedFetch,
  SkillsClient,
  type SkillsClientOptions,
  safeInstructionsBlock,
} from '../../src/client/index.ts';
import { createHttpApp } from '../../src/http/index.ts';
import { createProvider, type ProviderOptions } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { openHostile } from '../../src/testing/index.ts';
import { linkProvider, REVISIONS, type Revision } from '../server/link.ts';
import { scripted } from './link.ts';

type Files = Record<string, string | Uint8Array>;

const vectors = JSON.parse(readFileSync(new URL('../vectors/bug-clients.json', import.meta.url), 'utf8'));
const S = '---\nname: s\ndescription: d\n---\n\n# Demo\nBody.\n';
const URI = 'skill://s/SKILL.md';

/** A client of ours at a provider of ours that holds these files. */
async function reading(
  revision: Revision,
  files: Files,
  options: SkillsClientOptions = {},
  providing: Partial<ProviderOptions> = {},
): Promise<{ skills: SkillsClient; link: Awaited<ReturnType<typeof linkProvider>> }> {
  const provider = await createProvider({ source: memorySource(files), ...providing });
  const link = await linkProvider(provider, revision);
  onTestFinished(async () => {
    await link.close();
    await provider.close();
  });
  return { skills: new SkillsClient(link.client, options), link };
}

function below(folder: string, files: Readonly<Record<string, string | Uint8Array>>): Files {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]));
}

function fromHex(files: Readonly<Record<string, string>>): Record<string, Uint8Array> {
  return Object.fromEntries(Object.entries(files).map(([path, hex]) => [path, Buffer.from(hex, 'hex')]));
}

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

describe.each(REVISIONS)('%s', (revision) => {
  it(`cl-string-digest: ${vectors['cl-string-digest'].says}`, async () => {
    const { files, digests } = vectors['cl-string-digest'];
    const { skills } = await reading(revision, { 's/SKILL.md': S, ...below('s', fromHex(files)) });
    const skill = await skills.getSkill(URI);
    for (const [path, digest] of Object.entries<string>(digests)) {
      const uri = `skill://s/${path}`;
      const stated = Array.isArray(skill.entry.resources)
        ? skill.entry.resources.find((resource: { uri: string }) => resource.uri === uri)
        : undefined;
      expect([path, stated?.digest]).toEqual([path, digest]);
      const { bytes, verified } = await skills.read(skill, path);
      expect([Buffer.from(bytes).toString('hex'), verified]).toEqual([files[path], true]);
    }
  });

  it(`cl-bom-lost-in-decode: ${vectors['cl-bom-lost-in-decode'].says}`, async () => {
    const { files } = vectors['cl-bom-lost-in-decode'];
    const { skills } = await reading(revision, { 's/SKILL.md': S, ...below('s', files) });
    const skill = await skills.getSkill(URI);
    for (const [path, content] of Object.entries<string>(files)) {
      const { text, bytes, verified } = await skills.read(skill, path);
      expect([text, verified]).toEqual([content, true]);
      expect(Buffer.compare(bytes, Buffer.from(content))).toBe(0);
    }
  });

  it(`cl-mime-blob-labelled-text: ${vectors['cl-mime-blob-labelled-text'].says}`, async () => {
    const { files, types } = vectors['cl-mime-blob-labelled-text'];
    const served = { 's/SKILL.md': S, ...below('s', fromHex(files)) };
    const { skills, link } = await reading(revision, served, {}, { supportingFiles: 'resources' });
    const skill = await skills.getSkill(URI);
    const [listed] = await link.pages<{ uri: string; mimeType: string }>('resources/list', 'resources');
    for (const [path, type] of Object.entries<string>(types)) {
      const { mimeType, text } = await skills.read(skill, path);
      expect([path, mimeType, text]).toEqual([path, type, undefined]);
      expect(listed?.find(({ uri }) => uri === `skill://s/${path}`)?.mimeType).toBe(type);
    }
  });

  it('cl-relative-paths-unresolved: what a model gets says where the skill is and whose it is', async () => {
    const manifest = '---\nname: s\ndescription: d\n---\n\nFollow references/style.md\n';
    const { skills } = await reading(revision, { 's/SKILL.md': manifest, 's/references/style.md': 'x' });
    const [loaded] = await skills.loadAll();
    const { text } = safeInstructionsBlock(loaded === undefined ? [] : [loaded], { origin: 'docs server' });
    expect(text).toContain('"skill://s/SKILL.md"');
    expect(text).toContain('docs server');
    const skill = await skills.getSkill(URI);
    for (const ref of ['references/style.md', './references/style.md', 'references/style.md#top']) {
      expect((await skills.read(skill, ref)).uri).toBe('skill://s/references/style.md');
    }
    await expect(skills.read(skill, '../other/x')).rejects.toMatchObject({ code: 'RELATIVE_ESCAPES_SKILL' });
  });

  it('cl-template-hides-files: a client that lists resources alone finds the list of files', async () => {
    const { link } = await reading(revision, { 's/SKILL.md': S, 's/components/a.md': 'x' });
    const [listed] = await link.pages<{ uri: string }>('resources/list', 'resources');
    expect(listed?.map(({ uri }) => uri)).toEqual(expect.arrayContaining([URI, 'skill://s/_manifest']));
    const { result } = await link.ask('resources/read', { uri: 'skill://s/_manifest' });
    expect(JSON.stringify(result)).toContain('components/a.md');
  });

  it('cl-blob-into-context: bytes are given as bytes, and no block shows them', async () => {
    const zip = Buffer.alloc(300_000, 0xa5);
    const { skills } = await reading(revision, { 's/SKILL.md': S, 's/assets/a.zip': zip });
    const skill = await skills.getSkill(URI);
    const file = await skills.read(skill, 'assets/a.zip');
    expect([file.text, file.bytes.byteLength]).toEqual([undefined, 300_000]);
    const { text } = safeInstructionsBlock(await skills.loadAll(), { origin: 'o' });
    expect(text.length).toBeLessThan(2_000);
  });

  it('mt-thousands-of-resources: every skill of every page, in the order of the server', async () => {
    const files: Files = {};
    for (let at = 0; at < 5_000; at++) {
      const name = `s${String(at).padStart(4, '0')}`;
      files[`${name}/SKILL.md`] = `---\nname: ${name}\ndescription: d\n---\n\n# Demo\nBody.\n`;
    }
    const { skills } = await reading(revision, files);
    const { skills: found, complete } = await skills.listSkills();
    expect([found.length, complete]).toEqual([5_000, true]);
    expect([found[0]?.entry.uri, found[4_999]?.entry.uri]).toEqual([
      'skill://s0000/SKILL.md',
      'skill://s4999/SKILL.md',
    ]);
  });
});

it(`cl-lock-hash-crlf: ${vectors['cl-lock-hash-crlf'].says}`, async () => {
  const { lf, crlf } = vectors['cl-lock-hash-crlf'];
  for (const [stated, sent, words] of [
    [lf, crlf, 'with CRLF line ends'],
    [crlf, lf, 'with LF line ends'],
  ]) {
    const entry = {
      uri: URI,
      frontmatter: { name: 's', description: 'd' },
      resources: [{ uri: URI, digest: sha256(stated), size: Buffer.byteLength(stated) }],
    };
    const { client } = await scripted({
      answer: (method) =>
        method === 'skills/get'
          ? { skill: entry }
          : { contents: [{ uri: URI, mimeType: 'text/markdown', text: sent }] },
    });
    const skills = new SkillsClient(client);
    const error = await skills.read(await skills.getSkill(URI)).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'SIZE_MISMATCH', details: { hint: expect.stringContaining(words) } });
    expect(error).toMatchObject({ message: expect.stringContaining('.gitattributes') });
  }
});

it('cl-verify-one-parse-other: what was hashed is what is parsed', async () => {
  for (const name of ['text-and-blob', 'two-contents']) {
    const hostile = openHostile(name);
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(hostile.connect());
    const skills = new SkillsClient(client);
    const skill = await skills.getSkill('skill://liar/SKILL.md');
    await expect(skills.read(skill)).rejects.toMatchObject({ code: 'INVALID_RESULT' });
    await client.close();
    await hostile.close();
  }
});

it('cl-resource-before-load: a file without its entry has no way in, and one that the entry lacks is not asked for', async () => {
  const hostile = openHostile('unlisted-file');
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(hostile.connect());
  const skills = new SkillsClient(client);
  await expect(skills.getSkill('skill://liar/scripts/install.sh')).rejects.toMatchObject({
    code: 'NOT_MANIFEST_URI',
  });
  const skill = await skills.getSkill('skill://liar/SKILL.md');
  await expect(skills.read(skill, 'scripts/install.sh')).rejects.toMatchObject({ code: 'UNLISTED_FILE' });
  expect(hostile.requests.map(({ method }) => method)).toEqual(['skills/get']);
  await client.close();
  await hostile.close();
});

describe('pages', () => {
  async function listed(
    pages: readonly (readonly [string, string | null])[],
  ): Promise<[string[], boolean, number]> {
    let at = 0;
    const { client } = await scripted({
      answer: () => {
        const [name = '', nextCursor = null] = pages[at % pages.length] ?? [];
        at += 1;
        const entry = {
          uri: `skill://${name}/SKILL.md`,
          frontmatter: { name, description: 'd' },
          resources: 'dynamic',
        };
        return { skills: [entry], ...(nextCursor === null ? {} : { nextCursor }) };
      },
    });
    const { skills, complete } = await new SkillsClient(client).listSkills();
    return [skills.map(({ entry }) => entry.uri.slice(8, -9)), complete, at];
  }

  it(`mt-cursor-loop: ${vectors['mt-cursor-loop'].says}`, async () => {
    const [names, complete, requests] = await listed(vectors['mt-cursor-loop'].circle);
    expect([names, complete]).toEqual([['r1', 'r2', 'r3'], false]);
    expect(requests).toBeLessThan(8);
    expect(await listed(vectors['mt-cursor-loop'].empty)).toEqual([['r1', 'r2'], true, 2]);
  });

  it(`mt-constant-cursor-legal: ${vectors['mt-constant-cursor-legal'].says}`, async () => {
    expect(await listed(vectors['mt-constant-cursor-legal'].pages)).toEqual([['s1', 's2', 's3'], true, 3]);
  });
});

describe('a server that was started anew', () => {
  it('mt-client-404-not-reinit: is joined with a new session, and what was held of it counts no more', async () => {
    async function started(body: string, port: number): Promise<{ port: number; close(): Promise<void> }> {
      const source = memorySource({ 's/SKILL.md': `${S}${body}\n` });
      const provider = await createProvider({ source });
      const app = createHttpApp({ provider });
      const listening = await app.listen({ port });
      return {
        port: listening.port,
        close: async () => {
          await app.close({ drainMs: 0 });
          await provider.close();
        },
      };
    }
    const first = await started('first', 0);
    const url = new URL(`http://127.0.0.1:${first.port}/mcp`);
    const opened: Client[] = [];
    const open = async (): Promise<Client> => {
      const client = new Client(
        { name: 'test', version: '1.0.0' },
        { supportedProtocolVersions: ['2025-11-25'] },
      );
      await client.connect(new StreamableHTTPClientTransport(url, { fetch: cappedFetch() }));
      opened.push(client);
      return client;
    };
    const skills = new SkillsClient(await open(), { reconnect: open });
    const before = await skills.getSkill(URI);
    expect((await skills.read(before)).body).toContain('first');
    await first.close();
    const second = await started('second', first.port);
    try {
      const { skills: found } = await skills.listSkills({ fresh: true });
      expect(opened).toHaveLength(2);
      const [after] = found;
      if (after === undefined) throw new Error('nothing is listed');
      expect(after.entry.resources).not.toEqual(before.entry.resources);
      expect((await skills.read(after)).body).toContain('second');
    } finally {
      for (const client of opened) await client.close();
      await second.close();
    }
  });

  it('mt-get-stream-retry-storm: a stream that is refused is not asked for without end', async () => {
    let gets = 0;
    const provider = await createProvider({ source: memorySource({ 's/SKILL.md': S }) });
    const app = createHttpApp({ provider });
    const server = createServer((request, response) => {
      if (request.method !== 'GET') {
        app.handler(request, response);
        return;
      }
      gets += 1;
      response.writeHead(400).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { supportedProtocolVersions: ['2025-11-25'] },
    );
    await client.connect(new StreamableHTTPClientTransport(url, { fetch: cappedFetch() }));
    const skills = new SkillsClient(client);
    for (let turn = 0; turn < 20; turn++) {
      skills.forget();
      expect((await skills.listSkills()).skills).toHaveLength(1);
    }
    expect(gets).toBeLessThan(3);
    await client.close();
    await app.close({ drainMs: 0 });
    await provider.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
