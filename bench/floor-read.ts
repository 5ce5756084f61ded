/** The floor of a load: lists, reads and hashes every file, one after the other, and keeps what an entry needs. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = process.argv[2] ?? '';
const begun = performance.now();
const kept: { path: string; digest: string; size: number }[] = [];
const walk = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path);
    else {
      const bytes = readFileSync(path);
      kept.push({
        path,
        digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
        size: bytes.length,
      });
    }
  }
};
walk(root);
console.log(
  JSON.stringify({ ms: performance.now() - begun, rss: process.memoryUsage.rss(), count: kept.length }),
);
