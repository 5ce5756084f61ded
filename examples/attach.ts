/** An MCP server with a tool of its own and a folder of skills beside it. */
// #region attach
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createProvider, openSource } from 'skillwire';

const provider = await createProvider({ source: await openSource('examples/skills') });

serveStdio(() => {
  const server = new McpServer({ name: 'my-server', version: '1.0.0' });
  server.registerTool('now', { description: 'Says what time it is' }, () => ({
    content: [{ type: 'text', text: new Date().toISOString() }],
  }));
  provider.attach(server);
  return server;
});
// #endregion attach
