import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type CatalogOptions,
  type DigestIndex,
  openCatalog,
  type Snapshot,
} from '../../src/catalog/index.ts';
import { type DirectoryOptions, directorySource, type Source } from '../../src/source/index.ts';
import { md, onDisk } from './trees.ts';

/** Keeps bytes in memory, by key. */
class MemoryIndex implements DigestIndex {
  readonly kept: Map<string, Uint8Array> = new Map();
  saves = 0;

  async load(key: string): Promise<Uint8Array | undefined> {
    return this.kept.get(key);
  }

  async save(key: string, bytes: Uint8Array): Promise<void> {
    this.saves += 1;
    this.kept.set(key, bytes.slice());
  }
}

const PEM = '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n';

const TREE: Readonly<Record<string, string>> = {
  'a/SKILL.md': md('a'),
  'a/one.md': 'one',
  'a/sub/two.md': 'two',
  'a/sub/deep/three.txt': 'three',
  'a/empty/': '',
  'b/SKILL.md': md('b', 'about b', 'metadata:\n  version: 1.10\n'),
  'b/inner/SKILL.md': md('inner'),
  'b/inner/x.bin': '\u0000\u0001',
  'c-folder/SKILL.md': md('renamed'),
  'c-folder/x.md': 'x',
  'bad/SKILL.md': '---\nname: bad\n---\nno description\n',
  'bad/x.md': 'x',
  'group/d/SKILL.md': md('d'),
  'group/d/drafts/x.md': 'x',
  'group/d/drafts/more/y.md': 'y',
  'secret/SKILL.md': md('secret'),
  'secret/key.pem': PEM,
  'secret/.env': 'A=1',
  'names/SKILL.md': md('names'),
  'names/ü ber/ñ.md': 'n',
  'plain/readme.md': 'no skill here',
};

/** 2023-11-14, ms. */
const LONG_AGO = 1_700_000_000_000;

/**
 * Sets the time of every file back, so that no digest is provisional. One that has it already is left alone: it would change
 * once more, and a start would find everything changed and begin from nothing.
 */
function age(root: string): void {
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    const path = join(root, entry.name);
    if (entry.isDirectory()) age(path);
    else if (entry.isFile() && lstatSync(path).mtimeMs !== LONG_AGO)
      utimesSync(path, LONG_AGO / 1000, LONG_AGO / 1000);
  }
}

/** Everything a snapshot says. */
function told({ revision, skills, refused, diagnostics }: Snapshot): unknown {
  return {
    revision,
    refused,
    diagnostics,
    skills: skills.map(({ files, ...skill }) => ({ ...skill, files: files.map(fileOf) })),
  };
}

function fileOf(file: Snapshot['skills'][number]['files'][number]): unknown {
  const { uri, path, sourcePath, size, digest, mimeType, text, stamp, modifiedAt, provisional } = file;
  return { uri, path, sourcePath, size, digest, mimeType, text, stamp, modifiedAt, provisional };
}

/** A source that counts what is asked of it. */
function counted(source: Source): { readonly source: Source; readonly calls: string[] } {
  const calls: string[] = [];
  const proxy = new Proxy(source, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (['list', 'read', 'facts', 'stat'].includes(String(name)))
          calls.push(`${String(name)} ${String(args[0])}`);
        return value.apply(target, args) as unknown;
      };
    },
  });
  return { source: proxy, calls };
}

interface Setup {
  readonly root: string;
  readonly index: MemoryIndex;
  readonly options?: CatalogOptions;
  readonly directory?: DirectoryOptions;
}

/** Opens and closes a catalog, and says what it showed and what was asked of the source for it. */
async function start({
  root,
  index,
  options = {},
  directory = {},
}: Setup): Promise<{ told: unknown; calls: string[] }> {
  vi.setSystemTime(Date.now() + 60_000);
  const { source, calls } = counted(directorySource(root, directory));
  const catalog = await openCatalog(source, { ...options, digestIndex: index });
  const result = { told: told(catalog.snapshot), calls: [...calls] };
  await catalog.close();
  return result;
}

/** What a catalog shows that keeps nothing. */
async function cold({ root, options = {}, directory = {} }: Setup): Promise<unknown> {
  const catalog = await openCatalog(directorySource(root, directory), options);
  const shown = told(catalog.snapshot);
  await catalog.close();
  return shown;
}

function prepared(
  links: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = TREE,
): Setup {
  const root = onDisk(files, links);
  age(root);
  return { root, index: new MemoryIndex() };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe.skipIf(process.platform !== 'linux')('a start from what another kept', () => {
  it('lists and reads nothing where nothing changed and nothing was left out', async () => {
    const files = {
      'a/SKILL.md': md('a'),
      'a/sub/x.md': 'x',
      'g/b/SKILL.md': md('b'),
      'g/b/y.bin': '\u0000',
    };
    const setup = prepared({}, files);
    const first = await start(setup);
    expect(first.calls).toEqual([
      'list ',
      'list a',
      'list a/sub',
      'list g',
      'list g/b',
      'read a/SKILL.md',
      'read g/b/SKILL.md',
      'facts a/sub/x.md',
      'facts g/b/y.bin',
    ]);
    const second = await start(setup);
    expect(second.calls).toEqual([]);
    expect(second.told).toEqual(first.told);
    expect(setup.index.saves).toBe(1);
  });

  it('reads one file where one file changed', async () => {
    const setup = prepared();
    await start(setup);
    writeFileSync(join(setup.root, 'a/sub/two.md'), 'TWO');
    const { calls, told: shown } = await start(setup);
    expect(calls.filter((call) => call.includes('a/'))).toEqual(['list a/sub', 'facts a/sub/two.md']);
    expect(shown).toEqual(await cold(setup));
  });

  const changes: readonly (readonly [string, (at: (path: string) => string) => void])[] = [
    ['nothing', () => {}],
    [
      'an edit of the same size and time',
      (at) => {
        const { atime, mtime } = lstatSync(at('a/one.md'));
        writeFileSync(at('a/one.md'), 'eno');
        utimesSync(at('a/one.md'), atime, mtime);
      },
    ],
    [
      'a file replaced by one of the same size and time',
      (at) => {
        writeFileSync(at('plain/new'), 'eno');
        utimesSync(at('plain/new'), 1_700_000_000, 1_700_000_000);
        renameSync(at('plain/new'), at('a/one.md'));
      },
    ],
    ['a touched file', (at) => utimesSync(at('a/one.md'), 1_600_000_000, 1_600_000_000)],
    ['a renamed file', (at) => renameSync(at('a/one.md'), at('a/uno.md'))],
    [
      'two files that change names',
      (at) => {
        renameSync(at('a/one.md'), at('a/tmp'));
        renameSync(at('a/sub/two.md'), at('a/one.md'));
        renameSync(at('a/tmp'), at('a/sub/two.md'));
      },
    ],
    ['a file that is gone', (at) => rmSync(at('a/sub/two.md'))],
    ['a folder that is gone', (at) => rmSync(at('a/sub'), { recursive: true })],
    ['a new file', (at) => writeFileSync(at('a/sub/deep/new.md'), 'new')],
    ['a new empty folder', (at) => mkdirSync(at('a/sub/deep/new'))],
    [
      'a new skill',
      (at) => {
        mkdirSync(at('group/e'));
        writeFileSync(at('group/e/SKILL.md'), md('e'));
      },
    ],
    ['a folder that becomes a skill', (at) => writeFileSync(at('plain/SKILL.md'), md('plain'))],
    ['a skill inside a skill that comes', (at) => writeFileSync(at('a/sub/SKILL.md'), md('sub'))],
    ['a skill inside a skill that goes', (at) => rmSync(at('b/inner/SKILL.md'))],
    ['a renamed skill folder', (at) => renameSync(at('a'), at('z'))],
    [
      'two folders that change places',
      (at) => {
        renameSync(at('a/sub'), at('tmp'));
        renameSync(at('group/d/drafts'), at('a/sub'));
        renameSync(at('tmp'), at('group/d/drafts'));
      },
    ],
    ['another name in SKILL.md', (at) => writeFileSync(at('a/SKILL.md'), md('aa'))],
    ['a SKILL.md that breaks', (at) => writeFileSync(at('a/SKILL.md'), '---\nname: [\n---\n')],
    ['a SKILL.md that is mended', (at) => writeFileSync(at('bad/SKILL.md'), md('bad'))],
    ['an empty SKILL.md', (at) => writeFileSync(at('a/SKILL.md'), '')],
    ['a secret that is none any more', (at) => writeFileSync(at('secret/key.pem'), 'no key')],
    ['a file that becomes a secret', (at) => writeFileSync(at('a/one.md.txt'), PEM)],
    ['a served file that becomes a secret', (at) => writeFileSync(at('a/sub/deep/three.txt'), PEM)],
    [
      'a file replaced by a link',
      (at) => {
        rmSync(at('a/one.md'));
        symlinkSync('sub/two.md', at('a/one.md'));
      },
    ],
    [
      'a file replaced by a link out',
      (at) => {
        rmSync(at('a/one.md'));
        symlinkSync('/etc/hostname', at('a/one.md'));
      },
    ],
    [
      'a folder replaced by a link to it',
      (at) => {
        renameSync(at('a/sub'), at('plain/sub'));
        symlinkSync('../plain/sub', at('a/sub'));
      },
    ],
    [
      'a skill replaced by a link to it',
      (at) => {
        renameSync(at('group/d'), at('plain/d'));
        symlinkSync('../plain/d', at('group/d'));
      },
    ],
    [
      'a folder replaced by a file',
      (at) => {
        rmSync(at('a/sub'), { recursive: true });
        writeFileSync(at('a/sub'), 'file');
      },
    ],
    ['rules that come at the root', (at) => writeFileSync(at('.skillignore'), '**/drafts\n')],
    ['rules that come in a folder above', (at) => writeFileSync(at('group/.skillignore'), 'drafts\n')],
    ['rules that come in a skill', (at) => writeFileSync(at('a/.skillignore'), 'deep\none.md\n')],
    [
      'rules that come as a link',
      (at) => {
        writeFileSync(at('group/rules'), 'drafts\n');
        symlinkSync('rules', at('group/.skillignore'));
      },
    ],
    ['a mode that changes', (at) => chmodSync(at('a/one.md'), 0o600)],
    ['a hard link that comes', (at) => linkSync(at('a/one.md'), at('a/again.md'))],
    [
      'a folder in place of a file',
      (at) => {
        rmSync(at('a/one.md'));
        mkdirSync(at('a/one.md'));
      },
    ],
    [
      'everything written anew',
      (at) => {
        for (const [path, content] of Object.entries(TREE)) {
          if (!path.endsWith('/')) writeFileSync(at(path), content);
        }
      },
    ],
    [
      'everything gone',
      (at) => {
        for (const name of readdirSync(at('.'))) rmSync(at(name), { recursive: true });
      },
    ],
  ];

  it.each(changes)('shows what a start from nothing shows after %s', async (_, change) => {
    const setup = prepared();
    await start(setup);
    change((path) => join(setup.root, path));
    const expected = await cold(setup);
    expect((await start(setup)).told).toEqual(expected);
    // What the second kept serves a third.
    expect((await start(setup)).told).toEqual(expected);
  });

  const linked: Readonly<Record<string, string>> = {
    'a/link.md': 'one.md',
    'a/out.md': '/etc/hostname',
    'a/broken.md': 'nothing',
    'more/d': '../group/d',
    lib: '/etc',
  };
  const ruled: Readonly<Record<string, string>> = {
    ...TREE,
    '.skillignore': 'plain\n',
    'group/.skillignore': '*.tmp\n',
    'group/d/x.tmp': 'tmp',
    'a/.skillignore': 'deep/\n',
  };

  it.each<readonly [string, (at: (path: string) => string) => void]>([
    ['nothing', () => {}],
    [
      'a link that leads elsewhere',
      (at) => {
        rmSync(at('a/link.md'));
        symlinkSync('sub/two.md', at('a/link.md'));
      },
    ],
    ['the target of a link that changes', (at) => writeFileSync(at('group/d/drafts/x.md'), 'other')],
    [
      'a linked skill that leads elsewhere',
      (at) => {
        rmSync(at('more/d'));
        symlinkSync('../b', at('more/d'));
      },
    ],
    ['rules that change at the root', (at) => writeFileSync(at('.skillignore'), 'b\n')],
    ['rules that change in a folder', (at) => writeFileSync(at('group/.skillignore'), 'drafts\n')],
    [
      'rules that change to others of the same size and time',
      (at) => {
        writeFileSync(at('group/.skillignore'), '*.md.\n'.slice(0, 6));
        utimesSync(at('group/.skillignore'), 1_700_000_000, 1_700_000_000);
      },
    ],
    ['rules that go', (at) => rmSync(at('group/.skillignore'))],
    ['rules that go in a skill', (at) => rmSync(at('a/.skillignore'))],
    ['rules that go with their folder', (at) => rmSync(at('group'), { recursive: true })],
  ])('keeps to links and rules after %s', async (_, change) => {
    const setup = prepared(linked, ruled);
    await start(setup);
    change((path) => join(setup.root, path));
    const expected = await cold(setup);
    expect((await start(setup)).told).toEqual(expected);
    expect((await start(setup)).told).toEqual(expected);
  });

  const hiding: Readonly<Record<string, string>> = {
    ...TREE,
    '.skillignore': 'hidden\n/a/doc/\n',
    'hidden/x.md': 'x',
    'hidden/s/SKILL.md': md('s'),
    'plain/doc/x.md': 'x',
    'plain/other/SKILL.md': md('other'),
  };
  const hidden: Readonly<Record<string, string>> = {
    'a/hidden.md': '../hidden/x.md',
    'a/doc': '../link',
    link: 'a/sub',
    'group/s': '../hidden/s',
  };

  it.each<readonly [string, (at: (path: string) => string) => void, readonly string[]]>([
    ['nothing', () => {}, []],
    [
      'what a link in a skill leads to becomes a link to what is served',
      (at) => {
        rmSync(at('hidden/x.md'));
        symlinkSync('../a/one.md', at('hidden/x.md'));
      },
      ['skill://a/hidden.md'],
    ],
    [
      'a folder that was ignored for being one becomes a file',
      (at) => {
        rmSync(at('link'));
        symlinkSync('a/one.md', at('link'));
      },
      ['skill://a/doc'],
    ],
    [
      'an ignored skill becomes a link to a skill that is served',
      (at) => {
        rmSync(at('hidden/s'), { recursive: true });
        renameSync(at('plain/other'), at('elsewhere'));
        symlinkSync('../elsewhere', at('hidden/s'));
      },
      [],
    ],
  ])('looks again at links that were ignored for where they lead: %s', async (_, change, comes) => {
    const setup = prepared(hidden, hiding);
    const first = JSON.stringify((await start(setup)).told);
    change((path) => join(setup.root, path));
    const expected = await cold(setup);
    for (const uri of comes) {
      expect(first).not.toContain(`"${uri}"`);
      expect(JSON.stringify(expected)).toContain(`"${uri}"`);
    }
    expect((await start(setup)).told).toEqual(expected);
    expect((await start(setup)).told).toEqual(expected);
  });

  it('keeps what was found under other options apart', async () => {
    const setup = prepared(linked, ruled);
    await start(setup);
    const others: readonly Partial<Setup>[] = [
      { options: { prefix: 'acme' } },
      { options: { nameMismatch: 'reject' } },
      { options: { nonConforming: 'list' } },
      { options: { maxFileBytes: 2 } },
      { options: { maxSkillBytes: 100 } },
      { options: { nestedSkills: 'reject' } },
      { options: { hidden: (path) => path === 'a' } },
      { directory: { allowSecret: ['*.pem'] } },
      { directory: { ignore: ['drafts'] } },
      { directory: { symlinks: 'refuse' } },
      { directory: { symlinks: 'follow', linkRoots: ['/etc'] } },
    ];
    for (const other of others) {
      const changed = { ...setup, ...other };
      const expected = await cold(changed);
      expect((await start(changed)).told).toEqual(expected);
      expect((await start(changed)).told).toEqual(expected);
    }
    expect((await start(setup)).told).toEqual(await cold(setup));
  });

  it('looks again at a skill that was too large', async () => {
    const setup = { ...prepared(), options: { maxSkillBytes: 200 } };
    writeFileSync(join(setup.root, 'a/large.md'), 'x'.repeat(500));
    age(setup.root);
    await start(setup);
    writeFileSync(join(setup.root, 'a/large.md'), 'x');
    const expected = await cold(setup);
    expect((await start(setup)).told).toEqual(expected);
  });

  it('never keeps a provisional digest', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'a/x.md': 'x' });
    const index = new MemoryIndex();
    const now = Date.now();
    utimesSync(join(root, 'a/SKILL.md'), 1_700_000_000, 1_700_000_000);
    vi.setSystemTime(now + 60_000);
    utimesSync(join(root, 'a/x.md'), (now + 59_000) / 1000, (now + 59_000) / 1000);
    const catalog = await openCatalog(directorySource(root), { digestIndex: index });
    expect(catalog.snapshot.skills[0]?.files.map(({ provisional }) => provisional)).toEqual([false, true]);
    await catalog.close();
    expect((await start({ root, index })).calls).toEqual(['list a', 'facts a/x.md']);
    expect((await start({ root, index })).calls).toEqual([]);
  });

  it('keeps names of folders only where none can have come unseen', async () => {
    const root = onDisk({ 'a/SKILL.md': md('a'), 'a/x.md': 'x' });
    age(root);
    const index = new MemoryIndex();
    vi.setSystemTime(Math.floor(lstatSync(join(root, 'a')).ctimeMs) + 1_000);
    const catalog = await openCatalog(directorySource(root), { digestIndex: index });
    await catalog.close();
    expect((await start({ root, index })).calls).toEqual(['list ', 'list a']);
    expect((await start({ root, index })).calls).toEqual([]);
  });

  it('keeps what changed while it ran, and what a change took away', async () => {
    const setup = prepared();
    vi.setSystemTime(Date.now() + 60_000);
    const catalog = await openCatalog(directorySource(setup.root), { digestIndex: setup.index });
    writeFileSync(join(setup.root, 'a/one.md'), 'changed');
    rmSync(join(setup.root, 'group/d'), { recursive: true });
    await catalog.refreshPaths(['a/one.md', 'group/d']);
    await catalog.close();
    const expected = await cold(setup);
    expect((await start(setup)).told).toEqual(expected);
  });

  it('does without what is damaged, wherever it is', async () => {
    const setup = prepared();
    const { told: shown } = await start(setup);
    const [key, whole] = [...setup.index.kept][0] ?? ['', new Uint8Array()];
    for (const length of [0, 1, 19, 20, 40, whole.length >> 1, whole.length - 1]) {
      setup.index.kept.set(key, whole.slice(0, length));
      expect((await start(setup)).told).toEqual(shown);
    }
    for (const at of [0, 4, 8, 12, 16]) {
      const bytes = whole.slice();
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      setup.index.kept.set(key, bytes);
      expect((await start(setup)).told).toEqual(shown);
    }
    setup.index.kept.set(key, new Uint8Array([...whole, 0]));
    expect((await start(setup)).told).toEqual(shown);
  });

  it('does without an index that fails', async () => {
    const setup = prepared();
    const failing: DigestIndex = {
      load: () => Promise.reject(new Error('load')),
      save: () => Promise.reject(new Error('save')),
    };
    const messages: string[] = [];
    const logger = { debug: (message: string) => messages.push(message), info() {}, warn() {}, error() {} };
    const catalog = await openCatalog(directorySource(setup.root), { digestIndex: failing, logger });
    expect(catalog.snapshot.skills.length).toBeGreaterThan(5);
    await catalog.close();
    expect(messages).toEqual([
      'what was kept of an earlier start cannot be used',
      'the digests could not be kept for the next start',
    ]);
  });

  it('is like a start from nothing after any changes', async () => {
    let spared = 0;
    const names = ['SKILL.md', 'x.md', 'y.txt', '.skillignore', 'a', 'b'];
    const path = fc
      .array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.join('/'));
    const content = fc.constantFrom(md('a'), md('b'), '', 'x', '*.md\n', 'a\n', PEM);
    const step = fc.oneof(
      fc.record({ kind: fc.constant('write' as const), path, content }),
      fc.record({ kind: fc.constant('remove' as const), path }),
      fc.record({ kind: fc.constant('move' as const), path, to: path }),
      fc.record({ kind: fc.constant('link' as const), path, to: path }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 3, maxLength: 12 }),
        fc.array(step, { maxLength: 4 }),
        async (before, after) => {
          const root = onDisk({ 'k/a/SKILL.md': md('a'), 'k/b/x.md': 'x', 'k/b/a/SKILL.md': md('a') });
          const index = new MemoryIndex();
          const run = (steps: typeof before): void => {
            for (const each of steps) {
              const at = join(root, 'k', each.path);
              try {
                if (each.kind === 'write') {
                  mkdirSync(dirname(at), { recursive: true });
                  writeFileSync(at, each.content);
                } else if (each.kind === 'remove') rmSync(at, { recursive: true, force: true });
                else if (each.kind === 'move') renameSync(at, join(root, 'k', each.to));
                else symlinkSync(join(root, 'k', each.to), at);
              } catch {
                // A step that this tree does not allow.
              }
            }
            age(root);
          };
          run(before);
          const nothing = await start({ root, index });
          run(after);
          const expected = await cold({ root, index });
          expect((await start({ root, index })).told).toEqual(expected);
          const again = await start({ root, index });
          expect(again.told).toEqual(expected);
          if (again.calls.length < nothing.calls.length) spared += 1;
          rmSync(root, { recursive: true, force: true });
        },
      ),
      { numRuns: 120 },
    );
    // Most began from what was kept.
    expect(spared).toBeGreaterThan(60);
  });
});

it('what cannot tell by looks keeps nothing', async () => {
  const index = new MemoryIndex();
  const root = onDisk({ 'a/SKILL.md': md('a') });
  const source = new Proxy(directorySource(root), {
    get: (target, name) => {
      if (name === 'recall') return undefined;
      const value = Reflect.get(target, name, target) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const catalog = await openCatalog(source, { digestIndex: index });
  await catalog.close();
  expect(index.saves).toBe(0);
});

describe('a clock that is set back', () => {
  it('keeps nothing, since what changed afterwards looks older than it is', async () => {
    const root = onDisk(TREE);
    age(root);
    const index = new MemoryIndex();
    const catalog = await openCatalog(directorySource(root), { digestIndex: index });
    const date = vi.spyOn(Date, 'now').mockImplementation(() => 1_700_000_000_000);
    try {
      await catalog.close();
    } finally {
      date.mockRestore();
    }
    expect(index.saves).toBe(0);
    const again = await openCatalog(directorySource(root), { digestIndex: index });
    await again.close();
    expect(index.saves).toBe(1);
  });
});
