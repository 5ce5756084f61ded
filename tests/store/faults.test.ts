import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openStore } from '../../src/store/index.ts';
import { folderNameOf, ownerOfThisProcess } from '../../src/store/owner.ts';
import { testFolder } from './support.ts';

/** What the disk refuses at the moment: a function of the file system, with the code it fails with. */
const broken = vi.hoisted(() => new Map<string, string>());

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const check = (name: string, path?: unknown): void => {
    const code = broken.get(name);
    const only = broken.get(`${name} of`);
    if (code === undefined || (only !== undefined && !String(path).includes(only))) return;
    throw Object.assign(new Error(`${code}: ${name} '${String(path)}'`), { code });
  };
  const open: typeof real.open = async (...args) => {
    check('open', args[0]);
    const handle = await real.open(...args);
    const { writeFile, close } = handle;
    handle.writeFile = async (...rest: Parameters<typeof writeFile>) => {
      check('write');
      return writeFile.apply(handle, rest);
    };
    handle.close = async () => {
      await close.call(handle);
      check('close');
    };
    return handle;
  };
  const failing =
    <Args extends unknown[], T>(name: string, work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      check(name, args[0]);
      return work(...args);
    };
  return {
    ...real,
    open,
    mkdir: failing('mkdir', real.mkdir as (...args: unknown[]) => Promise<unknown>),
    rename: failing('rename', real.rename),
    rm: failing('rm', real.rm),
    lstat: failing('lstat', real.lstat as (...args: unknown[]) => Promise<unknown>),
    opendir: failing('opendir', real.opendir),
    utimes: failing('utimes', real.utimes),
  };
});

const folder = testFolder();
afterEach(() => broken.clear());

/** The temporary files of all sessions. */
async function tempFiles(): Promise<string[]> {
  const tmp = join(folder(), 'tmp');
  const sessions = await readdir(tmp);
  return (await Promise.all(sessions.map((name) => readdir(join(tmp, name))))).flat();
}

const REFUSED = { code: 'WRITE_FAILED', exitCode: 3 };

describe('a full disk', () => {
  it.each(['write', 'close'])('at %s of a temporary file ends it and leaves nothing', async (what) => {
    const store = openStore(folder());
    const file = await store.tempFile('a');
    await file.write(Buffer.from('x'));
    broken.set(what, 'ENOSPC');
    const work = what === 'write' ? file.write(Buffer.from('y')) : file.done();
    await expect(work).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining('the disk is full'),
    });
    broken.clear();
    expect(await tempFiles()).toEqual([]);
    await expect(file.write(Buffer.from('z'))).rejects.toMatchObject(REFUSED);
    await expect(file.done()).rejects.toMatchObject(REFUSED);
    await store.close();
  });

  it.each(['open', 'write', 'close', 'rename'])('at %s of an entry keeps the one before', async (what) => {
    const store = openStore(folder());
    await store.put('key', { bytes: Buffer.from('old') });
    broken.set(what, 'ENOSPC');
    await expect(store.put('key', { bytes: Buffer.from('new') })).rejects.toMatchObject({
      ...REFUSED,
      details: { system: 'ENOSPC' },
    });
    broken.clear();
    expect((await store.get('key'))?.bytes).toEqual(Buffer.from('old'));
    expect(await tempFiles()).toEqual([]);
    await store.close();
  });
});

describe('a system that refuses', () => {
  it.each([
    ['mkdir', 'EACCES', 'permission denied'],
    ['mkdir', 'EROFS', 'the volume is read-only'],
    ['lstat', 'EIO', 'the system says EIO'],
    ['open', 'EDQUOT', 'the disk quota is used up'],
    ['open', 'EMFILE', 'the system says EMFILE'],
  ])('%s with %s says so and is asked again the next time', async (what, code, reason) => {
    const store = openStore(folder());
    broken.set(what, code);
    await expect(store.tempFile('a')).rejects.toMatchObject({
      ...REFUSED,
      message: expect.stringContaining(reason),
    });
    broken.clear();
    await (await store.tempFile('a')).done();
    await store.close();
  });

  it('to read an entry says so', async () => {
    const store = openStore(folder());
    await store.put('key', { bytes: Buffer.from('x') });
    broken.set('open', 'EIO');
    await expect(store.get('key')).rejects.toMatchObject(REFUSED);
    await store.close();
  });

  it('to note when an entry was used does not keep it from being read', async () => {
    const store = openStore(folder());
    await store.put('key', { bytes: Buffer.from('x') });
    broken.set('utimes', 'EPERM');
    expect((await store.get('key'))?.bytes).toEqual(Buffer.from('x'));
    await store.close();
  });

  it('to remove says so, and lets it be tried again', async () => {
    const store = openStore(folder());
    const file = await store.tempFile('a');
    const temp = await store.tempFolder('a');
    await store.put('key', { bytes: Buffer.from('x') });
    broken.set('rm', 'EBUSY');
    for (const work of [file.discard, temp.discard, () => store.remove('key'), () => store.close()]) {
      await expect(work()).rejects.toMatchObject({ ...REFUSED, details: { system: 'EBUSY' } });
    }
    broken.clear();
    await store.close();
    expect(await readdir(join(folder(), 'tmp'))).toEqual([]);
  });

  it('to remove leftovers tells the logger and goes on', async () => {
    const owner = { ...ownerOfThisProcess(), pid: 4_194_305 };
    const leftover = folderNameOf(owner, '0123456789ab');
    await mkdir(join(folder(), 'tmp', leftover), { recursive: true, mode: 0o700 });
    const warned: unknown[] = [];
    const logger = {
      debug() {},
      info() {},
      error() {},
      warn: (...args: unknown[]) => void warned.push(args),
    };
    for (const what of ['rm', 'opendir']) {
      broken.set(what, 'EACCES');
      broken.set(`${what} of`, 'tmp');
      const store = openStore(folder(), { logger });
      await (await store.tempFile('a')).done();
      broken.clear();
      await store.close();
    }
    expect(warned).toEqual([
      ['cannot remove temporary files of a process that ended', { system: 'EACCES' }],
      ['cannot look for temporary files left behind', { system: 'EACCES' }],
    ]);
    expect(await readdir(join(folder(), 'tmp'))).toEqual([leftover]);
  });
});
