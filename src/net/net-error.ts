/**
 * What goes wrong on the network, as errors of the table, without a credential in any of them.
 *
 * @module
 */
import { SkillError, type SkillErrorCode } from '../errors.ts';

const SHOWN_CHARACTERS = 200;

/**
 * The URL as a message or log may show it: no user, no password, no fragment, a query as `?…`, at most 200 characters.
 *
 * Queries carry signatures and tokens, so none is ever shown. Text that is no URL is shown as `(not a URL)`.
 *
 * @example
 * printableUrl('https://me:pw@host.example/a.zip?sig=1') // 'https://host.example/a.zip?…'
 */
export function printableUrl(url: string | URL): string {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return '(not a URL)';
  }
  const query = parsed.search === '' ? '' : '?…';
  const place = `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
  return place.length > SHOWN_CHARACTERS ? `${place.slice(0, SHOWN_CHARACTERS)}…` : `${place}${query}`;
}

const TIMEOUTS = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
]);

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name cannot be looked up at the moment',
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  UND_ERR_SOCKET: 'the connection was cut',
  UND_ERR_ABORTED: 'the connection was refused on the way, by a proxy perhaps',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the body does not have the length that the server announced',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the response are too large',
  UND_ERR_PRX_TLS: 'the proxy has no valid certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is signed by an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate cannot be verified',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another host',
};

/**
 * The error for a failed request to `url`; a `SkillError`, ours or that of the connection underneath, as it is.
 *
 * Errors: `NET_TIMEOUT`, `NET_FAILED`, with `url` (printable) and the system's code in `details`.
 */
export function netError(url: string | URL, error: unknown): SkillError {
  if (error instanceof SkillError) return error;
  const code = codeOf(error);
  const shown = printableUrl(url);
  if (TIMEOUTS.has(code)) {
    const what =
      code === 'UND_ERR_BODY_TIMEOUT' ? 'stops in the middle of the body' : 'does not answer in time';
    return new SkillError('NET_TIMEOUT', `the server of ${shown} ${what}; try again`, {
      details: { url: shown, system: code },
      cause: error,
    });
  }
  const reason =
    REASONS[code] ??
    (code.startsWith('HPE_') ? 'the response is not valid HTTP' : `the network says ${code}`);
  return refusal('NET_FAILED', url, `cannot fetch ${shown}: ${reason}`, { system: code }, error);
}

/** A `SkillError` about `url`, with its printable form as `details.url`. */
export function refusal(
  code: SkillErrorCode,
  url: string | URL,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): SkillError {
  return new SkillError(code, message, { details: { url: printableUrl(url), ...details }, cause });
}

/** The code of the error itself, or of the one underneath: a function given by the caller wraps what it meets. */
function codeOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error) || depth > 4) return 'UNKNOWN';
  if ('code' in error && typeof error.code === 'string') return error.code;
  const inner = error instanceof AggregateError ? error.errors[0] : error.cause;
  const found = codeOf(inner, depth + 1);
  return found === 'UNKNOWN' && error.name !== 'Error' ? error.name : found;
}
