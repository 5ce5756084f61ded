import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import type { SkillProvider } from 'skillwire';

/** Attaches with options. */
export function withOptions(provider: SkillProvider, server: McpServer): void {
  // #region options
  provider.attach(server, { transport: 'http', listChanged: false });
  // #endregion options
}

/** Attaches to a server for each request. */
export function perRequest(provider: SkillProvider): ReturnType<typeof createMcpHandler> {
  // #region per-request
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'my-server', version: '1.0.0' });
    provider.attach(server, { transport: 'http' });
    return server;
  });
  provider.onBroadcast(({ params, promptsChanged, updated }) => {
    if (params !== undefined) handler.bus.publish({ kind: 'resources_list_changed', params });
    if (promptsChanged) handler.bus.publish({ kind: 'prompts_list_changed' });
    for (const uri of updated) handler.bus.publish({ kind: 'resource_updated', uri });
  });
  // #endregion per-request
  return handler;
}
