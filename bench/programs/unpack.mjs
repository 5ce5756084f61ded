/** Unpacks an archive into memory, and says how long that took. Usage: node unpack.mjs FILE */
import { readFileSync } from 'node:fs';
import { unpackArchive } from 'skillwire/archive';

const begun = performance.now();
const files = await unpackArchive(readFileSync(process.argv[2] ?? ''));
const ms = performance.now() - begun;
console.log(
  JSON.stringify({ ms, count: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes.length, 0) }),
);
