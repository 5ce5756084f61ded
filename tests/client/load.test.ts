import { describe, expect, it } from 'vitest';
import { type ActivationEvent, SkillsClient, type SkillsClientOptions } from '../../src/client/index.ts';
import type { Index } from '../../src/wire/index.ts';
import { recordingLogger } from '../server/support.ts';
import { type Script, scripted } from './link.ts';
import { contents, entryOf, manifestText, notFound, sha256, skillServer } from './skill-server.ts';

const names = ['b', 'a', 'c', 'z'];
const files = Object.fromEntries(names.map((name) => [`skill://${name}/SKILL.md`, manifestText(name)]));
const row = (name: string): Index['skills'][number] => ({
  type: 'skill-md',
  name,
  description: `About ${name}`,
  url: `skill://${name}/SKILL.md`,
  digest: sha256(manifestText(name)),
});
const index = (skills: readonly unknown[]): Index => ({ $schema: 's', skills: skills as Index['skills'] });

async function start(script: Script, options: SkillsClientOptions = {}) {
  const { client, seen } = await scripted(script);
  return { client: new SkillsClient(client, options), seen };
}
const server = skillServer(files, {});

describe('loadIndex', () => {
  it('loads what has the digest, sorts by URL, and keeps each failure at its entry', async () => {
    const { client } = await start(server);
    const loaded = await client.loadIndex(
      index([
        row('z'),
        { ...row('b'), digest: sha256('x') },
        row('a'),
        { ...row('gone'), name: 'gone' },
        { ...row('c'), type: 'archive', url: 'skill://c.zip' },
        { ...row('c'), type: 'widget', url: 'skill://d' },
        { ...row('c'), digest: undefined },
      ]),
    );
    expect(
      loaded.map(({ entry, body, error }) => [entry.url, body && Buffer.from(body).toString(), error?.code]),
    ).toEqual([
      ['skill://a/SKILL.md', manifestText('a'), undefined],
      ['skill://b/SKILL.md', undefined, 'DIGEST_MISMATCH'],
      ['skill://c.zip', undefined, 'ARCHIVE_NOT_LOADED'],
      ['skill://c/SKILL.md', manifestText('c'), undefined],
      ['skill://d', undefined, 'UNKNOWN_SKILL_TYPE'],
      ['skill://gone/SKILL.md', undefined, 'RESOURCE_NOT_FOUND'],
      ['skill://z/SKILL.md', manifestText('z'), undefined],
    ]);
  });

  it('asks one after the other, in the order of the index', async () => {
    const { client, seen } = await start(server);
    await client.loadIndex(index(names.map(row)));
    expect(seen.map(({ params }) => params.uri)).toEqual(names.map((name) => `skill://${name}/SKILL.md`));
  });

  it('sorts by code points and not by UTF-16', async () => {
    const { client } = await start({ answer: (_, { uri }) => notFound(uri) });
    const urls = ['skill://\u{1f600}', 'skill://\uff5e', 'skill://a'];
    const loaded = await client.loadIndex(index(urls.map((url) => ({ ...row('a'), url }))));
    expect(loaded.map(({ entry }) => entry.url)).toEqual([
      'skill://a',
      'skill://\uff5e',
      'skill://\u{1f600}',
    ]);
  });

  it('is empty for an empty index, and ends with the reason of a signal', async () => {
    const { client } = await start(server);
    expect(await client.loadIndex(index([]))).toEqual([]);
    const signal = AbortSignal.abort(new Error('left'));
    await expect(client.loadIndex(index([row('a')]), { signal })).rejects.toThrow('left');
  });
});

describe('loadAll', () => {
  it('loads an index of the older draft as loadIndex does', async () => {
    const { client } = await start({
      capabilities: { resources: {} },
      answer: (method, params) =>
        params.uri === 'skill://index.json'
          ? contents('skill://index.json', JSON.stringify(index([row('b'), row('a')])))
          : server.answer(method, params),
    });
    const loaded = await client.loadAll();
    expect(loaded.map(({ entry, error }) => [entry, error])).toEqual([
      [row('a'), undefined],
      [row('b'), undefined],
    ]);
  });

  it('throws when the index itself cannot be had', async () => {
    const { client } = await start({ answer: () => ({ error: { code: -32603, message: 'oh' } }) });
    await expect(client.loadAll()).rejects.toMatchObject({ code: 'SERVER_ERROR' });
  });

  it('makes entries for a released server, and checks frontmatter too', async () => {
    const good = entryOf('a', { 'skill://a/SKILL.md': manifestText('a') });
    const evil = {
      ...entryOf('b', { 'skill://b/SKILL.md': manifestText('b') }),
      frontmatter: { name: 'b', description: 'Evil' },
    };
    const dynamic = { ...entryOf('c', {}), resources: 'dynamic' };
    const { client } = await start(
      skillServer(files, {}, { 'skills/list': { skills: [dynamic, evil, good] } }),
    );
    const loaded = await client.loadAll();
    expect(loaded).toMatchObject([
      { entry: row('a'), integrity: 'complete' },
      { entry: { ...row('b'), description: 'Evil' }, error: { code: 'FRONTMATTER_MISMATCH' } },
      { entry: { url: 'skill://c/SKILL.md' }, integrity: 'dynamic', error: { code: 'DYNAMIC_REFUSED' } },
    ]);
    expect(loaded[2]?.entry).not.toHaveProperty('digest');
    expect(Buffer.from(loaded[0]?.body ?? []).toString()).toBe(manifestText('a'));
  });

  it('is empty for a server without skills', async () => {
    const { client } = await start({ capabilities: {}, answer: () => undefined });
    expect(await client.loadAll()).toEqual([]);
  });
});

describe('activate', () => {
  it('tells the hook what it returns, and sends nothing', async () => {
    const told: ActivationEvent[] = [];
    const { client, seen } = await start(server, { onActivate: (event) => told.push(event) });
    const event = client.activate('skill://a/SKILL.md', { reason: 'user_requested' });
    expect(event).toEqual({
      uri: 'skill://a/SKILL.md',
      reason: 'user_requested',
      timestamp: expect.any(Date),
    });
    expect(told).toEqual([event]);
    expect(told[0]?.timestamp).toBe(event.timestamp);
    expect(seen).toEqual([]);
  });

  it.each(['', 'not a uri', 'skill://a/%2e%2e/SKILL.md', 'skill://a/x.md'])(
    'judges no URI: %j',
    async (uri) => {
      const { client } = await start(server);
      const event = client.activate(uri);
      expect(event.uri).toBe(uri);
      expect(event).not.toHaveProperty('reason');
    },
  );

  it('never fails: a hook that throws is named in the log', async () => {
    const { logger, lines } = recordingLogger();
    const { client } = await start(server, {
      logger,
      onActivate: () => {
        throw new Error('hook');
      },
    });
    expect(client.activate('skill://a/SKILL.md').uri).toBe('skill://a/SKILL.md');
    expect(lines).toMatchObject([{ level: 'error', fields: { error: 'hook' } }]);
  });
});
