import { chmod, chown, lchown, lstat, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheFolder } from '../../src/store/cache-folder.ts';
import { openStore } from '../../src/store/index.ts';
import { testFolder } from './support.ts';

const folder = testFolder();
const posix = process.platform !== 'win32';
const root = process.geteuid?.() === 0;

let kept: NodeJS.ProcessEnv;
beforeEach(() => {
  kept = { ...process.env };
});
afterEach(() => {
  process.env = kept;
});

/** Uses both halves of a store once. */
async function use(path?: string): Promise<void> {
  const store = openStore(path);
  try {
    await store.put('key', { bytes: Buffer.from('x') });
    await (await store.tempFile('a')).done();
  } finally {
    await store.close();
  }
}

describe('the cache folder', () => {
  it.each([
    ['/var/cache/me', '/var/cache/me/skillwire', 'the cache folder $XDG_CACHE_HOME/skillwire'],
    ['relative', join(homedir(), '.cache/skillwire'), 'the cache folder ~/.cache/skillwire'],
    ['', join(homedir(), '.cache/skillwire'), 'the cache folder ~/.cache/skillwire'],
    [undefined, join(homedir(), '.cache/skillwire'), 'the cache folder ~/.cache/skillwire'],
  ])('with XDG_CACHE_HOME %j', (value, path, name) => {
    if (value === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = value;
    expect(cacheFolder()).toEqual({ path: resolve(path), name });
  });

  it('given by path is that path', () => {
    expect(cacheFolder('a/b')).toEqual({ path: resolve('a/b'), name: 'a/b' });
  });

  it('is not touched before it is used', async () => {
    const store = openStore(join(folder(), 'cache'));
    await store.close();
    expect(await readdir(folder())).toEqual([]);
  });

  it('is made for its user alone, with the folders above it', async () => {
    process.env.XDG_CACHE_HOME = join(folder(), 'a/b');
    await use();
    const path = join(folder(), 'a/b/skillwire');
    expect((await readdir(path)).sort()).toEqual(['entries', 'tmp']);
    if (!posix) return;
    for (const each of [path, join(path, 'entries'), join(path, 'tmp')]) {
      expect((await stat(each)).mode & 0o777).toBe(0o700);
    }
  });

  it('keeps to a folder that others may read, and closes what it makes inside', async () => {
    const path = join(folder(), 'cache');
    await mkdir(path, { mode: 0o755 });
    await mkdir(join(path, 'tmp'), { mode: 0o755 });
    await use(path);
    expect((await stat(path)).mode & 0o777).toBe(0o755);
    expect((await stat(join(path, 'tmp'))).mode & 0o777).toBe(0o700);
  });

  it('may be reached through a link of its user', async () => {
    await mkdir(join(folder(), 'real'), { mode: 0o700 });
    await symlink('real', join(folder(), 'cache'));
    await use(join(folder(), 'cache'));
    expect((await readdir(join(folder(), 'real'))).sort()).toEqual(['entries', 'tmp']);
  });

  it.each([
    ['is a file', (path: string) => writeFile(path, ''), /is not a folder/],
    ['leads nowhere', (path: string) => symlink('nowhere', path), /cannot write|does not exist/],
  ])('is refused when it %s', async (_, make, message) => {
    const path = join(folder(), 'cache');
    await make(path);
    await expect(use(path)).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringMatching(message),
    });
  });

  it.runIf(posix).each([0o777, 0o770, 0o1777, 0o702])('is refused when its mode is %o', async (mode) => {
    const path = join(folder(), 'cache');
    await mkdir(path);
    await chmod(path, mode);
    await expect(use(path)).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining('can be written to by others'),
    });
    expect(await readdir(path)).toEqual([]);
  });

  it.runIf(posix).each(['entries', 'tmp'])('is refused when its folder %s is a link', async (name) => {
    const path = join(folder(), 'cache');
    await mkdir(join(folder(), 'elsewhere'));
    await mkdir(path, { mode: 0o700 });
    await symlink(join(folder(), 'elsewhere'), join(path, name));
    await expect(use(path)).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining(`${name} is a link`),
    });
    expect(await readdir(join(folder(), 'elsewhere'))).toEqual([]);
  });

  it.runIf(posix)('is refused when a folder inside can be written to by others', async () => {
    const path = join(folder(), 'cache');
    await mkdir(join(path, 'tmp'), { recursive: true, mode: 0o700 });
    await chmod(join(path, 'tmp'), 0o777);
    await expect(use(path)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
  });

  it('is not named by its path in an error unless the caller gave the path', async () => {
    process.env.XDG_CACHE_HOME = folder();
    await writeFile(join(folder(), 'skillwire'), '');
    const error = await use().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'WRITE_FAILED' });
    expect(JSON.stringify([String(error), error])).not.toContain(folder());
  });
});

describe.runIf(root)('a cache folder of another user', () => {
  it('is refused', async () => {
    const path = join(folder(), 'cache');
    await mkdir(path, { mode: 0o700 });
    await chown(path, 12_345, 12_345);
    await expect(use(path)).rejects.toMatchObject({
      message: expect.stringContaining('belongs to another user'),
    });
  });

  it('is refused behind a link of one’s own', async () => {
    await mkdir(join(folder(), 'theirs'), { mode: 0o700 });
    await chown(join(folder(), 'theirs'), 12_345, 12_345);
    await symlink('theirs', join(folder(), 'cache'));
    await expect(use(join(folder(), 'cache'))).rejects.toMatchObject({
      message: expect.stringContaining('leads to a folder of another user'),
    });
  });

  it('is refused when the link alone is theirs', async () => {
    const link = join(folder(), 'cache');
    await mkdir(join(folder(), 'mine'), { mode: 0o700 });
    await symlink('mine', link);
    await lchown(link, 12_345, 12_345);
    expect((await lstat(link)).uid).toBe(12_345);
    await expect(use(link)).rejects.toMatchObject({
      message: expect.stringContaining('is a link that belongs to another user'),
    });
    expect(await readdir(join(folder(), 'mine'))).toEqual([]);
  });
});
