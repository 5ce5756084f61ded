import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = fileURLToPath(new URL('./', import.meta.url));
const SUITE = join(HERE, 'node_modules', '@modelcontextprotocol', 'conformance');
const NODE = join(HERE, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PINNED = '0.2.0-alpha.12';

/** One check of one scenario. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly description: string;
  readonly errorMessage?: string;
}

/** Installs the suite and its Node when they are missing or of another version. */
export function install(): void {
  const manifest = join(SUITE, 'package.json');
  const version = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
    : '';
  if (version !== PINNED || !existsSync(NODE)) {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const done = spawnSync(npm, ['ci', '--no-audit', '--no-fund'], {
      cwd: HERE,
      encoding: 'utf8',
      shell: process.platform === 'win32',
    });
    if (done.status !== 0)
      throw new Error(`npm ci in interop/conformance failed:\n${done.stdout}${done.stderr}`);
  }
  const major = spawnSync(NODE, ['--version'], { encoding: 'utf8' }).stdout.trim();
  if (!major.startsWith('v22.')) throw new Error(`the suite needs Node 22 and has ${major || 'none'}`);
}

/** What the suite prints for the given arguments, and its exit code. */
function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(NODE, [join(SUITE, 'dist', 'index.js'), ...args], {
      cwd: ROOT,
      // A program that the suite starts by the name of node is this one, and not the suite's own.
      env: { ...process.env, PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter) },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 600_000,
    });
    let output = '';
    child.stdout.on('data', (data) => {
      output += data;
    });
    child.stderr.on('data', (data) => {
      output += data;
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** The base scenarios that the suite knows for a revision, extensions left out. */
export async function scenariosOf(version: string): Promise<string[]> {
  const { code, output } = await run(['list', '--server', '--spec-version', version]);
  const names = [...output.matchAll(/^ {2}- ([\w-]+)/gm)].map((match) => match[1] as string);
  if (code !== 0 || names.length === 0)
    throw new Error(`the suite lists no scenario for ${version}:\n${output}`);
  return names;
}

/** The checks of each scenario that ran, by scenario. Fails when the suite left no result. */
export async function checksOf(url: string, args: readonly string[]): Promise<Map<string, readonly Check[]>> {
  const { found, output } = await resultsOf(['server', '--url', url, '--timeout', '30000', ...args]);
  const named = new Map<string, readonly Check[]>();
  for (const [folder, checks] of found) {
    const name = /server-(.+?)-\d{4}-\d{2}-\d{2}T/.exec(folder)?.[1];
    if (name === undefined) throw new Error(`a result of an unknown name: ${folder}`);
    named.set(name, checks);
  }
  if (named.size === 0)
    throw new Error(`the suite left no result for ${args.join(' ')}:\n${output.slice(-2_000)}`);
  return named;
}

/** The checks of one scenario for clients, with our client as the one that is judged, and what that client printed. */
export async function clientChecksOf(
  program: string,
  scenario: string,
  args: readonly string[],
): Promise<{ readonly checks: readonly Check[]; readonly output: string }> {
  const command = ['--command', `node --import tsx ${program}`, '--scenario', scenario, '--timeout', '60000'];
  const { found, output } = await resultsOf(['client', ...command, ...args]);
  const [first, ...others] = found.values();
  if (first === undefined || others.length > 0)
    throw new Error(`the suite left ${found.size} results for ${scenario}:\n${output.slice(-2_000)}`);
  return { checks: first, output };
}

/** What the suite leaves for the given arguments, by the folder in which it does. */
async function resultsOf(
  args: readonly string[],
): Promise<{ readonly found: ReadonlyMap<string, readonly Check[]>; readonly output: string }> {
  const out = mkdtempSync(join(tmpdir(), 'skillwire-conformance-'));
  try {
    const { output } = await run([...args, '-o', out]);
    const found = new Map<string, readonly Check[]>();
    for (const path of readdirSync(out, { recursive: true, encoding: 'utf8' })) {
      if (path.endsWith('checks.json'))
        found.set(path, JSON.parse(readFileSync(join(out, path), 'utf8')) as Check[]);
    }
    return { found, output };
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Starts a program, waits until it says where it listens, and gives that and the way to end it. */
export function serve(args: readonly string[]): Promise<{ url: string; stop(): Promise<void> }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let output = '';
    const ended = new Promise<void>((done) => child.once('close', () => done()));
    const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
    const stop = async (): Promise<void> => {
      child.stdin.end();
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(hard);
    };
    const hear = (data: Buffer): void => {
      output += data.toString();
      const url = /listening on (http:\/\/\S+)/.exec(output)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve({ url, stop });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('error', reject);
    void ended.then(() => {
      clearTimeout(timer);
      reject(new Error(`${args.join(' ')} ended before it listened:\n${output}`));
    });
  });
}
