/**
 * A server of one small skill whose memory is measured: node --expose-gc serve-streams.mjs. Says on stdout where it
 * listens; a line on stdin is answered with a line: `memory` with what it holds after a collection, `change` with nothing
 * after every stream was told of a change. Ends with its input.
 */

import { createInterface } from 'node:readline';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { createHttpApp } from '../../dist/http/index.js';
import { createProvider } from '../../dist/server/index.js';
import { memorySource } from '../../dist/source/index.js';

const skill = '---\nname: one\ndescription: Does one thing.\n---\nText.\n';
const provider = await createProvider({ source: memorySource({ 'one/SKILL.md': skill }) });
const app = createHttpApp({ provider });
const { url } = await app.listen({ port: 0 });
console.log(JSON.stringify({ url }));

/** Collects until nothing more is freed: what is freed may free more in a later turn. */
async function memory() {
  let least = Number.POSITIVE_INFINITY;
  for (let quiet = 0; quiet < 3; ) {
    globalThis.gc();
    await setImmediate();
    await setTimeout(50);
    const { rss } = process.memoryUsage();
    quiet = rss < least ? 0 : quiet + 1;
    least = Math.min(least, rss);
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heapUsed, external };
}

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'change') await provider.notifyChanged();
  console.log(JSON.stringify(line === 'memory' ? await memory() : {}));
}
process.exit(0);
