/** Lists the skills of a server once. Usage: node client-list.mjs skillwire|sdk URL TOKEN */
import { SkillsClient as OfficialSkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { SkillsClient } from 'skillwire';
import { connect } from './connect.mjs';

const [who = '', url = '', token = ''] = process.argv.slice(2);
const client = await connect(url, token);
const begun = performance.now();
const { skills } =
  who === 'sdk' ? await new OfficialSkillsClient(client).list() : await new SkillsClient(client).listSkills();
console.log(JSON.stringify({ ms: performance.now() - begun, count: skills.length }));
await client.close();
