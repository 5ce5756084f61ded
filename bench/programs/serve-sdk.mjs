/** The official SDK's server, as its documentation wires it. Usage: node serve-sdk.mjs FOLDER http|stdio */
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { listen } from './listen.mjs';

const [root = '', transport = 'http'] = process.argv.slice(2);
const catalog = await loadSkills(root);
const factory = () => {
  const mcp = new McpServer({ name: 'peer', version: '1.0.0' });
  catalog.attach(mcp);
  return mcp;
};
if (transport === 'http') listen(toNodeHandler(createMcpHandler(factory)));
else {
  serveStdio(factory);
  process.stdin.once('end', () => process.exit(0));
}
