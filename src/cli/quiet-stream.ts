/**
 * Writing to a reader that may go away.
 *
 * @module
 */

/** What {@link quietWhenClosed} needs of a stream. */
export interface ClosableStream {
  write(data: string | Uint8Array): boolean;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

/** What a write says when nobody reads any more: a closed pipe, a destroyed stream, a terminal that is gone. */
const GONE: ReadonlySet<string> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'EIO']);

/**
 * A function that writes to `stream`, and no more once its reader closed it (`| head`). Other errors, as of a full disk, go to
 * `failed`, each time.
 *
 * @example
 * quietWhenClosed(process.stderr, () => undefined)('a line\n')
 */
export function quietWhenClosed(
  stream: ClosableStream,
  failed: (error: NodeJS.ErrnoException) => void,
): (data: string | Uint8Array) => void {
  let closed = false;
  stream.on('error', (error) => {
    if (GONE.has(error.code ?? '')) closed = true;
    else failed(error);
  });
  return (data) => {
    if (!closed) stream.write(data);
  };
}
