import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createDirectorySource, type DirectoryHost } from '../../src/source/directory.ts';
import { FactsAnswerer, type FactsReply } from '../../src/source/facts-answer.ts';
import { threadProgram } from '../../src/source/facts-thread.ts';
import { hostFs } from '../../src/source/host-fs.ts';
import {
  type AheadOptions,
  directorySource,
  memorySource,
  mountSources,
  type Source,
} from '../../src/source/index.ts';
import { fill, later, PROGRAM, tempFolder, tree } from './support.ts';

const X = 'sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';

/** Sizes of what is told ahead of files, -1 where nothing is. */
async function told(
  source: Source,
  path: string,
  names: readonly string[],
  options: AheadOptions = {},
): Promise<number[]> {
  const ahead = source.ahead?.(options);
  if (ahead === undefined) throw new Error('nothing is told ahead');
  try {
    const { id } = await source.list(path);
    const batch = await ahead.take([{ path, within: id, names }]);
    return names.map((_, index) => batch.at(index)?.size ?? -1);
  } finally {
    ahead.close();
  }
}

function threaded(root: string, host: DirectoryHost = {}, options = {}) {
  return createDirectorySource(root, options, { program: PROGRAM, ...host });
}

describe('a second thread', () => {
  test.each([true, false])('tells plain files as they are (kernel names open files: %s)', async (procFd) => {
    const source = threaded(tree({ 's/a': 'x', 's/b.md': 'yy', 's/c': '', 's/d': new Uint8Array(300_000) }), {
      procFd,
    });
    expect(await told(source, 's', ['a', 'b.md', 'c', 'd'])).toEqual([1, 2, 0, 300_000]);
    const ahead = source.ahead();
    const before = Date.now();
    const batch = await ahead?.take([{ path: 's', within: source.list('s').id, names: ['a'] }]);
    ahead?.close();
    expect(batch?.at(0)).toEqual(source.facts('s/a'));
    expect(batch?.at(0)?.digest).toBe(X);
    expect(batch?.at(1)).toBeUndefined();
    expect(batch?.readAt).toBeGreaterThanOrEqual(before);
    expect(batch?.readAt).toBeLessThanOrEqual(Date.now());
  });

  test('leaves to the source whatever takes more than bytes', async () => {
    const base = tree({
      'root/s/plain': 'x',
      'root/s/in': '-> plain',
      'root/s/out': '-> ../../outside/secret',
      'root/s/broken': '-> nowhere',
      'root/s/folder/': '',
      'root/s/key.pem': '-----BEGIN PRIVATE KEY-----\n',
      'root/s/key.md': '-----BEGIN PRIVATE KEY-----\n',
      'root/s/.env': 'A=1',
      'root/s/x~': 'x',
      'root/s/hidden.log': 'x',
      'root/s/.skillignore': '*.log\n',
      'outside/secret': 'secret',
      'root/away': '-> ../outside',
    });
    spawnSync('mkfifo', [join(base, 'root/s/pipe')]);
    const source = threaded(join(base, 'root'));
    const names = ['plain', 'in', 'out', 'broken', 'folder', 'key.pem', 'key.md', '.env', 'x~', 'hidden.log'];
    expect(await told(source, 's', names)).toEqual([1, -1, -1, -1, -1, -1, 28, -1, -1, -1]);
    expect(await told(source, 's', ['pipe', 'missing', '', '.', '..', 'a/b', 'a\\b', '\0'])).toEqual(
      Array.from({ length: 8 }, () => -1),
    );
    const ahead = source.ahead();
    const within = source.list('').id;
    const batch = await ahead?.take([
      { path: 'away', within, names: ['secret'] },
      { path: 's/../../outside', within, names: ['secret'] },
      { path: 's', within: source.list('s/folder').id, names: ['plain'] },
      { path: 's', within, names: ['plain'] },
    ]);
    ahead?.close();
    expect([0, 1, 2, 3].map((index) => batch?.at(index)?.size)).toEqual([undefined, undefined, undefined, 1]);
  });

  test('tells no more of a folder than it may have, and no file that is too large', async () => {
    const files = Object.fromEntries([1, 2, 3, 4].map((at) => [`s/${at}`, '0123456789']));
    const source = threaded(tree({ ...files, 't/5': '0123456789' }));
    const within = source.list('s').id;
    const ahead = source.ahead({ maxBytes: 10, maxBytesWithin: 15 });
    const batch = await ahead?.take([
      { path: 's', within, names: ['1', '2', '3', '4'] },
      { path: 't', within: source.list('t').id, names: ['5'] },
    ]);
    ahead?.close();
    expect([0, 1, 2, 3, 4].map((at) => batch?.at(at)?.size)).toEqual([10, 10, undefined, undefined, 10]);
    expect(await told(source, 's', ['1'], { maxBytes: 9 })).toEqual([-1]);
  });

  test('obeys the policy about links', async () => {
    const root = tree({ 'a/s/x': 'x', 'b/s': '-> ../a/s' });
    const within = directorySource(root).list('b').id;
    for (const [symlinks, size] of [
      ['contained', undefined],
      ['follow', 1],
    ] as const) {
      const source = threaded(root, {}, { symlinks });
      const ahead = source.ahead();
      const batch = await ahead?.take([
        { path: 'a/s', within, names: ['x'] },
        { path: 'b/s', within, names: ['x'] },
      ]);
      ahead?.close();
      expect([0, 1].map((at) => batch?.at(at)?.size)).toEqual([size, undefined]);
    }
  });

  test('that is closed tells nothing more, and what was asked for is answered', async () => {
    const source = threaded(tree({ 's/a': 'x' }));
    const ahead = source.ahead();
    const folders = [{ path: 's', within: source.list('s').id, names: ['a'] }];
    const pending = ahead?.take(folders);
    ahead?.close();
    ahead?.close();
    expect((await pending)?.at(0)).toBeUndefined();
    expect((await ahead?.take(folders))?.at(0)).toBeUndefined();
  });

  test.each([
    ['is not there', undefined],
    ['cannot be parsed', 'this is no program'],
    ['throws', 'throw new Error("no")'],
    ['ends', 'process.exit(3)'],
    [
      'runs out of memory',
      'const all = []; for (;;) all.push(new Array(100_000).fill(0).map(() => ({ all })))',
    ],
    [
      'fails at a message',
      'const { parentPort } = await import("node:worker_threads"); parentPort.on("message", () => { throw 1 })',
    ],
  ])('whose program %s tells nothing, and nobody waits for it', async (_, code) => {
    const folder = tempFolder();
    if (code !== undefined) writeFileSync(join(folder, 'program.mjs'), code);
    const program = new URL(`file://${folder}/program.mjs`);
    const source = createDirectorySource(tree({ 's/a': 'x' }), {}, { program });
    expect(await told(source, 's', ['a'])).toEqual([-1]);
  });

  test('is not started over another file system, nor where its program is not JavaScript', () => {
    const root = tree({ a: 'x' });
    expect(threaded(root, { fs: { ...hostFs } }).ahead()).toBeUndefined();
    expect(directorySource(root).ahead?.()).toBeUndefined();
    expect(threadProgram()).toBeUndefined();
    const program = new URL('https://example.com/program.js');
    expect(createDirectorySource(root, {}, { program }).ahead()).toBeUndefined();
  });

  test('keeps a process alive while something is asked of it, and not longer', () => {
    const root = tree({ 's/a': 'x' });
    const script = `
      import { createDirectorySource } from ${JSON.stringify(new URL('../../src/source/directory.ts', import.meta.url).href)};
      const program = new URL(${JSON.stringify(PROGRAM.href)});
      const source = createDirectorySource(${JSON.stringify(root)}, {}, { program });
      const ahead = source.ahead();
      const batch = await ahead.take([{ path: 's', within: source.list('s').id, names: ['a'] }]);
      console.log(batch.at(0).digest);
    `;
    const file = join(tempFolder(), 'script.mts');
    writeFileSync(file, script);
    const run = spawnSync(process.execPath, ['--import', 'tsx', file], { encoding: 'utf8', timeout: 15_000 });
    expect(run.stderr).toBe('');
    expect(run.stdout).toBe(`${X}\n`);
    expect(run.status).toBe(0);
  });
});

describe('an answer', () => {
  const ask = (answerer: FactsAnswerer, folder: string, names: readonly string[]): FactsReply =>
    answerer.answer({ id: 7, folders: [folder], groups: [0], counts: [names.length], names });

  test('leaves out what fails, and closes what it opened', () => {
    const root = tree({ a: 'x', b: 'y', c: 'z' });
    const open = new Set<number>();
    let fault = '';
    const answerer = new FactsAnswerer(
      {
        ...hostFs,
        open: (path, flags) => {
          const fd = hostFs.open(path, flags);
          open.add(fd);
          return fd;
        },
        close: (fd) => {
          open.delete(fd);
          hostFs.close(fd);
        },
        fstat: (fd) => {
          if (fault === 'fstat') throw new Error('EIO');
          return hostFs.fstat(fd);
        },
        read: (fd, buffer, offset, length, position) => {
          if (fault === 'read') throw new Error('EIO');
          if (fault === 'short') return 0;
          const read = hostFs.read(fd, buffer, offset, length, position);
          // A file that grew shows the byte more that was asked for.
          return fault === 'grown' ? length : read;
        },
      },
      { root },
    );
    for (const next of ['', 'fstat', 'read', 'short', 'grown', '']) {
      fault = next;
      const reply = ask(answerer, '', ['a', 'b']);
      expect(reply.id).toBe(7);
      expect(reply.sizes).toEqual(next === '' ? [1, 1] : [-1, -1]);
      expect(reply.digests).toHaveLength(2);
    }
    expect([...open]).toEqual([]);
  });

  test('says nothing of a file that is exchanged for a link or vanishes between two questions', () => {
    const root = tree({ 's/a': 'x', 's/b': 'x', secret: 'secret' });
    const answerer = new FactsAnswerer(hostFs, { root });
    expect(ask(answerer, 's', ['a', 'b']).sizes).toEqual([1, 1]);
    unlinkSync(join(root, 's/a'));
    symlinkSync('../secret', join(root, 's/a'));
    unlinkSync(join(root, 's/b'));
    expect(ask(answerer, 's', ['a', 'b']).sizes).toEqual([-1, -1]);
  });
});

describe('mounted sources', () => {
  test('tell ahead what each of them tells', async () => {
    const one = threaded(tree({ 's/a': 'x', 't/b': 'yy' }));
    const two = threaded(tree({ 'u/c': 'zzz' }));
    const root = mountSources([
      { source: one },
      { source: memorySource({ 'm/d': 'd' }) },
      { source: two, prefix: 'p/q' },
      { source: memorySource({ 'v/e': 'e' }), prefix: 'p' },
    ]);
    await root.list('');
    const folder = async (path: string, ...names: string[]) => ({
      path,
      within: (await root.list(path)).id,
      names,
    });
    const ahead = root.ahead?.();
    const batch = await ahead?.take([
      await folder('s', 'a', 'none'),
      await folder('m', 'd'),
      await folder('p/q/u', 'c'),
      await folder('p/v', 'e'),
      await folder('p', 'x'),
      { path: 'nowhere', within: '', names: ['y'] },
      await folder('t', 'b'),
    ]);
    ahead?.close();
    const sizes = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((at) => batch?.at(at)?.size);
    expect(sizes).toEqual([1, undefined, undefined, 3, undefined, undefined, undefined, 2, undefined]);
    expect((await ahead?.take([await folder('s', 'a')]))?.at(0)).toBeUndefined();
  });

  test('tell nothing ahead when none of them does, or before they are laid out', async () => {
    expect(mountSources([{ source: memorySource({ a: 'x' }) }]).ahead?.()).toBeUndefined();
    const slow = later(memorySource({ a: 'x' }));
    const root = mountSources([{ source: slow }, { source: threaded(tree({ 's/a': 'x' })) }]);
    const ahead = root.ahead?.();
    expect((await ahead?.take([{ path: 's', within: '', names: ['a'] }]))?.at(0)).toBeUndefined();
    ahead?.close();
  });
});

test('a folder that is filled after it was listed is told by what is there now', async () => {
  const root = tempFolder();
  mkdirSync(join(root, 's'));
  const source = threaded(root);
  source.list('s');
  fill(root, { 's/a': 'x' });
  expect(await told(source, 's', ['a'])).toEqual([1]);
});
