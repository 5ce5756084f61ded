import { fileURLToPath } from 'node:url';
import type { PeerName } from '../peers/peers.ts';
import { CLI } from '../serve.ts';
import { type Dialect, EVERY_WAY, type ServerAdapter, type StartOptions, type Way } from './adapter.ts';
import { freePort, startServer } from './program.ts';
import { TSX } from './surroundings.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const OVER_HTTP = EVERY_WAY.filter(({ transport }) => transport === 'http');

/** `skillwire serve` with some flags. */
function skillwire(
  name: string,
  flags: readonly string[],
  offers: readonly Dialect[],
  ways: readonly Way[] = EVERY_WAY,
): ServerAdapter {
  return {
    name,
    ours: true,
    peers: [],
    ways,
    offers,
    notifies: true,
    ...(flags.length > 0 ? { variant: true } : {}),
    start: ({ folder, transport, env }) =>
      started({ command: process.execPath, args: [CLI, 'serve', folder, ...flags], env }, transport, [
        '--http',
        '0',
      ]),
  };
}

interface OfSource {
  readonly name: string;
  readonly script: string;
  /** Its library is installed below that folder, which is the first argument. */
  readonly peer?: PeerName;
  readonly offers: readonly Dialect[];
  readonly notifies: boolean;
}

/** A program of ours that serves with the library of somebody else: `[PEER] FOLDER stdio|http`. */
function library({ name, script, peer, offers, notifies }: OfSource): ServerAdapter {
  return {
    name,
    ours: false,
    peers: peer === undefined ? [] : [peer],
    ways: EVERY_WAY,
    offers,
    notifies,
    start: ({ folder, transport, env, peers }) => {
      const found = peer === undefined ? [] : [peers[peer]?.folder ?? ''];
      const args = ['--import', TSX, here(`servers/${script}`), ...found, folder, transport];
      return started({ command: process.execPath, args, env }, transport, []);
    },
  };
}

/** Over stdio the client starts it. */
async function started(
  target: { readonly command: string; readonly args: readonly string[]; readonly env: StartOptions['env'] },
  transport: StartOptions['transport'],
  forHttp: readonly string[],
): ReturnType<ServerAdapter['start']> {
  if (transport === 'stdio') return { target, stop: async () => undefined };
  return startServer({ ...target, args: [...target.args, ...forHttp] });
}

/** FastMCP's provider of skills. */
function fastmcp(mode: 'template' | 'resources'): ServerAdapter {
  const script = here('../fastmcp-server/server.py');
  return {
    name: `FastMCP, ${mode}`,
    ours: false,
    peers: ['fastmcp'],
    ways: EVERY_WAY,
    offers: ['fastmcp', 'plain'],
    notifies: false,
    ...(mode === 'resources' ? { variant: true } : {}),
    start: async ({ folder, transport, env, peers }) => {
      const command = peers.fastmcp?.program ?? '';
      if (transport === 'stdio')
        return { target: { command, args: [script, folder, mode], env }, stop: async () => undefined };
      const port = await freePort();
      return startServer({
        command,
        args: [script, folder, mode, String(port)],
        env,
        url: `http://127.0.0.1:${port}/mcp`,
      });
    },
  };
}

/** Ours, and those of others that are written in TypeScript or stand in this folder. */
export const SERVERS: readonly ServerAdapter[] = [
  skillwire('Skillwire', [], ['released', 'draft-index', 'fastmcp', 'well-known', 'plain']),
  skillwire('Skillwire, released', ['--dialects', 'released'], ['released', 'plain']),
  skillwire('Skillwire, draft-index', ['--dialects', 'draft-index'], ['draft-index', 'plain']),
  skillwire(
    'Skillwire, draft-index in tar.gz',
    ['--dialects', 'draft-index', '--archive', 'tar.gz'],
    ['draft-index'],
  ),
  skillwire(
    'Skillwire, draft-index in zip',
    ['--dialects', 'draft-index', '--archive', 'zip'],
    ['draft-index'],
  ),
  skillwire('Skillwire, fastmcp', ['--dialects', 'fastmcp'], ['fastmcp', 'plain']),
  skillwire('Skillwire, well-known', ['--dialects', 'well-known'], ['well-known'], OVER_HTTP),
  library({
    name: 'official SDK',
    script: 'official.ts',
    offers: ['released', 'plain'],
    notifies: true,
  }),
  library({
    name: '@olaservo/ext-skills',
    script: 'olaservo.ts',
    peer: 'olaservo-ext-skills',
    offers: ['released', 'plain'],
    notifies: false,
  }),
  fastmcp('template'),
  fastmcp('resources'),
  library({ name: 'resources only', script: 'resources-only.ts', offers: ['plain'], notifies: false }),
];
