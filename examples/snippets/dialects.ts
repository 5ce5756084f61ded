import type { Client } from '@modelcontextprotocol/client';
import { createProvider, openSource, type SkillProvider } from 'skillwire';
import { parseSkillManifest } from 'skillwire/wire';

/** Serves what the user's agent has, to FastMCP clients alone. */
export async function fastmcpAlone(): Promise<SkillProvider> {
  // #region serve
  const provider = await createProvider({
    source: await openSource('vendor:claude'),
    dialects: ['fastmcp'],
    supportingFiles: 'resources',
  });
  // #endregion serve
  return provider;
}

/** Which files a skill has, as a FastMCP client learns it. */
export async function filesOf(client: Client): Promise<readonly string[]> {
  // #region manifest
  const { contents } = await client.readResource({ uri: 'skill://pdf/_manifest' });
  const [content] = contents;
  const list = parseSkillManifest(content !== undefined && 'text' in content ? content.text : '');
  return list.files.map(({ path, size, hash }) => `${path} ${size} ${hash}`);
  // #endregion manifest
}
