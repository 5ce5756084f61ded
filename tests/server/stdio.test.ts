import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterEach, describe, expect, it } from 'vitest';
import { createProvider, type SkillProvider, serveStdio } from '../../src/server/index.ts';
import { memorySource, type Source } from '../../src/source/index.ts';
import { clientOptions, linkProvider, REVISIONS } from './link.ts';
import { recordingLogger, skillText } from './support.ts';

const PROGRAM = fileURLToPath(new URL('./stdio-program.ts', import.meta.url));
const ARGS = ['--import', 'tsx', PROGRAM];
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function providerOf(
  files: Record<string, string>,
  wrap = (source: Source): Source => source,
): Promise<SkillProvider> {
  const provider = await createProvider({ source: wrap(memorySource(files)) });
  open.push(() => provider.close());
  return provider;
}

function lines(stream: PassThrough): { id?: number; result?: Record<string, unknown>; error?: unknown }[] {
  const text = (stream.read() as Buffer | null)?.toString() ?? '';
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function request(id: number, method: string, params: object = {}): string {
  return `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
}

describe('a connection over streams', () => {
  it('says why it ends when a line is too long to be read', async () => {
    const provider = await providerOf({ 'pdf/SKILL.md': skillText('pdf') });
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const { logger, lines: logged } = recordingLogger();
    const connection = serveStdio(provider, { stdin, stdout, logger });
    stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    for (let mebibyte = 0; mebibyte < 11; mebibyte += 1) stdin.write('x'.repeat(2 ** 20));
    await connection.closed;
    expect(logged.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'a line on stdin is too long to be read, so the connection ends',
    ]);
  });

  it('answers what was asked before stdin ended, then is over', async () => {
    const provider = await providerOf({ 'pdf/SKILL.md': skillText('pdf') });
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    let listening = false;
    const connection = serveStdio(provider, { stdin, stdout, onListening: () => (listening = true) });
    expect(listening).toBe(true);
    stdin.end(
      `${JSON.stringify(INITIALIZE)}\n${request(1, 'skills/list')}${request(2, 'resources/read', { uri: 'skill://pdf/SKILL.md' })}`,
    );
    await connection.closed;
    expect(lines(stdout).map((line) => [line.id, line.error])).toEqual([
      [0, undefined],
      [1, undefined],
      [2, undefined],
    ]);
  });

  it('waits for a slow answer on close, and takes no more', async () => {
    let release = (): void => undefined;
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    let reads = 0;
    const provider = await providerOf({ 'pdf/SKILL.md': skillText('pdf'), 'pdf/a.md': 'a' }, (source) => {
      const read = source.read.bind(source);
      source.read = async (path, options) => {
        if (path === 'pdf/a.md' && ++reads > 1) await slow;
        return read(path, options);
      };
      return source;
    });
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const connection = serveStdio(provider, { stdin, stdout });
    stdin.write(
      `${JSON.stringify(INITIALIZE)}\n${request(1, 'resources/read', { uri: 'skill://pdf/a.md' })}`,
    );
    while (reads < 2) await new Promise((resolve) => setImmediate(resolve));
    const closing = connection.close();
    stdin.write(request(2, 'skills/list'));
    await new Promise((resolve) => setImmediate(resolve));
    release();
    await closing;
    await connection.close();
    expect(lines(stdout).map((line) => line.id)).toEqual([0, 1]);
  });

  it('does not wait longer than it is told for an answer that never comes', async () => {
    let reads = 0;
    const provider = await providerOf({ 'pdf/SKILL.md': skillText('pdf'), 'pdf/a.md': 'a' }, (source) => {
      const read = source.read.bind(source);
      source.read = (path, options) =>
        path === 'pdf/a.md' && ++reads > 1 ? new Promise(() => undefined) : read(path, options);
      return source;
    });
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const connection = serveStdio(provider, { stdin, stdout, drainMs: 20 });
    stdin.end(`${JSON.stringify(INITIALIZE)}\n${request(1, 'resources/read', { uri: 'skill://pdf/a.md' })}`);
    await connection.closed;
    expect(lines(stdout).map((line) => line.id)).toEqual([0]);
  });

  it.each(['before', 'after'])('ends by a signal that fires %s it begins', async (when) => {
    const provider = await providerOf({ 'pdf/SKILL.md': skillText('pdf') });
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const controller = new AbortController();
    if (when === 'before') controller.abort();
    const connection = serveStdio(provider, { stdin, stdout, signal: controller.signal });
    controller.abort();
    await connection.closed;
    expect(stdin.listenerCount('data')).toBe(0);
  });

  it('ends listen streams with their result', async () => {
    const provider = await providerOf({ 'pdf/SKILL.md': skillText('pdf') });
    const controller = new AbortController();
    const link = await linkProvider(provider, '2026-07-28', { signal: controller.signal });
    const subscription = await link.client.listen({ resourcesListChanged: true });
    controller.abort();
    expect(await subscription.closed).toBe('graceful');
    await link.close();
  });

  it('is over when nobody reads any more (EPIPE), without an uncaught error', async () => {
    const { logger, lines: logged } = recordingLogger();
    const provider = await providerOf({ 'pdf/SKILL.md': skillText('pdf') });
    const stdin = new PassThrough();
    const stdout = new Writable({
      write(_chunk, _encoding, done) {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      },
    });
    const connection = serveStdio(provider, { stdin, stdout, logger });
    stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    await connection.closed;
    expect(logged.some((line) => String(line.fields?.error).includes('EPIPE'))).toBe(true);
  });

  it('is over when the reader keeps the pipe and reads nothing', async () => {
    const provider = await providerOf({ 'pdf/SKILL.md': skillText('pdf') });
    const stdin = new PassThrough();
    const stdout = new Writable({ write: () => undefined });
    const connection = serveStdio(provider, { stdin, stdout, drainMs: 20 });
    stdin.end(`${JSON.stringify(INITIALIZE)}\n`);
    await connection.closed;
  });

  it('skips lines that are no messages and goes on', async () => {
    const provider = await providerOf({ 'pdf/SKILL.md': skillText('pdf') });
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const connection = serveStdio(provider, { stdin, stdout });
    stdin.end(
      `hello\n\n{"a":1}\n[]\n\u0000\n${JSON.stringify(INITIALIZE)}\r\nnull\n${request(1, 'skills/list')}{"jsonrpc":"2.0","id":`,
    );
    await connection.closed;
    expect(lines(stdout).map((line) => line.id)).toEqual([0, 1]);
  });

  it('is over after a line that is too long to be a message', async () => {
    const provider = await providerOf({ 'pdf/SKILL.md': skillText('pdf') });
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const connection = serveStdio(provider, { stdin, stdout });
    stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
    stdin.write('x'.repeat(11_000_000));
    await connection.closed;
    expect(stdin.listenerCount('data')).toBe(0);
  });
});

describe.each(REVISIONS)('a process, %s', (revision) => {
  it('serves the official client, refuses what would kill it, and ends when stdin does', async () => {
    const client = new Client({ name: 'test', version: '1.0.0' }, clientOptions(revision));
    const transport = new StdioClientTransport({ command: process.execPath, args: ARGS, stderr: 'pipe' });
    await client.connect(transport);
    const skills = new SkillsClient(client);
    const { skills: listed } = await skills.list();
    expect(listed.map((skill) => skill.uri)).toEqual(['skill://pdf/SKILL.md']);
    expect((await skills.read(listed[0]!, 'most.txt')).bytes.length).toBe(9_400_000);
    await expect(client.readResource({ uri: 'skill://pdf/big.txt' })).rejects.toMatchObject({
      code: -32603,
      message: expect.stringMatching(
        /"skill:\/\/pdf\/big\.txt" takes 9453568 bytes in a response; this transport carries 9437184/,
      ),
      data: { code: 'RESPONSE_TOO_LARGE', uri: 'skill://pdf/big.txt', limit: 9_437_184, actual: 9_453_568 },
    });
    expect((await skills.read(listed[0]!)).verified).toBe(true);
    await client.close();
  });
});

describe('a process', () => {
  async function run(
    feed: (child: ChildProcess) => void,
  ): Promise<{ code: number | null; out: string; err: string }> {
    const child = spawn(process.execPath, ARGS, { stdio: ['pipe', 'pipe', 'pipe'] });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
    feed(child);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out, err };
  }

  it('answers piped input whole, writes nothing else to stdout, and ends though a timer runs', async () => {
    const { code, out, err } = await run((child) => {
      child.stdin?.end(
        `${JSON.stringify(INITIALIZE)}\n${request(1, 'resources/read', { uri: 'skill://pdf/most.txt' })}${request(2, 'skills/list')}`,
      );
    });
    expect(code).toBe(7);
    expect(err).toBe('ready\n');
    const answers = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number });
    expect(answers.map((answer) => answer.id).sort()).toEqual([0, 1, 2]);
  });

  it('ends when its stdout is closed', async () => {
    const { code } = await run((child) => {
      child.stdout?.destroy();
      child.stdin?.write(`${JSON.stringify(INITIALIZE)}\n${request(1, 'skills/list')}`);
    });
    expect(code).toBe(7);
  });
});
