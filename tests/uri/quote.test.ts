import { expect, test } from 'vitest';
import { quote } from '../../src/uri/quote.ts';

test.each([
  ['skill://demo/café.md', '"skill://demo/café.md"'],
  ['日本語', '"日本語"'],
  ['a\r\nb\tc', '"a\\u000d\\u000ab\\u0009c"'],
  ['\u001b[2J', '"\\u001b[2J"'],
  ['a\u2028b\u0085c', '"a\\u2028b\\u0085c"'],
  ['\u202egnp.exe', '"\\u202egnp.exe"'],
  ['a\u200bb\ufeffc', '"a\\u200bb\\ufeffc"'],
  ['\ud800', '"\\ud800"'],
])('%j stands in a message as %s', (text, quoted) => {
  expect(quote(text)).toBe(quoted);
});

test('cuts what is long', () => {
  expect(quote('x'.repeat(161))).toBe(`"${'x'.repeat(160)}…"`);
  expect(quote('x'.repeat(160))).toBe(`"${'x'.repeat(160)}"`);
});
