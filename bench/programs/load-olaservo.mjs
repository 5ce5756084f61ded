/** Loads a folder of skills with `@olaservo/ext-skills`. Usage: node load-olaservo.mjs PEER FOLDER */
import { peerModule } from './peer-module.mjs';
import { report } from './report.mjs';

const [peer = '', root = ''] = process.argv.slice(2);
const { buildSkillEntry, discoverSkills } = await peerModule(peer, '@olaservo/ext-skills/server');
console.log = console.error;
const begun = performance.now();
const skills = discoverSkills(root);
const entry = buildSkillEntry([...skills.values()][0]);
console.log = (text) => process.stdout.write(`${text}\n`);
report(begun, { count: skills.size * entry.resources.length });
