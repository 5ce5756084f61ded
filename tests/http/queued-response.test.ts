import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createProvider, type SkillProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { modern, modernBody, modernHeaders, start } from './harness.ts';

async function provide(): Promise<SkillProvider> {
  const provider = await createProvider({
    source: memorySource({ 'a/SKILL.md': '---\nname: a\ndescription: A skill.\n---\n' }),
  });
  onTestFinished(() => provider.close());
  return provider;
}

function raw(method: string, params: Record<string, unknown>, id: number): string {
  const body = modernBody(method, params, id);
  const headers = { host: 'localhost', ...modernHeaders(method, params), 'content-length': body.length };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

const LISTEN = { notifications: { resourcesListChanged: true } };

it('keeps neither a response nor the place of a stream that waited behind another when their client went', async () => {
  const provider = await provide();
  const create = provider.createServer.bind(provider);
  let servers = 0;
  provider.createServer = (options) => {
    servers += 1;
    return create(options);
  };
  let over = 0;
  const { app, port } = await start({
    provider,
    maxOpenStreams: 2,
    logger: {
      debug: (message) => {
        if (message === 'request') over += 1;
      },
      info: () => undefined,
      warn: () => undefined,
      error: () => undefined,
    },
  });
  const warned: string[] = [];
  const onWarning = (warning: Error): void => void warned.push(warning.message);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));

  const gone = connect(port, '127.0.0.1');
  gone.write(raw('subscriptions/listen', LISTEN, 1));
  await once(gone, 'data');
  let queued = '';
  for (let id = 2; id < 16; id += 1) queued += raw('skills/list', {}, id);
  gone.write(queued + raw('subscriptions/listen', LISTEN, 16));
  await expect.poll(() => servers, { timeout: 4_000 }).toBe(2);
  gone.destroy();
  await expect.poll(() => over, { timeout: 4_000 }).toBe(16);

  for (let place = 0; place < 2; place += 1) {
    const socket = connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(raw('subscriptions/listen', LISTEN, 1));
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 200 /);
  }
  expect(warned).toEqual([]);
  await app.close({ drainMs: 20_000 });
});

it('answers in order what was sent at once, and closes with it', async () => {
  const { app, port } = await start({ provider: await provide() });
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  let sent = '';
  for (let id = 1; id <= 20; id += 1) sent += raw(id % 3 === 0 ? 'server/discover' : 'skills/list', {}, id);
  socket.write(sent);
  while (text.split('"id":').length < 21) await once(socket, 'data');
  expect([...text.matchAll(/"id":(\d+)/g)].map(([, id]) => Number(id))).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  await app.close({ drainMs: 20_000 });
  if (!socket.destroyed) await once(socket, 'close');
});

it('lets what waits behind a stream out as soon as a shutdown ended the stream', async () => {
  const { app, port } = await start({ provider: await provide() });
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const over = once(socket, 'close');
  socket.write(raw('subscriptions/listen', LISTEN, 1) + raw('skills/list', {}, 2));
  await once(socket, 'data');
  // Answered by now, since a later request of another connection was.
  await modern(port, 'skills/list');
  await app.close({ drainMs: 20_000 });
  await over;
  expect(text).toMatch(/"resultType":"complete".*HTTP\/1\.1 200 .*"skills":\[.*"id":2\}/s);
});
