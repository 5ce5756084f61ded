import type { Client } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { createProvider, directorySource, type SkillProvider, type Source } from 'skillwire';
import { createIndexer } from 'skillwire/server';
import { decodeListChanged } from 'skillwire/wire';

/** A provider that follows a folder. */
export async function watching(): Promise<SkillProvider> {
  // #region watch
  const provider = await createProvider({
    source: directorySource('./skills'),
    watch: true,
    coalesceWindowMs: 200,
    maxWaitMs: 2_000,
    minBroadcastIntervalMs: 1_000,
  });
  // #endregion watch
  return provider;
}

/** Reports what a program of its own has seen. */
export async function reporting(provider: SkillProvider): Promise<void> {
  // #region report
  await provider.notifyChanged('pdf/SKILL.md', 'pdf/references/forms.md');
  await provider.notifyChangedEvents({ path: 'csv/SKILL.md', action: 'deleted', timestamp: new Date() });
  await provider.refresh(); // something changed, and nobody knows what
  // #endregion report
}

/** Ends with the last batch told. */
export async function ending(provider: SkillProvider): Promise<void> {
  // #region shutdown
  await provider.shutdown({ signal: AbortSignal.timeout(5_000) });
  // #endregion shutdown
}

/** Hears what changed, over either era. */
export function listening(client: Client, forget: (path: string) => void): void {
  // #region listen
  client.setNotificationHandler('notifications/resources/list_changed', ({ params }) => {
    const change = decodeListChanged(params);
    if (change?.paths === undefined) return forget('*'); // read everything again
    for (const path of Object.keys(change.paths)) forget(path);
  });
  // #endregion listen
}

/** Serves the index with options of its own. */
export async function indexing(source: Source): Promise<McpServer> {
  // #region indexer
  const provider = await createProvider({ source, index: false });
  const server = new McpServer({ name: 'my-server', version: '1.0.0' });
  createIndexer(provider, { ttlMs: 5_000, mtimeChecks: false }).registerWith(server);
  provider.attach(server);
  // #endregion indexer
  return server;
}

/** Serves archives, as the draft alone. */
export async function archives(source: Source): Promise<SkillProvider> {
  // #region archives
  const provider = await createProvider({ source, dialects: ['draft-index'], archive: 'tar.gz' });
  // #endregion archives
  return provider;
}
