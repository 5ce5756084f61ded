import type { Fault } from '../matrix/faults.ts';
import { COMMANDS } from '../matrix/names.ts';

/** Those that ask for a name unencoded when it is not found encoded. */
const READERS = ['Skillwire', COMMANDS];
const OTHERS = ['official SDK 1.x', 'mcporter', 'Python SDK'];
const SERVER = ['mcpkit'];
const SERVERS = ['mcpkit', 'mcpkit, tar.gz', 'mcpkit, zip'];

/** What is known of mcpkit `ext/skills` 0.5.2. */
export const GO_FAULTS: readonly Fault[] = [
  {
    server: SERVERS,
    parts: ['nested'],
    fields: ['listed', 'read'],
    whose: 'server',
    what: 'a skill inside another is not taken, and with it nothing of the whole folder',
    reproduction:
      '`a/SKILL.md` and `a/b/SKILL.md`; `NewProvider(WithDirectory(ROOT))` fails with ErrNestedSkill (our program leaves the inner one out)',
  },
  {
    server: SERVERS,
    parts: ['renamed'],
    fields: ['listed'],
    whose: 'server',
    what: 'a skill whose folder has another name is not taken, and with it nothing of the whole folder',
    reproduction:
      'a folder `a` with a `SKILL.md` that says `name: b`; `NewProvider(WithDirectory(ROOT))` fails with ErrSkillNameMismatch (our program leaves it out)',
  },
  {
    server: SERVER,
    parts: ['binary'],
    fields: ['read', 'bytes', 'verified'],
    whose: 'server',
    what: 'text that is no UTF-8 is sent with replacement characters',
    reproduction:
      'a file `x.md` of the bytes 61 C3 28; `resources/read` gives text of 5 bytes, its pin is that of 3',
  },
  {
    server: SERVER,
    client: [...READERS, ...OTHERS],
    parts: ['empty'],
    fields: ['read', 'verified'],
    whose: 'server',
    what: 'a file without a byte is sent with neither `text` nor `blob`',
    reproduction:
      'an empty `x.txt`; `resources/read` answers `{"contents":[{"uri":…,"mimeType":"text/plain"}]}`',
  },
  {
    server: SERVER,
    parts: ['odd', 'reserved'],
    fields: ['read', 'verified'],
    whose: 'server',
    what: 'names with `%`, `#` and `?` are known unencoded alone, where they are the URI of something else',
    reproduction:
      'a file `part#1.md`; `resources/read` of `skill://a/part%231.md` answers -32602, and gives the file for `skill://a/part#1.md`, a URI with a fragment',
  },
  {
    server: SERVER,
    client: [...OTHERS, 'mcpkit'],
    parts: ['names'],
    fields: ['read'],
    whose: 'server',
    what: 'names with spaces and beyond ASCII are known unencoded alone',
    reproduction: 'a file `how to.md`; `resources/read` of `skill://a/how%20to.md` answers -32602',
  },
  {
    server: SERVER,
    client: READERS,
    ways: { era: 'modern' },
    parts: ['names'],
    fields: ['read', 'verified'],
    whose: 'server',
    what: 'names beyond ASCII are known unencoded alone, and an encoded `Mcp-Name` header is not decoded before it is compared',
    reproduction:
      'a file `é.md`; `resources/read` of `skill://a/é.md` with the header `Mcp-Name: =?base64?c2tpbGw6Ly9hL8OpLm1k?=` answers -32020',
  },
  {
    server: SERVERS,
    client: ['Skillwire', 'Python SDK'],
    ways: { era: 'modern' },
    fields: ['notified'],
    whose: 'server',
    what: 'what it tells to subscribers has an identifier of its own instead of that of their request, and is not taken for theirs',
    reproduction:
      '`subscriptions/listen` with the `id` 1: `notifications/subscriptions/acknowledged` says `io.modelcontextprotocol/subscriptionId` `sub-…`, not 1',
  },
  {
    client: ['mcpkit'],
    server: ['Skillwire', 'Skillwire, draft-index'],
    parts: ['odd'],
    fields: ['read', 'verified'],
    whose: 'client',
    what: 'a reference is decoded twice: names with `%` are not found among the pins, or are no reference',
    reproduction:
      'a file `a%20b.md`; `ReadSkillFileVerified(entry, manifest, "./a%2520b.md")` says that `a b.md` is not pinned',
  },
];
