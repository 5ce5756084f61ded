import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileChange, openCatalog, type Snapshot } from '../../src/catalog/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { md } from './trees.ts';

const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** What a refresh says of the files after these edits; null deletes. */
async function filesAfter(
  files: Record<string, string>,
  edits: Record<string, string | null>,
): Promise<readonly (readonly [string, string, string, string?])[]> {
  const source = memorySource(files);
  const catalog = await openCatalog(source);
  for (const [path, text] of Object.entries(edits)) {
    if (text === null) source.delete(path);
    else source.set(path, text);
  }
  const changes = await catalog.refresh();
  await catalog.close();
  return changes.files.map(({ uri, path, action, digest }) => {
    const row = [uri.replace('skill://', ''), path, action] as const;
    return digest === undefined ? row : [...row, digest];
  });
}

describe('the files of a change', () => {
  it.each([
    ['nothing', {}, []],
    ['a new file', { 'a/x y': '1' }, [['a/x%20y', 'a/x y', 'created', sha('1')]]],
    ['an edit', { 'a/f': '2' }, [['a/f', 'a/f', 'modified', sha('2')]]],
    ['the same bytes again', { 'a/f': 'f' }, []],
    ['a file that is gone', { 'a/f': null }, [['a/f', 'a/f', 'deleted']]],
    ['a file of no skill', { 'readme.md': '1' }, []],
    [
      'a skill that is withdrawn for its frontmatter',
      { 'a/SKILL.md': 'no' },
      [
        ['a/SKILL.md', 'a/SKILL.md', 'deleted'],
        ['a/f', 'a/f', 'deleted'],
      ],
    ],
    [
      'a skill that takes another name',
      { 'a/SKILL.md': md('b') },
      [
        ['a/SKILL.md', 'a/SKILL.md', 'deleted'],
        ['a/f', 'a/f', 'deleted'],
        ['b/SKILL.md', 'a/SKILL.md', 'created', sha(md('b'))],
        ['b/f', 'a/f', 'created', sha('f')],
      ],
    ],
  ] as [string, Record<string, string | null>, unknown[]][])('%s', async (_name, edits, expected) => {
    expect(await filesAfter({ 'a/SKILL.md': md('a'), 'a/f': 'f' }, edits)).toEqual(expected);
  });

  it('name a file of a nested skill once', async () => {
    const files = { 'o/SKILL.md': md('o'), 'o/i/SKILL.md': md('i'), 'o/i/f': '1' };
    expect(await filesAfter(files, { 'o/i/f': '2' })).toEqual([['o/i/f', 'o/i/f', 'modified', sha('2')]]);
  });

  it('do not name what another skill still shows when the one around it goes', async () => {
    const files = { 'o/SKILL.md': md('o'), 'o/x': '1', 'o/i/SKILL.md': md('i'), 'o/i/f': '1' };
    expect(await filesAfter(files, { 'o/SKILL.md': null })).toEqual([
      ['o/SKILL.md', 'o/SKILL.md', 'deleted'],
      ['o/x', 'o/x', 'deleted'],
    ]);
  });

  it('are none when a dynamic file was made anew', async () => {
    let count = 0;
    const source = memorySource({ 'a/SKILL.md': md('a'), 'a/now': () => String(count++) });
    const catalog = await openCatalog(source);
    expect((await catalog.refresh()).files).toEqual([]);
    await catalog.close();
  });

  it('are the difference of what both snapshots serve, whatever was edited', async () => {
    const path = fc.constantFrom('a/SKILL.md', 'a/f', 'a/b/SKILL.md', 'a/b/f', 'c/SKILL.md', 'c/f');
    const text = fc.constantFrom('1', '2', md('a'), md('b'), md('c'));
    const served = (snapshot: Snapshot): Map<string, string | undefined> =>
      new Map(snapshot.skills.flatMap(({ files }) => files.map(({ uri, digest }) => [uri, digest])));
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(path, text),
        fc.dictionary(path, fc.option(text)),
        async (files, edits) => {
          const source = memorySource(files);
          const catalog = await openCatalog(source);
          const before = served(catalog.snapshot);
          for (const [at, to] of Object.entries(edits)) {
            if (to !== null) source.set(at, to);
            else if (at in files) source.delete(at);
          }
          const changes = await catalog.refresh();
          const after = served(catalog.snapshot);
          await catalog.close();
          const found = new Map<string, FileChange>(changes.files.map((change) => [change.uri, change]));
          expect(found.size).toBe(changes.files.length);
          for (const uri of new Set([...before.keys(), ...after.keys()])) {
            const action = !before.has(uri)
              ? 'created'
              : !after.has(uri)
                ? 'deleted'
                : before.get(uri) !== after.get(uri)
                  ? 'modified'
                  : undefined;
            expect(found.get(uri)?.action).toBe(action);
            expect(found.get(uri)?.digest).toBe(action === undefined ? undefined : after.get(uri));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
