import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, fire, fireOnce } from '../../bench/fire.ts';
import { answerText } from '../../bench/http-answer.ts';
import { httpMessage } from '../../bench/message.ts';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function listen(answer: (body: { id: number }) => string | undefined): Promise<string> {
  const listener: RequestListener = (request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const text = answer(JSON.parse(Buffer.concat(parts).toString('utf8')));
      if (text === undefined) response.destroy();
      else response.end(text);
    });
  };
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const messages = (url: string, count: number): Buffer[] =>
  Array.from({ length: count }, (_, at) => httpMessage(url, { method: 'x', params: {} }, at, 't'));

describe('the client of the harness', () => {
  it('sends every message once', async () => {
    const seen: number[] = [];
    const url = await listen(({ id }) => {
      seen.push(id);
      return '{"result":{}}';
    });
    await fireOnce(url, messages(url, 20), 3);
    expect(seen.sort((a, b) => a - b)).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
    ]);
  });

  it('counts what is answered, and stops', async () => {
    let asked = 0;
    const url = await listen(() => {
      asked += 1;
      return '{"result":{"a":1}}';
    });
    const round = await fire(url, messages(url, 4), { connections: 2, warmMs: 20, ms: 60 });
    expect(round.answers).toBe(asked);
    expect(round.perSecond).toBeGreaterThan(0);
    expect(round.p99Ms).toBeGreaterThanOrEqual(round.p50Ms);
    expect(round.bytes).toBeGreaterThan(18);
  });

  it('gives one answer', async () => {
    const url = await listen(({ id }) => `{"result":${id}}`);
    const [message] = messages(url, 1);
    expect(answerText(await ask(url, message as Buffer))).toBe('{"result":0}');
  });

  it('takes answers that are longer than its room, one after the other', async () => {
    const text = (id: number): string => `{"result":"${String(id).repeat(900_000)}"}`;
    const url = await listen(({ id }) => text(id));
    const [, one] = messages(url, 2);
    expect(answerText(await ask(url, one as Buffer))).toBe(text(1));
    const round = await fire(url, messages(url, 4), { connections: 2, warmMs: 20, ms: 100 });
    expect(round.bytes).toBeGreaterThan(900_000);
  });

  it.each([
    ['an error', '{"error":{"code":1}}', 'not an answer'],
    ['an end of the connection', undefined, 'ended a connection'],
  ])('does not count %s', async (_name, answer, expected) => {
    const url = await listen(() => answer);
    await expect(fire(url, messages(url, 2), { connections: 2, warmMs: 10, ms: 30 })).rejects.toThrow(
      expected,
    );
  });
});
