/**
 * The response to a request whose body is there already.
 *
 * @module
 */

/** What a {@link PlainResponse} is made of. */
export interface PlainResponseInit {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  readonly url: string;
}

/**
 * A `Response` that reads its body without a stream, at a quarter of the cost: the platform makes one even for bytes that
 * it has. Whoever asks for the stream, or clones, gets it.
 *
 * @example
 * const response = plainResponse(bytes, { status: 200, statusText: 'OK', headers, url })
 */
export function plainResponse(bytes: Buffer, init: PlainResponseInit): Response {
  return new PlainResponse(bytes, init) as unknown as Response;
}

/** Whether it is one of {@link plainResponse}, and within its limit. */
export function isPlainResponse(response: Response): boolean {
  return response instanceof PlainResponse;
}

/** What stays as the platform has it; its types call everything else a field, which no method could stand in for. */
const Platform: new (body: null, init: ResponseInit) => Pick<Response, 'headers'> = Response;

class PlainResponse extends Platform {
  readonly #bytes: Buffer;
  readonly #init: PlainResponseInit;
  #whole: Response | undefined;
  #used = false;

  constructor(bytes: Buffer, init: PlainResponseInit) {
    super(null, init);
    this.#bytes = bytes;
    this.#init = init;
  }

  get url(): string {
    return this.#init.url;
  }

  get body(): Response['body'] {
    return this.#used ? null : this.#streamed().body;
  }

  get bodyUsed(): boolean {
    return this.#used || this.#whole?.bodyUsed === true;
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }

  async text(): Promise<string> {
    if (this.#whole !== undefined) return this.#whole.text();
    const text = this.#take().toString('utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  async arrayBuffer(): Promise<ArrayBuffer> {
    return this.#streamed().arrayBuffer();
  }

  async blob(): Promise<Blob> {
    return this.#streamed().blob();
  }

  async formData(): Promise<FormData> {
    return this.#streamed().formData();
  }

  clone(): Response {
    if (this.bodyUsed) throw used();
    return plainResponse(this.#bytes, { ...this.#init, headers: new Headers(this.headers) });
  }

  #take(): Buffer {
    if (this.#used) throw used();
    this.#used = true;
    return this.#bytes;
  }

  #streamed(): Response {
    if (this.#used) throw used();
    this.#whole ??= new Response(new Uint8Array(this.#bytes), { headers: this.headers });
    return this.#whole;
  }
}

function used(): TypeError {
  return new TypeError('the body was read before');
}
