import { describe, expect, it } from 'vitest';
import { stripWrapper } from '../../src/archive/index.ts';

const of = (...paths: string[]) =>
  paths.map((path) => ({ path, kind: path.endsWith('/') ? 'directory' : 'file' }));
const trimmed = (...paths: string[]) =>
  of(...paths).map(({ path, kind }) => ({ path: path.replace(/\/$/, ''), kind }));

describe('stripWrapper', () => {
  it.each<[string, string[], string | undefined, string[]]>([
    ['the folder of a Finder', ['find/SKILL.md', 'find/scripts/a.py'], 'find', ['SKILL.md', 'scripts/a.py']],
    [
      'the folder of GitHub, named by itself',
      ['repo-main/', 'repo-main/pdf/', 'repo-main/pdf/SKILL.md'],
      'repo-main',
      ['pdf', 'pdf/SKILL.md'],
    ],
    ['one level only', ['a/b/c/SKILL.md'], 'a', ['b/c/SKILL.md']],
    [
      'nothing when a file stands at the root',
      ['a/SKILL.md', 'README.md'],
      undefined,
      ['a/SKILL.md', 'README.md'],
    ],
    [
      'nothing when there are two folders',
      ['a/SKILL.md', 'b/SKILL.md'],
      undefined,
      ['a/SKILL.md', 'b/SKILL.md'],
    ],
    ['nothing when an empty folder stands beside', ['a/SKILL.md', 'b/'], undefined, ['a/SKILL.md', 'b']],
    ['nothing of one empty folder', ['a/'], undefined, ['a']],
    ['nothing of nothing', [], undefined, []],
    ['not a folder whose name begins the same', ['a/x', 'ab/y'], undefined, ['a/x', 'ab/y']],
  ])('takes off %s', (_, paths, wrapper, left) => {
    const found = stripWrapper(trimmed(...paths));
    expect(found.wrapper).toBe(wrapper);
    expect(found.entries.map(({ path }) => path)).toEqual(left);
  });

  it('keeps what else an entry carries', () => {
    const bytes = Buffer.from('x');
    expect(stripWrapper([{ path: 'a/x', mode: 0o644, bytes }]).entries).toEqual([
      { path: 'x', mode: 0o644, bytes },
    ]);
  });
});
