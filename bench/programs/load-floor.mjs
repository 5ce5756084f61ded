/**
 * The floor of a load: lists, reads and hashes every file, one after the other, and keeps what an entry needs.
 * Usage: node load-floor.mjs FOLDER
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { report } from './report.mjs';

const [root = ''] = process.argv.slice(2);
const begun = performance.now();
const kept = [];
const walk = (folder) => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) walk(path);
    else {
      const bytes = readFileSync(path);
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      kept.push({ path, digest, size: bytes.length });
    }
  }
};
walk(root);
report(begun, { count: kept.length });
