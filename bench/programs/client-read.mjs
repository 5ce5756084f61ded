/**
 * Lists the skills of a server and reads every file of each, eight at a time, as `skillwire verify` does.
 * Usage: node client-read.mjs WHO URL TOKEN
 *   skillwire  with its client over its own fetch, as `skillwire verify` has it; every file checked
 *   sdk        with the official skills client, every file checked
 *   plain      with the official client; nothing is checked, and nothing hashed
 */
import { SkillsClient as OfficialSkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { cappedFetch, SkillsClient } from 'skillwire/client';
import { Agent } from 'undici';
import { connect } from './connect.mjs';

const SIDE_BY_SIDE = 8;
const [who = '', url = '', token = ''] = process.argv.slice(2);
const dispatcher = who === 'skillwire' ? new Agent() : undefined;
const client = await connect(url, token, dispatcher && cappedFetch(0, { dispatcher }));

/** What is read, as functions that each read one file. */
async function reads() {
  if (who === 'skillwire') {
    const skills = new SkillsClient(client);
    const { skills: found } = await skills.listSkills();
    return found.flatMap((skill) =>
      skill.entry.resources.map(
        ({ uri }) =>
          () =>
            skills.read(skill, uri),
      ),
    );
  }
  const official = new OfficialSkillsClient(client);
  const { skills } = await official.list();
  return skills.flatMap((skill) =>
    skill.resources.map(({ uri }) =>
      who === 'sdk'
        ? () => official.read(skill, uri)
        : () => client.readResource({ uri }, { cacheMode: 'bypass' }),
    ),
  );
}

const begun = performance.now();
const queue = (await reads()).values();
let count = 0;
await Promise.all(
  Array.from({ length: SIDE_BY_SIDE }, async () => {
    for (const read of queue) {
      await read();
      count += 1;
    }
  }),
);
const { user, system } = process.cpuUsage();
console.log(JSON.stringify({ ms: performance.now() - begun, cpuMs: (user + system) / 1_000, count }));
await client.close();
await dispatcher?.close();
