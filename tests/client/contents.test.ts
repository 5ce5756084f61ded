import { describe, expect, it } from 'vitest';
import { bytesOf, contentsOf } from '../../src/client/contents.ts';

const URI = 'skill://s/SKILL.md';
const one = (item: unknown): { contents: unknown[] } => ({ contents: [item] });

describe('contentsOf', () => {
  it.each([
    ['text', { uri: URI, text: 'é\u0000\r\n' }, 'c3a9000d0a'],
    ['text with a BOM (cl-bom-lost-in-decode)', { uri: URI, text: '\ufeffhello\n' }, 'efbbbf68656c6c6f0a'],
    ['decomposed text', { uri: URI, text: 'e\u0301' }, '65cc81'],
    ['empty text', { uri: URI, text: '' }, ''],
    ['a blob', { uri: URI, blob: '/+8=' }, 'ffef'],
    ['a blob in lines', { uri: URI, blob: '/+\r\n8=\n' }, 'ffef'],
    ['a blob beside an empty text', { uri: URI, blob: 'eA==', text: '' }, '78'],
    ['text beside null', { uri: URI, text: 'x', blob: null }, '78'],
  ])('decodes %s', (_, item, hex) => {
    const contents = contentsOf(one(item), URI, 100);
    expect(Buffer.from(bytesOf(contents)).toString('hex')).toBe(hex);
    expect(contents.size).toBe(hex.length / 2);
  });

  it('gives bytes of its own at every call', () => {
    const contents = contentsOf(one({ uri: URI, text: 'abc' }), URI, 100);
    const first = bytesOf(contents);
    first.fill(0);
    expect(Buffer.from(bytesOf(contents)).toString()).toBe('abc');
    expect(first.buffer.byteLength).toBe(3);
  });

  it('carries the type and the time to live', () => {
    const contents = contentsOf(
      { ...one({ uri: URI, text: 'x', mimeType: 'text/plain' }), ttlMs: 5 },
      URI,
      9,
    );
    expect(contents).toMatchObject({ uri: URI, mimeType: 'text/plain', ttlMs: 5 });
  });

  it.each([
    ['no contents', {}],
    ['no list', { contents: {} }],
    ['an empty list', { contents: [] }],
    [
      'two contents',
      {
        contents: [
          { uri: URI, text: 'a' },
          { uri: URI, text: 'b' },
        ],
      },
    ],
    ['no object', one('x')],
    ['no uri', one({ text: 'x' })],
    ['neither text nor blob', one({ uri: URI })],
    ['text and blob (cl-verify-one-parse-other)', one({ uri: URI, text: 'evil', blob: 'Z29vZA==' })],
    ['text that is a number', one({ uri: URI, text: 1 })],
    ['base64 of another alphabet', one({ uri: URI, blob: '_-8=' })],
    ['base64 that is cut', one({ uri: URI, blob: '/+8' })],
    ['base64 with text behind it', one({ uri: URI, blob: 'eA==eA==' })],
    ['half a surrogate pair', one({ uri: URI, text: 'a\ud800' })],
  ])('refuses %s', (_, result) => {
    expect(() => contentsOf(result, URI, 100)).toThrow(expect.objectContaining({ code: 'INVALID_RESULT' }));
  });

  it.each([
    ['text', { uri: URI, text: 'abcd' }, 4],
    ['text in bytes, not characters', { uri: URI, text: 'éé' }, 4],
    ['a blob', { uri: URI, blob: 'YWJjZA==' }, 4],
    ['a blob in lines', { uri: URI, blob: 'YWJj\nZA==' }, 4],
  ])('refuses %s beyond the cap, and takes it at the cap', (_, item, size) => {
    expect(contentsOf(one(item), URI, size).size).toBe(size);
    expect(() => contentsOf(one(item), URI, size - 1)).toThrow(
      expect.objectContaining({
        code: 'RESOURCE_TOO_LARGE',
        details: { uri: URI, limit: size - 1, actual: size },
      }),
    );
  });

  it('refuses what is far too large without looking through it', () => {
    // Not even base64: that it is too long shows first.
    expect(() => contentsOf(one({ uri: URI, blob: '!'.repeat(1_000) }), URI, 10)).toThrow(
      expect.objectContaining({ code: 'RESOURCE_TOO_LARGE' }),
    );
  });
});
