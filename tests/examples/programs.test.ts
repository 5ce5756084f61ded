import { afterEach, expect, it } from 'vitest';
import { INITIALIZE, lines, openSession, parseMessages } from '../cli/mcp.ts';
import { run, type Started, start, stopAll, typescript } from '../cli/program.ts';

afterEach(stopAll);

const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };

function example(name: string, env: Readonly<Record<string, string>> = {}): Started {
  return start([], { script: typescript(`examples/${name}.ts`), env });
}

async function addressOf(started: Started): Promise<string> {
  const [, url = ''] = await started.until(/^skills on (\S+)$/m);
  return url;
}

it('embed-http serves a folder, reports, and ends in order', async () => {
  const started = example('embed-http', { PORT: '0' });
  const session = await openSession(await addressOf(started));
  expect((await session.request('skills/list')).result?.skills).toHaveLength(8);
  await started.until(/^8 skills$/m);
  started.child.kill('SIGTERM');
  expect(await started.finished).toMatchObject({ code: 0, signal: null, stdout: '' });
});

it('embed-stdio serves a skill that lives in the program', async () => {
  const stdin = lines(INITIALIZE, INITIALIZED, {
    jsonrpc: '2.0',
    id: 2,
    method: 'resources/read',
    params: { uri: 'skill://release-day/SKILL.md' },
  });
  const { code, stdout, stderr } = await run([], { script: typescript('examples/embed-stdio.ts'), stdin });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.stringify(parseMessages(stdout)[1]?.result)).toContain('Read the change log.');
});

it('attach serves skills beside a tool', async () => {
  const started = example('attach');
  started.child.stdin.write(
    lines(
      INITIALIZE,
      INITIALIZED,
      { jsonrpc: '2.0', id: 2, method: 'skills/list', params: {} },
      { jsonrpc: '2.0', id: 3, method: 'tools/call', params: { name: 'now', arguments: {} } },
    ),
  );
  await Promise.all([started.until(/"id":2/, 'stdout'), started.until(/"id":3/, 'stdout')]);
  started.child.kill();
  const { stdout } = await started.finished;
  const answers = new Map(parseMessages(stdout).map((message) => [message.id, message.result]));
  expect(answers.get(2)?.skills).toHaveLength(8);
  expect(JSON.stringify(answers.get(3))).toMatch(/\d{4}-\d\d-\d\dT/);
});

it('read-skills reads every skill of a server and checks it', async () => {
  const url = await addressOf(example('embed-http', { PORT: '0' }));
  const { code, stdout, stderr } = await run([url], { script: typescript('examples/read-skills.ts') });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.match(/^skill:\/\/\S+\/SKILL\.md \d+ verified$/gm)).toHaveLength(8);
});

it('check-one prints what is wrong with one skill', async () => {
  const { code, stdout } = await run([], { script: typescript('examples/check-one.ts') });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^incident-review\/SKILL\.md:2: warning\[NAME_FOLDER_MISMATCH\] .+\n$/);
});

it('per-team gives each caller the skills of its team and nobody else any', async () => {
  const url = await addressOf(example('per-team', { PORT: '0' }));
  for (const team of ['red', 'blue']) {
    const session = await openSession(url, { authorization: `Bearer ${team}-token-for-this-example` });
    const { result } = await session.request('skills/list');
    expect(result?.skills?.map(({ uri }) => uri)).toEqual([`skill://${team}-rules/SKILL.md`]);
  }
  await expect(openSession(url, { authorization: 'Bearer other' })).rejects.toThrow('HTTP 401');
});

it('hostile-server names its lies, and tells one', async () => {
  const script = typescript('examples/hostile-server.ts');
  const { code, stdout } = await run([], { script });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^wrong-digest: .+ \(DIGEST_MISMATCH\)$/m);
  const lying = [...script, 'other-uri'];
  const stdin = lines(INITIALIZE, INITIALIZED, {
    jsonrpc: '2.0',
    id: 2,
    method: 'resources/read',
    params: { uri: 'skill://liar/SKILL.md' },
  });
  const told = await run([], { script: lying, stdin });
  expect(parseMessages(told.stdout)[1]?.result).toMatchObject({
    contents: [{ uri: 'skill://honest/SKILL.md' }],
  });
});
