/**
 * The contract of a source: what is ignored and what is withheld (decision 7).
 *
 * @module
 */
import assert from 'node:assert/strict';
import { fails, hides, names, type SourceCase, text } from './source-case.ts';

/** Ignore rules and secrets. */
export const RULE_CASES: readonly SourceCase[] = [
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
];
