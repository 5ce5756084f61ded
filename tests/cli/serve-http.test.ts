import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { openSession } from './mcp.ts';
import { folderWith, run, type Started, skillText, start, stopAll } from './program.ts';

const folders: ReturnType<typeof folderWith>[] = [];
function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const made = folderWith(files);
  folders.push(made);
  return made.path;
}
afterEach(async () => {
  await stopAll();
  for (const made of folders.splice(0)) made.remove();
});
afterAll(stopAll);

async function listening(started: Started): Promise<string> {
  const [, url = ''] = await started.until(/^skillwire listening on (http:\/\/\S+\/mcp)$/m);
  return url;
}

function uris(skills: readonly { readonly uri: string }[] | undefined): string[] {
  return (skills ?? []).map(({ uri }) => uri);
}

describe('skillwire serve --http', () => {
  it('says where it listens once it does, and answers there', async () => {
    const started = start(['serve', 'examples/skills', '--http', '0']);
    const url = await listening(started);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const session = await openSession(url);
    expect((await session.request('skills/list')).result?.skills).toHaveLength(8);
    for (const path of ['/healthz', '/readyz']) expect((await fetch(new URL(path, url))).status).toBe(200);
    started.child.kill('SIGTERM');
    const { code, signal, stdout, stderr } = await started.finished;
    expect({ code, signal, stdout }).toEqual({ code: 0, signal: null, stdout: '' });
    expect(stderr).toContain(`"url": "${url}"`);
    expect(stderr).toContain('incident-review/SKILL.md:2');
  });

  it('does not end when stdin closes', async () => {
    const started = start(['serve', 'examples/skills', '--http', '0']);
    started.child.stdin.end();
    const url = await listening(started);
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  });

  it('listens on IPv6', async ({ skip }) => {
    const started = start(['serve', 'examples/skills', '--http', '[::1]:0']);
    const url = await listening(started).catch(async (error: unknown) => {
      const { stderr } = await started.finished;
      if (/EADDRNOTAVAIL|EAFNOSUPPORT/.test(stderr)) return skip('this machine has no IPv6');
      throw error;
    });
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/mcp$/);
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  });

  it('says that a port is taken', async () => {
    const url = await listening(start(['serve', 'examples/skills', '--http', '0']));
    const { code, stderr } = await run(['serve', 'examples/skills', '--http', new URL(url).port]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/skillwire: error\[LISTEN_FAILED\]: /);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it('writes JSON lines to stderr when told', async () => {
    const started = start(['serve', 'examples/skills', '--http', '0', '--log-format', 'json']);
    const [, url = ''] = await started.until(/skillwire listening on (http:\/\/[^"]+\/mcp)/);
    started.child.kill('SIGINT');
    const { stderr } = await started.finished;
    const entries = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(entries).toContainEqual(
      expect.objectContaining({ level: 'info', message: `skillwire listening on ${url}`, url }),
    );
  });

  it.skipIf(process.platform === 'win32')('scans again on SIGHUP and keeps what was good', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a') });
    const started = start(['serve', '.', '--http', '0'], { cwd });
    const session = await openSession(await listening(started));
    expect(uris((await session.request('skills/list')).result?.skills)).toEqual(['skill://a/SKILL.md']);
    for (const name of ['b', 'c']) mkdirSync(join(cwd, name));
    writeFileSync(join(cwd, 'b', 'SKILL.md'), skillText('b'));
    writeFileSync(join(cwd, 'c', 'SKILL.md'), 'broken');
    started.child.kill('SIGHUP');
    await started.until(/scanned again skills=2 added=1 removed=0 changed=0 refused=1/);
    await started.until(/code=MISSING_FRONTMATTER path=c\/SKILL\.md/);
    expect(uris((await session.request('skills/list')).result?.skills)).toEqual([
      'skill://a/SKILL.md',
      'skill://b/SKILL.md',
    ]);
  });

  it('lets a request under way end on SIGTERM', async () => {
    const started = start(['serve', 'examples/skills', '--http', '0']);
    const { call, answer } = await halfRequest(await listening(started));
    started.child.kill('SIGTERM');
    await started.until(/SIGTERM: stopping/);
    call.end('}');
    const { status } = await answer;
    expect(status).toBe(200);
    expect(await started.finished).toMatchObject({ code: 0, signal: null });
  });

  it('ends at once on a second signal', async () => {
    const started = start(['serve', 'examples/skills', '--http', '0']);
    const { answer } = await halfRequest(await listening(started));
    started.child.kill('SIGINT');
    await started.until(/SIGINT: stopping/);
    started.child.kill('SIGINT');
    expect(await started.finished).toMatchObject({ code: null, signal: 'SIGINT' });
    await expect(answer).rejects.toThrow();
  });
});

/** A request whose last byte is still to come; resolves when the server has it in hand. */
async function halfRequest(url: string): Promise<{
  call: ReturnType<typeof request>;
  answer: Promise<{ status: number | undefined }>;
}> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'slow', version: '1' } },
  });
  const call = request(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'content-length': Buffer.byteLength(body),
      expect: '100-continue',
    },
  });
  const answer = new Promise<{ status: number | undefined }>((resolve, reject) => {
    call.on('response', (response) => {
      response.resume();
      resolve({ status: response.statusCode });
    });
    call.on('error', reject);
  });
  answer.catch(() => undefined);
  await new Promise<void>((resolve) => {
    call.on('continue', resolve);
    call.flushHeaders();
  });
  call.write(body.slice(0, -1));
  return { call, answer };
}

describe('the token', () => {
  const ASK = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };

  it('comes from a file, whose line end is no part of it, and is asked for', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a'), token: 'a-secret-of-the-test\n' });
    chmodSync(join(cwd, 'token'), 0o600);
    const started = start(['serve', 'a', '--http', '0', '--token-file', 'token', '--log-level', 'debug'], {
      cwd,
    });
    const url = await listening(started);
    expect((await fetch(url, ASK)).status).toBe(401);
    await expect(openSession(url, { authorization: 'Bearer wrong' })).rejects.toThrow('HTTP 401');
    const session = await openSession(url, { authorization: 'Bearer a-secret-of-the-test' });
    expect((await session.request('skills/list')).result?.skills).toHaveLength(1);
    started.child.kill('SIGTERM');
    const { stderr } = await started.finished;
    expect(stderr).not.toContain('a-secret-of-the-test');
    expect(stderr).not.toContain('can read');
    expect(stderr).toContain(`"Authorization": "Bearer \${SKILLWIRE_TOKEN}"`);
  });

  it.skipIf(process.platform === 'win32')('is a warning when others can read its file', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a'), token: 'secret' });
    chmodSync(join(cwd, 'token'), 0o644);
    const started = start(['serve', 'a', '--http', '0', '--token-file', 'token'], { cwd });
    await started.until(/warn: others on this machine can read token/);
  });

  it('comes from the environment', async () => {
    const url = await listening(
      start(['serve', 'examples/skills', '--http', '0'], { env: { SKILLWIRE_TOKEN: 'abc' } }),
    );
    expect((await fetch(url, ASK)).status).toBe(401);
    await openSession(url, { authorization: 'Bearer abc' });
  });

  it.each([
    ['', 'is empty'],
    ['\n', 'is empty'],
    ['two words', 'characters that an Authorization header does not carry'],
    ['é', 'characters that an Authorization header does not carry'],
    ['x\n\n', 'characters that an Authorization header does not carry'],
    ['x'.repeat(4097), 'has more than the 4096 bytes'],
  ])('is refused as %j', async (content, message) => {
    const cwd = folder({ 'a/SKILL.md': skillText('a'), token: content });
    const { code, stderr } = await run(['serve', 'a', '--http', '0', '--token-file', 'token'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain('error[USAGE]');
    expect(stderr).toContain(message);
  });

  it.runIf(process.platform === 'linux')('is refused from a device that never ends', async () => {
    const args = ['serve', 'examples/skills', '--http', '0', '--token-file', '/dev/zero'];
    const { code, stderr } = await run(args);
    expect(code).toBe(2);
    expect(stderr).toContain('has more than the 4096 bytes');
  });

  it.each([
    [['--http', '0.0.0.0:0'], {}, 2, 'BIND_REFUSED'],
    [['--http', '0.0.0.0:0', '--allow-anonymous'], {}, 2, 'BIND_REFUSED'],
  ] as const)('is needed beyond this machine: %j', async (args, env, exit, name) => {
    const { code, stderr } = await run(['serve', 'examples/skills', ...args], { env });
    expect(code).toBe(exit);
    expect(stderr).toMatch(new RegExp(`^skillwire: error\\[${name}\\]`));
  });

  it.each([
    [['--http', '0.0.0.0:0'], { SKILLWIRE_TOKEN: 'abc' }],
    [['--http', '0.0.0.0:0', '--allow-anonymous', '--allowed-host', 'skills.example'], {}],
  ] as const)('with which, or with a name, it binds: %j', async (args, env) => {
    const started = start(['serve', 'examples/skills', ...args], { env });
    expect(await listening(started)).toMatch(/:\d+\/mcp$/);
  });
});

it('the example probe lists what a client sees', async () => {
  const { spawn } = await import('node:child_process');
  const url = await listening(start(['serve', 'examples/skills', '--http', '0']));
  const probe = spawn(process.execPath, ['examples/skills/serving-skills/scripts/probe.mjs', url]);
  let text = '';
  for (const stream of [probe.stdout, probe.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  const code = await new Promise((resolve) => probe.on('close', resolve));
  expect({ code, text }).toMatchObject({ code: 0, text: expect.stringContaining('8 skills') });
});
