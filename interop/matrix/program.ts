import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { endingWithRun } from '../children.ts';
import type { ClientResult, RunOptions, StartedServer } from './adapter.ts';

/** How long a program may take to begin to listen. */
const START_MS = 120_000;
/** How long it may take to end when it is asked to. */
const END_MS = 5_000;

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}

/** Ends a program and all that it started. */
async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  signalGroup(child, 'SIGTERM');
  const hard = setTimeout(() => signalGroup(child, 'SIGKILL'), END_MS);
  await ended;
  clearTimeout(hard);
  // Those that outlived it.
  signalGroup(child, 'SIGKILL');
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It has ended.
  }
}

/** A program with its output, in a group of its own. */
function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string = env.TMPDIR ?? '.',
): { readonly child: ChildProcess; readonly ended: Promise<void> } {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
  });
  endingWithRun(child, () => signalGroup(child, 'SIGKILL'));
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('close', () => resolve());
  });
  return { child, ended };
}

/** How a server over HTTP is started. */
export interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where it will answer, if it does not say so itself as `listening on URL`. */
  readonly url?: string;
}

/** Starts a server and waits until it listens. Errors: it ended, or took too long. */
export async function startServer({ command, args, env, url }: ServerProgram): Promise<StartedServer> {
  const { child, ended } = start(command, args, env);
  let output = '';
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  child.once('error', (error) => {
    output += error.message;
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-20_000);
    });
  const until = Date.now() + START_MS;
  while (Date.now() < until && !hasEnded) {
    const said = url ?? /listening on (http:\/\/\S+)/.exec(output)?.[1];
    if (said !== undefined && (await answers(said))) {
      return { target: { url: said }, stop: () => end(child, ended) };
    }
    await sleep(50);
  }
  await end(child, ended);
  throw new Error(
    `${shown(command, args)} ${hasEnded ? 'ended before it listened' : 'does not listen'}: ${output.slice(-1_500)}`,
  );
}

async function answers(url: string): Promise<boolean> {
  try {
    await (await fetch(url, { method: 'OPTIONS' })).body?.cancel();
    return true;
  } catch {
    return false;
  }
}

/** How a program is run to its end. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** @default the temporary folder of the environment */
  readonly cwd?: string;
  readonly signal: AbortSignal;
  /** Called with each line on stdout. */
  readonly onLine?: (line: string) => void;
}

/** What a program left. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. Errors: it could not be started, or the signal. */
export async function runProgram({ command, args, env, cwd, signal, onLine }: Program): Promise<Ended> {
  signal.throwIfAborted();
  const { child, ended } = start(command, args, env, cwd);
  let failure: Error | undefined;
  let [stdout, stderr, rest] = ['', '', ''];
  child.once('error', (error) => {
    failure = error;
  });
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine?.(line);
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-20_000);
  });
  const stop = (): void => signalGroup(child, 'SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  await ended;
  signal.removeEventListener('abort', stop);
  // What it started and left.
  signalGroup(child, 'SIGKILL');
  if (signal.aborted)
    throw new Error(`${shown(command, args)} took too long: ${(stderr || stdout).slice(-600)}`);
  if (failure !== undefined) throw failure;
  return { code: child.exitCode, stdout, stderr };
}

/**
 * Runs a client program: the task as JSON in its last argument, lines of JSON on stdout, the result in the last one.
 *
 * Errors: it ended with another code than 0, or printed no result.
 */
export async function runClient(
  command: string,
  args: readonly string[],
  { task, env, signal, onWaiting }: RunOptions,
): Promise<ClientResult> {
  const { code, stdout, stderr } = await runProgram({
    command,
    args: [...args, JSON.stringify(task)],
    env,
    signal,
    onLine: (line) => {
      if (line.trim() === '{"waiting":true}') onWaiting();
    },
  });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  if (code !== 0 || !last.startsWith('{'))
    throw new Error(`${shown(command, args)} ended with ${code}: ${(stderr || stdout).trim().slice(-1_500)}`);
  return JSON.parse(last) as ClientResult;
}

function shown(command: string, args: readonly string[]): string {
  return [command, ...args].map((word) => word.split(/[\\/]/).at(-1)).join(' ');
}
