import type { Client } from '@modelcontextprotocol/client';
import { type SkillListing, SkillsClient } from 'skillwire/client';

/** Skills of a server, or of the web server that it stands on. */
export async function anyDialect(mcpClient: Client): Promise<SkillListing> {
  // #region any
  const client = new SkillsClient(mcpClient, { wellKnown: { url: 'https://skills.example' } });
  const listing = await client.listSkills();
  for (const { entry, dialect, integrity } of listing.skills) console.log(entry.uri, dialect, integrity);
  for (const { code, message } of listing.problems) console.error(code, message);
  // #endregion any
  return listing;
}

/** One dialect and no other. */
export function forced(mcpClient: Client): SkillsClient {
  // #region forced
  const client = new SkillsClient(mcpClient, { dialect: 'plain' });
  // #endregion forced
  return client;
}

/** What real web servers publish. */
export function published(mcpClient: Client, token: string): SkillsClient {
  // #region tolerant
  const wellKnown = {
    url: 'https://skills.example/team',
    headers: { authorization: `Bearer ${token}` },
    tolerant: true,
  };
  const client = new SkillsClient(mcpClient, { dialect: 'well-known', wellKnown });
  // #endregion tolerant
  return client;
}
