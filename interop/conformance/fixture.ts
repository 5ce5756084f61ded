/**
 * A server of somebody else's that Skillwire is attached to: one tool, one prompt, the `test://` resources that the
 * base scenarios ask for, and the example skills beside them. Prints where it listens, ends with its input.
 */
import { fileURLToPath } from 'node:url';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { createHttpApp } from '../../src/http/index.ts';
import { createProvider } from '../../src/server/index.ts';
import { directorySource } from '../../src/source/index.ts';

const RED_PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const provider = await createProvider({
  source: directorySource(fileURLToPath(new URL('../../examples/skills', import.meta.url))),
});

/** A server as its owner would build it, with the skills attached last. */
function embed(): McpServer {
  const mcp = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    { capabilities: { resources: { subscribe: true }, tools: {}, prompts: {} } },
  );
  mcp.registerTool(
    'echo',
    { description: 'Gives its text back.', inputSchema: z.object({ text: z.string() }) },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  mcp.registerPrompt('greet', { description: 'Greets.' }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Say hello.' } }],
  }));
  mcp.registerResource('static-text', 'test://static-text', { mimeType: 'text/plain' }, () => ({
    contents: [{ uri: 'test://static-text', mimeType: 'text/plain', text: 'Plain text.' }],
  }));
  mcp.registerResource('static-binary', 'test://static-binary', { mimeType: 'image/png' }, () => ({
    contents: [{ uri: 'test://static-binary', mimeType: 'image/png', blob: RED_PIXEL }],
  }));
  mcp.registerResource('watched', 'test://watched-resource', { mimeType: 'text/plain' }, () => ({
    contents: [{ uri: 'test://watched-resource', mimeType: 'text/plain', text: 'Watched.' }],
  }));
  mcp.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { mimeType: 'application/json' },
    (uri, { id }) => ({
      contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify({ id }) }],
    }),
  );
  mcp.server.setRequestHandler('resources/subscribe', () => ({}));
  mcp.server.setRequestHandler('resources/unsubscribe', () => ({}));
  provider.attach(mcp);
  return mcp;
}

/** The provider, but each of its servers is one of ours with the skills attached. */
const embedding = new Proxy(provider, {
  get(target, key) {
    if (key === 'createServer') return () => embed().server;
    const value: unknown = Reflect.get(target, key, target);
    return typeof value === 'function' ? value.bind(target) : value;
  },
});
const app = createHttpApp({ provider: embedding });
const { url } = await app.listen({ port: 0 });
console.log(`fixture listening on ${url}`);
process.stdin.resume();
process.stdin.once('end', async () => {
  await app.close({ drainMs: 0 });
  await provider.close();
  process.exit(0);
});
