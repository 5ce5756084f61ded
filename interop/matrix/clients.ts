import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PeerName } from '../peers/peers.ts';
import { hashesOf } from '../tree.ts';
import { type ClientAdapter, type ClientResult, EVERY_WAY, type RunOptions, type Way } from './adapter.ts';
import { runClient, runProgram } from './program.ts';
import { TSX } from './surroundings.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const LEGACY = EVERY_WAY.filter(({ era }) => era === 'legacy');

interface OfProgram extends Pick<ClientAdapter, 'name' | 'verifies' | 'hears' | 'takes'> {
  readonly script: string;
  readonly ours?: boolean;
  readonly ways?: readonly Way[];
  /** Its library is installed below that folder, which is the first argument. */
  readonly peer?: PeerName;
  /** Instead of the Node that runs this, with types left out by a loader. */
  readonly node?: PeerName;
}

/** A program in `clients/`: `[PEER] TASK`. */
function program({ script, peer, node, ways = EVERY_WAY, ours = false, ...facts }: OfProgram): ClientAdapter {
  return {
    ...facts,
    ours,
    ways,
    reads: true,
    peers: [...(peer === undefined ? [] : [peer]), ...(node === undefined ? [] : [node])],
    run: (options) => {
      const folder = peer === undefined ? [] : [options.peers[peer]?.folder ?? ''];
      const args = [here(`clients/${script}`), ...folder];
      const own = node === undefined ? undefined : options.peers[node]?.program;
      return own === undefined
        ? runClient(process.execPath, ['--import', TSX, ...args], options)
        : runClient(own, ['--disable-warning=ExperimentalWarning', ...args], options);
    },
  };
}

interface InspectorReport {
  readonly uri: string;
  readonly outcome: string;
  readonly files: readonly { readonly uri: string; readonly status: string; readonly reason?: string }[];
  readonly conformance?: readonly unknown[];
  readonly frontmatter?: readonly unknown[];
}

/** `--method skills/list --verify`: reads and compares every file, and gives none. */
const inspector: ClientAdapter = {
  name: 'MCP Inspector',
  ours: false,
  peers: ['inspector', 'node22'],
  ways: EVERY_WAY,
  reads: false,
  verifies: true,
  hears: false,
  takes: ['released'],
  async run({ task, peers, env, signal }: RunOptions): Promise<ClientResult> {
    const { target } = task;
    const server = 'url' in target ? [target.url] : [target.command, ...target.args];
    const { code, stdout, stderr } = await runProgram({
      command: peers.node22?.program ?? '',
      args: [
        ...[peers.inspector?.program ?? '', '--cli', ...server, '--protocol-era', task.era],
        ...['--method', 'skills/list', '--verify', '--format', 'json', '--connect-timeout', '30000'],
      ],
      env: 'url' in target ? env : { ...env, ...target.env },
      signal,
    });
    const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
    const reports = lines
      .map((line) => JSON.parse(line) as InspectorReport)
      .filter(({ uri }) => typeof uri === 'string');
    if (reports.length === 0) throw new Error(`ended with ${code}: ${(stderr || stdout).slice(-800)}`);
    const errors: Record<string, string> = {};
    for (const { files, uri, conformance = [], frontmatter = [] } of reports) {
      const about = [...conformance, ...frontmatter];
      if (about.length > 0) errors[uri] = JSON.stringify(about);
      for (const file of files) if (file.status !== 'verified') errors[file.uri] = file.reason ?? file.status;
    }
    return {
      listed: reports.map(({ uri }) => uri),
      bytes: {},
      errors,
      verified: code === 0,
      problems: [stderr.trim().slice(-400)],
      protocol: task.era,
    };
  },
};

/** The installer: takes what the web server of an origin publishes. */
const installer: ClientAdapter = {
  name: 'skills',
  ours: false,
  peers: ['skills', 'node22'],
  ways: [{ transport: 'http', era: 'modern' }],
  reads: true,
  verifies: false,
  hears: false,
  takes: ['well-known'],
  async run({ task, peers, env, temp, signal }: RunOptions): Promise<ClientResult> {
    if (!('url' in task.target)) throw new Error('it wants a URL');
    const project = join(temp, 'project');
    mkdirSync(project);
    const { code, stdout, stderr } = await runProgram({
      command: peers.node22?.program ?? '',
      args: [
        ...[peers.skills?.program ?? '', 'add', new URL(task.target.url).origin],
        ...['--skill', '*', '-a', 'claude-code', '-y', '--copy'],
      ],
      cwd: project,
      env,
      signal,
    });
    if (code !== 0) throw new Error(`ended with ${code}: ${(stderr || stdout).slice(-800)}`);
    const folder = join(project, '.claude', 'skills');
    const bytes: Record<string, string> = {};
    for (const [path, hash] of Object.entries(hashesOf(folder)))
      bytes[`skill://${path.split('/').map(encodeURIComponent).join('/')}`] = hash;
    return {
      listed: readdirSync(folder).map((name) => `skill://${name}/SKILL.md`),
      bytes,
      errors: {},
      dialect: 'well-known',
    };
  },
};

/** Ours, and those of others that are written in TypeScript or stand in this folder. */
export const CLIENTS: readonly ClientAdapter[] = [
  program({
    name: 'Skillwire',
    script: 'skillwire.ts',
    ours: true,
    verifies: true,
    hears: true,
    takes: ['released', 'draft-index', 'fastmcp', 'well-known', 'plain'],
  }),
  program({ name: 'official SDK', script: 'official.ts', verifies: true, hears: true, takes: ['released'] }),
  program({
    name: 'official SDK 1.x',
    script: 'sdk-v1.ts',
    peer: 'sdk-v1',
    ways: LEGACY,
    verifies: false,
    hears: true,
    takes: ['plain'],
  }),
  program({
    name: '@olaservo/ext-skills',
    script: 'olaservo.ts',
    peer: 'olaservo-ext-skills',
    verifies: true,
    hears: true,
    takes: ['released'],
  }),
  inspector,
  program({
    name: 'mcporter',
    script: 'mcporter.ts',
    peer: 'mcporter',
    node: 'node24',
    ways: LEGACY,
    verifies: false,
    hears: false,
    takes: ['plain'],
  }),
  installer,
];
