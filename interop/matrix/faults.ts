import { GO_FAULTS } from '../go/faults.ts';
import type { CellField, Way } from './adapter.ts';
import type { CorpusPart, CorpusSize } from './corpus.ts';
import { COMMANDS, FASTMCP_SERVERS } from './names.ts';

/** Something that does not work and is not ours to mend. */
export interface Fault {
  /** Names of adapters; absent: whichever. */
  readonly server?: readonly string[];
  readonly client?: readonly string[];
  /** None of them: without a bridge. */
  readonly bridge?: readonly string[];
  /** Absent: however they are connected. */
  readonly ways?: Partial<Way>;
  /** Absent: with either. */
  readonly size?: CorpusSize;
  /** Absent: it is about the cell as a whole. */
  readonly parts?: readonly CorpusPart[];
  /** What does not hold: in each cell that this matches one of them, or the fault is stale. */
  readonly fields: readonly CellField[];
  /** What is said when it shows; absent: anything. */
  readonly says?: RegExp;
  /** Whose it is. */
  readonly whose: string;
  /** What goes wrong; short, as it stands in the table. */
  readonly what: string;
  /** How to see it without Skillwire. */
  readonly reproduction: string;
}

/**
 * What is known of others. A fault that shows no longer is a failure of the run, so that this table stays true.
 */
export const FAULTS: readonly Fault[] = [
  {
    server: ['official SDK', '@olaservo/ext-skills'],
    parts: ['renamed'],
    fields: ['listed'],
    whose: 'server',
    what: 'a skill whose folder has another name is left out',
    reproduction: 'a folder `a` with a `SKILL.md` that says `name: b`; `skills/list` has no entry for it',
  },
  {
    server: ['@olaservo/ext-skills'],
    parts: ['bom'],
    fields: ['listed'],
    whose: 'server',
    what: 'a `SKILL.md` with a byte order mark is left out',
    reproduction: 'a `SKILL.md` that begins with the bytes EF BB BF; `skills/list` has no entry for it',
  },
  {
    server: ['@olaservo/ext-skills'],
    parts: ['binary'],
    fields: ['read', 'bytes', 'verified'],
    whose: 'server',
    what: 'text that is no UTF-8 is sent with replacement characters',
    reproduction:
      'a file `x.md` of the bytes 61 C3 28; `resources/read` gives text of 5 bytes, the entry says 3',
  },
  {
    server: ['@olaservo/ext-skills'],
    parts: ['names'],
    fields: ['read', 'verified'],
    whose: 'server',
    what: 'names are not encoded in entries, and not found when they are read',
    reproduction:
      'a file `how to.md`; `skills/list` says `skill://a/how to.md`, and `resources/read` of that answers -32602',
  },
  {
    server: FASTMCP_SERVERS,
    parts: ['prefixed'],
    fields: ['listed'],
    whose: 'server',
    what: 'only folders at the top are looked at',
    reproduction: '`SkillsDirectoryProvider(roots=ROOT)` with `ROOT/a/b/SKILL.md`; `resources/list` is empty',
  },
  {
    server: FASTMCP_SERVERS,
    parts: ['crlf'],
    fields: ['read', 'bytes'],
    whose: 'server',
    what: 'CRLF and CR are sent as LF, while the file list has the digest of the file',
    reproduction:
      'a file `x.md` of `a\\r\\nb\\r\\n`; `resources/read` gives `a\\nb\\n`, `_manifest` says size 6',
  },
  {
    server: FASTMCP_SERVERS,
    parts: ['binary'],
    fields: ['read', 'bytes'],
    whose: 'server',
    what: 'a file of text that is no UTF-8 cannot be read',
    reproduction: 'a file `x.md` of the bytes 61 C3 28; `resources/read` answers -32603',
  },
  {
    server: ['mcpkit'],
    client: [COMMANDS],
    parts: ['plain'],
    fields: ['read'],
    whose: 'dialect',
    what: 'an entry of a skill of one file does not say that there are no others: `pull` wants `--allow-unverified`',
    reproduction: 'the index of a folder with one `SKILL.md`: its entry has no `file-digests`',
  },
  {
    client: [COMMANDS],
    parts: ['reserved'],
    fields: ['read'],
    whose: 'Windows',
    what: 'it has no such name, so `pull` writes none anywhere',
    reproduction: 'create a file named `what?.md` on Windows',
  },
  {
    server: ['@olaservo/ext-skills'],
    client: ['Skillwire', 'official SDK', COMMANDS],
    parts: ['odd', 'reserved'],
    fields: ['listed'],
    whose: 'server',
    what: 'an entry with a name that is not encoded holds what is no URI, and is refused',
    reproduction: 'a file `100%.md`; `skills/list` says `skill://a/100%.md`',
  },
  {
    server: ['official SDK'],
    ways: { transport: 'http', era: 'legacy' },
    fields: ['notified'],
    whose: 'server',
    what: '`createMcpHandler` keeps no session of 2025, so it has nobody to notify',
    reproduction: 'GET of its endpoint answers 405, while `initialize` declares `listChanged`',
  },
  {
    client: ['@olaservo/ext-skills'],
    server: ['Skillwire', 'Skillwire, released', 'official SDK'],
    parts: ['bom'],
    fields: ['read'],
    whose: 'client',
    what: 'the frontmatter after a byte order mark is not found, so it differs from the entry',
    reproduction: '`readSkill` of a `SKILL.md` that begins with the bytes EF BB BF',
  },
  {
    client: ['skills'],
    parts: ['bom'],
    fields: ['bytes'],
    whose: 'client',
    what: 'a byte order mark at the begin of `SKILL.md` is dropped',
    reproduction: '`skills add` of a skill whose `SKILL.md` begins with the bytes EF BB BF',
  },
  {
    bridge: ['supergateway, http → stdio'],
    ways: { era: 'modern' },
    fields: ['listed'],
    says: /did not offer pinned protocol version/,
    whose: 'bridge',
    what: 'it cannot be spoken to by the revision of 2026',
    reproduction: '`server/discover` through `supergateway --streamableHttp URL` answers -32000, HTTP 400',
  },
  {
    bridge: ['supergateway, http → stdio'],
    ways: { era: 'legacy' },
    fields: ['notified'],
    whose: 'bridge',
    what: 'it passes on no notification of the server',
    reproduction: 'it opens no GET stream to the server, whose `listChanged` it declares',
  },
  {
    bridge: ['FastMCP proxy, http → stdio', 'FastMCP proxy, stdio → http'],
    fields: ['notified'],
    whose: 'bridge',
    what: 'it passes on no notification of the server',
    reproduction: '`list_changed` of a server behind `create_proxy` reaches no client',
  },
  {
    server: ['FastMCP, template'],
    parts: ['nested'],
    fields: ['listed'],
    whose: 'server',
    what: 'a skill inside another is none',
    reproduction: '`ROOT/a/SKILL.md` and `ROOT/a/b/SKILL.md`; `resources/list` has the first alone',
  },
  {
    // Those that take every `SKILL.md` for a skill find it all the same.
    server: ['FastMCP, resources'],
    client: ['Skillwire', COMMANDS],
    parts: ['nested'],
    fields: ['listed'],
    whose: 'server',
    what: 'a skill inside another is a file without a file list of its own',
    reproduction:
      '`ROOT/a/SKILL.md` and `ROOT/a/b/SKILL.md`; `resources/list` has `a/b/SKILL.md` and no `a/b/_manifest`',
  },
  {
    server: FASTMCP_SERVERS,
    client: ['FastMCP'],
    fields: ['verified'],
    says: /^skill:\/\/crlf\//,
    whose: 'server',
    what: 'files with CRLF or CR have another digest than the file list states',
    reproduction: 'as for CRLF and CR above',
  },
  {
    server: ['@olaservo/ext-skills'],
    client: ['official SDK 1.x', 'mcporter', 'Python SDK'],
    parts: ['odd', 'reserved'],
    fields: ['read'],
    whose: 'server',
    what: 'a file whose name has `%`, `#` or `?` is not found under its encoded name',
    reproduction: 'a file `part#1.md`; `resources/read` of `skill://a/part%231.md` answers -32602',
  },
  {
    server: ['@olaservo/ext-skills'],
    client: ['@olaservo/ext-skills'],
    parts: ['odd'],
    fields: ['read'],
    whose: 'server',
    what: 'the file `a%20b.md` is listed as what is the URI of `a b.md`',
    reproduction: 'a file `a%20b.md`; `skills/list` says `skill://a/a%20b.md`',
  },
  {
    server: ['@olaservo/ext-skills'],
    client: ['official SDK'],
    ways: { era: 'modern' },
    fields: ['verified'],
    says: /ttlMs/,
    whose: 'server',
    what: 'an answer to `skills/get` has no `ttlMs`, and is refused',
    reproduction: '`skills/get` by the revision of 2026; the result has neither `ttlMs` nor `cacheScope`',
  },
  {
    client: ['FastMCP', 'Python SDK'],
    server: ['official SDK', '@olaservo/ext-skills', 'resources only', 'mcpkit', ...FASTMCP_SERVERS],
    ways: { transport: 'http', era: 'legacy' },
    parts: ['large'],
    fields: ['read'],
    whose: 'client',
    what: 'an event of more than 1 MiB ends the request, and these servers answer with events',
    reproduction:
      'a server that answers `resources/read` of 1 MiB as `text/event-stream`; the client says "Server-sent event exceeded the 1048576 byte limit"',
  },
  {
    server: [
      'Skillwire',
      'Skillwire, released',
      'Skillwire, draft-index',
      'Skillwire, draft-index in tar.gz',
      'Skillwire, draft-index in zip',
      'Skillwire, fastmcp',
    ],
    bridge: [],
    ways: { transport: 'stdio' },
    size: 'full',
    parts: ['large'],
    fields: ['read', 'verified'],
    says: /this transport carries 9437184|not asked for/,
    whose: 'stdio',
    what: 'official clients break off at an answer of 10 MiB, so more than 9 MiB is refused with the reason',
    reproduction: 'a server over stdio that answers with a line of 12 MB; the official client closes',
  },
  {
    client: ['official SDK', 'official SDK 1.x', '@olaservo/ext-skills', 'MCP Inspector', 'mcporter'],
    server: ['official SDK', '@olaservo/ext-skills', 'resources only', ...FASTMCP_SERVERS],
    bridge: [],
    ways: { transport: 'stdio' },
    size: 'full',
    fields: ['read', 'verified', 'notified'],
    says: /Not connected|Connection closed|no notification came/,
    whose: 'client',
    what: 'an answer of more than 10 MiB over stdio ends the connection, unless another `maxBufferSize` is set, and nothing after it is read',
    reproduction:
      'a server over stdio that answers one of several requests with a line of 12 MB; the others end with "Not connected"',
  },
  {
    client: ['official SDK 1.x'],
    bridge: [
      'mcp-remote, http → stdio',
      'mcp-remote --protocol auto, http → stdio',
      'supergateway, http → stdio',
      'FastMCP proxy, http → stdio',
    ],
    size: 'full',
    fields: ['read', 'notified'],
    says: /Not connected|Connection closed|no notification came/,
    whose: 'client',
    what: 'an answer of more than 10 MiB over stdio ends the connection, from a bridge too',
    reproduction: 'as above, with the server over HTTP behind a bridge',
  },
  {
    bridge: ['supergateway, stdio → http', 'mcp-proxy, stdio → http', 'FastMCP proxy, stdio → http'],
    size: 'full',
    parts: ['large'],
    fields: ['read', 'verified'],
    whose: 'stdio',
    what: 'between the server and the bridge more than 9 MiB is refused, as by a client over stdio',
    reproduction: 'a bridge with a client of the official SDK in it closes at a line of 12 MB',
  },
  ...GO_FAULTS,
];
