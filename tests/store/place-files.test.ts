import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type FileToPlace, placeFiles } from '../../src/store/index.ts';
import { testFolder } from './support.ts';
import { treeOf } from './tree-of.ts';

/** What the disk refuses at the moment: how many calls go well, and the code of all that follow. */
const broken = vi.hoisted(() => new Map<string, { code: string; after: number }>());

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const refuse = (name: string): void => {
    const fault = broken.get(name);
    if (fault === undefined || fault.after-- > 0) return;
    throw Object.assign(new Error(`${fault.code}: ${name}`), { code: fault.code });
  };
  const failing =
    <Args extends unknown[], T>(name: string, work: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      refuse(name);
      return work(...args);
    };
  return {
    ...real,
    open: failing('open', real.open as (...args: unknown[]) => Promise<unknown>),
    link: failing('link', real.link),
    rename: failing('rename', real.rename),
  };
});

const folder = testFolder();
afterEach(() => broken.clear());

const file = (name: string, text: string): FileToPlace => ({ name, content: async () => Buffer.from(text) });
const TWO = [file('a.zip', 'A'), file('b.zip', 'B')];
const PLACED = ['a.zip 644 QQ==', 'b.zip 644 Qg=='];

describe('placeFiles', () => {
  it('puts files into a folder, which it makes', async () => {
    await placeFiles(join(folder(), 'x', 'y'), TWO);
    expect(treeOf(join(folder(), 'x', 'y'))).toEqual(PLACED);
  });

  it('makes the bytes of one file after those of the other are written', async () => {
    const order: string[] = [];
    const watched = TWO.map(({ name, content }) => ({
      name,
      content: async () => {
        order.push(name, ...readdirSync(join(folder(), readdirSync(folder())[0] ?? '', 'new')));
        return content();
      },
    }));
    await placeFiles(folder(), watched);
    expect(order).toEqual(['a.zip', 'b.zip', 'a.zip']);
  });

  it('refuses a file that is there before it makes anything', async () => {
    writeFileSync(join(folder(), 'b.zip'), 'old');
    const content = vi.fn();
    const work = placeFiles(folder(), [{ name: 'a.zip', content }, file('b.zip', 'B')]);
    await expect(work).rejects.toMatchObject({
      code: 'TARGET_EXISTS',
      message: `${join(folder(), 'b.zip')} already exists`,
    });
    expect(content).not.toHaveBeenCalled();
    expect(treeOf(folder())).toEqual(['b.zip 644 b2xk']);
  });

  it('replaces files when told to, which keep their bits', async () => {
    writeFileSync(join(folder(), 'b.zip'), 'old');
    chmodSync(join(folder(), 'b.zip'), 0o640);
    const before = statSync(join(folder(), 'b.zip')).ino;
    await placeFiles(folder(), TWO, { replace: true });
    expect(treeOf(folder())).toEqual(['a.zip 644 QQ==', 'b.zip 640 Qg==']);
    expect(statSync(join(folder(), 'b.zip')).ino).not.toBe(before);
  });

  it.each([
    ['a link', (path: string) => symlinkSync('elsewhere', path)],
    ['not a plain file', (path: string) => mkdirSync(path)],
  ])('never replaces what is %s', async (what, make) => {
    make(join(folder(), 'b.zip'));
    const before = treeOf(folder());
    await expect(placeFiles(folder(), TWO, { replace: true })).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining(what),
    });
    expect(treeOf(folder())).toEqual(before);
  });

  it('does not take the place of a file that comes meanwhile', async () => {
    const late = async (): Promise<Uint8Array> => {
      writeFileSync(join(folder(), 'b.zip'), 'theirs');
      return Buffer.from('B');
    };
    await expect(
      placeFiles(folder(), [file('a.zip', 'A'), { name: 'b.zip', content: late }]),
    ).rejects.toMatchObject({ code: 'TARGET_EXISTS' });
    expect(treeOf(folder())).toEqual(['b.zip 644 dGhlaXJz']);
  });

  it('works where a file cannot have two names', async () => {
    broken.set('link', { code: 'EPERM', after: 0 });
    await placeFiles(folder(), TWO);
    expect(treeOf(folder())).toEqual(PLACED);
  });

  it('leaves nothing when the bytes cannot be made, and hands the fault on', async () => {
    const fault = new Error('a fault');
    const failing = { name: 'b.zip', content: () => Promise.reject(fault) };
    await expect(placeFiles(join(folder(), 'x', 'y'), [file('a.zip', 'A'), failing])).rejects.toBe(fault);
    expect(treeOf(folder())).toEqual([]);
  });

  it.each([
    ['open', 'ENOSPC', 1, 'the disk is full'],
    ['link', 'EIO', 1, 'the system says EIO'],
  ])('leaves nothing when the disk fails at %s', async (what, code, after, reason) => {
    broken.set(what, { code, after });
    await expect(placeFiles(join(folder(), 'x'), TWO)).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: expect.stringContaining(reason),
    });
    expect(treeOf(folder())).toEqual([]);
  });

  it('gives up on an abort and leaves nothing', async () => {
    const controller = new AbortController();
    const aborting = {
      name: 'b.zip',
      content: async () => {
        controller.abort();
        return Buffer.from('B');
      },
    };
    await expect(
      placeFiles(folder(), [file('a.zip', 'A'), aborting], { signal: controller.signal }),
    ).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(treeOf(folder())).toEqual([]);
  });
});
