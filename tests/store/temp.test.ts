import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { testFolder } from './support.ts';

const folder = testFolder();
const posix = process.platform !== 'win32';

/** The sessions and their files below a cache folder. */
async function left(): Promise<string[]> {
  const tmp = join(folder(), 'tmp');
  return (await readdir(tmp, { recursive: true })).sort();
}

describe('a temporary file', () => {
  it('is written in pieces, stays after done and goes with the store', async () => {
    const store = openStore(folder());
    const file = await store.tempFile('down/load é');
    await file.write(Buffer.from('one '));
    await file.write(new Uint8Array());
    await file.write(new TextEncoder().encode('two'));
    const path = await file.done();
    expect(await file.done()).toBe(path);
    expect(await readFile(path, 'utf8')).toBe('one two');
    if (posix) expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(path).toMatch(/[\\/]down-load---[0-9a-f]{12}$/);
    await store.close();
    expect(await left()).toEqual([]);
    await store.close();
  });

  it('goes when it is discarded, whole or not', async () => {
    const store = openStore(folder());
    const half = await store.tempFile('a');
    await half.write(Buffer.from('x'));
    await half.discard();
    await half.discard();
    const whole = await store.tempFile('a');
    await whole.done();
    await whole.discard();
    expect(await left()).toHaveLength(1);
    await expect(half.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    await expect(half.done()).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    await expect(whole.done()).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    await store.close();
  });

  it('takes nothing after done', async () => {
    const store = openStore(folder());
    const file = await store.tempFile('a');
    await file.done();
    await expect(file.write(Buffer.from('x'))).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    await store.close();
  });

  it.each([
    [10, 10, false],
    [10, 11, true],
    [-1, 1_000, false],
  ])('of at most %i bytes with %i bytes', async (maxBytes, bytes, refused) => {
    const store = openStore(folder());
    const file = await store.tempFile('a', { maxBytes });
    await file.write(Buffer.alloc(bytes - 1));
    const last = file.write(Buffer.alloc(1));
    if (refused) {
      await expect(last).rejects.toMatchObject({ code: 'WRITE_FAILED', details: { limit: 10, actual: 11 } });
      expect(await left()).toHaveLength(1);
    } else {
      await last;
      expect((await stat(await file.done())).size).toBe(bytes);
    }
    await store.close();
  });

  it('of no stated size ends at 100 MiB', async () => {
    const store = openStore(folder());
    const file = await store.tempFile('a');
    await expect(file.write({ byteLength: 104_857_601 } as Uint8Array)).rejects.toMatchObject({
      details: { limit: 104_857_600 },
    });
    await store.close();
  });
});

describe('a temporary folder', () => {
  it('is private and empty, and goes with all in it', async () => {
    const store = openStore(folder());
    const one = await store.tempFolder('unpack');
    const two = await store.tempFolder('unpack');
    if (posix) expect((await stat(one.path)).mode & 0o777).toBe(0o700);
    expect(await readdir(one.path)).toEqual([]);
    await writeFile(join(one.path, 'x'), 'y');
    await one.discard();
    await one.discard();
    expect(await readdir(two.path)).toEqual([]);
    await writeFile(join(two.path, 'x'), 'y');
    await store.close();
    expect(await left()).toEqual([]);
  });
});

describe('a store', () => {
  it('does not touch the files of another one of the same process', async () => {
    const one = openStore(folder());
    const two = openStore(folder());
    const file = await one.tempFile('a');
    await file.write(Buffer.from('x'));
    const other = await (await two.tempFile('b')).done();
    await two.close();
    expect(await readFile(await file.done(), 'utf8')).toBe('x');
    await expect(stat(other)).rejects.toMatchObject({ code: 'ENOENT' });
    await one.close();
  });

  it('does nothing once it is closed', async () => {
    const store = openStore(folder());
    await store.put('key', { bytes: Buffer.from('x') });
    await store.close();
    for (const work of [
      store.tempFile('a'),
      store.tempFolder('a'),
      store.get('key'),
      store.put('key', { bytes: Buffer.from('x') }),
      store.remove('key'),
    ]) {
      await expect(work).rejects.toMatchObject({
        code: 'WRITE_FAILED',
        message: expect.stringContaining('closed'),
      });
    }
    expect(await left()).toEqual([]);
  });

  it('goes on when somebody empties the cache folder', async () => {
    const store = openStore(folder());
    await store.put('key', { bytes: Buffer.from('x') });
    await rm(join(folder(), 'tmp'), { recursive: true });
    await rm(join(folder(), 'entries'), { recursive: true });
    expect(await store.get('key')).toBeUndefined();
    expect(await store.put('key', { bytes: Buffer.from('y') })).toBe(true);
    expect((await store.get('key'))?.bytes).toEqual(Buffer.from('y'));
    await rm(folder(), { recursive: true });
    await (await store.tempFolder('a')).discard();
    await store.close();
    expect(await left()).toEqual([]);
  });

  it('tries again what did not work before', async () => {
    const path = join(folder(), 'cache');
    await writeFile(path, '');
    const store = openStore(path);
    await expect(store.tempFile('a')).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    await expect(store.get('a')).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    await rm(path);
    await (await store.tempFile('a')).done();
    expect(await store.get('a')).toBeUndefined();
    await store.close();
  });

  it('serves many at once', async () => {
    const store = openStore(folder());
    const paths = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const file = await store.tempFile('many');
        await file.write(Buffer.from(String(index)));
        return file.done();
      }),
    );
    expect(new Set(paths).size).toBe(50);
    expect(await readdir(join(folder(), 'tmp'))).toHaveLength(1);
    await store.close();
  });
});
