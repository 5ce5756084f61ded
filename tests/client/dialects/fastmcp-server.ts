import { createHash } from 'node:crypto';
import type { JsonRecord } from '../../../src/client/json-record.ts';
import type { Answer, Script } from '../link.ts';

/** Skills by the name of their folder, files by their path: what FastMCP 4.0.10 would find on disk. */
export type FastmcpTree = Readonly<Record<string, Readonly<Record<string, string | Buffer>>>>;

export interface FastmcpSetting {
  /** How supporting files are listed. @default 'template' */
  readonly supporting?: 'template' | 'resources';
  readonly pageSize?: number;
  /** Changes what goes out. */
  readonly change?: (uri: string, answer: Answer) => Answer;
  readonly descriptions?: Readonly<Record<string, string>>;
}

const TEXT = /\.(?:md|txt|py|csv|html)$/i;

function sha256(bytes: string | Buffer): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

export function fileList(skill: string, files: Readonly<Record<string, string | Buffer>>): JsonRecord {
  return {
    skill,
    files: Object.entries(files).map(([path, content]) => ({
      path,
      size: Buffer.byteLength(content),
      hash: sha256(content),
    })),
  };
}

/** Letters beyond ASCII are encoded in a listing, and known unencoded alone. */
function listedName(name: string): string {
  return name.replace(/[^\u0000-\u007f]+/g, encodeURIComponent);
}

/** Python's `quote`, which FastMCP lists names with. */
function quoted(path: string): string {
  return path
    .split('/')
    .map((name) =>
      encodeURIComponent(name).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join('/');
}

/**
 * A server in the shape of the real FastMCP: names of skills are never decoded, those of files once; supporting files are
 * `application/octet-stream`, and a blob unless their type is guessed as text; text is sent with LF whatever its line ends.
 */
export function fastmcpScript(tree: FastmcpTree, setting: FastmcpSetting = {}): Script {
  const { supporting = 'template', pageSize = Number.POSITIVE_INFINITY, change, descriptions = {} } = setting;
  const resources: JsonRecord[] = [];
  for (const [name, files] of Object.entries(tree)) {
    const meta = (skill: JsonRecord): JsonRecord => ({ fastmcp: { tags: [], skill: { name, ...skill } } });
    resources.push(
      {
        uri: `skill://${listedName(name)}/SKILL.md`,
        name: `${name}/SKILL.md`,
        description: descriptions[name] ?? `Skill: ${name}`,
        mimeType: 'text/markdown',
        _meta: meta({ is_manifest: false }),
      },
      {
        uri: `skill://${listedName(name)}/_manifest`,
        name: `${name}/_manifest`,
        description: `File listing for ${name}`,
        mimeType: 'application/json',
        _meta: meta({ is_manifest: true }),
      },
    );
    if (supporting === 'template') continue;
    for (const path of Object.keys(files)) {
      if (path === 'SKILL.md' || path === '_manifest') continue;
      resources.push({ uri: `skill://${name}/${quoted(path)}`, name: `${name}/${path}`, _meta: meta({}) });
    }
  }
  const read = (uri: string): Answer => {
    const rest = uri.slice('skill://'.length);
    const slash = rest.indexOf('/');
    const files = tree[rest.slice(0, slash)];
    const notFound = { error: { code: -32602, message: `Resource not found: '${uri}'` } };
    if (!uri.startsWith('skill://') || slash < 0 || files === undefined) return notFound;
    const path = decodeURIComponent(rest.slice(slash + 1).split('?', 1)[0] ?? '');
    if (path === '_manifest') {
      const text = JSON.stringify(fileList(rest.slice(0, slash), files), undefined, 2);
      return { contents: [{ uri, mimeType: 'application/json', text }] };
    }
    const content = Object.hasOwn(files, path) ? files[path] : undefined;
    if (content === undefined) {
      const message = `Error reading resource '${uri}': File not found: ${path}`;
      return supporting === 'resources' ? notFound : { error: { code: -32603, message } };
    }
    const mimeType = path === 'SKILL.md' ? 'text/markdown' : 'application/octet-stream';
    const bytes = Buffer.from(content);
    if (!TEXT.test(path)) return { contents: [{ uri, mimeType, blob: bytes.toString('base64') }] };
    const text = bytes.toString('utf8').replace(/\r\n?/g, '\n');
    return { contents: [{ uri, mimeType, text }] };
  };
  return {
    capabilities: { resources: { subscribe: false, listChanged: false } },
    answer: (method, params) => {
      if (method === 'resources/list') {
        const from = Number(params.cursor ?? 0);
        const page = resources.slice(from, from + pageSize);
        const next = from + pageSize;
        return { resources: page, ...(next < resources.length ? { nextCursor: String(next) } : {}) };
      }
      if (method === 'resources/read') {
        const uri = String(params.uri);
        return change?.(uri, read(uri)) ?? read(uri);
      }
      return undefined;
    },
  };
}
