/**
 * A provider over stdin and stdout, for clients of both eras.
 *
 * @module
 */
import type { Readable, Writable } from 'node:stream';
import { serveStdio as serveConnection } from '@modelcontextprotocol/server/stdio';
import { LIMITS } from '../limits.ts';
import { type Logger, silentLogger } from '../logger.ts';
import type { SkillProvider } from './provider.ts';
import { StdioShortcut } from './stdio-shortcut.ts';
import { StdioTransport } from './stdio-transport.ts';

/** Options of {@link serveStdio}. */
export interface ServeStdioOptions {
  /** @default process.stdin */
  readonly stdin?: Readable;
  /** @default process.stdout */
  readonly stdout?: Writable;
  /** Ends the connection as `close()` does. */
  readonly signal?: AbortSignal;
  /** Called once messages are read. */
  readonly onListening?: () => void;
  /** How long requests under way may take to end after stdin did, in ms. @default 5000 */
  readonly drainMs?: number;
  readonly logger?: Logger;
}

/** One connection over stdio. */
export interface StdioConnection {
  /** Resolves when the connection is over and everything written has left the process. Never rejects. */
  readonly closed: Promise<void>;
  /** Takes no more requests, answers those under way, then closes. Twice is fine. */
  close(): Promise<void>;
}

/**
 * The connection over stdin and stdout; the client's first message picks the era.
 *
 * It is over when stdin ends, when nobody reads stdout any more, or on `close()`; what was asked before is answered
 * first. The process may go on: a watcher or timer keeps Node alive, so end it when `closed` resolves. The provider
 * stays open. Nothing but protocol messages is written to stdout, and no response above 9 MiB.
 *
 * @example
 * const connection = serveStdio(provider)
 * await connection.closed
 * await provider.close()
 */
export function serveStdio(provider: SkillProvider, options: ServeStdioOptions = {}): StdioConnection {
  const logger = options.logger ?? silentLogger;
  const transport = new StdioTransport({
    stdin: options.stdin ?? process.stdin,
    stdout: options.stdout ?? process.stdout,
    maxResponseBytes: LIMITS.responseBytesStdio,
    drainMs: options.drainMs ?? LIMITS.drainMs,
    shortcut: new StdioShortcut(provider),
    onOverflow: (error) => {
      logger.error('a line on stdin is too long to be read, so the connection ends', {
        error: error.message,
      });
    },
  });
  const handle = serveConnection(() => provider.createServer({ transport: 'stdio' }), {
    transport,
    onerror: (error) => logger.debug('stdio', { error: error.message }),
  });
  // Closing through the SDK ends open listen streams with their result first.
  transport.ondrained = () => void handle.close();
  const drain = (): void => transport.drain();
  if (options.signal?.aborted === true) drain();
  else options.signal?.addEventListener('abort', drain, { once: true });
  const closed = transport.finished.then(() => options.signal?.removeEventListener('abort', drain));
  options.onListening?.();
  return {
    closed,
    close: () => {
      drain();
      return closed;
    },
  };
}
