import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { CLI } from '../serve.ts';
import { hashesOf } from '../tree.ts';
import type { ClientResult, ServerAdapter } from './adapter.ts';
import type { Corpus } from './corpus.ts';
import type { Fault } from './faults.ts';
import { judge } from './judge.ts';
import { COMMANDS } from './names.ts';
import { type Ended, runProgram } from './program.ts';

/** What the three commands gave of one server. */
export interface CommandsRow {
  readonly server: string;
  readonly dialect: string;
  readonly list: string;
  readonly verify: string;
  readonly pull: string;
  /** What others are to blame for. */
  readonly met: readonly Fault[];
  /** Known faults of which nothing showed. */
  readonly stale: readonly Fault[];
  /** What nothing explains. */
  readonly wrong: readonly string[];
}

interface ListJson {
  readonly dialect: string | null;
  readonly complete: boolean;
  readonly skills: readonly { readonly uri: string; readonly integrity: string }[];
  readonly problems: readonly { readonly code: string }[];
}

interface VerifyJson {
  readonly counts: Readonly<Record<string, number>>;
  readonly skills: readonly {
    readonly uri: string;
    readonly outcome: string;
    readonly files: readonly { readonly uri: string; readonly error?: { readonly code: string } }[];
  }[];
}

interface PullJson {
  readonly counts: Readonly<Record<string, number>>;
  readonly skills: readonly {
    readonly uri: string;
    readonly status: string;
    readonly path: string | null;
    readonly error?: { readonly code: string };
  }[];
}

const MS = 120_000;
/** `pull` takes no name that a folder of Windows cannot have, whoever serves it. */
const UNSAFE = 'UNSAFE_NAME';

interface Run {
  readonly adapter: ServerAdapter;
  readonly corpus: Corpus;
  readonly folder: string;
  readonly peers: Parameters<ServerAdapter['start']>[0]['peers'];
  readonly env: Readonly<Record<string, string>>;
  readonly temp: string;
}

/** Runs `list`, `verify` and `pull` against a server over HTTP, and compares what came with the corpus. */
export async function commandsRow({ adapter, corpus, folder, peers, env, temp }: Run): Promise<CommandsRow> {
  const server = await adapter.start({ folder, peers, env, transport: 'http', era: 'modern' });
  try {
    if (!('url' in server.target)) throw new Error(`${adapter.name} does not listen`);
    const { url } = server.target;
    const bare = adapter.offers[0] === 'plain';
    const ask = (command: string, ...flags: string[]): Promise<Ended> =>
      runProgram({
        command: process.execPath,
        args: [CLI, command, url, '--json', ...(bare ? ['--plain'] : []), ...flags],
        env,
        signal: AbortSignal.timeout(MS),
      });
    const out = mkdtempSync(join(temp, 'pulled-'));
    const listed = await ask('list');
    const verified = await ask('verify');
    const pulled = await ask('pull', '--to', out, ...(bare ? ['--allow-unverified'] : []));
    const said = {
      list: JSON.parse(listed.stdout) as ListJson,
      verify: JSON.parse(verified.stdout) as VerifyJson,
      pull: JSON.parse(pulled.stdout) as PullJson,
    };
    const result = resultOf(said, hashesOf(out));
    const client = { name: COMMANDS, reads: true, verifies: !bare, hears: false };
    const cell = { server: adapter, client, transport: 'http', era: 'modern' } as const;
    const { wrong, met, stale } = judge(cell, corpus, result);
    const exits = exitFaults(said, [listed.code, verified.code, pulled.code]);
    return {
      server: adapter.name,
      dialect: said.list.dialect ?? 'none',
      list: `${listed.code}: ${listText(said.list, corpus)}`,
      verify: `${verified.code}: ${countsText(said.verify.counts, ['verified', 'failed', 'unverifiable', 'unread', 'incomplete'])}`,
      pull: `${pulled.code}: ${countsText(said.pull.counts, ['added', 'refused'])}, ${equalText(result, corpus)}`,
      met,
      stale,
      wrong: [...wrong, ...exits],
    };
  } finally {
    await server.stop();
  }
}

function listText({ skills }: ListJson, corpus: Corpus): string {
  const kinds = [...new Set(skills.map(({ integrity }) => integrity))].sort();
  const integrity = kinds
    .map((kind) => `${skills.filter((skill) => skill.integrity === kind).length} ${kind}`)
    .join(', ');
  return `${skills.length} of ${corpus.skills.length} skills: ${integrity}`;
}

function countsText(counts: Readonly<Record<string, number>>, names: readonly string[]): string {
  const told = names.filter((name) => (counts[name] ?? 0) > 0).map((name) => `${counts[name]} ${name}`);
  return told.length === 0 ? 'nothing' : told.join(', ');
}

function equalText({ bytes }: ClientResult, corpus: Corpus): string {
  const hashes = new Set(corpus.skills.flatMap(({ files }) => Object.values(files)));
  const equal = Object.values(bytes).filter((hash) => hashes.has(hash)).length;
  const all = Object.keys(bytes).length;
  return equal === all ? 'every byte as it is served' : `${all - equal} of ${all} files differ`;
}

/** The files of the folders that were pulled, under the URIs of their skills; what `pull` itself refuses counts as right. */
function resultOf(
  { list, verify, pull }: { list: ListJson; verify: VerifyJson; pull: PullJson },
  hashes: Readonly<Record<string, string>>,
): ClientResult {
  const bytes: Record<string, string> = {};
  const errors: Record<string, string> = {};
  const below = (root: string): string => root.slice(0, root.lastIndexOf('/') + 1);
  for (const { uri, path, error } of pull.skills) {
    if (error !== undefined) errors[uri] = error.code;
    for (const [file, hash] of Object.entries(hashes)) {
      if (path === null || !file.startsWith(`${path}/`)) continue;
      bytes[
        below(uri) +
          file
            .slice(path.length + 1)
            .split('/')
            .map(encodeURIComponent)
            .join('/')
      ] = hash;
    }
  }
  for (const { files } of verify.skills)
    for (const { uri, error } of files) if (error !== undefined) errors[uri] = error.code;
  return {
    listed: list.skills.map(({ uri }) => uri),
    bytes,
    errors,
    verified: (verify.counts.unverifiable ?? 0) === 0,
    ...(list.dialect === null ? {} : { dialect: list.dialect }),
  };
}

/** Exit codes that do not fit what was said. */
function exitFaults(
  { list, verify, pull }: { list: ListJson; verify: VerifyJson; pull: PullJson },
  [listed, verified, pulled]: readonly (number | null)[],
): string[] {
  const wrong: string[] = [];
  const refused = list.problems.some(({ code }) => code === 'INVALID_ENTRY');
  if (listed !== (list.complete ? 0 : 5)) wrong.push(`list ended with ${listed}`);
  const failed = (verify.counts.failed ?? 0) > 0 || refused;
  if (verified !== (failed ? 4 : (verify.counts.unread ?? 0) > 0 ? 3 : 0))
    wrong.push(`verify ended with ${verified}`);
  const codes = pull.skills.flatMap(({ error }) => (error === undefined ? [] : [error.code]));
  if (codes.length > 0 && pulled === 0) wrong.push('pull ended with 0 and refused something');
  if (codes.every((code) => code === UNSAFE) && !refused && pulled !== (codes.length > 0 ? 1 : 0))
    wrong.push(`pull ended with ${pulled}`);
  return wrong;
}
