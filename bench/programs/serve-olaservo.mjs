/** `@olaservo/ext-skills`, as its documentation wires it for both eras. Usage: node serve-olaservo.mjs PEER FOLDER */
import { listen } from './listen.mjs';
import { peerModule } from './peer-module.mjs';

const [peer = '', root = ''] = process.argv.slice(2);
const { discoverSkills, registerSkillResources } = await peerModule(peer, '@olaservo/ext-skills/server');
const { McpServer, createMcpHandler } = await peerModule(peer, '@modelcontextprotocol/server');
const { toNodeHandler } = await peerModule(peer, '@modelcontextprotocol/node');

const skills = discoverSkills(root);
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'olaservo', version: '1.0.0' }, { capabilities: { resources: {} } });
  registerSkillResources(server, skills, root, { template: true, directoryRead: true, pageSize: 100 });
  return server;
});
listen(toNodeHandler(handler));
