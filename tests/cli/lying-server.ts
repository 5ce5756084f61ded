/** A server over HTTP that says what a test tells it to: the least that a client of the released form asks for. */
import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LyingSkill {
  readonly uri: string;
  readonly frontmatter: Record<string, unknown>;
  resources: { uri: string; digest: string; size: number }[] | 'dynamic';
}

export interface LyingState {
  /** Entries on each page of `skills/list`. */
  pages: LyingSkill[][];
  /** Text of each resource. */
  readonly contents: Map<string, string>;
  /** Says that there is one more page, always the same. */
  repeats?: boolean;
  /** Waits before each `resources/read`. */
  readDelayMs?: number;
  /** Answers every request with an error that repeats the headers it was sent. */
  echoes?: boolean;
  /** Declares no extension and has no resources. */
  speaksNothing?: boolean;
  /** URIs of resources that were asked for. */
  readonly reads: string[];
  readonly headers: Record<string, string | string[] | undefined>[];
}

export interface LyingServer {
  readonly url: string;
  readonly state: LyingState;
  close(): Promise<void>;
}

export function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

/** An honest skill, to be made dishonest. */
export function lyingSkill(
  path: string,
  files: Readonly<Record<string, string>>,
  contents: Map<string, string>,
  description = 'Does a thing. Use when it is asked for.',
): LyingSkill {
  const name = path.split('/').at(-1) ?? '';
  const root = `skill://${path}/`;
  const all = { 'SKILL.md': `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n`, ...files };
  const resources = Object.entries(all).map(([file, text]) => {
    const uri = `${root}${file}`;
    contents.set(uri, text);
    return { uri, digest: sha256(text), size: Buffer.byteLength(text) };
  });
  return { uri: `${root}SKILL.md`, frontmatter: { name, description }, resources };
}

export async function startLying(
  make: (contents: Map<string, string>) => LyingSkill[] | LyingSkill[][],
): Promise<LyingServer> {
  const contents = new Map<string, string>();
  const made = make(contents);
  const pages = Array.isArray(made[0]) ? (made as LyingSkill[][]) : [made as LyingSkill[]];
  const state: LyingState = { pages, contents, reads: [], headers: [] };
  const server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      state.headers.push({ ...request.headers });
      if (request.method !== 'POST') {
        response.writeHead(405).end();
        return;
      }
      const message = JSON.parse(body) as { id?: number; method: string; params?: Record<string, unknown> };
      if (message.id === undefined) {
        response.writeHead(202).end();
        return;
      }
      const answer = state.echoes
        ? { error: { code: -32603, message: `no: ${JSON.stringify(request.headers)}` } }
        : answerTo(state, message.method, message.params ?? {});
      const wait = message.method === 'resources/read' ? (state.readDelayMs ?? 0) : 0;
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer }));
      }, wait);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    state,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

function answerTo(state: LyingState, method: string, params: Record<string, unknown>): object {
  if (method === 'initialize') {
    return {
      result: {
        protocolVersion: '2025-11-25',
        capabilities: state.speaksNothing
          ? {}
          : { resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
        serverInfo: { name: 'lying', version: '1' },
      },
    };
  }
  if (method === 'skills/list') {
    const at = params.cursor === undefined ? 0 : Number(String(params.cursor).slice(1));
    const next =
      state.repeats === true
        ? { nextCursor: 'p0' }
        : at + 1 < state.pages.length
          ? { nextCursor: `p${at + 1}` }
          : {};
    return { result: { skills: state.pages[at] ?? [], ...next } };
  }
  if (method === 'skills/get') {
    const skill = state.pages.flat().find(({ uri }) => uri === params.uri);
    if (skill !== undefined) return { result: { skill } };
  }
  if (method === 'resources/read') {
    const uri = String(params.uri);
    state.reads.push(uri);
    const text = state.contents.get(uri);
    if (text !== undefined) return { result: { contents: [{ uri, mimeType: 'text/plain', text }] } };
    return { error: { code: -32602, message: 'Resource not found', data: { uri } } };
  }
  return { error: { code: -32601, message: 'Method not found' } };
}
