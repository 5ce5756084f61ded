import { createHash } from 'node:crypto';
import { rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Catalog, type CatalogChanges, openCatalog, type Snapshot } from '../../src/catalog/index.ts';
import { plainFile } from '../../src/catalog/kept-file.ts';
import { isSkillError, SkillError } from '../../src/errors.ts';
import { directorySource, type MemorySource, memorySource, type Source } from '../../src/source/index.ts';
import { md, onDisk, watched } from './trees.ts';

const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** Everything a snapshot says, stamps and times apart. */
function told({ revision, skills, refused, diagnostics }: Snapshot): unknown {
  return {
    revision,
    refused,
    diagnostics,
    skills: skills.map(({ files, folderId, ...skill }) => ({
      ...skill,
      files: files.map((each) => {
        const { stamp, modifiedAt, provisional, ...file } = plainFile(each);
        return file;
      }),
    })),
  };
}

async function expectLikeNew(catalog: Catalog, source: Source): Promise<void> {
  const anew = await openCatalog(source);
  expect(told(catalog.snapshot)).toEqual(told(anew.snapshot));
}

describe('refresh', () => {
  it('finds everything that changed and tells each listener once', async () => {
    const source = memorySource({
      'a/SKILL.md': md('a'),
      'b/SKILL.md': md('b'),
      'c/SKILL.md': md('c'),
      'd/SKILL.md': md('d'),
    });
    const catalog = await openCatalog(source);
    const seen: CatalogChanges[] = [];
    const stop = catalog.onChange((changes) => seen.push(changes));
    catalog.onChange((changes) => seen.push(changes));
    const { revision } = catalog.snapshot;
    source.delete('b');
    source.set('c/x', '1');
    source.set('aa/SKILL.md', md('aa'));
    const changes = await catalog.refresh();
    expect(changes).toEqual({
      added: ['skill://aa/SKILL.md'],
      removed: ['skill://b/SKILL.md'],
      changed: ['skill://c/SKILL.md'],
      files: [
        {
          uri: 'skill://aa/SKILL.md',
          path: 'aa/SKILL.md',
          action: 'created',
          digest: sha(md('aa')),
        },
        { uri: 'skill://b/SKILL.md', path: 'b/SKILL.md', action: 'deleted' },
        { uri: 'skill://c/x', path: 'c/x', action: 'created', digest: sha('1') },
      ],
      previousRevision: revision,
      revision: catalog.snapshot.revision,
    });
    expect(seen).toEqual([changes, changes]);
    stop();
    stop();
    source.delete('c');
    await catalog.refresh();
    expect(seen.length).toBe(3);
  });

  it('that finds nothing tells nobody and keeps every skill as it is', async () => {
    const catalog = await openCatalog(memorySource({ 'a/SKILL.md': md('a'), 'a/x': '1' }));
    const seen: CatalogChanges[] = [];
    catalog.onChange((changes) => seen.push(changes));
    const before = catalog.snapshot.revision;
    expect(await catalog.refresh()).toEqual({
      added: [],
      removed: [],
      changed: [],
      files: [],
      revision: before,
      previousRevision: before,
    });
    expect(seen).toEqual([]);
  });

  it('reads no file again whose stamp did not change', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a'), 'a/x': '1', 'b/SKILL.md': md('b') });
    const source = watched(memory);
    const catalog = await openCatalog(source);
    memory.set('a/x', '2');
    source.calls.length = 0;
    await catalog.refresh();
    expect(source.calls.filter((call) => call.startsWith('read'))).toEqual(['read a/x']);
  });

  it('shares one scan among concurrent calls, of paths too', async () => {
    const source = watched(memorySource({ 'a/SKILL.md': md('a'), 'b/SKILL.md': md('b') }), true);
    const catalog = await openCatalog(source);
    source.calls.length = 0;
    const all = [
      catalog.refresh(),
      catalog.refreshPaths(['a/x']),
      catalog.refresh(),
      catalog.refreshPaths(['b']),
    ];
    const results = await Promise.all(all);
    expect(source.calls.filter((call) => call === 'list ').length).toBe(1);
    expect(new Set(results).size).toBe(1);
  });

  it('looks again for a call that came while a scan was under way', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a'), 'z/SKILL.md': md('z') });
    const source = watched(memory, true);
    const catalog = await openCatalog(source);
    let second: Promise<CatalogChanges> | undefined;
    source.errors.set('list z', () => {
      source.errors.delete('list z');
      memory.set('a/late', '1');
      second = catalog.refresh();
      return undefined;
    });
    expect((await catalog.refresh()).changed).toEqual([]);
    expect((await second)?.changed).toEqual(['skill://a/SKILL.md']);
  });

  it('that fails leaves the snapshot as it was, and the next one works', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a') });
    const source = watched(memory);
    const catalog = await openCatalog(source);
    const before = catalog.snapshot;
    source.errors.set('list ', () => new SkillError('SOURCE_UNREADABLE'));
    await expect(catalog.refresh()).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
    expect(catalog.snapshot).toBe(before);
    source.errors.clear();
    memory.set('b/SKILL.md', md('b'));
    expect((await catalog.refresh()).added).toEqual(['skill://b/SKILL.md']);
  });

  it('reports a SKILL.md that comes to stand at the root, and serves on', async () => {
    const source = memorySource({ 'a/SKILL.md': md('a') });
    const catalog = await openCatalog(source, { strict: true });
    source.set('SKILL.md', md('x'));
    await catalog.refresh();
    expect(catalog.snapshot.skills.map((skill) => skill.name)).toEqual(['a']);
    expect(catalog.snapshot.refused.map(({ path, diagnostic }) => [path, diagnostic.code])).toEqual([
      ['', 'ROOT_SKILL'],
    ]);
    source.delete('SKILL.md');
    await catalog.refreshPaths(['SKILL.md']);
    expect(catalog.snapshot.refused).toEqual([]);
  });

  it('a listener that throws keeps nobody else from hearing', async () => {
    const errors: unknown[] = [];
    const logger = { debug() {}, info() {}, warn() {}, error: (message: string) => errors.push(message) };
    const source = memorySource({ 'a/SKILL.md': md('a') });
    const catalog = await openCatalog(source, { logger });
    let heard = 0;
    catalog.onChange(() => {
      throw new Error('no');
    });
    catalog.onChange(() => {
      heard++;
    });
    source.set('a/x', '1');
    await catalog.refresh();
    expect([heard, errors]).toEqual([1, ['a change listener failed']]);
  });
});

describe('refreshPaths', () => {
  it('looks at nothing but what was touched and the skill around it', async () => {
    const memory = memorySource({
      'g/a/SKILL.md': md('a'),
      'g/a/r/x': '1',
      'g/b/SKILL.md': md('b'),
      'h/c/SKILL.md': md('c'),
    });
    const source = watched(memory);
    const catalog = await openCatalog(source);
    const kept = catalog.snapshot.skills[1];
    memory.set('g/a/r/x', '2');
    source.calls.length = 0;
    expect((await catalog.refreshPaths(['g/a/r/x'])).changed).toEqual(['skill://g/a/SKILL.md']);
    expect(source.calls).toEqual(['list g/a', 'list g/a/r', 'stat g/a/r/x', 'read g/a/r/x']);
    expect(catalog.snapshot.skills[1]).toBe(kept);
    memory.set('g/new/SKILL.md', md('new'));
    source.calls.length = 0;
    expect((await catalog.refreshPaths(['g/new'])).added).toEqual(['skill://g/new/SKILL.md']);
    expect(source.calls).toEqual(['list g', 'list g/new', 'read g/new/SKILL.md']);
    expect((await openCatalog(memory)).snapshot.revision).toBe(catalog.snapshot.revision);
  });

  it('looks further up when a folder that led there is gone', async () => {
    const memory = memorySource({
      'g/a/SKILL.md': md('a'),
      'g/a/r/x': '1',
      'g/b/SKILL.md': md('b'),
      'h/c/SKILL.md': md('c'),
    });
    const catalog = await openCatalog(memory);
    memory.delete('g');
    expect((await catalog.refreshPaths(['g/a/r/x'])).removed).toEqual([
      'skill://g/a/SKILL.md',
      'skill://g/b/SKILL.md',
    ]);
    memory.delete('h/c');
    memory.set('h/d/SKILL.md', md('d'));
    expect(await catalog.refreshPaths(['h/c/SKILL.md'])).toMatchObject({
      added: ['skill://h/d/SKILL.md'],
      removed: ['skill://h/c/SKILL.md'],
    });
    expect((await openCatalog(memory)).snapshot.revision).toBe(catalog.snapshot.revision);
  });

  it('keeps order and problems of the folders that it goes through', async () => {
    const memory = memorySource({
      'b/SKILL.md': md('b'),
      'a/SKILL.md': md('a'),
      'c/SKILL.md': md('renamed'),
      'd/SKILL.md': md('renamed'),
      'x/skill.md': '',
    });
    const catalog = await openCatalog(memory);
    for (const path of ['b', 'c', 'd', 'x', 'a']) {
      memory.set(`${path}/f`, path);
      await catalog.refreshPaths([`${path}/f`]);
      const { snapshot } = await openCatalog(memory);
      expect(catalog.snapshot.revision).toBe(snapshot.revision);
      expect(catalog.snapshot.diagnostics).toEqual(snapshot.diagnostics);
      expect(catalog.snapshot.refused).toEqual(snapshot.refused);
    }
  });

  it('of no path does nothing', async () => {
    const source = watched(memorySource({ 'a/SKILL.md': md('a') }));
    const catalog = await openCatalog(source);
    source.calls.length = 0;
    expect((await catalog.refreshPaths([])).changed).toEqual([]);
    expect(source.calls).toEqual([]);
  });

  it.each([[['']], [['/']], [['.']], [['a/../..']]])('%j looks at everything', async (paths) => {
    const source = memorySource({ 'a/SKILL.md': md('a') });
    const catalog = await openCatalog(source);
    source.set('b/SKILL.md', md('b'));
    expect((await catalog.refreshPaths(paths)).added).toEqual(['skill://b/SKILL.md']);
  });

  const start = {
    'a/SKILL.md': md('a'),
    'a/x': '1',
    'a/sub/y': '2',
    'o/SKILL.md': md('o'),
    'o/i/SKILL.md': md('i'),
    'o/i/f': '3',
    'plain/notes/n.md': '4',
  };

  it.each<[string, (source: MemorySource) => string[]]>([
    [
      'a new folder, named by a file deep in it',
      (source) => {
        source.set('new/deep/k/SKILL.md', md('k'));
        return ['new/deep/k/SKILL.md'];
      },
    ],
    [
      'a skill that is removed',
      (source) => {
        source.delete('a');
        return ['a'];
      },
    ],
    [
      'a folder that becomes a skill, with files that were outside before',
      (source) => {
        source.set('plain/SKILL.md', md('plain'));
        return ['plain/SKILL.md'];
      },
    ],
    [
      'a skill that becomes a plain folder',
      (source) => {
        source.delete('a/SKILL.md');
        return ['a/SKILL.md'];
      },
    ],
    [
      'a SKILL.md that moves into a folder below',
      (source) => {
        source.rename('a/SKILL.md', 'a/sub/SKILL.md');
        return ['a/SKILL.md', 'a/sub/SKILL.md'];
      },
    ],
    [
      'a folder that is renamed',
      (source) => {
        source.rename('o', 'p');
        return ['o', 'p'];
      },
    ],
    [
      'a skill that gets another name',
      (source) => {
        source.set('o/SKILL.md', md('other'));
        return ['o/SKILL.md'];
      },
    ],
    [
      'a skill that gets another name, while nothing below it is touched',
      (source) => {
        source.set('a/SKILL.md', md('other'));
        return ['a/SKILL.md'];
      },
    ],
    [
      'a nested skill that gets another name, with folders below',
      (source) => {
        source.set('o/i/deep/z', '5');
        source.set('o/i/SKILL.md', md('k'));
        return ['o/i/SKILL.md', 'o/i/deep'];
      },
    ],
    [
      'a skill around another that goes',
      (source) => {
        source.delete('o/SKILL.md');
        return ['o/SKILL.md'];
      },
    ],
    [
      'a nested skill that becomes a part of the one around it',
      (source) => {
        source.delete('o/i/SKILL.md');
        return ['o/i/SKILL.md'];
      },
    ],
    [
      'a file that becomes a folder',
      (source) => {
        source.delete('a/x');
        source.set('a/x/z', '1');
        return ['a/x'];
      },
    ],
    [
      'a folder that becomes a file',
      (source) => {
        source.delete('a/sub');
        source.set('a/sub', '1');
        return ['a/sub'];
      },
    ],
    [
      'an ignore file whose rules reach further down',
      (source) => {
        source.set('a/.skillignore', 'y\n');
        return ['a/.skillignore'];
      },
    ],
    [
      'an empty folder',
      (source) => {
        source.addFolder('a/empty/deep');
        return ['a/empty'];
      },
    ],
  ])('%s: the same as a full scan', async (_name, edit) => {
    const source = memorySource(start);
    const catalog = await openCatalog(source);
    await catalog.refreshPaths(edit(source));
    await expectLikeNew(catalog, source);
  });

  it('a skill that was too large is read to its end once it is small enough', async () => {
    const source = memorySource({
      'a/SKILL.md': md('a'),
      'a/big': 'x'.repeat(1000),
      'a/later/y': 'y',
      'a/z': 'z',
    });
    const catalog = await openCatalog(source, { maxSkillBytes: 900 });
    expect(catalog.snapshot.skills).toEqual([]);
    source.set('a/big', 'small');
    await catalog.refreshPaths(['a/big']);
    expect(catalog.snapshot.skills[0]?.files.map((file) => file.path)).toEqual([
      'SKILL.md',
      'big',
      'later/y',
      'z',
    ]);
  });

  it('any sequence of edits gives what a full scan gives', async () => {
    const folder = fc.constantFrom('a', 'b', 'a/b', 'a/c', 'b/a', 'a/b/c', 'g', 'g/a', 'g/b');
    const leaf = fc.constantFrom('SKILL.md', 'x', 'skill.md', 'y.md');
    const content = fc.constantFrom(
      ...['a', 'b', 'c', 'k'].map((name) => md(name)),
      md('a', 'other'),
      'not a skill',
      'x'.repeat(400),
    );
    const edit = fc.oneof(
      fc.record({ kind: fc.constant('set' as const), folder, leaf, content }),
      fc.record({ kind: fc.constant('delete' as const), folder, leaf: fc.option(leaf, { nil: undefined }) }),
      fc.record({ kind: fc.constant('rename' as const), folder, to: folder }),
      fc.record({ kind: fc.constant('folder' as const), folder }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(edit, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom({}, { nestedSkills: 'reject' as const }, { maxSkillBytes: 600 }, { prefix: 'p q' }),
        async (batches, options) => {
          const source = memorySource({
            'a/SKILL.md': md('a'),
            'a/b/SKILL.md': md('b'),
            'a/b/x': '1',
            'g/x': '2',
          });
          const catalog = await openCatalog(source, options);
          for (const batch of batches) {
            const paths = batch.flatMap((each) => apply(source, each));
            await catalog.refreshPaths(paths);
            const anew = await openCatalog(source, options);
            expect(told(catalog.snapshot)).toEqual(told(anew.snapshot));
          }
        },
      ),
      { numRuns: 150 },
    );
  });

  type Edit = { kind: string; folder: string; leaf?: string | undefined; content?: string; to?: string };

  /** Does an edit if it can be done, and names the paths that it touched. */
  function apply(source: MemorySource, { kind, folder, leaf, content = '', to = '' }: Edit): string[] {
    const path = leaf === undefined ? folder : `${folder}/${leaf}`;
    try {
      if (kind === 'set') source.set(path, content);
      else if (kind === 'delete') source.delete(path);
      else if (kind === 'rename') source.rename(folder, to);
      else source.addFolder(folder);
    } catch (error) {
      if (isSkillError(error)) return [];
      throw error;
    }
    return kind === 'rename' ? [folder, to] : [path];
  }

  it('reads what a link leads to now, though only something else was touched', async () => {
    const store = onDisk({ 'a/SKILL.md': md('k'), 'a/x': 'of a', 'b/SKILL.md': md('k'), 'b/x': 'of b' });
    const root = onDisk({ 'other/SKILL.md': md('other') }, { k: join(store, 'a') });
    const source = directorySource(root, { linkRoots: [store] });
    const catalog = await openCatalog(source);
    rmSync(join(root, 'k'));
    symlinkSync(join(store, 'b'), join(root, 'k'));
    expect((await catalog.refreshPaths(['other'])).changed).toEqual(['skill://k/SKILL.md']);
    await expectLikeNew(catalog, directorySource(root, { linkRoots: [store] }));
  });

  it('judges links again, wherever they stand', async () => {
    const root = onDisk(
      { 'src/x/SKILL.md': md('x'), 'src/x/a.md': '1' },
      { 'links/x': '../src/x', 'links/y': '../src/k', 'src/x/b.md': 'a.md' },
    );
    const source = directorySource(root);
    const catalog = await openCatalog(source);
    await expectLikeNew(catalog, directorySource(root));
    writeFileSync(join(root, 'src/x/a.md'), 'changed');
    await catalog.refreshPaths(['src/x/a.md']);
    await expectLikeNew(catalog, directorySource(root));
    rmSync(join(root, 'src/x'), { recursive: true });
    await catalog.refreshPaths(['src/x']);
    await expectLikeNew(catalog, directorySource(root));
    symlinkSync('../links', join(root, 'src/x'));
    await catalog.refreshPaths(['src/x']);
    await expectLikeNew(catalog, directorySource(root));
  });
});

describe('close', () => {
  it('closes the source once, ends reads and refreshes, and may be called twice', async () => {
    const source = watched(memorySource({ 'a/SKILL.md': md('a') }), true);
    let closed = 0;
    source.close = async () => {
      closed++;
    };
    const catalog = await openCatalog(source);
    const running = catalog.refresh();
    await Promise.all([catalog.close(), catalog.close()]);
    await catalog.close();
    expect(closed).toBe(1);
    await expect(running).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
    await expect(catalog.refresh()).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
    await expect(catalog.refreshPaths(['a'])).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
    expect(() => catalog.read('skill://a/SKILL.md')).toThrow(SkillError);
    expect(catalog.snapshot.skills.length).toBe(1);
  });

  it('waits for a scan under way before it closes the source', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a') });
    const source = watched(memory, true);
    const catalog = await openCatalog(source);
    const order: string[] = [];
    source.close = async () => {
      order.push('closed');
    };
    const running = catalog.refresh().catch(() => order.push('refused'));
    await catalog.close();
    await running;
    expect(order).toEqual(['refused', 'closed']);
  });
});
