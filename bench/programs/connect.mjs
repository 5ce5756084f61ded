import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** The official client, connected in the era that the server prefers, with a `fetch` of the caller's if there is one. */
export async function connect(url, token, fetch) {
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, ...(fetch && { fetch }) }),
  );
  return client;
}
