/** Runs the real program: the built one when it is newer than its source, else the source itself. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const ROOT: string = fileURLToPath(new URL('../..', import.meta.url));

function newest(folder: string): number {
  return Math.max(
    ...readdirSync(folder, { withFileTypes: true }).map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? newest(path) : statSync(path).mtimeMs;
    }),
  );
}

/** Whether `dist` was built from the sources as they are. */
export function builtIsFresh(): boolean {
  const built = statSync(join(ROOT, 'dist', 'cli', 'main.js'), { throwIfNoEntry: false });
  return built !== undefined && built.mtimeMs >= newest(join(ROOT, 'src'));
}

/** The arguments of node that start a TypeScript file of the project. */
export function typescript(file: string): readonly string[] {
  const tsx = createRequire(import.meta.url).resolve('tsx');
  return ['--import', pathToFileURL(tsx).href, join(ROOT, file)];
}

/** The arguments of node that start `file`, which is JavaScript, with the URL of a room's door as its first argument. */
export function withDoor(file: string, room: string): readonly string[] {
  if (!builtIsFresh()) {
    const [flag = '', tsx = '', script = ''] = typescript(file);
    return [flag, tsx, script, pathToFileURL(join(ROOT, 'src', room, 'index.ts')).href];
  }
  return [join(ROOT, file), pathToFileURL(join(ROOT, 'dist', room, 'index.js')).href];
}

/** The arguments of node that start the program. */
export const PROGRAM: readonly string[] = builtIsFresh()
  ? [join(ROOT, 'dist', 'cli', 'main.js')]
  : typescript('src/cli/main.ts');

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The arguments of node instead of those that start the program. */
  readonly script?: readonly string[];
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program that runs. */
export interface Started {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly finished: Promise<Finished>;
  /** Resolves with the match once stderr (or stdout) holds it; rejects when the program ends before. */
  until(pattern: RegExp, stream?: 'stdout' | 'stderr'): Promise<RegExpExecArray>;
}

const running = new Set<Started>();

/** Ends what a test left running. */
export async function stopAll(): Promise<void> {
  for (const each of running) each.child.kill('SIGKILL');
  await Promise.all([...running].map((each) => each.finished));
}

export function start(args: readonly string[], options: RunOptions = {}): Started {
  const { SKILLWIRE_TOKEN: _token, FORCE_COLOR: _colour, ...env } = process.env;
  const child = spawn(process.execPath, [...(options.script ?? PROGRAM), ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...env, NO_COLOR: '1', ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  const check = (): void => {
    for (const each of waiting) each();
  };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      text[name] += chunk;
      check();
    });
  }
  // A program that ends early closes its stdin; what matters is what it said.
  child.stdin.on('error', () => undefined);
  let over = false;
  const finished = new Promise<Finished>((resolve) => {
    child.on('close', (code, signal) => {
      over = true;
      running.delete(started);
      resolve({ code, signal, ...text });
      check();
    });
  });
  const started: Started = {
    child,
    finished,
    until: (pattern, stream = 'stderr') =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(text[stream]);
          if (found === null && !over) return;
          waiting.delete(look);
          if (found === null) reject(new Error(`ended without ${pattern}: ${text.stdout}${text.stderr}`));
          else resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
  running.add(started);
  return started;
}

/** Runs the program to its end. */
export async function run(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const started = start(args, options);
  started.child.stdin.end(options.stdin ?? '');
  return started.finished;
}

/** A folder of a test, with these files. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array>>): {
  path: string;
  remove: () => void;
} {
  const path = mkdtempSync(join(tmpdir(), 'skillwire-cli-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

export function skillText(name: string, description = 'Does a thing. Use when it is asked for.'): string {
  return `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n`;
}
