import fc from 'fast-check';
import ignore from 'ignore';
import { describe, expect, test } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import {
  IgnoreRules,
  isIgnoredName,
  isSecretName,
  looksLikePrivateKey,
  memorySource,
} from '../../src/source/index.ts';
import { codeOf, look } from './support.ts';

describe('ignored names', () => {
  test.each([
    '.git',
    '.hg',
    '.svn',
    'node_modules',
    '__pycache__',
    '.venv',
    '.tox',
    '.mypy_cache',
    '.pytest_cache',
    '__MACOSX',
    '.DS_Store',
    'Thumbs.db',
    'desktop.ini',
    '._a',
    '._',
    'a~',
    '~',
    'a.swp',
    '.a.swo',
    '.#a',
    '.GIT',
    'Desktop.ini',
    'THUMBS.DB',
    'A.SWP',
  ])('%j is one', (name) => expect(isIgnoredName(name)).toBe(true));

  test.each([
    '.gitignore',
    '.github',
    'git',
    '.claude',
    '.skillignore',
    '.hidden',
    'venv',
    'build',
    'dist',
    '~a',
    'a.swpx',
    '#a#',
    '_a',
    '.curated',
    'node_modules.md',
    'SKILL.md',
    'DS_Store',
  ])('%j is none', (name) => expect(isIgnoredName(name)).toBe(false));
});

describe('secret names', () => {
  test.each([
    '.env',
    '.env.local',
    '.env.production',
    '.env.',
    '.env.example.local',
    'id_rsa',
    'id_dsa',
    'id_ecdsa',
    'id_ed25519',
    '.npmrc',
    '.netrc',
    '.pypirc',
    '.git-credentials',
    '.ENV',
    'ID_RSA',
  ])('%j is one', (name) => expect(isSecretName(name)).toBe(true));

  test.each([
    '.env.example',
    '.env.sample',
    '.env.template',
    '.env.dist',
    '.env.local.example',
    '.envrc',
    'env',
    'a.env',
    '.environment',
    'id_rsa.pub',
    'id_rsa.md',
    'npmrc',
    'credentials',
  ])('%j is none', (name) => expect(isSecretName(name)).toBe(false));
});

describe('private keys', () => {
  test.each([
    ['PKCS 8', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', true],
    ['RSA', '-----BEGIN RSA PRIVATE KEY-----\n', true],
    ['OpenSSH', '-----BEGIN OPENSSH PRIVATE KEY-----\r\nAAAA', true],
    ['encrypted', '-----BEGIN ENCRYPTED PRIVATE KEY-----', true],
    ['after other lines', 'Bag Attributes\n    localKeyID: 1\n-----BEGIN EC PRIVATE KEY-----\n', true],
    ['indented in YAML', 'key: |\n  -----BEGIN PRIVATE KEY-----\n', true],
    ['after a binary head', '\u0000\u0001\n-----BEGIN PRIVATE KEY-----\n', true],
    [
      'with the last byte looked at',
      `${'x'.repeat(4068)}
-----BEGIN PRIVATE KEY-----
`,
      true,
    ],
    [
      'cut off by it',
      `${'x'.repeat(4069)}
-----BEGIN PRIVATE KEY-----
`,
      false,
    ],
    ['public', '-----BEGIN PUBLIC KEY-----\n', false],
    ['certificate', '-----BEGIN CERTIFICATE-----\n', false],
    ['in a sentence', 'a file with -----BEGIN PRIVATE KEY----- in it', false],
    ['in code', 'if (text.includes("-----BEGIN PRIVATE KEY-----")) refuse();', false],
    ['beyond 4 KiB', `${'x\n'.repeat(2100)}-----BEGIN PRIVATE KEY-----\n`, false],
    ['empty', '', false],
  ])('%s', (_, text, expected) => {
    expect(looksLikePrivateKey(Buffer.from(text, 'latin1'))).toBe(expected);
    const framed = Buffer.concat([Buffer.from('----'), Buffer.from(text, 'latin1'), Buffer.from('----')]);
    expect(looksLikePrivateKey(new Uint8Array(framed.buffer, framed.byteOffset + 4, text.length))).toBe(
      expected,
    );
  });
});

describe('.skillignore', () => {
  const cases: readonly [string, Readonly<Record<string, string>>, readonly string[]][] = [
    ['a name at any depth', { '.skillignore': 'tmp' }, ['tmp', 'a/tmp', 'a/b/tmp/x']],
    ['a slash anchors', { '.skillignore': '/tmp\na/b' }, ['tmp', 'a/b']],
    ['a trailing slash means folders', { '.skillignore': 'x/' }, ['x/y']],
    ['the last pattern decides', { '.skillignore': '*.log\n!keep.log\nkeep.log' }, ['keep.log']],
    ['comments, blank lines, CRLF, BOM', { '.skillignore': '\uFEFFa\r\n\r\n# b\r\n\\#c\r\n' }, ['a', '#c']],
    ['nested files hold below their folder', { 's/.skillignore': 'x\n/y' }, ['s/x', 's/t/x', 's/y']],
    [
      'a nested file lifts what an outer one ignores',
      { '.skillignore': '*.log', 's/.skillignore': '!*.log' },
      ['a.log'],
    ],
    [
      'an outer file does not reach over a nested one',
      { '.skillignore': '!x', 's/.skillignore': 'x' },
      ['s/x'],
    ],
    ['folders named like patterns', { 's [a]*!#/.skillignore': 'x' }, ['s [a]*!#/x', 's [a]*!#/t/x']],
    ['wildcards', { '.skillignore': 'a/**/z\nq?\n[0-9]' }, ['a/z', 'a/b/c/z', 'qq', '7']],
    ['escaped spaces', { '.skillignore': 'a\\ ' }, ['a ']],
    ['patterns that mean nothing', { '.skillignore': '/\n!\n\\\n   \n[' }, []],
  ];

  test.each(cases)('%s', (_, ignoreFiles, ignored) => {
    const source = memorySource({ ...ignoreFiles, ...Object.fromEntries(ignored.map((path) => [path, ''])) });
    for (const path of ignored)
      expect([path, codeOf(() => source.read(path))]).toEqual([path, 'FILE_NOT_FOUND']);
  });

  test.each([
    ['a trailing slash means no file', { '.skillignore': 'x/', x: '' }, 'x'],
    ['case differs', { '.skillignore': 'Readme.md', 'README.md': '' }, 'README.md'],
    ['a similar folder is no matter', { 'sa/.skillignore': 'x', 's/x': '' }, 's/x'],
    ['a folder named like a pattern matches no other', { 's*/.skillignore': 'x', 'st/x': '' }, 'st/x'],
    ['SKILL.md stays', { '.skillignore': '*\n!*/', 's/SKILL.md': '' }, 's/SKILL.md'],
    [
      'SKILL.md stays when named',
      { 's/.skillignore': 'SKILL.md\n/SKILL.md\n*.md', 's/SKILL.md': '' },
      's/SKILL.md',
    ],
    [
      'an unignored folder keeps its files',
      { '.skillignore': 'f/*', 'f/.skillignore': '!b/', 'f/b/x': '' },
      'f/b/x',
    ],
    ['lifts by a later line', { '.skillignore': '*.log\n!keep.log', 'keep.log': '' }, 'keep.log'],
    ['empty', { '.skillignore': '', a: '' }, 'a'],
  ])('%s and is served', (_, files, path) => {
    expect(codeOf(() => memorySource(files).read(path))).toBe('no error');
  });

  test('cannot lift built-in names, and hides a secret without a word', () => {
    const source = memorySource({
      '.skillignore': '!*\n!.git\n!.git/**\n.npmrc\n',
      '.git/config': 'x',
      '.npmrc': 'x',
      '.env': 'x',
    });
    expect(look(source, '')).toEqual(['.env SECRET_WITHHELD', '.skillignore']);
    expect(codeOf(() => source.read('.git/config'))).toBe('FILE_NOT_FOUND');
    expect(codeOf(() => source.read('.npmrc'))).toBe('FILE_NOT_FOUND');
  });

  test('with too many patterns is refused with its path and both numbers', () => {
    const source = memorySource({ 's/.skillignore': 'a\n'.repeat(1_001), 's/b': '' });
    expect(() => source.list('s')).toThrow('s/.skillignore has 1001 patterns, more than the limit of 1000');
    expect(codeOf(() => source.read('s/b'))).toBe('FILE_TOO_LARGE');
    expect(codeOf(() => memorySource({ '.skillignore': 'a\n#b\n\n'.repeat(1_000) }).list(''))).toBe(
      'no error',
    );
  });

  test.each([
    ['/**/a/**/a/**/a/**/b', 's/.skillignore has 4 "**" in one pattern, more than the limit of 3'],
    [`${'/**/a'.repeat(14)}/b`, 's/.skillignore has 14 "**" in one pattern, more than the limit of 3'],
    ['y'.repeat(65_537), 's/.skillignore has 65537 bytes, more than the limit of 65536'],
  ])('that would take long to match is refused: %.40s', (pattern, message) => {
    const source = memorySource({
      's/.skillignore': pattern,
      [`s/${'a/'.repeat(29)}c`]: '',
      't/b': '',
    });
    expect(() => source.list('s')).toThrow(message);
    expect(look(source, 't')).toEqual(['b']);
  });

  test('holds in a folder that has another, whose last word counts', () => {
    const source = memorySource({
      '.skillignore': '*.log\n*.tmp\n',
      's/.skillignore': 'own\n!keep.log\n',
      's/a.log': '',
      's/keep.log': '',
      's/b.tmp': '',
      's/own': '',
      's/c': '',
    });
    expect(look(source, 's')).toEqual(['.skillignore', 'c', 'keep.log']);
  });

  test('with as many "**" as people write is taken', () => {
    const files = { 's/a/x/b/y/c/z': '', 's/k': '', '.skillignore': '**/a/**/b/**/c/**\n**/**/**/**/k\n' };
    const source = memorySource(files);
    expect(codeOf(() => source.read('s/a/x/b/y/c/z'))).toBe('FILE_NOT_FOUND');
    expect(codeOf(() => source.read('s/k'))).toBe('FILE_NOT_FOUND');
  });

  test('a secret folder withholds what is in it', () => {
    const source = memorySource({ '.env/bin/python': 'x', 'SKILL.md': 'y' });
    expect(look(source, '')).toEqual(['.env SECRET_WITHHELD', 'SKILL.md']);
    expect(codeOf(() => source.read('.env/bin/python'))).toBe('SECRET_WITHHELD');
    expect(codeOf(() => source.list('.env'))).toBe('SECRET_WITHHELD');
  });

  test('of any text throws nothing but SkillErrors and means below a folder what it means at the root', () => {
    const line = fc.string({
      unit: fc.constantFrom(
        'a',
        'b',
        '/',
        '*',
        '?',
        '!',
        '#',
        '[',
        ']',
        '\\',
        ' ',
        '-',
        '.',
        '{',
        '^',
        '$',
        '(',
      ),
    });
    const path = fc.array(fc.constantFrom('a', 'b', 'ab', 'a b', '.a', '[', '!'), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 4 }),
        path,
        fc.constantFrom('s', 's [x]*', 's/t', '!s', '#'),
        (lines, segments, folder) => {
          const text = lines.join('\n');
          const rules = new IgnoreRules({}, (at) => (at === folder ? text : undefined));
          let verdict: string;
          try {
            verdict = rules.judgePath(`${folder}/${segments.join('/')}`, false);
          } catch (error) {
            if (!isSkillError(error)) throw error;
            return;
          }
          const reference = ignore({ ignorecase: false }).add(text);
          expect(verdict).toBe(reference.ignores(segments.join('/')) ? 'ignored' : 'served');
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('allowSecret', () => {
  test('takes gitignore patterns below the source, for names and content', () => {
    const rules = new IgnoreRules({ allowSecret: ['/s/.env', '*.pem', '!bad.pem'] }, () => undefined);
    const key = Buffer.from('-----BEGIN PRIVATE KEY-----\n');
    expect(rules.judgePath('s/.env', false)).toBe('served');
    expect(rules.judgePath('t/.env', false)).toBe('secret');
    expect(rules.hidesContent('t/a.pem', key)).toBe(false);
    expect(rules.hidesContent('t/bad.pem', key)).toBe(true);
    expect(rules.hidesContent('t/a.txt', key)).toBe(true);
    expect(rules.hidesContent('t/a.MD', key)).toBe(false);
  });

  test('does not bring ignored names back', () => {
    expect(
      new IgnoreRules({ allowSecret: ['.git', '*'] }, () => undefined).judgePath('.git/config', false),
    ).toBe('ignored');
  });
});
