import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { commandLabel } from '../../src/cli/command-label.ts';
import { inParallel } from '../../src/cli/in-parallel.ts';
import { filesOf, namesOf } from '../../src/cli/skill-files.ts';
import { splitCommand } from '../../src/cli/split-command.ts';
import { commandTarget, parseTarget } from '../../src/cli/target.ts';
import { turns } from '../../src/cli/turns.ts';
import type { FoundSkill } from '../../src/client/skill.ts';
import { isSkillError } from '../../src/errors.ts';
import { newFolder, removeFolders } from './targets.ts';

afterEach(removeFolders);

describe('parseTarget', () => {
  it.each([
    ['https://skills.example/mcp', 'http', 'https://skills.example/mcp'],
    ['https://skills.example', 'http', 'https://skills.example'],
    ['https://skills.example/mcp?key=secret#x', 'http', 'https://skills.example/mcp?…'],
    ['HTTP://127.0.0.1:8750/mcp', 'http', 'http://127.0.0.1:8750/mcp'],
    ['https://skills.example/zip/mcp', 'http', 'https://skills.example/zip/mcp'],
    ['https://skills.example/pack.tar.gz', 'source', 'https://skills.example/pack.tar.gz'],
    ['https://skills.example/a.ZIP?sig=secret', 'source', 'https://skills.example/a.ZIP?…'],
    ['https://github.com/acme/skills', 'source', 'https://github.com/acme/skills'],
    ['github:acme/skills@v1', 'source', 'github:acme/skills@v1'],
    ['team=https://skills.example/a.zip', 'source', 'team=https://skills.example/a.zip'],
    ['./skills', 'source', './skills'],
    ['no-such-folder', 'source', 'no-such-folder'],
    ['stdio:npx some-server', 'stdio', 'stdio:npx some-server'],
  ])('takes %s for a target of kind %s called %s', (text, kind, label) => {
    expect(parseTarget(text, undefined, newFolder())).toMatchObject({ kind, label });
  });

  it('follows --as', () => {
    const cwd = newFolder();
    expect(parseTarget('https://skills.example/a.zip', 'mcp', cwd).kind).toBe('http');
    expect(parseTarget('https://skills.example/latest', 'source', cwd).kind).toBe('source');
  });

  it.each([
    ['', 'the target is empty'],
    ['https://', 'is no URL'],
    [
      'https://me:pw@skills.example/mcp',
      'a user name or password in a URL is not sent (host skills.example)',
    ],
    ['stdio:', 'stdio: has no command'],
    ["stdio:a 'b", 'is never closed'],
  ])('refuses %j', (text, message) => {
    expect(() => parseTarget(text, undefined, newFolder())).toThrow(message);
  });

  it('wants a command after --', () => {
    expect(() => commandTarget([])).toThrow('there is no command after --');
    expect(commandTarget(['node', 'a b.js'])).toMatchObject({
      command: 'node',
      args: ['a b.js'],
      label: "stdio:node 'a b.js'",
    });
  });
});

describe('splitCommand', () => {
  it.each([
    ['a  b\tc', 'linux', ['a', 'b', 'c']],
    ['\'a b\' "c d"', 'linux', ['a b', 'c d']],
    ["a'b c'd", 'linux', ['ab cd']],
    ["''", 'linux', ['']],
    ['a\\ b', 'linux', ['a b']],
    ['"a\\"b" "c\\d"', 'linux', ['a"b', 'c\\d']],
    ["'a\\b'", 'linux', ['a\\b']],
    ['$HOME *.md `x` ; y', 'linux', ['$HOME', '*.md', '`x`', ';', 'y']],
    ['C:\\node\\node.exe "C:\\my files\\a.js"', 'win32', ['C:\\node\\node.exe', 'C:\\my files\\a.js']],
    ["it's", 'win32', ["it's"]],
  ] as const)('splits %j on %s', (text, platform, words) => {
    expect(splitCommand(text, platform)).toEqual(words);
  });

  it('gives back words that were quoted, whatever is in them', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), (words) => {
        const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
        expect(splitCommand(quoted, 'linux')).toEqual(words);
      }),
    );
  });
});

describe('commandLabel', () => {
  it.each([
    [['npx', '-y', 'some-server', './my skills'], "stdio:npx -y some-server './my skills'"],
    [['x', '--token', 'abc', 'y'], 'stdio:x --token … y'],
    [['x', '--token=abc'], 'stdio:x --token=…'],
    [['x', '--api-key', 'abc'], 'stdio:x --api-key …'],
    [['x', '--header', 'Authorization: Bearer abc'], 'stdio:x --header …'],
    [['x', '-H', 'X-Key: abc'], 'stdio:x -H …'],
    [['docker', 'run', '-e', 'GITHUB_TOKEN=abc', 'image'], 'stdio:docker run -e GITHUB_TOKEN=… image'],
    [['x', 'Bearer abc'], 'stdio:x …'],
    [['x', `gh${'p'}_0123456789abcdefABCDEF0123456789abcd`], 'stdio:x …'],
    [['mcp-remote', 'https://host.example/mcp?key=abc'], 'stdio:mcp-remote https://host.example/mcp?…'],
    [
      ['mcp-remote', '--url=https://host.example/mcp?key=abc'],
      'stdio:mcp-remote --url=https://host.example/mcp?…',
    ],
    [
      ['node', '/opt/some/long/path/to/a/server/index.js'],
      'stdio:node /opt/some/long/path/to/a/server/index.js',
    ],
  ])('calls %j %s', (words, label) => {
    expect(commandLabel(words)).toBe(label);
  });

  it('does not change with a token', () => {
    expect(commandLabel(['x', '--token', 'one'])).toBe(commandLabel(['x', '--token', 'two']));
  });
});

function found(uri: string, files: readonly string[]): FoundSkill {
  return {
    entry: { uri, frontmatter: { name: 'x' }, resources: files.map((file) => ({ uri: file })) },
    dialect: 'released',
    integrity: 'complete',
    wholeFrontmatter: true,
  };
}

describe('the names of skills and files', () => {
  it.each([
    ['skill://pdf/SKILL.md', 'pdf'],
    ['skill://acme/pdf/SKILL.md', 'acme/pdf'],
    ['skill://My%20Team/pdf/SKILL.md', 'My Team/pdf'],
    ['github://owner/repo/pdf/SKILL.md', 'owner/repo/pdf'],
    ['https://host.example:8080/skills/pdf/SKILL.md', 'pdf'],
  ])('has the path of %s', (uri, path) => {
    expect(namesOf({ uri, frontmatter: { name: 'pdf' } })).toEqual({ name: 'pdf', path });
  });

  it.each([
    'skill://SKILL.md',
    'skill://pdf/README.md',
    'skill://a/../pdf/SKILL.md',
    'skill://a/%2e%2e/pdf/SKILL.md',
    'skill://a%2Fb/pdf/SKILL.md',
    'skill://a%5Cb/pdf/SKILL.md',
    'skill://a//pdf/SKILL.md',
    'skill://C:/pdf/SKILL.md',
    'skill://a%00/pdf/SKILL.md',
    'skill://%E0%A4%A/pdf/SKILL.md',
    'nonsense',
  ])('has no path for %s', (uri) => {
    expect(() => namesOf({ uri, frontmatter: {} })).toThrow(
      expect.objectContaining({ code: 'INVALID_ENTRY' }),
    );
  });

  it('has the paths of files, each name decoded once', () => {
    const root = 'skill://my%20team/pdf/';
    const files = ['SKILL.md', 'a%20b.md', 'x/%25.md'].map((name) => `${root}${name}`);
    expect(
      filesOf(found(`${root}SKILL.md`, [...files, 'skill://my%20te%61m/pdf/c.md'])).map(({ path }) => path),
    ).toEqual(['SKILL.md', 'a b.md', 'x/%.md', 'c.md']);
  });

  it.each([
    ['skill://other/a.md'],
    ['skill://pdf'],
    ['skill://pdf/../a.md'],
    ['skill://pdf/%2e%2e/a.md'],
    ['skill://pdf/a%2Fb.md'],
    ['skill://pdf/a%5Cb.md'],
    ['skill://pdf/'],
    ['skill://pdf/a//b.md'],
    ['skill://pdf/SKILL.md', 'skill://pdf/%53KILL.md'],
  ])('refuses the files %j', (...files) => {
    expect(() => filesOf(found('skill://pdf/SKILL.md', files))).toThrow(
      expect.objectContaining({ code: 'INVALID_ENTRY' }),
    );
  });

  it('never makes a path that leads out, whatever a server sends', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '%2e%2e',
      '%2E',
      '/',
      '%2F',
      '%5C',
      '\\',
      'a',
      'C:',
      '%00',
      '',
      'é',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        try {
          for (const { path } of filesOf(found('skill://pdf/SKILL.md', [`skill://pdf/${pieces.join('')}`]))) {
            expect(path).not.toMatch(/^\/|\\|(^|\/)\.{0,2}(\/|$)|\0|(^|\/)[A-Za-z]:(\/|$)/);
          }
        } catch (error) {
          if (!isSkillError(error, 'INVALID_ENTRY')) throw error;
        }
      }),
    );
  });
});

describe('work side by side', () => {
  it('keeps its order and its limit', async () => {
    let running = 0;
    let most = 0;
    const inTurn = turns(3);
    const one = (item: number) =>
      inTurn(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return item * 2;
      });
    expect(await inParallel([1, 2, 3, 4, 5, 6, 7, 8], 8, one)).toEqual([2, 4, 6, 8, 10, 12, 14, 16]);
    expect(most).toBe(3);
  });

  it('begins nothing more after a failure', async () => {
    const begun: number[] = [];
    const work = async (item: number): Promise<void> => {
      begun.push(item);
      await new Promise((resolve) => setImmediate(resolve));
      if (item === 2) throw new Error('two');
    };
    await expect(inParallel([1, 2, 3, 4, 5, 6], 2, work)).rejects.toThrow('two');
    expect(begun.length).toBeLessThan(6);
  });

  it('hands the turn on after a failure', async () => {
    const inTurn = turns(1);
    await expect(inTurn(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await inTurn(async () => 'yes')).toBe('yes');
  });
});
