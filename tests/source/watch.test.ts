import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directorySource, memorySource, mountSources, nest, watchSource } from '../../src/source/index.ts';
import { codeOf, fill, later, tempFolder, tree } from './support.ts';
import { MODES, watching } from './watching.ts';

const FILES = {
  's/SKILL.md': 'one',
  's/references/a.md': 'a',
  't/SKILL.md': 'two',
  'group/u/SKILL.md': 'three',
};

interface Scenario {
  readonly act: (root: string) => void;
  /** Each of these is told, by itself or by a folder above. */
  readonly told: readonly string[];
  /** A later change that is told too: what came is watched. */
  readonly later?: { readonly act: (root: string) => void; readonly told: readonly string[] };
  /** None of these is told. */
  readonly quiet?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

const write = (root: string, path: string, text = 'new text'): void => {
  fs.writeFileSync(join(root, path), text);
};

const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'a write': { act: (root) => write(root, 's/SKILL.md'), told: ['s/SKILL.md'], quiet: ['t', 's/references'] },
  'a write deep down': { act: (root) => write(root, 's/references/a.md'), told: ['s/references/a.md'] },
  'an atomic save': {
    act: (root) => {
      write(root, 's/SKILL.md.tmp');
      fs.renameSync(join(root, 's/SKILL.md.tmp'), join(root, 's/SKILL.md'));
    },
    told: ['s/SKILL.md'],
    later: {
      act: (root) => {
        write(root, 's/SKILL.md.tmp', 'newer');
        fs.renameSync(join(root, 's/SKILL.md.tmp'), join(root, 's/SKILL.md'));
      },
      told: ['s/SKILL.md'],
    },
  },
  'a save with a backup': {
    act: (root) => {
      fs.renameSync(join(root, 's/SKILL.md'), join(root, 's/SKILL.md~'));
      write(root, 's/SKILL.md');
      fs.rmSync(join(root, 's/SKILL.md~'));
    },
    told: ['s/SKILL.md'],
    later: { act: (root) => write(root, 's/SKILL.md', 'newest'), told: ['s/SKILL.md'] },
    quiet: ['s/SKILL.md~'],
  },
  'a file that comes and one that goes': {
    act: (root) => {
      write(root, 's/references/b.md');
      fs.rmSync(join(root, 't/SKILL.md'));
    },
    told: ['s/references/b.md', 't/SKILL.md'],
  },
  'a folder made and filled at once': {
    act: (root) => {
      fill(root, { 'new/x/y/SKILL.md': 'y', 'new/x/y/z/': '' });
    },
    told: ['new/x/y/SKILL.md'],
    later: { act: (root) => write(root, 'new/x/y/z/deep.md'), told: ['new/x/y/z/deep.md'] },
  },
  'a folder removed with all in it': {
    act: (root) => fs.rmSync(join(root, 's'), { recursive: true }),
    told: ['s'],
    later: { act: (root) => void fill(root, { 's/SKILL.md': 'again' }), told: ['s/SKILL.md'] },
  },
  'a folder that is removed and made again at once': {
    act: (root) => {
      fs.rmSync(join(root, 's'), { recursive: true });
      fill(root, { 's/SKILL.md': 'again', 's/references/a.md': 'again' });
    },
    told: ['s/SKILL.md'],
    later: { act: (root) => write(root, 's/references/a.md'), told: ['s/references/a.md'] },
  },
  'a folder moved elsewhere': {
    act: (root) => fs.renameSync(join(root, 's'), join(root, 'group/moved')),
    told: ['s', 'group/moved'],
    later: {
      act: (root) => write(root, 'group/moved/references/a.md'),
      told: ['group/moved/references/a.md'],
    },
  },
  'a folder moved in from elsewhere': {
    act: (root) => {
      const from = tree({ 'SKILL.md': 'in', 'deep/a.md': 'a' });
      fs.renameSync(from, join(root, 'in'));
    },
    told: ['in/deep/a.md'],
    later: { act: (root) => write(root, 'in/deep/a.md'), told: ['in/deep/a.md'] },
  },
  'a file that becomes a folder': {
    act: (root) => {
      fs.rmSync(join(root, 's/references/a.md'));
      fill(root, { 's/references/a.md/b.md': 'b' });
    },
    told: ['s/references/a.md'],
    later: { act: (root) => write(root, 's/references/a.md/b.md'), told: ['s/references/a.md/b.md'] },
  },
  'permissions of a file': {
    act: (root) => fs.chmodSync(join(root, 's/SKILL.md'), 0o600),
    told: ['s/SKILL.md'],
  },
  'a link that leads to another folder': {
    files: { current: '-> s' },
    act: (root) => {
      fs.symlinkSync('t', join(root, 'next'));
      fs.renameSync(join(root, 'next'), join(root, 'current'));
    },
    told: ['current'],
    later: { act: (root) => write(root, 't/SKILL.md'), told: ['current/SKILL.md', 't/SKILL.md'] },
  },
  'a file behind a link': {
    files: { 's/link.md': '-> references/a.md' },
    act: (root) => write(root, 's/references/a.md'),
    told: ['s/references/a.md', 's/link.md'],
  },
  'a link over a link': {
    files: { '..data': '-> v1', 'v1/x/SKILL.md': '1', 'v2/x/SKILL.md': '2', x: '-> ..data/x' },
    act: (root) => {
      fs.symlinkSync('v2', join(root, '..next'));
      fs.renameSync(join(root, '..next'), join(root, '..data'));
    },
    told: ['..data', 'x'],
    later: { act: (root) => write(root, 'v2/x/SKILL.md'), told: ['x/SKILL.md'] },
  },
  'a broken link whose target appears': {
    files: { x: '-> group/late' },
    act: (root) => void fill(root, { 'group/late/SKILL.md': 'late' }),
    told: ['x', 'group/late'],
    later: { act: (root) => write(root, 'group/late/SKILL.md'), told: ['x/SKILL.md'] },
  },
  'rules that hide': {
    act: (root) => write(root, 's/.skillignore', 'references/\n'),
    told: ['s'],
    later: { act: (root) => write(root, 's/SKILL.md'), told: ['s/SKILL.md'] },
  },
  'rules that show': {
    files: { 's/.skillignore': 'references/\n' },
    act: (root) => fs.rmSync(join(root, 's/.skillignore')),
    told: ['s/references/a.md'],
    later: { act: (root) => write(root, 's/references/a.md'), told: ['s/references/a.md'] },
  },
};

describe.each(MODES)('a %s watcher', (mode) => {
  it.each(Object.entries(SCENARIOS))('tells of %s', async (_, { act, told, later: next, quiet, files }) => {
    const root = tree({ ...FILES, ...files });
    const seen = await watching(directorySource(root), { mode });
    act(root);
    await seen.told(...told);
    if (next !== undefined) {
      // A save can be told in several steps; only what comes after the next one counts.
      seen.take();
      next.act(root);
      await seen.told(...next.told);
    }
    expect(seen.batches.flat()).not.toEqual(expect.arrayContaining(['']));
    for (const path of quiet ?? []) expect(seen.batches.flat()).not.toContain(path);
    expect(seen.errors).toEqual([]);
  });

  it('says nothing of what is ignored, nor of what was there at the start', async () => {
    const root = tree({
      ...FILES,
      '.skillignore': '*.log\nbuild/\n',
      's/.git/HEAD': 'x',
      's/drafts/a.md': 'a',
      's/build/out.md': 'x',
      'node_modules/x/SKILL.md': 'x',
    });
    const seen = await watching(directorySource(root), { mode, ignore: ['drafts', '', 'private/*.md'] });
    write(root, 's/.git/HEAD', 'y');
    write(root, 's/drafts/a.md', 'b');
    write(root, 's/run.log');
    write(root, 's/.SKILL.md.swp');
    write(root, 's/build/out.md', 'y');
    write(root, 'node_modules/x/SKILL.md', 'y');
    fill(root, { 'private/a.md': 'a', 'node_modules/new/SKILL.md': 'n', 'drafts/': '' });
    await seen.told('private');
    fill(root, { 't/build/deep/a.md': 'never watched' });
    write(root, 'private/a.md', 'b');
    write(root, 't/build/deep/a.md', 'b');
    write(root, 't/SKILL.md', 'last');
    await seen.told('t/SKILL.md');
    expect(seen.take().filter((path) => path !== 'private')).toEqual(['t/SKILL.md']);
  });

  it('tells a secret that comes, since it is withheld and reported', async () => {
    const root = tree(FILES);
    const seen = await watching(directorySource(root), { mode });
    write(root, 's/.env', 'A=1');
    await seen.told('s/.env');
  });

  it('follows a root that is removed and made again, and one that is swapped', async () => {
    const root = tree({ 'skills/s/SKILL.md': 'one' });
    const skills = join(root, 'skills');
    const seen = await watching(directorySource(skills), { mode, pollMs: 30 });
    fs.rmSync(skills, { recursive: true });
    await seen.told('');
    seen.take();
    fill(root, { 'skills/s/SKILL.md': 'two' });
    await seen.told('');
    seen.take();
    write(skills, 's/SKILL.md', 'three');
    await seen.told('s/SKILL.md');
    seen.take();
    fill(root, { 'other/t/SKILL.md': 'four' });
    fs.renameSync(skills, join(root, 'old'));
    fs.renameSync(join(root, 'other'), skills);
    await seen.told('');
    seen.take();
    write(skills, 't/SKILL.md', 'five');
    await seen.told('t/SKILL.md');
    write(root, 'old/s/SKILL.md', 'six');
    write(skills, 't/SKILL.md', 'seven');
    await seen.next();
    expect(seen.batches.flat()).not.toContain('old/s/SKILL.md');
  });

  it('watches where links lead outside the source, and what replaces it', async () => {
    const outside = tree({ 'v1/s/SKILL.md': '1', 'v2/s/SKILL.md': '2' });
    const root = tree({ ...FILES, 'linked/pdf': `-> ${outside}/v1/s` });
    const source = directorySource(root, { linkRoots: [outside] });
    const seen = await watching(source, { mode, pollMs: 30 });
    write(outside, 'v1/s/SKILL.md', 'changed');
    await seen.told('linked/pdf/SKILL.md');
    seen.take();
    fs.rmSync(join(outside, 'v1/s'), { recursive: true });
    fill(outside, { 'v1/s/SKILL.md': 'made again' });
    await seen.told('linked/pdf/SKILL.md');
    seen.take();
    write(outside, 'v1/s/SKILL.md', 'and changed');
    await seen.told('linked/pdf/SKILL.md');
    seen.take();
    fs.renameSync(join(outside, 'v1'), join(outside, 'v0'));
    fs.renameSync(join(outside, 'v2'), join(outside, 'v1'));
    await seen.told('linked/pdf/SKILL.md');
    seen.take();
    write(outside, 'v1/s/SKILL.md', 'of another version');
    await seen.told('linked/pdf/SKILL.md');
    seen.take();
    fs.rmSync(join(root, 'linked/pdf'));
    await seen.told('linked/pdf');
    seen.take();
    write(outside, 'v1/s/SKILL.md', 'nobody looks');
    write(root, 's/SKILL.md', 'somebody looks');
    await seen.told('s/SKILL.md');
    expect(seen.take()).toEqual(['s/SKILL.md']);
  });

  it('tells every path that leads to a folder', async () => {
    const root = tree({
      'real/a/SKILL.md': 'a',
      one: '-> real',
      two: '-> one',
      'three/four': '-> ../real/a',
    });
    const seen = await watching(directorySource(root, { symlinks: 'follow' }), { mode });
    write(root, 'real/a/SKILL.md');
    await seen.told('real/a/SKILL.md', 'one/a/SKILL.md', 'two/a/SKILL.md', 'three/four/SKILL.md');
  });

  it('ends at links that lead in circles and at folders that many links lead to', async () => {
    const root = tempFolder();
    // Two links in each folder to the next one: a walk by paths would visit 2^20 folders.
    for (let depth = 0; depth < 20; depth += 1) {
      fill(root, { [`d${depth}/a`]: `-> ../d${depth + 1}`, [`d${depth}/b`]: `-> ../d${depth + 1}` });
    }
    fill(root, { 'd20/SKILL.md': 'x', 'd20/back': '-> ../d0' });
    const seen = await watching(directorySource(root, { symlinks: 'follow' }), { mode });
    write(root, 'd20/SKILL.md');
    await seen.told('');
  });

  it('watches sources side by side, each below its prefix', async () => {
    const a = tree({ 'x/SKILL.md': 'x' });
    const b = tree({ 'y/SKILL.md': 'y' });
    const c = tree({ 'SKILL.md': 'c', 'more/z.md': 'z' });
    const source = mountSources([
      { source: directorySource(a) },
      { source: directorySource(b), prefix: 'team/b' },
      { source: nest(directorySource(c), 'c') },
      { source: memorySource({ 'm/SKILL.md': 'm' }) },
    ]);
    const seen = await watching(source, { mode });
    write(a, 'x/SKILL.md');
    write(b, 'y/SKILL.md');
    write(c, 'more/z.md');
    fill(b, { 'new/SKILL.md': 'n' });
    await seen.told('x/SKILL.md', 'team/b/y/SKILL.md', 'c/more/z.md', 'team/b/new');
    expect(seen.errors).toEqual([]);
  });

  it('watches one folder that two sources hold', async () => {
    const root = tree({ 'in/x/SKILL.md': 'x' });
    const source = mountSources([
      { source: directorySource(root) },
      { source: directorySource(join(root, 'in')), prefix: 'again' },
    ]);
    const seen = await watching(source, { mode });
    write(root, 'in/x/SKILL.md');
    await seen.told('in/x/SKILL.md', 'again/x/SKILL.md');
    seen.take();
    fs.renameSync(join(root, 'in/x'), join(root, 'in/y'));
    await seen.told('in/y', 'again/y', 'in/x', 'again/x');
    seen.take();
    write(root, 'in/y/SKILL.md');
    await seen.told('again/y/SKILL.md');
  });

  it('works on a source that answers later', async () => {
    const root = tree(FILES);
    const source = { ...later(directorySource(root)), hostRoots: [{ path: '', folder: root }] };
    const seen = await watching(source, { mode });
    fill(root, { 'new/a/SKILL.md': 'n' });
    await seen.told('new');
    write(root, 'new/a/SKILL.md');
    await seen.told('new/a/SKILL.md');
  });

  it('tells what it saw when it is drained, and nothing after', async () => {
    const root = tree(FILES);
    const seen = await watching(directorySource(root), { mode, settleMs: 60_000, pollMs: 60_000 });
    write(root, 's/SKILL.md');
    const draining = seen.watcher.drain();
    await draining;
    expect(seen.take()).toEqual(['s/SKILL.md']);
    write(root, 't/SKILL.md');
    await seen.watcher.drain();
    await seen.watcher.close();
    expect(seen.take()).toEqual([]);
  });

  it('tells nothing once it is closed', async () => {
    const root = tree(FILES);
    const seen = await watching(directorySource(root), { mode, settleMs: 5, pollMs: 5 });
    write(root, 's/SKILL.md');
    await seen.watcher.close();
    await seen.watcher.close();
    const other = await watching(directorySource(root), { mode });
    write(root, 't/SKILL.md');
    await other.told('t/SKILL.md');
    expect(seen.batches).toEqual([]);
  });

  it('waits with the next batch until the last one was taken, and joins what comes meanwhile', async () => {
    const root = tree(FILES);
    let release: () => void = () => undefined;
    let running = 0;
    let most = 0;
    const seen = await watching(directorySource(root), {
      mode,
      settleMs: 5,
      onChange: async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        running -= 1;
      },
    });
    write(root, 's/SKILL.md');
    await seen.told('s/SKILL.md');
    for (let each = 0; each < 50; each += 1) write(root, 't/SKILL.md', `${each}`);
    const next = seen.next();
    release();
    expect(await next).toEqual(['t/SKILL.md']);
    expect(most).toBe(1);
    release();
  });

  it('reports a batch that could not be taken and goes on', async () => {
    const root = tree(FILES);
    let fail = true;
    const seen = await watching(directorySource(root), {
      mode,
      onChange: () => {
        if (!fail) return;
        fail = false;
        throw new Error('/secret/path');
      },
    });
    write(root, 's/SKILL.md');
    await seen.told('s/SKILL.md');
    write(root, 't/SKILL.md');
    await seen.told('t/SKILL.md');
    expect(seen.errors.map(({ code }) => code)).toEqual(['INTERNAL']);
    expect(seen.errors[0]?.message).not.toContain('/secret');
  });
});

describe('watchSource', () => {
  it.each([
    ['memory', memorySource({ 's/SKILL.md': 's' })],
    ['mounts of memory', mountSources([{ source: memorySource({ 's/SKILL.md': 's' }), prefix: 'p' }])],
  ])('has nothing to watch in %s', async (_, source) => {
    await expect(watchSource(source, { onChange: () => undefined })).rejects.toMatchObject({
      code: 'FS_WATCHER_MISSING_HOST_ROOT',
    });
  });

  it('passes on what is wrong with the root', async () => {
    const root = tree(FILES);
    const source = directorySource(root);
    fs.rmSync(root, { recursive: true });
    await expect(watchSource(source, { onChange: () => undefined })).rejects.toMatchObject({
      code: 'SOURCE_NOT_FOUND',
    });
    const clash = mountSources([
      { source: directorySource(tree({ 'a/x': '' })) },
      { source: directorySource(tree({ 'a/x': '' })) },
    ]);
    await expect(watchSource(clash, { onChange: () => undefined })).rejects.toMatchObject({
      code: 'MOUNT_COLLISION',
    });
  });

  it.each([
    { settleMs: -1 },
    { settleMs: Number.NaN },
    { pollMs: Number.POSITIVE_INFINITY },
    { settleMs: 86_400_001 },
  ])('refuses times that are none: %j', async (times) => {
    const source = directorySource(tree(FILES));
    await expect(watchSource(source, { ...times, onChange: () => undefined })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });

  it('says how it watches', async () => {
    const source = directorySource(tree(FILES));
    expect((await watching(source)).watcher.mode).toBe('native');
    expect((await watching(source, { mode: 'poll' })).watcher.mode).toBe('poll');
  });
});

describe('Source.ignores', () => {
  it('tells by the rules in force what would be ignored', () => {
    const root = tree({ '.skillignore': '*.log\n', 'team/SKILL.md': 'x' });
    const source = directorySource(root);
    const mounted = mountSources([
      { source, prefix: 'p' },
      { source: memorySource({ 'm/x.log': '' }), prefix: 'q' },
    ]);
    expect(mounted.ignores?.('p/a.log')).toBe(false);
    mounted.list('');
    const asked = ['p/a.log', 'p/a.md', 'p/.git', 'q/m/x.log', 'p', 'elsewhere/a.log'];
    expect(asked.filter((path) => mounted.ignores?.(path))).toEqual(['p/a.log', 'p/.git']);
    expect(codeOf(() => source.read('team/b.log'))).toBe('FILE_NOT_FOUND');
    expect(source.ignores?.('team/b.log')).toBe(true);
    expect(source.ignores?.('team/.env')).toBe(false);
  });
});
