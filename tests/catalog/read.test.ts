import { createHash } from 'node:crypto';
import {
  appendFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Catalog, type CatalogChanges, openCatalog } from '../../src/catalog/index.ts';
import { isSkillError, SkillError } from '../../src/errors.ts';
import { directorySource, memorySource } from '../../src/source/index.ts';
import { md, onDisk, watched } from './trees.ts';

const sha = (bytes: Uint8Array) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Reads, and checks what the contract promises: the bytes are those of the entry in force. */
async function read(catalog: Catalog, uri: string): Promise<string> {
  const { file, bytes } = await catalog.read(uri);
  const located = catalog.snapshot.locate(uri);
  expect(located).toMatchObject({ kind: 'file', file: { digest: sha(bytes), size: bytes.length } });
  expect(file.digest).toBe(sha(bytes));
  return bytes.toString();
}

async function code(work: () => unknown): Promise<string> {
  try {
    await work();
  } catch (error) {
    if (isSkillError(error)) return error.code;
    throw error;
  }
  return 'fine';
}

function changesOf(catalog: Catalog): CatalogChanges[] {
  const seen: CatalogChanges[] = [];
  catalog.onChange((changes) => seen.push(changes));
  return seen;
}

/** A time long enough ago that no digest is provisional. */
const OLD = new Date(Date.now() - 3_600_000);

describe('reading', () => {
  it('answers at once from a source that does, in any spelling', async () => {
    const catalog = await openCatalog(memorySource({ 'a/SKILL.md': md('a'), 'a/x y': '1' }));
    const answer = catalog.read('SKILL://a/x y');
    expect(answer).not.toBeInstanceOf(Promise);
    expect(answer).toMatchObject({ file: { uri: 'skill://a/x%20y' }, bytes: Buffer.from('1') });
  });

  it.each([
    'skill://a/none',
    'skill://a',
    'skill://a/',
    'skill://b/SKILL.md',
    'nonsense',
    '',
    'skill://a/%ZZ',
  ])('%j is not found', async (uri) => {
    const catalog = await openCatalog(memorySource({ 'a/SKILL.md': md('a') }));
    expect(await code(() => catalog.read(uri))).toBe('RESOURCE_NOT_FOUND');
  });

  it('does not serve files outside skills, refused skills, or what was left out', async () => {
    const catalog = await openCatalog(
      memorySource({
        'a/SKILL.md': md('a'),
        'a/.env': 'x',
        'README.md': 'x',
        'b/SKILL.md': 'no',
        'b/x': '1',
      }),
    );
    for (const uri of ['skill://a/.env', 'skill://README.md', 'skill://b/SKILL.md', 'skill://b/x']) {
      expect(await code(() => catalog.read(uri))).toBe('RESOURCE_NOT_FOUND');
    }
  });

  it('hands an unreadable file on as such, without a rescan', async () => {
    const source = watched(memorySource({ 'a/SKILL.md': md('a'), 'a/x': '1' }));
    const catalog = await openCatalog(source);
    source.errors.set('read a/x', () => new SkillError('FILE_UNREADABLE'));
    source.calls.length = 0;
    expect(await code(() => catalog.read('skill://a/x'))).toBe('FILE_UNREADABLE');
    expect(source.calls).toEqual(['read a/x']);
  });

  it('reads one file once, and hashes nothing that is certain', async () => {
    const source = watched(memorySource({ 'a/SKILL.md': md('a'), 'a/x': '1' }));
    const catalog = await openCatalog(source);
    source.calls.length = 0;
    await read(catalog, 'skill://a/x');
    expect(source.calls).toEqual(['read a/x']);
  });
});

describe.each([
  ['a source that answers at once', false],
  ['a source that answers later', true],
])('drift, %s', (_name, later) => {
  it('an edit is served at once, with the entry that belongs to it', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a'), 'a/x': 'old', 'b/SKILL.md': md('b') });
    const source = watched(memory, later);
    const catalog = await openCatalog(source);
    const seen = changesOf(catalog);
    const before = catalog.snapshot;
    memory.set('a/x', 'new');
    source.calls.length = 0;
    expect(await read(catalog, 'skill://a/x')).toBe('new');
    expect(seen).toEqual([
      {
        added: [],
        removed: [],
        changed: ['skill://a/SKILL.md'],
        files: [{ uri: 'skill://a/x', path: 'a/x', action: 'modified', digest: sha(Buffer.from('new')) }],
        revision: catalog.snapshot.revision,
        previousRevision: before.revision,
      },
    ]);
    expect(source.calls.filter((call) => call.includes('b'))).toEqual([]);
    expect(before.locate('skill://a/x')).toMatchObject({
      file: { size: 3, digest: sha(Buffer.from('old')) },
    });
  });

  it('a file that is gone', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a'), 'a/x': '1' });
    const catalog = await openCatalog(watched(memory, later));
    const seen = changesOf(catalog);
    memory.delete('a/x');
    expect(await code(() => catalog.read('skill://a/x'))).toBe('RESOURCE_NOT_FOUND');
    expect(seen.map((changes) => changes.changed)).toEqual([['skill://a/SKILL.md']]);
    expect(catalog.snapshot.skills[0]?.files.length).toBe(1);
  });

  it('a skill that is gone', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a'), 'a/x': '1', 'b/SKILL.md': md('b') });
    const catalog = await openCatalog(watched(memory, later));
    const seen = changesOf(catalog);
    memory.delete('a');
    expect(await code(() => catalog.read('skill://a/x'))).toBe('RESOURCE_NOT_FOUND');
    expect(seen.map((changes) => changes.removed)).toEqual([['skill://a/SKILL.md']]);
    expect(await read(catalog, 'skill://b/SKILL.md')).toBe(md('b'));
  });

  it('a file that grew beyond the cap, or became a secret, is left out', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a'), 'a/x': '1', 'a/y': '2' });
    const catalog = await openCatalog(watched(memory, later), { maxFileBytes: 100 });
    memory.set('a/x', 'x'.repeat(101));
    memory.set('a/y', '-----BEGIN PRIVATE KEY-----\n');
    expect(await code(() => catalog.read('skill://a/x'))).toBe('RESOURCE_NOT_FOUND');
    expect(await code(() => catalog.read('skill://a/y'))).toBe('RESOURCE_NOT_FOUND');
    expect(catalog.snapshot.diagnostics.map((each) => each.code)).toEqual([
      'FILE_TOO_LARGE',
      'SECRET_WITHHELD',
    ]);
  });

  it('an edit of a nested skill reaches the skill around it, and the other way round', async () => {
    const memory = memorySource({ 'o/SKILL.md': md('o'), 'o/x/SKILL.md': md('k'), 'o/x/f': '1' });
    const catalog = await openCatalog(watched(memory, later));
    const seen = changesOf(catalog);
    memory.set('o/x/f', '22');
    expect(await read(catalog, 'skill://o/k/f')).toBe('22');
    expect(await read(catalog, 'skill://o/x/f')).toBe('22');
    memory.set('o/x/f', '333');
    expect(await read(catalog, 'skill://o/x/f')).toBe('333');
    expect(await read(catalog, 'skill://o/k/f')).toBe('333');
    expect(seen.map((changes) => changes.changed)).toEqual([
      ['skill://o/SKILL.md', 'skill://o/k/SKILL.md'],
      ['skill://o/SKILL.md', 'skill://o/k/SKILL.md'],
    ]);
  });

  it('a new name moves the skill; the old URI is gone', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a'), 'a/x': '1' });
    const catalog = await openCatalog(watched(memory, later));
    const seen = changesOf(catalog);
    memory.set('a/SKILL.md', md('other'));
    expect(await code(() => catalog.read('skill://a/SKILL.md'))).toBe('RESOURCE_NOT_FOUND');
    expect(await read(catalog, 'skill://other/x')).toBe('1');
    expect(seen).toMatchObject([{ added: ['skill://other/SKILL.md'], removed: ['skill://a/SKILL.md'] }]);
  });

  it('an edit that makes a skill invalid withdraws that skill alone, under strict too', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a'), 'a/x': '1', 'b/SKILL.md': md('b') });
    const catalog = await openCatalog(watched(memory, later), { strict: true });
    memory.set('a/SKILL.md', `---\nname: a\ndescription: [\n---\n${'long '.repeat(50)}`);
    expect(await code(() => catalog.read('skill://a/SKILL.md'))).toBe('RESOURCE_NOT_FOUND');
    expect(await code(() => catalog.read('skill://a/x'))).toBe('RESOURCE_NOT_FOUND');
    expect(await read(catalog, 'skill://b/SKILL.md')).toBe(md('b'));
    expect(catalog.snapshot.refused.map(({ path }) => path)).toEqual(['a']);
    memory.set('a/SKILL.md', md('a', 'repaired'));
    await catalog.refreshPaths(['a']);
    expect(await read(catalog, 'skill://a/SKILL.md')).toBe(md('a', 'repaired'));
  });

  it('a file that never rests is given up', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a'), 'a/log': '0' });
    const source = watched(memory, later);
    const catalog = await openCatalog(source);
    let lines = 0;
    source.errors.set('read a/log', () => {
      memory.set('a/log', `line ${++lines}`);
    });
    source.errors.set('stat a/log', () => {
      memory.set('a/log', `line ${++lines}`);
    });
    expect(await code(() => catalog.read('skill://a/log'))).toBe('FILE_CHANGED');
    expect(lines).toBeLessThan(20);
    source.errors.clear();
    expect(await read(catalog, 'skill://a/log')).toBe(`line ${lines}`);
  });

  it('many readers of one drifted skill share one rescan', async () => {
    const memory = memorySource({ 'a/SKILL.md': md('a'), 'a/x': '1' });
    const source = watched(memory, later);
    const catalog = await openCatalog(source);
    const seen = changesOf(catalog);
    memory.set('a/x', '22');
    source.calls.length = 0;
    const answers = await Promise.all(Array.from({ length: 20 }, () => read(catalog, 'skill://a/x')));
    expect(new Set(answers)).toEqual(new Set(['22']));
    expect(source.calls.filter((call) => call === 'list a').length).toBe(1);
    expect(seen.length).toBe(1);
  });
});

describe('drift on disk', () => {
  it('an edit in place between listing and reading', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'a/x': 'old' });
    const catalog = await openCatalog(directorySource(root));
    writeFileSync(join(root, 'a/x'), 'much newer');
    expect(await read(catalog, 'skill://a/x')).toBe('much newer');
  });

  it('an editor that writes beside and renames', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'a/x': 'old' });
    utimesSync(join(root, 'a/x'), OLD, OLD);
    const catalog = await openCatalog(directorySource(root));
    writeFileSync(join(root, 'a/x.tmp'), 'new');
    utimesSync(join(root, 'a/x.tmp'), OLD, OLD);
    renameSync(join(root, 'a/x.tmp'), join(root, 'a/x'));
    expect(await read(catalog, 'skill://a/x')).toBe('new');
  });

  it('an edit of the same size within the two seconds in which a stamp proves nothing', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'a/x': 'one' });
    const disk = directorySource(root);
    const first = disk.stat('a/x');
    // A file system with coarse clocks: every state of the file has the stamp of the first.
    const coarse = {
      label: 'coarse',
      list: (path: string) => disk.list(path),
      stat: () => first,
      read: (path: string) => ({
        ...disk.read(path),
        stamp: first.stamp ?? '',
        modifiedAt: first.modifiedAt ?? 0,
      }),
      contains: (a: string, b: string) => disk.contains(a, b),
      close: () => disk.close(),
    };
    const catalog = await openCatalog(coarse);
    expect(catalog.snapshot.locate('skill://a/x')).toMatchObject({ file: { provisional: true } });
    expect(await read(catalog, 'skill://a/x')).toBe('one');
    writeFileSync(join(root, 'a/x'), 'two');
    expect(await read(catalog, 'skill://a/x')).toBe('two');
    writeFileSync(join(root, 'a/x'), 'six');
    expect(await read(catalog, 'skill://a/x')).toBe('six');
  });

  it('an edit of the same size with the old time put back', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'a/x': 'one' });
    utimesSync(join(root, 'a/x'), OLD, OLD);
    const catalog = await openCatalog(directorySource(root));
    expect(catalog.snapshot.locate('skill://a/x')).toMatchObject({ file: { provisional: false } });
    const { atime, mtime } = statSync(join(root, 'a/x'));
    const ctimeNs = ctime(join(root, 'a/x'));
    do {
      writeFileSync(join(root, 'a/x'), 'two');
      utimesSync(join(root, 'a/x'), atime, mtime);
    } while (ctime(join(root, 'a/x')) === ctimeNs);
    expect(await read(catalog, 'skill://a/x')).toBe('two');
  });

  it('a touch without an edit changes nothing and is no drift', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'a/x': 'one' });
    utimesSync(join(root, 'a/x'), OLD, OLD);
    const source = watched(directorySource(root));
    const catalog = await openCatalog(source);
    const seen = changesOf(catalog);
    const { revision } = catalog.snapshot;
    const later = new Date(OLD.getTime() + 1000);
    utimesSync(join(root, 'a/x'), later, later);
    source.calls.length = 0;
    expect(await read(catalog, 'skill://a/x')).toBe('one');
    expect(await read(catalog, 'skill://a/x')).toBe('one');
    expect(source.calls).toEqual(['read a/x', 'read a/x']);
    expect([catalog.snapshot.revision, seen]).toEqual([revision, []]);
  });

  it('a file that is replaced by a link out of the skill is withdrawn, whatever it leads to', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'a/x': 'same', secret: 'same' });
    const outside = onDisk({ secret: 'same' });
    const catalog = await openCatalog(directorySource(root));
    unlinkSync(join(root, 'a/x'));
    symlinkSync('../secret', join(root, 'a/x'));
    expect(await code(() => catalog.read('skill://a/x'))).toBe('RESOURCE_NOT_FOUND');
    unlinkSync(join(root, 'a/x'));
    symlinkSync(join(outside, 'secret'), join(root, 'a/x'));
    expect(await code(() => catalog.read('skill://a/x'))).toBe('RESOURCE_NOT_FOUND');
    expect(catalog.snapshot.diagnostics.map((each) => each.code)).toEqual(['LINK_ESCAPES']);
  });

  it('a skill folder that is replaced by a link out of the source is withdrawn', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'a/x': '1', 'b/SKILL.md': md('b') });
    const outside = onDisk({ 'SKILL.md': md('a'), x: 'stolen' });
    const catalog = await openCatalog(directorySource(root));
    rmSync(join(root, 'a'), { recursive: true });
    symlinkSync(outside, join(root, 'a'));
    expect(await code(() => catalog.read('skill://a/x'))).toBe('RESOURCE_NOT_FOUND');
    expect(catalog.snapshot.skills.map((skill) => skill.uri)).toEqual(['skill://b/SKILL.md']);
  });

  it('a link whose target changes', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'a/real': 'one' }, { 'a/link': 'real' });
    const catalog = await openCatalog(directorySource(root));
    expect(await read(catalog, 'skill://a/link')).toBe('one');
    appendFileSync(join(root, 'a/real'), ' more');
    expect(await read(catalog, 'skill://a/link')).toBe('one more');
    expect(await read(catalog, 'skill://a/real')).toBe('one more');
  });

  it('a SKILL.md that an editor truncates and then fills is not withdrawn', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a') });
    const catalog = await openCatalog(directorySource(root));
    const seen = changesOf(catalog);
    truncateSync(join(root, 'a/SKILL.md'), 0);
    const reading = read(catalog, 'skill://a/SKILL.md');
    setTimeout(() => writeFileSync(join(root, 'a/SKILL.md'), md('a', 'edited')), 20);
    expect(await reading).toBe(md('a', 'edited'));
    expect(seen.map((changes) => [changes.removed, changes.changed])).toEqual([[[], ['skill://a/SKILL.md']]]);
  });

  it('a SKILL.md that stays empty is withdrawn, and comes back', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'b/SKILL.md': md('b') });
    const catalog = await openCatalog(directorySource(root));
    truncateSync(join(root, 'a/SKILL.md'), 0);
    expect(await code(() => catalog.read('skill://a/SKILL.md'))).toBe('RESOURCE_NOT_FOUND');
    expect(catalog.snapshot.skills.map((skill) => skill.name)).toEqual(['b']);
    writeFileSync(join(root, 'a/SKILL.md'), md('a'));
    await catalog.refreshPaths(['a/SKILL.md']);
    expect(await read(catalog, 'skill://a/SKILL.md')).toBe(md('a'));
  });
});

describe('provisional digests', () => {
  it('are hashed at each read until one happens more than two seconds after the modification', async () => {
    let stamped = 0;
    const memory = memorySource({ 'a/SKILL.md': md('a') });
    memory.set('a/x', 'one', { modifiedAt: Date.now() });
    const source = watched(memory);
    const catalog = await openCatalog(source);
    const located = catalog.snapshot.locate('skill://a/x');
    expect(located).toMatchObject({ file: { provisional: true } });
    const stamp = located?.kind === 'file' ? (located.file.stamp ?? '') : '';
    const real = source.read.bind(source);
    // The stamp stays, whatever the bytes: only hashing can tell.
    source.read = (path, options) => {
      stamped++;
      const got = real(path, options);
      return got instanceof Promise ? got : { ...got, stamp: path === 'a/x' ? stamp : (got.stamp ?? '') };
    };
    memory.set('a/x', 'two', { modifiedAt: Date.now() });
    expect(await read(catalog, 'skill://a/x')).toBe('two');
    expect(await read(catalog, 'skill://a/x')).toBe('two');
    // The same bytes, two seconds later: from here on the stamp is trusted, so that a change without a new one is not seen.
    memory.set('a/x', 'two', { modifiedAt: Date.now() - 5000 });
    expect(await read(catalog, 'skill://a/x')).toBe('two');
    memory.set('a/x', 'ten', { modifiedAt: Date.now() - 5000 });
    source.calls.length = 0;
    const { bytes } = await catalog.read('skill://a/x');
    expect([bytes.toString(), source.calls]).toEqual(['ten', ['read a/x']]);
    expect(stamped).toBeGreaterThan(4);
  });

  it('a time in the future stays provisional', async () => {
    const source = memorySource({ 'a/SKILL.md': md('a') }, { modifiedAt: Date.now() + 86_400_000 });
    const catalog = await openCatalog(source);
    expect(catalog.snapshot.skills[0]?.files[0]?.provisional).toBe(true);
  });
});

describe('dynamic files', () => {
  it('are made anew at each read, without drift', async () => {
    let count = 0;
    const source = memorySource({
      'a/SKILL.md': md('a'),
      'a/now': () => `tick ${++count}`,
      'a/bin': () => new Uint8Array([0xff, count]),
    });
    const catalog = await openCatalog(source);
    const seen = changesOf(catalog);
    const one = await catalog.read('skill://a/now');
    const two = await catalog.read('skill://a/now');
    expect(one.bytes.toString()).not.toBe(two.bytes.toString());
    expect(two.file).toMatchObject({ size: two.bytes.length, text: true, uri: 'skill://a/now' });
    expect((await catalog.read('skill://a/bin')).file).toMatchObject({ size: 2, text: false });
    expect(two.file.digest).toBeUndefined();
    expect(seen).toEqual([]);
  });

  it('that fail are reported as unreadable', async () => {
    let fail = false;
    const catalog = await openCatalog(
      memorySource({
        'a/SKILL.md': md('a'),
        'a/now': () => {
          if (fail) throw new Error('at /srv/private');
          return 'x';
        },
      }),
    );
    fail = true;
    expect(await code(() => catalog.read('skill://a/now'))).toBe('FILE_UNREADABLE');
  });
});

it('a read that ends after close is refused', async () => {
  const catalog = await openCatalog(watched(memorySource({ 'a/SKILL.md': md('a') }), true));
  const reading = catalog.read('skill://a/SKILL.md');
  await catalog.close();
  expect(await code(() => reading)).toBe('PROVIDER_CLOSED');
  expect(await code(() => catalog.read('skill://a/SKILL.md'))).toBe('PROVIDER_CLOSED');
});

function ctime(path: string): bigint {
  return statSync(path, { bigint: true }).ctimeNs;
}
