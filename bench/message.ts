/** The eras of the protocol that a server speaks. */
export type Era = 'modern' | 'legacy';

/** A request of a client, before it has an id and an envelope. */
export interface Call {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const REVISION = '2026-07-28';
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** The JSON of a request. */
export function jsonOf({ method, params }: Call, id: number, era: Era): string {
  const sent = era === 'modern' ? { ...params, _meta: ENVELOPE } : params;
  return JSON.stringify({ jsonrpc: '2.0', id, method, params: sent });
}

/** Which encodings of an answer a client takes: those that `fetch` asks for, or none. */
export type Encodings = 'gzip, deflate' | 'identity';

/** A request of 2026-07-28 as official clients send it over HTTP, whole: headers and body. */
export function httpMessage(
  url: string,
  call: Call,
  id: number,
  token: string,
  encodings: Encodings = 'gzip, deflate',
): Buffer {
  const { host, pathname } = new URL(url);
  const body = Buffer.from(jsonOf(call, id, 'modern'));
  const headers = {
    host,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'accept-encoding': encodings,
    'mcp-protocol-version': REVISION,
    'mcp-method': call.method,
    ...(call.method === 'resources/read' ? { 'mcp-name': String(call.params.uri) } : {}),
    'content-length': String(body.length),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}
