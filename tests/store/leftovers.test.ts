import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../src/logger.ts';
import { openStore } from '../../src/store/index.ts';
import { removeLeftovers } from '../../src/store/leftovers.ts';
import { folderNameOf, livenessOf, ownerOfThisProcess, parseFolderName } from '../../src/store/owner.ts';
import { testFolder } from './support.ts';

const folder = testFolder();
const linux = process.platform === 'linux';
const children = new Set<ChildProcess>();
afterEach(async () => {
  for (const child of children) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  children.clear();
});

/** Starts a process that uses a store in `path`, and gives it once it has its temporary folder. */
async function start(
  path: string,
  how: 'wait' | 'exit' | 'throw',
): Promise<{ child: ChildProcess; temp: string }> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', join(import.meta.dirname, 'crash-child.ts'), path, how],
    {
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  children.add(child);
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { child, temp: line.toString().trim() };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

describe('a process that ends without tidying up', () => {
  it('leaves its files until the next one starts, which takes those of no other', async () => {
    const killed = await start(folder(), 'wait');
    const running = await start(folder(), 'wait');
    expect(await readdir(join(folder(), 'tmp'))).toHaveLength(2);
    killed.child.kill('SIGKILL');
    await end(killed.child);
    expect(await exists(join(killed.temp, 'x'))).toBe(true);

    const store = openStore(folder());
    await (await store.tempFile('a')).done();
    expect(await exists(join(killed.temp, '..'))).toBe(false);
    expect(await exists(join(running.temp, 'x'))).toBe(true);
    await store.close();
    expect(await readdir(join(folder(), 'tmp'))).toHaveLength(1);
  });

  it.each(['exit', 'throw'] as const)('by %s tidies up at the last moment', async (how) => {
    const { child, temp } = await start(folder(), how);
    await end(child);
    expect(child.exitCode).toBe(how === 'exit' ? 0 : 1);
    expect(await exists(temp)).toBe(false);
    expect(await readdir(join(folder(), 'tmp'))).toEqual([]);
  });
});

describe('whose a folder is', () => {
  const me = ownerOfThisProcess();

  it('stands in its name', () => {
    const name = folderNameOf(me, '0123456789ab');
    expect(parseFolderName(name)).toEqual(me);
    expect(me.pid).toBe(process.pid);
    expect(livenessOf(me)).toBe('alive');
  });

  it.each(['', '.', '..', 'x', '0123456789ab-1-0-0123456789a', '0123456789ab-x-0-0123456789ab', '../../etc'])(
    'does not stand in %j',
    (name) => {
      expect(parseFolderName(name)).toBeUndefined();
    },
  );

  it('is known to be nobody’s when no process has the number', async () => {
    const { child } = await start(folder(), 'exit');
    const pid = child.pid as number;
    await end(child);
    expect(livenessOf({ ...me, pid })).toBe('dead');
  });

  it.runIf(linux)('is known to be nobody’s when another process got the number', () => {
    expect(me.started).not.toBe('0');
    expect(livenessOf({ ...me, started: 'abcdef012345' })).toBe('dead');
  });

  it('is taken for somebody’s where the system does not tell when a process started', () => {
    expect(livenessOf({ ...me, started: '0' })).toBe('alive');
  });

  it.runIf(linux)('is known to be nobody’s when the process waits to be buried', async () => {
    // The shell starts a child and becomes a program that never asks for it.
    const parent = spawn('/bin/sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    children.add(parent);
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    const owner = { ...me, pid, started: '0' };
    while (!/\) Z /.test(await readFile(`/proc/${pid}/stat`, 'latin1'))) {
      expect(livenessOf(owner)).not.toBe('foreign');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(livenessOf(owner)).toBe('dead');
  });

  it('cannot be told for a process of another machine', () => {
    expect(livenessOf({ ...me, machine: 'abcdef012345' })).toBe('foreign');
  });
});

describe('removeLeftovers', () => {
  const dead = { ...ownerOfThisProcess(), pid: 4_194_305 };
  const foreign = { ...ownerOfThisProcess(), machine: 'abcdef012345' };
  const unique = (index: number): string => index.toString(16).padStart(12, '0');

  it('takes the folders of dead processes, with all in them but not what their links lead to', async () => {
    const outside = join(folder(), 'outside');
    const tmp = join(folder(), 'tmp');
    await mkdir(outside);
    await writeFile(join(outside, 'keep'), '');
    const name = folderNameOf(dead, unique(1));
    await mkdir(join(tmp, name, 'a/b'), { recursive: true });
    await symlink(outside, join(tmp, name, 'a/link'));
    await symlink(outside, join(tmp, folderNameOf(dead, unique(2))));
    await writeFile(join(tmp, folderNameOf(dead, unique(3))), 'a file of that name');
    await mkdir(join(tmp, 'somebody elses'));
    await mkdir(join(tmp, folderNameOf(ownerOfThisProcess(), unique(4))));
    expect(await removeLeftovers(tmp, silentLogger)).toBe(1);
    expect(await exists(join(tmp, name))).toBe(false);
    expect(await readdir(outside)).toEqual(['keep']);
    expect(await readdir(tmp)).toHaveLength(4);
  });

  it('takes those of other machines when they are a week old', async () => {
    const name = folderNameOf(foreign, unique(1));
    await mkdir(join(folder(), name));
    const now = 1_800_000_000_000;
    const days = async (count: number): Promise<number> => {
      const then = new Date(now - count * 86_400_000);
      await utimes(join(folder(), name), then, then);
      return removeLeftovers(folder(), silentLogger, now);
    };
    expect(await days(6)).toBe(0);
    expect(await days(8)).toBe(1);
    expect(await readdir(folder())).toEqual([]);
  });

  it('removes a bounded number at a time', async () => {
    for (let index = 0; index < 130; index++) await mkdir(join(folder(), folderNameOf(dead, unique(index))));
    expect(await removeLeftovers(folder(), silentLogger)).toBe(100);
    expect(await removeLeftovers(folder(), silentLogger)).toBe(30);
    expect(await removeLeftovers(folder(), silentLogger)).toBe(0);
  });

  it('is done twice at once without harm', async () => {
    for (let index = 0; index < 40; index++) {
      await mkdir(join(folder(), folderNameOf(dead, unique(index)), 'a/b/c'), { recursive: true });
    }
    await Promise.all([1, 2, 3].map(() => removeLeftovers(folder(), silentLogger)));
    expect(await readdir(folder())).toEqual([]);
  });
});
