import { type ChildProcess, spawn } from 'node:child_process';

/** A server that listens, and the process it is. */
export interface Server {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const START_MS = 300_000;
const END_MS = 10_000;

/** Everything that was started here and has not ended. */
const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130));

/** Starts a process that ends with this one. */
export function start(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn(command, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  // Its end is told by `close`; a write to what ended is no news.
  child.stdin?.on('error', () => undefined);
  return child;
}

/**
 * Runs Node to its end and gives the JSON of each line that it printed. Errors: another exit code than 0, too long.
 */
export async function run<T>(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<T[]> {
  const { code, stdout, stderr } = await output(process.execPath, args, env);
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}:\n${stderr.slice(-2_000)}`);
  return stdout
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as T);
}

/** Runs a program to its end. Errors: it cannot be started, or takes longer than `limitMs`. */
export function output(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  limitMs = 1_200_000,
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const child = start(command, args, env);
    let [stdout, stderr] = ['', ''];
    child.stdin?.end();
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-20_000);
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs);
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (signal === 'SIGKILL') reject(new Error(`${args.join(' ')} took longer than ${limitMs} ms`));
      else resolve({ code, stdout, stderr });
    });
  });
}

/** Starts a server with Node and waits until it says where it listens. */
export function serve(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Server> {
  const child = start(process.execPath, args, env);
  return new Promise((resolve, reject) => {
    const ended = new Promise<void>((done) => child.once('close', () => done()));
    let said = '';
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${args.join(' ')} does not listen: ${said.slice(-2_000)}`));
    }, START_MS);
    const hear = (data: Buffer): void => {
      said = (said + data.toString()).slice(-20_000);
      const url = /listening on (\S+)/.exec(said)?.[1];
      if (url === undefined) return;
      clearTimeout(timer);
      child.stdout?.off('data', hear).resume();
      child.stderr?.off('data', hear).resume();
      resolve({ url, pid: child.pid ?? 0, stop: () => end(child, ended) });
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', reject);
    void ended.then(() => {
      clearTimeout(timer);
      reject(new Error(`${args.join(' ')} ended before it listened: ${said.slice(-2_000)}`));
    });
  });
}

/** Ends a process by its input and a signal, and waits for it. */
async function end(child: ChildProcess, ended: Promise<void>): Promise<void> {
  child.stdin?.end();
  child.kill('SIGTERM');
  const hard = setTimeout(() => child.kill('SIGKILL'), END_MS);
  await ended;
  clearTimeout(hard);
}
