/**
 * Bearer tokens: who sent a request.
 *
 * @module
 */
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { SkillError } from '../errors.ts';
import type { HttpAppOptions, Principal } from './app.ts';
import type { Refusal } from './reply.ts';

/** The principal of a request without a required token. */
const ANYBODY: Principal = { id: 'anonymous' };
/** The principal of everybody who holds the one token. */
const TOKEN_HOLDER: Principal = { id: 'token' };

const BEARER = /^bearer +([\x21-\x7e]+) *$/i;
const SENDABLE = /^[\x21-\x7e]+$/;

type TokenFunction = Extract<NonNullable<HttpAppOptions['token']>, (token: string) => unknown>;

/** Finds who sent a request; undefined: nobody that may. */
export type Authenticator = (
  request: Pick<IncomingMessage, 'headers'>,
) => Principal | undefined | Promise<Principal | undefined>;

/** The answer to a request without an accepted token (RFC 6750). */
export const UNAUTHORIZED: Refusal = {
  status: 401,
  code: -32000,
  message: 'Unauthorized: this server needs a bearer token',
  headers: { 'www-authenticate': 'Bearer' },
};

/** The same when a token was sent. */
export const WRONG_TOKEN: Refusal = {
  ...UNAUTHORIZED,
  message: 'Unauthorized: the bearer token is not accepted',
  headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
};

/**
 * An authenticator for the `token` option: none lets everybody pass as `anonymous`, a text is compared in constant
 * time, a function is asked for each request, so a token that it no longer knows ends at once.
 *
 * Errors: `USAGE` for a token that no `Authorization` header can carry (empty, spaces, line ends).
 *
 * @example
 * const principal = await createAuthenticator('s3cret')(request)
 */
export function createAuthenticator(token: HttpAppOptions['token']): Authenticator {
  if (token === undefined) return () => ANYBODY;
  if (typeof token === 'function') {
    return async (request) => {
      const sent = bearerToken(request);
      return sent === undefined ? undefined : await ask(token, sent);
    };
  }
  if (!SENDABLE.test(token)) {
    throw new SkillError(
      'USAGE',
      'the token must be one or more visible ASCII characters without spaces or line ends: check the file or variable that it comes from',
    );
  }
  const expected = Buffer.from(token, 'latin1');
  return (request) => {
    const sent = bearerToken(request);
    return sent !== undefined && isEqual(Buffer.from(sent, 'latin1'), expected) ? TOKEN_HOLDER : undefined;
  };
}

async function ask(find: TokenFunction, sent: string): Promise<Principal | undefined> {
  let found: Principal | undefined;
  try {
    found = await find(sent);
  } catch (error) {
    // Its message may quote the token, so only its kind goes on to the log.
    throw new SkillError(
      'INTERNAL',
      `the token function failed with ${error instanceof Error ? error.name : typeof error}`,
    );
  }
  if (found !== undefined && typeof found?.id !== 'string') {
    throw new SkillError('INTERNAL', 'the token function returned no principal: it must have a text id');
  }
  return found;
}

/** The token of an `Authorization: Bearer …` header. */
export function bearerToken(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const header = request.headers.authorization;
  return header === undefined ? undefined : BEARER.exec(header)?.[1];
}

/** Takes the same time for every token of one length; how long the right one is, it may tell. */
function isEqual(sent: Buffer, expected: Buffer): boolean {
  return sent.length === expected.length && timingSafeEqual(sent, expected);
}
