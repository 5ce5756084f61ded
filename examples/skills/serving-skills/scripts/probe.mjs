#!/usr/bin/env node
// Asks an MCP server over HTTP for its skills and prints what a client would see.
const [url] = process.argv.slice(2);
if (url === undefined || url === '--help' || url === '-h') {
  console.log('usage: node probe.mjs URL\n\nThe token, if one is needed, comes from SKILLWIRE_TOKEN.');
  process.exit(url === undefined ? 2 : 0);
}

const VERSION = '2025-11-25';
const headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  ...(process.env.SKILLWIRE_TOKEN ? { authorization: `Bearer ${process.env.SKILLWIRE_TOKEN}` } : {}),
};
let nextId = 1;

async function post(message) {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const session = response.headers.get('mcp-session-id');
  if (session !== null) headers['mcp-session-id'] = session;
  const text = await response.text();
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${text.slice(0, 200)}`);
  if (text === '') return undefined;
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const json = isStream ? text.split('\n').findLast((line) => line.startsWith('data:'))?.slice(5) : text;
  return JSON.parse(json ?? 'null');
}

async function request(method, params) {
  const answer = await post({ id: nextId++, method, params });
  if (answer?.error !== undefined) throw new Error(`${method}: ${answer.error.message} (${answer.error.code})`);
  return answer?.result;
}

try {
  const { serverInfo, capabilities } = await request('initialize', {
    protocolVersion: VERSION,
    capabilities: {},
    clientInfo: { name: 'probe', version: '1' },
  });
  headers['mcp-protocol-version'] = VERSION;
  await post({ method: 'notifications/initialized' });
  console.log(`${serverInfo.name} ${serverInfo.version}`);
  if (capabilities.extensions?.['io.modelcontextprotocol/skills'] === undefined) {
    console.log('this server does not say that it has skills');
    process.exit(1);
  }
  let count = 0;
  let cursor;
  do {
    const page = await request('skills/list', cursor === undefined ? {} : { cursor });
    for (const skill of page.skills) {
      const files = skill.resources === 'dynamic' ? 'dynamic' : `${skill.resources.length} ${skill.resources.length === 1 ? 'file' : 'files'}`;
      console.log(`${skill.uri}  ${files}\n    ${skill.frontmatter.description}`);
      count += 1;
    }
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  console.log(`${count} skills`);
  if (headers['mcp-session-id'] !== undefined) await fetch(url, { method: 'DELETE', headers });
} catch (error) {
  const reason = error.cause?.code ?? error.message;
  console.error(`cannot ask ${url}: ${reason}`);
  process.exit(1);
}
