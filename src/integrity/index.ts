/**
 * Digests, entries, and content judged by them: one code path for server and client.
 *
 * @module
 */
export { digestOf, digestOfStream, isDigest, sameDigest, verifyDigest } from './digest.ts';
export { buildEntry, type EntryParts, type EntryResource, type SkillEntry } from './entry.ts';
export { isLosslessText, textOf } from './text.ts';
export { validateEntry } from './validate-entry.ts';
export { compareFrontmatter, verifyBytes, verifyFrontmatter } from './verify.ts';
