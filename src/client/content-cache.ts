/**
 * Files that were checked, kept in memory while their digest is current (requirement H35).
 *
 * @module
 */

/** One file as it was checked. */
export interface CheckedFile {
  readonly bytes: Uint8Array;
  readonly mimeType?: string;
}

/** Bytes that a key and a place in a map cost. */
const BYTES_PER_FILE = 300;

/** Keeps copies of its own and gives copies: nobody can change what was checked. The longest unused go first. */
export class ContentCache {
  readonly #maxBytes: number;
  readonly #files: Map<string, CheckedFile> = new Map();
  #bytes = 0;

  /** `maxBytes`: 0 keeps nothing. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /**
   * A copy of the file, if it is kept under exactly this URI and digest.
   *
   * @example
   * cache.get(resource.uri, resource.digest)
   */
  get(uri: string, digest: string): CheckedFile | undefined {
    const key = `${digest} ${uri}`;
    const file = this.#files.get(key);
    if (file === undefined) return undefined;
    this.#files.delete(key);
    this.#files.set(key, file);
    return { ...file, bytes: copyOf(file.bytes) };
  }

  /** Keeps a copy of a file whose bytes have that digest. One of more than a quarter of the room is not kept. */
  keep(uri: string, digest: string, file: CheckedFile): void {
    const key = `${digest} ${uri}`;
    const size = file.bytes.byteLength + BYTES_PER_FILE;
    if (size > this.#maxBytes / 4 || this.#files.has(key)) return;
    const { mimeType } = file;
    this.#files.set(key, { bytes: copyOf(file.bytes), ...(mimeType === undefined ? {} : { mimeType }) });
    this.#bytes += size;
    for (const [oldest, { bytes }] of this.#files) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#files.delete(oldest);
      this.#bytes -= bytes.byteLength + BYTES_PER_FILE;
    }
  }
}

function copyOf(bytes: Uint8Array): Uint8Array {
  const copy = Buffer.allocUnsafeSlow(bytes.byteLength);
  copy.set(bytes);
  return copy;
}
