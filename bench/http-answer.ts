import { gunzipSync } from 'node:zlib';

const HEAD_END = '\r\n\r\n';
const LAST_CHUNK = '\r\n0\r\n\r\n';
/** Where an answer that is an error says so: its keys come first. */
const KEYS = 80;

/**
 * The length of the answer at the start of `data`, or undefined while it is not complete.
 *
 * Errors: a status that is not 200, or a body that is a JSON-RPC error; what fails must not count as fast.
 */
export function answerLength(data: Buffer): number | undefined {
  const head = data.indexOf(HEAD_END, 0, 'latin1');
  if (head === -1) return undefined;
  const headers = data.toString('latin1', 0, head).toLowerCase();
  const start = head + HEAD_END.length;
  if (
    !headers.startsWith('http/1.1 200') ||
    data.toString('latin1', start, start + KEYS).includes('"error":')
  )
    throw new Error(`not an answer: ${data.toString('utf8', 0, 600)}`);
  const at = headers.indexOf('content-length: ');
  if (at !== -1) {
    const length = start + Number.parseInt(headers.slice(at + 16, at + 32), 10);
    return data.length >= length ? length : undefined;
  }
  // Chunked: the last chunk is empty, and no JSON text holds the bytes of its head.
  const end = data.indexOf(LAST_CHUNK, Math.max(head + 2, data.length - 65_536), 'latin1');
  return end === -1 ? undefined : end + LAST_CHUNK.length;
}

/** The body of a complete answer as it came, and whether it is compressed. */
export function answerBody(data: Buffer): { readonly body: Buffer; readonly isGzip: boolean } {
  const head = data.indexOf(HEAD_END, 0, 'latin1');
  const headers = data.toString('latin1', 0, head).toLowerCase();
  const rest = data.subarray(head + HEAD_END.length);
  const body = headers.includes('transfer-encoding: chunked') ? unchunked(rest) : rest;
  return { body, isGzip: headers.includes('content-encoding: gzip') };
}

/** The body of a complete answer as text. */
export function answerText(data: Buffer): string {
  const { body, isGzip } = answerBody(data);
  return (isGzip ? gunzipSync(body) : body).toString('utf8');
}

function unchunked(data: Buffer): Buffer {
  const chunks: Buffer[] = [];
  for (let rest = data; ; ) {
    const line = rest.indexOf('\r\n');
    const size = Number.parseInt(rest.toString('latin1', 0, line), 16);
    if (!(size > 0)) return Buffer.concat(chunks);
    chunks.push(rest.subarray(line + 2, line + 2 + size));
    rest = rest.subarray(line + 2 + size + 2);
  }
}
