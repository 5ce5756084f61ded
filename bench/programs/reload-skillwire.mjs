/**
 * Edits files of a loaded folder of skills, one after the other, and says how long each took to a new snapshot.
 * Usage: node reload-skillwire.mjs FOLDER EDITS
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProvider, directorySource } from 'skillwire';

const [root = '', edits = '1'] = process.argv.slice(2);
const provider = await createProvider({ source: directorySource(root), maxFolders: -1 });
const { catalog } = provider;
const skills = catalog.snapshot.skills.map(({ path }) => path);

/** Edits one file, and waits for what `follow` does about it. */
async function edit(path, follow) {
  const before = catalog.snapshot.revision;
  appendFileSync(join(root, ...path.split('/')), 'One more line.\n');
  const begun = performance.now();
  await follow();
  const ms = performance.now() - begun;
  if (catalog.snapshot.revision === before) throw new Error(`an edit of ${path} made no new snapshot`);
  return ms;
}

const times = [];
for (let at = 0; at < Number(edits); at++) {
  const skill = skills[Math.floor(((at + 0.5) * skills.length) / Number(edits))];
  const path = `${skill}/${at % 2 === 0 ? 'references/guide.md' : 'SKILL.md'}`;
  times.push(await edit(path, () => provider.notifyChanged(path)));
}
const refreshMs = await edit(`${skills[0]}/SKILL.md`, () => provider.refresh());
console.log(JSON.stringify({ times, refreshMs }));
await provider.close();
