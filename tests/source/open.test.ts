import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import { openSource, parseSourceText, type Source } from '../../src/source/index.ts';
import { look, tree } from './support.ts';

const MANIFEST = '---\nname: pdf\ndescription: d\n---\n';

async function failure(text: string, cwd?: string): Promise<{ code: string; message: string }> {
  try {
    await openSource(text, cwd === undefined ? {} : { cwd });
  } catch (error) {
    if (isSkillError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  return { code: 'no error', message: '' };
}

describe('openSource', () => {
  test('opens a folder of skills as it is', async () => {
    const root = tree({ 'pdf/SKILL.md': MANIFEST, '.curated/x/SKILL.md': MANIFEST });
    const source: Source = await openSource(root);
    expect(look(source, '')).toEqual(['.curated', 'pdf']);
    expect(source.label).toBe(root);
    expect(source.hostRoot).toBe(root);
  });

  test('wraps a folder that is a skill itself under its own name', async () => {
    const root = join(tree({ 'pdf/SKILL.md': MANIFEST, 'pdf/ref/a.md': 'x', alias: '-> pdf' }), 'pdf');
    for (const text of [root, `${root}/`, join(root, '../alias')]) {
      const source = await openSource(text);
      expect(look(source, '')).toEqual(['pdf']);
      expect(look(source, 'pdf')).toEqual(['SKILL.md', 'ref']);
      expect(source.hostRoots).toEqual([{ path: 'pdf', folder: root }]);
    }
    expect(look(await openSource('.', { cwd: root }), '')).toEqual(['pdf']);
  });

  test('takes a folder called SKILL.md for no skill', async () => {
    expect(look(await openSource(tree({ 'SKILL.md/x': 'x' })), '')).toEqual(['SKILL.md']);
  });

  test('puts it below a prefix', async () => {
    const root = tree({ 'skills/pdf/SKILL.md': MANIFEST });
    expect(look(await openSource('team/docs=skills', { cwd: root }), 'team/docs')).toEqual(['pdf']);
    expect(look(await openSource('team=skills/pdf', { cwd: root }), 'team')).toEqual(['pdf']);
    expect(look(await openSource(`team=${root}/skills`), '')).toEqual(['team']);
  });

  test('passes options on', async () => {
    const root = tree({ 'a/SKILL.md': 'x', 'a/.env': 'x', l: '-> a' });
    expect(look(await openSource(root, { symlinks: 'refuse', allowSecret: ['.env'] }), '')).toEqual([
      'a',
      'l LINK_REFUSED',
    ]);
    expect(look(await openSource(root, { allowSecret: ['.env'] }), 'a')).toEqual(['.env', 'SKILL.md']);
  });

  test.each([
    ['', 'USAGE', 'the source is empty'],
    ['=x', 'USAGE', 'nothing before "="'],
    ['a=', 'USAGE', 'nothing after "="'],
    ['none', 'SOURCE_NOT_FOUND', 'does not exist'],
    ['x'.repeat(5000), 'SOURCE_NOT_FOUND', 'does not exist'],
    [`a=${'x'.repeat(5000)}`, 'SOURCE_NOT_FOUND', 'does not exist'],
    ['a\0b', 'SOURCE_NOT_FOUND', 'is no path of a folder'],
    ['~/none', 'SOURCE_NOT_FOUND', '"~" is read by a shell only'],
    ['a=none', 'SOURCE_NOT_FOUND', 'does not exist'],
    ['../a=none', 'SOURCE_NOT_FOUND', 'does not exist'],
    ['file', 'SOURCE_NOT_A_FOLDER', 'is a file'],
    ['pack.zip', 'SOURCE_NOT_A_FOLDER', 'is an archive'],
    ['pack.tar.gz', 'SOURCE_NOT_A_FOLDER', 'a source is a folder, or PREFIX=FOLDER'],
    ['gone.zip', 'SOURCE_NOT_FOUND', 'does not exist'],
    ['https://example.com/a.zip', 'USAGE', 'a source is a folder, or PREFIX=FOLDER'],
    ['https://example.com/?a=b', 'USAGE', 'a source is a folder, or PREFIX=FOLDER'],
    ['p=https://example.com/a.zip', 'USAGE', '"https://example.com/a.zip" is not a folder on this machine'],
    ['github:owner/repo', 'USAGE', 'a source is a folder, or PREFIX=FOLDER'],
    ['file:///tmp', 'USAGE', 'a source is a folder, or PREFIX=FOLDER'],
  ])('refuses %j with %s', async (text, code, message) => {
    const root = tree({ file: 'x', 'pack.zip': 'PK', 'pack.tar.gz': 'x' });
    const result = await failure(text, root);
    expect(result.code).toBe(code);
    expect(result.message).toContain(message);
  });
});

describe('the text of a source', () => {
  test.each([
    ['skills', '', 'skills'],
    ['a=b', 'a', 'b'],
    ['a/b=c=d', 'a/b', 'c=d'],
    ['./a=b', '', './a=b'],
    ['/a=b', '', '/a=b'],
    ['a//b=c', '', 'a//b=c'],
    ['C:\\skills=x', '', 'C:\\skills=x'],
    ['a=./x=y', 'a', './x=y'],
    ['https://h/?a=b', '', 'https://h/?a=b'],
    ['p=https://h/?a=b', 'p', 'https://h/?a=b'],
  ])('%j is prefix %j and location %j', (text, prefix, location) => {
    expect(parseSourceText(text, tree({}))).toEqual({ prefix, location });
  });

  test('is a path when that exists', async () => {
    const root = tree({ 'b/y/SKILL.md': 'x' });
    mkdirSync(join(root, 'a=b/x'), { recursive: true });
    expect(parseSourceText('a=b', root)).toEqual({ prefix: '', location: 'a=b' });
    expect(look(await openSource('a=b', { cwd: root }), '')).toEqual(['x']);
    mkdirSync(join(root, 'odd:name'));
    expect(basename((await openSource('odd:name', { cwd: root })).hostRoot ?? '')).toBe('odd:name');
  });
});
