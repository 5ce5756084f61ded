import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import * as nodeModule from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { keepCompiledCode } from '../../src/store/compiled-code.ts';

const windows = process.platform === 'win32';
let temp: string;
let path: string;
const enable = vi.fn((_: string): unknown => undefined);

beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-code-')));
  path = join(temp, 'cache');
  enable.mockReset();
  vi.stubEnv('NODE_COMPILE_CACHE', undefined);
  vi.stubEnv('NODE_DISABLE_COMPILE_CACHE', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(temp, { recursive: true, force: true });
});

describe('keepCompiledCode', () => {
  it('names a folder of this user alone, and makes it', async () => {
    expect(await keepCompiledCode({ path, enable })).toBe(true);
    expect(enable.mock.calls).toEqual([[join(path, 'code')]]);
    if (!windows) expect(statSync(join(path, 'code')).mode & 0o777).toBe(0o700);
  });

  it('takes $XDG_CACHE_HOME/skillwire unless told otherwise', async () => {
    vi.stubEnv('XDG_CACHE_HOME', temp);
    expect(await keepCompiledCode({ enable })).toBe(true);
    expect(enable.mock.calls).toEqual([[join(temp, 'skillwire', 'code')]]);
  });

  it.skipIf(windows)('closes the folder to others that was open to them', async () => {
    mkdirSync(join(path, 'code'), { recursive: true });
    chmodSync(join(path, 'code'), 0o755);
    expect(await keepCompiledCode({ path, enable })).toBe(true);
    expect(statSync(join(path, 'code')).mode & 0o777).toBe(0o700);
  });

  it.skipIf(windows).each([
    ['the cache folder can be written to by others', () => chmodSync(path, 0o777)],
    ['its own can be', () => chmodSync(join(path, 'code'), 0o775)],
    [
      'its own is a link',
      () => {
        rmSync(join(path, 'code'), { recursive: true });
        mkdirSync(join(temp, 'other'));
        symlinkSync(join(temp, 'other'), join(path, 'code'));
      },
    ],
  ])('uses none where %s', async (_, spoil) => {
    mkdirSync(join(path, 'code'), { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    spoil();
    expect(await keepCompiledCode({ path, enable })).toBe(false);
    expect(enable).not.toHaveBeenCalled();
  });

  it.skipIf(windows || process.geteuid?.() !== 0)('uses none that belongs to somebody else', async () => {
    mkdirSync(join(path, 'code'), { recursive: true, mode: 0o700 });
    chownSync(join(path, 'code'), 65_534, 65_534);
    expect(await keepCompiledCode({ path, enable })).toBe(false);
    expect(enable).not.toHaveBeenCalled();
  });

  it.each([
    [511, 512],
    [512, 0],
  ])('begins anew once there is much: of %i files in a folder it leaves %i names', async (files, left) => {
    const version = join(path, 'code', 'v22');
    mkdirSync(version, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
    chmodSync(join(path, 'code'), 0o700);
    for (let at = 0; at < files; at += 1) writeFileSync(join(version, `${at}.cache`), '');
    expect(await keepCompiledCode({ path, enable })).toBe(true);
    expect(readdirSync(join(path, 'code'), { recursive: true }).length).toBe(left);
    expect(enable.mock.calls).toEqual([[join(path, 'code')]]);
  });

  it.skipIf(windows)('uses none below a folder in which others can put another in its place', async () => {
    for (const [mode, used] of [
      [0o777, false],
      [0o770, false],
      [0o1777, true],
      [0o755, true],
    ] as const) {
      chmodSync(temp, mode);
      enable.mockReset();
      expect(await keepCompiledCode({ path: join(temp, 'between', 'cache'), enable })).toBe(used);
      expect(enable).toHaveBeenCalledTimes(used ? 1 : 0);
    }
  });

  it.skipIf(windows || process.geteuid?.() !== 0)('uses none below a folder of somebody else', async () => {
    mkdirSync(join(temp, 'theirs', 'cache'), { recursive: true, mode: 0o700 });
    chownSync(join(temp, 'theirs'), 65_534, 65_534);
    expect(await keepCompiledCode({ path: join(temp, 'theirs', 'cache'), enable })).toBe(false);
    expect(enable).not.toHaveBeenCalled();
  });

  it.skipIf(windows)(
    'names its real path, where the way is a link, and looks at the folders above that',
    async () => {
      mkdirSync(join(temp, 'real', 'cache'), { recursive: true, mode: 0o700 });
      symlinkSync(join(temp, 'real', 'cache'), path);
      expect(await keepCompiledCode({ path, enable })).toBe(true);
      expect(enable.mock.calls).toEqual([[join(temp, 'real', 'cache', 'code')]]);
      chmodSync(join(temp, 'real'), 0o777);
      enable.mockReset();
      expect(await keepCompiledCode({ path, enable })).toBe(false);
      expect(enable).not.toHaveBeenCalled();
    },
  );

  it.each(['NODE_DISABLE_COMPILE_CACHE', 'NODE_COMPILE_CACHE'])('leaves it to %s', async (name) => {
    vi.stubEnv(name, '1');
    expect(await keepCompiledCode({ path, enable })).toBe(false);
    expect(enable).not.toHaveBeenCalled();
    expect(readdirSync(temp)).toEqual([]);
  });

  it('goes on where node cannot use the folder, and where there can be none', async () => {
    enable.mockImplementation(() => {
      throw new Error('no');
    });
    expect(await keepCompiledCode({ path, enable })).toBe(false);
    expect(await keepCompiledCode({ path: join(process.execPath, 'below'), enable })).toBe(false);
  });

  it('makes nothing for a node that has no such cache', async () => {
    if ('enableCompileCache' in nodeModule) return;
    expect(await keepCompiledCode({ path })).toBe(false);
    expect(readdirSync(temp)).toEqual([]);
  });
});
