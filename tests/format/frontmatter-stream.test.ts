import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SkillError } from '../../src/errors.ts';
import { type Frontmatter, parseFrontmatter, parseFrontmatterStream } from '../../src/format/index.ts';
import { bytesOf, skillOf } from './support.ts';

const TEXT = `${skillOf('name: a', 'description: é 😀')}\n# Body\r\nmore\n`;

async function* chunks(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function codeOf(promise: Promise<Frontmatter>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof SkillError) return error.code;
    throw error;
  }
  throw new Error('nothing was thrown');
}

/** An endless stream that counts what was taken from it and knows whether it was closed. */
function endless(
  first: string,
  filler: string,
): { stream: AsyncGenerator<string>; taken: () => number; closed: () => boolean } {
  let taken = 0;
  let closed = false;
  async function* run(): AsyncGenerator<string> {
    try {
      yield first;
      for (;;) {
        taken += filler.length;
        yield filler;
      }
    } finally {
      closed = true;
    }
  }
  return { stream: run(), taken: () => taken, closed: () => closed };
}

describe('parseFrontmatterStream', () => {
  it.each([1, 2, 3, 5, 7, 1_000])('reads chunks of %i bytes', async (size) => {
    for (const text of [TEXT, `\ufeff${TEXT}`, TEXT.replaceAll('\n', '\r\n'), TEXT.replace(/\n/g, '\r')]) {
      expect(await parseFrontmatterStream(chunks(bytesOf(text), size))).toEqual(parseFrontmatter(text));
    }
  });

  it('reads Node and web streams, and text', async () => {
    const expected = parseFrontmatter(TEXT);
    expect(await parseFrontmatterStream(Readable.from([Buffer.from(TEXT)]))).toEqual(expected);
    expect(await parseFrontmatterStream(new Blob([TEXT]).stream() as ReadableStream<Uint8Array>)).toEqual(
      expected,
    );
    expect(await parseFrontmatterStream(Readable.from([TEXT.slice(0, 9), TEXT.slice(9)]))).toEqual(expected);
  });

  it('fails as parseFrontmatter does, whatever the chunks', async () => {
    const texts = [
      '',
      '---',
      '---\n',
      '# x\n',
      '\n---\n',
      '---\n---',
      '---\nname: a\n---',
      '----\n',
      '--',
      '---\nname: a: b\n---\n',
      '\ufeff',
      '---\r',
      '---\rname: a\r---\r',
    ];
    const text = fc.oneof(
      fc.constantFrom(...texts),
      fc.string({
        unit: fc.constantFrom(
          '-',
          '---',
          '\n',
          '\r',
          '\r\n',
          ' ',
          'name: a',
          'description: b',
          '\ufeff',
          'é',
        ),
        maxLength: 20,
      }),
    );
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 9 }), async (input, size) => {
        let expected: Frontmatter | undefined;
        let error: unknown;
        try {
          expected = parseFrontmatter(input);
        } catch (thrown) {
          error = thrown;
        }
        const streamed = parseFrontmatterStream(chunks(bytesOf(input), size));
        if (expected !== undefined) expect(await streamed).toEqual(expected);
        else expect(await codeOf(streamed)).toBe((error as SkillError).code);
      }),
      { numRuns: 1_000 },
    );
  });

  it('stops where line 1 is no fence', async () => {
    const { stream, taken, closed } = endless('# x\n', 'more\n');
    expect(await codeOf(parseFrontmatterStream(stream))).toBe('MISSING_FRONTMATTER');
    expect(taken()).toBeLessThanOrEqual(10);
    expect(closed()).toBe(true);
  });

  it.each([
    ['lines', '---\n', 'more: text\n'],
    ['one line', '---\nx: ', 'x'.repeat(100)],
    ['one byte at a time', '---\n', 'x'],
  ])('stops within the cap of the frontmatter: %s', async (_, first, filler) => {
    const { stream, taken, closed } = endless(first, filler);
    expect(await codeOf(parseFrontmatterStream(stream))).toBe('FRONTMATTER_TOO_LARGE');
    expect(taken()).toBeLessThan(70_000);
    expect(closed()).toBe(true);
  });

  it('stops within the cap where line 1 never ends', async () => {
    for (const first of ['--- ', 'x']) {
      const { stream, taken, closed } = endless(first, ' ');
      expect(await codeOf(parseFrontmatterStream(stream))).toBe('MISSING_FRONTMATTER');
      expect(taken()).toBeLessThan(5_000);
      expect(closed()).toBe(true);
    }
  });

  it('caps the file', async () => {
    const head = skillOf('name: a', 'description: b');
    const body = 'x'.repeat(1_000);
    const { body: read } = await parseFrontmatterStream(Readable.from([head, body]), { maxFileBytes: 1_100 });
    expect(read).toBe(body);
    expect(await codeOf(parseFrontmatterStream(Readable.from([head, body]), { maxFileBytes: 1_000 }))).toBe(
      'FILE_TOO_LARGE',
    );
    const { stream, taken } = endless(head, 'y'.repeat(65_536));
    expect(await codeOf(parseFrontmatterStream(stream))).toBe('FILE_TOO_LARGE');
    expect(taken()).toBeLessThanOrEqual(16_777_216 + 65_536);
  });

  it('cancels a web stream', async () => {
    let cancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(bytesOf('no frontmatter\n')),
      cancel: () => {
        cancelled = true;
      },
    });
    expect(await codeOf(parseFrontmatterStream(stream))).toBe('MISSING_FRONTMATTER');
    expect(cancelled).toBe(true);
  });

  it('wraps the error of the stream', async () => {
    const broken = new Error('disk on fire at /secret/place');
    async function* failing(): AsyncGenerator<string> {
      yield '---\n';
      throw broken;
    }
    const error = await parseFrontmatterStream(failing()).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code: 'FILE_UNREADABLE', cause: broken });
    expect((error as Error).message).not.toContain('secret');
  });
});
