import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { uriTemplate } from '../../src/prompts/index.ts';
import { codeOf } from '../uri/code-of.ts';

describe('a match', () => {
  test.each<[string, string, unknown]>([
    ['a://x', 'a://x', {}],
    ['a://x', 'a://x?q=1', {}],
    ['a://x', 'a://x/', undefined],
    ['a://{x}-{y*}', 'a://a-b/c-d', { x: 'a', y: 'b/c-d' }],
    ['a://{x}-{y}', 'a://1-2-3', { x: '1-2', y: '3' }],
    ['a://{x}{y}', 'a://ab', { x: 'a', y: 'b' }],
    ['a://{x}{y}', 'a://a', undefined],
    ['a://{x*}/end', 'a://1/2/end', { x: '1/2' }],
    ['a://{x*}/end', 'a://end', undefined],
    ['a://{x}/{x2}', 'a://%2F/%25', { x: '/', x2: '%' }],
    ['a://{x}', 'a://%2525', { x: '%25' }],
    ['a://{x}', 'a://%E0%A4%A', undefined],
    ['a://i{?q}', 'a://i?q=100%', { q: '100%' }],
    ['a://i{?q}', 'a://i?q', { q: '' }],
    ['a://i{?q}', 'a://i??q=a', {}],
    ['a://i{?q}', 'a://i?&&q=a&', { q: 'a' }],
    ['a://i{?q}', 'a://i?q=a=b', { q: 'a=b' }],
    ['a://i{?q}', 'a://i?%71=a', { q: 'a' }],
    ['a://i{?q}', 'a://j?q=a', undefined],
    ['a://i{?toString}', 'a://i', {}],
    ['a://{__proto__}', 'a://x', JSON.parse('{"__proto__": "x"}')],
  ])('%s of %s', (template, uri, wanted) => {
    expect(uriTemplate(template).match(uri)).toEqual(wanted);
  });

  test('is none for a URI over 8 KiB', () => {
    const template = uriTemplate('a://{x*}');
    expect(template.match(`a://${'x'.repeat(8188)}`)).toBeDefined();
    expect(template.match(`a://${'x'.repeat(8189)}`)).toBeUndefined();
  });

  test('takes no more steps for a hostile URI than its length', () => {
    const template = uriTemplate('a://{a*}/{b*}/{c*}/{d*}/{e*}/{f*}/{g*}/{h*}/end');
    for (let round = 0; round < 20; round++)
      expect(template.match(`a://${'x/'.repeat(4000)}no`)).toBeUndefined();
  });
});

test('a match agrees with a regular expression', () => {
  const part = fc.constantFrom('{a}', '{b*}', '/', '-', 'x');
  const templates = fc
    .array(part, { minLength: 1, maxLength: 6 })
    .filter(
      (parts) => new Set(parts.filter((p) => p[0] === '{')).size === parts.filter((p) => p[0] === '{').length,
    );
  fc.assert(
    fc.property(templates, fc.stringMatching(/^[a-bx/-]{0,10}$/), (parts, path) => {
      const source = parts
        .map((each) => (each === '{a}' ? '(?<a>[^/]+)' : each === '{b*}' ? '(?<b>.+)' : each))
        .join('');
      const found = new RegExp(`^t:${source}$`).exec(`t:${path}`);
      const values = uriTemplate(`t:${parts.join('')}`).match(`t:${path}`);
      expect(values).toEqual(found === null ? undefined : { ...found.groups });
    }),
    { numRuns: 2000 },
  );
});

describe('an expansion', () => {
  test.each<[string, Record<string, string | number>, string]>([
    ['a://{p*}', { p: 'guide/a b.md' }, 'a://guide/a%20b.md'],
    ['a://{p}', { p: "it's(!)*" }, 'a://it%27s%28%21%29%2A'],
    ['a://i{?q,n}', { n: 0, q: '' }, 'a://i?q=&n=0'],
    ['a://i{?q}', { other: 1 }, 'a://i'],
  ])('%s %j', (template, values, uri) => {
    expect(uriTemplate(template).expand(values)).toBe(uri);
  });

  test('comes back', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
    const template = uriTemplate('a://{id}/{path*}/end{?q,tag}');
    fc.assert(
      fc.property(text, text, text, (id, path, q) => {
        const uri = template.expand({ id, path, q });
        expect(template.match(uri)).toEqual({ id, path, q });
      }),
    );
  });

  test.each([
    [{}, 'INVALID_REQUEST'],
    [{ p: '' }, 'INVALID_REQUEST'],
    [{ p: '\ud800' }, 'INVALID_REQUEST'],
  ])('refuses %j', (values, code) => {
    expect(codeOf(() => uriTemplate('a://{p}').expand(values as Record<string, string>))).toBe(code);
  });
});

test.each([
  'a://{',
  'a://}',
  'a://{}',
  'a://{+x}',
  'a://{x:3}',
  'a://{a b}',
  'a://{?q}/x',
  'a://{?}',
  'a://{{x}}',
  'a://{?q,}',
])('%s is no template', (text) => {
  expect(codeOf(() => uriTemplate(text))).toBe('INVALID_REQUEST');
});
