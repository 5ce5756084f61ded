import { SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { SkillsClient, type SkillsClientOptions } from '../../src/client/index.ts';
import { fakeClock } from '../server/fake-clock.ts';
import { type Answer, type Script, SKILLS, scripted } from './link.ts';
import { contents, entryOf, PDF, skillServer } from './skill-server.ts';

const entry = entryOf('pdf', PDF);
const A_MD = 'skill://pdf/references/a.md';
const sure: SkillsClientOptions = { random: () => 1 };

/** A promise, and what settles it. */
function later<T>(): { readonly promise: Promise<T>; readonly settle: (value: T) => void } {
  let settle: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, settle };
}

async function start(script: Script, options: SkillsClientOptions = {}) {
  const { client: mcp, seen } = await scripted(script);
  return {
    mcp,
    client: new SkillsClient(mcp, { ...sure, ...options }),
    methods: () => seen.map(({ method }) => method),
  };
}

describe('requests that are under way', () => {
  it('are shared by callers that ask for the same', async () => {
    const { client, methods } = await start(skillServer(PDF, entry));
    const listings = await Promise.all(Array.from({ length: 20 }, () => client.listSkills()));
    expect(new Set(listings).size).toBe(1);
    await Promise.all(Array.from({ length: 20 }, () => client.getSkill('skill://pdf/SKILL.md')));
    await Promise.all(Array.from({ length: 20 }, () => client.readSkillUri(A_MD)));
    expect(methods()).toEqual(['skills/list', 'skills/get', 'resources/read']);
  });

  it('go on for the others when one caller leaves', async () => {
    const answer = later<Answer>();
    const { client, methods } = await start({ answer: () => answer.promise });
    const leaving = new AbortController();
    const left = client.listSkills({ signal: leaving.signal });
    const staying = client.listSkills();
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    answer.settle({ skills: [entry] });
    expect((await staying).skills).toHaveLength(1);
    expect(methods()).toEqual(['skills/list']);
  });

  it('end with the reason of the signal, and count as no failure', async () => {
    const { client } = await start({
      answer: (method) => (method === 'skills/list' ? new Promise(() => {}) : {}),
    });
    for (let turn = 0; turn < 3; turn++) {
      const leaving = new AbortController();
      const left = client.listSkills({ signal: leaving.signal });
      leaving.abort(new Error(`left ${turn}`));
      await expect(left).rejects.toThrow(`left ${turn}`);
    }
  });

  it('end after their time', async () => {
    const { client } = await start({ answer: () => new Promise(() => {}) }, { requestTimeoutMs: 20 });
    await expect(client.listSkills()).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
      details: { limit: 20 },
    });
  });
});

describe('a host that lists on every turn', () => {
  it('reaches the server once while the ttl lasts', async () => {
    const clock = fakeClock();
    const { client, methods } = await start(
      skillServer(PDF, entry, { 'skills/list': { skills: [entry], ttlMs: 5_000 } }),
      { clock },
    );
    for (let turn = 0; turn < 100; turn++) await client.listSkills();
    expect(methods()).toHaveLength(1);
    clock.pass(5_000);
    await client.listSkills();
    expect(methods()).toHaveLength(2);
    await client.listSkills({ fresh: true });
    expect(methods()).toHaveLength(3);
    client.forget();
    await client.listSkills();
    expect(methods()).toHaveLength(4);
  });

  it.each([{ ttlMs: 0 }, {}, { ttlMs: 'soon' }, { ttlMs: -1 }])(
    'does not flood a server that states %j',
    async (stated) => {
      const clock = fakeClock();
      const { client, methods } = await start(
        skillServer(PDF, entry, { 'skills/list': { skills: [entry], ...stated } }),
        { clock },
      );
      for (let turn = 0; turn < 100; turn++) await client.listSkills();
      expect(methods()).toHaveLength(10);
      for (let turn = 0; turn < 100; turn++) {
        clock.pass(100);
        await client.listSkills();
      }
      expect(methods()).toHaveLength(20);
    },
  );

  it('sees a change at once where nothing is called fresh', async () => {
    let skills: unknown[] = [];
    const { client } = await start({ answer: () => ({ skills, ttlMs: 0 }) });
    expect((await client.listSkills()).skills).toHaveLength(0);
    skills = [entry];
    expect((await client.listSkills()).skills).toHaveLength(1);
  });

  it('is no flood either when the server says at every turn that something changed', async () => {
    const clock = fakeClock();
    const { client, methods } = await start(skillServer(PDF, entry), { clock });
    for (let turn = 0; turn < 10; turn++) {
      client.forget();
      await client.listSkills();
    }
    client.forget();
    const eleventh = client.listSkills();
    await new Promise((resolve) => setImmediate(resolve));
    expect(methods()).toHaveLength(10);
    clock.pass(1_000);
    expect((await eleventh).skills).toHaveLength(1);
    expect(methods()).toHaveLength(11);
  });

  it('waits before it asks a flooded server for something fresh', async () => {
    const clock = fakeClock();
    const { client, methods } = await start(skillServer(PDF, entry), { clock });
    for (let turn = 0; turn < 10; turn++) await client.listSkills({ fresh: true });
    const eleventh = client.listSkills({ fresh: true });
    expect(clock.waiting).toBe(1);
    expect(methods()).toHaveLength(10);
    clock.pass(1_000);
    await eleventh;
    expect(methods()).toHaveLength(11);
  });

  it('leaves a failing server alone for ever longer', async () => {
    const clock = fakeClock();
    const { client, methods } = await start(
      { answer: () => ({ error: { code: -32603, message: 'down' } }) },
      { clock },
    );
    const turns = async (count: number, ms: number): Promise<number> => {
      const before = methods().length;
      for (let turn = 0; turn < count; turn++) {
        await expect(client.listSkills()).rejects.toMatchObject({ code: 'SERVER_ERROR' });
        clock.pass(ms);
      }
      return methods().length - before;
    };
    expect(await turns(1_000, 0)).toBe(1);
    expect(await turns(60, 1_000)).toBe(5);
    // An hour, a turn each second: about one request a minute.
    expect(await turns(3_600, 1_000)).toBe(60);
  });

  it('says when it will ask again, and asks again after a success at once', async () => {
    const clock = fakeClock();
    let down = true;
    const { client } = await start(
      { answer: () => (down ? { error: { code: -32603, message: 'down' } } : { skills: [] }) },
      { clock },
    );
    await expect(client.listSkills()).rejects.not.toHaveProperty('details.retryAfterMs');
    await expect(client.listSkills()).rejects.toMatchObject({ details: { retryAfterMs: 1_000 } });
    down = false;
    clock.pass(1_000);
    await client.listSkills();
    await expect(client.listSkills()).resolves.toMatchObject({ complete: true });
  });
});

describe('a failure', () => {
  it('of one file leaves the others alone', async () => {
    const { client } = await start(
      skillServer(PDF, entry, { [`resources/read ${A_MD}`]: { error: { code: -32603, message: 'oh' } } }),
      { clock: fakeClock() },
    );
    await expect(client.readSkillUri(A_MD)).rejects.toMatchObject({ code: 'SERVER_ERROR' });
    await expect(client.readSkillUri(A_MD)).rejects.toMatchObject({ details: { retryAfterMs: 1_000 } });
    expect(await client.readSkillUri('skill://pdf/SKILL.md')).toHaveLength(48);
  });

  it('to know a URI is no reason to pause', async () => {
    const { client, methods } = await start(skillServer(PDF, entry));
    for (let turn = 0; turn < 3; turn++) {
      await expect(client.readSkillUri('skill://no/SKILL.md')).rejects.toMatchObject({
        code: 'RESOURCE_NOT_FOUND',
      });
    }
    expect(methods()).toHaveLength(3);
  });

  it.each<[string, Answer, string]>([
    ['the not-found code of old', { error: { code: -32002, message: 'x' } }, 'RESOURCE_NOT_FOUND'],
    [
      'words that say not found',
      { error: { code: -32603, message: 'File Not Found: /x' } },
      'RESOURCE_NOT_FOUND',
    ],
    ['words that say unknown', { error: { code: 0, message: 'unknown resource' } }, 'RESOURCE_NOT_FOUND'],
    ['an unknown method', { error: { code: -32601, message: 'Method not found' } }, 'METHOD_NOT_FOUND'],
    [
      'too large an answer',
      { error: { code: -32603, message: 'big', data: { code: 'RESPONSE_TOO_LARGE' } } as never },
      'RESPONSE_TOO_LARGE',
    ],
    ['anything else', { error: { code: -32603, message: 'oh' } }, 'SERVER_ERROR'],
  ])('with %s is %s', async (_, answer, code) => {
    const { client } = await start({ answer: () => answer });
    await expect(client.readSkillUri(A_MD)).rejects.toMatchObject({ code });
  });

  it('quotes the words of the server, so that they forge no line', async () => {
    const { client } = await start({
      answer: () => ({ error: { code: -32603, message: `oh\n\u001b[31mfatal ${'x'.repeat(1_000)}` } }),
    });
    const failure = await client.readSkillUri(A_MD).catch((error: unknown) => error as Error);
    expect(failure).toHaveProperty('message');
    const { message } = failure as Error;
    expect(message).not.toMatch(/[\u0000-\u001f]/);
    expect(message.length).toBeLessThan(400);
  });
});

describe('a connection that is gone', () => {
  it.each([
    [
      'an unknown session (mt-client-404-not-reinit)',
      () => new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'gone', { status: 404 }),
    ],
    ['a closed connection', () => new SdkError(SdkErrorCode.ConnectionClosed, 'closed')],
  ])('by %s is made anew once, and what was known is dropped', async (_, failure) => {
    const old = await scripted(
      skillServer(PDF, entry, { 'skills/list': { skills: [entry], ttlMs: 60_000 } }),
    );
    const fresh = await scripted(skillServer(PDF, entry, { 'skills/list': { skills: [], ttlMs: 60_000 } }));
    let connects = 0;
    const client = new SkillsClient(old.client, {
      reconnect: () => {
        connects += 1;
        return Promise.resolve(fresh.client);
      },
    });
    expect((await client.listSkills()).skills).toHaveLength(1);
    old.client.request = () => Promise.reject(failure());
    await Promise.all([client.readSkillUri(A_MD), client.readSkillUri('skill://pdf/SKILL.md')]);
    expect(connects).toBe(1);
    expect((await client.listSkills()).skills).toHaveLength(0);
    expect(fresh.seen.map(({ method }) => method)).toEqual([
      'resources/read',
      'resources/read',
      'skills/list',
    ]);
  });

  it('is not one that does not know a method, which servers of 2026 say with the same status', async () => {
    const { client: mcp } = await scripted(skillServer(PDF, entry));
    const text = '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"method not found: skills/list"}}';
    const data = { status: 404, text };
    mcp.request = () =>
      Promise.reject(new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'Error POSTing', data));
    let connects = 0;
    const client = new SkillsClient(mcp, {
      reconnect: () => {
        connects += 1;
        return Promise.resolve(mcp);
      },
    });
    await expect(client.readDirectory('skill://pdf')).rejects.toMatchObject({ code: 'METHOD_NOT_FOUND' });
    expect(connects).toBe(0);
  });

  it.each([
    ['no JSON', 'not found'],
    ['no error', '{"jsonrpc":"2.0","id":1,"result":{}}'],
    ['another error', '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"Session not found"}}'],
    ['a list', '[]'],
    ['nothing', null],
  ])('is one all the same with %s in the body', async (_, text) => {
    const old = await scripted(skillServer(PDF, entry));
    const fresh = await scripted(skillServer(PDF, entry));
    const data = { status: 404, text };
    old.client.request = () =>
      Promise.reject(new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'Error POSTing', data as never));
    const client = new SkillsClient(old.client, { reconnect: () => Promise.resolve(fresh.client) });
    expect(await client.readSkillUri(A_MD)).toHaveLength(12);
  });

  it('stays an error without a way to connect, and when the new one fails too', async () => {
    const { client: mcp } = await scripted(skillServer(PDF, entry));
    const { client: other } = await scripted(skillServer(PDF, entry));
    const gone = (): Promise<never> => Promise.reject(new SdkError(SdkErrorCode.ConnectionClosed, 'closed'));
    mcp.request = gone;
    other.request = gone;
    await expect(new SkillsClient(mcp).readSkillUri(A_MD)).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
    });
    const client = new SkillsClient(mcp, { reconnect: () => Promise.resolve(other) });
    await expect(client.readSkillUri(A_MD)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' });
  });

  it('is left alone from the second failure on', async () => {
    const clock = fakeClock();
    const { client: mcp } = await scripted(skillServer(PDF, entry));
    let asked = 0;
    mcp.request = () => {
      asked += 1;
      return Promise.reject(new TypeError('fetch failed'));
    };
    const client = new SkillsClient(mcp, { clock, ...sure });
    for (const name of ['a', 'b', 'c', 'd']) {
      clock.pass(1);
      await expect(client.readSkillUri(`skill://pdf/${name}`)).rejects.toMatchObject({
        code: 'SERVER_UNREACHABLE',
      });
    }
    expect(asked).toBe(2);
  });
});

describe('what a server makes the client do', () => {
  it('is nothing: a request for input is no answer', async () => {
    const { client: mcp } = await scripted({ capabilities: SKILLS, answer: () => ({}) });
    mcp.request = () => Promise.resolve({ resultType: 'input_required', requestState: 'x' }) as never;
    await expect(new SkillsClient(mcp).listSkills()).rejects.toMatchObject({ code: 'INVALID_RESULT' });
  });

  it('is bounded by the budget', async () => {
    const { client } = await start(skillServer(PDF, entry), { serverByteBudget: 60 });
    expect(client.bytesConsumed).toBe(0);
    await client.readSkillUri('skill://pdf/SKILL.md');
    expect(client.bytesConsumed).toBe(48);
    await client.readSkillUri(A_MD);
    expect(client.bytesConsumed).toBe(60);
    await expect(client.readSkillUri(A_MD)).rejects.toMatchObject({ code: 'SERVER_BYTE_BUDGET_EXCEEDED' });
    expect(client.bytesConsumed).toBe(60);
  });

  it('is charged also for what fails a check, and for nothing without a budget', async () => {
    const lies = { [`resources/read ${A_MD}`]: contents(A_MD, 'reference b\n') };
    const { client } = await start(skillServer(PDF, entry, lies), { serverByteBudget: 100 });
    await expect(client.readAndVerify(A_MD, `sha256:${'0'.repeat(64)}`)).rejects.toMatchObject({
      code: 'DIGEST_MISMATCH',
    });
    expect(client.bytesConsumed).toBe(12);
    const { client: free } = await start(skillServer(PDF, entry));
    await free.readSkillUri(A_MD);
    expect(free.bytesConsumed).toBe(0);
  });
});
