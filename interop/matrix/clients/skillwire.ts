/** Lists, reads and verifies with our own client. */
import { cappedFetch, SkillsClient, STDIO_BUFFER_BYTES } from 'skillwire/client';
import { connectOfficial, onResourcesChanged } from './official-client.ts';
import { Reads, report, sha256, taskOf, whetherNotified } from './report.ts';

const task = taskOf(process.argv);
const mcp = await connectOfficial(
  task,
  { fetch: cappedFetch() as typeof fetch },
  { maxBufferSize: STDIO_BUFFER_BYTES },
);
const client = new SkillsClient(mcp, {
  plain: task.plain,
  // Beyond the released form 10 MiB is the cap, which is raised for servers that are trusted.
  maxResourceBytes: 16 * 1_048_576,
  ...('url' in task.target ? { wellKnown: { url: task.target.url } } : {}),
});
const listing = await client.listSkills();
const reads = new Reads();
let checked = false;
for (const found of listing.skills) {
  const { uri } = found.entry;
  let skill = found;
  try {
    if (skill.entry.resources === 'on-request') skill = await client.getSkill(uri);
  } catch (error) {
    reads.errors[uri] = (error as Error).message;
    continue;
  }
  const { resources } = skill.entry;
  if (typeof resources === 'string') throw new Error(`${uri} does not tell its files`);
  // A skill without digests can be read, and nothing of it is verified.
  if (skill.integrity !== 'none') checked = true;
  for (const file of resources) {
    await reads.take(file.uri, async () => sha256((await client.read(skill, file.uri)).bytes));
  }
}
const notified =
  task.waitMs === 0
    ? undefined
    : await whetherNotified(task.waitMs, (heard) => onResourcesChanged(mcp, task.era, heard));
report({
  listed: listing.skills.map(({ entry }) => entry.uri),
  bytes: reads.bytes,
  errors: reads.errors,
  ...(checked ? { verified: listing.complete } : {}),
  problems: listing.problems.map(({ code, message }) => `${code}: ${message}`),
  ...(notified === undefined ? {} : { notified }),
  ...(listing.dialect === undefined ? {} : { dialect: listing.dialect }),
  protocol: task.era,
});
