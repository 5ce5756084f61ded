/** A server of the draft that speaks the revision of 2026 over HTTP, as mcpkit 0.5.2 does. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { SkillsClient } from '../../src/client/index.ts';
import { manifestText, sha256 } from './skill-server.ts';

const TEXT = manifestText('a');
const INDEX = {
  $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
  skills: [
    { type: 'skill-md', name: 'a', description: 'About a', url: 'skill://a/SKILL.md', digest: sha256(TEXT) },
  ],
};
const EXTENSION = { specVersion: '2026-04-23', stability: 'experimental', config: { directoryRead: true } };

function answerTo(method: string, uri: unknown): { status: number; body: object } {
  const result = (value: object): { status: number; body: object } => ({
    status: 200,
    body: { result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...value } },
  });
  if (method === 'server/discover')
    return result({
      supportedVersions: ['2026-07-28'],
      capabilities: { resources: {}, extensions: { 'io.modelcontextprotocol/skills': EXTENSION } },
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'draft', version: '1' } },
    });
  if (method === 'resources/read') {
    const text = uri === 'skill://index.json' ? JSON.stringify(INDEX) : TEXT;
    return result({ contents: [{ uri, mimeType: 'text/plain', text }] });
  }
  return { status: 404, body: { error: { code: -32601, message: `method not found: ${method}` } } };
}

it.each([true, false])(
  'is read by its index, though it does not answer skills/list (declared as a draft: %s)',
  async (draft) => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as {
          id?: number;
          method: string;
          params?: { uri?: unknown };
        };
        asked.push(method);
        const { status, body } = answerTo(method, params?.uri);
        const sent = JSON.stringify({ jsonrpc: '2.0', id, ...body });
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(draft ? sent : sent.replace(JSON.stringify(EXTENSION), '{}'));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as AddressInfo;
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
    onTestFinished(() => client.close());
    const skills = new SkillsClient(client);
    const listing = await skills.listSkills();
    expect([listing.dialect, listing.skills.map(({ entry }) => entry.uri)]).toEqual([
      'draft-index',
      ['skill://a/SKILL.md'],
    ]);
    expect(asked).toContain('skills/list');
  },
);
