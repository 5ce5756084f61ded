import { describe, expect, test } from 'vitest';
import { formatSkillUri, parseSkillUri, resolveRelative, splitSkillUri } from '../../src/uri/index.ts';
import { codeOf } from './code-of.ts';

const DEMO = 'skill://demo/SKILL.md';

describe('resolveRelative', () => {
  test.each([
    ['references/style.md', 'skill://demo/references/style.md'],
    ['./references/style.md', 'skill://demo/references/style.md'],
    ['references/style.md#usage', 'skill://demo/references/style.md'],
    ['references/style.md?a=../../b#c', 'skill://demo/references/style.md'],
    ['how to.md', 'skill://demo/how%20to.md'],
    ['how%20to.md', 'skill://demo/how%20to.md'],
    ['c%23/q%3F.md', 'skill://demo/c%23/q%3F.md'],
    ['a/b/../c.md', 'skill://demo/a/c.md'],
    ['../demo/x.md', 'skill://demo/x.md'],
    ['./C:/x', 'skill://demo/C%3A/x'],
    ['%252e%252e', 'skill://demo/%252e%252e'],
    ['SKILL.md', 'skill://demo/SKILL.md'],
  ])('%s leads to %s', (ref, uri) => {
    expect(formatSkillUri(resolveRelative(DEMO, ref))).toBe(uri);
  });

  test('resolves against the nested root when that is what was read', () => {
    expect(formatSkillUri(resolveRelative('skill://p/q/SKILL.md', 'references/a.md'))).toBe(
      'skill://p/q/references/a.md',
    );
  });

  test.each([
    ['../other/x', 'RELATIVE_ESCAPES_SKILL'],
    ['..', 'RELATIVE_ESCAPES_SKILL'],
    ['../', 'RELATIVE_ESCAPES_SKILL'],
    ['../../../demo/x', 'RELATIVE_ESCAPES_SKILL'],
    ['../demo2/x', 'RELATIVE_ESCAPES_SKILL'],
    ['/x', 'RELATIVE_ESCAPES_SKILL'],
    ['//demo/x', 'RELATIVE_ESCAPES_SKILL'],
    ['%2fx', 'RELATIVE_ESCAPES_SKILL'],
    ['\\x', 'RELATIVE_ESCAPES_SKILL'],
    ['%5Cx', 'RELATIVE_ESCAPES_SKILL'],
    ['\\\\host\\share\\x', 'RELATIVE_ESCAPES_SKILL'],
    ['C:\\x', 'RELATIVE_ESCAPES_SKILL'],
    ['c:x', 'RELATIVE_ESCAPES_SKILL'],
    ['file:x', 'RELATIVE_ESCAPES_SKILL'],
    ['skill://demo/x', 'RELATIVE_ESCAPES_SKILL'],
    ['1:x', 'INVALID_SCHEME'],
    ['', 'EMPTY_PATH_SEGMENT'],
    ['.', 'EMPTY_PATH_SEGMENT'],
    ['#usage', 'EMPTY_PATH_SEGMENT'],
    ['../demo', 'EMPTY_PATH_SEGMENT'],
    ['a//b', 'EMPTY_PATH_SEGMENT'],
    ['a//..', 'EMPTY_PATH_SEGMENT'],
    ['a//', 'EMPTY_PATH_SEGMENT'],
    ['%2e%2e/x', 'PATH_TRAVERSAL'],
    ['a/%2E%2E/%2e%2e/x', 'PATH_TRAVERSAL'],
    ['..%2fx', 'INVALID_SEGMENT'],
    ['..\\x', 'INVALID_SEGMENT'],
    ['a%00', 'INVALID_SEGMENT'],
    ['a\u0000', 'INVALID_SCHEME'],
    ['%', 'INVALID_SCHEME'],
    ['\ud800', 'INVALID_SCHEME'],
    ['inner/SKILL.md', 'MANIFEST_NOT_IN_ROOT'],
    ['x'.repeat(8193), 'URI_TOO_LONG'],
    ['é'.repeat(2000), 'URI_TOO_LONG'],
  ])('refuses %j with %s', (ref, code) => {
    expect(codeOf(() => resolveRelative(DEMO, ref))).toBe(code);
  });

  test('{ nested } takes a SKILL.md below the root as a plain file', () => {
    expect(resolveRelative(DEMO, 'inner/SKILL.md', { nested: true })).toMatchObject({
      skillPath: ['demo'],
      filePath: ['inner', 'SKILL.md'],
      isManifest: false,
    });
  });

  test('needs a root whose boundary is known', () => {
    expect(codeOf(() => resolveRelative('skill://demo/a.md', 'b.md'))).toBe('NOT_MANIFEST_URI');
    expect(resolveRelative(splitSkillUri('skill://demo/x/a.md', 1), 'b.md').filePath).toEqual(['b.md']);
  });

  test('keeps the scheme and slashes of a foreign root', () => {
    const root = parseSkillUri('file:///srv/demo/SKILL.md', { anyScheme: true });
    expect(formatSkillUri(resolveRelative(root, 'a.md?x'))).toBe('file:///srv/demo/a.md');
  });

  test('keeps query and fragment in raw, for a host that follows them', () => {
    expect(resolveRelative(DEMO, 'a.md?x#y').raw).toBe('skill://demo/a.md?x#y');
  });

  test('refuses a reference that is no string', () => {
    expect(codeOf(() => resolveRelative(DEMO, 7 as unknown as string))).toBe('INVALID_SCHEME');
  });
});

describe('splitSkillUri', () => {
  test.each([[0], [-1], [1.5], [Number.NaN], [4], [Number.POSITIVE_INFINITY]])('refuses %s of three', (n) => {
    expect(codeOf(() => splitSkillUri('skill://a/b/c', n))).toBe('EMPTY_SKILL_PATH');
  });

  test('{ nested } takes a SKILL.md below the root as a plain file', () => {
    const uri = 'skill://outer/inner/SKILL.md';
    expect(splitSkillUri(uri, 1, { nested: true })).toMatchObject({
      skillPath: ['outer'],
      filePath: ['inner', 'SKILL.md'],
      isManifest: false,
    });
    expect(codeOf(() => splitSkillUri(uri, 1))).toBe('MANIFEST_NOT_IN_ROOT');
    expect(splitSkillUri('skill://outer/My_Notes/SKILL.md', 1, { nested: true }).filePath).toEqual([
      'My_Notes',
      'SKILL.md',
    ]);
  });
});
