import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plural, sizeText } from '../../src/cli/plural.ts';
import { clientUrl } from '../../src/cli/serve-config.ts';
import { shellWord } from '../../src/cli/shell-word.ts';
import { absoluteSource } from '../../src/cli/source-argument.ts';
import { catalogOptions, sourceOptions } from '../../src/cli/source-flags.ts';

describe('words', () => {
  it.each([
    ['skills', 'linux', 'skills'],
    ['my skills', 'linux', "'my skills'"],
    ["it's $HOME", 'linux', "'it'\\''s $HOME'"],
    ['', 'linux', "''"],
    ['C:\\skills', 'win32', 'C:\\skills'],
    ['C:\\my skills', 'win32', '"C:\\my skills"'],
  ] as const)('%j on %s is the shell word %s', (text, platform, word) => {
    expect(shellWord(text, platform)).toBe(word);
  });

  it('count and measure', () => {
    expect([plural(0, 'file'), plural(1, 'file'), plural(2, 'file')]).toEqual([
      '0 files',
      '1 file',
      '2 files',
    ]);
    expect([sizeText(0), sizeText(1023), sizeText(1536), sizeText(2_097_152)]).toEqual([
      '0 B',
      '1023 B',
      '1.5 KiB',
      '2.0 MiB',
    ]);
  });

  it.each([
    [{ host: '127.0.0.1', port: 1 }, [], 'http://127.0.0.1:1/mcp'],
    [{ host: '::1', port: 1 }, [], 'http://[::1]:1/mcp'],
    [{ host: '0.0.0.0', port: 1 }, [], 'http://127.0.0.1:1/mcp'],
    [{ host: '::', port: 1 }, ['skills.example'], 'http://skills.example:1/mcp'],
  ])('%o is reached by clients at %s', (address, names, url) => {
    expect(clientUrl(address, names)).toBe(url);
  });

  it.each([
    ['skills', join('/base', 'skills')],
    ['/abs', '/abs'],
    ['team/a=./skills', `team/a=${join('/base', 'skills')}`],
    ['./a=b', join('/base', 'a=b')],
    ['https://e.example/a.zip', 'https://e.example/a.zip'],
    ['x=github:o/r', 'x=github:o/r'],
  ])('%s from another folder is %s', (text, absolute) => {
    expect(absoluteSource(text, '/base')).toBe(absolute);
  });
});

describe('flags', () => {
  it('leave defaults to the library', () => {
    expect(sourceOptions({}, '/base')).toEqual({ cwd: '/base' });
    expect(catalogOptions({})).toEqual({});
  });

  it('become options; strict refuses links unless told otherwise', () => {
    expect(sourceOptions({ strict: true, linkRoot: ['l', '/m'], allowSecret: ['*.pem'] }, '/base')).toEqual({
      cwd: '/base',
      symlinks: 'refuse',
      linkRoots: [join('/base', 'l'), '/m'],
      allowSecret: ['*.pem'],
    });
    expect(sourceOptions({ strict: true, symlinks: 'follow' }, '/base')).toMatchObject({
      symlinks: 'follow',
    });
    expect(
      catalogOptions({ strict: true, prefix: '/a/b/', nested: 'publish', nameMismatch: 'reject' }),
    ).toEqual({
      strict: true,
      prefix: 'a/b',
      nestedSkills: 'publish',
      nameMismatch: 'reject',
    });
  });
});
