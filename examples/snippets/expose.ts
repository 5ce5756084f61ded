import { McpServer } from '@modelcontextprotocol/server';
import { createProvider, directorySource, type SkillProvider } from 'skillwire';

/** A provider that shows its skills by tools and prompts as well. */
export async function exposed(): Promise<SkillProvider> {
  // #region provider
  const provider = await createProvider({
    source: directorySource('./skills'),
    expose: ['tools', 'prompts'],
    exposeTo: 'clients-without-skills',
    instructions: true,
  });
  // #endregion provider
  return provider;
}

/** A server of one's own with both. */
export function beside(provider: SkillProvider): McpServer {
  // #region attach
  const server = new McpServer(
    { name: 'my-server', version: '1.0.0' },
    { instructions: `Ask before you send mail.\n\n${provider.instructions()}`.slice(0, 2_000) },
  );
  provider.attach(server);
  // #endregion attach
  return server;
}
