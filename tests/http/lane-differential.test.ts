import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Logger, silentLogger } from '../../src/logger.ts';
import { createProvider } from '../../src/server/index.ts';
import { directorySource } from '../../src/source/index.ts';
import { INITIALIZE, modernBody, start } from './harness.ts';
import { openRaw } from './raw-connection.ts';

const TOKEN = 's3cret';
const MOST_BYTES = 12_000;

/** Requests have lines in the log, and so there are no lanes. */
const heard: Logger = { ...silentLogger, debug: () => undefined };

function folder(): string {
  const root = mkdtempSync(join(tmpdir(), 'skillwire-lane-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const files = {
    'a/SKILL.md': '---\nname: a\ndescription: The skill a.\n---\n\nBody.\n',
    'a/guide one.md': '# Guide\r\n\u{1f600} "quoted" \\ \u2028\n',
    'a/large.txt': 'x'.repeat(40_000),
    'a/huge.md': 'é'.repeat(100_000),
    'a/x.bin': Buffer.from([0, 255, 1, 254]),
    'b/SKILL.md': '---\nname: b\ndescription: The skill b.\n---\n\nBody.\n',
  };
  for (const [path, content] of Object.entries(files)) {
    const file = join(root, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, content);
    utimesSync(file, 1_700_000_000, 1_700_000_000);
  }
  return root;
}

/** A request as its bytes. */
type Bytes = Buffer;
type Lines = readonly string[];

function post(lines: Lines, body: string | Buffer, requestLine = 'POST /mcp HTTP/1.1'): Bytes {
  return Buffer.concat([Buffer.from(`${[requestLine, ...lines].join('\r\n')}\r\n\r\n`), Buffer.from(body)]);
}

const HOST = 'Host: 127.0.0.1:8750';
const ALWAYS: Lines = [HOST, `Authorization: Bearer ${TOKEN}`, 'Content-Type: application/json'];
const ACCEPT = 'Accept: application/json, text/event-stream';

function lengthOf(body: string): string {
  return `Content-Length: ${Buffer.byteLength(body)}`;
}

function mcpLines(method: string, uri?: string): Lines {
  const lines = ['mcp-protocol-version: 2026-07-28', `Mcp-Method: ${method}`];
  return uri === undefined ? lines : [...lines, `MCP-Name: ${uri}`];
}

const FILES: Lines = [
  'SKILL.md',
  'SKILL.md',
  'guide%20one.md',
  'guide one.md',
  'large.txt',
  'huge.md',
  'x.bin',
];
const pair: fc.Arbitrary<readonly [string, string]> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom<readonly [string, string]>(
      ...[['skills/list', ''] as const, ['resources/list', ''] as const],
      ...[['skills/get', 'skill://a'] as const, ['resources/directory/read', 'skill://a'] as const],
      ...FILES.map((name) => ['resources/read', `skill://a/${name}`] as const),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('skills/get', 'resources/read', 'resources/directory/read'),
      fc.constantFrom('skill://a/none.md', 'nonsense', 'skill://a/x.bin'),
    ),
  },
);
const id: fc.Arbitrary<string | number> = fc.oneof(
  fc.nat(),
  fc.string({ maxLength: 8 }),
  fc.constantFrom<string | number>('é', '\u{1f600}', '\r\n\r\n', '"', '\u2028', '', -1, 'x'.repeat(3_000)),
);

interface Asked {
  readonly method: string;
  readonly body: string;
  readonly lines: Lines;
}

const asked: fc.Arbitrary<Asked> = fc.tuple(pair, id).map(([[method, uri], id]) => {
  const params = method.endsWith('/list') ? {} : { uri };
  const named = method === 'resources/read' ? uri : undefined;
  return { method, body: modernBody(method, params, id), lines: mcpLines(method, named) };
});

/** What has a lane, or would have but for the way it is written. */
const plain: fc.Arbitrary<Bytes> = fc
  .record({
    asked,
    more: fc.subarray(['Connection: keep-alive', ACCEPT, 'User-Agent: a (b; c) d', 'X-Empty: x']),
    odd: fc.oneof(
      { weight: 14, arbitrary: fc.constant<Lines>([]) },
      fc.constantFrom<Lines>(
        ['X: '],
        ['X:  y'],
        ['X: y '],
        ['X:\ty'],
        ['X: é'],
        ['X: 1', 'X: 2'],
        ['__proto__: 1'],
      ),
    ),
    turn: fc.nat(),
  })
  .map(({ asked, more, odd, turn }) => {
    const lines = [...ALWAYS, lengthOf(asked.body), ...asked.lines, ...more, ...odd];
    const by = turn % lines.length;
    return post([...lines.slice(by), ...lines.slice(0, by)], asked.body);
  });

/** What is refused, or answered by others; one answer each, after which the connection is kept. */
const other: fc.Arbitrary<Bytes> = asked.chain(({ method, body, lines }) => {
  const all = [...ALWAYS, ...lines];
  const chunked = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  const unknown = modernBody('nothing/at-all', {});
  return fc.constantFrom(
    post([...all, lengthOf(body)], body, 'POST /mcp?x HTTP/1.1'),
    post([...all, lengthOf(body)], body, 'POST /nowhere HTTP/1.1'),
    post([HOST], '', 'GET /healthz HTTP/1.1'),
    post([HOST, 'Accept: text/event-stream', 'Authorization: Bearer s3cret'], '', 'GET /mcp HTTP/1.1'),
    post([HOST, 'Mcp-Session-Id: none', `Authorization: Bearer ${TOKEN}`], '', 'DELETE /mcp HTTP/1.1'),
    post([HOST, `Authorization: Bearer ${TOKEN}`], '', 'OPTIONS /mcp HTTP/1.1'),
    post([...all, 'Transfer-Encoding: chunked'], chunked(body)),
    post([...all, lengthOf(body), 'Proxy-Connection: keep-alive'], body),
    post([...all, lengthOf(body)], `${body.slice(0, -1)}!`),
    post([...all, lengthOf(`${body} `)], `${body} `),
    post([...all, lengthOf(`${body}!`)], `${body}!`),
    post([...all, 'Content-Length: 0'], ''),
    post([...all, 'Content-Length: 3'], Buffer.from([0x22, 0xff, 0x22])),
    post(
      [...all, lengthOf(body)].map((line) => line.replace(TOKEN, 's3cres')),
      body,
    ),
    post(
      [...all, lengthOf(body)].filter((line) => !line.startsWith('Auth')),
      body,
    ),
    post(
      [...all, lengthOf(body)].map((line) => line.replace('127.0.0.1', 'evil.example')),
      body,
    ),
    post([...all, lengthOf(body), 'Origin: https://evil.example'], body),
    post([...all, lengthOf(body), 'Origin: http://localhost'], body),
    post(
      [...all, lengthOf(body)].map((line) => line.replace('/json', '/jsonx')),
      body,
    ),
    post(
      [...all, lengthOf(body)].map((line) => line.replace('/json', '/json; charset=utf-8')),
      body,
    ),
    post(
      [...all, lengthOf(body)].map((line) => line.replace('2026-07-28', '2025-11-25')),
      body,
    ),
    post(
      [...all, lengthOf(body)].map((line) => line.replace(method, 'skills/none')),
      body,
    ),
    post([...ALWAYS, ...mcpLines('nothing/at-all'), lengthOf(unknown)], unknown),
    post([...ALWAYS, ACCEPT, lengthOf(INITIALIZE)], INITIALIZE),
    post([...all, lengthOf(body), 'Mcp-Session-Id: none'], body),
    post([...all, `Content-Length: ${MOST_BYTES + 1}`], 'x'.repeat(MOST_BYTES + 1)),
  );
});

/** Whether its body is asked for depends on whether its turn has come when it is read. */
const expecting: fc.Arbitrary<Bytes> = asked.map(({ body, lines }) =>
  post([...ALWAYS, ...lines, lengthOf(body), 'Expect: 100-continue'], body),
);

/** After which the connection ends, or nobody can say where the next request begins. */
const last: fc.Arbitrary<Bytes> = asked.chain(({ body, lines }) => {
  const all = [...ALWAYS, ...lines];
  const right = [...all, lengthOf(body)];
  const text = post(right, body).toString();
  return fc.constantFrom(
    post([...right, 'Connection: close'], body),
    post([...right, 'Proxy-Connection: close'], body),
    post(right, body, 'POST /mcp HTTP/1.0'),
    post(right, body, 'POST /mcp HTTP/2.0'),
    post(right, body, 'post /mcp HTTP/1.1'),
    post(right, body, 'CONNECT /mcp HTTP/1.1'),
    post([...right, 'Transfer-Encoding: chunked'], body),
    post(['Transfer-Encoding: chunked', ...right], body),
    post([...right, 'Transfer-Encoding: identity'], body),
    post([...right, lengthOf(body)], body),
    post([...right, 'Content-Length: 1'], body),
    post([...all, `Content-Length: +${body.length}`], body),
    post([...all, `Content-Length: ${body.length}, ${body.length}`], body),
    post([...all, `Content-Length: 0x10`], body),
    post([...all, `Content-Length : ${body.length}`], body),
    post([...right, 'X: y', ' folded'], body),
    post([...right, 'X : y'], body),
    post([...right, 'no colon'], body),
    post([...right, 'X: a\nY: b'], body),
    post([...right, 'X: a\rY: b'], body),
    post([...right, 'X: a\0b'], body),
    post([...right, ...Array.from({ length: 1_100 }, (_, at) => `${at.toString(36)}:1`)], body),
    post([...right, `X: ${'x'.repeat(20_000)}`], body),
    post(
      right.filter((line) => line !== HOST),
      body,
    ),
    Buffer.from(text.replaceAll('\r\n', '\n')),
    Buffer.from('\0\x16\x03\x01'),
    Buffer.from('\r\n\r\nGARBAGE\r\n\r\n'),
  );
});

/** What is written at once, and how long to wait before it. */
interface Write {
  readonly bytes: Buffer;
  readonly wait: number;
}

/** Bytes that are sent before an answer to any of them is waited for. */
interface Part {
  readonly writes: readonly Write[];
  readonly answers: number;
}

function cutUp(requests: readonly Bytes[], cuts: readonly number[], waits: readonly number[]): Part {
  const all = Buffer.concat(requests);
  const places = [...new Set([...cuts.map((cut) => cut % all.length), all.length])].sort((a, b) => a - b);
  const writes: Write[] = [];
  let at = 0;
  for (const place of places) {
    if (place > at) writes.push({ bytes: all.subarray(at, place), wait: waits[writes.length] ?? 0 });
    at = place;
  }
  return { writes, answers: requests.length };
}

const part: fc.Arbitrary<Part> = fc
  .record({
    requests: fc.oneof(
      { weight: 12, arbitrary: fc.tuple(plain) },
      { weight: 1, arbitrary: fc.tuple(fc.oneof({ weight: 9, arbitrary: other }, expecting)) },
      { weight: 1, arbitrary: fc.array(fc.oneof(plain, plain, other), { minLength: 2, maxLength: 4 }) },
    ),
    cuts: fc.oneof(fc.constant([]), fc.array(fc.nat(), { maxLength: 4 })),
    waits: fc.array(fc.constantFrom(-1, -1, 0, 0, 1), { minLength: 5, maxLength: 5 }),
  })
  .map(({ requests, cuts, waits }) => cutUp(requests, cuts, waits));

// Node loses answers under way when it meets what it cannot read, so that comes when all are there.
const stream: fc.Arbitrary<readonly Part[]> = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 8 }), fc.option(last, { freq: 2 }))
  .map(([parts, end]) => (end === null ? parts : [...parts, cutUp([end], [], [0])]));

/** Everything that a server sends back for a stream of bytes. */
async function answered(port: number, parts: readonly Part[]): Promise<string> {
  const { socket, received, over } = await openRaw(port);
  let expected = 0;
  for (const { writes, answers } of parts) {
    for (const { bytes, wait } of writes) {
      if (wait === 0) await new Promise<void>((resolve) => setImmediate(resolve));
      else if (wait > 0) await new Promise<void>((resolve) => setTimeout(resolve, wait));
      socket.write(bytes);
    }
    expected += answers;
    await received(expected);
  }
  socket.end();
  return await over;
}

/** Without what differs from second to second and from session to session. */
function masked(text: string): string {
  return text
    .replace(/\r\nDate: [^\r]+GMT\r\n/g, '\r\nDate: x\r\n')
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'uuid');
}

describe('a connection that begins in a lane', () => {
  it('gets the bytes that it gets without, whatever is sent and however it is cut', async () => {
    const provider = await createProvider({ source: directorySource(folder()), pageSize: 1 });
    onTestFinished(() => provider.close());
    const options = { provider, token: TOKEN, maxRequestBytes: MOST_BYTES, maxSessions: -1 };
    const { port: withLanes } = await start(options);
    const { port: without } = await start({ ...options, logger: heard });
    const byNode = vi.spyOn(ServerResponse.prototype, 'writeHead');
    onTestFinished(() => byNode.mockRestore());
    const inLane = { with: 0, without: 0 };
    let handedOver = 0;
    const tell = async (which: keyof typeof inLane, parts: readonly Part[]) => {
      byNode.mockClear();
      const text = await answered(which === 'with' ? withLanes : without, parts);
      // What Node's parser refuses has no date, and no response that writes it.
      const dated = text.split('\r\nDate: ').length - 1;
      const byLane = dated - byNode.mock.calls.length;
      inLane[which] += byLane;
      if (which === 'with' && byLane > 0 && byNode.mock.calls.length > 0) handedOver += 1;
      return masked(text);
    };
    await fc.assert(
      fc.asyncProperty(stream, async (parts) => {
        const theirs = await tell('without', parts);
        expect(await tell('with', parts)).toBe(theirs);
      }),
      { numRuns: 300 },
    );
    expect(inLane.without).toBe(0);
    expect(inLane.with).toBeGreaterThan(200);
    expect(handedOver).toBeGreaterThan(50);
  }, 60_000);
});
