/** Just enough of an MCP client to see every byte that the program sends. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

export interface RpcMessage {
  readonly jsonrpc: string;
  readonly id?: number;
  readonly method?: string;
  readonly result?: {
    readonly [key: string]: unknown;
    readonly skills?: readonly {
      readonly uri: string;
      readonly frontmatter?: { readonly description?: string };
    }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** Messages as a client writes them: one a line. */
export function lines(...messages: readonly object[]): string {
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}

/** What a server wrote; throws when a line is no JSON-RPC message. */
export function parseMessages(stdout: string): RpcMessage[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const message: RpcMessage = JSON.parse(line);
      if (message.jsonrpc !== '2.0') throw new Error(`no JSON-RPC: ${line}`);
      return message;
    });
}

/** A request over HTTP in a 2025-era session, which is opened first. */
export async function openSession(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{
  request(method: string, params?: object): Promise<RpcMessage>;
}> {
  const common = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  };
  const opened = await fetch(url, { method: 'POST', headers: common, body: JSON.stringify(INITIALIZE) });
  if (!opened.ok) throw new Error(`HTTP ${opened.status}`);
  const session = {
    ...common,
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  await opened.text();
  let id = 1;
  return {
    async request(method, params = {}) {
      id += 1;
      const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
      const response = await fetch(url, { method: 'POST', headers: session, body });
      const text = await response.text();
      return JSON.parse(text.match(/^data: ?(.*)$/m)?.[1] ?? text);
    },
  };
}
