import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endingWithRun } from '../children.ts';
import { installPeer } from '../peers/install.ts';
import { CLI, runToEnd } from '../serve.ts';
import type { Tally } from '../tally.ts';
import { hashesOf, hashesOfTree, type Tree, writeTree } from '../tree.ts';

const SCRIPT = fileURLToPath(new URL('server.py', import.meta.url));
const MODES = ['template', 'resources'] as const;

const skill = (name: string, body = 'Body.\n'): string =>
  `---\nname: ${name}\ndescription: About ${name}\n---\n${body}`;

/** What FastMCP carries whole. */
const WHOLE: Tree = {
  'plain/SKILL.md': skill('plain'),
  'my_skill/SKILL.md': skill('my-skill'),
  'my_skill/x.md': 'x\n',
  'a%20b/SKILL.md': skill('a'),
  'a%20b/f g.md': 'g\n',
  '\u00fcn\u00ef/SKILL.md': skill('u'),
  '\u00fcn\u00ef/caf\u00e9.md': '\u00fc\n',
  'files/SKILL.md': skill('files', '\u540d\u524d \u{1f4c4}, no last line end'),
  'files/bom.md': Buffer.from([0xef, 0xbb, 0xbf, 0x23, 0x0a]),
  'files/every-byte.bin': Buffer.from(Array.from({ length: 256 }, (_, index) => index)),
  'files/empty.txt': '',
  'files/data.json': '{\r\n  "a": 1.10\r\n}',
  'files/how to.md': '# How to\n',
  'files/100%25.md': 'percent\n',
  'files/part#1.md': 'hash\n',
  'files/\u540d\u524d/\u00e9.md': 'composed\n',
  "files/odd/~!$&'()+,;=@[]{}^`.md": 'odd\n',
  'files/deep/a/b/c.md': 'deep\n',
  'files/inner/SKILL.md': '# a plain file\n',
  'files/LICENSE': 'MIT\n',
};

/** What it does not, and what is said of it. */
const SPOILED: Readonly<Record<string, readonly [content: string | Buffer, code: string, word: string]>> = {
  'crlf.md': ['a\r\nb\r\n', 'SIZE_MISMATCH', 'changed the line ends'],
  'cr.txt': ['a\rb\r', 'DIGEST_MISMATCH', 'changed the line ends'],
  'latin1.md': [Buffer.from([0xe9, 0x0a]), 'SERVER_ERROR', 'codec'],
  _manifest: ['decoy\n', 'SIZE_MISMATCH', 'hides the file'],
};

interface Listed {
  readonly dialect: string;
  readonly skills: readonly { readonly name: string; readonly integrity: string }[];
}

interface Verified {
  readonly skills: readonly {
    readonly outcome: string;
    readonly files: readonly { readonly path: string; readonly outcome: string }[];
  }[];
}

/** Lists, verifies and pulls from servers of FastMCP. */
export async function fastmcpServer(tally: Tally): Promise<void> {
  const peer = await installPeer('fastmcp');
  if ('notRun' in peer) {
    tally.notRun('fastmcp-server', peer.notRun);
    return;
  }
  const temp = mkdtempSync(join(tmpdir(), 'skillwire-fastmcp-server-'));
  try {
    const whole = join(temp, 'whole');
    const spoiled = join(temp, 'spoiled');
    writeTree(whole, WHOLE);
    const files = Object.entries(SPOILED).map(([path, [content]]) => [`spoiled/${path}`, content] as const);
    writeTree(spoiled, { 'spoiled/SKILL.md': skill('spoiled'), ...Object.fromEntries(files) });
    // A server takes seconds to start and does nothing afterwards.
    await Promise.all([
      ...MODES.map(async (mode) => {
        const stdio = (root: string): readonly string[] => ['--', peer.program, SCRIPT, root, mode];
        await transfer(tally, `fastmcp server (${mode}) over stdio`, stdio(whole), temp);
        await faults(tally, `fastmcp server (${mode})`, stdio(spoiled));
      }),
      overHttp(tally, peer.program, whole, temp),
    ]);
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

async function ask([command = '', ...args]: readonly string[]): Promise<{
  code: number | null;
  stdout: string;
  stderr: string;
}> {
  // A server of Python imports for seconds, on a busy machine for a minute.
  return runToEnd(process.execPath, [CLI, command, '--timeout', '180', ...args], { ms: 240_000 });
}

async function transfer(tally: Tally, where: string, target: readonly string[], temp: string): Promise<void> {
  const listed = await ask(['list', '--json', ...target]);
  const { dialect, skills } = JSON.parse(listed.stdout) as Listed;
  const names = [...new Set(Object.keys(WHOLE).map((path) => path.split('/')[0] ?? ''))];
  tally.same(`${where}: dialect`, dialect, 'fastmcp');
  tally.same(
    `${where}: skills`,
    skills.map(({ name, integrity }) => `${name} ${integrity}`).sort(),
    names.map((name) => `${decodeURIComponent(name)} complete`).sort(),
  );
  const verified = await ask(['verify', '--json', ...target]);
  tally.same(`${where}: verify`, verified.code, 0);
  const out = mkdtempSync(join(temp, 'out-'));
  const pulled = await ask(['pull', '--to', out, ...target]);
  tally.same(`${where}: pull`, pulled.code, 0);
  const got = Object.fromEntries(
    Object.entries(hashesOf(out)).filter(([path]) => !path.startsWith('.skillwire/')),
  );
  const expected = Object.entries(WHOLE).map(
    ([path, content]) => [path.replace('a%20b/', 'a b/'), content] as const,
  );
  tally.same(`${where}: every file byte for byte`, got, hashesOfTree(Object.fromEntries(expected)));
}

async function faults(tally: Tally, where: string, target: readonly string[]): Promise<void> {
  const { code, stdout } = await ask(['verify', '--json', ...target]);
  tally.same(`${where}: a file that it spoils fails`, code, 4);
  const [found] = (JSON.parse(stdout) as Verified).skills;
  for (const file of found?.files ?? []) {
    const expected = SPOILED[file.path];
    const said = JSON.stringify(file);
    if (expected === undefined) {
      tally.same(`${where}: ${file.path}`, file.outcome, 'verified');
      continue;
    }
    const [, error, word] = expected;
    tally.check(`${where}: ${file.path} is refused as ${error}`, said.includes(`"${error}"`), said);
    tally.check(`${where}: ${file.path} is refused with the reason`, said.includes(word), said);
  }
  tally.same(`${where}: files looked at`, found?.files.length, Object.keys(SPOILED).length + 1);
}

async function overHttp(tally: Tally, program: string, root: string, temp: string): Promise<void> {
  const port = await freePort();
  const server = endingWithRun(spawn(program, [SCRIPT, root, 'template', String(port)], { stdio: 'ignore' }));
  const ended = new Promise<void>((resolve) => server.once('close', () => resolve()));
  try {
    const url = `http://127.0.0.1:${port}/mcp`;
    await answers(url);
    await transfer(tally, 'fastmcp server over HTTP', [url], temp);
  } finally {
    server.kill('SIGTERM');
    const hard = setTimeout(() => server.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(hard);
  }
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Waits until something answers there, whatever it says. */
async function answers(url: string): Promise<void> {
  for (let attempt = 0; attempt < 1_200; attempt++) {
    try {
      await (await fetch(url, { method: 'OPTIONS' })).body?.cancel();
      return;
    } catch {
      await sleep(100);
    }
  }
  throw new Error(`nothing answers at ${url}`);
}
