/** Lists, reads and verifies with the client of the official SDK's extension. */
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { connectOfficial, onResourcesChanged } from './official-client.ts';
import { Reads, report, sha256, taskOf, whetherNotified } from './report.ts';

const task = taskOf(process.argv);
const mcp = await connectOfficial(task);
const client = new SkillsClient(mcp, { skipInvalid: true });
if (!client.supported) throw new Error('the server does not declare the extension');
const { skills, invalid } = await client.list();
const reads = new Reads();
let verified = true;
const problems = invalid.map(({ uri, reason }) => `${uri}: ${reason}`);
for (const skill of skills) {
  try {
    const got = await client.get(skill.uri);
    if (JSON.stringify(got.skill) !== JSON.stringify(skill)) throw new Error('it is another entry');
  } catch (error) {
    verified = false;
    problems.push(`skills/get of ${skill.uri}: ${(error as Error).message}`);
  }
  if (skill.resources === 'dynamic') throw new Error(`${skill.uri} is dynamic`);
  for (const { uri } of skill.resources) {
    await reads.take(uri, async () => {
      const file = await client.read(skill, uri);
      verified &&= file.verified;
      return sha256(file.bytes);
    });
  }
}
const notified =
  task.waitMs === 0
    ? undefined
    : await whetherNotified(task.waitMs, (heard) => onResourcesChanged(mcp, task.era, heard));
report({
  listed: skills.map(({ uri }) => uri),
  bytes: reads.bytes,
  errors: reads.errors,
  verified,
  problems,
  ...(notified === undefined ? {} : { notified }),
  protocol: task.era,
});
