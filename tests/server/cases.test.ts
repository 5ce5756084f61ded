/** Public bug reports about servers on the wire (theme `mcp-transport`), by their id, for every revision. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { UriTemplate } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { createProvider, type SkillProvider } from '../../src/server/index.ts';
import { type MemorySource, memorySource } from '../../src/source/index.ts';
import { type Link, linkProvider, REVISIONS } from './link.ts';
import { skillText } from './support.ts';

type Files = Record<string, string | Uint8Array>;

describe.each(REVISIONS)('%s', (revision) => {
  async function serve(
    files: Files,
    use: (link: Link, source: MemorySource, provider: SkillProvider) => Promise<void>,
    prefix?: string,
  ): Promise<void> {
    const source = memorySource(files);
    const provider = await createProvider({
      source,
      dialects: ['released'],
      ...(prefix !== undefined && { prefix }),
    });
    const link = await linkProvider(provider, revision);
    await use(link, source, provider);
    await link.close();
    await provider.close();
  }

  it('mt-thousands-of-resources: all pages reach all, and a deletion between pages costs nobody else', async () => {
    const files: Files = {};
    for (let at = 0; at < 5000; at++) {
      const name = `s${String(at).padStart(4, '0')}`;
      files[`skills/${name}/SKILL.md`] = skillText(name);
    }
    await serve(files, async (link, source, provider) => {
      expect((await new SkillsClient(link.client).list()).skills).toHaveLength(5000);
      for (const [method, key] of [
        ['skills/list', 'skills'],
        ['resources/list', 'resources'],
      ] as const) {
        const pages = await link.pages<{ uri: string }>(method, key);
        expect(pages.map((page) => page.length)).toEqual(Array.from({ length: 10 }, () => 500));
        expect(new Set(pages.flat().map((each) => each.uri)).size).toBe(5000);
      }
      const first = (await link.ask('resources/list')).result;
      source.delete('skills/s0499');
      await provider.refresh();
      const second = (await link.ask('resources/list', { cursor: first?.nextCursor })).result;
      expect(second?.resources).toMatchObject({ 0: { uri: 'skill://skills/s0500/SKILL.md' } });
      for (const cursor of ['garbled', `${first?.nextCursor}x`, String(first?.nextCursor).slice(1)]) {
        expect((await link.ask('resources/list', { cursor })).error?.code).toBe(-32602);
      }
    });
  });

  it('mt-template-nested-path: the published template matches files at every depth', async () => {
    await serve({ 'demo/SKILL.md': skillText('demo'), 'demo/references/a.md': 'a' }, async (link) => {
      const [[template] = []] = await link.pages<{ uriTemplate: string }>(
        'resources/templates/list',
        'resourceTemplates',
      );
      const matcher = new UriTemplate(template?.uriTemplate ?? '');
      for (const uri of ['skill://demo/SKILL.md', 'skill://demo/references/a.md']) {
        expect(matcher.match(uri)).toEqual({ path: uri.slice('skill://'.length) });
        expect((await link.ask('resources/read', { uri })).result?.contents).toHaveLength(1);
      }
    });
  });

  it('mt-template-redos: thousands of commas are looked up like any other name', async () => {
    await serve({ 'demo/SKILL.md': skillText('demo') }, async (link) => {
      for (const count of [40, 4000, 40_000]) {
        const { error } = await link.ask('resources/read', { uri: `skill://demo/${'a,'.repeat(count)}b/` });
        expect(error?.code).toBe(-32602);
      }
    });
  });

  it('mt-template-nonascii-literal: a prefix or folder outside ASCII is read in every spelling', async () => {
    const files = { 'x/SKILL.md': skillText('x'), 'x/my docs/é': 'text' };
    await serve(
      files,
      async (link) => {
        for (const uri of [
          'skill://caf%C3%A9/x/my%20docs/%C3%A9',
          'skill://caf%c3%a9/x/my%20docs/%c3%a9',
          'skill://café/x/my docs/é',
        ]) {
          const { result } = await link.ask('resources/read', { uri });
          expect(result?.contents).toMatchObject([
            { uri: 'skill://caf%C3%A9/x/my%20docs/%C3%A9', text: 'text' },
          ]);
        }
        const { result } = await link.ask('skills/get', { uri: 'skill://café/x/SKILL.md' });
        expect(result?.skill).toMatchObject({ uri: 'skill://caf%C3%A9/x/SKILL.md' });
      },
      'café',
    );
  });

  it('mt-truncated-with-marker: large text and bytes arrive whole', async () => {
    const pdf = new Uint8Array(1_048_576);
    for (let at = 0; at < pdf.length; at++) pdf[at] = (at * 2_654_435_761) >>> 13;
    const big = '0123456789abcdef\n'.repeat(20_000);
    const files = { 's/SKILL.md': skillText('s'), 's/references/big.md': big, 's/assets/a.pdf': pdf };
    await serve(files, async (link) => {
      const skills = new SkillsClient(link.client);
      const { skill } = await skills.get('skill://s/SKILL.md');
      const text = await skills.read(skill, 'references/big.md');
      expect([text.verified, text.text]).toEqual([true, big]);
      const bytes = await skills.read(skill, 'assets/a.pdf');
      expect(bytes.verified).toBe(true);
      expect(Buffer.compare(bytes.bytes, pdf)).toBe(0);
    });
  });

  it('mt-no-freshness-hints: on 2026-07-28 and nowhere else', async () => {
    await serve({ 's/SKILL.md': skillText('s') }, async (link) => {
      const uri = 'skill://s/SKILL.md';
      for (const [method, params] of [
        ['skills/list', {}],
        ['skills/get', { uri }],
        ['resources/directory/read', { uri: 'skill://s' }],
        ['resources/list', {}],
        ['resources/templates/list', {}],
        ['resources/read', { uri }],
      ] as const) {
        const { result } = await link.ask(method, params);
        const hints = [result?.ttlMs, result?.cacheScope, result?.resultType];
        expect([method, hints]).toEqual([
          method,
          revision === '2026-07-28' ? [5000, 'private', 'complete'] : [undefined, undefined, undefined],
        ]);
      }
    });
  });

  it('mt-list-changed-dropped: what is advertised is delivered, once to each session', async () => {
    const source = memorySource({ 's/SKILL.md': skillText('s') });
    const provider = await createProvider({ source });
    const links = [await linkProvider(provider, revision), await linkProvider(provider, revision)];
    for (const link of links) {
      expect(link.client.getServerCapabilities()?.resources).toEqual({
        listChanged: true,
        subscribe: true,
      });
      if (revision === '2026-07-28') await link.client.listen({ resourcesListChanged: true });
    }
    source.set('new/SKILL.md', skillText('new'));
    await provider.refresh();
    for (const link of links) {
      await link.ask('skills/list');
      const heard = link.heard.filter(
        (message) => 'method' in message && message.method === 'notifications/resources/list_changed',
      );
      expect(heard).toHaveLength(1);
      await link.close();
    }
    await provider.close();
  });
});

it('mt-stdout-pollution: every line of stdout is a message, whatever the environment asks for', async () => {
  const program = fileURLToPath(new URL('./stdio-program.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', program], {
    env: { ...process.env, DEBUG: '*', NODE_DEBUG: 'net,stream', PYTHONWARNINGS: 'default' },
  });
  let out = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.resume();
  const messages = [
    {
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
    },
    { id: 1, method: 'skills/list', params: {} },
    { id: 2, method: 'skills/get', params: { uri: 'skill://broken/SKILL.md' } },
  ];
  child.stdin.end(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  await once(child, 'close');
  const answers = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { jsonrpc: string; id: number });
  expect(answers.map((answer) => [answer.jsonrpc, answer.id])).toEqual([
    ['2.0', 0],
    ['2.0', 1],
    ['2.0', 2],
  ]);
});
