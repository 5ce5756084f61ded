/**
 * Validators of a response, kept to ask later whether it is still the same.
 *
 * @module
 */

/** What a server calls the version of a response it sent. */
export interface Validators {
  readonly etag?: string;
  readonly lastModified?: string;
}

const VALIDATOR_CHARACTERS = 512;
const ETAG = /^(W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;
const DATE = /^[A-Za-z]{3,9}, [\x20-\x7e]+$/;

/**
 * The validators that a response carries and that can be sent back; a malformed or oversized one is left out, as if the
 * server had sent none.
 *
 * @example
 * validatorsOf((name) => response.headers[name]) // { etag: '"1"' }
 */
export function validatorsOf(header: (name: string) => string | undefined): Validators {
  const etag = sendable(header('etag'), ETAG);
  const lastModified = sendable(header('last-modified'), DATE);
  return {
    ...(etag !== undefined && { etag }),
    ...(lastModified !== undefined && { lastModified }),
  };
}

/**
 * The request headers that ask for a response only if it changed; none for validators that cannot be sent.
 *
 * @example
 * conditionalHeaders({ etag: '"1"' }) // { 'if-none-match': '"1"' }
 */
export function conditionalHeaders(validators: Validators): Readonly<Record<string, string>> {
  const etag = sendable(validators.etag, ETAG);
  const lastModified = sendable(validators.lastModified, DATE);
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
}

function sendable(value: string | undefined, shape: RegExp): string | undefined {
  return value !== undefined && value.length <= VALIDATOR_CHARACTERS && shape.test(value) ? value : undefined;
}
