/** Reads `skill://` resources with the official SDK before its second version: sdk-v1.ts PEER TASK. It speaks 2025-11-25. */
import { peerImport } from '../peer-import.ts';
import {
  type Contents,
  filesOf,
  hashOf,
  Reads,
  report,
  skillsAmong,
  taskOf,
  whetherNotified,
} from './report.ts';

interface V1Client {
  connect(transport: unknown): Promise<void>;
  listResources(params: { cursor?: string }): Promise<{
    readonly resources: readonly { readonly uri: string }[];
    readonly nextCursor?: string;
  }>;
  readResource(params: { uri: string }): Promise<{ readonly contents: readonly Contents[] }>;
  setNotificationHandler(schema: unknown, handler: () => void): void;
}

const [, , peer = ''] = process.argv;
const task = taskOf(process.argv);
const sdk = <T>(module: string): Promise<T> => peerImport<T>(peer, `@modelcontextprotocol/sdk/${module}`);
const { Client } = await sdk<{ Client: new (info: object) => V1Client }>('client/index.js');
const { StreamableHTTPClientTransport } = await sdk<{
  StreamableHTTPClientTransport: new (url: URL) => unknown;
}>('client/streamableHttp.js');
const { StdioClientTransport } = await sdk<{ StdioClientTransport: new (options: object) => unknown }>(
  'client/stdio.js',
);
const { ResourceListChangedNotificationSchema, LATEST_PROTOCOL_VERSION } = await sdk<{
  ResourceListChangedNotificationSchema: unknown;
  LATEST_PROTOCOL_VERSION: string;
}>('types.js');

const { target } = task;
const client = new Client({ name: 'matrix', version: '1.0.0' });
await client.connect(
  'url' in target
    ? new StreamableHTTPClientTransport(new URL(target.url))
    : new StdioClientTransport({ ...target, stderr: 'ignore' }),
);
const uris: string[] = [];
let cursor: string | undefined;
do {
  const page = await client.listResources(cursor === undefined ? {} : { cursor });
  uris.push(...page.resources.map(({ uri }) => uri));
  cursor = page.nextCursor;
} while (cursor !== undefined);
const listed = skillsAmong(uris);
const reads = new Reads();
for (const skill of listed) {
  for (const uri of filesOf(skill, task.beside)) {
    await reads.take(uri, async () => hashOf((await client.readResource({ uri })).contents[0]));
  }
}
const notified =
  task.waitMs === 0
    ? undefined
    : await whetherNotified(task.waitMs, (heard) =>
        client.setNotificationHandler(ResourceListChangedNotificationSchema, heard),
      );
report({
  listed,
  bytes: reads.bytes,
  errors: reads.errors,
  ...(notified === undefined ? {} : { notified }),
  protocol: LATEST_PROTOCOL_VERSION,
});
