/**
 * Skills on MCP servers: a provider, stdio, and the surfaces as plain functions.
 *
 * @module
 */

export type { Clock } from '../clock.ts';
export type { AttachOptions } from './attach.ts';
export type { Era, SurfaceContext } from './context.ts';
export { createProvider } from './create-provider.ts';
export { SERVED_DIALECTS, type ServedDialect, type SupportingFiles } from './dialects.ts';
export { EXPOSE_TO, EXPOSED_WAYS, type ExposedWay, type ExposeTo } from './exposure.ts';
export { createIndexer, type Indexer, type IndexerOptions } from './indexer.ts';
export type { Broadcast } from './notify.ts';
export type { CreateServerOptions, ListRevisions, ProviderOptions, SkillProvider } from './provider.ts';
export { skillsCapability } from './register.ts';
export type { PackFormat } from './skill-packer.ts';
export { type ServeStdioOptions, type StdioConnection, serveStdio } from './stdio.ts';
export { type CompleteParams, type CompleteResult, completePath } from './surfaces/completion.ts';
export { readDirectory } from './surfaces/directory.ts';
export {
  catalogEntries,
  type DraftIndexOptions,
  draftIndex,
  draftIndexText,
  type SkillArchive,
  type SupportingDigests,
} from './surfaces/draft-index.ts';
export { fileListAt, fileListResource, readFileList, skillTemplate } from './surfaces/fastmcp.ts';
export { type ReadResourceResult, readResource } from './surfaces/read.ts';
export { getSkill, listSkills } from './surfaces/released.ts';
export {
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  listResources,
  listResourceTemplates,
  SKILL_TEMPLATE,
  type SkillResource,
  type SkillResourceAnnotations,
  type SkillResourceTemplate,
} from './surfaces/resources.ts';
export type { ProviderWarning } from './warnings.ts';
export type { WellKnown, WellKnownContent } from './well-known.ts';
