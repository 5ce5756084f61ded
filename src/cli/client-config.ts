/**
 * The configuration that makes a client use this server, in each client's own shape.
 *
 * @module
 */
import { tomlString, tomlStrings } from './toml.ts';

/** How a client reaches the server. */
export type Connection =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | {
      readonly kind: 'http';
      readonly url: string;
      /** The server wants a bearer token; the configuration names `SKILLWIRE_TOKEN` and never holds the token. */
      readonly token: boolean;
      /** For clients whose file only starts local processes. */
      readonly stdio: { readonly command: string; readonly args: readonly string[] };
    };

/** One client's configuration, ready to copy. */
export interface ClientConfig {
  readonly client: ClientId;
  readonly title: string;
  /** Where it goes; the first is the usual place. */
  readonly files: readonly string[];
  readonly language: 'json' | 'toml';
  readonly text: string;
  /** What the user must know beside it. */
  readonly note?: string;
}

/** The clients that have a shape, in the order they are printed. */
export const CLIENT_IDS = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'codex',
  'gemini',
  'windsurf',
  'json',
] as const;

/** One of {@link CLIENT_IDS}. */
export type ClientId = (typeof CLIENT_IDS)[number];

/** The name of the server in a client's file. */
const SERVER = 'skillwire';

interface Shape {
  readonly title: string;
  readonly files: readonly string[];
  readonly write: (connection: Connection) => Pick<ClientConfig, 'text' | 'note'>;
  readonly language?: 'toml';
}

const NAME_THE_TOKEN = 'Set SKILLWIRE_TOKEN in the environment that the client starts in.';

const SHAPES: Readonly<Record<ClientId, Shape>> = {
  'claude-code': {
    title: 'Claude Code',
    files: ['.mcp.json (in the project)', '~/.claude.json'],
    write: (c) =>
      underServers(
        c.kind === 'stdio'
          ? { type: 'stdio', command: c.command, args: c.args }
          : { type: 'http', url: c.url, ...bearer(c.token, `\${SKILLWIRE_TOKEN}`) },
        c.kind === 'http' && c.token ? NAME_THE_TOKEN : undefined,
      ),
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    files: [
      '~/Library/Application Support/Claude/claude_desktop_config.json (macOS)',
      '%APPDATA%\\Claude\\claude_desktop_config.json (Windows)',
    ],
    write: (c) =>
      c.kind === 'stdio'
        ? underServers({ command: c.command, args: c.args })
        : underServers(
            { command: c.stdio.command, args: c.stdio.args },
            'This file starts local servers only, so Claude Desktop gets its own process over stdio.',
          ),
  },
  cursor: {
    title: 'Cursor',
    files: ['.cursor/mcp.json (in the project)', '~/.cursor/mcp.json'],
    write: (c) =>
      underServers(
        c.kind === 'stdio'
          ? { command: c.command, args: c.args }
          : { url: c.url, ...bearer(c.token, `\${env:SKILLWIRE_TOKEN}`) },
        c.kind === 'http' && c.token ? NAME_THE_TOKEN : undefined,
      ),
  },
  vscode: {
    title: 'VS Code',
    files: [
      '.vscode/mcp.json (in the workspace)',
      'mcp.json of the user profile (MCP: Open User Configuration)',
    ],
    write: writeVsCode,
  },
  codex: {
    title: 'Codex',
    files: ['~/.codex/config.toml', '.codex/config.toml (in a trusted project)'],
    language: 'toml',
    write: writeCodex,
  },
  gemini: {
    title: 'Gemini CLI',
    files: ['~/.gemini/settings.json', '.gemini/settings.json (in the project)'],
    write: (c) =>
      underServers(
        c.kind === 'stdio'
          ? { command: c.command, args: c.args }
          : { httpUrl: c.url, ...bearer(c.token, '$SKILLWIRE_TOKEN') },
        c.kind === 'http' && c.token ? NAME_THE_TOKEN : undefined,
      ),
  },
  windsurf: {
    title: 'Windsurf',
    files: [
      '~/.codeium/windsurf/mcp_config.json',
      '%USERPROFILE%\\.codeium\\windsurf\\mcp_config.json (Windows)',
    ],
    write: (c) =>
      underServers(
        c.kind === 'stdio'
          ? { command: c.command, args: c.args }
          : { serverUrl: c.url, ...bearer(c.token, `\${env:SKILLWIRE_TOKEN}`) },
        c.kind === 'http' && c.token ? NAME_THE_TOKEN : undefined,
      ),
  },
  json: {
    title: 'any other client',
    files: ['the file its documentation names'],
    write: (c) =>
      underServers(
        c.kind === 'stdio'
          ? { command: c.command, args: c.args }
          : { type: 'http', url: c.url, ...bearer(c.token, '<token>') },
        c.kind === 'http' && c.token ? 'Put the token where <token> stands.' : undefined,
      ),
  },
};

/**
 * The configuration of one client, in the shape that client reads: file, text, and what to know beside it.
 *
 * Paths in it are absolute because clients start servers from a folder of their own. A token is named by
 * environment variable and never written out (the CLI section of the design).
 *
 * @example
 * clientConfig('cursor', { kind: 'stdio', command: '/usr/bin/node', args: ['/opt/main.js', 'serve', '/skills'] })
 */
export function clientConfig(client: ClientId, connection: Connection): ClientConfig {
  const shape = SHAPES[client];
  const { text, note: own } = shape.write(connection);
  const words = connection.kind === 'stdio' ? connection : connection.stdio;
  const dollar = text.includes(words.command) && words.args.some((word) => word.includes('$'));
  const note = dollar && EXPANDING.has(client) ? [own, EXPANDS].filter(Boolean).join(' ') : own;
  return {
    client,
    title: shape.title,
    files: shape.files,
    language: shape.language ?? 'json',
    text,
    ...(note === undefined ? {} : { note }),
  };
}

/** Clients that replace `$NAME` or `${NAME}` in the words of a command. */
const EXPANDING: ReadonlySet<ClientId> = new Set(['claude-code', 'cursor', 'vscode', 'gemini', 'windsurf']);
const EXPANDS =
  'This client takes a $ in a path for the start of a variable: move the folder to a path without one.';

/** The id that `text` names, in any case and with or without separators; undefined when there is none. */
export function clientIdOf(text: string): ClientId | undefined {
  const plain = text.toLowerCase().replace(/[\s_-]/g, '');
  if (plain === 'geminicli') return 'gemini';
  return CLIENT_IDS.find((id) => id.replace('-', '') === plain);
}

function underServers(entry: object, note?: string): Pick<ClientConfig, 'text' | 'note'> {
  return { text: pretty({ mcpServers: { [SERVER]: entry } }), ...(note === undefined ? {} : { note }) };
}

function bearer(token: boolean, value: string): object {
  return token ? { headers: { Authorization: `Bearer ${value}` } } : {};
}

function writeVsCode(c: Connection): Pick<ClientConfig, 'text' | 'note'> {
  if (c.kind === 'stdio') {
    return { text: pretty({ servers: { [SERVER]: { type: 'stdio', command: c.command, args: c.args } } }) };
  }
  const input = `${SERVER}-token`;
  const servers = { [SERVER]: { type: 'http', url: c.url, ...bearer(c.token, `\${input:${input}}`) } };
  if (!c.token) return { text: pretty({ servers }) };
  const inputs = [{ type: 'promptString', id: input, description: 'Skillwire token', password: true }];
  return { text: pretty({ inputs, servers }), note: 'VS Code asks for the token once and keeps it.' };
}

function writeCodex(c: Connection): Pick<ClientConfig, 'text' | 'note'> {
  const lines = [`[mcp_servers.${SERVER}]`];
  if (c.kind === 'stdio') {
    lines.push(`command = ${tomlString(c.command)}`, `args = ${tomlStrings(c.args)}`);
    return { text: lines.join('\n') };
  }
  lines.push(`url = ${tomlString(c.url)}`);
  if (!c.token) return { text: lines.join('\n') };
  lines.push('bearer_token_env_var = "SKILLWIRE_TOKEN"');
  return { text: lines.join('\n'), note: NAME_THE_TOKEN };
}

function pretty(value: unknown): string {
  return JSON.stringify(value, null, 2);
}
