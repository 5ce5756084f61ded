/**
 * A server that is started for the time it is read: the one place where a process is begun.
 *
 * @module
 */
import { PassThrough } from 'node:stream';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { SkillsClient, STDIO_BUFFER_BYTES } from '../client/index.ts';
import { SkillError } from '../errors.ts';
import { type ClientSettings, type Connected, connectError, connectOptions, newClient } from './connected.ts';
import type { CliContext } from './context.ts';
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
  const said = keepLast(transport);
  const client = newClient('auto');
  // Nothing asynchronous runs any more when this process exits; a child that heeds no end of stdin would stay.
  let pid: number | null = null;
  const killAtExit = (): void => {
    if (pid === null) return;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  };
  process.on('exit', killAtExit);
  const close = async (): Promise<void> => {
    await client.close();
    await transport.close();
    process.off('exit', killAtExit);
  };
  try {
    await client.connect(transport, connectOptions(settings));
    pid = transport.pid;
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
