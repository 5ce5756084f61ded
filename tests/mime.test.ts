import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mimeTypeFor, mimeTypeOf } from '../src/mime.ts';

interface Case {
  readonly name: string;
  readonly input: { readonly file: string };
  readonly expect: { readonly mimeType: string; readonly field: string };
}
const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL('vectors/mime.json', import.meta.url), 'utf8'),
);
const deviations = readFileSync(new URL('../docs/reference/deviations.md', import.meta.url), 'utf8');

/** Our types where they differ; each is a line in docs/reference/deviations.md. */
const OURS: Readonly<Record<string, string>> = {
  'a.MD': 'text/markdown',
  'a.xml': 'text/xml',
  'a.mjs': 'text/javascript',
};

describe('recorded cases of seed 000', () => {
  test.each(cases.map((c) => [c.input.file, c] as const))('%s', (file, recorded) => {
    const type = OURS[file] ?? recorded.expect.mimeType;
    expect(mimeTypeOf(file)).toBe(type);
    if (OURS[file] !== undefined) expect(type).not.toBe(recorded.expect.mimeType);
  });

  test.each([['a.MD'], ['a.xml'], ['a.mjs'], ['a.svg'], ['README']])(
    'deviations.md has a line for %s',
    (name) => {
      expect(deviations).toContain(`| mime | ${name} |`);
    },
  );

  test('are all there', () => {
    expect(cases).toHaveLength(19);
  });
});

describe('mimeTypeOf', () => {
  test.each([
    ['references/GUIDE.md', 'text/markdown'],
    ['a.b/c', 'application/octet-stream'],
    ['Makefile', 'application/octet-stream'],
    ['.gitignore', 'application/octet-stream'],
    ['config.YAML', 'application/yaml'],
    ['pyproject.toml', 'application/toml'],
    ['run.sh', 'text/x-shellscript'],
    ['x.ts', 'application/typescript'],
    ['x.csv', 'text/csv'],
    ['x.svg', 'image/svg+xml'],
    ['x.JPG', 'image/jpeg'],
    ['x.ttf', 'font/ttf'],
    ['x.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
    ['x.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['x.pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
    ['x.pdf', 'application/pdf'],
    ['x.constructor', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('%s is %s', (path, type) => {
    expect(mimeTypeOf(path)).toBe(type);
  });
});

describe('mimeTypeFor', () => {
  test.each([
    ['LICENSE', true, 'text/plain'],
    ['README', true, 'text/plain'],
    ['LICENSE', false, 'application/octet-stream'],
    ['.gitignore', true, 'text/plain'],
    ['x.unknown', true, 'text/plain'],
    ['a.md', true, 'text/markdown'],
    ['latin1.md', false, 'application/octet-stream'],
    ['a.svg', true, 'image/svg+xml'],
    ['a.png', false, 'image/png'],
    ['a.json', false, 'application/json'],
  ])('%s with text %s is %s', (path, text, type) => {
    expect(mimeTypeFor(path, text)).toBe(type);
  });
});
