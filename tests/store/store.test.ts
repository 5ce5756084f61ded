import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFolder, renameFolder, writeFileAtomic } from '../../src/store/index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillwire-store-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('writeFileAtomic', () => {
  it('makes a file and leaves nothing beside it', async () => {
    await writeFileAtomic(join(folder, 'a.md'), 'text');
    expect(await readFile(join(folder, 'a.md'), 'utf8')).toBe('text');
    expect(await readdir(folder)).toEqual(['a.md']);
  });

  it('replaces a file in one step and keeps its permissions', async () => {
    const path = join(folder, 'run.sh');
    await writeFile(path, 'old');
    await chmod(path, 0o751);
    const before = await stat(path);
    await writeFileAtomic(path, Buffer.from([0xff, 0x00]));
    expect(await readFile(path)).toEqual(Buffer.from([0xff, 0x00]));
    const after = await stat(path);
    expect(after.mode & 0o777).toBe(0o751);
    expect(after.ino).not.toBe(before.ino);
  });

  it.each([
    ['a link', async (path: string) => symlink('elsewhere', path)],
    ['a folder', async (path: string) => mkdir(path)],
  ])('refuses %s and leaves it', async (_, make) => {
    const path = join(folder, 'x');
    await make(path);
    const before = await lstat(path);
    await expect(writeFileAtomic(path, 'new')).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      details: { path },
    });
    expect((await lstat(path)).ino).toBe(before.ino);
    expect(await readdir(folder)).toEqual(['x']);
  });

  it('names the path and the reason when the folder is not there', async () => {
    const path = join(folder, 'none', 'x');
    await expect(writeFileAtomic(path, '')).rejects.toMatchObject({
      code: 'WRITE_FAILED',
      message: `cannot write ${path}: its folder does not exist, or the system makes nothing there`,
      details: { system: 'ENOENT' },
    });
  });

  it('lets a reader see the old bytes or the new ones and never a part', async () => {
    const path = join(folder, 'big');
    const texts = ['a'.repeat(300_000), 'b'.repeat(300_000)];
    await writeFileAtomic(path, texts[0] ?? '');
    const seen = new Set<string>();
    let writing = true;
    const reader = (async () => {
      while (writing) seen.add(await readFile(path, 'utf8'));
    })();
    for (let turn = 0; turn < 20; turn += 1) await writeFileAtomic(path, texts[turn % 2] ?? '');
    writing = false;
    await reader;
    expect([...seen].filter((text) => !texts.includes(text))).toEqual([]);
  });
});

describe('createFolder', () => {
  it('makes the folder with all its files and the folders above it', async () => {
    const path = join(folder, 'x', 'y', 'skill');
    await createFolder(path, [
      { path: 'SKILL.md', content: 'one' },
      { path: 'scripts/run.sh', content: 'two', mode: 0o755 },
    ]);
    expect((await readdir(path, { recursive: true })).sort()).toEqual(
      ['SKILL.md', 'scripts', 'scripts/run.sh'].map((each) => join(each)),
    );
    expect((await stat(join(path, 'scripts', 'run.sh'))).mode & 0o100).toBe(
      process.platform === 'win32' ? 0 : 0o100,
    );
    expect(await readdir(join(folder, 'x', 'y'))).toEqual(['skill']);
  });

  it.each([
    ['a folder', async (path: string) => mkdir(path)],
    ['a file', async (path: string) => writeFile(path, '')],
    ['a broken link', async (path: string) => symlink('nowhere', path)],
  ])('refuses %s of that name', async (_, make) => {
    const path = join(folder, 'skill');
    await make(path);
    await expect(createFolder(path, [{ path: 'SKILL.md', content: '' }])).rejects.toMatchObject({
      code: 'TARGET_EXISTS',
    });
    expect(await readdir(folder)).toEqual(['skill']);
  });

  it('leaves nothing behind when a file cannot be written', async () => {
    const path = join(folder, 'skill');
    const files = [
      { path: 'a', content: '' },
      { path: 'a/b', content: '' },
    ];
    await expect(createFolder(path, files)).rejects.toMatchObject({ code: 'WRITE_FAILED' });
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('renameFolder', () => {
  it('renames', async () => {
    await mkdir(join(folder, 'Old'));
    await writeFile(join(folder, 'Old', 'f'), 'x');
    await renameFolder(join(folder, 'Old'), join(folder, 'new'));
    expect(await readdir(folder)).toEqual(['new']);
    expect(await readFile(join(folder, 'new', 'f'), 'utf8')).toBe('x');
  });

  it.each([[[]], [['f']]])('refuses a name that is taken, by a folder with %j', async (files) => {
    await mkdir(join(folder, 'old'));
    await mkdir(join(folder, 'new'));
    for (const file of files) await writeFile(join(folder, 'new', file), '');
    await expect(renameFolder(join(folder, 'old'), join(folder, 'new'))).rejects.toMatchObject({
      code: 'TARGET_EXISTS',
    });
    expect((await readdir(folder)).sort()).toEqual(['new', 'old']);
  });

  it('says what is not there', async () => {
    await expect(renameFolder(join(folder, 'none'), join(folder, 'new'))).rejects.toMatchObject({
      code: 'WRITE_FAILED',
    });
  });
});
