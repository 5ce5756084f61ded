import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ClientTask } from '../adapter.ts';

/** How a client of the official SDK, of whichever copy, is asked to speak. */
export function negotiationOf({ era }: Pick<ClientTask, 'era'>): object {
  return era === 'legacy' ? { mode: 'legacy' } : { mode: { pin: '2026-07-28' } };
}

/** A connected client of the official SDK that speaks the revision of the task and no other. */
export async function connectOfficial(
  task: ClientTask,
  http: { readonly fetch?: typeof fetch } = {},
  stdio: { readonly maxBufferSize?: number } = {},
): Promise<Client> {
  const client = new Client(
    { name: 'matrix', version: '1.0.0' },
    { versionNegotiation: negotiationOf(task) as never },
  );
  const { target } = task;
  const transport =
    'url' in target
      ? new StreamableHTTPClientTransport(new URL(target.url), http)
      : new StdioClientTransport({
          command: target.command,
          args: [...target.args],
          env: { ...target.env },
          stderr: 'ignore',
          ...stdio,
        });
  await client.connect(transport);
  return client;
}

/** Has `heard` called when the resources of the server change, in either revision. */
export async function onResourcesChanged(
  client: Client,
  era: ClientTask['era'],
  heard: () => void,
): Promise<void> {
  client.setNotificationHandler('notifications/resources/list_changed', heard);
  if (era === 'modern') await client.listen({ resourcesListChanged: true });
}
