import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeEntry, encodeEntry, entryName } from '../../src/store/cache.ts';
import { openStore } from '../../src/store/index.ts';
import { testFolder } from './support.ts';

const folder = testFolder();
const key = 'https://skills.example/a.zip?sig=s3cret';

/** The file of the only entry. */
async function onlyEntry(): Promise<string> {
  const names = await readdir(join(folder(), 'entries'));
  expect(names).toHaveLength(1);
  return join(folder(), 'entries', names[0] as string);
}

describe('a cache entry', () => {
  it.each([
    { bytes: Buffer.from('content') },
    { bytes: Buffer.alloc(0) },
    { bytes: Buffer.from([0, 0x0a, 0xff, 0x0a]), etag: 'W/"v\u00e91"' },
    { bytes: Buffer.from('{}\n'), etag: '"1"', lastModified: 'Tue, 06 Oct 2026 10:00:00 GMT' },
  ])('comes back as it was put, in this store and the next: %j', async (entry) => {
    const store = openStore(folder());
    expect(await store.get(key)).toBeUndefined();
    expect(await store.put(key, entry)).toBe(true);
    expect(await store.get(key)).toEqual(entry);
    expect(await store.get(`${key}x`)).toBeUndefined();
    await store.close();
    const next = openStore(folder());
    expect(await next.get(key)).toEqual(entry);
    await next.close();
    expect(await readdir(join(folder(), 'tmp'))).toEqual([]);
  });

  it('replaces the one before, and goes when it is removed', async () => {
    const store = openStore(folder());
    await store.put(key, { bytes: Buffer.from('old'), etag: '"1"' });
    await store.put(key, { bytes: Buffer.from('new') });
    expect(await store.get(key)).toEqual({ bytes: Buffer.from('new') });
    await store.remove(key);
    await store.remove(key);
    expect(await store.get(key)).toBeUndefined();
    await store.close();
  });

  it('is private and does not tell its key', async () => {
    const store = openStore(folder());
    await store.put(key, { bytes: Buffer.from('content') });
    const path = await onlyEntry();
    expect(path).not.toContain('s3cret');
    expect(await readFile(path, 'latin1')).not.toContain('s3cret');
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
    await store.close();
  });

  it('that was cut or changed anywhere is none', async () => {
    const whole = Buffer.concat(encodeEntry({ bytes: Buffer.from('content'), etag: '"1"' }, entryName(key)));
    expect(decodeEntry(whole, entryName(key))?.etag).toBe('"1"');
    for (let at = 0; at < whole.byteLength; at++) {
      expect(decodeEntry(whole.subarray(0, at), entryName(key))).toBeUndefined();
      const changed = Buffer.from(whole);
      changed[at] = (changed[at] as number) ^ 1;
      expect(decodeEntry(changed, entryName(key))).toBeUndefined();
    }
    expect(decodeEntry(Buffer.concat([whole, Buffer.from('x')]), entryName(key))).toBeUndefined();
  });

  it('of any bytes is read without a fault', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decodeEntry(Buffer.from(bytes), entryName(key))).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array(), fc.option(fc.string(), { nil: undefined }), (bytes, etag) => {
        const entry = { bytes: Buffer.from(bytes), ...(etag !== undefined && { etag }) };
        expect(decodeEntry(Buffer.concat(encodeEntry(entry, 'n')), 'n')).toEqual(entry);
      }),
    );
  });

  it.each([
    ['changed', async (path: string) => writeFile(path, `${await readFile(path, 'latin1')}x`)],
    ['cut', async (path: string) => writeFile(path, (await readFile(path)).subarray(0, 90))],
    ['emptied', async (path: string) => writeFile(path, '')],
    [
      'a link',
      async (path: string) => {
        await rename(path, `${path}.real`);
        await symlink(`${path}.real`, path);
      },
    ],
    [
      'a folder',
      async (path: string) => {
        await rm(path);
        await mkdir(path);
      },
    ],
  ])('that is %s on disk is none, and can be put again', async (what, spoil) => {
    const store = openStore(folder());
    await store.put(key, { bytes: Buffer.from('content') });
    const path = await onlyEntry();
    await spoil(path);
    expect(await store.get(key)).toBeUndefined();
    if (what === 'a folder') await store.remove(key);
    await store.put(key, { bytes: Buffer.from('again') });
    expect((await store.get(key))?.bytes).toEqual(Buffer.from('again'));
    await store.close();
  });

  it('of another key, moved into its place, is none', async () => {
    const store = openStore(folder());
    await store.put('other', { bytes: Buffer.from('theirs') });
    await copyFile(join(folder(), 'entries', entryName('other')), join(folder(), 'entries', entryName(key)));
    expect(await store.get(key)).toBeUndefined();
    await store.close();
  });
});

describe('the size of the cache', () => {
  it('is bounded by entry', async () => {
    const store = openStore(folder(), { maxEntryBytes: 10 });
    expect(await store.put('a', { bytes: Buffer.alloc(10) })).toBe(true);
    expect(await store.put('b', { bytes: Buffer.alloc(11) })).toBe(false);
    expect(await store.get('b')).toBeUndefined();
    await store.close();
    const wide = openStore(folder(), { maxEntryBytes: -1 });
    expect(await wide.put('c', { bytes: Buffer.alloc(20_000_000) })).toBe(true);
    expect((await wide.get('c'))?.bytes.byteLength).toBe(20_000_000);
    await wide.close();
    const usual = openStore(folder());
    expect(await usual.put('d', { bytes: Buffer.alloc(16_777_217) })).toBe(false);
    expect(await usual.get('c')).toBeUndefined();
    await usual.close();
  });

  it('is bounded in all: what was unused for longest goes', async () => {
    const store = openStore(folder(), { maxCacheBytes: 5_000 });
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
      await store.put(name, { bytes: Buffer.alloc(1_000) });
      const used = new Date(1_700_000_000_000 + index * 1_000);
      await utimes(join(folder(), 'entries', entryName(name)), used, used);
    }
    await store.get('a'); // used just now
    await store.put('e', { bytes: Buffer.alloc(1_000) });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const found = await Promise.all(names.map(async (name) => (await store.get(name)) !== undefined));
    expect(found).toEqual([true, false, true, true, true]);
    await store.close();
  });

  it('counts what earlier runs left', async () => {
    const first = openStore(folder(), { maxCacheBytes: -1 });
    for (let index = 0; index < 10; index++) await first.put(`old ${index}`, { bytes: Buffer.alloc(1_000) });
    await first.close();
    const store = openStore(folder(), { maxCacheBytes: 3_000 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await store.put('new', { bytes: Buffer.alloc(1_000) });
    expect(await readdir(join(folder(), 'entries'))).toHaveLength(2);
    expect(await store.get('new')).toBeDefined();
    await store.close();
  });
});
