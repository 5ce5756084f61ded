import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { digestOf, digestOfStream, isDigest, sameDigest, verifyDigest } from '../../src/integrity/index.ts';
import { codeOf } from '../uri/code-of.ts';

interface Case {
  readonly area: string;
  readonly name: string;
  readonly input: { readonly body: string; readonly expected: string; readonly digest: string };
  readonly expect: Readonly<Record<string, unknown>>;
}
const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL('../vectors/digest.json', import.meta.url), 'utf8'),
);

function run({ area, input }: Case): unknown {
  if (area === 'digest-format') return { conforms: isDigest(input.digest) };
  if (area === 'digest-compute') return { digest: digestOf(Buffer.from(input.body)) };
  let digestVerified: boolean | undefined;
  const error = codeOf(() => {
    digestVerified = verifyDigest(Buffer.from(input.body), input.expected, 'skill://demo/x');
  });
  return error === undefined ? { digestVerified, ok: true } : { error };
}

describe('recorded cases of seed 000', () => {
  test.each(cases.map((c) => [`${c.area}: ${c.name}`, c] as const))('%s', (_, recorded) => {
    expect(run(recorded)).toEqual(recorded.expect);
  });

  test('are all there', () => {
    expect(cases).toHaveLength(19);
  });
});

describe('digestOf', () => {
  test.each([
    ['6180', 'sha256:119792a4ff6ca25186b81fe68e4e9da6870d1d77463da46b2a7497d46dc18a70'],
    ['6181', 'sha256:40b70e9689346d0c305888bb25f342daef0a38b1a9da15a6bc0b48a1687f59fe'],
    ['eda080', 'sha256:91a681b998555fb475479817b126c94e57e52011fa1842c5d188795a4a05226b'],
    ['610d0a', 'sha256:8e4621379786ef42a4fec155cd525c291dd7db3c1fde3478522f4f61c03fd1bd'],
  ])('is over raw octets: %s', (hex, digest) => {
    expect(digestOf(Buffer.from(hex, 'hex'))).toBe(digest);
  });

  test('takes a view into a larger buffer', () => {
    const whole = new Uint8Array([0, 0x78, 0]);
    expect(digestOf(whole.subarray(1, 2))).toBe(
      'sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
    );
  });
});

test('digestOfStream equals digestOf and counts bytes', async () => {
  const chunks = [Buffer.from('a\r'), Buffer.from('\n'), new Uint8Array(0)];
  expect(await digestOfStream(chunks)).toEqual({
    digest: 'sha256:8e4621379786ef42a4fec155cd525c291dd7db3c1fde3478522f4f61c03fd1bd',
    size: 3,
  });
});

test('digestOfStream passes on what the stream throws', async () => {
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('a');
    throw new Error('the disk is gone');
  }
  await expect(digestOfStream(broken())).rejects.toThrow('the disk is gone');
});

test.each([
  ['sha256:', 'sha256:', false],
  ['', '', false],
  ['sha512:x', 'sha512:x', false],
  [`sha256:${'a'.repeat(64)}`, `SHA256:${'A'.repeat(64)}`, true],
  [`sha256:${'a'.repeat(64)}`, `sha256:${'b'.repeat(64)}`, false],
  [`sha256:${'a'.repeat(64)}`, `sha256:${'a'.repeat(64)}`, true],
])('sameDigest(%s, %s) is %s', (a, b, same) => {
  expect(sameDigest(a, b)).toBe(same);
});

test.each([
  [undefined],
  [null],
  [7],
  [`sha256:${'a'.repeat(64)}\n`],
  [`SHA256:${'a'.repeat(64)}`],
  [`sha256:${'A'.repeat(64)}`],
])('%j is no digest of an entry', (value) => {
  expect(isDigest(value)).toBe(false);
});
