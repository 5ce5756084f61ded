import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { directorySource, memorySource, mountSources, nest, type Source } from '../../src/source/index.ts';
import { codeOf, later, look, tree } from './support.ts';

function named(label: string, ...paths: string[]): Source {
  return memorySource(Object.fromEntries(paths.map((path) => [path, `${label}:${path}`])), { label });
}

async function text(source: Source, path: string): Promise<string> {
  return (await source.read(path)).bytes.toString();
}

describe('mounts', () => {
  test('stand side by side and below prefixes', async () => {
    const source = mountSources([
      { source: named('A', 'pdf/SKILL.md', 'pdf/x') },
      { source: named('B', 'git/SKILL.md') },
      { source: named('C', 'SKILL.md'), prefix: 'team/one' },
      { source: named('D', 'two/SKILL.md'), prefix: 'team' },
    ]);
    expect(look(source, '')).toEqual(['git', 'pdf', 'team']);
    expect(look(source, 'team')).toEqual(['one', 'two']);
    expect(look(source, 'team/one')).toEqual(['SKILL.md']);
    expect(await text(source, 'pdf/x')).toBe('A:pdf/x');
    expect(await text(source, 'git/SKILL.md')).toBe('B:git/SKILL.md');
    expect(await text(source, 'team/one/SKILL.md')).toBe('C:SKILL.md');
    expect(await text(source, 'team/two/SKILL.md')).toBe('D:two/SKILL.md');
    for (const path of ['team/three', 'none', 'team/one/x', 'team', 'team/one']) {
      expect(codeOf(() => source.read(path))).toBe('FILE_NOT_FOUND');
    }
    expect(codeOf(() => source.list('team/three'))).toBe('FILE_NOT_FOUND');
    expect(source.label).toBe('A, B, C, D');
    expect(source.notes).toEqual([]);
  });

  test('read before they are listed', async () => {
    const source = mountSources([{ source: named('A', 'a') }, { source: later(named('B', 'b')) }]);
    expect(await text(source, 'b')).toBe('B:b');
    expect(await text(source, 'a')).toBe('A:a');
  });

  test('answer at once when their sources do', () => {
    const source = mountSources([{ source: named('A', 'a') }, { source: named('B', 'b') }]);
    expect(source.list('')).not.toBeInstanceOf(Promise);
    expect(source.read('a')).not.toBeInstanceOf(Promise);
  });

  test('can be none at all', () => {
    expect(look(mountSources([]), '')).toEqual([]);
  });

  test('show what is added later, from whichever source', async () => {
    const a = memorySource({ a: 'a' });
    const b = memorySource({ b: 'b' });
    const source = mountSources([{ source: a }, { source: b }]);
    expect(look(source, '')).toEqual(['a', 'b']);
    b.set('c/d', 'new');
    expect(await text(source, 'c/d')).toBe('new');
    expect(look(source, '')).toEqual(['a', 'b', 'c']);
  });

  test.each([
    ['..', 'PATH_TRAVERSAL'],
    ['/a', 'EMPTY_PATH_SEGMENT'],
    ['a//b', 'EMPTY_PATH_SEGMENT'],
    ['a\\b', 'INVALID_SEGMENT'],
  ])('refuse the prefix %j with %s', (prefix, code) => {
    expect(codeOf(() => mountSources([{ source: named('A'), prefix }]))).toBe(code);
  });

  test('close every source once', async () => {
    let closed = 0;
    const close = async () => {
      closed += 1;
    };
    const a = { ...later(named('A', 'a')), close };
    const source = mountSources([{ source: a }, { source: a, prefix: 'p' }]);
    await source.close();
    expect(closed).toBe(1);
  });
});

describe('identity', () => {
  test('is that of the source, and folders that exist here alone contain what stands below', async () => {
    const a = named('A', 's/x');
    const b = named('B', 'SKILL.md', 'sub/y');
    const source = mountSources([{ source: a }, { source: b, prefix: 'p/q' }]);
    const id = async (path: string) => (await source.list(path)).id;
    expect(await id('s')).toBe((await a.list('s')).id);
    expect(await id('p/q')).toBe((await b.list('')).id);
    const table: [string, string, boolean][] = [
      ['', 's', true],
      ['', 'p/q/sub', true],
      ['p', 'p/q', true],
      ['p', 's', false],
      ['p', '', false],
      ['p/q', 'p/q/sub', true],
      ['p/q', 's', false],
      ['s', 'p', false],
      ['', 'p', true],
    ];
    for (const [ancestor, path, expected] of table) {
      expect([ancestor, path, source.contains(await id(ancestor), await id(path))]).toEqual([
        ancestor,
        path,
        expected,
      ]);
    }
    expect((await source.read('p/q/sub/y', { within: await id('p') })).bytes.toString()).toBe('B:sub/y');
    expect((await source.read('p/q/sub/y', { within: await id('p/q/sub') })).bytes.toString()).toBe(
      'B:sub/y',
    );
    expect(codeOf(() => source.read('p/q/SKILL.md', { within: 'elsewhere' }))).toBe('LINK_ESCAPES');
  });

  test('one folder is served once, under its first name', () => {
    const root = tree({ '.claude/skills/s/SKILL.md': 'x', '.github/skills': '-> ../.claude/skills' });
    const source = mountSources([
      { source: directorySource(join(root, '.claude/skills')) },
      { source: directorySource(join(root, '.github/skills')) },
      { source: directorySource(join(root, '.claude/skills')), prefix: 'again' },
    ]);
    expect(look(source, '')).toEqual(['s']);
    expect(source.notes).toHaveLength(2);
    expect(source.notes[0]).toContain('is the same folder as');
    expect(source.hostRoots).toEqual([{ path: '', folder: join(root, '.claude/skills') }]);
  });

  test('paths of links move with their source', () => {
    const root = tree({ 'a/SKILL.md': 'x', b: '-> a' });
    const source = mountSources([{ source: directorySource(root), prefix: 'p' }]);
    expect(source.list('p')).toMatchObject({ nodes: [{ name: 'a' }, { name: 'b', link: { path: 'p/a' } }] });
  });
});

describe('collisions', () => {
  test('are an error that names both and the way out', () => {
    const source = mountSources([
      { source: named('./one', 'tdd/SKILL.md') },
      { source: named('./two', 'tdd/SKILL.md') },
    ]);
    expect(codeOf(() => source.list(''))).toBe('MOUNT_COLLISION');
    expect(() => source.read('tdd/SKILL.md')).toThrow(
      './one and ./two both have "tdd"; give one of them a prefix',
    );
  });

  test('are none where two roots have files of one name; the first stands', async () => {
    const source = mountSources([
      { source: named('one', 'README.md', 'a/SKILL.md') },
      { source: named('two', 'README.md', 'b/SKILL.md') },
    ]);
    expect(look(source, '')).toEqual(['README.md', 'a', 'b']);
    expect(await text(source, 'README.md')).toBe('one:README.md');
    expect(source.notes).toEqual([]);
  });

  test('of a file and a folder are errors', () => {
    const mounts = [{ source: named('one', 'x') }, { source: named('two', 'x/SKILL.md') }];
    expect(codeOf(() => mountSources(mounts).list(''))).toBe('MOUNT_COLLISION');
    expect(codeOf(() => mountSources([...mounts].reverse()).list(''))).toBe('MOUNT_COLLISION');
  });

  test('of a prefix and a name are errors, in either order', () => {
    const mounts = [{ source: named('A', 'team/x') }, { source: named('B', 'y'), prefix: 'team/b' }];
    expect(codeOf(() => mountSources(mounts).list(''))).toBe('MOUNT_COLLISION');
    expect(codeOf(() => mountSources([...mounts].reverse()).list(''))).toBe('MOUNT_COLLISION');
  });

  test('can move the later source below its own name instead', async () => {
    const source = mountSources(
      [
        { source: named('/home/p1/skills', 'tdd/SKILL.md', 'a') },
        { source: named('/home/p2/skills', 'tdd/SKILL.md', 'b') },
        { source: named('C:\\p3\\skills\\', 'tdd/SKILL.md') },
        { source: named('..', 'tdd/SKILL.md') },
      ],
      { onCollision: 'prefix' },
    );
    expect(look(source, '')).toEqual(['a', 'skills', 'skills-2', 'source', 'tdd']);
    expect(await text(source, 'skills/tdd/SKILL.md')).toBe('/home/p2/skills:tdd/SKILL.md');
    expect(source.notes).toEqual([
      '/home/p1/skills and /home/p2/skills both have "tdd"; /home/p2/skills is served below "skills"',
      '/home/p1/skills and C:\\p3\\skills\\ both have "tdd"; C:\\p3\\skills\\ is served below "skills-2"',
      '/home/p1/skills and .. both have "tdd"; .. is served below "source"',
    ]);
  });

  test('that come up later leave the first name in force and are noted once', async () => {
    const a = memorySource({ a: 'a' }, { label: 'A' });
    const b = memorySource({ b: 'b' }, { label: 'B' });
    const warned: string[] = [];
    const logger = {
      debug: () => {},
      info: () => {},
      warn: (message: string) => void warned.push(message),
      error: () => {},
    };
    const source = mountSources([{ source: a }, { source: b }], { logger });
    look(source, '');
    a.set('x/f', 'from a');
    b.set('x/f', 'from b');
    look(source, '');
    look(source, '');
    expect(await text(source, 'x/f')).toBe('from a');
    expect(warned).toEqual(['A and B both have x; the first one is served']);
    expect(source.notes).toEqual(warned);
  });

  test('of one folder, a link to it and a link that leads nowhere are none', () => {
    const root = tree({ 'agents/pdf/SKILL.md': 'x', 'claude/own/SKILL.md': 'y' });
    symlinkSync('../../agents/pdf', join(root, 'claude/pdf'));
    const agents = { source: directorySource(join(root, 'agents')) };
    for (const linkRoots of [[], [join(root, 'agents')]]) {
      const claude = { source: directorySource(join(root, 'claude'), { linkRoots }) };
      for (const mounts of [
        [agents, claude],
        [claude, agents],
      ]) {
        const source = mountSources(mounts);
        expect(look(source, '')).toEqual(['own', 'pdf']);
        expect(look(source, 'pdf')).toEqual(['SKILL.md']);
      }
    }
  });
});

describe('a source that fails', () => {
  test('at first is asked again', async () => {
    const good = later(named('A', 'a'));
    let calls = 0;
    const source = mountSources([
      {
        source: {
          ...good,
          list: async (path: string) => {
            calls += 1;
            if (calls === 1) throw new Error('not yet');
            return good.list(path);
          },
        },
      },
    ]);
    await expect(source.list('')).rejects.toThrow('not yet');
    expect((await source.list('')).nodes).toHaveLength(1);
  });

  test('later fails with its own error', () => {
    const root = join(tree({ 'root/a/SKILL.md': 'x' }), 'root');
    const source = mountSources([{ source: directorySource(root) }, { source: named('B', 'b') }]);
    expect(look(source, '')).toEqual(['a', 'b']);
    rmSync(root, { recursive: true });
    expect(codeOf(() => source.list(''))).toBe('SOURCE_NOT_FOUND');
  });
});

describe('nest', () => {
  test('puts a source under one name, and prefixes of prefixes meet', async () => {
    const root = tree({ 'SKILL.md': 'x' });
    const one = nest(directorySource(root), 'pdf');
    expect(look(one, '')).toEqual(['pdf']);
    expect(await text(one, 'pdf/SKILL.md')).toBe('x');
    expect(one.label).toBe(root);
    const both = mountSources([
      { source: one, prefix: 'team' },
      { source: nest(named('B', 'y'), 'git'), prefix: 'team' },
    ]);
    expect(look(both, 'team')).toEqual(['git', 'pdf']);
    expect(both.hostRoots).toEqual([{ path: 'team/pdf', folder: root }]);
  });
});
