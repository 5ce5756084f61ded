import { describe, expect, test } from 'vitest';
import {
  canonicalUri,
  encodeSegment,
  formatSkillUri,
  isAddressableName,
  isIndexUri,
  manifestUri,
  parseSkillUri,
  skillRootUri,
  splitSkillUri,
  uriFromSegments,
} from '../../src/uri/index.ts';
import { codeOf } from './code-of.ts';

const UNRESERVED = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~';

describe('encodeSegment', () => {
  test('leaves exactly the unreserved characters of ASCII alone', () => {
    for (let code = 0x20; code < 0x7f; code++) {
      const char = String.fromCharCode(code);
      if ('/\\'.includes(char)) continue;
      const encoded = encodeSegment(`x${char}`);
      const hex = `x%${code.toString(16).toUpperCase()}`;
      expect(encoded).toBe(UNRESERVED.includes(char) ? `x${char}` : hex);
    }
  });

  test.each([
    ['how to.md', 'how%20to.md'],
    ['how%20to.md', 'how%2520to.md'],
    ['café.md', 'caf%C3%A9.md'],
    ['cafe\u0301.md', 'cafe%CC%81.md'],
    ['c#', 'c%23'],
    ['\u{1f600}', '%F0%9F%98%80'],
    ['%2e%2e', '%252e%252e'],
  ])('writes %s as %s', (name, encoded) => {
    expect(encodeSegment(name)).toBe(encoded);
  });

  test.each([
    ['', 'EMPTY_PATH_SEGMENT'],
    ['.', 'PATH_TRAVERSAL'],
    ['..', 'PATH_TRAVERSAL'],
    ['a/b', 'INVALID_SEGMENT'],
    ['a\\b', 'INVALID_SEGMENT'],
    ['a\u0000', 'INVALID_SEGMENT'],
    ['a\u007f', 'INVALID_SEGMENT'],
    ['a\u009f', 'INVALID_SEGMENT'],
    ['\udc00', 'INVALID_SEGMENT'],
    ['a\ud83d', 'INVALID_SEGMENT'],
  ])('refuses %j with %s, and it is no addressable name', (name, code) => {
    expect(codeOf(() => encodeSegment(name))).toBe(code);
    expect(isAddressableName(name)).toBe(false);
  });

  test.each([['...'], ['.env'], [' '], ['SKILL.md'], ['a\u00a0b'], ['CON'], ['\ufeffx']])(
    '%j is an addressable name',
    (name) => {
      expect(isAddressableName(name)).toBe(true);
    },
  );
});

describe('uriFromSegments', () => {
  test('writes one canonical text', () => {
    expect(uriFromSegments(['My Skills', 'demo', 'a:b.md'])).toBe('skill://My%20Skills/demo/a%3Ab.md');
    expect(uriFromSegments(['demo'], 'repo')).toBe('repo://demo');
  });

  test.each([
    [[], undefined, 'EMPTY_SKILL_PATH'],
    [['a', ''], undefined, 'EMPTY_PATH_SEGMENT'],
    [['a', '..'], undefined, 'PATH_TRAVERSAL'],
    [['a'], 'Re po', 'INVALID_SCHEME'],
    [['é'.repeat(2000)], undefined, 'URI_TOO_LONG'],
  ])('refuses %j with scheme %s', (segments, scheme, code) => {
    expect(codeOf(() => uriFromSegments(segments, scheme))).toBe(code);
  });
});

describe('formatSkillUri, manifestUri, skillRootUri', () => {
  test('take text as well as a parsed value', () => {
    expect(formatSkillUri('SKILL://demo/how to.md')).toBe('skill://demo/how%20to.md');
    expect(manifestUri('skill:/demo/SKILL.md')).toBe('skill://demo/SKILL.md');
    expect(skillRootUri('skill://demo/SKILL.md')).toBe('skill://demo/');
    expect(skillRootUri(parseSkillUri('skill://demo/SKILL.md'))).toBe('skill://demo/');
  });

  test('know nothing of a skill while the boundary is unknown', () => {
    expect(manifestUri('skill://demo/a.md')).toBe('');
    expect(skillRootUri('skill://demo/a.md')).toBe('');
    expect(manifestUri(splitSkillUri('skill://demo/a.md', 1))).toBe('skill://demo/SKILL.md');
  });

  test('pass the options on', () => {
    expect(manifestUri('repo://demo/SKILL.md', { anyScheme: true })).toBe('repo://demo/SKILL.md');
    expect(codeOf(() => manifestUri('repo://demo/SKILL.md'))).toBe('INVALID_SCHEME');
  });
});

describe('canonicalUri', () => {
  test.each([
    ['skill://demo/a%3Ab.md', 'skill://demo/a%3Ab.md'],
    ['skill://demo/a:b.md', 'skill://demo/a%3Ab.md'],
    ['skill://demo/a%3ab.md', 'skill://demo/a%3Ab.md'],
    ['Skill:///demo/%61', 'skill://demo/a'],
    ['skill:/demo/a', 'skill://demo/a'],
    ['skill://démo/x', 'skill://d%C3%A9mo/x'],
    ['skill://demo/references/', 'skill://demo/references/'],
    ['skill://SKILL.md/x', 'skill://SKILL.md/x'],
  ])('%s becomes %s', (text, canonical) => {
    expect(canonicalUri(text)).toBe(canonical);
  });

  test.each([
    ['skill://demo/..', 'PATH_TRAVERSAL'],
    ['skill://./x', 'PATH_TRAVERSAL'],
    ['skill://demo/../', 'PATH_TRAVERSAL'],
    ['skill://demo//', 'EMPTY_PATH_SEGMENT'],
    ['skill://demo/x?', 'URI_PART_REFUSED'],
    ['repo://demo/x', 'INVALID_SCHEME'],
    [`skill://${'é'.repeat(2000)}`, 'URI_TOO_LONG'],
  ])('refuses %s with %s', (text, code) => {
    expect(codeOf(() => canonicalUri(text))).toBe(code);
  });

  test('judges the escape of every byte, in both letter cases', () => {
    for (let byte = 0; byte < 256; byte++) {
      const upper = `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
      const char = String.fromCharCode(byte);
      for (const spelled of [upper, upper.toLowerCase()]) {
        const uri = `skill://demo/x${spelled}y`;
        if (byte >= 0x80) {
          expect(codeOf(() => canonicalUri(uri))).toBe('INVALID_SCHEME');
        } else if (byte < 0x20 || byte === 0x7f || '/\\'.includes(char)) {
          expect(codeOf(() => canonicalUri(uri))).toBe('INVALID_SEGMENT');
        } else {
          const spelling = UNRESERVED.includes(char) ? char : upper;
          expect(canonicalUri(uri)).toBe(`skill://demo/x${spelling}y`);
          expect(parseSkillUri(uri).segments).toEqual(['demo', `x${char}y`]);
        }
      }
    }
  });

  test.each([
    ['skill://demo/%', 'INVALID_SCHEME'],
    ['skill://demo/%2', 'INVALID_SCHEME'],
    ['skill://demo/%20/%2', 'INVALID_SCHEME'],
    ['skill://demo/%2G', 'INVALID_SCHEME'],
    ['skill://demo/%20\n', 'INVALID_SCHEME'],
    ['skill://%20/..', 'PATH_TRAVERSAL'],
  ])('refuses the bad escape in %j', (text, code) => {
    expect(codeOf(() => canonicalUri(text))).toBe(code);
  });

  test('with anyScheme keeps what tells foreign URIs apart', () => {
    const any = { anyScheme: true };
    expect(canonicalUri('FILE:///a/b c', any)).toBe('file:///a/b%20c');
    expect(canonicalUri('file:/a/b%20c', any)).toBe('file:/a/b%20c');
  });
});

test('isIndexUri never throws', () => {
  expect(isIndexUri(parseSkillUri('skill://index.json'))).toBe(true);
  expect(isIndexUri(parseSkillUri('skill://index.json/'))).toBe(false);
  expect(isIndexUri('SKILL://index.json')).toBe(false);
  expect(isIndexUri(null as unknown as string)).toBe(false);
});
