import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The official client, connected in the era that the server prefers. */
export async function connect(url, token) {
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}
