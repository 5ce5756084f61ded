/**
 * A server that is started for the time it is read: the one place where a process is begun.
 *
 * @module
 */
import { PassThrough } from 'node:stream';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SkillsClient, STDIO_BUFFER_BYTES } from '../client/index.ts';
import { SkillError } from '../errors.ts';
import {
  type ClientSettings,
  type Connected,
  connectError,
  connectOptions,
  inTime,
  newClient,
  probeMsOf,
} from './connected.ts';
import type { CliContext } from './context.ts';
import { readLinearly } from './linear-buffer.ts';
import type { Target } from './target.ts';

/** What is kept of stderr. */
const SAID_BYTES = 8_192;
const SAID_LINES = 12;

/**
 * Resolves to a connection over the stdin and stdout of a command, which is started without a shell, in this folder and with
 * this environment, as the user's own shell would. It ends with the connection, or at the latest with this process.
 *
 * Errors: `SERVER_UNREACHABLE`, with `said` in its details: the last lines on stderr.
 */
export async function connectCommand(
  target: Target & { readonly kind: 'stdio' },
  settings: ClientSettings,
  { env, cwd }: CliContext,
): Promise<Connected> {
  const transport = new StdioClientTransport({
    command: target.command,
    args: [...target.args],
    env: definedOf(env),
    cwd,
    stderr: 'pipe',
    maxBufferSize: STDIO_BUFFER_BYTES,
  });
  readLinearly(transport, STDIO_BUFFER_BYTES);
  const said = keepLast(transport);
  const client = newClient('auto', probeMsOf(settings));
  const release = killWithThisProcess(transport);
  const close = async (): Promise<void> => {
    await client.close();
    await transport.close();
    release();
  };
  try {
    await inTime(target.label, settings, () => client.connect(transport, connectOptions(settings)));
  } catch (error) {
    await close();
    const failure = connectError(target.label, error, 'run the command by itself to see what it says');
    throw new SkillError(failure.code, failure.message, {
      details: { ...failure.details, said: said() },
      cause: error,
    });
  }
  return { client: new SkillsClient(client, settings), notes: [], said, close };
}

const SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Has the child end with this process, also one that heeds neither the end of its stdin nor a signal. The returned function
 * ends that.
 */
function killWithThisProcess(transport: StdioClientTransport): () => void {
  let last: number | undefined;
  const kill = (): void => {
    const pid = transport.pid ?? last;
    if (pid === undefined) return;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    kill();
    release();
    // Where nobody else tidies up, the signal does what it would have done.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  // Nothing asynchronous runs any more when this process exits.
  process.on('exit', kill);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  const noteEnd = transport.close.bind(transport);
  // The transport forgets its child before that has ended.
  transport.close = async () => {
    last = transport.pid ?? last;
    await noteEnd();
  };
  const release = (): void => {
    process.off('exit', kill);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  return release;
}

function keepLast(transport: StdioClientTransport): () => readonly string[] {
  let kept = '';
  if (transport.stderr instanceof PassThrough) {
    transport.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      kept = (kept + chunk).slice(-SAID_BYTES);
    });
  }
  return () =>
    kept
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '')
      .slice(-SAID_LINES);
}

function definedOf(env: CliContext['env']): Record<string, string> {
  const defined: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) if (value !== undefined) defined[name] = value;
  return defined;
}
