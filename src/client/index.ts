/**
 * `skillwire/client`: skills of any MCP server, in any dialect, checked before they are used.
 *
 * @module
 */
export type { ActivateOptions, ActivationEvent } from './activation.ts';
export { catalogBlock, instructionsBlock } from './blocks.ts';
export { type CappedFetchOptions, cappedFetch, type FetchLike, STDIO_BUFFER_BYTES } from './capped-fetch.ts';
export type { RequestScope } from './dialect.ts';
export type { ReadDirectoryOptions, WalkDirectoryOptions } from './directory.ts';
export type { DynamicCaps } from './dynamic.ts';
export type { LoadedSkill } from './load-result.ts';
export type { SkillsClientOptions, WellKnownOptions } from './options.ts';
export {
  type SafeBlock,
  type SafeBlockOptions,
  safeCatalogBlock,
  safeInstructionsBlock,
} from './safe-block.ts';
export type { ReadResult, SkillManifest } from './seed-reads.ts';
export type {
  ClientDialect,
  ClientEntry,
  ClientResource,
  FoundSkill,
  Integrity,
  ListingProblem,
  SkillListing,
} from './skill.ts';
export { SkillsClient } from './skills-client.ts';
export { estimateTokens, type TokenCounter } from './token-budget.ts';
export type { VerifiedFile } from './verified-read.ts';
