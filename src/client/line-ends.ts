/**
 * Files that differ from what was stated in their line ends alone.
 *
 * @module
 */
import { isUtf8 } from 'node:buffer';
import { digestOf } from '../integrity/index.ts';

/**
 * Why bytes may not have the digest that was stated for them, where other line ends would give it; undefined where they
 * would not. It explains, and is no reason to take them: a digest is over the bytes as they are.
 *
 * @example
 * lineEndHint(bytes, digest) // 'it is the stated file with CRLF line ends …'
 */
export function lineEndHint(bytes: Uint8Array, digest: string | undefined): string | undefined {
  if (digest === undefined || !isUtf8(bytes)) return undefined;
  // One character a byte, so that nothing but the line ends changes.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const hasCrlf = text.includes('\r\n');
  if (!hasCrlf && !text.includes('\n')) return undefined;
  const other = hasCrlf ? text.replaceAll('\r\n', '\n') : text.replaceAll('\n', '\r\n');
  if (digestOf(Buffer.from(other, 'latin1')) !== digest) return undefined;
  return `it is the stated file with ${hasCrlf ? 'CRLF' : 'LF'} line ends, which a checkout changed; "* -text" in .gitattributes keeps them`;
}
