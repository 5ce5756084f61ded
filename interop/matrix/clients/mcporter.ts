/** Reads `skill://` resources as `mcporter resource` does, through the module it is made of: mcporter.ts PEER TASK. */
import { peerImport } from '../peer-import.ts';
import { type Contents, filesOf, hashOf, Reads, report, skillsAmong, taskOf } from './report.ts';

interface Runtime {
  listResources(server: string): Promise<{ readonly resources: readonly { readonly uri: string }[] }>;
  readResource(server: string, uri: string): Promise<{ readonly contents: readonly Contents[] }>;
  close(): Promise<void>;
}

const [, , peer = ''] = process.argv;
const task = taskOf(process.argv);
const { createRuntime } = await peerImport<{ createRuntime: (options: object) => Promise<Runtime> }>(
  peer,
  'mcporter',
);
const { target } = task;
const command =
  'url' in target
    ? { kind: 'http', url: new URL(target.url) }
    : { kind: 'stdio', command: target.command, args: [...target.args], cwd: process.cwd() };
const env = 'url' in target ? {} : { env: target.env };
const runtime = await createRuntime({ servers: [{ name: 'skills', command, ...env }] });
const { resources } = await runtime.listResources('skills');
const listed = skillsAmong(resources.map(({ uri }) => uri));
const reads = new Reads();
for (const skill of listed) {
  for (const uri of filesOf(skill, task.beside)) {
    await reads.take(uri, async () => hashOf((await runtime.readResource('skills', uri)).contents[0]));
  }
}
await runtime.close();
report({ listed, bytes: reads.bytes, errors: reads.errors, protocol: '2025-11-25' });
