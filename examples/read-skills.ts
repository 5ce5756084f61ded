/** Reads skills from a server with the official client, which checks every file against its digest. */
// #region read
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';

const client = new Client({ name: 'my-client', version: '1.0.0' });
await client.connect(
  new StreamableHTTPClientTransport(new URL(process.argv[2] ?? 'http://127.0.0.1:8750/mcp')),
);

const skills = new SkillsClient(client);
const listing = await skills.list();
for (const skill of listing.skills) {
  const { verified, bytes } = await skills.read(skill);
  console.log(skill.uri, bytes.length, verified ? 'verified' : 'not verified');
}
await client.close();
// #endregion read
