import fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { directorySource, type Source } from '../../src/source/index.ts';
import { fill, tree } from './support.ts';
import { fakeHost, watching } from './watching.ts';

const FILES = { 's/SKILL.md': 'one', 's/references/a.md': 'a', 't/SKILL.md': 'two' };

describe('the watches that are set', () => {
  it('are one a folder, none a file and none of what is ignored', async () => {
    const root = tree({ ...FILES, 's/.git/objects/': '', '.skillignore': 'build/\n', 't/build/x': 'x' });
    const host = fakeHost();
    await watching(directorySource(root), { ignore: ['references'] }, host);
    expect([...host.standing.keys()].sort()).toEqual([root, join(root, 's'), join(root, 't')]);
    expect([...host.standing.values()].every((each) => each.length === 1)).toBe(true);
  });

  it('stand before their folder is listed', async () => {
    const root = tree(FILES);
    const host = fakeHost();
    const inner = directorySource(root);
    const source: Source = {
      ...inner,
      label: inner.label,
      hostRoots: inner.hostRoots,
      list: (path) => {
        host.calls.push(`list ${path}`);
        return inner.list(path);
      },
    };
    await watching(source, {}, host);
    for (const path of ['s', 's/references', 't']) {
      expect(host.calls).toContain(`list ${path}`);
      expect(host.calls.indexOf(`watch ${join(root, path)}`)).toBeLessThan(
        host.calls.indexOf(`list ${path}`),
      );
    }
  });

  it('find what is made while they are set', async () => {
    const root = tree(FILES);
    const inner = directorySource(root);
    const source: Source = {
      ...inner,
      label: inner.label,
      hostRoots: inner.hostRoots,
      list: (path) => {
        const listed = inner.list(path);
        // After the root was listed and before anything else is.
        if (path === '' && !fs.existsSync(join(root, 'late'))) fill(root, { 'late/deep/SKILL.md': 'x' });
        return listed;
      },
    };
    const seen = await watching(source);
    expect(seen.batches).toEqual([]);
    fs.writeFileSync(join(root, 'late/deep/SKILL.md'), 'y');
    await seen.told('late/deep/SKILL.md');
  });

  it('end with the folder they stand for, and all of them with the watcher', async () => {
    const root = tree({ ...FILES, 'linked/x': '-> ../s' });
    const host = fakeHost({ real: true });
    const seen = await watching(directorySource(root), {}, host);
    fs.renameSync(join(root, 't'), join(root, 'u'));
    fs.rmSync(join(root, 's/references'), { recursive: true });
    await seen.told('u', 's/references');
    await seen.told('t');
    await seen.watcher.drain();
    expect(host.standing.size).toBe(0);
    const again = await watching(directorySource(root), {}, host);
    expect([...host.standing.keys()].sort()).toEqual(
      ['', 'linked', 's', 'u'].map((path) => join(root, path)).sort(),
    );
    fs.rmSync(join(root, 'u'), { recursive: true });
    await again.told('u');
    expect(host.standing.has(join(root, 'u'))).toBe(false);
    await again.watcher.close();
    expect(host.standing.size).toBe(0);
  });

  it('are shared by all who use the source: none is set for a reader', async () => {
    const root = tree(FILES);
    const host = fakeHost();
    const source = directorySource(root);
    await watching(source, {}, host);
    const before = host.calls.length;
    for (let each = 0; each < 30; each += 1) source.read('s/SKILL.md');
    expect(host.calls.length).toBe(before);
  });
});

describe('a storm', () => {
  it('of ten thousand events about one file is one path', async () => {
    const root = tree(FILES);
    const host = fakeHost();
    const seen = await watching(directorySource(root), {}, host);
    for (let each = 0; each < 10_000; each += 1) host.say(join(root, 's'), 'change', 'SKILL.md');
    expect(await seen.next()).toEqual(['s/SKILL.md']);
    expect(seen.batches).toHaveLength(1);
  });

  it('that does not end is told all the same', async () => {
    const root = tree(FILES);
    const host = fakeHost();
    const seen = await watching(directorySource(root), { settleMs: 20 }, host);
    const storm = setInterval(() => host.say(join(root, 's'), 'change', 'SKILL.md'), 5);
    try {
      expect(await seen.next()).toEqual(['s/SKILL.md']);
    } finally {
      clearInterval(storm);
    }
  });

  it('about more than a thousand names of one folder is that folder', async () => {
    const root = tree(FILES);
    const host = fakeHost();
    const seen = await watching(directorySource(root), {}, host);
    for (let each = 0; each <= 1_000; each += 1) host.say(join(root, 's'), 'change', `f${each}`);
    expect(await seen.next()).toEqual(['s']);
  });

  it('about more than ten thousand names is everything', async () => {
    const root = tree(
      Object.fromEntries(Array.from({ length: 12 }, (_, each) => [`d${each}/SKILL.md`, 'x'])),
    );
    const host = fakeHost();
    const seen = await watching(directorySource(root), {}, host);
    for (let folder = 0; folder < 12; folder += 1) {
      for (let each = 0; each < 900; each += 1) host.say(join(root, `d${folder}`), 'change', `f${each}`);
    }
    expect(await seen.next()).toEqual(['']);
  });

  it('that may have overflown the queue of the system is everything, and what it hid is watched', async () => {
    const root = tree(FILES);
    const host = fakeHost({ queuedEvents: 100 });
    const seen = await watching(directorySource(root), {}, host);
    fill(root, { 'lost/SKILL.md': 'nobody told of it' });
    for (let each = 0; each < 80; each += 1) host.say(join(root, 's'), 'change', 'SKILL.md');
    expect(await seen.next()).toEqual(['']);
    host.say(join(root, 'lost'), 'change', 'SKILL.md');
    expect(await seen.next()).toEqual(['lost/SKILL.md']);
    // Spread over time as many events are none.
    for (let each = 0; each < 80; each += 1) {
      host.say(join(root, 's'), 'change', 'SKILL.md');
      if (each % 20 === 0) await new Promise<void>((resolve) => setImmediate(resolve));
    }
    expect(await seen.next()).toEqual(['s/SKILL.md']);
  });

  it('of real files is told in few batches', async () => {
    const root = tree(FILES);
    const seen = await watching(directorySource(root));
    for (let each = 0; each < 5_000; each += 1)
      fs.writeFileSync(join(root, 's', `f${each % 2_000}`), `${each}`);
    fs.writeFileSync(join(root, 't/SKILL.md'), 'last');
    await seen.told('s', 't/SKILL.md');
    expect(seen.batches.length).toBeLessThanOrEqual(3);
  });
});

describe('a limit of the system', () => {
  it.each([
    ['ENOSPC', 'fs.inotify.max_user_watches'],
    ['EMFILE', 'max_user_instances'],
    ['ENFILE', 'open files of the system'],
    ['ENOSYS', 'every 30 ms instead'],
  ])('turns watching into looking at the start: %s', async (code, hint) => {
    const root = tree(FILES);
    const host = fakeHost({ fails: (_, standing) => (standing >= 2 ? code : undefined) });
    const seen = await watching(directorySource(root), { pollMs: 30 }, host);
    expect(seen.watcher.mode).toBe('poll');
    expect(host.standing.size).toBe(0);
    expect(seen.errors.map((error) => error.code)).toEqual(['FS_WATCHER_SETUP_FAILED']);
    expect(seen.errors[0]?.message).toContain(code);
    expect(seen.errors[0]?.message).toContain(hint);
    fs.writeFileSync(join(root, 't/SKILL.md'), 'changed');
    await seen.told('t/SKILL.md');
    expect(seen.errors).toHaveLength(1);
  });

  it('turns watching into looking while it runs, and misses nothing', async () => {
    const root = tree(FILES);
    const host = fakeHost({ fails: (_, standing) => (standing >= 5 ? 'ENOSPC' : undefined), real: true });
    const seen = await watching(directorySource(root), { pollMs: 30 }, host);
    expect(seen.watcher.mode).toBe('native');
    fill(root, { 'a/SKILL.md': '', 'b/SKILL.md': '', 'c/SKILL.md': '' });
    await seen.told('');
    expect(seen.watcher.mode).toBe('poll');
    expect(host.standing.size).toBe(0);
    expect(seen.errors.map((error) => error.code)).toEqual(['FS_WATCHER_SETUP_FAILED']);
    seen.take();
    fs.writeFileSync(join(root, 'c/SKILL.md'), 'changed');
    fill(root, { 'd/SKILL.md': '' });
    await seen.told('c/SKILL.md', 'd/SKILL.md');
    expect(seen.errors).toHaveLength(1);
  });

  it('goes to the logger when nobody handles errors', async () => {
    const root = tree(FILES);
    const host = fakeHost({ fails: () => 'ENOSPC' });
    const warned: string[] = [];
    const silent = (): void => undefined;
    const logger = { debug: silent, info: silent, error: silent, warn: (text: string) => warned.push(text) };
    // A watcher of its own: the helper always handles errors.
    const { startWatcher } = await import('../../src/source/watch.ts');
    const watcher = await startWatcher(directorySource(root), { onChange: silent, logger }, host);
    await watcher.close();
    expect(warned).toHaveLength(1);
  });
});

describe('a folder that cannot be watched', () => {
  it('is reported once and left out, its neighbours are watched, and it is tried again', async () => {
    const root = tree(FILES);
    const refused = join(root, 's');
    let refuse = true;
    const host = fakeHost({
      fails: (folder) => (refuse && folder === refused ? 'EACCES' : undefined),
      real: true,
    });
    const seen = await watching(directorySource(root), {}, host);
    expect(seen.watcher.mode).toBe('native');
    expect(seen.errors.map(({ code, details }) => [code, details.path])).toEqual([['FILE_UNREADABLE', 's']]);
    expect(seen.errors[0]?.message).not.toContain(root);
    fs.writeFileSync(join(root, 't/SKILL.md'), 'x');
    fs.writeFileSync(join(root, 's/references/a.md'), 'x');
    await seen.told('t/SKILL.md', 's/references/a.md');
    refuse = false;
    host.say(root, 'rename', 's');
    await seen.told('s');
    fs.writeFileSync(join(root, 's/SKILL.md'), 'x');
    await seen.told('s/SKILL.md');
    expect(seen.errors).toHaveLength(1);
  });

  it('ends the set-up when it is the root', async () => {
    const root = tree(FILES);
    const host = fakeHost({ fails: (folder) => (folder === root ? 'EACCES' : undefined) });
    await expect(watching(directorySource(root), {}, host)).rejects.toMatchObject({
      code: 'FS_WATCHER_SETUP_FAILED',
      details: { errno: 'EACCES' },
    });
    expect(host.standing.size).toBe(0);
  });

  it('is forgotten when it goes away before its watch is set', async () => {
    const root = tree(FILES);
    const host = fakeHost({ fails: (folder) => (folder === join(root, 's') ? 'ENOENT' : undefined) });
    const seen = await watching(directorySource(root), {}, host);
    expect(seen.errors).toEqual([]);
    expect([...host.standing.keys()].sort()).toEqual([root, join(root, 't')]);
  });

  it('is looked for again when its watch breaks', async () => {
    const root = tree(FILES);
    const host = fakeHost();
    const seen = await watching(directorySource(root), {}, host);
    host.break(join(root, 's'));
    expect(await seen.next()).toEqual(['s']);
    host.break(root);
    expect(await seen.next()).toEqual(['']);
    expect([...host.standing.values()].map((each) => each.length)).toEqual([1, 1, 1, 1]);
    expect(seen.errors).toEqual([]);
  });

  it('is told to the handler by looking too, once, and looked at again when it can be listed', async () => {
    const root = tree(FILES);
    const refused = join(root, 's');
    let refuse = true;
    const host = fakeHost();
    const readdir = host.readdir;
    host.readdir = (path) => {
      if (refuse && path === refused) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
      return readdir(path);
    };
    const seen = await watching(directorySource(root), { mode: 'poll' }, host);
    expect(seen.errors.map(({ code }) => code)).toEqual(['FILE_UNREADABLE']);
    fs.writeFileSync(join(root, 't/SKILL.md'), 'x');
    await seen.told('t/SKILL.md');
    refuse = false;
    fs.chmodSync(refused, 0o700);
    await seen.told('s');
    seen.take();
    fs.writeFileSync(join(root, 's/SKILL.md'), 'longer than before');
    await seen.told('s/SKILL.md');
    refuse = true;
    fs.writeFileSync(join(root, 's/new.md'), 'x');
    await seen.told('s/new.md');
    expect(seen.errors).toHaveLength(2);
  });

  it('does not stop an error handler that throws from being called', async () => {
    const root = tree(FILES);
    const host = fakeHost({ fails: (folder) => (folder === root ? undefined : 'EACCES') });
    let calls = 0;
    const seen = await watching(
      directorySource(root),
      {
        onError: () => {
          calls += 1;
          throw new Error('handler');
        },
      },
      host,
    );
    expect(calls).toBe(3);
    host.say(root, 'rename', 'new');
    expect(await seen.next()).toEqual(['new']);
  });
});

describe('a name that the system does not say', () => {
  it('stands for all of the folder, whose folders are opened anew', async () => {
    const root = tree(FILES);
    const host = fakeHost();
    const seen = await watching(directorySource(root), {}, host);
    fill(root, { 's/made/x.md': 'x' });
    host.say(join(root, 's'), 'rename', null);
    expect(await seen.next()).toEqual(['s']);
    expect(host.standing.has(join(root, 's/made'))).toBe(true);
    expect(host.standing.has(join(root, 's/references'))).toBe(true);
    host.say(root, 'change', '');
    expect(await seen.next()).toEqual(['']);
    expect([...host.standing.values()].every((each) => each.length === 1)).toBe(true);
  });
});

describe('where one watch sees a tree', () => {
  it('there is one watch a root, and paths below it are told', async () => {
    const outside = tree({ 'pdf/SKILL.md': 'o', 'pdf/deep/a.md': 'a' });
    const root = tree({ ...FILES, linked: `-> ${outside}/pdf` });
    const host = fakeHost({ recursive: true });
    const seen = await watching(directorySource(root, { linkRoots: [outside] }), {}, host);
    expect([...host.standing].map(([folder, [first]]) => [folder, first?.recursive]).sort()).toEqual(
      [
        [root, true],
        [outside, false],
        [join(outside, 'pdf'), true],
      ].sort(),
    );
    host.say(root, 'change', 's/references/a.md');
    expect(await seen.next()).toEqual(['s/references/a.md']);
    host.say(root, 'change', 's\\references\\a.md');
    expect(await seen.next()).toEqual(['s/references/a.md']);
    host.say(join(outside, 'pdf'), 'change', 'deep/a.md');
    expect(await seen.next()).toEqual(['linked/deep/a.md']);
  });

  it('a folder that is only said to have changed is no news, and one that came is', async () => {
    const root = tree(FILES);
    const host = fakeHost({ recursive: true });
    const seen = await watching(directorySource(root), {}, host);
    host.say(root, 'change', 's');
    host.say(root, 'change', 's/references');
    fill(root, { 'new/x/SKILL.md': 'x' });
    host.say(root, 'rename', 'new');
    host.say(root, 'rename', 'new/x');
    host.say(root, 'rename', 'new/x/SKILL.md');
    expect(await seen.next()).toEqual(['new']);
    host.say(root, 'change', 'new/x/SKILL.md');
    expect(await seen.next()).toEqual(['new/x/SKILL.md']);
    host.say(root, 'change', 'node_modules/a/b.md');
    host.say(root, 'rename', 't/SKILL.md');
    expect(await seen.next()).toEqual(['t/SKILL.md']);
  });
});
