import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  assertSafePath,
  collisionKey,
  compareCodePoints,
  isSafePath,
  isSafeSegment,
  windowsNameProblem,
} from '../../src/source/index.ts';
import { codeOf } from './support.ts';

describe('paths', () => {
  test.each([
    ['..', 'PATH_TRAVERSAL'],
    ['.', 'PATH_TRAVERSAL'],
    ['a/../b', 'PATH_TRAVERSAL'],
    ['a/./b', 'PATH_TRAVERSAL'],
    ['', 'EMPTY_PATH_SEGMENT'],
    ['/a', 'EMPTY_PATH_SEGMENT'],
    ['a/', 'EMPTY_PATH_SEGMENT'],
    ['a//b', 'EMPTY_PATH_SEGMENT'],
    ['//host/share', 'EMPTY_PATH_SEGMENT'],
    ['a\\b', 'INVALID_SEGMENT'],
    ['\\\\?\\C:\\a', 'INVALID_SEGMENT'],
    ['C:/a', 'INVALID_SEGMENT'],
    ['a/c:', 'INVALID_SEGMENT'],
    ['a\0', 'INVALID_SEGMENT'],
    ['a\nb', 'INVALID_SEGMENT'],
    ['a\u007f', 'INVALID_SEGMENT'],
    ['a\ud800', 'INVALID_SEGMENT'],
    ['\udc00/a', 'INVALID_SEGMENT'],
  ])('%j is %s', (path, code) => {
    expect(codeOf(() => assertSafePath(path))).toBe(code);
    expect(isSafePath(path)).toBe(path === '');
  });

  test.each([
    'a',
    'a/b.md',
    '...',
    '..a',
    'a..',
    ' ',
    'a b',
    'a:b.md',
    'C:a',
    'é',
    '😀/x',
    '%2e%2e',
    '.git',
    '-',
    '~',
  ])('%j is one', (path) => {
    expect(codeOf(() => assertSafePath(path))).toBe('no error');
    expect(isSafePath(path)).toBe(true);
  });

  test('are safe exactly when every segment is', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '.', '/', '\\', '\0', ':', 'C', ' ', '\u0085', '\ud83d', '\ude00', 'é'),
    });
    fc.assert(
      fc.property(text, (path) => {
        const expected = path === '' || path.split('/').every(isSafeSegment);
        expect(isSafePath(path)).toBe(expected);
        expect(codeOf(() => assertSafePath(path)) === 'no error').toBe(expected && path !== '');
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('collision keys', () => {
  test.each([
    ['SKILL.md', 'Skill.md'],
    ['caf\u00e9', 'cafe\u0301'],
    ['CAF\u00c9', 'cafe\u0301'],
    ['stra\u00dfe', 'STRASSE'],
    ['\u03c3\u03c2', '\u03a3\u03a3'],
    ['\u212b', '\u00e5'],
    ['\ufb01', 'FI'],
  ])('of %j and %j are equal', (a, b) => expect(collisionKey(a)).toBe(collisionKey(b)));

  test.each([
    ['SKILL.md', 'SKILL-md'],
    ['e', '\u00e9'],
    ['a', 'a '],
  ])('of %j and %j differ', (a, b) => expect(collisionKey(a)).not.toBe(collisionKey(b)));

  test('do not depend on case or composition', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(collisionKey(name.normalize('NFD'))).toBe(collisionKey(name.normalize('NFC')));
        expect(collisionKey(name.toUpperCase())).toBe(collisionKey(name));
      }),
    );
  });
});

describe('names on Windows', () => {
  test.each([
    'CON',
    'con.md',
    'aux',
    'NUL.tar.gz',
    'COM1',
    'lpt9.txt',
    'COM\u00b9',
    'con .txt',
    'CONIN$',
    'prn ',
  ])('%j is a device', (name) => expect(windowsNameProblem(name)).toContain('device'));
  test.each(['a:b', 'a?', 'a*', '<a>', 'a|b', 'a"b'])('%j has a refused character', (name) =>
    expect(windowsNameProblem(name)).toContain('character'),
  );
  test.each(['a.', 'a '])('%j ends badly', (name) => expect(windowsNameProblem(name)).toContain('ends with'));
  test.each(['SKILL.md', 'console', 'com10', 'nul-a', '.env', 'a.con', '.con'])('%j is fine', (name) =>
    expect(windowsNameProblem(name)).toBeUndefined(),
  );
});

describe('code-point order', () => {
  test('is that of UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(Math.sign(compareCodePoints(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { numRuns: 2_000 },
    );
    expect(['\u{1f600}', '\uff5e', 'a', ''].sort(compareCodePoints)).toEqual([
      '',
      'a',
      '\uff5e',
      '\u{1f600}',
    ]);
  });
});
