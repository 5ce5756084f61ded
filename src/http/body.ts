/**
 * Request bodies: read once, capped, parsed as JSON.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { Refusal } from './reply.ts';

/** A parsed body, a refusal, or neither when the client went away. */
export type BodyOutcome =
  | { readonly value: unknown }
  | { readonly refusal: Refusal }
  | { readonly gone: true };

/** How a body is read. */
export interface BodyOptions {
  /** Cap in bytes, whether declared or sent in chunks. */
  readonly maxBytes: number;
  /** Called before the first byte is read, for a client that waits to be told to send. */
  readonly onRead?: () => void;
}

const BOM = 0xfeff;

/**
 * The JSON value of a request's body, or the refusal due: 415 for anything but unencoded JSON, 413 beyond the cap,
 * 400 for what does not parse. Reads no byte beyond the cap. Never rejects.
 *
 * @example
 * const outcome = await readJsonBody(request, { maxBytes: 4_194_304 })
 */
export async function readJsonBody(request: IncomingMessage, options: BodyOptions): Promise<BodyOutcome> {
  const { headers } = request;
  const type = headers['content-type'];
  if (type !== 'application/json' && !isJsonContentType(type ?? null)) {
    return {
      refusal: { status: 415, code: -32000, message: 'Unsupported Media Type: send application/json' },
    };
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return {
      refusal: { status: 415, code: -32000, message: 'Unsupported Media Type: send the body unencoded' },
    };
  }
  const tooLarge: Refusal = {
    status: 413,
    code: -32000,
    message: `Payload Too Large: the request body must not exceed ${options.maxBytes} bytes`,
    data: { limit: options.maxBytes },
  };
  if (Number(headers['content-length'] ?? 0) > options.maxBytes) return { refusal: tooLarge };
  options.onRead?.();
  const bytes = await readBytes(request, options.maxBytes);
  if (bytes === 'gone') return { gone: true };
  if (bytes === 'too large') return { refusal: tooLarge };
  return parseJson(bytes);
}

function parseJson(bytes: Buffer): BodyOutcome {
  const refusal = (message: string): BodyOutcome => ({ refusal: { status: 400, code: -32700, message } });
  if (bytes.length === 0) return refusal('Parse error: the request body is empty');
  if (!isUtf8(bytes)) return refusal('Parse error: the request body is not valid UTF-8');
  const text = bytes.toString('utf8');
  try {
    return { value: JSON.parse(text.charCodeAt(0) === BOM ? text.slice(1) : text) };
  } catch {
    return refusal('Parse error: the request body is not valid JSON');
  }
}

function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too large' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const onData = (chunk: Buffer): void => {
      received += chunk.length;
      if (received <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      request.off('data', onData);
      request.pause();
      resolve('too large');
    };
    // The listeners stay otherwise: they go with the request, and taking them off costs more than reading a small body.
    request.on('data', onData);
    request.on('end', () => {
      if (received > maxBytes) return;
      const [only] = chunks;
      resolve(chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, received));
    });
    const onGone = (): void => resolve('gone');
    request.on('close', onGone).on('error', onGone);
  });
}
