/**
 * Loads a folder of skills with the official SDK; with FILE it edits that file and loads again.
 * Usage: node load-sdk.mjs FOLDER [FILE]
 */
import { appendFileSync } from 'node:fs';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import { report } from './report.mjs';

const [root = '', file] = process.argv.slice(2);
const begun = performance.now();
const catalog = await loadSkills(root, { onWarning: () => undefined });
report(begun, { count: catalog.entries.reduce((sum, entry) => sum + entry.resources.length, 0) });
if (file !== undefined) {
  appendFileSync(file, 'One more line.\n');
  const edited = performance.now();
  const { changed } = await catalog.reload();
  if (changed.length !== 1) throw new Error(`the reload found ${changed.length} changed skills`);
  console.log(JSON.stringify({ reloadMs: performance.now() - edited }));
}
