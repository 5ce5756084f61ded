/**
 * Request bodies: read once, capped, parsed as JSON.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import type { Refusal } from './reply.ts';

/** A parsed body, or a refusal. */
export type BodyOutcome = { readonly value: unknown } | { readonly refusal: Refusal };

/** How a body is read. */
export interface BodyOptions {
  /** Cap in bytes, whether declared or sent in chunks. */
  readonly maxBytes: number;
  /** Called before the first byte is read, for a client that waits to be told to send. */
  readonly onRead?: (() => void) | undefined;
}

const BOM = 0xfeff;
const EMPTY: Buffer = Buffer.alloc(0);
/** Its end was heard by somebody else, and would be waited for in vain. */
const READ_BEFORE: Refusal = {
  status: 500,
  code: -32603,
  message:
    'Internal server error: something before this handler has read the request body; put the handler before body parsers',
};

/**
 * Reads the JSON value of a request's body, or the refusal due: 415 for anything but unencoded JSON, 413 beyond the cap,
 * 400 for what does not parse, 500 for one that a server's own middleware has read. `done` is called once, or never when
 * the client goes away before its body is there; with a promise instead of it a small request would cost half as much
 * again. Reads no byte beyond the cap.
 *
 * @example
 * readJsonBody(request, { maxBytes: 4_194_304 }, (outcome) => answer(outcome))
 */
export function readJsonBody(
  request: IncomingMessage,
  options: BodyOptions,
  done: (outcome: BodyOutcome) => void,
): void {
  const { headers } = request;
  const type = headers['content-type'];
  if (type !== 'application/json' && !isJsonContentType(type ?? null)) {
    done({
      refusal: { status: 415, code: -32000, message: 'Unsupported Media Type: send application/json' },
    });
    return;
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    done({
      refusal: { status: 415, code: -32000, message: 'Unsupported Media Type: send the body unencoded' },
    });
    return;
  }
  const { maxBytes } = options;
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    done(tooLarge(maxBytes));
    return;
  }
  if (request.readableEnded) {
    done({ refusal: READ_BEFORE });
    return;
  }
  options.onRead?.();
  readBytes(request, maxBytes, done);
}

function tooLarge(maxBytes: number): BodyOutcome {
  const message = `Payload Too Large: the request body must not exceed ${maxBytes} bytes`;
  return { refusal: { status: 413, code: -32000, message, data: { limit: maxBytes } } };
}

/** The JSON value in the bytes of a body, or the refusal due. */
export function parseJson(bytes: Buffer): BodyOutcome {
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

function readBytes(request: IncomingMessage, maxBytes: number, done: (outcome: BodyOutcome) => void): void {
  let only: Buffer | undefined;
  let more: Buffer[] | undefined;
  let received = 0;
  const onData = (chunk: Buffer): void => {
    received += chunk.length;
    if (received > maxBytes) {
      request.off('data', onData);
      request.pause();
      done(tooLarge(maxBytes));
    } else if (only === undefined) only = chunk;
    else if (more === undefined) more = [only, chunk];
    else more.push(chunk);
  };
  // The listeners stay: they go with the request, and taking them off costs more than reading a small body.
  request.on('data', onData);
  request.on('end', () => {
    if (received <= maxBytes)
      done(parseJson(more === undefined ? (only ?? EMPTY) : Buffer.concat(more, received)));
  });
}
