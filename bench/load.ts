/**
 * Loads a folder of skills with Skillwire, or with the official SDK, and says how long it took.
 * Usage: tsx bench/load.ts FOLDER [sdk | warm CACHE]; `warm` keeps digests in CACHE, so that its second run is a warm start.
 */
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { built, builtStore } from './built.ts';

const [root = '', who, cache] = process.argv.slice(2);
const { createProvider, directorySource } = await built();
const digestIndex = who === 'warm' ? (await builtStore()).openDigestIndex(cache) : undefined;
const begun = performance.now();
let count: number;
let held: unknown;
if (who === 'sdk') {
  held = await loadSkills(root);
  count = -1;
} else {
  const provider = await createProvider({
    source: directorySource(root),
    ...(digestIndex && { digestIndex }),
  });
  count = provider.catalog.snapshot.skills.reduce((sum, skill) => sum + skill.files.length, 0);
  held = provider;
}
console.log(
  JSON.stringify({ ms: performance.now() - begun, rss: process.memoryUsage.rss(), count, held: typeof held }),
);
// What was found is written at the end, which is no part of the load.
if (held !== undefined && 'close' in (held as object)) await (held as { close(): Promise<void> }).close();
