import { describe, expect, test } from 'vitest';
import { isSkillError, SkillError } from '../../src/errors.ts';
import { memorySource } from '../../src/source/index.ts';
import { codeOf, look } from './support.ts';

describe('files given', () => {
  test('are copied', async () => {
    const bytes = new Uint8Array([1, 2, 3]);
    const files: Record<string, Uint8Array> = { a: bytes };
    const source = memorySource(files);
    bytes[0] = 9;
    files.b = bytes;
    expect([...(await source.read('a')).bytes]).toEqual([1, 2, 3]);
    expect(look(source, '')).toEqual(['a']);
  });

  test.each([
    ['../a', 'PATH_TRAVERSAL'],
    ['a/../b', 'PATH_TRAVERSAL'],
    ['./a', 'PATH_TRAVERSAL'],
    ['/a', 'EMPTY_PATH_SEGMENT'],
    ['', 'EMPTY_PATH_SEGMENT'],
    ['/', 'EMPTY_PATH_SEGMENT'],
    ['a//', 'EMPTY_PATH_SEGMENT'],
    ['a\\b', 'INVALID_SEGMENT'],
    ['C:/a', 'INVALID_SEGMENT'],
  ])('under %j are refused with %s', (path, code) => {
    expect(codeOf(() => memorySource({ [path]: 'x' }))).toBe(code);
    const source = memorySource({});
    expect(codeOf(() => source.set(path, 'x'))).toBe(
      path.endsWith('/') && path !== '/' ? 'EMPTY_PATH_SEGMENT' : code,
    );
  });

  test('that are file and folder at once are refused', () => {
    expect(codeOf(() => memorySource({ a: 'x', 'a/b': 'y' }))).toBe('TARGET_EXISTS');
    expect(codeOf(() => memorySource({ 'a/b': 'y', a: 'x' }))).toBe('TARGET_EXISTS');
    expect(codeOf(() => memorySource({ a: 'x', 'a/': '' }))).toBe('TARGET_EXISTS');
    expect(codeOf(() => memorySource({ 'a/b': 'y', 'a/': '' }))).toBe('no error');
  });

  test('may have the names of object members', async () => {
    const files = Object.fromEntries([
      ['__proto__/constructor', 'x'],
      ['toString', 'y'],
    ]);
    const source = memorySource(files);
    expect((await source.read('__proto__/constructor')).bytes.toString()).toBe('x');
    expect(codeOf(() => source.read('hasOwnProperty'))).toBe('FILE_NOT_FOUND');
  });

  test('have the label and time of the options', () => {
    const source = memorySource({ a: 'x' }, { label: 'built in', modifiedAt: 1_700_000_000_000 });
    source.set('b', 'y', { modifiedAt: 5.5 });
    source.set('c', 'z');
    expect(source.label).toBe('built in');
    expect(source.stat('a')).toMatchObject({ size: 1, modifiedAt: 1_700_000_000_000 });
    expect(source.stat('b')).toMatchObject({ modifiedAt: 5.5 });
    expect(source.stat('c')).not.toHaveProperty('modifiedAt');
  });
});

describe('changes', () => {
  test('give a new stamp, even for the same content', async () => {
    const source = memorySource({ a: 'x', b: 'y' });
    const before = await source.stat('a');
    const other = await source.stat('b');
    source.set('a', 'x');
    expect((await source.stat('a')).stamp).not.toBe(before.stamp);
    expect((await source.stat('b')).stamp).toBe(other.stamp);
  });

  test('show in listings', () => {
    const source = memorySource({ 'a/b': 'x' });
    look(source, 'a');
    source.set('a/c', 'y');
    source.addFolder('a/d/e');
    expect(look(source, 'a')).toEqual(['b', 'c', 'd']);
    source.delete('a/b');
    source.delete('a/d');
    expect(look(source, 'a')).toEqual(['c']);
    source.delete('a');
    expect(look(source, '')).toEqual([]);
  });

  test('move files and folders with their stamps', async () => {
    const source = memorySource({ 'a/b/c': 'x', 'a/d': 'y' });
    const { stamp } = await source.stat('a/b/c');
    source.rename('a/b', 'z/y');
    expect((await source.stat('z/y/c')).stamp).toBe(stamp);
    expect(codeOf(() => source.read('a/b/c'))).toBe('FILE_NOT_FOUND');
    source.rename('a/d', 'a/e');
    source.rename('a/e', 'a/e');
    expect(look(source, 'a')).toEqual(['e']);
  });

  test.each([
    ['delete of what is missing', 'FILE_NOT_FOUND', (s: ReturnType<typeof memorySource>) => s.delete('x')],
    ['delete below a file', 'FILE_NOT_FOUND', (s: ReturnType<typeof memorySource>) => s.delete('a/b/c')],
    ['delete of the root', 'FILE_NOT_FOUND', (s: ReturnType<typeof memorySource>) => s.delete('')],
    [
      'rename of what is missing',
      'FILE_NOT_FOUND',
      (s: ReturnType<typeof memorySource>) => s.rename('x', 'y'),
    ],
    ['rename of the root', 'FILE_NOT_FOUND', (s: ReturnType<typeof memorySource>) => s.rename('', 'y')],
    ['rename into itself', 'TARGET_EXISTS', (s: ReturnType<typeof memorySource>) => s.rename('a', 'a/z')],
    ['rename onto a folder', 'TARGET_EXISTS', (s: ReturnType<typeof memorySource>) => s.rename('a/b', 'd')],
    [
      'rename out of the source',
      'PATH_TRAVERSAL',
      (s: ReturnType<typeof memorySource>) => s.rename('a/b', '../b'),
    ],
    ['set onto a folder', 'TARGET_EXISTS', (s: ReturnType<typeof memorySource>) => s.set('d', 'x')],
  ])('%s is %s and changes nothing', (_, code, act) => {
    const source = memorySource({ 'a/b': 'x', 'd/e': 'y' });
    expect(codeOf(() => act(source))).toBe(code);
    expect([look(source, ''), look(source, 'a'), look(source, 'd')]).toEqual([['a', 'd'], ['b'], ['e']]);
  });

  test('of rules take effect', () => {
    const source = memorySource({ a: 'x', b: 'y' });
    expect(look(source, '')).toEqual(['a', 'b']);
    source.set('.skillignore', 'a\n');
    expect(look(source, '')).toEqual(['.skillignore', 'b']);
    expect(codeOf(() => source.read('a'))).toBe('FILE_NOT_FOUND');
  });
});

describe('functions', () => {
  test('are dynamic files, made anew at each read, with a stamp of their own', async () => {
    let count = 0;
    const source = memorySource({
      'now.md': () => `now ${++count}`,
      bytes: () => new Uint8Array([1]),
      'later.md': async () => `later ${++count}`,
      'fixed.md': 'x',
    });
    expect(source.list('').nodes).toEqual([
      { name: 'bytes', kind: 'file', dynamic: true },
      { name: 'fixed.md', kind: 'file' },
      { name: 'later.md', kind: 'file', dynamic: true },
      { name: 'now.md', kind: 'file', dynamic: true },
    ]);
    const first = source.read('now.md');
    expect(first).not.toBeInstanceOf(Promise);
    const [one, two, three] = [await first, await source.read('now.md'), await source.read('later.md')];
    expect([one, two, three].map((file) => file.bytes.toString())).toEqual(['now 1', 'now 2', 'later 3']);
    expect(one.stamp).not.toBe(two.stamp);
    expect((await source.stat('later.md')).size).toBe(7);
  });

  test('keep the caps and the rules', async () => {
    const source = memorySource({
      big: () => 'xxxxx',
      key: async () => '-----BEGIN PRIVATE KEY-----\n',
    });
    expect(codeOf(() => source.read('big', { maxBytes: 4 }))).toBe('FILE_TOO_LARGE');
    await expect(source.read('key')).rejects.toMatchObject({ code: 'SECRET_WITHHELD' });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('password=hunter2');
      },
    ],
    ['rejects', () => Promise.reject(new Error('password=hunter2'))],
    ['returns nothing', () => undefined],
    ['returns a number later', async () => 42],
  ])('one that %s is FILE_UNREADABLE without its own words', async (_, make) => {
    const source = memorySource({ 'a.md': make as unknown as () => string });
    const error: unknown = await Promise.resolve()
      .then(() => source.read('a.md'))
      .catch((thrown: unknown) => thrown);
    expect(isSkillError(error, 'FILE_UNREADABLE')).toBe(true);
    expect(String(error)).not.toContain('hunter2');
  });

  test('may throw a SkillError of their own', async () => {
    const own = new SkillError('FILE_TOO_LARGE', 'own');
    const source = memorySource({
      a: () => Promise.reject(own),
      b: () => {
        throw own;
      },
    });
    await expect(source.read('a')).rejects.toBe(own);
    expect(() => source.read('b')).toThrow(own);
  });

  test('make no rules', () => {
    const source = memorySource({ 's/.skillignore': () => 'a', 's/a': '' });
    expect(codeOf(() => source.list('s'))).toBe('FILE_UNREADABLE');
  });
});

test('two sources share no identity', () => {
  const a = memorySource({ 's/a': '' });
  const b = memorySource({ 's/a': '' });
  expect(a.contains(a.list('').id, b.list('s').id)).toBe(false);
});
