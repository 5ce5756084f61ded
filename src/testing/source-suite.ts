/**
 * The checks that every source passes, for any test runner.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { isSkillError, type SkillErrorCode } from '../errors.ts';
import type { IgnoreOptions, MaybePromise, Source } from '../source/index.ts';

/** Files by path; a path that ends with a slash is an empty folder. */
export type SuiteFiles = Readonly<Record<string, string | Uint8Array>>;

/** A source that was made for one check. */
export interface SuiteSource {
  readonly source: Source;
  /** Called after the check, whether it passed or not. */
  readonly dispose?: () => MaybePromise<void>;
}

/** What {@link sourceSuite} needs to know. */
export interface SourceSuiteOptions {
  /** Stands before the name of every check. */
  readonly name: string;
  /** Makes a source that holds exactly `files`. */
  readonly create: (files: SuiteFiles, options?: IgnoreOptions) => MaybePromise<SuiteSource>;
  /** It cannot hold two names that differ by case or composition only. @default false */
  readonly foldsNames?: boolean;
}

/** One check. */
export interface SuiteCheck {
  readonly name: string;
  /** Rejects when the source fails it. */
  readonly run: () => Promise<void>;
}

type Body = (source: Source) => Promise<void>;

interface Case {
  readonly name: string;
  readonly files: SuiteFiles;
  readonly options?: IgnoreOptions;
  readonly body: Body;
}

/**
 * Returns the checks of the contract of a source, each to be run as a test of its own.
 *
 * @example
 * for (const check of sourceSuite({ name: 'memory', create: (files) => ({ source: memorySource(files) }) })) {
 *   test(check.name, check.run);
 * }
 */
export function sourceSuite(options: SourceSuiteOptions): readonly SuiteCheck[] {
  const cases = options.foldsNames ? CASES : [...CASES, ...NAME_CASES];
  return cases.map((each) => ({
    name: `${options.name}: ${each.name}`,
    run: async () => {
      const { source, dispose } = await options.create(each.files, each.options);
      try {
        await each.body(source);
      } finally {
        await source.close();
        await dispose?.();
      }
    },
  }));
}

async function names(source: Source, path = ''): Promise<string[]> {
  return (await source.list(path)).nodes.map((node) => node.name);
}

async function text(source: Source, path: string): Promise<string> {
  return (await source.read(path)).bytes.toString('utf8');
}

async function fails(code: SkillErrorCode, action: () => unknown): Promise<void> {
  try {
    await action();
  } catch (error) {
    assert.ok(isSkillError(error), `expected a SkillError, got ${String(error)}`);
    assert.equal(error.code, code);
    return;
  }
  assert.fail(`expected ${code}, got a result`);
}

async function hides(source: Source, path: string, code: SkillErrorCode): Promise<void> {
  await fails(code, () => source.read(path));
  await fails(code, () => source.stat(path));
}

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

const CASES: readonly Case[] = [
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
    name: 'leaves ignored names out of listings and finds nothing at or below them',
    files: {
      's/SKILL.md': 'x',
      's/.git/config': 'x',
      's/.DS_Store': 'x',
      's/._SKILL.md': 'x',
      's/draft.md~': 'x',
      's/.draft.md.swp': 'x',
      's/scripts/__pycache__/a.pyc': 'x',
      's/scripts/a.py': 'x',
      's/node_modules/m/index.js': 'x',
      's/node_modules/m/SKILL.md': 'x',
    },
    body: async (source) => {
      assert.deepEqual(await names(source, 's'), ['SKILL.md', 'scripts']);
      assert.deepEqual(await names(source, 's/scripts'), ['a.py']);
      for (const path of ['s/.git/config', 's/.DS_Store', 's/draft.md~', 's/node_modules/m/SKILL.md']) {
        await hides(source, path, 'FILE_NOT_FOUND');
      }
      await fails('FILE_NOT_FOUND', () => source.list('s/.git'));
      await fails('FILE_NOT_FOUND', () => source.list('s/node_modules/m'));
    },
  },
  {
    name: 'obeys .skillignore files, the nearest pattern last, but never for SKILL.md',
    files: {
      '.skillignore': '*.log\ndrafts/\n',
      'drafts/s/SKILL.md': 'x',
      's/SKILL.md': 'x',
      's/.skillignore': '# comment\n!keep.log\n/build\n*.md\n',
      's/keep.log': 'x',
      's/x.log': 'x',
      's/notes.md': 'x',
      's/build': 'x',
      's/sub/build': 'x',
      's/sub/keep.log': 'x',
      't/keep.log': 'x',
      't/notes.md': 'x',
    },
    body: async (source) => {
      assert.deepEqual(await names(source), ['.skillignore', 's', 't']);
      assert.deepEqual(await names(source, 's'), ['.skillignore', 'SKILL.md', 'keep.log', 'sub']);
      assert.deepEqual(await names(source, 's/sub'), ['build', 'keep.log']);
      assert.deepEqual(await names(source, 't'), ['notes.md']);
      await hides(source, 'drafts/s/SKILL.md', 'FILE_NOT_FOUND');
      await hides(source, 's/x.log', 'FILE_NOT_FOUND');
      await hides(source, 't/keep.log', 'FILE_NOT_FOUND');
      assert.equal(await text(source, 's/keep.log'), 'x');
    },
  },
  {
    name: 'obeys .skillignore files it was never asked to list',
    files: { 's/.skillignore': 'private/\n', 's/private/a/b.md': 'x', 's/public/b.md': 'y' },
    body: async (source) => {
      await hides(source, 's/private/a/b.md', 'FILE_NOT_FOUND');
      assert.equal(await text(source, 's/public/b.md'), 'y');
    },
  },
  {
    name: 'withholds secrets by name, whatever .skillignore says',
    files: {
      's/.skillignore': '!.env\n!id_rsa\n!*\n',
      's/.env': 'x',
      's/.env.local': 'x',
      's/.env.example': 'x',
      's/keys/id_rsa': 'x',
      's/keys/id_rsa.pub': 'x',
      's/build/out.txt': 'x',
    },
    body: async (source) => {
      const listed = (await source.list('s')).nodes.map((node) => [node.name, node.withheld?.code]);
      assert.deepEqual(listed, [
        ['.env', 'SECRET_WITHHELD'],
        ['.env.example', undefined],
        ['.env.local', 'SECRET_WITHHELD'],
        ['.skillignore', undefined],
        ['build', undefined],
        ['keys', undefined],
      ]);
      await hides(source, 's/.env', 'SECRET_WITHHELD');
      await hides(source, 's/keys/id_rsa', 'SECRET_WITHHELD');
      assert.equal(await text(source, 's/keys/id_rsa.pub'), 'x');
      assert.equal(await text(source, 's/build/out.txt'), 'x');
    },
  },
  {
    name: 'withholds private keys by content, but not in Markdown',
    files: {
      'a.pem': 'comment\n-----BEGIN RSA PRIVATE KEY-----\nAAAA\n',
      'a.md': '```\n-----BEGIN PRIVATE KEY-----\n```\n',
      'late.txt': `${'x'.repeat(5000)}\n-----BEGIN PRIVATE KEY-----\n`,
      'pub.pem': '-----BEGIN PUBLIC KEY-----\nAAAA\n',
    },
    body: async (source) => {
      await hides(source, 'a.pem', 'SECRET_WITHHELD');
      for (const path of ['a.md', 'late.txt', 'pub.pem'])
        assert.ok((await source.read(path)).bytes.length > 0);
    },
  },
  {
    name: 'serves what allowSecret matches, and only that',
    files: {
      'fixtures/.env': 'a',
      'fixtures/k.pem': '-----BEGIN PRIVATE KEY-----\n',
      '.env': 'b',
      'k.pem': '-----BEGIN PRIVATE KEY-----\n',
    },
    options: { allowSecret: ['/fixtures/.env', '/fixtures/*.pem'] },
    body: async (source) => {
      assert.equal(await text(source, 'fixtures/.env'), 'a');
      assert.equal(await text(source, 'fixtures/k.pem'), '-----BEGIN PRIVATE KEY-----\n');
      await hides(source, '.env', 'SECRET_WITHHELD');
      await hides(source, 'k.pem', 'SECRET_WITHHELD');
    },
  },
  {
    name: 'obeys the ignore option, which a .skillignore cannot lift',
    files: { '.skillignore': '!tmp\n', 'tmp/a': 'x', 'b/tmp/a': 'x', 'b/c': 'x', 'b/SKILL.md': 'x' },
    options: { ignore: ['tmp', 'SKILL.md'] },
    body: async (source) => {
      assert.deepEqual(await names(source), ['.skillignore', 'b']);
      assert.deepEqual(await names(source, 'b'), ['SKILL.md', 'c']);
      await hides(source, 'tmp/a', 'FILE_NOT_FOUND');
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

const NAME_CASES: readonly Case[] = [
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
