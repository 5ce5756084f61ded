/** Lists, reads and verifies with the client of `@olaservo/ext-skills`: olaservo.ts PEER TASK. */
import { peerImport } from '../peer-import.ts';
import { negotiationOf } from './official-client.ts';
import { type Contents, hashOf, Reads, report, sha256, taskOf, whetherNotified } from './report.ts';

interface Connected {
  connect(transport: unknown): Promise<void>;
  setNotificationHandler(method: string, handler: () => void): void;
  listen(filter: object): Promise<unknown>;
}

interface Entry {
  readonly uri: string;
  readonly resources: readonly { readonly uri: string }[] | 'dynamic';
}

interface SkillsModule {
  readonly listSkills: (client: Connected) => Promise<readonly Entry[]>;
  readonly readSkill: (client: Connected, entry: Entry) => Promise<string>;
  readonly readSkillResource: (client: Connected, entry: Entry, uri: string) => Promise<Contents>;
}

const [, , peer = ''] = process.argv;
const task = taskOf(process.argv);
const { Client, StreamableHTTPClientTransport } = await peerImport<{
  Client: new (info: object, options: object) => Connected;
  StreamableHTTPClientTransport: new (url: URL) => unknown;
}>(peer, '@modelcontextprotocol/client');
const { StdioClientTransport } = await peerImport<{
  StdioClientTransport: new (options: object) => unknown;
}>(peer, '@modelcontextprotocol/client/stdio');
const { listSkills, readSkill, readSkillResource } = await peerImport<SkillsModule>(
  peer,
  '@olaservo/ext-skills/client',
);

const { target } = task;
const client = new Client({ name: 'matrix', version: '1.0.0' }, { versionNegotiation: negotiationOf(task) });
await client.connect(
  'url' in target
    ? new StreamableHTTPClientTransport(new URL(target.url))
    : new StdioClientTransport({ ...target, stderr: 'ignore' }),
);
const skills = await listSkills(client);
const reads = new Reads();
for (const entry of skills) {
  if (entry.resources === 'dynamic') throw new Error(`${entry.uri} is dynamic`);
  for (const { uri } of entry.resources) {
    await reads.take(uri, async () =>
      uri === entry.uri
        ? sha256(await readSkill(client, entry))
        : hashOf(await readSkillResource(client, entry, uri)),
    );
  }
}
const notified =
  task.waitMs === 0
    ? undefined
    : await whetherNotified(task.waitMs, async (heard) => {
        client.setNotificationHandler('notifications/resources/list_changed', heard);
        if (task.era === 'modern') await client.listen({ resourcesListChanged: true });
      });
report({
  listed: skills.map(({ uri }) => uri),
  bytes: reads.bytes,
  errors: reads.errors,
  verified: true,
  ...(notified === undefined ? {} : { notified }),
  protocol: task.era,
});
