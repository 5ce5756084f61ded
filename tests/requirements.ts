/**
 * The released extension as a checklist, and the tests that prove each line of it. Pure data: the gate reads it
 * after the tests ran (`npm run requirements`).
 */

/** The issue in which a row is due; `host` is the round that builds the host. */
export type Due = 2 | 7 | 'host';

/** One row of the checklist. */
export interface Requirement {
  /** S: server, H: host or client, B: both. The numbers are the project's own. */
  readonly id: string;
  readonly level: 'must' | 'must not' | 'should' | 'should not' | 'may' | 'fact';
  readonly says: string;
  readonly due: Due;
  /** `file > describe > test`, or a beginning of that: every test below it must have passed, and at least one. */
  readonly proves: readonly string[];
  /** Why no test proves it. */
  readonly excused?: string;
}

/** The issues that are closed: closing one adds its number, and from then on its rows must be proved. */
export const finished: readonly Due[] = [2, 7];

const WIRE = 'tests/requirements/released-wire.test.ts';
const MORE = 'tests/requirements/generated-and-failing.test.ts';

/** A test of `released-wire` in both eras over both carriers. */
function wire(title: string): string[] {
  return ['http, 2026-07-28', 'http, 2025-11-25', 'stdio, 2026-07-28', 'stdio, 2025-11-25'].map(
    (where) => `${WIRE} > over ${where} > ${title}`,
  );
}

/** A test of `generated-and-failing` in both eras. */
function more(title: string): string[] {
  return ['2026-07-28', '2025-11-25'].map((era) => `${MORE} > ${era} > ${title}`);
}

const DECLARES = wire('declares the extension inline, with resources beside it');
const LISTS = wire('lists every conforming skill in order, over several pages, each entry whole');
const COMPLETE = wire('says that lists and entries are complete, and for how long, as the era has it');
const FRONTMATTER = wire('carries every field of the author in the frontmatter, and no other');
const URIS = wire('builds URIs of the scheme, the path and the name');
const FILES = wire('lists every file once with the digest and size of its bytes');
const NESTED = wire('gives a nested skill an entry of its own, and its files to the enclosing one too');
const RENAMED = wire('publishes a skill whose folder has another name under its name');
const UNLISTED = wire('answers skills/get for a served skill that is not listed');
const DESCRIBED = wire('describes the resource of SKILL.md as its frontmatter does');
const TYPES = wire('gives files the type that fits them, text as text and bytes as bytes');
const DIRECTORIES = wire('reads every directory of every skill, files and folders, one level at a time');
const OFFICIAL = wire('lets the official skills client list, get and verify every file');
const CURSORS = ['skills/list', 'resources/list', 'resources/directory/read'].flatMap((method) =>
  wire(`refuses a cursor of somebody else in ${method}`),
);
const DYNAMIC = more('a skill with content made anew is "dynamic", and each read makes it');
const FAILING = more('a failure inside is -32603 and tells nothing of this machine');
const EMPTY = more('an empty catalog has an empty listing');
const INSTRUCTIONS = ['2026-07-28', '2025-11-25', '2025-06-18'].map(
  (era) => `tests/server/instructions.test.ts > ${era} > switched on`,
);
const LARGE = `${MORE} > a skill of more than 512 files, or more than 16 MiB, is served with a warning that names the limit`;

/** The refusals of `released-wire`. */
function refuses(method: string, ...uris: string[]): string[] {
  return uris.flatMap((uri) => wire(`refuses ${method} of ${uri} with -32602, saying what`));
}

function row(
  id: string,
  level: Requirement['level'],
  due: Due,
  says: string,
  ...proves: string[]
): Requirement {
  return { id, level, due, says, proves };
}

function excused(
  id: string,
  level: Requirement['level'],
  due: Due,
  says: string,
  reason: string,
): Requirement {
  return { id, level, due, says, proves: [], excused: reason };
}

const server: readonly Requirement[] = [
  row(
    'S1',
    'must',
    2,
    'the capability stands inline under extensions, settings and nothing around them',
    ...DECLARES,
  ),
  row('S2', 'must', 2, 'who declares it answers skills/list and skills/get', ...LISTS, ...UNLISTED),
  row(
    'S3',
    'must',
    2,
    'directoryRead: true means that resources/directory/read answers',
    ...DECLARES,
    ...DIRECTORIES,
  ),
  row('S4', 'must', 2, 'the base resources capability is declared too', ...DECLARES),
  row('S5', 'must', 2, 'a listed skill conforms to the Agent Skills format', ...OFFICIAL, ...UNLISTED),
  row('S6', 'must', 2, 'every skill root has its SKILL.md', ...FILES, ...OFFICIAL),
  row(
    'S7',
    'must',
    2,
    'SKILL.md begins with frontmatter that has a name and a description',
    ...OFFICIAL,
    ...refuses('skills/get', 'skill://broken/SKILL.md'),
  ),
  row('S8', 'may', 2, 'a skill may have more files and folders', ...FILES),
  row('S9', 'should', 2, 'URIs are skill://<skill path>/<file path> with slashes', ...URIS),
  row('S10', 'may', 2, 'a skill path may have several segments', ...LISTS, ...NESTED),
  row('S11', 'must', 2, 'the last segment of the skill path is the name', ...URIS, ...RENAMED),
  row('S12', 'must', 2, 'that segment keeps the naming rule', ...URIS),
  row('S13', 'should', 2, 'the first segment is a valid host name of RFC 3986', ...URIS),
  row('S14', 'should', 2, 'the other segments are valid path segments', ...URIS),
  row('S15', 'may', 2, 'a skill may stand inside another one', ...NESTED),
  excused(
    'S16',
    'may',
    2,
    'another scheme may be used',
    'Skillwire serves skill:// alone; reading other schemes is a matter of the client',
  ),
  row('S17', 'should', 2, 'SKILL.md is text/markdown', ...DESCRIBED),
  row('S18', 'should', 2, 'the resource of SKILL.md is named like the skill', ...DESCRIBED),
  row('S19', 'should', 2, 'and described like it', ...DESCRIBED),
  row('S20', 'may', 2, 'other frontmatter may go out in _meta', ...DESCRIBED),
  row('S21', 'should', 2, 'then under the prefix io.modelcontextprotocol.skills/', ...DESCRIBED),
  row('S22', 'fact', 2, 'other files have the type that fits them', ...TYPES),
  row('S23', 'fact', 2, 'a nested skill has a flat entry of its own', ...NESTED),
  row(
    'S24',
    'fact',
    2,
    'an entry is uri, frontmatter and resources, and its uri can be read',
    ...LISTS,
    ...FILES,
  ),
  row('S25', 'must', 2, 'frontmatter is that of the file, every field', ...FRONTMATTER, ...OFFICIAL),
  row(
    'S26',
    'fact',
    2,
    'metadata keys under io.modelcontextprotocol/ are reserved and none is added',
    ...FRONTMATTER,
  ),
  row(
    'S27',
    'should',
    2,
    'names are unique in a listing',
    ...wire('has the same name for no two listed skills'),
  ),
  row('S28', 'must', 2, 'resources is there: a list or "dynamic"', ...LISTS, ...DYNAMIC),
  row('S29', 'must', 2, 'the list is complete, each file once, SKILL.md included', ...FILES),
  row('S30', 'must', 2, 'every uri of the list lies inside the skill', ...FILES, ...RENAMED),
  row(
    'S31',
    'fact',
    2,
    'digest is sha256: and 64 lower-case hex digits over the raw bytes',
    ...FILES,
    ...OFFICIAL,
  ),
  row('S32', 'must', 2, 'size is the raw length', ...FILES, ...OFFICIAL),
  row('S33', 'fact', 2, 'the enclosing skill lists the files of nested ones', ...NESTED),
  row('S34', 'must', 2, 'content without a stable digest makes resources "dynamic"', ...DYNAMIC),
  row('S35', 'should', 2, 'authors expect that some hosts decline dynamic skills', ...DYNAMIC),
  row('S36', 'should not', 2, 'no skill over 512 files', LARGE),
  row('S37', 'should not', 2, 'no skill over 16 MiB', LARGE),
  row('S38', 'must', 2, 'skills/list pages with cursors', ...LISTS, ...CURSORS),
  row('S39', 'must', 2, 'skills/list says resultType complete', ...COMPLETE),
  row('S40', 'may', 2, 'a listing may be empty or partial', ...EMPTY, ...UNLISTED),
  row('S41', 'fact', 2, 'an entry is never split', ...LISTS),
  row(
    'S42',
    'must',
    2,
    'skills/list carries ttlMs and cacheScope on 2026-07-28, and nothing of it before',
    ...COMPLETE,
  ),
  row('S43', 'must', 2, 'skills/get gives one entry of the same shape', ...FILES, ...OFFICIAL),
  row('S44', 'must', 2, 'skills/get says resultType complete', ...COMPLETE),
  row(
    'S45',
    'must',
    2,
    'an unknown skill is -32602',
    ...refuses('skills/get', 'skill://no-such/SKILL.md', 'skill://full/references/guide.md'),
  ),
  row('S46', 'must', 2, 'skills/get answers for every served skill, listed or not', ...UNLISTED),
  row('S47', 'must', 2, 'skills/get carries ttlMs and cacheScope and no cursor', ...COMPLETE),
  row('S48', 'may', 2, 'instructions may point at skills', ...INSTRUCTIONS),
  row(
    'S49',
    'fact',
    2,
    'a directory is inode/directory, without a trailing slash, at every level',
    ...DIRECTORIES,
  ),
  row(
    'S50',
    'must',
    2,
    'a directory read gives every direct child, pages, and an empty list for an empty folder',
    ...DIRECTORIES,
    ...wire('has an empty list for an empty folder'),
    ...wire('has the ordinary metadata of files in a directory'),
  ),
  row(
    'S51',
    'must',
    2,
    'a directory read of anything else is -32602',
    ...refuses('resources/directory/read', 'skill://full/no-such', 'skill://full/SKILL.md', 'skill://group'),
  ),
  row('S52', 'must', 2, 'it works for every directory of every skill', ...DIRECTORIES),
  row(
    'S53',
    'must',
    2,
    'reading what is not served is -32602, an internal failure -32603',
    ...refuses('resources/read', 'skill://full/no-such.md', 'skill://broken/SKILL.md'),
    ...FAILING,
  ),
  row(
    'S54',
    'should',
    2,
    'error messages inform',
    ...refuses('resources/read', 'skill://full/no-such.md', 'test://other'),
    ...FAILING,
  ),
];

const VERIFIED = 'tests/client/verified-read.test.ts';
const RELEASED = 'tests/client/released.test.ts';
const DETECT = 'tests/client/detect.test.ts';
const CONNECTION = 'tests/client/connection.test.ts';
const DIRECTORY = 'tests/client/directory.test.ts';
const CAPPED = ['by fetch', 'over connections of its own'].map(
  (way) => `tests/client/capped-fetch.test.ts > cappedFetch ${way}`,
);
const SAME_NAMES = `${RELEASED} > listing a released server > keeps two skills of one name under two URIs (H11, H12)`;
const EMPTY_LISTING = `${RELEASED} > listing a released server > says nothing of what an empty listing leaves out (H20, H21)`;
const LISTED_CHILDREN = `${DIRECTORY} > readDirectory > leaves out what the held entry lacks, and never reads it (H38, H40)`;
const OTHER_SCHEME = `${RELEASED} > listing a released server > takes a skill under another scheme, and one far beyond what hosts have to take (H17)`;
const DIRECTORY_GUARD = [
  '{"resources":{}}',
  '{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{}}}',
  '{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":1}}}',
].map(
  (declared) => `${DIRECTORY} > readDirectory > is never asked of a server that declares ${declared} (H1)`,
);
const REFERENCES = ['references/a.md', 'references/../references/a.md#usage', 'how to.md'].map(
  (ref) =>
    `${VERIFIED} > a verified read > finds the file of the reference "${ref}" in the entry and asks for it in its spelling`,
);
const UNLISTED_REFS = [
  'references/b.md',
  'skill://pdf/references/b.md',
  'skill://other/SKILL.md',
  'file:///etc/passwd',
  '../other/x',
].map((ref) => `${VERIFIED} > a verified read > refuses the reference "${ref}" before any request`);
const REFUSED_BYTES = [
  'another digest of the same size',
  'another size',
  'another uri in the answer',
  'both text and blob',
  'two contents',
].map((lie) => `${VERIFIED} > a verified read > refuses ${lie}`);
const HOSTILE = 'tests/adversarial/hostile-servers.test.ts';
const BOTH_ERAS = ['2025-11-25', '2026-07-28'] as const;

/** Hostile servers, in memory, in both eras. */
function lies(...cases: string[]): string[] {
  return cases.flatMap((each) => BOTH_ERAS.map((era) => `${HOSTILE} > over memory, ${era} > ${each}`));
}

/** A test of `client-of-one-server` in both eras. */
function held(title: string): string[] {
  return BOTH_ERAS.map((era) => `tests/requirements/client-of-one-server.test.ts > ${era} > ${title}`);
}

const IDENTITY = held(
  'H7, H8: one URI on two servers is two skills; neither gets content, entry or cache of the other',
);
const NAMESPACES = held(
  'H13, H14: a catalog of two servers has both skills of one name, each under the label of its host',
);
const RAW = held(
  'H23, H24: a raw read gives the bytes of a resource: no skill, no standing for other files, no activation',
);
const HOLDING = held('H29, H30: an entry that a host holds stays as it is, whatever the server lists by now');
const REFRESH = held(
  'H28, H39: a skill that changed is refused under the old entry and told anew by its URI',
);
const PULL = 'tests/cli/pull.test.ts';

const client: readonly Requirement[] = [
  row('H1', 'must not', 7, 'never call a directory read that was not declared', ...DIRECTORY_GUARD),
  row(
    'H2',
    'fact',
    7,
    'call skills/* only after the declaration',
    `${DETECT} > a forced dialect > calls no method of an extension that is not declared (H2)`,
    `${DETECT} > the dialect of a server > is that of the draft index where it is not, and the document is read once`,
  ),
  row(
    'H3',
    'must not',
    7,
    'never resolve the authority of a skill URI on a network',
    OTHER_SCHEME,
    'tests/requirements/client-of-one-server.test.ts > H3: the authority of a URI is a name of a skill, and nothing is looked up or connected to',
  ),
  row(
    'H4',
    'must not',
    7,
    'never take a scheme for proof that something is a skill',
    `${DETECT} > the dialect of a server > is not proved by a scheme (H4)`,
  ),
  row(
    'H5',
    'must not',
    7,
    'never act on the frontmatter of a nested SKILL.md that was read as a file',
    `${VERIFIED} > a verified read > says nothing of the frontmatter of a nested SKILL.md (H5)`,
  ),
  row(
    'H6',
    'must',
    7,
    'activating a nested skill asks anew',
    ...held('H6: what was activated is one URI; the skill inside is asked for and activated by itself'),
  ),
  row('H7', 'must', 7, 'keep server identity and uri together everywhere', ...IDENTITY),
  row('H8', 'must not', 7, 'never key on the uri alone', ...IDENTITY),
  row(
    'H9',
    'must',
    7,
    'a path on disk tells server and uri',
    ...['records where each file came from', 'keeps the skills of one target from those of another'].map(
      (title) => `${PULL} > pull > ${title}`,
    ),
  ),
  row(
    'H10',
    'should',
    7,
    'ignore unknown metadata under io.modelcontextprotocol/',
    `${VERIFIED} > a verified read > gives SKILL.md by default, with what its checked bytes say`,
  ),
  row('H11', 'must not', 7, 'never assume unique names', SAME_NAMES),
  row('H12', 'must', 7, 'same names in one listing are told apart, none dropped', SAME_NAMES),
  row('H13', 'must', 7, 'names of several servers live in namespaces of their origin', ...NAMESPACES),
  row('H14', 'must not', 7, 'a skill never shadows one of another origin', ...NAMESPACES),
  row(
    'H15',
    'must not',
    7,
    'never load an entry without valid resources',
    `${RELEASED} > listing a released server > refuses an entry with no resources (cl-size-check) and keeps its neighbours`,
    `${RELEASED} > listing a released server > refuses an entry with null for resources and keeps its neighbours`,
    `${RELEASED} > listing a released server > refuses an entry with another word for resources and keeps its neighbours`,
    `${VERIFIED} > a verified read > judges an entry that no reader of a client made`,
    ...lies(
      'resources-missing: list, INVALID_ENTRY',
      'resources-null: list, INVALID_ENTRY',
      'resources-word: list, INVALID_ENTRY',
    ),
  ),
  row(
    'H16',
    'may',
    7,
    'dynamic skills may be declined',
    `${VERIFIED} > a skill that is made anew > is refused unless asked for, before any request`,
    ...lies('dynamic: read, DYNAMIC_REFUSED'),
  ),
  row(
    'H17',
    'must',
    7,
    'accept 512 files and 16 MiB',
    OTHER_SCHEME,
    ...CAPPED.map((way) => `${way} > has room for the largest file of a released server, in both revisions`),
  ),
  row(
    'H18',
    'should',
    7,
    'say why when declining for size',
    `${VERIFIED} > a verified read > refuses by the size in the entry before any request`,
  ),
  row(
    'H19',
    'may',
    7,
    'count what a dynamic skill really sends and stop at the limit',
    `${VERIFIED} > a skill that is made anew > is bounded by bytes and by files`,
  ),
  row('H20', 'must not', 7, 'an empty listing proves nothing', EMPTY_LISTING),
  row('H21', 'must', 7, 'load a skill from its URI alone', EMPTY_LISTING),
  row(
    'H22',
    'fact',
    7,
    'ttlMs and cacheScope are hints and no integrity',
    `${VERIFIED} > a verified read > lists again after a failed check, whatever the server called fresh`,
    `${CONNECTION} > a host that lists on every turn > reaches the server once while the ttl lasts`,
  ),
  row('H23', 'must not', 7, 'a raw read of SKILL.md is no load', ...RAW),
  row('H24', 'should', 7, 'such a read stays an ordinary resource', ...RAW),
  row('H25', 'fact', 7, 'relative references resolve against the folder of that SKILL.md', ...REFERENCES),
  row(
    'H26',
    'must',
    7,
    'every read of a listed file is checked by digest and size',
    ...REFUSED_BYTES,
    `${RELEASED} > real servers`,
    ...lies(
      'wrong-digest: read, DIGEST_MISMATCH',
      'wrong-digest-of-a-file: read, DIGEST_MISMATCH',
      'wrong-size: read, SIZE_MISMATCH',
    ),
  ),
  row(
    'H27',
    'must not',
    7,
    'what fails is not used',
    ...REFUSED_BYTES,
    `${VERIFIED} > a verified read > never lets a failed read into what it keeps`,
  ),
  row(
    'H28',
    'fact',
    7,
    'a stale entry is fetched again; a changed set revokes approval',
    `${VERIFIED} > a verified read > lists again after a failed check, whatever the server called fresh`,
    ...REFRESH,
  ),
  row('H29', 'fact', 7, 'the entry is held as long as SKILL.md is in the context', ...HOLDING),
  row('H30', 'must', 7, 'while acting, reads resolve only to the held entry', ...UNLISTED_REFS, ...HOLDING),
  row(
    'H31',
    'must',
    7,
    'a read inside the skill that the entry lacks is a failure',
    ...UNLISTED_REFS,
    ...lies('unlisted-file: read, UNLISTED_FILE'),
  ),
  row(
    'H32',
    'must',
    7,
    'the frontmatter of the file is compared field by field',
    `${VERIFIED} > a verified read > refuses a SKILL.md with another description, digest and size right`,
    `${VERIFIED} > a verified read > refuses a SKILL.md with a field more, digest and size right`,
    `${VERIFIED} > a verified read > refuses a SKILL.md with another type, digest and size right`,
    `${VERIFIED} > a skill that is made anew > is labelled, and its frontmatter is compared all the same`,
    ...lies(
      'frontmatter-changed: read, FRONTMATTER_MISMATCH',
      'frontmatter-missing: read, FRONTMATTER_MISMATCH',
      'frontmatter-extra: read, FRONTMATTER_MISMATCH',
      'frontmatter-type: read, FRONTMATTER_MISMATCH',
    ),
  ),
  row(
    'H33',
    'must',
    7,
    'any difference refuses the load',
    `${VERIFIED} > a verified read > refuses a SKILL.md with another description, digest and size right`,
    `${VERIFIED} > a verified read > refuses a SKILL.md with a field more, digest and size right`,
    `${VERIFIED} > a verified read > refuses a SKILL.md with another type, digest and size right`,
  ),
  row(
    'H34',
    'must not',
    7,
    'nothing is fetched before it is needed',
    `${RELEASED} > listing a released server > fetches nothing but the listing (H34)`,
  ),
  row(
    'H35',
    'should',
    7,
    'what was fetched is kept and reused while its digest is current',
    `${VERIFIED} > a verified read > keeps a file only as long as the entry has its digest (H35)`,
  ),
  excused(
    'H36',
    'must not',
    7,
    'a digest that matches is no security boundary',
    'a matter of words: integrity and verified say consistent, never safe',
  ),
  row('H37', 'may', 7, 'the held entry may answer what a directory holds', LISTED_CHILDREN),
  row(
    'H38',
    'must not',
    7,
    'a directory child that the entry lacks is never read or shown',
    LISTED_CHILDREN,
    ...lies('directory-adds: directory, UNLISTED_FILE'),
  ),
  row('H39', 'should', 7, 'a refresh reads as a changed skill and not as an error', ...REFRESH),
  row('H40', 'must not', 7, 'a directory never adds to the entry', LISTED_CHILDREN),
];

const host: readonly Requirement[] = [
  row('H41', 'must', 'host', 'skill content is untrusted input to the model'),
  row('H42', 'must', 'host', 'skills over MCP are a higher risk than remote tools'),
  row('H43', 'must', 'host', 'content is marked with its server where it enters the context'),
  row('H44', 'must not', 'host', 'a skill over MCP never looks like a local one'),
  row('H45', 'must not', 'host', 'content never leads to running code without approval for that skill'),
  row('H46', 'must', 'host', 'hooks and scripts in frontmatter are ignored or ask first'),
  row('H47', 'must', 'host', 'calls that run code while acting pass the same gate'),
  row('H48', 'must', 'host', 'reads of the model are bound to the server of the skill'),
  row('H49', 'must', 'host', 'servers are known by the label of the host'),
  row('H50', 'must', 'host', 'a read across servers needs approval that names both'),
  row('H51', 'should', 'host', 'name collisions are shown'),
  row('H52', 'must not', 'host', 'frontmatter never widens permissions'),
  row('H53', 'must', 'host', 'allowed-tools counts only once the user granted it'),
  row('H54', 'fact', 'host', 'approval of a skill never covers another SKILL.md inside it'),
  row('H55', 'must not', 'host', 'skill resources have no higher authority than other context'),
  row('H56', 'should', 'host', 'the server of a skill is shown and the skill can be inspected'),
  row('H57', 'must', 'host', 'an approval that is kept is bound to every uri and digest'),
  row('H58', 'must', 'host', 'another set revokes it'),
  row('H59', 'must not', 'host', 'no kept approval covers a dynamic skill'),
  row('H60', 'must', 'host', 'a cache on disk is hashed on each use or writable by the host alone'),
  row('H61', 'must', 'host', 'it lies outside every folder where skills are looked for'),
  row('H62', 'should', 'host', 'removing a server removes its cache'),
];

const both: readonly Requirement[] = [
  row(
    'B1',
    'fact',
    2,
    'method names, label and _meta prefix are the reserved ones',
    ...DECLARES,
    ...DESCRIBED,
    ...DIRECTORIES,
  ),
  row('B2', 'fact', 'host', 'identity is server and uri; a name is a label'),
  excused(
    'B3',
    'may',
    2,
    'intermediaries may note provenance under a prefix of their own',
    'Skillwire serves its own skills and stands between nobody',
  ),
  row('B4', 'fact', 2, 'nextCursor comes back as cursor', ...LISTS, ...DIRECTORIES),
  row(
    'B5',
    'fact',
    7,
    'a failed verification is a state of the host and no error on the wire',
    ...REFUSED_BYTES,
  ),
];

/** All 121 rows. */
export const requirements: readonly Requirement[] = [...server, ...client, ...host, ...both];
