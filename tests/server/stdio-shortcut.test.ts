import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createProvider, type SkillProvider, serveStdio } from '../../src/server/index.ts';
import { directorySource } from '../../src/source/index.ts';

const META = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};
const FILES = {
  'a/SKILL.md': '---\nname: a\ndescription: The skill a.\n---\n\nBody.\n',
  'a/references/guide one.md': '# Guide\r\n\u{1f600} "quoted"\n',
  'b/SKILL.md': '---\nname: b\ndescription: The skill b.\n---\n',
};

interface Line {
  readonly id?: string | number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number };
}

/** One connection: what it writes, line by line, and how often a server was asked for a file. */
function connect(provider: SkillProvider): {
  send(message: unknown): void;
  answer(id: string | number): Promise<string>;
  end(): Promise<void>;
} {
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const lines: string[] = [];
  let rest = '';
  let wake: () => void = () => undefined;
  stdout.on('data', (data: Buffer) => {
    rest += data.toString();
    const parts = rest.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    wake();
  });
  const connection = serveStdio(provider, { stdin, stdout });
  onTestFinished(() => connection.close());
  return {
    send: (message) =>
      void stdin.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`),
    async answer(id) {
      for (;;) {
        const index = lines.findIndex((line) => (JSON.parse(line) as Line).id === id);
        if (index !== -1) return lines.splice(index, 1)[0] as string;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    async end() {
      stdin.end();
      await connection.closed;
    },
  };
}

async function provide(): Promise<{ root: string; provider: SkillProvider; bare: SkillProvider }> {
  const root = mkdtempSync(join(tmpdir(), 'skillwire-shortcut-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(FILES)) write(root, path, text);
  const provider = await createProvider({ source: directorySource(root), pageSize: 1 });
  onTestFinished(() => provider.close());
  // A provider that nothing is prepared for: the SDK answers everything.
  const bare = new Proxy(provider, {
    get: (target, name) => {
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { root, provider, bare };
}

function write(root: string, path: string, text: string): void {
  const file = join(root, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  utimesSync(file, 1_700_000_000, 1_700_000_000);
}

const OPENINGS = {
  '2024-11-05': initialize('2024-11-05'),
  '2025-06-18': initialize('2025-06-18'),
  '2025-11-25': initialize('2025-11-25'),
  '2026-07-28': { jsonrpc: '2.0', id: 'open', method: 'skills/list', params: { _meta: META } },
} as const;

function initialize(protocolVersion: string): Record<string, unknown> {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } };
  return { jsonrpc: '2.0', id: 'open', method: 'initialize', params };
}

async function open(
  provider: SkillProvider,
  revision: keyof typeof OPENINGS,
): Promise<ReturnType<typeof connect>> {
  const connection = connect(provider);
  connection.send(OPENINGS[revision]);
  await connection.answer('open');
  return connection;
}

describe('the short way over stdio', () => {
  it.each(['2024-11-05', '2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'answers on %s what the SDK answers, byte for byte',
    async (revision) => {
      const { provider, bare } = await provide();
      const ours = await open(provider, revision);
      const theirs = await open(bare, revision);
      const meta = revision === '2026-07-28' ? { _meta: META } : {};
      ours.send({ jsonrpc: '2.0', id: 'page', method: 'resources/list', params: meta });
      const cursor = (JSON.parse(await ours.answer('page')) as Line).result?.nextCursor;
      const uris = [
        'skill://a/SKILL.md',
        'skill://a/references/guide one.md',
        'skill://a',
        'skill://a/x',
        'no',
        '',
      ];
      const odd = fc.constantFrom<unknown>(null, 7, [], {}, 'x');
      const params = fc.record(
        {
          uri: fc.oneof({ weight: 5, arbitrary: fc.constantFrom<unknown>(...uris) }, odd),
          cursor: fc.oneof({ weight: 3, arbitrary: fc.constantFrom<unknown>(cursor, 'bad', '') }, odd),
          _meta: fc.oneof(
            { weight: 4, arbitrary: fc.constant<unknown>(META) },
            fc.constantFrom<unknown>({}, { progressToken: 4 }, { other: 1 }),
          ),
          extra: odd,
        },
        { requiredKeys: [] },
      );
      const method = fc.constantFrom(
        'skills/list',
        'skills/get',
        'resources/list',
        'resources/read',
        'resources/directory/read',
        'ping',
      );
      const id = fc.constantFrom<string | number>(1, 0, -5, 'a"b', 'x');
      await fc.assert(
        fc.asyncProperty(method, params, id, fc.boolean(), async (name, given, requestId, fitting) => {
          const asked: Record<string, unknown> = { ...given };
          if (fitting) {
            delete asked.extra;
            if (name.endsWith('/list')) delete asked.uri;
            if (name === 'skills/get' || name === 'resources/read') delete asked.cursor;
            if (revision === '2026-07-28') asked._meta = META;
            else delete asked._meta;
          }
          const message = { jsonrpc: '2.0', id: requestId, method: name, params: asked };
          ours.send(message);
          theirs.send(message);
          expect(await ours.answer(requestId)).toBe(await theirs.answer(requestId));
        }),
        { numRuns: 300 },
      );
      await ours.end();
      await theirs.end();
    },
  );

  it.each(['2025-11-25', '2026-07-28'] as const)('asks no server for a file on %s', async (revision) => {
    const { provider } = await provide();
    const { port, asked } = counting(provider);
    const connection = await open(port, revision);
    const meta = revision === '2026-07-28' ? { _meta: META } : {};
    const before = asked();
    for (let id = 1; id <= 3; id += 1) {
      connection.send({
        jsonrpc: '2.0',
        id,
        method: 'resources/read',
        params: { uri: 'skill://a/SKILL.md', ...meta },
      });
      expect((JSON.parse(await connection.answer(id)) as Line).result?.contents).toHaveLength(1);
    }
    // One server for the connection, and it was there before.
    expect(asked()).toBe(before);
  });

  it.each([3_000, 100_000])(
    'leaves what is nested %i levels deep to the SDK, and lives on',
    async (levels) => {
      const { provider, bare } = await provide();
      const deep = '['.repeat(levels) + ']'.repeat(levels);
      const lines = [
        ...[`,"x":${deep}`, `,"x":${deep},"traceparent":"t"`].map((more) =>
          JSON.stringify(META).replace(/\}$/, `${more}}`),
        ),
        JSON.stringify({ ...META, 'io.modelcontextprotocol/clientCapabilities': 'here' }).replace(
          '"here"',
          `{"experimental":{"a":{"b":${deep}}}}`,
        ),
      ].map((meta, id) => `{"jsonrpc":"2.0","id":${id},"method":"skills/list","params":{"_meta":${meta}}}`);
      const ours = await open(provider, '2026-07-28');
      const theirs = await open(bare, '2026-07-28');
      for (const [id, line] of lines.entries()) {
        ours.send(line);
        theirs.send(line);
        expect(await ours.answer(id)).toBe(await theirs.answer(id));
      }
      ours.send({ jsonrpc: '2.0', id: 'after', method: 'skills/list', params: { _meta: META } });
      expect((JSON.parse(await ours.answer('after')) as Line).result?.skills).toHaveLength(1);
    },
  );

  it('carries no more than a response may have, however long the id is', async () => {
    const { root, provider, bare } = await provide();
    write(root, 'a/large.md', 'x'.repeat(3_000_000));
    await provider.refresh();
    const id = 'i'.repeat(7_000_000);
    const params = { uri: 'skill://a/large.md' };
    const answers: string[] = [];
    for (const of of [provider, bare]) {
      const connection = await open(of, '2025-11-25');
      for (const each of ['short', id])
        connection.send({ jsonrpc: '2.0', id: each, method: 'resources/read', params });
      expect((JSON.parse(await connection.answer('short')) as Line).error).toBeUndefined();
      answers.push(await connection.answer(id));
    }
    expect(answers[0]).toBe(answers[1]);
    expect((JSON.parse(answers[0] ?? '') as { error: unknown }).error).toMatchObject({
      code: -32603,
      data: { code: 'RESPONSE_TOO_LARGE', limit: 9_437_184 },
    });
  });

  it('sends what is there now, whatever happens to the file', async () => {
    const { root, provider } = await provide();
    const connection = await open(provider, '2025-11-25');
    const read = async (id: number): Promise<unknown> => {
      connection.send({
        jsonrpc: '2.0',
        id,
        method: 'resources/read',
        params: { uri: 'skill://b/SKILL.md' },
      });
      const line = JSON.parse(await connection.answer(id)) as Line;
      return (line.result?.contents as { text: string }[] | undefined)?.[0]?.text ?? line.error?.code;
    };
    expect(await read(1)).toBe(FILES['b/SKILL.md']);
    const edited = FILES['b/SKILL.md'].replace('The skill b', 'The skill B');
    write(root, 'b/SKILL.md', edited);
    expect(await read(2)).toBe(edited);
    rmSync(join(root, 'b'), { recursive: true });
    expect(await read(3)).toBe(-32602);
  });

  it.each([
    ['a notification first', { jsonrpc: '2.0', method: 'notifications/initialized' }],
    ['a request without envelope first', { jsonrpc: '2.0', id: 'first', method: 'ping' }],
    ['a failing initialize first', { jsonrpc: '2.0', id: 'first', method: 'initialize', params: {} }],
  ])('leaves a connection whose era it cannot tell to the SDK: %s', async (_, first) => {
    const { provider, bare } = await provide();
    const [ours, theirs] = [connect(provider), connect(bare)];
    const message = { jsonrpc: '2.0', id: 2, method: 'skills/list', params: { _meta: META } };
    for (const connection of [ours, theirs]) {
      connection.send(first);
      connection.send(message);
      connection.send({ ...message, id: 3 });
    }
    for (const id of [2, 3]) expect(await ours.answer(id)).toBe(await theirs.answer(id));
  });

  it('writes what comes in one piece in one piece, each answer whole, whatever is among it', async () => {
    const { provider } = await provide();
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const written: string[] = [];
    stdout.on('data', (data: Buffer) => written.push(data.toString()));
    const connection = serveStdio(provider, { stdin, stdout });
    onTestFinished(() => connection.close());
    const lineOf = (id: unknown, method: string, params: Record<string, unknown> = {}): string =>
      `${JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: META } })}\n`;
    stdin.write(lineOf('first', 'skills/list'));
    await expect.poll(() => written.join('')).toContain('"id":"first"}\n');
    written.length = 0;
    const ascii = lineOf(1, 'skills/get', { uri: 'skill://a/SKILL.md' });
    stdin.write([ascii, ascii.replace('"id":1', '"id":2'), ascii.replace('"id":1', '"id":3')].join(''));
    await expect.poll(() => written.length).toBe(1);
    expect(
      written[0]
        ?.trimEnd()
        .split('\n')
        .map((line) => (JSON.parse(line) as Line).id),
    ).toEqual([1, 2, 3]);
    written.length = 0;
    const guide = { uri: 'skill://a/references/guide%20one.md' };
    stdin.write(
      [
        ascii,
        lineOf('\u{1f600}', 'skills/get', { uri: 'skill://a/SKILL.md' }),
        lineOf(5, 'resources/read', guide),
        lineOf(6, 'nothing/at-all'),
        'no message\n',
        lineOf(7, 'skills/list'),
      ].join(''),
    );
    await expect.poll(() => written.join('').split('\n').length).toBe(6);
    const lines = written
      .join('')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    const of = (id: unknown): Line | undefined => lines.find((line) => line.id === id);
    expect(lines.map(({ id }) => id).sort()).toEqual([1, 5, 6, 7, '\u{1f600}'].sort());
    expect(of('\u{1f600}')?.result).toEqual(of(1)?.result);
    expect(of(5)?.result).toMatchObject({ contents: [{ text: '# Guide\r\n\u{1f600} "quoted"\n' }] });
    expect(of(6)?.error?.code).toBe(-32601);
  });

  it('answers everything that was asked before stdin ended, and reads what comes in pieces', async () => {
    const { provider } = await provide();
    const stdin = new PassThrough();
    const stdout = new PassThrough();
    const chunks: Buffer[] = [];
    stdout.on('data', (data: Buffer) => chunks.push(data));
    const connection = serveStdio(provider, { stdin, stdout });
    const all = [
      OPENINGS['2025-11-25'],
      ...Array.from({ length: 40 }, (_, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'resources/read',
        params: { uri: 'skill://a/references/guide%20one.md' },
      })),
    ];
    const bytes = Buffer.from(
      `not json\r\n${all.map((message) => JSON.stringify(message)).join('\r\n')}\r\n`,
    );
    for (let from = 0; from < bytes.length; from += 7) stdin.write(bytes.subarray(from, from + 7));
    stdin.end();
    await connection.closed;
    const ids = Buffer.concat(chunks)
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Line).id);
    expect(new Set(ids)).toEqual(new Set(['open', ...Array.from({ length: 40 }, (_, id) => id)]));
    expect(ids).toHaveLength(41);
  });
});

/** The provider, counting the servers it makes. */
function counting(provider: SkillProvider): { port: SkillProvider; asked: () => number } {
  let servers = 0;
  const create = provider.createServer.bind(provider);
  provider.createServer = (options) => {
    servers += 1;
    return create(options);
  };
  return { port: provider, asked: () => servers };
}
