/** Loads a folder of skills with Skillwire, or with the official SDK, and says how long it took. */
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { built } from './built.ts';

const [root = '', who] = process.argv.slice(2);
const { createProvider, directorySource } = await built();
const begun = performance.now();
let count: number;
let held: unknown;
if (who === 'sdk') {
  held = await loadSkills(root);
  count = -1;
} else {
  const provider = await createProvider({ source: directorySource(root) });
  count = provider.catalog.snapshot.skills.reduce((sum, skill) => sum + skill.files.length, 0);
  held = provider;
}
console.log(
  JSON.stringify({ ms: performance.now() - begun, rss: process.memoryUsage.rss(), count, held: typeof held }),
);
