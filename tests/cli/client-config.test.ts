import { describe, expect, it } from 'vitest';
import {
  CLIENT_IDS,
  type ClientId,
  type Connection,
  clientConfig,
  clientIdOf,
} from '../../src/cli/client-config.ts';
import { parseToml } from './toml-subset.ts';

const stdio: Connection = {
  kind: 'stdio',
  command: '/usr/bin/node',
  args: ['/opt/main.js', 'serve', '/srv/my skills'],
};
const http: Connection = { kind: 'http', url: 'http://127.0.0.1:8750/mcp', token: false, stdio };
const guarded: Connection = { ...http, token: true };

function read(client: ClientId, connection: Connection): unknown {
  const { language, text } = clientConfig(client, connection);
  return language === 'toml' ? parseToml(text) : JSON.parse(text);
}

const args = ['/opt/main.js', 'serve', '/srv/my skills'];
const local = { command: '/usr/bin/node', args };
const url = 'http://127.0.0.1:8750/mcp';

describe('clientConfig', () => {
  const shapes: readonly (readonly [ClientId, unknown, unknown, unknown])[] = [
    [
      'claude-code',
      { mcpServers: { skillwire: { type: 'stdio', ...local } } },
      { mcpServers: { skillwire: { type: 'http', url } } },
      {
        mcpServers: {
          skillwire: { type: 'http', url, headers: { Authorization: `Bearer \${SKILLWIRE_TOKEN}` } },
        },
      },
    ],
    [
      'claude-desktop',
      { mcpServers: { skillwire: local } },
      { mcpServers: { skillwire: local } },
      { mcpServers: { skillwire: local } },
    ],
    [
      'cursor',
      { mcpServers: { skillwire: local } },
      { mcpServers: { skillwire: { url } } },
      { mcpServers: { skillwire: { url, headers: { Authorization: `Bearer \${env:SKILLWIRE_TOKEN}` } } } },
    ],
    [
      'vscode',
      { servers: { skillwire: { type: 'stdio', ...local } } },
      { servers: { skillwire: { type: 'http', url } } },
      {
        inputs: [
          { type: 'promptString', id: 'skillwire-token', description: 'Skillwire token', password: true },
        ],
        servers: {
          skillwire: { type: 'http', url, headers: { Authorization: `Bearer \${input:skillwire-token}` } },
        },
      },
    ],
    [
      'codex',
      { 'mcp_servers.skillwire': local },
      { 'mcp_servers.skillwire': { url } },
      { 'mcp_servers.skillwire': { url, bearer_token_env_var: 'SKILLWIRE_TOKEN' } },
    ],
    [
      'gemini',
      { mcpServers: { skillwire: local } },
      { mcpServers: { skillwire: { httpUrl: url } } },
      { mcpServers: { skillwire: { httpUrl: url, headers: { Authorization: 'Bearer $SKILLWIRE_TOKEN' } } } },
    ],
    [
      'windsurf',
      { mcpServers: { skillwire: local } },
      { mcpServers: { skillwire: { serverUrl: url } } },
      {
        mcpServers: {
          skillwire: { serverUrl: url, headers: { Authorization: `Bearer \${env:SKILLWIRE_TOKEN}` } },
        },
      },
    ],
    [
      'json',
      { mcpServers: { skillwire: local } },
      { mcpServers: { skillwire: { type: 'http', url } } },
      { mcpServers: { skillwire: { type: 'http', url, headers: { Authorization: 'Bearer <token>' } } } },
    ],
  ];

  it('has every client in the table', () => {
    expect(shapes.map(([client]) => client)).toEqual([...CLIENT_IDS]);
  });

  it.each(shapes)(
    'of %s over stdio, HTTP, and HTTP with a token',
    (client, overStdio, overHttp, overGuarded) => {
      expect(read(client, stdio)).toEqual(overStdio);
      expect(read(client, http)).toEqual(overHttp);
      expect(read(client, guarded)).toEqual(overGuarded);
    },
  );

  it('says what the user has to know beside it', () => {
    expect(clientConfig('claude-desktop', http).note).toMatch(/over stdio/);
    expect(clientConfig('cursor', guarded).note).toMatch(/SKILLWIRE_TOKEN/);
    expect(clientConfig('cursor', http).note).toBeUndefined();
  });

  it.each([
    ['claude-code', stdio, undefined],
    ['claude-code', { ...stdio, args: ['serve', '/a$b'] }, 'takes a $ in a path'],
    ['codex', { ...stdio, args: ['serve', '/a$b'] }, undefined],
    ['cursor', { ...http, stdio: { ...stdio, args: ['/a$b'] } }, undefined],
  ] as const)('warns of a $ that %s would expand', (client, connection, note) => {
    if (note === undefined) expect(clientConfig(client, connection).note).toBeUndefined();
    else expect(clientConfig(client, connection).note).toContain(note);
  });

  const awkward = [
    'C:\\Users\\Ann "A" Lee\\skills',
    "it's",
    'a\tb\u0001\u007f',
    'ünï日本🙂',
    '$HOME/x',
    '--prefix=a',
  ];
  it.each(CLIENT_IDS)('keeps every character of a path for %s', (client) => {
    const connection: Connection = { kind: 'stdio', command: 'C:\\Program Files\\node.exe', args: awkward };
    const document = JSON.stringify(read(client, connection));
    expect(document).toContain(JSON.stringify(awkward));
    expect(document).toContain('"C:\\\\Program Files\\\\node.exe"');
  });
});

describe('clientIdOf', () => {
  it.each([
    ['claude-code', 'claude-code'],
    ['Claude Code', 'claude-code'],
    ['VSCODE', 'vscode'],
    ['vs-code', 'vscode'],
    ['gemini-cli', 'gemini'],
    ['emacs', undefined],
    ['', undefined],
  ])('of %s is %s', (text, id) => {
    expect(clientIdOf(text)).toBe(id);
  });
});
