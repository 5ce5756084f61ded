import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type NewFile, placeFolder } from '../../src/store/index.ts';
import { folderNameOf, ownerOfThisProcess } from '../../src/store/owner.ts';
import { testFolder } from './support.ts';
import { treeOf } from './tree-of.ts';

/** What the disk refuses at the moment: how many calls go well, and how many then fail with which code. */
const broken = vi.hoisted(() => new Map<string, { code: string; after: number; times: number }>());
const refuse = vi.hoisted(() => (name: string): void => {
  const fault = broken.get(name);
  if (fault === undefined || fault.after-- > 0 || fault.times-- <= 0) return;
  throw Object.assign(new Error(`${fault.code}: ${name}`), { code: fault.code });
});

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const open: typeof real.open = async (...args) => {
    refuse('open');
    const handle = await real.open(...args);
    const { writeFile, sync, close } = handle;
    handle.writeFile = async (...rest: Parameters<typeof writeFile>) => {
      refuse('write');
      return writeFile.apply(handle, rest);
    };
    handle.sync = async () => {
      refuse('sync');
      return sync.call(handle);
    };
    handle.close = async () => {
      await close.call(handle);
      refuse('close');
    };
    return handle;
  };
  const failing =
    <Args extends unknown[], T>(name: string, work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      refuse(name);
      return work(...args);
    };
  return {
    ...real,
    open,
    mkdir: failing('mkdir', real.mkdir as (...args: unknown[]) => Promise<unknown>),
    rm: failing('rm', real.rm),
    chmod: failing('chmod', real.chmod),
  };
});

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  const renameSync: typeof real.renameSync = (from, to) => {
    refuse('renameSync');
    real.renameSync(from, to);
  };
  return { ...real, renameSync };
});

const folder = testFolder();
afterEach(() => {
  broken.clear();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const FILES: readonly NewFile[] = [
  { path: 'SKILL.md', content: 'new' },
  { path: 'scripts/run.sh', content: '#!/bin/sh\n', mode: 0o755 },
  { path: 'a/b/c.bin', content: Buffer.from([0, 255]) },
];

/** What {@link FILES} are on disk, under the umask of the test. */
function placedAs(path: string, bits = '755'): string[] {
  return [
    `${path}/ ${bits}`,
    join(path, 'SKILL.md 644 bmV3'),
    join(path, 'a/ 755'),
    join(path, 'a/b/ 755'),
    join(path, 'a/b/c.bin 644 AP8='),
    join(path, 'scripts/ 755'),
    join(path, 'scripts/run.sh 755 IyEvYmluL3NoCg=='),
  ];
}

/** A folder with something in it. */
function oldFolder(path: string): void {
  mkdirSync(join(path, 'sub'), { recursive: true });
  writeFileSync(join(path, 'SKILL.md'), 'old');
  writeFileSync(join(path, 'sub', 'only-here.md'), 'old');
}

describe('placeFolder', () => {
  it('makes the folder with all its files, and the folders above it', async () => {
    expect(await placeFolder(join(folder(), 'x', 'skill'), FILES)).toEqual({ replaced: false });
    expect(treeOf(folder())).toEqual(['x/ 755', ...placedAs(join('x', 'skill'))]);
  });

  it('makes empty folders, and a folder with nothing in it', async () => {
    await placeFolder(join(folder(), 'skill'), [], { folders: ['out/deep', 'out'] });
    await placeFolder(join(folder(), 'none'), []);
    expect(treeOf(folder())).toEqual(['none/ 755', 'skill/ 755', 'skill/out/ 755', 'skill/out/deep/ 755']);
  });

  it('fills an empty folder, which stays the folder it is', async () => {
    const path = join(folder(), 'skill');
    mkdirSync(path, { mode: 0o750 });
    const before = statSync(path).ino;
    expect(await placeFolder(path, FILES)).toEqual({ replaced: false });
    expect(statSync(path).ino).toBe(before);
    expect(treeOf(folder())).toEqual(placedAs('skill', '750'));
  });

  it('fills the working folder when that is empty', async () => {
    const path = join(folder(), 'here');
    mkdirSync(path);
    vi.spyOn(process, 'cwd').mockReturnValue(path);
    await placeFolder('.', FILES);
    expect(treeOf(folder())).toEqual(placedAs('here'));
  });

  it.each([false, true])('refuses a file, with replace=%s', async (replace) => {
    writeFileSync(join(folder(), 'skill'), 'x');
    const before = treeOf(folder());
    await expect(placeFolder(join(folder(), 'skill'), FILES, { replace })).rejects.toMatchObject({
      code: 'TARGET_EXISTS',
      message: expect.stringContaining('exists and is no folder'),
      details: { folder: false },
    });
    expect(treeOf(folder())).toEqual(before);
  });

  it('refuses a folder that holds something, unless it is to be replaced', async () => {
    const path = join(folder(), 'skill');
    oldFolder(path);
    const before = treeOf(folder());
    await expect(placeFolder(path, FILES)).rejects.toMatchObject({
      code: 'TARGET_EXISTS',
      details: { folder: true },
    });
    expect(treeOf(folder())).toEqual(before);
    expect(await placeFolder(path, FILES, { replace: true })).toEqual({ replaced: true });
    expect(treeOf(folder())).toEqual(placedAs('skill'));
  });

  it('gives a new folder the bits of the one it replaces', async () => {
    const path = join(folder(), 'skill');
    mkdirSync(path, { mode: 0o700 });
    writeFileSync(join(path, 'secret'), '');
    await placeFolder(path, FILES, { replace: true });
    expect(treeOf(folder())).toEqual(placedAs('skill', '700'));
  });

  it('tells how many files are written', async () => {
    const heard: number[] = [];
    await placeFolder(join(folder(), 'skill'), FILES, { onProgress: (files) => heard.push(files) });
    expect(heard).toEqual([1, 2, 3]);
  });

  it('holds what is not there yet under a name that no source shows', async () => {
    const seen: string[] = [];
    await placeFolder(join(folder(), 'skill'), FILES, {
      onProgress: () => seen.push(...readdirSync(folder())),
    });
    expect(new Set(seen).size).toBe(1);
    expect(seen[0]).toMatch(/^\.skillwire-.+~$/);
  });
});

describe('links in the path of a target', () => {
  const real = (): string => join(folder(), 'real');
  const links: readonly (readonly [string, () => string])[] = [
    [
      'as the target itself',
      () => {
        symlinkSync('real', join(folder(), 'link'));
        return join(folder(), 'link');
      },
    ],
    [
      'above the target',
      () => {
        symlinkSync('real', join(folder(), 'link'));
        return join(folder(), 'link', 'skill');
      },
    ],
    [
      'far above the target',
      () => {
        mkdirSync(join(real(), 'x'));
        symlinkSync('real', join(folder(), 'link'));
        return join(folder(), 'link', 'x', 'y', 'skill');
      },
    ],
    [
      'that lead nowhere',
      () => {
        symlinkSync('nowhere', join(folder(), 'link'));
        return join(folder(), 'link');
      },
    ],
    [
      'that lead in a circle',
      () => {
        symlinkSync('link', join(folder(), 'link'));
        return join(folder(), 'link', 'x');
      },
    ],
  ];
  it.each(links)('%s are not written through', async (_, make) => {
    mkdirSync(real());
    const path = make();
    const before = treeOf(folder());
    for (const replace of [false, true]) {
      await expect(placeFolder(path, FILES, { replace })).rejects.toMatchObject({
        code: 'WRITE_FAILED',
        message: expect.stringContaining('nothing is written through links'),
      });
    }
    expect(treeOf(folder())).toEqual(before);
  });

  it('are answered with the path they stand for', async () => {
    mkdirSync(real());
    symlinkSync('real', join(folder(), 'link'));
    await expect(placeFolder(join(folder(), 'link', 'skill'), FILES)).rejects.toMatchObject({
      details: { link: join(folder(), 'link'), real: join(real(), 'skill') },
    });
  });
});

describe('folders that are never replaced', () => {
  const cases: readonly (readonly [string, (path: string) => void])[] = [
    ['is the working folder or holds it', (path) => vi.spyOn(process, 'cwd').mockReturnValue(path)],
    [
      'is the working folder or holds it',
      (path) => vi.spyOn(process, 'cwd').mockReturnValue(join(path, 'sub')),
    ],
    ['is the home folder or holds it', (path) => vi.stubEnv('HOME', path)],
    ['is the home folder or holds it', (path) => vi.stubEnv('HOME', join(path, 'sub'))],
    ['holds a .git', (path) => mkdirSync(join(path, '.git'))],
    ['holds a .git', (path) => writeFileSync(join(path, '.GIT'), 'gitdir: elsewhere')],
  ];
  it.each(cases)('%s', async (why, make) => {
    const path = join(folder(), 'skill');
    oldFolder(path);
    make(path);
    const before = treeOf(folder());
    await expect(placeFolder(path, FILES, { replace: true })).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining(why),
    });
    expect(treeOf(folder())).toEqual(before);
  });
});

describe('a disk that refuses', () => {
  const faults: readonly (readonly [string, string, number, string])[] = [
    ['write', 'ENOSPC', 0, 'the disk is full'],
    ['write', 'ENOSPC', 2, 'the disk is full'],
    ['sync', 'EDQUOT', 1, 'the disk quota is used up'],
    ['close', 'ENOSPC', 1, 'the disk is full'],
    ['open', 'EACCES', 1, 'permission denied'],
    ['mkdir', 'EROFS', 0, 'the volume is read-only'],
    ['mkdir', 'EROFS', 1, 'the volume is read-only'],
    ['mkdir', 'EROFS', 3, 'the volume is read-only'],
  ];
  it.each(faults)('at %s with %s after %d calls leaves all as it was', async (what, code, after, reason) => {
    oldFolder(join(folder(), 'old'));
    mkdirSync(join(folder(), 'empty'));
    const before = treeOf(folder());
    for (const path of ['new', join('x', 'y', 'new'), 'empty', 'old']) {
      broken.set(what, { code, after, times: 1_000 });
      await expect(placeFolder(join(folder(), path), FILES, { replace: true })).rejects.toMatchObject({
        code: 'WRITE_FAILED',
        message: expect.stringContaining(reason),
      });
      broken.clear();
      expect(treeOf(folder())).toEqual(before);
    }
  });

  it.each([0, 1])('at rename %d of a replacement leaves the old folder in its place', async (after) => {
    oldFolder(join(folder(), 'skill'));
    const before = treeOf(folder());
    broken.set('renameSync', { code: 'EBUSY', after, times: 1 });
    await expect(placeFolder(join(folder(), 'skill'), FILES, { replace: true })).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining('another program holds it'),
    });
    expect(treeOf(folder())).toEqual(before);
  });

  it.each([0, 1, 2])('at rename %d into an empty folder leaves it empty', async (after) => {
    mkdirSync(join(folder(), 'skill'));
    broken.set('renameSync', { code: 'EIO', after, times: 1 });
    await expect(placeFolder(join(folder(), 'skill'), FILES)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(treeOf(folder())).toEqual(['skill/ 755']);
  });

  it('to put the old folder back keeps it and says where it is', async () => {
    const path = join(folder(), 'skill');
    oldFolder(path);
    broken.set('renameSync', { code: 'EIO', after: 1, times: 2 });
    const error = await placeFolder(path, FILES, { replace: true }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining('could not be put back'),
    });
    const { old } = (error as { details: { old: string } }).details;
    expect(readFileSync(join(old, 'sub', 'only-here.md'), 'utf8')).toBe('old');
    expect(basename(old)).toBe('skill');
  });

  it('to remove the old folder is no failure, and is told', async () => {
    const path = join(folder(), 'skill');
    oldFolder(path);
    broken.set('rm', { code: 'EACCES', after: 0, times: 1 });
    const { leftover, replaced } = await placeFolder(path, FILES, { replace: true });
    expect(replaced).toBe(true);
    expect(dirname(leftover ?? '')).toBe(folder());
    expect(treeOf(folder()).filter((line) => !line.startsWith('.skillwire-'))).toEqual(placedAs('skill'));
  });
});

describe('an abort', () => {
  it('leaves all as it was, whenever it comes', async () => {
    oldFolder(join(folder(), 'old'));
    const before = treeOf(folder());
    for (const at of [0, 1, 2, 3]) {
      const controller = new AbortController();
      if (at === 0) controller.abort();
      const work = placeFolder(join(folder(), at % 2 === 0 ? 'old' : 'new'), FILES, {
        replace: true,
        signal: controller.signal,
        onProgress: (files) => {
          if (files === at) controller.abort();
        },
      });
      await expect(work).rejects.toMatchObject({
        code: 'WRITE_FAILED',
        message: expect.stringContaining('interrupted'),
      });
      expect(treeOf(folder())).toEqual(before);
    }
  });
});

describe('what a killed process left', () => {
  // No process has the number.
  const dead = `.skillwire-${folderNameOf({ ...ownerOfThisProcess(), pid: 4_194_305 }, '0123456789ab')}~`;
  const alive = `.skillwire-${folderNameOf(ownerOfThisProcess(), '0123456789ab')}~`;

  it('while it wrote is removed, beside a target and in it', async () => {
    for (const parent of ['', 'empty']) oldFolder(join(folder(), parent, dead, 'new'));
    await placeFolder(join(folder(), 'empty'), FILES);
    expect(treeOf(folder())).toEqual(placedAs('empty'));
  });

  it('while it replaced is put back', async () => {
    oldFolder(join(folder(), dead, 'old', 'skill'));
    await placeFolder(join(folder(), 'other'), []);
    expect(readdirSync(folder()).sort()).toEqual(['other', 'skill']);
    expect(readFileSync(join(folder(), 'skill', 'sub', 'only-here.md'), 'utf8')).toBe('old');
  });

  it('after it replaced is removed', async () => {
    oldFolder(join(folder(), dead, 'old', 'skill'));
    await placeFolder(join(folder(), 'skill'), FILES, { replace: true });
    // It is back first, and gives way like any other.
    expect(treeOf(folder())).toEqual(placedAs('skill'));
    oldFolder(join(folder(), dead, 'old', 'skill'));
    await placeFolder(join(folder(), 'other'), []);
    expect(treeOf(folder())).toEqual(['other/ 755', ...placedAs('skill')]);
  });

  it('is told from what a running one is at, and from what only looks like it', async () => {
    mkdirSync(join(folder(), alive));
    mkdirSync(join(folder(), '.skillwire-mine~'));
    mkdirSync(join(folder(), dead.slice(0, -1)));
    mkdirSync(join(folder(), 'elsewhere'));
    writeFileSync(join(folder(), 'elsewhere', 'x'), '');
    symlinkSync('elsewhere', join(folder(), dead));
    const before = treeOf(folder());
    await placeFolder(join(folder(), 'zzz'), []);
    expect(treeOf(folder())).toEqual([...before, 'zzz/ 755']);
  });
});
