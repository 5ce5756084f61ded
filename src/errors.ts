/**
 * The one error class of Skillwire and the table of its codes.
 *
 * @module
 */

/** What one code means: its default message, the JSON-RPC code it has on the wire, the exit code of the CLI. */
export interface ErrorSpec {
  readonly message: string;
  readonly rpc: number;
  readonly exit: number;
}

/** Every code, in the order of `docs/reference/errors.md`. */
export const ERROR_TABLE = {
  // URIs
  INVALID_SCHEME: { message: 'the URI does not start with skill://', rpc: -32602, exit: 2 },
  EMPTY_SKILL_PATH: { message: 'the URI names no skill', rpc: -32602, exit: 2 },
  EMPTY_SKILL_NAME: { message: 'the skill name is empty', rpc: -32602, exit: 2 },
  INVALID_SKILL_NAME: { message: 'the skill name breaks the naming rule', rpc: -32602, exit: 2 },
  MANIFEST_NOT_IN_ROOT: { message: 'SKILL.md stands below the root of a skill', rpc: -32602, exit: 2 },
  EMPTY_PATH_SEGMENT: { message: 'the URI has an empty path segment', rpc: -32602, exit: 2 },
  RELATIVE_ESCAPES_SKILL: { message: 'the reference leads out of the skill', rpc: -32602, exit: 2 },
  PATH_TRAVERSAL: { message: 'the URI has a "." or ".." segment', rpc: -32602, exit: 2 },
  NOT_MANIFEST_URI: { message: 'the URI is not that of a SKILL.md', rpc: -32602, exit: 2 },
  INVALID_SEGMENT: {
    message: 'a path segment holds a slash, a backslash or a control character',
    rpc: -32602,
    exit: 2,
  },
  URI_PART_REFUSED: { message: 'the URI has a query, fragment, user or port', rpc: -32602, exit: 2 },
  URI_TOO_LONG: { message: 'the URI is too long', rpc: -32602, exit: 2 },
  // frontmatter
  MISSING_FRONTMATTER: { message: 'SKILL.md does not begin with "---"', rpc: -32603, exit: 1 },
  UNTERMINATED_FRONTMATTER: { message: 'the frontmatter has no closing "---"', rpc: -32603, exit: 1 },
  NON_MAPPING_FRONTMATTER: { message: 'the frontmatter is not a YAML mapping', rpc: -32603, exit: 1 },
  FRONTMATTER_MISSING_NAME: { message: 'the frontmatter has no name', rpc: -32603, exit: 1 },
  FRONTMATTER_MISSING_DESCRIPTION: { message: 'the frontmatter has no description', rpc: -32603, exit: 1 },
  INVALID_YAML: { message: 'the frontmatter is not valid YAML', rpc: -32603, exit: 1 },
  DUPLICATE_KEY: { message: 'a key stands twice in the frontmatter', rpc: -32603, exit: 1 },
  UNSUPPORTED_YAML: { message: 'the frontmatter uses YAML that has no JSON form', rpc: -32603, exit: 1 },
  FRONTMATTER_TOO_LARGE: { message: 'the frontmatter exceeds a limit', rpc: -32603, exit: 1 },
  NOT_UTF8: { message: 'SKILL.md is not valid UTF-8', rpc: -32603, exit: 1 },
  // catalog
  PROVIDER_MISSING_FS: { message: 'createProvider needs a source', rpc: -32603, exit: 2 },
  SKILL_NAME_MISMATCH: { message: 'the frontmatter name differs from the folder name', rpc: -32603, exit: 1 },
  NESTED_SKILL: { message: 'a skill stands inside another skill', rpc: -32603, exit: 1 },
  SKILL_TOO_LARGE: { message: 'the skill is larger than the server reads', rpc: -32603, exit: 1 },
  SKILL_REFUSED: { message: 'a skill is refused', rpc: -32603, exit: 1 },
  URI_TAKEN: { message: 'two skills would have the same URI', rpc: -32603, exit: 1 },
  SCAN_TOO_MANY_FOLDERS: { message: 'the source has too many folders', rpc: -32603, exit: 5 },
  SCAN_TOO_DEEP: { message: 'the source is nested too deeply', rpc: -32603, exit: 5 },
  // sources
  SOURCE_NOT_FOUND: { message: 'the source does not exist', rpc: -32603, exit: 3 },
  SOURCE_NOT_A_FOLDER: { message: 'the source is not a folder', rpc: -32603, exit: 3 },
  SOURCE_UNREADABLE: { message: 'the source cannot be read', rpc: -32603, exit: 3 },
  MOUNT_COLLISION: { message: 'two sources have the same name at the same place', rpc: -32603, exit: 2 },
  FILE_NOT_FOUND: { message: 'the source has no such file', rpc: -32602, exit: 3 },
  FILE_UNREADABLE: { message: 'the file cannot be read', rpc: -32603, exit: 3 },
  FILE_TOO_LARGE: { message: 'the file is larger than the server reads', rpc: -32603, exit: 1 },
  FILE_CHANGED: { message: 'the file changed while it was read', rpc: -32603, exit: 3 },
  LINK_ESCAPES: { message: 'the link leads out of where it may lead', rpc: -32603, exit: 1 },
  SECRET_WITHHELD: { message: 'the file looks like a secret and is withheld', rpc: -32603, exit: 1 },
  // archives
  ARCHIVE_UNKNOWN_FORMAT: { message: 'the archive format is not known', rpc: -32603, exit: 3 },
  ARCHIVE_UNSUPPORTED: { message: 'the archive uses a feature that is not read', rpc: -32603, exit: 3 },
  ARCHIVE_CORRUPT: { message: 'the archive is damaged or cut short', rpc: -32603, exit: 3 },
  ARCHIVE_PATH_TRAVERSAL: { message: 'an entry of the archive leads out of it', rpc: -32603, exit: 3 },
  ARCHIVE_ABSOLUTE_PATH: { message: 'an entry of the archive has an absolute path', rpc: -32603, exit: 3 },
  ARCHIVE_UNSAFE_NAME: {
    message: 'an entry of the archive has a name that cannot be served',
    rpc: -32603,
    exit: 3,
  },
  ARCHIVE_NAME_TOO_LONG: { message: 'an entry of the archive has too long a name', rpc: -32603, exit: 3 },
  ARCHIVE_TOO_DEEP: { message: 'an entry of the archive is nested too deeply', rpc: -32603, exit: 3 },
  ARCHIVE_SYMLINK_ESCAPE: { message: 'the archive holds a link', rpc: -32603, exit: 3 },
  ARCHIVE_SPECIAL_FILE: { message: 'the archive holds a device, pipe or socket', rpc: -32603, exit: 3 },
  ARCHIVE_DUPLICATE: { message: 'the archive holds a path twice', rpc: -32603, exit: 3 },
  ARCHIVE_COLLISION: {
    message: 'two paths of the archive are one on some file systems',
    rpc: -32603,
    exit: 3,
  },
  ARCHIVE_TOO_MANY_ENTRIES: { message: 'the archive has too many entries', rpc: -32603, exit: 3 },
  ARCHIVE_TOO_LARGE: { message: 'the archive unpacks to more than the cap', rpc: -32603, exit: 3 },
  ARCHIVE_RATIO: { message: 'the archive unpacks to suspiciously much', rpc: -32603, exit: 3 },
  ARCHIVE_UNSUPPORTED_FOR_PACK: {
    message: 'the archive format is read and not written',
    rpc: -32603,
    exit: 2,
  },
  ARCHIVE_MISSING_SKILL_MD: {
    message: 'the archive, or the skill to pack, has no SKILL.md at its root',
    rpc: -32603,
    exit: 1,
  },
  ARCHIVE_DOWNLOAD_FAILED: { message: 'the archive cannot be downloaded', rpc: -32603, exit: 3 },
  ARCHIVE_EXCEEDS_MAX_BYTES: {
    message: 'the archive is larger than what is downloaded',
    rpc: -32603,
    exit: 3,
  },
  ARCHIVES_DIR_COLLISION: {
    message: 'two archives of a folder hold a folder of the same name',
    rpc: -32603,
    exit: 2,
  },
  ARCHIVE_CLOSED: { message: 'the archive is closed', rpc: -32603, exit: 70 },
  // network
  NET_URL_REFUSED: { message: 'the URL is not one that is fetched', rpc: -32603, exit: 3 },
  NET_HOST_REFUSED: { message: 'the host is not one of those allowed', rpc: -32603, exit: 3 },
  NET_ADDRESS_REFUSED: { message: 'the address is not a public one', rpc: -32603, exit: 3 },
  NET_TOO_MANY_REDIRECTS: { message: 'the server redirects too often', rpc: -32603, exit: 3 },
  NET_TIMEOUT: { message: 'the server takes too long', rpc: -32603, exit: 3 },
  NET_STATUS: { message: 'the server answers with a failure', rpc: -32603, exit: 3 },
  NET_FAILED: { message: 'the server cannot be reached or breaks off', rpc: -32603, exit: 3 },
  NET_TOO_LARGE: { message: 'the response is larger than what is fetched', rpc: -32603, exit: 3 },
  // integrity
  DIGEST_MISMATCH: { message: 'the content does not have the digest of its entry', rpc: -32603, exit: 4 },
  SIZE_MISMATCH: { message: 'the content does not have the size of its entry', rpc: -32603, exit: 4 },
  FRONTMATTER_MISMATCH: { message: 'the frontmatter differs from that of the entry', rpc: -32603, exit: 4 },
  INVALID_ENTRY: { message: 'the entry breaks the rules of the extension', rpc: -32603, exit: 4 },
  // server
  RESOURCE_NOT_FOUND: { message: 'no such resource', rpc: -32602, exit: 3 },
  NOT_A_DIRECTORY: { message: 'the URI is not that of a directory', rpc: -32602, exit: 3 },
  INVALID_CURSOR: { message: 'the cursor is not one of this server', rpc: -32602, exit: 2 },
  INVALID_REQUEST: { message: 'the parameters are not valid', rpc: -32602, exit: 2 },
  RESPONSE_TOO_LARGE: { message: 'the response is larger than this transport carries', rpc: -32603, exit: 5 },
  PROVIDER_CLOSED: { message: 'the provider is closed', rpc: -32603, exit: 70 },
  ALREADY_ATTACHED: { message: 'the server already serves skills', rpc: -32603, exit: 2 },
  SERVER_CONNECTED: { message: 'the server is already connected', rpc: -32603, exit: 2 },
  HANDLER_TAKEN: {
    message: 'the server already handles a method or resource that skills need',
    rpc: -32603,
    exit: 2,
  },
  FS_WATCHER_MISSING_HOST_ROOT: {
    message: 'the source has no folder on this machine to watch',
    rpc: -32603,
    exit: 2,
  },
  FS_WATCHER_SETUP_FAILED: { message: 'the source cannot be watched', rpc: -32603, exit: 3 },
  // prompts
  PROMPT_REFUSED: { message: 'a prompt is refused', rpc: -32603, exit: 1 },
  // draft index
  INVALID_INDEX: { message: 'the index is not one', rpc: -32603, exit: 4 },
  INDEX_MISSING_SCHEMA: { message: 'the index has no $schema', rpc: -32603, exit: 4 },
  UNKNOWN_SKILL_TYPE: { message: 'the type of the index entry is not known', rpc: -32603, exit: 4 },
  INDEX_ENTRY_MISSING_DESCRIPTION: {
    message: 'the index entry has no description',
    rpc: -32603,
    exit: 4,
  },
  INDEX_ENTRY_MISSING_URL: { message: 'the index entry has no url', rpc: -32603, exit: 4 },
  INDEX_ENTRY_MISSING_NAME: { message: 'the index entry has no name', rpc: -32603, exit: 4 },
  INDEX_ENTRY_MISSING_DIGEST: { message: 'the index entry has no digest', rpc: -32603, exit: 4 },
  // fastmcp
  INVALID_MANIFEST: { message: 'the file list of the skill is not one', rpc: -32603, exit: 4 },
  // client
  METHOD_NOT_FOUND: { message: 'the server does not answer a method', rpc: -32603, exit: 3 },
  SERVER_ERROR: { message: 'the server answers with an error', rpc: -32603, exit: 3 },
  SERVER_UNREACHABLE: { message: 'the server does not answer', rpc: -32603, exit: 3 },
  INVALID_RESULT: { message: 'the answer of the server is not one', rpc: -32603, exit: 4 },
  URI_MISMATCH: {
    message: 'the server answers for another URI than the one asked for',
    rpc: -32603,
    exit: 4,
  },
  UNLISTED_FILE: { message: 'the entry of the skill does not list the file', rpc: -32603, exit: 4 },
  SUPPORTING_FILE_UNPINNED: { message: 'the entry states no digest for the file', rpc: -32603, exit: 4 },
  DYNAMIC_REFUSED: { message: 'the skill has no digests to check', rpc: -32603, exit: 4 },
  ARCHIVE_NOT_LOADED: { message: 'an archive of an index is not unpacked by loading', rpc: -32603, exit: 1 },
  DIRECTORY_READ_NOT_SUPPORTED: {
    message: 'the server does not declare that it reads directories',
    rpc: -32603,
    exit: 3,
  },
  RESOURCE_TOO_LARGE: { message: 'the resource is larger than the client reads', rpc: -32603, exit: 5 },
  SERVER_BYTE_BUDGET_EXCEEDED: {
    message: 'the server sent as much as the client takes from it',
    rpc: -32603,
    exit: 5,
  },
  LISTING_INCOMPLETE: { message: 'the listing is not whole', rpc: -32603, exit: 5 },
  // http and cli
  PUBLIC_CACHE_REFUSED: {
    message: 'cacheScope public is refused when the provider depends on the caller',
    rpc: -32603,
    exit: 2,
  },
  BIND_REFUSED: { message: 'this address needs a token', rpc: -32603, exit: 2 },
  LISTEN_FAILED: { message: 'the address cannot be listened on', rpc: -32603, exit: 3 },
  USAGE: { message: 'the command line is not valid', rpc: -32603, exit: 2 },
  TARGET_EXISTS: { message: 'the target already exists', rpc: -32603, exit: 3 },
  WRITE_FAILED: { message: 'the file cannot be written', rpc: -32603, exit: 3 },
  UNSAFE_NAME: { message: 'a name that some system cannot hold safely', rpc: -32603, exit: 1 },
  NAME_COLLISION: { message: 'two names are one on some file systems', rpc: -32603, exit: 1 },
  NOT_VERIFIABLE: { message: 'nothing tells whether the content is what it should be', rpc: -32603, exit: 4 },
  LOCAL_CHANGES: { message: 'what was pulled was changed here', rpc: -32603, exit: 1 },
  RECORD_MISMATCH: { message: 'a skill is not what was recorded when it was pulled', rpc: -32603, exit: 4 },
  PULL_RECORD_INVALID: { message: 'the record of what was pulled is damaged', rpc: -32603, exit: 3 },
  INTERNAL: { message: 'a fault in Skillwire', rpc: -32603, exit: 70 },
} as const;

/** A key of {@link ERROR_TABLE}. */
export type SkillErrorCode = keyof typeof ERROR_TABLE;

/** What a {@link SkillError} carries beside its code. */
export interface SkillErrorOptions {
  /** Facts a program can use: `uri`, `path`, `limit`, `actual` … Never a path of this machine unless it came from the caller. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

const BRAND = Symbol.for('skillwire.SkillError');

/**
 * The only error that Skillwire throws on purpose.
 *
 * `code` is a key of {@link ERROR_TABLE}; `message` says what was refused, where, and what to do.
 *
 * @example
 * try { parseSkillUri(text) } catch (error) { if (isSkillError(error, 'PATH_TRAVERSAL')) report(error.message) }
 */
export class SkillError extends Error {
  readonly code: SkillErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: SkillErrorCode, message?: string, options: SkillErrorOptions = {}) {
    super(
      message ?? ERROR_TABLE[code].message,
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'SkillError';
    this.code = code;
    this.details = options.details ?? {};
    Object.defineProperty(this, BRAND, { value: true });
  }

  /** The JSON-RPC code of this error on the wire. */
  get rpcCode(): number {
    return ERROR_TABLE[this.code].rpc;
  }

  /** The exit code of the CLI when this error ends a command. */
  get exitCode(): number {
    return ERROR_TABLE[this.code].exit;
  }
}

/**
 * Whether `error` is a {@link SkillError}, with the given code if one is given.
 *
 * Works across two copies of the package in one process, where `instanceof` does not.
 *
 * @example
 * isSkillError(error, 'RESOURCE_NOT_FOUND')
 */
export function isSkillError(error: unknown, code?: SkillErrorCode): error is SkillError {
  if (typeof error !== 'object' || error === null || !(BRAND in error)) return false;
  return code === undefined || ('code' in error && error.code === code);
}
