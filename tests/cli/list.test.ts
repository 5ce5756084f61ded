import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { lyingSkill, sha256, startLying } from './lying-server.ts';
import { PROGRAM, skillText, start, stopAll } from './program.ts';
import { newFolder, removeFolders, runWith, serve, TWO } from './targets.ts';

const open: { close(): Promise<void> }[] = [];

async function opened<T extends { close(): Promise<void> }>(server: Promise<T>): Promise<T> {
  const started = await server;
  open.push(started);
  return started;
}

afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  removeFolders();
});
afterAll(stopAll);

/** A web server that has these documents and nothing else. */
async function web(
  documents: Readonly<Record<string, string>>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    const text = documents[request.url ?? ''];
    response
      .writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' })
      .end(text ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const EXPECTED = [
  { name: 'notes', uri: 'skill://acme/notes/SKILL.md', dialect: 'released', integrity: 'complete', files: 1 },
  { name: 'pdf', uri: 'skill://pdf/SKILL.md', dialect: 'released', integrity: 'complete', files: 3 },
];

describe('list', () => {
  it('names the skills of a server over HTTP', async () => {
    const { url } = await opened(serve(TWO));
    const { code, stdout, stderr } = await runWith(['list', url]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      `${url}: 2 skills (released)\n` +
        'notes  complete  1 file   skill://acme/notes/SKILL.md  Keeps notes. Use when something is to be kept.\n' +
        'pdf    complete  3 files  skill://pdf/SKILL.md         Reads PDF files. Use when there is one.\n',
    );
  });

  it('gives one document', async () => {
    const { url } = await opened(serve(TWO));
    const { code, stdout } = await runWith(['list', url, '--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      target: url,
      dialect: 'released',
      complete: true,
      skills: EXPECTED,
      problems: [],
    });
  });

  it('sees of a folder what a client would', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'SKILL.md'), skillText('alone'));
    const { stdout } = await runWith(['list', folder, '--json']);
    expect(JSON.parse(stdout).skills).toMatchObject([{ name: 'alone', dialect: 'released' }]);
  });

  it.each(['draft-index', 'fastmcp'])('reads the dialect %s alone when told to', async (dialect) => {
    const { url } = await opened(serve(TWO));
    const { code, stdout } = await runWith(['list', url, '--dialect', dialect, '--json']);
    expect(code).toBe(0);
    const { skills } = JSON.parse(stdout);
    expect(skills.map((skill: { uri: string; dialect: string }) => [skill.uri, skill.dialect])).toEqual([
      ['skill://acme/notes/SKILL.md', dialect],
      ['skill://pdf/SKILL.md', dialect],
    ]);
  });

  it('says that bare resources prove nothing', async () => {
    const { url } = await opened(serve(TWO));
    const { code, stdout, stderr } = await runWith(['list', url, '--dialect', 'plain', '--json']);
    expect(code).toBe(0);
    expect(stderr).toContain('nothing of them can be verified');
    expect(JSON.parse(stdout).skills[0]).toMatchObject({ dialect: 'plain', integrity: 'none' });
  });

  it('reads the well-known documents of a web server that has no MCP endpoint', async () => {
    const text = skillText('pdf');
    const index = {
      $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
      skills: [
        { name: 'pdf', type: 'skill-md', description: 'Reads.', url: '/pdf.md', digest: sha256(text) },
      ],
    };
    const { url } = await opened(
      web({ '/.well-known/agent-skills/index.json': JSON.stringify(index), '/pdf.md': text }),
    );
    for (const flags of [[], ['--dialect', 'well-known']]) {
      const { code, stdout } = await runWith(['list', url, ...flags, '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        dialect: 'well-known',
        skills: [{ name: 'pdf', uri: 'skill://pdf/SKILL.md', dialect: 'well-known', integrity: 'complete' }],
      });
    }
    expect((await runWith(['verify', url])).code).toBe(0);
  });

  it('says how to go on when no dialect is spoken, and passes nothing as verified', async () => {
    const server = await opened(startLying(() => []));
    server.state.speaksNothing = true;
    const { code, stdout, stderr } = await runWith(['list', server.url]);
    expect(code).toBe(0);
    expect(stdout).toContain('0 skills (no dialect that carries skills is spoken)');
    expect(stderr).toContain('--plain');
    expect((await runWith(['verify', server.url])).code).toBe(3);
    expect((await runWith(['pull', server.url, '--to', newFolder()])).code).toBe(3);
  });

  it('ends with 5 when the listing is not complete, and says so', async () => {
    const server = await opened(startLying((contents) => [lyingSkill('pdf', {}, contents)]));
    server.state.repeats = true;
    const { code, stdout, stderr } = await runWith(['list', server.url]);
    expect(code).toBe(5);
    expect(stdout).toContain('skill://pdf/SKILL.md');
    expect(stderr).toContain('the listing is not complete');
    expect(JSON.parse((await runWith(['list', server.url, '--json'])).stdout).complete).toBe(false);
  });

  it('names entries that were refused', async () => {
    const server = await opened(
      startLying((contents) => [
        lyingSkill('pdf', {}, contents),
        { ...lyingSkill('bad', {}, contents), frontmatter: { name: 'other', description: 'x' } },
      ]),
    );
    const { stdout, stderr } = await runWith(['list', server.url]);
    expect(stdout).toContain('1 skill (released)');
    expect(stderr).toMatch(/warning\[INVALID_ENTRY\] .*skill:\/\/bad\/SKILL\.md/);
  });

  it('lets no server steer the terminal', async () => {
    const server = await opened(
      startLying((contents) => [lyingSkill('pdf', {}, contents, 'a\u001b[2Jb\u202ec\rd')]),
    );
    const { stdout } = await runWith(['list', server.url]);
    expect(stdout).toContain('a\\u{1b}[2Jb\\u{202e}c d');
    expect(stdout).not.toMatch(/[\u001b\u202e\r]/);
  });
});

describe('a target that cannot be reached', () => {
  it('says that nothing listens there', async () => {
    const server = await startLying(() => []);
    await server.close();
    const { code, stderr } = await runWith(['list', server.url]);
    expect(code).toBe(3);
    expect(stderr).toMatch(/error\[SERVER_UNREACHABLE\]: cannot connect to http:.*: nothing listens there/);
  });

  it.each([false, true])(
    'says what is missing when a token is wanted, with public documents: %s',
    async (publicWellKnown) => {
      const { url } = await opened(serve(TWO, { token: 'tok-0123456789', publicWellKnown }));
      const { code, stderr } = await runWith(['list', url]);
      expect(code).toBe(3);
      expect(stderr).toContain('HTTP 401');
      expect(stderr).toContain('SKILLWIRE_TOKEN');
      expect((await runWith(['list', url], { env: { SKILLWIRE_TOKEN: 'tok-0123456789' } })).code).toBe(0);
      const wrong = await runWith(['list', url], { env: { SKILLWIRE_TOKEN: 'tok-wrong-wrong' } });
      expect(wrong.stderr).toContain('is not the right one');
    },
  );

  it('names the usual path of an endpoint', async () => {
    const { url } = await opened(web({}));
    const { code, stderr } = await runWith(['list', url]);
    expect(code).toBe(3);
    expect(stderr).toContain('HTTP 404');
    expect(stderr).toContain(`usually ends with /mcp: ${url}/mcp`);
  });

  it('never repeats a credential that a server gives back', async () => {
    const server = await opened(startLying(() => []));
    server.state.echoes = true;
    const { code, stdout, stderr } = await runWith(
      ['list', `${server.url}?key=q-0123456789`, '--header', 'X-Api-Key: k-0123456789', '--json'],
      { env: { SKILLWIRE_TOKEN: 'tok-0123456789' } },
    );
    expect(code).not.toBe(0);
    expect(server.state.headers[0]).toMatchObject({
      authorization: 'Bearer tok-0123456789',
      'x-api-key': 'k-0123456789',
    });
    expect(stdout + stderr).not.toMatch(/0123456789/);
    JSON.parse(stdout);
  });
});

describe('a target over stdio', () => {
  const command = [process.execPath, ...PROGRAM, 'serve'];

  it('is started, read and ended', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'SKILL.md'), skillText('alone'));
    const { code, stdout } = await runWith(['list', '--json', '--', ...command, folder], {
      env: process.env,
    });
    expect(code).toBe(0);
    const { target, skills } = JSON.parse(stdout);
    expect(target).toMatch(/^stdio:/);
    expect(skills).toMatchObject([{ name: 'alone', dialect: 'released', integrity: 'complete' }]);
  }, 30_000);

  it('can be one word', async () => {
    const quoted = [...command, newFolder()].map((word) => `'${word}'`).join(' ');
    const { code, stdout } = await runWith(['list', `stdio:${quoted}`, '--json'], { env: process.env });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).skills).toEqual([]);
  }, 30_000);

  it('gives what the command said when it fails', async () => {
    const script = "process.stderr.write('no licence \\u001b[2J found\\n'); process.exit(3)";
    const { code, stderr } = await runWith(['list', '--', process.execPath, '-e', script], {
      env: process.env,
    });
    expect(code).toBe(3);
    expect(stderr).toContain('error[SERVER_UNREACHABLE]');
    expect(stderr).toContain('  server: no licence \\u{1b}[2J found');
  }, 30_000);

  it('says that there is no such program', async () => {
    const { code, stderr } = await runWith(['list', '--', 'no-such-program-here'], { env: process.env });
    expect(code).toBe(3);
    expect(stderr).toContain('there is no such program');
  });

  /** A server that heeds no end and no signal. It says which process it is, and may never answer about resources. */
  function stubborn(file: string, answers: boolean): string[] {
    const script = `
      process.on('SIGTERM', () => {});
      process.on('SIGINT', () => {});
      setInterval(() => {}, 1000);
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method } = JSON.parse(line);
        if (id === undefined) return;
        const isFirst = method === 'initialize' || method === 'server/discover';
        if (method === 'initialize') require('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid));
        if (!isFirst && !${answers}) return;
        const result = { protocolVersion: '2025-11-25', capabilities: { resources: {} }, serverInfo: { name: 'x', version: '1' } };
        const answer = method === 'initialize' ? { result } : { error: { code: -32601, message: 'no' } };
        process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
      });`;
    return ['--', process.execPath, '-e', script];
  }

  async function isGone(file: string): Promise<boolean> {
    const pid = Number(readFileSync(file, 'utf8'));
    for (let tries = 0; tries < 100; tries += 1) {
      try {
        process.kill(pid, 0);
      } catch {
        return true;
      }
      await sleep(20);
    }
    return false;
  }

  it('leaves no process behind that heeds no end of its stdin', async () => {
    const file = join(newFolder(), 'pid');
    const { code } = await start(['list', ...stubborn(file, true)]).finished;
    expect(code).toBe(0);
    expect(await isGone(file)).toBe(true);
  }, 60_000);

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'takes such a process along when it is ended itself: %s',
    async (signal) => {
      const file = join(newFolder(), 'pid');
      const started = start(['list', ...stubborn(file, false)]);
      while (!existsSync(file)) await sleep(20);
      started.child.kill(signal);
      expect((await started.finished).signal).toBe(signal);
      expect(await isGone(file)).toBe(true);
    },
    60_000,
  );
});

describe('a target that does not answer', () => {
  const TOLD = 'it did not answer in 0.4 s; --timeout SECONDS decides';

  it('is waited for as long as --timeout says: a port that is silent', async () => {
    const sockets = new Set<Socket>();
    const silent = createTcpServer((socket) => sockets.add(socket.on('error', () => undefined)));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    open.push({
      close: () =>
        new Promise((resolve) => {
          for (const socket of sockets) socket.destroy();
          silent.close(() => resolve());
        }),
    });
    const { port } = silent.address() as AddressInfo;
    const { code, stderr } = await runWith(['list', `http://127.0.0.1:${port}/mcp`, '--timeout', '0.4']);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(TOLD) });
  });

  it('is waited for as long as --timeout says: a command that is silent', async () => {
    const command = [process.execPath, '-e', 'process.stdin.resume()'];
    const { code, stderr } = await runWith(['list', '--timeout', '0.4', '--', ...command]);
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(TOLD) });
  });

  it('is named by its fault: no TLS, a port that no client takes', async () => {
    const { url } = await opened(serve(TWO));
    const plain = await runWith(['list', url.replace('http:', 'https:')]);
    expect(plain).toMatchObject({ code: 3, stderr: expect.stringContaining('it does not speak TLS') });
    const blocked = await runWith(['list', 'http://127.0.0.1:1/mcp']);
    expect(blocked.code).toBe(3);
    expect(blocked.stderr).toMatch(/no client connects to that port|nothing listens there/);
  });
});
