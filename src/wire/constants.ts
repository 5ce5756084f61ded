/**
 * Names that peers see: those of seed 000 with its values, and those of the released extension.
 *
 * @module
 */
export { INDEX_URI } from '../uri/canonical.ts';
export { FILE_LIST_NAME, MANIFEST_FILENAME } from '../uri/parse.ts';
export { SCHEME } from '../uri/read-uri.ts';

/** The extension as it stands in `capabilities.extensions` (seed `ExtensionID`, requirement S1). */
export const EXTENSION_ID = 'io.modelcontextprotocol/skills';
/** The setting that promises `resources/directory/read` (seed `CapabilityDirectoryRead`, requirement S3). */
export const CAPABILITY_DIRECTORY_READ = 'directoryRead';

/** Lists entries (requirement S38). */
export const METHOD_SKILLS_LIST = 'skills/list';
/** Gives one entry by its URI, listed or not (requirement S43). */
export const METHOD_SKILLS_GET = 'skills/get';
/** Lists the direct children of a directory (seed `MethodResourcesDirectoryRead`, requirement S50). */
export const METHOD_RESOURCES_DIRECTORY_READ = 'resources/directory/read';
/** The MIME type of a directory (seed `MimeTypeDirectory`, requirement S49). */
export const MIME_TYPE_DIRECTORY = 'inode/directory';

/** Prefix of keys in a resource's `_meta` (seed `MetaPrefix`, requirement S21). */
export const META_PREFIX = 'io.modelcontextprotocol.skills/';
/** In an index entry's `_meta`: digests of the supporting files (seed `MetaKeyFileDigests`). */
export const META_KEY_FILE_DIGESTS = 'io.modelcontextprotocol.skills/file-digests';
/** In `_meta` of `list_changed`: what changed (seed `MetaKeyPathsChanged`). */
export const META_KEY_PATHS_CHANGED = 'io.modelcontextprotocol.skills/paths-changed';
/** In the index's `_meta`: the provider's version (seed `MetaKeyVersion`). */
export const META_KEY_VERSION = 'io.modelcontextprotocol.skills/version';
/** In the index's `_meta`: the revision of the catalog, equal for equal content (design decision 13). */
export const META_KEY_REVISION = 'dev.skillwire/revision';

/** The draft that the `draft-index` dialect follows (seed `SpecVersion`). */
export const SPEC_VERSION = '2026-04-23';
/** The name of the draft index below `skill://` (seed `IndexPath`). */
export const INDEX_PATH = 'index.json';
/** `$schema` of the draft index (seed `IndexSchemaURI`). */
export const INDEX_SCHEMA_URI = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
/** The draft index as a resource (seed `IndexResourceDef`). */
export const INDEX_RESOURCE_DEF: {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType: string;
} = {
  uri: 'skill://index.json',
  name: 'Skill discovery index',
  description: 'JSON catalog of skills served by this server per SEP-2640.',
  mimeType: 'application/json',
};
/** An index entry that is a `SKILL.md` (seed `SkillTypeSkillMD`). */
export const SKILL_TYPE_SKILL_MD = 'skill-md';
/** An index entry that is an archive (seed `SkillTypeArchive`). */
export const SKILL_TYPE_ARCHIVE = 'archive';
/** Every supporting file has its digest in the index (seed `SupportingDigestsPerFile`). */
export const SUPPORTING_DIGESTS_PER_FILE = 'per-file';
/** Only `SKILL.md` has a digest in the index (seed `SupportingDigestsOff`). */
export const SUPPORTING_DIGESTS_OFF = 'off';

/** A path's content changed (seed `ChangeActionModified`). */
export const CHANGE_ACTION_MODIFIED = 'modified';
/** A path is new (seed `ChangeActionCreated`). */
export const CHANGE_ACTION_CREATED = 'created';
/** A path is gone (seed `ChangeActionDeleted`). */
export const CHANGE_ACTION_DELETED = 'deleted';

/** Suffix of a gzip-compressed tar archive (seed `ArchiveTarGz`). */
export const ARCHIVE_TAR_GZ = '.tar.gz';
/** Suffix of a zip archive (seed `ArchiveZip`). */
export const ARCHIVE_ZIP = '.zip';
/** Suffix of a bzip2-compressed tar archive, which is read and never written (seed `ArchiveTarBz2`). */
export const ARCHIVE_TAR_BZ2 = '.tar.bz2';
/** No known format (seed `ArchiveFormatUnknown`). */
export const ARCHIVE_FORMAT_UNKNOWN = 'unknown';
/** Gzip-compressed tar (seed `ArchiveFormatTarGz`). */
export const ARCHIVE_FORMAT_TAR_GZ = 'tar.gz';
/** Zip (seed `ArchiveFormatZip`). */
export const ARCHIVE_FORMAT_ZIP = 'zip';
/** Bzip2-compressed tar (seed `ArchiveFormatTarBz2`). */
export const ARCHIVE_FORMAT_TAR_BZ2 = 'tar.bz2';
/** Unpacked bytes of one archive, 100 MiB (seed `DefaultArchiveMaxBytes`). */
export const DEFAULT_ARCHIVE_MAX_BYTES = 104_857_600;
/** Bytes of one resource that a client reads outside the released form, 10 MiB (seed `DefaultMaxResourceBytes`). */
export const DEFAULT_MAX_RESOURCE_BYTES = 10_485_760;

/** A line for standard error of programs that speak the draft (seed `ExperimentalNotice`). */
export const EXPERIMENTAL_NOTICE =
  'ext/skills tracks Draft SEP-2640; the surface may change on pre-1.0 tags.';
/** The tool by which a host lets its model read resources (seed `ReadResourceToolName`). */
export const READ_RESOURCE_TOOL_NAME = 'read_resource';
/** What that tool says of itself (seed `ReadResourceToolDescription`). */
export const READ_RESOURCE_TOOL_DESCRIPTION = 'Read an MCP resource from a connected server.';
/** JSON Schema of its arguments (seed `ReadResourceToolInputSchema`). */
export const READ_RESOURCE_TOOL_INPUT_SCHEMA: {
  readonly type: 'object';
  readonly properties: Readonly<
    Record<'server' | 'uri', { readonly type: 'string'; readonly description: string }>
  >;
  readonly required: readonly ['server', 'uri'];
} = {
  type: 'object',
  properties: {
    server: { type: 'string', description: 'Name of the connected MCP server' },
    uri: { type: 'string', description: 'The resource URI' },
  },
  required: ['server', 'uri'],
};
