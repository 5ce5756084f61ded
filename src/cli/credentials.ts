/**
 * What is sent to a server beside requests, and kept out of everything that is shown.
 *
 * @module
 */
import type { CliContext } from './context.ts';
import type { TargetFlags } from './target-flags.ts';
import { findToken } from './token.ts';
import { usageError } from './usage.ts';

/** Headers of every request to one server. */
export type Headers = Readonly<Record<string, string>>;

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Those belong to the connection or to the protocol. */
const OURS =
  /^(?:host|connection|content-length|content-type|transfer-encoding|upgrade|te|trailer|keep-alive|accept|accept-encoding|mcp-.*)$/i;
const CREDENTIAL = /token|secret|password|authorization|cookie|key|credential/i;
/** A shorter text would blank half of what is said. */
const SHORTEST = 4;
const OPAQUE = 16;

/**
 * The headers that the flags ask for, a bearer token of `--token-file` or `SKILLWIRE_TOKEN` among them; what is secret in
 * them is never shown by the output from now on.
 *
 * Errors: `USAGE` for a header that is none, is the connection's own, or stands twice; those of {@link findToken}.
 */
export function credentialsOf(
  flags: Pick<TargetFlags, 'header' | 'tokenFile'>,
  { env, cwd, output }: Pick<CliContext, 'env' | 'cwd' | 'output'>,
): Headers {
  const headers = new Map<string, string>();
  for (const text of flags.header ?? []) {
    const { name, value } = parseHeader(text);
    if (headers.has(name)) throw usageError(`--header gives ${name} twice`, 'put the values into one header');
    headers.set(name, value);
    if (speaksOfCredential(name) || value.length >= OPAQUE) hideAll(value, output);
  }
  const found =
    headers.has('authorization') && flags.tokenFile === undefined
      ? undefined
      : findToken(flags.tokenFile, withoutEmpty(env), cwd);
  if (found !== undefined) {
    if (headers.has('authorization')) {
      throw usageError('there are a token and an Authorization header', 'give one of the two');
    }
    hideAll(found.token, output);
    headers.set('authorization', `Bearer ${found.token}`);
    if (found.warning !== undefined) output.note(`skillwire: warn: ${found.warning}`);
  }
  return Object.fromEntries(headers);
}

/** Nothing, if every header of a command line is one, also where none is sent. Errors: `USAGE`. */
export function requireHeaders({ header = [] }: Pick<TargetFlags, 'header'>): void {
  for (const text of header) parseHeader(text);
}

/**
 * Whether what is called `name` is a secret by its name.
 *
 * @example
 * speaksOfCredential('x-api-key') // true
 */
export function speaksOfCredential(name: string): boolean {
  return CREDENTIAL.test(name);
}

/** An empty variable is how shells and builds say that there is none; nothing is protected by insisting. */
function withoutEmpty({ SKILLWIRE_TOKEN, ...env }: CliContext['env']): CliContext['env'] {
  return SKILLWIRE_TOKEN === '' ? env : { ...env, SKILLWIRE_TOKEN };
}

function parseHeader(text: string): { readonly name: string; readonly value: string } {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(0, colon)).trim().toLowerCase();
  const value = text.slice(colon + 1).trim();
  // The value may be a secret, so no message repeats it.
  if (colon === -1 || !NAME.test(name) || value === '') {
    throw usageError("--header is not of the form 'Name: value'", "--header 'X-Team: docs'");
  }
  if (!VALUE.test(value)) {
    throw usageError(
      `the value of the header ${name} has characters that no header carries`,
      'use letters and digits on one line',
    );
  }
  if (OURS.test(name)) throw usageError(`the header ${name} belongs to the connection`, 'leave it out');
  return { name, value };
}

/** The whole value, and the part after the scheme of an Authorization header: a server may echo either. */
function hideAll(value: string, output: CliContext['output']): void {
  for (const secret of [value, ...value.split(/\s+/).slice(1)]) {
    if (secret.length >= SHORTEST) output.hide(secret);
  }
}
