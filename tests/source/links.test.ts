import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  type DirectoryOptions,
  directorySource,
  memorySource,
  mountSources,
  type Source,
} from '../../src/source/index.ts';
import { codeOf, look, tree } from './support.ts';

function scene(links: Readonly<Record<string, string>> = {}): { base: string; root: string } {
  const base = tree({
    'root/a/SKILL.md': 'a',
    'root/a/ref/x.md': 'x',
    'root/b/SKILL.md': 'b',
    'outside/secret.txt': 'secret',
    'outside/s/SKILL.md': 'outside',
    'root-evil/SKILL.md': 'evil',
  });
  for (const [path, target] of Object.entries(links)) {
    symlinkSync(target.replace('{base}', base), join(base, 'root', path));
  }
  return { base, root: join(base, 'root') };
}

/** What a read gives: the text, or the code of the error. */
function got(root: string, path: string, options: DirectoryOptions = {}): string {
  const source = directorySource(root, options);
  const code = codeOf(() => source.read(path));
  expect(codeOf(() => source.stat(path))).toBe(code);
  return code === 'no error' ? source.read(path).bytes.toString() : code;
}

describe('a link', () => {
  test.each([
    ['to a file beside it', 'ref/x.md', 'l', 'x'],
    ['to a file of another skill', '../b/SKILL.md', 'l', 'b'],
    ['to an absolute path inside', '{base}/root/b/SKILL.md', 'l', 'b'],
    ['out and back in', '../../root/b/SKILL.md', 'l', 'b'],
    ['to outside', '../../outside/secret.txt', 'l LINK_ESCAPES', 'LINK_ESCAPES'],
    ['to a folder outside', '../../outside', 'l LINK_ESCAPES', 'LINK_ESCAPES'],
    ['to a folder that only begins alike', '../../root-evil/SKILL.md', 'l LINK_ESCAPES', 'LINK_ESCAPES'],
    ['to the root of the disk', '/', 'l LINK_ESCAPES', 'LINK_ESCAPES'],
    ['to what is not there', 'gone', 'l LINK_BROKEN', 'FILE_NOT_FOUND'],
    ['below a file', 'SKILL.md/x', 'l LINK_BROKEN', 'FILE_NOT_FOUND'],
    ['to itself', 'l', 'l LINK_LOOP', 'FILE_NOT_FOUND'],
    ['to its own folder', '.', 'l LINK_LOOP', 'FILE_NOT_FOUND'],
    ['to a folder above', '..', 'l LINK_LOOP', 'FILE_NOT_FOUND'],
    ['to a folder beside', 'ref', 'l', 'FILE_NOT_FOUND'],
  ])('%s', (_, target, listed, read) => {
    const { root } = scene({ 'a/l': target });
    expect(look(directorySource(root), 'a')).toContain(listed);
    expect(got(root, 'a/l')).toBe(read);
  });

  test('says where it leads', () => {
    const { base, root } = scene({ 'a/f': '../b/SKILL.md', 'a/d': '../b', 'a/o': '../../outside/s' });
    const source = directorySource(root, { linkRoots: [join(base, 'outside')] });
    expect(source.list('a').nodes.filter((node) => node.link)).toEqual([
      { name: 'd', kind: 'directory', link: { id: source.list('b').id, path: 'b' } },
      { name: 'f', kind: 'file', link: { id: `${source.list('b').id}/SKILL.md`, path: 'b/SKILL.md' } },
      { name: 'o', kind: 'directory', link: { id: source.list('a/o').id } },
    ]);
    expect(source.list('a/d').id).toBe(source.list('b').id);
    expect(source.contains(source.list('a').id, source.list('a/d').id)).toBe(false);
    const follow = directorySource(root, { symlinks: 'follow' });
    expect(follow.list('a').nodes.find((node) => node.name === 'f')?.link?.anywhere).toBe(true);
  });

  test('chain is followed to its end, which is judged', () => {
    const { root } = scene({
      'a/1': '2',
      'a/2': '3',
      'a/3': '../b/SKILL.md',
      'a/out': '1out',
      'a/1out': '../../outside/secret.txt',
    });
    expect(got(root, 'a/1')).toBe('b');
    expect(got(root, 'a/out')).toBe('LINK_ESCAPES');
  });

  test('in the middle of a path is followed and judged', () => {
    const { base, root } = scene({ skills: 'a', trap: '../outside', deep: 'skills/ref' });
    expect(got(root, 'skills/SKILL.md')).toBe('a');
    expect(got(root, 'deep/x.md')).toBe('x');
    expect(got(root, 'trap/secret.txt')).toBe('LINK_ESCAPES');
    expect(codeOf(() => directorySource(root).list('trap'))).toBe('LINK_ESCAPES');
    expect(got(root, 'trap/secret.txt', { linkRoots: [join(base, 'outside')] })).toBe('secret');
  });

  test('has to stay in the folder it is read within, unless links may lead anywhere', () => {
    const { root } = scene({ 'a/in': 'ref/x.md', 'a/other': '../b/SKILL.md', alias: 'a' });
    const source = directorySource(root);
    const within = source.list('a').id;
    expect(source.read('a/in', { within }).bytes.toString()).toBe('x');
    expect(codeOf(() => source.read('a/other', { within }))).toBe('LINK_ESCAPES');
    expect(codeOf(() => source.stat('a/other', { within }))).toBe('LINK_ESCAPES');
    expect(source.read('alias/SKILL.md', { within }).bytes.toString()).toBe('a');
    const follow = directorySource(root, { symlinks: 'follow' });
    expect(follow.read('a/other', { within }).bytes.toString()).toBe('b');
  });
});

describe('loops', () => {
  test('between two folders end', () => {
    const { root } = scene({ 'a/to-b': '../b', 'b/to-a': '../a' });
    const source = directorySource(root);
    expect(look(source, 'a')).toContain('to-b');
    expect(look(source, 'a/to-b')).toEqual(['SKILL.md', 'to-a LINK_LOOP']);
    expect(look(source, 'b/to-a')).toContain('to-b LINK_LOOP');
  });

  test('through a folder elsewhere end', () => {
    const { base, root } = scene({ 'a/out': '../../outside' });
    symlinkSync(root, join(base, 'outside/back'));
    const source = directorySource(root, { linkRoots: [join(base, 'outside')] });
    expect(look(source, 'a/out')).toEqual(['back LINK_LOOP', 's', 'secret.txt']);
  });

  test('of a skill that contains itself are one link', () => {
    const { root } = scene({ 'a/a': '../a' });
    expect(look(directorySource(root), 'a')).toEqual(['SKILL.md', 'a LINK_LOOP', 'ref']);
  });
});

describe('refused links', () => {
  test('are named and lead nowhere, in any segment', () => {
    const { root } = scene({ 'a/l': 'ref/x.md', alias: 'b', gone: 'nowhere' });
    const options = { symlinks: 'refuse' } as const;
    expect(look(directorySource(root, options), '')).toEqual([
      'a',
      'alias LINK_REFUSED',
      'b',
      'gone LINK_REFUSED',
    ]);
    expect(got(root, 'a/l', options)).toBe('LINK_ESCAPES');
    expect(got(root, 'alias/SKILL.md', options)).toBe('LINK_ESCAPES');
    expect(() => directorySource(root, options).read('a/l')).toThrow('links are refused here');
    expect(got(root, 'b/SKILL.md', options)).toBe('b');
  });

  test('may still be the root', () => {
    const { root } = scene({ alias: 'b' });
    expect(look(directorySource(join(root, 'alias'), { symlinks: 'refuse' }), '')).toEqual(['SKILL.md']);
  });
});

describe('link roots', () => {
  test('are as good as the source for links, and for nothing else', () => {
    const { base, root } = scene({ s: '../outside/s', 'a/x': '../../outside/secret.txt' });
    const options = { linkRoots: [join(base, 'outside/s')] };
    const source = directorySource(root, options);
    expect(look(source, '')).toEqual(['a', 'b', 's']);
    expect(look(source, 's')).toEqual(['SKILL.md']);
    expect(got(root, 's/SKILL.md', options)).toBe('outside');
    expect(got(root, 'a/x', options)).toBe('LINK_ESCAPES');
  });

  test('can be links themselves and must exist', () => {
    const { base, root } = scene({ s: '../outside/s' });
    symlinkSync('outside', join(base, 'alias'));
    expect(got(root, 's/SKILL.md', { linkRoots: [join(base, 'alias')] })).toBe('outside');
    expect(codeOf(() => directorySource(root, { linkRoots: [join(base, 'none')] }))).toBe('SOURCE_NOT_FOUND');
  });

  test('serve the layout of the common installer', () => {
    const base = tree({
      '.agents/skills/pdf/SKILL.md': 'pdf',
      '.claude/skills/pdf': '-> ../../.agents/skills/pdf',
    });
    const vendor = join(base, '.claude/skills');
    expect(look(directorySource(vendor), '')).toEqual(['pdf LINK_ESCAPES']);
    expect(got(vendor, 'pdf/SKILL.md', { linkRoots: [join(base, '.agents/skills')] })).toBe('pdf');
    expect(got(base, '.claude/skills/pdf/SKILL.md')).toBe('pdf');
  });
});

describe('rules judge both ends of a link', () => {
  const files = {
    'root/.git/config': 'git',
    'root/.env': 'TOKEN=fake',
    'root/s/.skillignore': 'hidden\n',
    'root/s/hidden/x.md': 'hidden',
    'root/s/plain.md': 'plain',
    'root/keys/k.pem': '-----BEGIN PRIVATE KEY-----\n',
    'else/.env': 'TOKEN=fake',
    'else/.skillignore': 'private\n',
    'else/private/x.md': 'private',
    'else/ok.md': 'ok',
    'root/s/env.txt': '-> ../.env',
    'root/s/.env': '-> plain.md',
    'root/s/history': '-> ../.git',
    'root/s/config': '-> ../.git/config',
    'root/s/node_modules': '-> ../keys',
    'root/s/peek': '-> hidden/x.md',
    'root/s/peek-folder': '-> hidden',
    'root/s/note.md': '-> ../keys/k.pem',
    'root/s/key.pem': '-> ../keys/k.pem',
    'root/s/else-env': '-> ../../else/.env',
    'root/s/else-private': '-> ../../else/private',
    'root/s/else': '-> ../../else',
  } as const;

  test('in listings and reads alike', () => {
    const base = tree(files);
    const root = join(base, 'root');
    const options = { linkRoots: [join(base, 'else')] };
    const source = directorySource(root, options);
    expect(look(source, 's')).toEqual([
      '.env SECRET_WITHHELD',
      '.skillignore',
      'else',
      'else-env SECRET_WITHHELD',
      'env.txt SECRET_WITHHELD',
      'key.pem',
      'note.md',
      'plain.md',
    ]);
    const reads: Readonly<Record<string, string>> = {
      's/env.txt': 'SECRET_WITHHELD',
      's/.env': 'SECRET_WITHHELD',
      's/history/config': 'FILE_NOT_FOUND',
      's/config': 'FILE_NOT_FOUND',
      's/node_modules/k.pem': 'FILE_NOT_FOUND',
      's/peek': 'FILE_NOT_FOUND',
      's/peek-folder/x.md': 'FILE_NOT_FOUND',
      's/note.md': 'SECRET_WITHHELD',
      's/key.pem': 'SECRET_WITHHELD',
      's/else-env': 'SECRET_WITHHELD',
      's/else-private/x.md': 'FILE_NOT_FOUND',
      's/else/private/x.md': 'FILE_NOT_FOUND',
      's/else/ok.md': 'ok',
      's/plain.md': 'plain',
    };
    for (const [path, expected] of Object.entries(reads))
      expect([path, got(root, path, options)]).toEqual([path, expected]);
  });
});

test('a link that is ignored for where it leads is told as hidden, under a prefix and merged too', async () => {
  const root = tree({
    '.skillignore': 'hidden\nfolders/\n',
    'hidden/x.md': 'x',
    'a/x.md': 'x',
    'b/x.md': 'x',
    'd/x.md': 'x',
    'd/hidden': 'ignored as it stands',
  });
  symlinkSync('../hidden/x.md', join(root, 'a/x-link.md'));
  symlinkSync('../a', join(root, 'b/folders'));
  const source = directorySource(root);
  const prefixed = mountSources([{ source, prefix: 'p' }]);
  const merged = mountSources([{ source: memorySource({ 'y/y.md': 'y' }) }, { source }]);
  const told = async (from: Source, path: string): Promise<unknown> => {
    const { nodes, hidesLinks } = await from.list(path);
    return [nodes.map(({ name }) => name), hidesLinks === true];
  };
  expect(await told(source, 'a')).toEqual([['x.md'], true]);
  expect(await told(source, 'b')).toEqual([['x.md'], true]);
  expect(await told(source, 'd')).toEqual([['x.md'], false]);
  expect(await told(source, '')).toEqual([['.skillignore', 'a', 'b', 'd'], false]);
  expect(await told(prefixed, 'p/a')).toEqual([['x.md'], true]);
  expect(await told(merged, 'b')).toEqual([['x.md'], true]);
  expect(await told(merged, '')).toEqual([['.skillignore', 'a', 'b', 'd', 'y'], false]);
  symlinkSync('a', join(root, 'folders'));
  expect(await told(merged, '')).toEqual([['.skillignore', 'a', 'b', 'd', 'y'], true]);
});
