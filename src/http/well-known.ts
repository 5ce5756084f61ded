/**
 * `/.well-known/agent-skills` and `/.well-known/skills`: skills for installers that know nothing of MCP.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { WellKnown, WellKnownContent } from '../server/index.ts';
import { decodeSegment } from '../uri/segment.ts';
import { DISCOVERY_INDEX_PATH, LEGACY_INDEX_PATH } from '../wire/index.ts';
import { takesGzip } from './accept-encoding.ts';
import { gzipDocument } from './gzip-document.ts';
import { type Refusal, refuse } from './reply.ts';

/** How {@link answerWellKnown} answers. */
export interface WellKnownAnswering {
  /** Everybody may read, from every page: what shared caches may keep. */
  readonly isPublic: boolean;
  /** Whether who asks is found by a token: a cache must then not give one what another asked for. */
  readonly hasToken: boolean;
}

const DISCOVERY = DISCOVERY_INDEX_PATH.slice(0, -'index.json'.length);
const LEGACY = LEGACY_INDEX_PATH.slice(0, -'index.json'.length);
const METHODS = 'GET, HEAD';
const YEAR_S = 31_536_000;

/**
 * Whether a path is one of the dialect, whatever it names.
 *
 * @example
 * isWellKnownPath('/.well-known/skills/index.json') // true
 */
export function isWellKnownPath(path: string): boolean {
  return path.startsWith(DISCOVERY) || path.startsWith(LEGACY);
}

/**
 * Answers a request for a document or artifact of the dialect, as the discovery RFC has it: `GET` and `HEAD`, a strong
 * `ETag` that is the digest, 304 for one that the client has. A large index goes out in gzip to a client that takes it,
 * under a tag of its own (RFC 9110, 8.8.3). What is sent has the digest that the index in force states. A path is decoded segment by segment, once, by the rule of skill URIs; what breaks it is 404, as is what
 * does not exist. `wellKnown` is undefined where the dialect is switched off.
 *
 * @example
 * await answerWellKnown(request, response, provider.wellKnown, { isPublic: false, hasToken: true })
 */
export async function answerWellKnown(
  request: IncomingMessage,
  response: ServerResponse,
  wellKnown: WellKnown | undefined,
  answering: WellKnownAnswering,
): Promise<void> {
  const shared = headersOf(answering);
  const turnDown = (refusal: Refusal): void =>
    refuse(request, response, { ...refusal, headers: { ...shared, ...refusal.headers } });
  if (request.method === 'OPTIONS' && answering.isPublic) {
    response.writeHead(204, {
      ...shared,
      'access-control-allow-methods': METHODS,
      'access-control-allow-headers': 'if-none-match',
      'access-control-max-age': '86400',
    });
    response.end();
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    turnDown({ status: 405, code: -32000, message: 'Method not allowed', headers: { allow: METHODS } });
    return;
  }
  let found: Found | undefined;
  try {
    found = wellKnown && (await find(request.url ?? '', wellKnown));
  } catch (error) {
    if (!isSkillError(error)) throw error;
    turnDown(MOVING.has(error.code) ? BUSY : UNREADABLE);
    return;
  }
  if (found === undefined) {
    turnDown({ status: 404, code: -32000, message: 'Not found' });
    return;
  }
  const sent = await encoded(found, takesGzip(request.headers['accept-encoding']));
  send(request, response, sent, {
    ...shared,
    ...varyOf(sent, answering),
    'cache-control': cacheControl(found.keep, answering),
  });
}

interface Found {
  readonly content: WellKnownContent;
  /** Seconds that a cache may keep it unasked; `'ask'`: it has to ask each time. */
  readonly keep: number | 'for ever' | 'ask';
  readonly isIndex?: boolean;
}

/** What goes out of it. */
interface Sent {
  readonly bytes: Buffer;
  readonly mimeType: string;
  readonly etag: string;
  /** `'either'`: to this client it goes out plain, to others it does not. */
  readonly encoding: 'gzip' | 'either' | 'plain';
}

async function encoded({ content, isIndex }: Found, inGzip: boolean): Promise<Sent> {
  const { bytes, digest, mimeType } = content;
  if (isIndex !== true || bytes.length < LIMITS.gzipAnswerBytes)
    return { bytes, mimeType, etag: `"${digest}"`, encoding: 'plain' };
  if (!inGzip) return { bytes, mimeType, etag: `"${digest}"`, encoding: 'either' };
  return { bytes: await gzipDocument(bytes), mimeType, etag: `"${digest}-gzip"`, encoding: 'gzip' };
}

const MOVING: ReadonlySet<string> = new Set(['FILE_CHANGED', 'PROVIDER_CLOSED']);
const BUSY: Refusal = {
  status: 503,
  code: -32000,
  message: 'Service Unavailable: the skills are changing; try again',
  headers: { 'retry-after': '1' },
};
const UNREADABLE: Refusal = {
  status: 500,
  code: -32603,
  message: 'Internal server error: the skill cannot be read or packed',
};

async function find(url: string, wellKnown: WellKnown): Promise<Found | undefined> {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const keep = Math.floor(wellKnown.ttlMs / 1_000);
  // A query on an index is what a client adds to get past a cache.
  if (path === DISCOVERY_INDEX_PATH) return { content: await wellKnown.index(), keep, isIndex: true };
  if (path === LEGACY_INDEX_PATH) return { content: await wellKnown.legacyIndex(), keep, isIndex: true };
  // Anywhere else it is the rest of a file name that was not encoded.
  if (mark !== -1) return undefined;
  const isDiscovery = path.startsWith(DISCOVERY);
  const segments = segmentsOf(path.slice((isDiscovery ? DISCOVERY : LEGACY).length));
  if (segments === undefined) return undefined;
  if (isDiscovery) {
    const content = await wellKnown.artifact(segments.join('/'));
    return content && { content, keep: 'for ever' };
  }
  const [name = '', ...rest] = segments;
  const content = await wellKnown.legacyFile(name, rest.join('/'));
  return content && { content, keep: 'ask' };
}

function segmentsOf(path: string): readonly string[] | undefined {
  try {
    return path.split('/').map((segment) => decodeSegment(segment, path));
  } catch (error) {
    if (isSkillError(error)) return undefined;
    throw error;
  }
}

function headersOf({ isPublic, hasToken }: WellKnownAnswering): Record<string, string> {
  return {
    'x-content-type-options': 'nosniff',
    // A file of a skill is never a page of this server.
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': isPublic ? 'cross-origin' : 'same-origin',
    ...(isPublic && { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'etag' }),
    ...(hasToken && !isPublic && { vary: AUTHORIZATION }),
  };
}

const AUTHORIZATION = 'authorization';

/** What a cache has to look at before it gives one client what another asked for. */
function varyOf({ encoding }: Sent, { isPublic, hasToken }: WellKnownAnswering): Record<string, string> {
  if (encoding === 'plain') return {};
  return { vary: hasToken && !isPublic ? `${AUTHORIZATION}, accept-encoding` : 'accept-encoding' };
}

function cacheControl(keep: Found['keep'], { isPublic }: WellKnownAnswering): string {
  const who = isPublic ? 'public' : 'private';
  if (keep === 'ask' || keep === 0) return `${who}, no-cache`;
  return keep === 'for ever' ? `${who}, max-age=${YEAR_S}, immutable` : `${who}, max-age=${keep}`;
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { bytes, mimeType, etag, encoding }: Sent,
  headers: Readonly<Record<string, string>>,
): void {
  if (hasTag(request.headers['if-none-match'], etag)) {
    response.writeHead(304, { ...headers, etag });
    response.end();
    return;
  }
  response.writeHead(200, {
    ...headers,
    etag,
    'content-type': contentType(mimeType),
    ...(encoding === 'gzip' && { 'content-encoding': 'gzip' }),
    'content-length': bytes.length,
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

/** RFC 9110, 13.1.2: any of a list, compared weakly. */
function hasTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => {
    const tag = each.trim();
    return tag === '*' || tag.replace(/^W\//, '') === etag;
  });
}

/** What a browser could run is sent as text: it comes from whoever wrote the skill. */
function contentType(mimeType: string): string {
  if (mimeType === 'application/json' || mimeType === 'application/gzip') return mimeType;
  if (mimeType === 'text/markdown') return 'text/markdown; charset=utf-8';
  if (/^image\/(?:png|jpeg|gif|webp|avif)$/.test(mimeType)) return mimeType;
  return mimeType.startsWith('text/') ? 'text/plain; charset=utf-8' : 'application/octet-stream';
}
