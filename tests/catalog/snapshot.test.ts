import { describe, expect, it } from 'vitest';
import { entryOf, openCatalog } from '../../src/catalog/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { md } from './trees.ts';

const open = async (files: Record<string, string | Uint8Array | (() => string)>) =>
  (await openCatalog(memorySource(files))).snapshot;

describe('locate', () => {
  const files = {
    'demo/SKILL.md': md('demo'),
    'demo/how to.md': 'space',
    'demo/how%20to.md': 'escape',
    'demo/café.md': 'accent',
    'demo/c#/q?.md': 'marks',
    'demo/a:b.md': 'colon',
    'demo/%2e%2e': 'dots',
    'demo/a%2Fb.md': 'slash',
    'demo/a&b=c+d.md': 'more',
    'demo/out/': '',
    'group/x/SKILL.md': md('x'),
  };

  it.each([
    ['skill://demo/SKILL.md', 'SKILL.md'],
    ['SKILL://demo/%53KILL.md', 'SKILL.md'],
    ['skill://demo/how%20to.md', 'how to.md'],
    ['skill://demo/how to.md', 'how to.md'],
    ['skill://demo/how%2520to.md', 'how%20to.md'],
    ['skill://demo/caf%C3%A9.md', 'café.md'],
    ['skill://demo/caf%c3%a9.md', 'café.md'],
    ['skill://demo/café.md', 'café.md'],
    ['skill://demo/c%23/q%3F.md', 'c#/q?.md'],
    ['skill://demo/a:b.md', 'a:b.md'],
    ['skill://demo/a%3Ab.md', 'a:b.md'],
    ['skill://demo/a%3ab.md', 'a:b.md'],
    ['skill://demo/%252e%252e', '%2e%2e'],
    ['skill://demo/a%252Fb.md', 'a%2Fb.md'],
    ['skill://demo/a&b=c+d.md', 'a&b=c+d.md'],
  ])('%s is %s', async (uri, path) => {
    expect((await open(files)).locate(uri)).toMatchObject({ kind: 'file', file: { path } });
  });

  it.each([
    ['skill://demo', 'demo', ''],
    ['skill://d%65mo', 'demo', ''],
    ['skill://demo/out', 'demo', 'out'],
    ['skill://demo/c%23', 'demo', 'c#'],
    ['skill://group/x', 'x', ''],
  ])('%s is a directory', async (uri, name, path) => {
    expect((await open(files)).locate(uri)).toMatchObject({ kind: 'directory', path, skill: { name } });
  });

  it('finds each of many directories, whatever their names, and nothing between them', async () => {
    const names = ['a', 'a b', 'a%20b', 'a%2Fb', 'b!', 'b', 'z', '\uFF5E', '\u{1F600}', 'é', 'a-b'];
    const deep = names.flatMap((name) => [name, `${name}/in`, `${name}/in/ner`]);
    const snapshot = await open({
      's/SKILL.md': md('s'),
      ...Object.fromEntries(deep.map((path) => [`s/${path}/`, ''])),
    });
    const skill = snapshot.skill('skill://s/SKILL.md');
    expect(skill?.folders).toHaveLength(33);
    for (const path of deep) {
      const uri = `skill://s/${path.split('/').map(encodeURIComponent).join('/').replaceAll('!', '%21')}`;
      expect(snapshot.locate(uri), uri).toEqual({ kind: 'directory', skill, path });
      expect(snapshot.locate(`${uri}x`), `${uri}x`).toBeUndefined();
      expect(snapshot.locate(uri.slice(0, -1)) ?? 'none', uri).not.toMatchObject({ path });
    }
    expect(snapshot.locate('skill://s/a/b')).toBeUndefined();
  });

  it.each([
    'skill://demo/',
    'skill://demo/out/',
    'skill://demo/SKILL.md/',
    'skill://demo/SKILL.md/x',
    'skill://group',
    'skill://other/SKILL.md',
    'skill://demo/skill.md',
    'skill://Demo/SKILL.md',
    'skill://demo/../demo/SKILL.md',
    'skill://demo/%2e%2e/demo/SKILL.md',
    'skill://demo/a%2Fb.md',
    'skill://demo/c#/q?.md',
    'skill://demo/SKILL.md?x',
    'skill://demo//SKILL.md',
    'skill://demo/%ZZ.md',
    'skill://demo/%',
    'skill://demo/%C3%28.md',
    'skill://%E0%A4%A/SKILL.md',
    'demo/SKILL.md',
    'file:///demo/SKILL.md',
    'https://demo/SKILL.md',
    '',
    'skill://',
    `skill://${'a/'.repeat(4000)}x`,
    `skill://demo/${'x'.repeat(9000)}`,
  ])('%j is nothing', async (uri) => {
    const snapshot = await open(files);
    expect([snapshot.locate(uri), snapshot.skill(uri)]).toEqual([undefined, undefined]);
  });

  it('finds skills by their SKILL.md alone', async () => {
    const snapshot = await open(files);
    expect(snapshot.skill('skill://group/%78/SKILL.md')?.name).toBe('x');
    expect(snapshot.skill('skill://group/x')).toBeUndefined();
    expect(snapshot.skill('skill://demo/out/SKILL.md')).toBeUndefined();
  });

  it('finds every file under its own URI, whatever its name', async () => {
    const snapshot = await open(files);
    for (const skill of snapshot.skills) {
      for (const file of skill.files)
        expect(snapshot.locate(file.uri)).toEqual({ kind: 'file', skill, file });
    }
  });
});

describe('order', () => {
  it('is by code point of the URI, for skills, files and children', async () => {
    const names = ['\u{1f600}.md', '\uff5e.md', 'Z.md', 'a.md', 'a', 'a-b.md', '~.md', 'a.d/x'];
    const files: Record<string, string> = {
      'b/SKILL.md': md('b'),
      'a-1/SKILL.md': md('a-1'),
      'a/SKILL.md': md('a'),
    };
    for (const name of names) files[`b/${name}`] = '1';
    const snapshot = await open(files);
    expect(snapshot.skills.map((skill) => skill.name)).toEqual(['a-1', 'a', 'b']);
    const skill = snapshot.skills[2];
    expect(skill?.files.map((file) => file.uri)).toEqual([
      'skill://b/%EF%BD%9E.md',
      'skill://b/%F0%9F%98%80.md',
      'skill://b/SKILL.md',
      'skill://b/Z.md',
      'skill://b/a',
      'skill://b/a-b.md',
      'skill://b/a.d/x',
      'skill://b/a.md',
      'skill://b/~.md',
    ]);
    expect(skill && snapshot.children(skill, '')?.map((child) => child.uri)).toEqual([
      'skill://b/%EF%BD%9E.md',
      'skill://b/%F0%9F%98%80.md',
      'skill://b/SKILL.md',
      'skill://b/Z.md',
      'skill://b/a',
      'skill://b/a-b.md',
      'skill://b/a.d',
      'skill://b/a.md',
      'skill://b/~.md',
    ]);
  });
});

describe('children', () => {
  it('gives direct children, and an empty list for an empty folder', async () => {
    const snapshot = await open({
      'o/SKILL.md': md('o'),
      'o/r/a.md': '1',
      'o/r/deep/b.md': '2',
      'o/out/': '',
      'o/x/SKILL.md': md('k'),
    });
    const outer = snapshot.skill('skill://o/SKILL.md');
    const inner = snapshot.skill('skill://o/k/SKILL.md');
    if (outer === undefined || inner === undefined) throw new Error('not found');
    const shown = (path: string) =>
      snapshot.children(outer, path)?.map(({ kind, uri, name }) => [kind, uri, name]);
    expect(shown('')).toEqual([
      ['file', 'skill://o/SKILL.md', 'SKILL.md'],
      ['directory', 'skill://o/out', 'out'],
      ['directory', 'skill://o/r', 'r'],
      ['directory', 'skill://o/x', 'x'],
    ]);
    expect(shown('r')).toEqual([
      ['file', 'skill://o/r/a.md', 'a.md'],
      ['directory', 'skill://o/r/deep', 'deep'],
    ]);
    expect(shown('out')).toEqual([]);
    expect(shown('x')).toEqual([['file', 'skill://o/x/SKILL.md', 'SKILL.md']]);
    expect(snapshot.children(inner, '')?.map((child) => child.uri)).toEqual(['skill://o/k/SKILL.md']);
    expect([shown('SKILL.md'), shown('nowhere'), shown('r/'), shown('../o')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('revision', () => {
  const base = { 'a/SKILL.md': md('a'), 'a/x': '1', 'b/SKILL.md': md('b') };
  const revision = async (files: Record<string, string>, options = {}) =>
    (await openCatalog(memorySource(files), options)).snapshot.revision;

  it('is 64 hex digits, the same for the same content wherever it lies', async () => {
    expect(await revision(base)).toMatch(/^[0-9a-f]{64}$/);
    expect(await revision({ 'b/SKILL.md': md('b'), 'a/x': '1', 'a/SKILL.md': md('a') })).toBe(
      await revision(base),
    );
    expect(await revision({ ...base, 'README.md': 'outside', 'c/skill.md': 'nothing' })).toBe(
      await revision(base),
    );
    expect(await revision({})).toBe(await revision({ 'README.md': 'x' }));
  });

  it.each<[string, Record<string, string>]>([
    ['a byte', { ...base, 'a/x': '2' }],
    ['a name', { 'a/SKILL.md': md('a'), 'a/y': '1', 'b/SKILL.md': md('b') }],
    ['a skill more', { ...base, 'c/SKILL.md': md('c') }],
    ['frontmatter', { ...base, 'a/SKILL.md': md('a', 'about a', 'license: MIT\n') }],
    ['an empty folder', { ...base, 'a/out/': '' }],
    ['the place', { 'p/a/SKILL.md': md('a'), 'p/a/x': '1', 'b/SKILL.md': md('b') }],
  ])('changes with %s', async (_name, files) => {
    expect(await revision(files)).not.toBe(await revision(base));
  });

  it('changes with what is listed and hidden', async () => {
    const long = { 'a/SKILL.md': md('a', 'd'.repeat(1100)) };
    const all = [
      await revision(long),
      await revision(long, { nonConforming: 'list' }),
      await revision(long, { hidden: () => true }),
    ];
    expect(new Set(all).size).toBe(3);
  });
});

describe('entries', () => {
  it('hold every file once, with digest and size, and are made once', async () => {
    const snapshot = await open({ 'o/SKILL.md': md('o'), 'o/i/SKILL.md': md('i'), 'o/z.md': 'z' });
    const skill = snapshot.skills[0];
    if (skill === undefined) throw new Error('no skill');
    expect(entryOf(skill)).toEqual({
      uri: 'skill://o/SKILL.md',
      frontmatter: { name: 'o', description: 'about o' },
      resources: [
        {
          uri: 'skill://o/SKILL.md',
          digest: 'sha256:d0eb4f84400c1f4316674caba3c3b3b9c46632fa97fdc65efd83dd09871c34f3',
          size: 42,
        },
        expect.objectContaining({ uri: 'skill://o/i/SKILL.md', size: 42 }),
        {
          uri: 'skill://o/z.md',
          digest: 'sha256:594e519ae499312b29433b7dd8a97ff068defcba9755b6d5d00e84c524d67b06',
          size: 1,
        },
      ],
    });
    expect(entryOf(skill)).toBe(entryOf(skill));
  });

  it('say "dynamic" when a file is made anew at each read, in a skill inside too', async () => {
    const snapshot = await open({
      'o/SKILL.md': md('o'),
      'o/i/SKILL.md': md('i'),
      'o/i/now': () => 'tick',
      'p/SKILL.md': md('p'),
    });
    expect(snapshot.skills.map((skill) => [skill.name, skill.dynamic, entryOf(skill).resources])).toEqual([
      ['o', true, 'dynamic'],
      ['i', true, 'dynamic'],
      ['p', false, [expect.anything()]],
    ]);
    expect(snapshot.skills[1]?.files.map((file) => [file.path, file.digest === undefined])).toEqual([
      ['SKILL.md', false],
      ['now', true],
    ]);
  });
});

it('cannot be changed from outside', async () => {
  const snapshot = await open({ 'a/SKILL.md': md('a') });
  expect(() => (snapshot.skills as unknown[]).push(1)).toThrow(TypeError);
  expect(() => (snapshot.diagnostics as unknown[]).push(1)).toThrow(TypeError);
  expect(() => Object.assign(snapshot, { revision: '' })).toThrow(TypeError);
});
