/**
 * The contract of a source: listings, reads, paths, identities.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { fails, hides, names, type SourceCase, text } from './source-case.ts';

const HOSTILE_PATHS: readonly string[] = [
  '..',
  '../secret',
  'a/../../secret',
  'a/..',
  './a/b.md',
  'a/.',
  '/a',
  '/etc/passwd',
  './a/b.md',
  'a//b.md',
  'a/b.md/',
  'a\\..\\b.md',
  'a\\b.md',
  'C:/a',
  'C:',
  'a/b.md\0',
  'a\0/b.md',
  '\ud800',
];

/** What every source has to do. */
export const SOURCE_CASES: readonly SourceCase[] = [
  {
    name: 'lists names in code-point order, not in UTF-16 or locale order',
    files: { b: '', B: '', _: '', 'a-b': '', 'a/x': '', é: '', '\uff5e': '', '😀': '', '10': '', '9': '' },
    body: async (source) => {
      const expected = ['10', '9', 'B', '_', 'a', 'a-b', 'b', 'é', '\uff5e', '😀'];
      const listed = await names(source);
      // Where B and b are one file the volume keeps one of them.
      assert.deepEqual(
        listed,
        expected.filter((name) => name.toLowerCase() !== 'b' || listed.includes(name)),
      );
    },
  },
  {
    name: 'says which nodes are files and which are folders',
    files: { 'a/b/c.md': 'c', 'a/d.md': 'd' },
    body: async (source) => {
      assert.deepEqual((await source.list('a')).nodes, [
        { name: 'b', kind: 'directory' },
        { name: 'd.md', kind: 'file' },
      ]);
    },
  },
  {
    name: 'keeps empty folders',
    files: { 's/SKILL.md': 'x', 's/out/': '', 's/data/raw/': '' },
    body: async (source) => {
      assert.deepEqual(await names(source, 's'), ['SKILL.md', 'data', 'out']);
      assert.deepEqual(await names(source, 's/out'), []);
      assert.deepEqual(await names(source, 's/data'), ['raw']);
    },
  },
  {
    name: 'can be empty',
    files: {},
    body: async (source) => assert.deepEqual(await names(source), []),
  },
  {
    name: 'reads bytes as they are',
    files: { png: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0xff, 0x00]), empty: '' },
    body: async (source) => {
      assert.equal((await source.read('png')).bytes.toString('hex'), '89504e470d0a1a0aff00');
      assert.equal((await source.read('empty')).bytes.length, 0);
      assert.equal((await source.stat('png')).size, 10);
      assert.equal((await source.stat('empty')).size, 0);
    },
  },
  {
    name: 'reads every name it lists, whatever a URI or a pattern makes of it',
    files: {
      'd/how to.md': '1',
      'd/how%20to.md': '2',
      'd/%2e%2e': '3',
      'd/a&b=c+d.md': '4',
      'd/c#/q.md': '5',
      'd/[English] talk {1}.txt': '6',
      'd/ lead': '7',
      'd/...': '8',
      'd/日本語.md': '9',
      "d/it's (fine), really!.md": '10',
    },
    body: async (source) => {
      const read: string[] = [];
      for (const node of (await source.list('d')).nodes) {
        read.push(await text(source, node.kind === 'file' ? `d/${node.name}` : `d/${node.name}/q.md`));
      }
      assert.deepEqual(read, ['7', '3', '8', '6', '4', '5', '1', '2', '10', '9']);
    },
  },
  {
    name: 'reads a large file whole',
    files: { big: Buffer.alloc(3_000_000, 'abcdefg') },
    body: async (source) => {
      assert.ok((await source.read('big')).bytes.equals(Buffer.alloc(3_000_000, 'abcdefg')));
    },
  },
  {
    name: 'gives each reader bytes of its own',
    files: { a: 'text' },
    body: async (source) => {
      (await source.read('a')).bytes.fill(0);
      assert.equal(await text(source, 'a'), 'text');
    },
  },
  {
    name: 'gives the same stamp for the same state, to read and stat alike',
    files: { a: 'one' },
    body: async (source) => {
      const { stamp, modifiedAt } = await source.read('a');
      assert.equal((await source.read('a')).stamp, stamp);
      const looked = await source.stat('a');
      assert.equal(looked.stamp, stamp);
      assert.equal(looked.modifiedAt, modifiedAt);
    },
  },
  {
    name: 'says FILE_NOT_FOUND for what is missing',
    files: { 'a/b.md': 'x' },
    body: async (source) => {
      for (const path of ['missing', 'a/missing', 'missing/b.md', 'a/b.md/c', 'A/B.MD2', 'a'.repeat(5000)]) {
        await hides(source, path, 'FILE_NOT_FOUND');
        await fails('FILE_NOT_FOUND', () => source.list(path));
      }
    },
  },
  {
    name: 'says FILE_NOT_FOUND for a folder that is read and a file that is listed',
    files: { 'a/b.md': 'x' },
    body: async (source) => {
      await hides(source, 'a', 'FILE_NOT_FOUND');
      await hides(source, '', 'FILE_NOT_FOUND');
      await fails('FILE_NOT_FOUND', () => source.list('a/b.md'));
    },
  },
  {
    name: 'refuses paths that are none',
    files: { 'a/b.md': 'x' },
    body: async (source) => {
      for (const path of HOSTILE_PATHS) {
        await hides(source, path, 'FILE_NOT_FOUND');
        await fails('FILE_NOT_FOUND', () => source.list(path));
      }
      assert.equal(await text(source, 'a/b.md'), 'x');
    },
  },
  {
    name: 'refuses more than maxBytes and reads exactly as much',
    files: { a: '12345' },
    body: async (source) => {
      await fails('FILE_TOO_LARGE', () => source.read('a', { maxBytes: 4 }));
      await fails('FILE_TOO_LARGE', () => source.stat('a', { maxBytes: 4 }));
      assert.equal((await source.read('a', { maxBytes: 5 })).bytes.length, 5);
    },
  },
  {
    name: 'gives folders an identity that says what contains what',
    files: { 'skills/a': 'x', 'skills-evil/a': 'x', 'skills/sub/a': 'x' },
    body: async (source) => {
      const root = (await source.list('')).id;
      const skills = (await source.list('skills')).id;
      const evil = (await source.list('skills-evil')).id;
      const sub = (await source.list('skills/sub')).id;
      assert.equal((await source.list('skills')).id, skills);
      assert.equal(new Set([root, skills, evil, sub]).size, 4);
      assert.deepEqual(
        [
          [root, root],
          [root, sub],
          [skills, sub],
          [skills, evil],
          [sub, skills],
          [evil, skills],
        ].map(([ancestor = '', id = '']) => source.contains(ancestor, id)),
        [true, true, true, false, false, false],
      );
      assert.equal((await source.read('skills/sub/a', { within: skills })).bytes.toString(), 'x');
      await fails('LINK_ESCAPES', () => source.read('skills-evil/a', { within: skills }));
    },
  },
  {
    name: 'lists ten thousand children',
    files: Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`many/${i}`, ''])),
    body: async (source) => {
      const listed = await names(source, 'many');
      assert.equal(listed.length, 10_000);
      assert.deepEqual(listed.slice(0, 4), ['0', '1', '10', '100']);
      assert.deepEqual(listed, [...listed].sort());
    },
  },
  {
    name: 'holds names of 255 bytes and deep folders',
    files: { ['n'.repeat(255)]: 'x', [`${'d/'.repeat(60)}leaf`]: 'y' },
    body: async (source) => {
      assert.equal(await text(source, 'n'.repeat(255)), 'x');
      assert.equal(await text(source, `${'d/'.repeat(60)}leaf`), 'y');
    },
  },
  {
    name: 'closes twice',
    files: { a: 'x' },
    body: async (source) => {
      await source.close();
      await source.close();
    },
  },
];

/** What a source has to do that can hold any name. */
export const NAME_CASES: readonly SourceCase[] = [
  {
    name: 'keeps names apart that differ by case or composition only',
    files: { 's/SKILL.md': '1', 's/skill.md': '2', 's/caf\u00e9': '3', 's/cafe\u0301': '4' },
    body: async (source) => {
      assert.deepEqual(await names(source, 's'), ['SKILL.md', 'cafe\u0301', 'caf\u00e9', 'skill.md']);
      assert.equal(await text(source, 's/SKILL.md'), '1');
      assert.equal(await text(source, 's/skill.md'), '2');
      assert.equal(await text(source, 's/caf\u00e9'), '3');
      assert.equal(await text(source, 's/cafe\u0301'), '4');
      await hides(source, 's/Skill.md', 'FILE_NOT_FOUND');
    },
  },
  {
    name: 'serves names that Windows refuses',
    files: { 's/aux.md': '1', 's/a:b.md': '2', 's/q?.md': '3', 's/trail.': '4', 's/a"b<c>|*': '5' },
    body: async (source) => {
      for (const name of await names(source, 's')) assert.equal((await text(source, `s/${name}`)).length, 1);
      assert.equal((await names(source, 's')).length, 5);
    },
  },
];
