import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { endingWithRun } from './children.ts';

/** The built program. */
export const CLI: string = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));

/** A server of ours that listens. */
export interface Served {
  /** Of MCP. */
  readonly url: string;
  readonly origin: string;
  /** What it printed so far. */
  log(): string;
  stop(): Promise<void>;
}

/** Starts `skillwire serve … --http 0` and waits until it listens. */
export function serveHttp(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Served> {
  return new Promise((resolve, reject) => {
    const child = endingWithRun(
      spawn(process.execPath, [CLI, 'serve', ...args, '--http', '0'], {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { ...process.env, ...env },
      }),
    );
    let output = '';
    const ended = new Promise<void>((done) => child.once('close', () => done()));
    const stop = async (): Promise<void> => {
      child.kill('SIGTERM');
      const hard = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(hard);
    };
    const timer = setTimeout(() => child.kill('SIGKILL'), 240_000);
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const url = /listening on (http:\/\/\S+)/.exec(output)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      resolve({ url, origin: new URL(url).origin, log: () => output, stop });
    });
    child.once('error', reject);
    void ended.then(() => {
      clearTimeout(timer);
      reject(new Error(`serve ${args.join(' ')} ended before it listened:\n${output}`));
    });
  });
}

/** Runs a program to its end and gives what it printed. */
export function runToEnd(
  command: string,
  args: readonly string[],
  options: {
    readonly cwd?: string;
    readonly env?: NodeJS.ProcessEnv;
    readonly ms?: number;
    readonly input?: string;
  } = {},
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      env: options.env ?? process.env,
      stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      // Against those that hang; a busy machine takes its time.
      timeout: options.ms ?? 240_000,
      killSignal: 'SIGKILL',
    });
    endingWithRun(child);
    child.stdin?.on('error', () => undefined).end(options.input);
    let [stdout, stderr] = ['', ''];
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}
