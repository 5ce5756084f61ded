/** Serves a folder with `@olaservo/ext-skills`: olaservo.ts PEER FOLDER stdio|http. */
import { peerImport } from '../peer-import.ts';
import { host, type Sdk } from './host.ts';

interface McpServer {
  readonly server: unknown;
}

interface ServerModule extends Sdk<McpServer> {
  readonly McpServer: new (info: object, options: object) => McpServer;
}

interface SkillsModule {
  readonly discoverSkills: (folder: string) => ReadonlyMap<string, unknown>;
  readonly registerSkillResources: (
    server: McpServer,
    skills: ReadonlyMap<string, unknown>,
    folder: string,
    options: object,
  ) => void;
}

const [peer = '', folder = '', transport = 'stdio'] = process.argv.slice(2);
const { discoverSkills, registerSkillResources } = await peerImport<SkillsModule>(
  peer,
  '@olaservo/ext-skills/server',
);
const { McpServer, createMcpHandler } = await peerImport<ServerModule>(peer, '@modelcontextprotocol/server');
const { serveStdio } = await peerImport<ServerModule>(peer, '@modelcontextprotocol/server/stdio');
const { toNodeHandler } = await peerImport<ServerModule>(peer, '@modelcontextprotocol/node');

// It writes about what it leaves out to stdout, which is the protocol's.
console.log = console.error;
const skills = discoverSkills(folder);
await host({ createMcpHandler, serveStdio, toNodeHandler }, transport, () => {
  const server = new McpServer({ name: 'olaservo', version: '1.0.0' }, { capabilities: { resources: {} } });
  registerSkillResources(server, skills, folder, { template: true, directoryRead: true });
  return server;
});
