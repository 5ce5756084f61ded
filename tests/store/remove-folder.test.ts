import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { removeFolder } from '../../src/store/index.ts';
import { folderNameOf, ownerOfThisProcess } from '../../src/store/owner.ts';
import { testFolder } from './support.ts';

/** Whether the system refuses to rename at the moment. */
const broken = vi.hoisted(() => ({ rename: false }));

vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof import('node:fs/promises')>();
  return {
    ...real,
    rename: async (...args: Parameters<typeof real.rename>) => {
      if (broken.rename) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      return real.rename(...args);
    },
  };
});

const root = testFolder();

function make(...names: readonly string[]): string {
  const path = join(root(), ...names);
  mkdirSync(join(path, 'deep'), { recursive: true });
  writeFileSync(join(path, 'SKILL.md'), 'x');
  writeFileSync(join(path, 'deep', 'a.md'), 'x');
  return path;
}

describe('removeFolder', () => {
  it('removes a folder with all in it, and leaves nothing beside it', async () => {
    await removeFolder(make('pdf'));
    expect(readdirSync(root())).toEqual([]);
  });

  it('is content with what is not there', async () => {
    await removeFolder(join(root(), 'nothing', 'here'));
    expect(readdirSync(root())).toEqual([]);
  });

  it('takes the empty folders above it along, up to the one that stays', async () => {
    const path = make('skills', 'acme', 'team', 'pdf');
    make('skills', 'acme', 'zip');
    await removeFolder(path, { upTo: join(root(), 'skills') });
    expect(readdirSync(join(root(), 'skills', 'acme'))).toEqual(['zip']);
    await removeFolder(join(root(), 'skills', 'acme', 'zip'), { upTo: join(root(), 'skills') });
    expect(readdirSync(join(root(), 'skills'))).toEqual([]);
    expect(readdirSync(root())).toEqual(['skills']);
  });

  it('removes no link and follows none', async () => {
    const path = make('pdf');
    symlinkSync(path, join(root(), 'link'));
    mkdirSync(join(root(), 'other'));
    symlinkSync(root(), join(root(), 'other', 'back'));
    for (const through of [join(root(), 'link'), join(root(), 'other', 'back', 'pdf')]) {
      await expect(removeFolder(through)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    }
    expect(existsSync(join(path, 'SKILL.md'))).toBe(true);
  });

  it('removes no file, no folder with a .git and none that holds the working folder', async () => {
    writeFileSync(join(root(), 'file'), 'x');
    const repository = make('repository');
    mkdirSync(join(repository, '.git'));
    for (const path of [join(root(), 'file'), repository, process.cwd()]) {
      await expect(removeFolder(path)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
      expect(existsSync(path)).toBe(true);
    }
  });

  it('leaves the folder as it was when the system refuses', async () => {
    const path = make('pdf');
    broken.rename = true;
    try {
      await expect(removeFolder(path)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    } finally {
      broken.rename = false;
    }
    expect(readFileSync(join(path, 'deep', 'a.md'), 'utf8')).toBe('x');
    expect(readdirSync(root())).toEqual(['pdf']);
  });

  it('finishes what a killed process had begun, and puts nothing back that was to go', async () => {
    const dead = `.skillwire-${folderNameOf({ ...ownerOfThisProcess(), pid: 4_194_305 }, '0123456789ab')}~`;
    make(dead, 'new', 'gone');
    await removeFolder(make('pdf'));
    expect(readdirSync(root())).toEqual([]);
  });
});
