/**
 * Every cap: its name, its default and its reason. A cap that is an option reads 0 or absent as the default and -1 as off.
 *
 * @module
 */

/** The defaults, as documented in `docs/reference/limits.md`. */
export const LIMITS = {
  /** Entries on a page at the least; a catalog of n has pages of max(this, ⌈n/40⌉): official clients give up after 64 pages. */
  pageEntries: 500,
  /** JSON bytes of a page; always wins over the number of entries, so that no page is too big for a stdio buffer. */
  pageBytes: 8_388_608,
  /** Pages the official client walks before it gives up; a catalog that needs more is named at start-up. */
  officialClientPages: 64,
  /** Freshness hint in ms: short enough that an edit shows within seconds. */
  ttlMs: 5_000,
  /** Bytes between the fences: real ones have at most a few KiB. */
  frontmatterBytes: 65_536,
  /** Nesting of YAML collections: deeper ones exist only to exhaust a stack. */
  frontmatterDepth: 32,
  /** YAML nodes, aliases expanded. */
  frontmatterNodes: 10_000,
  /** Alias expansions: a "billion laughs" document needs far more. */
  frontmatterAliases: 100,
  /** One file read by the server: what fits a response after base64. */
  fileBytes: 16_777_216,
  /** One skill read by the server. */
  skillBytes: 67_108_864,
  /** Files of a skill from which on a warning is due (the extension's interoperability floor). */
  skillFilesWarning: 512,
  /** Bytes of a skill from which on a warning is due (the extension's interoperability floor). */
  skillBytesWarning: 16_777_216,
  /** HTTP request body. */
  requestBytes: 4_194_304,
  /** UTF-8 bytes of a URI in a request. */
  uriBytes: 8_192,
  /** JSON bytes of one response over HTTP. */
  responseBytesHttp: 25_165_824,
  /** JSON bytes of one response over stdio: the official stdio client dies beyond 10 MiB. */
  responseBytesStdio: 9_437_184,
  /** Folders of one scan: a home directory served by mistake ends here and not in an hour. */
  scanFolders: 200_000,
  /** Depth of one scan. */
  scanDepth: 32,
  /** Bytes of one `.skillignore`: its patterns are matched against every name below it. */
  ignoreFileBytes: 65_536,
  /** Patterns of one `.skillignore`: more of them make a hostile archive slow to list. */
  ignorePatterns: 1_000,
  /** `**` in one pattern of a `.skillignore`: the time to match a deep path grows with the power of their number. */
  ignoreDoubleStars: 3,
  /** Quiet after a change before it is told, ms: an editor saves in several steps. Told at the latest after 20 of them. */
  watchSettleMs: 50,
  /** Time between two looks where the system does not tell of changes, ms. A look takes a tenth of the time at most. */
  pollMs: 2_000,
  /** Time between two questions to a server whether an archive changed, ms: a 304 is cheap, and not free. */
  pollRemoteMs: 300_000,
  /** The longest that a server is left alone after failures, ms. */
  pollRemoteMaxMs: 3_600_000,
  /** All files of an archive: skills are documents, not data sets (seed 000). */
  archiveBytes: 104_857_600,
  /** One file of an archive: no skill may be larger. */
  archiveEntryBytes: 67_108_864,
  /** Entries of an archive, folders and dropped ones included. */
  archiveEntries: 20_000,
  /** Bytes of all files to bytes of the archive: text packs to a tenth, a bomb to a thousandth. */
  archiveRatio: 200,
  /** Bytes of all files below which the ratio is not judged: small repetitive files are common. */
  archiveRatioFloor: 1_048_576,
  /** Folders and file name of one path: twice the depth of a scan, since wrappers and what is not served count. */
  archiveDepth: 64,
  /** UTF-8 bytes of one name: what common file systems hold. */
  archiveNameBytes: 255,
  /** UTF-8 bytes of one path: what common systems open. */
  archivePathBytes: 4_096,
  /** Extended headers of a tar together, or the directory of a zip: they can grow without a file in them. */
  archiveHeaderBytes: 33_554_432,
  /** Packed skills that a provider keeps in memory for each format; beyond it the longest unused are packed again when asked for. */
  archiveCacheBytes: 67_108_864,
  /** Unpacked archives that a client keeps in memory; beyond it the longest unused are fetched again when asked for. */
  unpackedCacheBytes: 67_108_864,
  /** Results that a provider keeps as the bytes that go out over HTTP, plain and in gzip; beyond it the longest unused are made again. */
  preparedBytes: 16_777_216,
  /** Bytes of a prepared answer from which on it goes out in gzip to whoever takes that: a shorter one is one packet or a few. */
  gzipAnswerBytes: 16_384,
  /** Time to reach a server, name lookup and TLS included. */
  fetchConnectMs: 10_000,
  /** Time of a whole fetch, redirects and body included: a server that drips ends here. */
  fetchTotalMs: 120_000,
  /** Redirects followed by one fetch. */
  fetchRedirects: 5,
  /** Bytes of one response body, as sent: what an archive may hold. */
  fetchBytes: 104_857_600,
  /** Bytes of one entry of the cache folder; a larger one is not kept. */
  cacheEntryBytes: 16_777_216,
  /** Bytes of all entries of the cache folder; beyond it the oldest go. */
  cacheBytes: 268_435_456,
  /** Bytes of digests below which a tree is not kept: the files of some hundred are read as fast. */
  digestTreeLeastBytes: 65_536,
  /** Bytes of the digests that are kept of one tree: a million files. */
  digestTreeBytes: 134_217_728,
  /** Bytes of the digests that are kept of all trees; beyond it the trees unused for longest go. */
  digestIndexBytes: 268_435_456,
  /** A 2025-era session without a request or stream ends after this. */
  sessionIdleMs: 1_800_000,
  /** 2025-era sessions held at once. */
  sessions: 1_000,
  /** Streams held open at once, both eras. */
  openStreams: 1_024,
  /** Time for requests under way to end on a shutdown. */
  drainMs: 5_000,
  /** Quiet before a change is told, on the command line: a burst of saves is one notification. */
  coalesceWindowMs: 200,
  /** The longest that a change waits to be told, on the command line: a steady stream of saves shows all the same. */
  maxWaitMs: 2_000,
  /** Time between two notifications, on the command line: clients list everything again at each. */
  minBroadcastIntervalMs: 1_000,
  /** JSON bytes of the paths in one notification: naming more costs a client as much as listing everything again. */
  changedPathsBytes: 1_048_576,
  /** Resources that one 2025-era session may subscribe to. */
  subscriptions: 10_000,
  /** UTF-16 units of the server's `instructions`: they stand in the prompt of every conversation. */
  instructionsLength: 2_000,
  /** Skills on a page of `list_skills`: what a tool returns stands in the context of a model. */
  toolPageEntries: 100,
  /** JSON bytes of the skills on a page of `list_skills`. */
  toolPageBytes: 65_536,
  /** UTF-16 units of a description in `list_skills`: the longest that the format allows. */
  toolDescriptionLength: 1_024,
  /** Files named in the result of one tool. */
  toolFiles: 200,
  /** Bytes of a file that is no text in the result of a tool: as base64 it costs a model more than it tells. */
  toolBlobBytes: 1_048_576,
  /** Pages that the client walks of one list: more than any honest server has. */
  clientPages: 1_000,
  /** Entries that the client takes from one list. */
  clientEntries: 200_000,
  /** Files of one entry: judging more would keep everything else waiting. */
  clientEntryFiles: 50_000,
  /** Bytes that all entries of one list take in memory, estimated. */
  clientListingBytes: 268_435_456,
  /** Time of one walk, ms: a server that drips ends here. */
  clientListingMs: 300_000,
  /** Pages in a row that bring nothing new. */
  clientIdlePages: 32,
  /** Problems of one listing that are told one by one. */
  clientProblems: 1_000,
  /** Bytes of one resource of a server that speaks the released form: the most that a skill need hold. */
  clientResourceBytes: 16_777_216,
  /** Bytes of one resource of any other server (seed 000). */
  clientResourceBytesOther: 10_485_760,
  /** Bytes of one response: what the largest resource takes as base64 in JSON. */
  clientResponseBytes: 33_554_432,
  /** Time of one request, ms. */
  clientRequestMs: 60_000,
  /** The longest that a listing or entry counts as fresh, whatever the server says, ms. */
  clientFreshMs: 3_600_000,
  /** Listings in a row without a pause. */
  clientListBurst: 10,
  /** Time between two listings beyond these, ms: hosts have taken servers down by listing on every turn. */
  clientListMs: 1_000,
  /** The first pause after a failure, ms; each further one doubles it. */
  clientBackOffMs: 1_000,
  /** The longest pause after failures, ms. */
  clientBackOffMaxMs: 60_000,
  /** Checked files that are kept and handed out again while their digest is current. */
  clientCacheBytes: 33_554_432,
  /** Bytes taken from one skill with content made anew: what a skill need hold at most. */
  clientDynamicBytes: 16_777_216,
  /** Files taken from one skill with content made anew: what a skill need hold at most. */
  clientDynamicFiles: 512,
  /** Tokens of a catalog in a prompt: it stands there in every turn. */
  catalogBlockTokens: 8_000,
  /** Tokens of instructions in a prompt: a handful of skills of the recommended length. */
  instructionsBlockTokens: 32_000,
  /** Skills that did not fit a block and are named all the same. */
  blockNames: 50,
} as const;

/**
 * The cap in force for an option value: `fallback` for absent or 0, Infinity for -1.
 *
 * @example
 * capOf(options.maxFileBytes, LIMITS.fileBytes)
 */
export function capOf(value: number | undefined, fallback: number): number {
  if (value === undefined || value === 0) return fallback;
  return value < 0 ? Number.POSITIVE_INFINITY : value;
}
