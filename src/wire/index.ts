/**
 * What goes over the wire: names, cursors, requests and results.
 *
 * @module
 */
export {
  ARCHIVE_FORMAT_TAR_BZ2,
  ARCHIVE_FORMAT_TAR_GZ,
  ARCHIVE_FORMAT_UNKNOWN,
  ARCHIVE_FORMAT_ZIP,
  ARCHIVE_TAR_BZ2,
  ARCHIVE_TAR_GZ,
  ARCHIVE_ZIP,
  CAPABILITY_DIRECTORY_READ,
  CHANGE_ACTION_CREATED,
  CHANGE_ACTION_DELETED,
  CHANGE_ACTION_MODIFIED,
  DEFAULT_ARCHIVE_MAX_BYTES,
  DEFAULT_MAX_RESOURCE_BYTES,
  EXPERIMENTAL_NOTICE,
  EXTENSION_ID,
  FILE_LIST_NAME,
  INDEX_PATH,
  INDEX_RESOURCE_DEF,
  INDEX_SCHEMA_URI,
  INDEX_URI,
  MANIFEST_FILENAME,
  META_KEY_FILE_DIGESTS,
  META_KEY_PATHS_CHANGED,
  META_KEY_REVISION,
  META_KEY_VERSION,
  META_PREFIX,
  METHOD_RESOURCES_DIRECTORY_READ,
  METHOD_SKILLS_GET,
  METHOD_SKILLS_LIST,
  MIME_TYPE_DIRECTORY,
  READ_RESOURCE_TOOL_DESCRIPTION,
  READ_RESOURCE_TOOL_INPUT_SCHEMA,
  READ_RESOURCE_TOOL_NAME,
  SCHEME,
  SKILL_TYPE_ARCHIVE,
  SKILL_TYPE_SKILL_MD,
  SPEC_VERSION,
  SUPPORTING_DIGESTS_OFF,
  SUPPORTING_DIGESTS_PER_FILE,
} from './constants.ts';
export { decodeCursor, encodeCursor } from './cursor.ts';
export {
  type FileDigest,
  fileDigest,
  fileDigests,
  hasManifestFields,
  type Index,
  type IndexEntry,
  isSkillType,
  lookup,
  newIndex,
  type SkillType,
  validateIndex,
  validateIndexEntry,
} from './draft-index.ts';
export {
  compareFilePaths,
  FILE_LIST_MIME_TYPE,
  type FileListEntry,
  parseSkillManifest,
  type SkillFileList,
  writeSkillManifest,
} from './fastmcp.ts';
export {
  type ChangeAction,
  decodeListChanged,
  encodeListChanged,
  type ListChangedParams,
  type PathChange,
  type PathChangeEntry,
  type PathsChangedPayload,
} from './paths-changed.ts';
export {
  type DiscoveredSkill,
  parseDiscoveryIndex,
} from './read-discovery-index.ts';
export { parseLegacyIndex } from './read-legacy-index.ts';
export {
  type DirectoryResource,
  type GetSkillParams,
  type GetSkillResult,
  getSkillParams,
  type ListSkillsParams,
  type ListSkillsResult,
  listSkillsParams,
  type ModernResult,
  type ReadDirectoryParams,
  type ReadDirectoryResult,
  readDirectoryParams,
} from './released.ts';
export {
  DISCOVERY_INDEX_PATH,
  type DiscoveryEntry,
  discoveryIndexText,
  isLegacyPath,
  LEGACY_INDEX_PATH,
  type LegacyEntry,
  legacyIndexText,
  MAX_WELL_KNOWN_DESCRIPTION,
} from './well-known.ts';
export type {
  ParseWellKnownOptions,
  WellKnownProblem,
  WellKnownRule,
} from './well-known-entries.ts';
