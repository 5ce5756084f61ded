/**
 * One of the servers that are compared, over the same folder: `skillwire`, `sdk` (the official SDK's server with its
 * skills extension) or `floor` (bare `node:http`: parses the request, answers with bytes recorded before).
 * Usage: serve.ts WHO ROOT [ANSWERS]. Prints where it listens, ends with its input.
 */
import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { built } from './built.ts';

const [who = '', root = '', answers = ''] = process.argv.slice(2);

/** The bare server. */
function floor(): RequestListener {
  const recorded = JSON.parse(readFileSync(answers, 'utf8')) as Record<string, string>;
  const bytes = new Map(Object.entries(recorded).map(([method, body]) => [method, Buffer.from(body)]));
  return (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method } = JSON.parse(Buffer.concat(parts).toString('utf8')) as { method: string };
      const body = bytes.get(method) ?? Buffer.from('{}');
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.end(body);
    });
  };
}

/** The official SDK, as its documentation wires it. */
async function sdk(): Promise<RequestListener> {
  const catalog = await loadSkills(root);
  const handler = createMcpHandler(() => {
    const mcp = new McpServer({ name: 'peer', version: '1.0.0' });
    catalog.attach(mcp);
    return mcp;
  });
  const node = toNodeHandler(handler) as unknown as RequestListener;
  return node;
}

async function listener(): Promise<RequestListener> {
  if (who === 'floor') return floor();
  if (who === 'sdk') return sdk();
  const { createHttpApp, createProvider, directorySource } = await built();
  const provider = await createProvider({ source: directorySource(root) });
  const app = createHttpApp({ provider });
  return (request, response) => app.handler(request, response);
}

const server = createServer(await listener());
server.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
});
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
