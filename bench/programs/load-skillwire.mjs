/**
 * Loads a folder of skills and says what it cost.
 * Usage: node load-skillwire.mjs FOLDER [CACHE]; digests are kept in CACHE, so that the second run is a warm start.
 */
import { createProvider, directorySource } from 'skillwire';
import { openDigestIndex } from 'skillwire/store';
import { report } from './report.mjs';

const [root = '', cache] = process.argv.slice(2);
// Folders of the largest corpus are beyond the default cap, and so is what is kept of it.
const digestIndex =
  cache === undefined ? undefined : openDigestIndex(cache, { maxTreeBytes: -1, maxIndexBytes: -1 });
const begun = performance.now();
const provider = await createProvider({
  source: directorySource(root),
  maxFolders: -1,
  ...(digestIndex && { digestIndex }),
});
const { skills } = provider.catalog.snapshot;
report(begun, { count: skills.reduce((sum, skill) => sum + skill.files.length, 0) });
// What was found is written at the end, which is no part of the load.
await provider.close();
