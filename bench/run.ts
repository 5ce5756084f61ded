/**
 * Measures loads and requests beside their floors and the official SDK, all in one run.
 * Usage: tsx bench/run.ts [--quick | --smoke] [--save]
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { writeCorpus } from './corpus.ts';
import { fire, type Round } from './fire.ts';

interface Plan {
  readonly skills: number;
  readonly rounds: number;
  readonly warmMs: number;
  readonly ms: number;
}

const PLANS: Readonly<Record<string, Plan>> = {
  full: { skills: 10_000, rounds: 3, warmMs: 4_000, ms: 4_000 },
  quick: { skills: 2_000, rounds: 2, warmMs: 2_000, ms: 2_000 },
  smoke: { skills: 200, rounds: 1, warmMs: 300, ms: 700 },
};
/** Skills behind the servers whose requests are counted: one page of a list. */
const SERVED = 100;
const CONNECTIONS = 32;

const mode = process.argv.includes('--smoke') ? 'smoke' : process.argv.includes('--quick') ? 'quick' : 'full';
const plan = PLANS[mode] as Plan;
const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const lines: string[] = [];
const say = (line: string): void => {
  lines.push(line);
  console.log(line);
};
const median = (values: readonly number[]): number =>
  [...values].sort((left, right) => left - right)[Math.floor(values.length / 2)] as number;

interface Loaded {
  readonly ms: number;
  readonly rss: number;
  readonly count: number;
}

/** Runs one of the programs here to its end and gives what it printed. */
function child(...args: readonly string[]): Loaded {
  const done = spawnSync(process.execPath, ['--import', 'tsx', ...args], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  if (done.status !== 0) throw new Error(`${args.join(' ')} failed:\n${done.stderr}`);
  return JSON.parse(done.stdout) as Loaded;
}

/** Starts one of the servers. */
function start(...args: readonly string[]): Promise<{ url: string; stop(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const running = spawn(process.execPath, ['--import', 'tsx', here('serve.ts'), ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const ended = new Promise<void>((done) => running.once('close', () => done()));
    let output = '';
    running.stdout.on('data', (data) => {
      output += data;
      const url = /listening on (\S+)/.exec(output)?.[1];
      if (url !== undefined) {
        resolve({
          url,
          stop: () => {
            running.stdin.end();
            return ended;
          },
        });
      }
    });
    running.once('error', reject);
    void ended.then(() => reject(new Error(`${args.join(' ')} ended early`)));
  });
}

/** A request of 2026-07-28 as official clients send it. */
function request(method: string, params: Readonly<Record<string, unknown>> = {}): Request {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
  };
  if (method === 'resources/read') headers['mcp-name'] = String(params.uri);
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
  return new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body });
}

/** Load time and memory: floor, Skillwire and SDK in turns. */
function loads(root: string, files: number): void {
  const found: Record<'floor' | 'skillwire' | 'warm' | 'sdk', Loaded[]> = {
    floor: [],
    skillwire: [],
    warm: [],
    sdk: [],
  };
  const cache = `${root}-cache`;
  child(here('floor-read.ts'), root);
  child(here('load.ts'), root, 'warm', cache);
  for (let round = 0; round < plan.rounds; round++) {
    found.floor.push(child(here('floor-read.ts'), root));
    found.skillwire.push(child(here('load.ts'), root));
    found.warm.push(child(here('load.ts'), root, 'warm', cache));
    found.sdk.push(child(here('load.ts'), root, 'sdk'));
  }
  rmSync(cache, { recursive: true, force: true });
  const counted = found.skillwire[0]?.count;
  if (counted !== files) throw new Error(`Skillwire serves ${counted} of ${files} files`);
  const floor = median(found.floor.map((each) => each.ms));
  say(`\n### Load: ${plan.skills.toLocaleString('en')} skills, ${files.toLocaleString('en')} files\n`);
  say('| | ms | of floor | memory (RSS) |\n|---|--:|--:|--:|');
  for (const [name, label] of [
    ['floor', 'plain synchronous read and hash'],
    ['skillwire', 'Skillwire'],
    ['warm', 'Skillwire, from the digests of an earlier start'],
    ['sdk', 'official SDK'],
  ] as const) {
    const ms = median(found[name].map((each) => each.ms));
    const rss = median(found[name].map((each) => each.rss));
    say(
      `| ${label} | ${Math.round(ms).toLocaleString('en')} | ${(ms / floor).toFixed(2)} | ${Math.round(rss / 1_048_576)} MiB |`,
    );
  }
}

/** The official client with default options walks every page of the whole corpus. */
async function walk(root: string): Promise<void> {
  const server = await start('skillwire', root);
  try {
    const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
    const begun = performance.now();
    const { skills } = await new SkillsClient(client).list();
    const ms = performance.now() - begun;
    await client.close();
    if (skills.length !== plan.skills)
      throw new Error(`the official client lists ${skills.length} of ${plan.skills}`);
    say(
      `\nThe official client, default options, lists all ${plan.skills.toLocaleString('en')} skills in ${Math.round(ms).toLocaleString('en')} ms.`,
    );
  } finally {
    await server.stop();
  }
}

/** Requests a second: floor, Skillwire and SDK in turns, on the same requests. */
async function requests(root: string, temp: string): Promise<void> {
  const uri = 'skill://skill-000042/references/guide.md';
  const jobs: readonly (readonly [string, () => Request])[] = [
    ['skills/list', () => request('skills/list')],
    ['skills/get', () => request('skills/get', { uri: 'skill://skill-000042/SKILL.md' })],
    ['resources/read', () => request('resources/read', { uri })],
  ];
  const skillwire = await start('skillwire', root);
  const sdk = await start('sdk', root);
  const recorded: Record<string, string> = {};
  for (const [method, make] of jobs) {
    const made = make();
    const answer = await fetch(skillwire.url, {
      method: 'POST',
      headers: made.headers,
      body: await made.text(),
    });
    const text = await answer.text();
    if (answer.status !== 200 || !text.includes('"result"'))
      throw new Error(`${method}: ${answer.status} ${text.slice(0, 400)}`);
    recorded[method] = text;
  }
  const answers = join(temp, 'answers.json');
  writeFileSync(answers, JSON.stringify(recorded));
  const floor = await start('floor', root, answers);
  say(`\n### Requests over HTTP: ${SERVED} skills, ${CONNECTIONS} kept connections\n`);
  say(
    '| request | answer | bare `node:http` | Skillwire | of floor | p50 | p99 | official SDK | Skillwire ÷ SDK |',
  );
  say('|---|--:|--:|--:|--:|--:|--:|--:|--:|');
  try {
    for (const [method, make] of jobs) {
      const found: Record<'floor' | 'skillwire' | 'sdk', Round[]> = { floor: [], skillwire: [], sdk: [] };
      for (let round = 0; round < plan.rounds; round++) {
        const warm = round === 0 ? plan.warmMs : plan.warmMs / 4;
        found.floor.push(await fire(floor.url, make(), CONNECTIONS, warm, plan.ms));
        found.skillwire.push(await fire(skillwire.url, make(), CONNECTIONS, warm, plan.ms));
        found.sdk.push(await fire(sdk.url, make(), CONNECTIONS, warm, plan.ms));
      }
      const rate = (name: keyof typeof found): number => median(found[name].map((each) => each.perSecond));
      const ours = found.skillwire;
      const cells = [
        `\`${method}\``,
        `${((ours[0]?.bytes ?? 0) / 1_024).toFixed(1)} KiB`,
        `${Math.round(rate('floor')).toLocaleString('en')}/s`,
        `${Math.round(rate('skillwire')).toLocaleString('en')}/s`,
        (rate('skillwire') / rate('floor')).toFixed(2),
        `${median(ours.map((each) => each.p50Ms)).toFixed(1)} ms`,
        `${median(ours.map((each) => each.p99Ms)).toFixed(1)} ms`,
        `${Math.round(rate('sdk')).toLocaleString('en')}/s`,
        (rate('skillwire') / rate('sdk')).toFixed(1),
      ];
      say(`| ${cells.join(' | ')} |`);
    }
  } finally {
    await Promise.all([floor.stop(), skillwire.stop(), sdk.stop()]);
  }
}

const temp = mkdtempSync(join(tmpdir(), 'skillwire-bench-'));
try {
  say('# Bench\n');
  say(`\`npm run bench -- --save\` writes this file; \`--quick\` measures less. This run: ${mode}.\n`);
  say(
    `Node ${process.version}, ${cpus().length} cores, ${process.platform} ${process.arch}. Medians of ${plan.rounds}; compare within one run.`,
  );
  const large = join(temp, 'large');
  const small = join(temp, 'small');
  const files = writeCorpus(large, plan.skills);
  writeCorpus(small, SERVED);
  loads(large, files);
  await walk(large);
  await requests(small, temp);
  if (process.argv.includes('--save')) writeFileSync(here('RESULTS.md'), `${lines.join('\n')}\n`);
} finally {
  rmSync(temp, { recursive: true, force: true });
}
