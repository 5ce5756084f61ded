/**
 * What is withheld as a secret (decision 7, threat T7e).
 *
 * @module
 */

const NAMES: ReadonlySet<string> = new Set([
  '.env',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
  '.npmrc',
  '.netrc',
  '.pypirc',
  '.git-credentials',
]);
/** What a secret name can begin with. */
const DOT = 46;
const LOWER_I = 105;
const UPPER_I = 73;
const ENV_EXAMPLES = ['.example', '.sample', '.template', '.dist'];
const MARKDOWN = /\.(?:md|markdown)$/i;
const MARKER = Buffer.from('-----BEGIN ', 'latin1');
const PRIVATE_KEY_LINE = /^[ \t]*-----BEGIN (?:[A-Z0-9 ]+ )?PRIVATE KEY-----[ \t]*\r?$/m;

/** How far into a file the check for a private key looks, in bytes. */
export const SECRET_SCAN_BYTES = 4096;

/**
 * Whether a file or folder of this name is withheld: `.env`, `.env.*` except examples, SSH keys, credential files.
 * Upper and lower case are the same here, since a volume may fold them.
 *
 * @example
 * isSecretName('.env.local') // true
 * isSecretName('.env.example') // false
 */
export function isSecretName(name: string): boolean {
  const first = name.charCodeAt(0);
  if (first !== DOT && first !== LOWER_I && first !== UPPER_I) return false;
  const folded = name.toLowerCase();
  if (NAMES.has(folded)) return true;
  return folded.startsWith('.env.') && !ENV_EXAMPLES.some((suffix) => folded.endsWith(suffix));
}

/**
 * Whether a file of this name may hold a private key as an example: Markdown may.
 *
 * @example
 * isMarkdownName('SKILL.md') // true
 */
export function isMarkdownName(name: string): boolean {
  return MARKDOWN.test(name);
}

/**
 * Whether the first 4 KiB hold a line `-----BEGIN … PRIVATE KEY-----`.
 *
 * @example
 * looksLikePrivateKey(Buffer.from('-----BEGIN OPENSSH PRIVATE KEY-----\n')) // true
 */
export function looksLikePrivateKey(bytes: Uint8Array): boolean {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, SECRET_SCAN_BYTES));
  return view.includes(MARKER) && PRIVATE_KEY_LINE.test(view.toString('latin1'));
}
