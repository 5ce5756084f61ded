import { describe, expect, test } from 'vitest';
import type { SkillError } from '../../src/errors.ts';
import { formatSkillUri, parseSkillUri } from '../../src/uri/index.ts';
import { codeOf } from './code-of.ts';

describe('parseSkillUri', () => {
  test('gives every part of the URI of a SKILL.md', () => {
    expect(parseSkillUri('skill://acme/billing/refunds/SKILL.md')).toEqual({
      scheme: 'skill',
      raw: 'skill://acme/billing/refunds/SKILL.md',
      segments: ['acme', 'billing', 'refunds', 'SKILL.md'],
      skillPath: ['acme', 'billing', 'refunds'],
      filePath: ['SKILL.md'],
      skillName: 'refunds',
      isManifest: true,
    });
  });

  test.each([
    ['an accent, raw', 'skill://demo/café.md', ['demo', 'café.md']],
    ['an accent, encoded', 'skill://demo/caf%C3%A9.md', ['demo', 'café.md']],
    ['an accent, lower-case hex', 'skill://demo/caf%c3%a9.md', ['demo', 'café.md']],
    ['a decomposed accent stays decomposed', 'skill://demo/cafe%CC%81.md', ['demo', 'cafe\u0301.md']],
    ['an emoji', 'skill://demo/\u{1f600}.md', ['demo', '\u{1f600}.md']],
    ['reserved characters', 'skill://demo/note%237%20%26k%3D1%2Bx%3F.md', ['demo', 'note#7 &k=1+x?.md']],
    [
      'reserved characters, raw',
      "skill://demo/[English] talk {1} *!'().txt",
      ['demo', "[English] talk {1} *!'().txt"],
    ],
    ['a plus is a plus', 'skill://demo/a+b', ['demo', 'a+b']],
    ['a percent sign', 'skill://demo/how%2520to.md', ['demo', 'how%20to.md']],
    ['a colon in the first name', 'skill://a%3Ab/x', ['a:b', 'x']],
    ['an unreserved letter, encoded', 'skill://d%65mo/x', ['demo', 'x']],
    ['one trailing slash', 'skill://demo/references/', ['demo', 'references']],
    ['three slashes', 'skill:///demo/x', ['demo', 'x']],
  ])('reads %s', (_, text, segments) => {
    expect(parseSkillUri(text).segments).toEqual(segments);
    expect(parseSkillUri(text).raw).toBe(text);
  });

  test.each([
    ['skill://demo/%ZZ.md', 'INVALID_SCHEME'],
    ['skill://demo/%', 'INVALID_SCHEME'],
    ['skill://demo/%C3%28.md', 'INVALID_SCHEME'],
    ['skill://%E0%A4%A/SKILL.md', 'INVALID_SCHEME'],
    ['skill://demo/%C0%AE%C0%AE/x', 'INVALID_SCHEME'],
    ['skill://demo/%ED%A0%80', 'INVALID_SCHEME'],
    ['skill://demo/\ud800', 'INVALID_SCHEME'],
    ['skill://demo/a\nb', 'INVALID_SCHEME'],
    ['skill://demo/x\n', 'INVALID_SCHEME'],
    ['\u00a0skill://demo/x', 'INVALID_SCHEME'],
    ['skill', 'INVALID_SCHEME'],
    ['skill:', 'EMPTY_SKILL_PATH'],
    ['skill://demo/a%2Fb.md', 'INVALID_SEGMENT'],
    ['skill://demo/..%2Fx', 'INVALID_SEGMENT'],
    ['skill://demo/..%5cx', 'INVALID_SEGMENT'],
    ['skill://demo/a%0Ab', 'INVALID_SEGMENT'],
    ['skill://demo/a%7Fb', 'INVALID_SEGMENT'],
    ['skill://demo/a%C2%85b', 'INVALID_SEGMENT'],
    ['skill://demo/a\u0085b', 'INVALID_SEGMENT'],
    ['skill://demo/%2e%2e/x', 'PATH_TRAVERSAL'],
    ['skill://demo/%2E/x', 'PATH_TRAVERSAL'],
    ['skill://../../etc/passwd/SKILL.md', 'PATH_TRAVERSAL'],
    ['skill://demo/../../x/SKILL.md', 'PATH_TRAVERSAL'],
    ['skill://demo/./SKILL.md', 'PATH_TRAVERSAL'],
    ['skill://demo//SKILL.md', 'EMPTY_PATH_SEGMENT'],
    ['skill:////demo/x', 'EMPTY_PATH_SEGMENT'],
    ['skill://demo/SKILL.md?x=1', 'URI_PART_REFUSED'],
    ['skill://demo/SKILL.md#top', 'URI_PART_REFUSED'],
    ['skill://demo/SKILL.md#', 'URI_PART_REFUSED'],
    ['skill://user@demo/SKILL.md', 'URI_PART_REFUSED'],
    ['skill://demo:80/SKILL.md', 'URI_PART_REFUSED'],
    ['skill://[::1]/x', 'URI_PART_REFUSED'],
    ['github://demo/SKILL.md', 'INVALID_SCHEME'],
  ])('refuses %j with %s', (text, code) => {
    expect(codeOf(() => parseSkillUri(text))).toBe(code);
  });

  test.each([[undefined], [null], [7], [Symbol('x')], [[]]])('refuses what is no string: %s', (value) => {
    expect(codeOf(() => parseSkillUri(value as unknown as string))).toBe('INVALID_SCHEME');
  });

  test('counts bytes, not characters, against the limit of 8,192', () => {
    const fits = `skill://d/${'a'.repeat(8182)}`;
    expect(parseSkillUri(fits).segments[1]).toHaveLength(8182);
    expect(codeOf(() => parseSkillUri(`${fits}a`))).toBe('URI_TOO_LONG');
    expect(parseSkillUri(`skill://d/${'é'.repeat(4091)}`).segments[1]).toHaveLength(4091);
    expect(codeOf(() => parseSkillUri(`skill://d/${'é'.repeat(4092)}`))).toBe('URI_TOO_LONG');
  });

  test('says what, where and how to write it, on one line', () => {
    try {
      parseSkillUri('skill://demo/a#b\u2028c');
      expect.unreachable();
    } catch (error) {
      expect((error as SkillError).message).toBe(
        '"skill://demo/a#b\\u2028c" has a fragment, which skill URIs do not have; write "#" in a name as "%23"',
      );
      expect((error as SkillError).details).toEqual({ uri: 'skill://demo/a#b\u2028c', part: 'fragment' });
    }
  });
});

describe('{ nested }', () => {
  test.each([
    ['skill://outer/SKILL.md/x.md', [], false],
    ['skill://SKILL.md/foo/SKILL.md', ['SKILL.md', 'foo'], true],
    ['skill://outer/My_Notes/SKILL.md', [], false],
    ['skill://outer/inner/SKILL.md', ['outer', 'inner'], true],
    ['skill://outer/SKILL.md/SKILL.md', [], false],
  ])('reads %s', (text, skillPath, isManifest) => {
    expect(parseSkillUri(text, { nested: true })).toMatchObject({ skillPath, isManifest });
  });

  test.each([
    ['skill://My_Notes/SKILL.md', 'INVALID_SKILL_NAME'],
    ['skill://SKILL.md', 'EMPTY_SKILL_PATH'],
    ['skill://SKILL.md/SKILL.md', 'INVALID_SKILL_NAME'],
  ])('still refuses %s with %s', (text, code) => {
    expect(codeOf(() => parseSkillUri(text, { nested: true }))).toBe(code);
  });
});

describe('{ anyScheme }', () => {
  test.each([
    ['GITHUB://owner/repo/demo/SKILL.md', ['owner', 'repo', 'demo'], 'github://owner/repo/demo/SKILL.md'],
    ['file:///srv/demo/SKILL.md', ['srv', 'demo'], 'file:///srv/demo/SKILL.md'],
    ['file:/srv/demo/SKILL.md', ['srv', 'demo'], 'file:/srv/demo/SKILL.md'],
    ['repo:demo/SKILL.md', ['demo'], 'repo:demo/SKILL.md'],
    ['skill:///demo/SKILL.md', ['demo'], 'skill://demo/SKILL.md'],
  ])('reads %s and keeps the slashes that mean something there', (text, skillPath, canonical) => {
    const parsed = parseSkillUri(text, { anyScheme: true });
    expect(parsed).toMatchObject({ skillPath, isManifest: true });
    expect(formatSkillUri(parsed)).toBe(canonical);
  });

  test.each([
    ['https://user@example.org/demo/SKILL.md', 'URI_PART_REFUSED'],
    ['https://example.org:8080/demo/SKILL.md', 'URI_PART_REFUSED'],
    ['https://example.org/demo/SKILL.md?v=1', 'URI_PART_REFUSED'],
    ['https://example.org/demo/../SKILL.md', 'PATH_TRAVERSAL'],
    ['urn:', 'EMPTY_SKILL_PATH'],
    ['1a://demo/SKILL.md', 'INVALID_SCHEME'],
    ['skill:demo/SKILL.md', 'EMPTY_SKILL_PATH'],
  ])('refuses %s with %s', (text, code) => {
    expect(codeOf(() => parseSkillUri(text, { anyScheme: true }))).toBe(code);
  });
});
