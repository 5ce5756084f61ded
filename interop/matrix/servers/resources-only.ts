/**
 * Serves every file of a folder as a plain resource, and tells of no skills: resources-only.ts FOLDER stdio|http. Such are
 * servers that were made before the extension.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { host, type Sdk } from './host.ts';

const [folder = '', transport = 'stdio'] = process.argv.slice(2);
const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));

function uriOf(path: string): string {
  const segments = relative(folder, path).split(sep);
  return `skill://${segments.map(encodeURIComponent).join('/')}`;
}

function contentsOf(uri: string, path: string): object {
  const bytes = readFileSync(path);
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return Buffer.from(text).equals(bytes)
    ? { uri, mimeType: 'text/plain', text }
    : { uri, mimeType: 'application/octet-stream', blob: bytes.toString('base64') };
}

const sdk = { createMcpHandler, serveStdio, toNodeHandler } as unknown as Sdk<McpServer>;
await host(sdk, transport, () => {
  const server = new McpServer({ name: 'plain', version: '1.0.0' }, { capabilities: { resources: {} } });
  for (const path of files) {
    const uri = uriOf(path);
    server.registerResource(uri, uri, {}, (asked) => ({ contents: [contentsOf(asked.href, path)] }) as never);
  }
  return server;
});
