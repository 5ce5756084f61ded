/** Serves a folder with the extension of the official SDK: official.ts FOLDER stdio|http. */
import { watch } from 'node:fs';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { host, type Sdk } from './host.ts';

const [folder = '', transport = 'stdio'] = process.argv.slice(2);
const skills = await loadSkills(folder, { onWarning: (warning) => console.error(JSON.stringify(warning)) });
const sdk = { createMcpHandler, serveStdio, toNodeHandler } as unknown as Sdk<McpServer>;
const hosted = await host(sdk, transport, () => {
  const server = new McpServer({ name: 'official', version: '1.0.0' }, { capabilities: { resources: {} } });
  skills.attach(server);
  return server;
});

// Its owner reloads it; a watcher is what an owner would do.
let timer: NodeJS.Timeout | undefined;
watch(folder, { recursive: true }, () => {
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const { listChanged } = await skills.reload();
    if (listChanged) hosted.resourcesChanged();
  }, 100);
});
