import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { readLinearly } from '../../src/cli/linear-buffer.ts';

/** Every message and error of a program that writes `pieces`, one after the other. */
async function heard(program: string, maxBytes: number): Promise<{ messages: unknown[]; errors: string[] }> {
  const transport = new StdioClientTransport({ command: process.execPath, args: ['-e', program] });
  readLinearly(transport, maxBytes);
  const messages: unknown[] = [];
  const errors: string[] = [];
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  transport.onmessage = (message) => messages.push(message);
  transport.onerror = (error) => errors.push(error.message);
  onTestFinished(() => transport.close());
  await transport.start();
  await closed;
  return { messages, errors };
}

describe('readLinearly', () => {
  it('gives the messages of the lines, whatever the pieces, and passes over what is no JSON', async () => {
    const { messages, errors } = await heard(
      `const say = (text) => new Promise((done) => process.stdout.write(text, done));
       const line = (id) => JSON.stringify({ jsonrpc: '2.0', id, result: { é: '\\u2028' } });
       (async () => {
         await say('starting\\n' + line(1) + '\\r\\n\\n' + line(2).slice(0, 9));
         await say(line(2).slice(9) + '\\n' + line(3) + '\\n' + line(4));
       })();`,
      1_000,
    );
    expect(messages).toEqual([1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, result: { é: '\u2028' } })));
    expect(errors).toEqual([]);
  });

  it('parses no line that cannot be a message', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const { messages, errors } = await heard(
      `process.stdout.write('\\n'.repeat(10_000) + 'null\\n[]\\n"a"\\n {"jsonrpc":"2.0","method":"m"}\\n')`,
      1_000,
    );
    expect(messages).toEqual([{ jsonrpc: '2.0', method: 'm' }]);
    expect(errors).toEqual([]);
    expect(parse).toHaveBeenCalledTimes(1);
  });

  it('copies each byte of a long line once', async () => {
    const concat = vi.spyOn(Buffer, 'concat');
    onTestFinished(() => concat.mockRestore());
    const { messages } = await heard(
      `process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { text: 'x'.repeat(20_000_000) } }) + '\\n');`,
      33_554_432,
    );
    expect(messages).toMatchObject([{ id: 1 }]);
    const copied = concat.mock.results.reduce((sum, { value }) => sum + (value as Buffer).length, 0);
    expect(copied).toBeLessThan(30_000_000);
  });

  it('ends the connection at a line that is too long', async () => {
    const { messages, errors } = await heard(
      `process.stdout.write('x'.repeat(200_000)); setTimeout(() => undefined, 60_000);`,
      100_000,
    );
    expect(messages).toEqual([]);
    expect(errors).toEqual(['a line has more than 100000 bytes']);
  });
});
