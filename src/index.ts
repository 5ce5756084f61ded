/**
 * `skillwire`: what most programs need; the rest stands behind the subpaths.
 *
 * @module
 */
export { type Catalog, type CatalogChanges, checkSkill, type Skill, type Snapshot } from './catalog/index.ts';
export {
  type FoundSkill,
  type SkillListing,
  SkillsClient,
  type SkillsClientOptions,
} from './client/index.ts';
export { isSkillError, SkillError, type SkillErrorCode } from './errors.ts';
export type { Diagnostic, Severity } from './format/index.ts';
export { createHttpApp, type HttpApp, type HttpAppOptions, type Principal } from './http/index.ts';
export type { Logger } from './logger.ts';
export {
  createProvider,
  type ProviderOptions,
  type SkillProvider,
  type StdioConnection,
  serveStdio,
} from './server/index.ts';
export { directorySource, memorySource, openSource, type Source } from './source/index.ts';
export { VERSION } from './version.ts';
