import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFolderChain } from '../../src/store/folder-chain.ts';
import { createFolder, placeFiles } from '../../src/store/index.ts';
import { runHere } from '../cli/in-process.ts';
import { testFolder } from './support.ts';

const folder = testFolder();

describe('makeFolderChain', () => {
  it('makes what is missing, and says which was the first', async () => {
    expect(await makeFolderChain(join(folder(), 'a', 'b', 'c'))).toBe(join(folder(), 'a'));
    expect(statSync(join(folder(), 'a', 'b', 'c')).isDirectory()).toBe(true);
    expect(await makeFolderChain(join(folder(), 'a', 'b', 'c'))).toBeUndefined();
    expect(await makeFolderChain(join(folder(), 'a', 'b', 'd'))).toBe(join(folder(), 'a', 'b', 'd'));
  });

  it('takes folders that another makes at the same time', async () => {
    const made = Array.from({ length: 8 }, () => makeFolderChain(join(folder(), 'x', 'y', 'z')));
    await Promise.all(made);
    expect(readdirSync(join(folder(), 'x', 'y'))).toEqual(['z']);
  });

  it.each([
    ['a file above', 'file/x', 'ENOTDIR'],
    ['a file there', 'file', 'EEXIST'],
    ['a link that leads nowhere', 'nowhere/x', 'EEXIST'],
  ])('gives the answer of the system: %s', async (_, path, code) => {
    writeFileSync(join(folder(), 'file'), '');
    symlinkSync('gone', join(folder(), 'nowhere'));
    await expect(makeFolderChain(join(folder(), path))).rejects.toMatchObject({ code });
  });

  it('takes a link to a folder for one', async () => {
    mkdirSync(join(folder(), 'real'));
    symlinkSync('real', join(folder(), 'link'));
    expect(await makeFolderChain(join(folder(), 'link'))).toBeUndefined();
  });
});

/** There the system answers `ENOENT` to whoever makes a folder, for ever. */
describe.skipIf(process.platform !== 'linux')('a place in which nothing can be made', () => {
  it('is refused by the store', async () => {
    const failed = { code: 'WRITE_FAILED', details: { system: 'ENOENT' } };
    await expect(createFolder('/proc/x/y', [{ path: 'a', content: '' }])).rejects.toMatchObject(failed);
    const content = async (): Promise<Uint8Array> => Buffer.from('');
    await expect(placeFiles('/proc/x/y', [{ name: 'a', content }])).rejects.toMatchObject(failed);
  });

  it.each([
    ['pull', ['pull', 'examples/skills', '--to', '/proc/x']],
    ['pack', ['pack', 'examples/skills', '--to', '/proc/x']],
    ['init', ['init', 'pdf', '--dir', '/proc/x']],
    ['pull, below a file', ['pull', 'examples/skills', '--to', 'package.json/x']],
    ['pack, below a file', ['pack', 'examples/skills', '--to', 'package.json/x']],
    ['init, below a file', ['init', 'pdf', '--dir', 'package.json/x']],
  ])('ends the command: %s', async (_, args) => {
    const { code, stderr } = await runHere(args);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringMatching(/(error|refused)\[WRITE_FAILED\]/),
    });
  });
});
