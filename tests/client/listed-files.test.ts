import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resourcesBelow } from '../../src/client/listed-files.ts';
import { SkillError } from '../../src/errors.ts';
import { canonicalUri, parseSkillUri } from '../../src/uri/index.ts';

const MANIFEST = 'skill://team/pdf/SKILL.md';

function refusal(paths: readonly string[]): SkillError | undefined {
  try {
    resourcesBelow(
      MANIFEST,
      paths.map((path) => ({ path })),
      'INVALID_MANIFEST',
    );
  } catch (error) {
    if (error instanceof SkillError) return error;
    throw error;
  }
  return undefined;
}

describe('resourcesBelow', () => {
  it('gives each file its URI, with what is stated of it and nothing else', () => {
    const digest = `sha256:${'0'.repeat(64)}`;
    expect(
      resourcesBelow(
        MANIFEST,
        [
          { path: 'SKILL.md', digest, size: 3 },
          { path: 'references/how to.md', size: 0 },
          { path: 'a%20b.md' },
          { path: 'a?b#c.md' },
          { path: 'café/ü.md' },
          { path: 'a:b.md' },
          { path: '_manifest' },
          { path: 'inner/SKILL.md' },
          { path: '.hidden' },
        ],
        'INVALID_MANIFEST',
      ),
    ).toEqual([
      { uri: 'skill://team/pdf/SKILL.md', digest, size: 3 },
      { uri: 'skill://team/pdf/references/how%20to.md', size: 0 },
      { uri: 'skill://team/pdf/a%2520b.md' },
      { uri: 'skill://team/pdf/a%3Fb%23c.md' },
      { uri: 'skill://team/pdf/caf%C3%A9/%C3%BC.md' },
      { uri: 'skill://team/pdf/a%3Ab.md' },
      { uri: 'skill://team/pdf/_manifest' },
      { uri: 'skill://team/pdf/inner/SKILL.md' },
      { uri: 'skill://team/pdf/.hidden' },
    ]);
  });

  it('keeps the spelling of the skill that the server uses', () => {
    expect(resourcesBelow('skill://a%2Db/SKILL.md', [{ path: 'SKILL.md' }], 'INVALID_MANIFEST')).toEqual([
      { uri: 'skill://a%2Db/SKILL.md' },
    ]);
  });

  it.each([
    ['leads out', ['SKILL.md', '../x'], '../x'],
    ['leads out and back', ['SKILL.md', 'a/../b'], 'a/../b'],
    ['is absolute', ['SKILL.md', '/etc/passwd'], '/etc/passwd'],
    ['is a share', ['SKILL.md', '//host/x'], '//host/x'],
    ['is absolute on Windows', ['SKILL.md', 'C:/x'], 'C:/x'],
    ['is a drive', ['SKILL.md', 'c:'], 'c:'],
    ['leads out on Windows', ['SKILL.md', '..\\x'], '..\\x'],
    ['has a backslash', ['SKILL.md', 'a\\b'], 'a\\b'],
    ['is empty', ['SKILL.md', ''], ''],
    ['has an empty name', ['SKILL.md', 'a//b'], 'a//b'],
    ['ends with a slash', ['SKILL.md', 'a/'], 'a/'],
    ['has a dot for a name', ['SKILL.md', './a'], './a'],
    ['has a line break', ['SKILL.md', 'a\nb'], 'a\nb'],
    ['has NUL', ['SKILL.md', 'a\u0000'], 'a\u0000'],
    ['has half a surrogate pair', ['SKILL.md', 'a\ud800'], 'a\ud800'],
    ['stands there twice', ['SKILL.md', 'a', 'a'], 'a'],
    ['differs in case alone', ['SKILL.md', 'Skill.md'], 'Skill.md'],
    ['differs in the case of its folder', ['SKILL.md', 'A/x', 'a/y'], 'a/y'],
    ['differs in composition', ['SKILL.md', 'caf\u00e9', 'cafe\u0301'], 'cafe\u0301'],
    ['is a file and a folder', ['SKILL.md', 'a', 'a/b'], 'a/b'],
    ['is a folder and a file', ['SKILL.md', 'a/b', 'a'], 'a'],
    ['is too deep', ['SKILL.md', `${'a/'.repeat(64)}b`], `${'a/'.repeat(64)}b`],
    ['makes too long a URI', ['SKILL.md', '\u{1f600}'.repeat(700)], '\u{1f600}'.repeat(700)],
  ])('refuses all for a path that %s', (_, paths, path) => {
    const error = refusal(paths);
    expect(error?.code).toBe('INVALID_MANIFEST');
    expect(error?.details).toEqual({ uri: MANIFEST, path });
  });

  it('refuses a list without SKILL.md at the root, and does not quote megabytes', () => {
    expect(refusal([])?.code).toBe('INVALID_MANIFEST');
    expect(refusal(['inner/SKILL.md', 'skill.md'])?.message).toContain('SKILL.md itself is not among them');
    const error = refusal(['SKILL.md', 'x'.repeat(5_000_000)]);
    expect(error?.message.length).toBeLessThan(400);
    expect(String(error?.details.path).length).toBe(4_096);
  });

  it('gives canonical URIs below the skill, each its own file, or a SkillError', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 12 }), { maxLength: 6 }), (paths) => {
        const all = ['SKILL.md', ...paths];
        if (refusal(all) !== undefined) return;
        const found = resourcesBelow(
          MANIFEST,
          all.map((path) => ({ path })),
          'INVALID_MANIFEST',
        );
        expect(new Set(found.map(({ uri }) => uri)).size).toBe(all.length);
        for (const [at, { uri }] of found.entries()) {
          expect(canonicalUri(uri)).toBe(uri);
          expect(parseSkillUri(uri, { nested: true }).segments.slice(2).join('/')).toBe(all[at]);
        }
      }),
    );
  });

  it('does not slow down with the number of files', () => {
    const paths = Array.from({ length: 100_000 }, (_, at) => ({ path: `folder/${at % 1_000}/${at}.md` }));
    expect(resourcesBelow(MANIFEST, [{ path: 'SKILL.md' }, ...paths], 'INVALID_MANIFEST')).toHaveLength(
      100_001,
    );
  });
});
