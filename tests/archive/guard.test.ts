import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { entryPath, isArchiveNoise } from '../../src/archive/index.ts';
import { codeOf } from './code-of.ts';

describe('entryPath', () => {
  it.each([
    ['SKILL.md', 'SKILL.md'],
    ['./SKILL.md', 'SKILL.md'],
    ['././a//b/./c', 'a/b/c'],
    ['a/', 'a'],
    ['./', ''],
    ['.', ''],
    ['', ''],
    ['...', '...'],
    ['x../..y', 'x../..y'],
    ['%2e%2e/x', '%2e%2e/x'],
    ['~/x', '~/x'],
    ['-rf', '-rf'],
    ['how to/é 日本.md', 'how to/é 日本.md'],
    ['aux.md', 'aux.md'],
    ['ab:b.md', 'ab:b.md'],
    ['.git/config', '.git/config'],
  ])('takes %j as %j', (name, path) => {
    expect(entryPath(name)).toBe(path);
  });

  it.each([
    ['..', 'ARCHIVE_PATH_TRAVERSAL'],
    ['../x', 'ARCHIVE_PATH_TRAVERSAL'],
    ['a/../../x', 'ARCHIVE_PATH_TRAVERSAL'],
    ['a/../b', 'ARCHIVE_PATH_TRAVERSAL'],
    ['a/..', 'ARCHIVE_PATH_TRAVERSAL'],
    ['./../x', 'ARCHIVE_PATH_TRAVERSAL'],
    ['..\\x', 'ARCHIVE_PATH_TRAVERSAL'],
    ['a\\..\\..\\x', 'ARCHIVE_PATH_TRAVERSAL'],
    ['a/..\\x', 'ARCHIVE_PATH_TRAVERSAL'],
    ['/etc/passwd', 'ARCHIVE_ABSOLUTE_PATH'],
    ['/', 'ARCHIVE_ABSOLUTE_PATH'],
    ['//srv/x', 'ARCHIVE_ABSOLUTE_PATH'],
    ['/../x', 'ARCHIVE_ABSOLUTE_PATH'],
    ['\\x', 'ARCHIVE_ABSOLUTE_PATH'],
    ['\\\\srv\\share\\x', 'ARCHIVE_ABSOLUTE_PATH'],
    ['\\\\?\\C:\\x', 'ARCHIVE_ABSOLUTE_PATH'],
    ['C:\\x', 'ARCHIVE_ABSOLUTE_PATH'],
    ['c:x', 'ARCHIVE_ABSOLUTE_PATH'],
    ['C:', 'ARCHIVE_ABSOLUTE_PATH'],
    ['a/C:/x', 'ARCHIVE_ABSOLUTE_PATH'],
    ['a\\b', 'ARCHIVE_UNSAFE_NAME'],
    ['a/b\\c', 'ARCHIVE_UNSAFE_NAME'],
    ['a\0b', 'ARCHIVE_UNSAFE_NAME'],
    ['a\nb', 'ARCHIVE_UNSAFE_NAME'],
    ['a\u007fb', 'ARCHIVE_UNSAFE_NAME'],
    ['a\u0085b', 'ARCHIVE_UNSAFE_NAME'],
    ['a\ud800b', 'ARCHIVE_UNSAFE_NAME'],
    [`${'x'.repeat(255)}`, undefined],
    [`${'x'.repeat(256)}`, 'ARCHIVE_NAME_TOO_LONG'],
    [`${'é'.repeat(127)}x`, undefined],
    [`${'é'.repeat(128)}`, 'ARCHIVE_NAME_TOO_LONG'],
    [`${'d'.repeat(200)}/`.repeat(20) + 'x'.repeat(76), undefined],
    [`${'d'.repeat(200)}/`.repeat(20) + 'x'.repeat(77), 'ARCHIVE_NAME_TOO_LONG'],
    [`${'a/'.repeat(63)}b`, undefined],
    [`${'a/'.repeat(64)}b`, 'ARCHIVE_TOO_DEEP'],
  ])('%j: %s', async (name, code) => {
    expect(await codeOf(() => entryPath(name))).toBe(code);
  });

  it.each([
    ['s\\SKILL.md', 's/SKILL.md', undefined],
    ['s\\', 's', undefined],
    ['s\\agents\\openai.yaml', 's/agents/openai.yaml', undefined],
    ['s\\..\\..\\evil', undefined, 'ARCHIVE_PATH_TRAVERSAL'],
    ['s/a\\b', undefined, 'ARCHIVE_UNSAFE_NAME'],
    ['\\\\srv\\x', undefined, 'ARCHIVE_ABSOLUTE_PATH'],
  ])('with backslashes as separators %j is %j', async (name, path, code) => {
    expect(await codeOf(() => expect(entryPath(name, { backslash: 'separator' })).toBe(path))).toBe(code);
  });

  it('takes a depth of its own, and none', async () => {
    expect(await codeOf(() => entryPath('a/b/c', { maxDepth: 2 }))).toBe('ARCHIVE_TOO_DEEP');
    expect(entryPath(`${'a/'.repeat(1_000)}b`, { maxDepth: -1 })).toHaveLength(2_001);
  });

  it('says what is wrong, with the rule for a program', () => {
    try {
      entryPath('\\\\srv\\x');
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        message: 'the entry "\\\\srv\\x" names a share; pack with paths relative to the skill',
        details: { path: '\\\\srv\\x', rule: 'share' },
      });
    }
  });

  it('gives only paths that stay below the root on every system, whatever the name', async () => {
    const piece = fc.constantFrom(
      '.',
      '..',
      '/',
      '\\',
      'C:',
      'a',
      'é',
      '\0',
      ' ',
      '%2e',
      '~',
      '\ud800',
      'SKILL.md',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 9 }), async (pieces) => {
        const name = pieces.join('');
        for (const backslash of ['refuse', 'separator'] as const) {
          let path = '';
          const code = await codeOf(() => {
            path = entryPath(name, { backslash });
          });
          if (code !== undefined) {
            expect(code).toMatch(/^ARCHIVE_(PATH_TRAVERSAL|ABSOLUTE_PATH|UNSAFE_NAME)$/);
            continue;
          }
          expect(path).not.toMatch(/\\|\0|^\/|\/$|\/\/|(^|\/)\.\.?(\/|$)|(^|\/)[A-Za-z]:(\/|$)/);
          expect(entryPath(path)).toBe(path);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('isArchiveNoise', () => {
  it.each([
    ['__MACOSX', true],
    ['__MACOSX/pdf/._SKILL.md', true],
    ['pdf/__MACOSX/x', true],
    ['pdf/.DS_Store', true],
    ['._SKILL.md', true],
    ['pdf/._a/b', true],
    ['pdf/a._b', false],
    ['x__MACOSX', false],
    ['.DS_Store.md', false],
    ['pdf/.skillignore', false],
  ])('%s: %s', (path, noise) => {
    expect(isArchiveNoise(path)).toBe(noise);
  });
});
