import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { tarGz } from '../archive/build-tar.ts';
import { treeOf } from '../store/tree-of.ts';
import { runHere } from './in-process.ts';
import { folderWith, skillText } from './program.ts';

/** How many more files the disk takes. */
const disk = vi.hoisted(() => ({ files: Number.POSITIVE_INFINITY }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  const open: typeof real.open = async (...args) => {
    const handle = await real.open(...args);
    const { writeFile } = handle;
    handle.writeFile = async (...rest: Parameters<typeof writeFile>) => {
      disk.files -= 1;
      if (disk.files < 0) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
      return writeFile.apply(handle, rest);
    };
    return handle;
  };
  return { ...real, open };
});

let folder: ReturnType<typeof folderWith>;
beforeEach(() => {
  folder = folderWith({ 'skills/a/SKILL.md': skillText('a'), 'skills/b/SKILL.md': skillText('b') });
});
afterEach(() => {
  disk.files = Number.POSITIVE_INFINITY;
  folder.remove();
});

describe('a full disk', () => {
  it.each([0, 1, 5, 20])('after %d files of an archive leaves all as it was', async (files) => {
    const archive = join(folder.path, 'x.tar.gz');
    const many = Array.from({ length: 40 }, (_, index) => ({ name: `f/${index}`, body: 'x' }));
    writeFileSync(archive, tarGz([{ name: 'SKILL.md', body: skillText('x') }, ...many]));
    mkdirSync(join(folder.path, 'empty'));
    const before = treeOf(folder.path);
    for (const target of ['new', 'x/y/new', 'empty', 'skills']) {
      disk.files = files;
      const done = await runHere(['unpack', archive, '--to', join(folder.path, target), '--force']);
      expect(done).toMatchObject({ code: 3, stdout: '' });
      expect(done.stderr).toContain('error[WRITE_FAILED]');
      expect(done.stderr).toContain('the disk is full');
      expect(treeOf(folder.path)).toEqual(before);
    }
  });

  it.each([0, 1])('after %d of two archives leaves none', async (files) => {
    const before = treeOf(folder.path);
    disk.files = files;
    const done = await runHere(['pack', join(folder.path, 'skills'), '--to', join(folder.path, 'dist')]);
    expect(done).toMatchObject({ code: 3, stdout: '' });
    expect(done.stderr).toContain('the disk is full');
    expect(treeOf(folder.path)).toEqual(before);
  });
});
