import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../../src/catalog/index.ts';
import { directorySource, memorySource, mountSources, type Source } from '../../src/source/index.ts';
import { broadcasting, follow } from './following.ts';
import { md, onDisk } from './trees.ts';

interface Bug {
  readonly id: string;
  readonly files: Readonly<Record<string, string>>;
  readonly then?: { readonly write: Readonly<Record<string, string>>; readonly remove: string };
  readonly link?: { readonly path: string; readonly before: string; readonly after: string };
  readonly sessions?: number;
  readonly skills?: number;
  readonly saves?: number;
  readonly written?: string;
  readonly right: {
    readonly skills?: readonly string[];
    readonly before?: string;
    readonly after?: string;
    readonly furtherWatches?: number;
    readonly notifications?: number;
    readonly withdrawn?: number;
  };
}

const BUGS: readonly Bug[] = JSON.parse(
  fs.readFileSync(new URL('../vectors/bug-watchers.json', import.meta.url), 'utf8'),
);

function bug(id: string): Bug {
  const found = BUGS.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no case ${id}`);
  return found;
}

const uris = (catalog: Catalog): string[] => catalog.snapshot.skills.map(({ uri }) => uri);
const description = (catalog: Catalog): string | undefined => catalog.snapshot.skills[0]?.description;

function put(root: string, path: string, text: string): void {
  fs.mkdirSync(dirname(join(root, path)), { recursive: true });
  fs.writeFileSync(join(root, path), text);
}

function manySkills(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, each) => [`skills/s${each}/SKILL.md`, md(`s${each}`)]),
  );
}

/** Inotify watches of this process. */
function watches(): number {
  return fs
    .readdirSync('/proc/self/fdinfo')
    .map((fd) => {
      try {
        return fs.readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8');
      } catch {
        // The descriptor of the listing itself is closed by now.
        return '';
      }
    })
    .reduce((sum, text) => sum + (text.match(/^inotify /gm)?.length ?? 0), 0);
}

describe('recorded faults of watchers', () => {
  it('has a test for each', () => {
    expect(BUGS).toHaveLength(8);
  });

  it('a folder made with its file at once, and one removed: wa-new-dir-and-rmdir', async () => {
    const { files, then, right } = bug('wa-new-dir-and-rmdir');
    const root = onDisk(files);
    const seen = await follow(directorySource(join(root, 'skills')));
    for (const [path, text] of Object.entries(then?.write ?? {})) put(root, path, text);
    fs.rmSync(join(root, then?.remove ?? ''), { recursive: true });
    await seen.until(() => uris(seen.catalog).join() === right.skills?.join());
    expect(seen.batches.length).toBeLessThanOrEqual(2);
  });

  it('a link that leads elsewhere, and what it leads to: wa-external-and-symlink-targets', async () => {
    const { files, link, right } = bug('wa-external-and-symlink-targets');
    if (link === undefined) throw new Error('no link');
    const root = onDisk(files, { [link.path]: link.before });
    const source = directorySource(join(root, 'skills'), { linkRoots: [join(root, 'v1'), join(root, 'v2')] });
    const seen = await follow(source);
    expect(description(seen.catalog)).toBe(right.before);
    fs.symlinkSync(link.after, join(root, 'skills/next'));
    fs.renameSync(join(root, 'skills/next'), join(root, link.path));
    await seen.until(() => description(seen.catalog) === right.after);
    put(root, 'v2/s/SKILL.md', md('s', 'three'));
    await seen.until(() => description(seen.catalog) === 'three');
    put(root, 'v2/s/more/a.md', 'a');
    await seen.until(() => seen.catalog.snapshot.locate('skill://s/more/a.md') !== undefined);
  });

  it.runIf(process.platform === 'linux')(
    'thirty sessions, one watcher: wa-watcher-per-consumer',
    async () => {
      const { files, sessions = 0, right } = bug('wa-watcher-per-consumer');
      const before = watches();
      const { provider } = await broadcasting(directorySource(join(onDisk(files), 'skills')));
      const standing = watches();
      expect(standing - before).toBe(2);
      for (let each = 0; each < sessions; each += 1) provider.createServer({ transport: 'stdio' });
      expect(watches() - standing).toBe(right.furtherWatches);
      await provider.close();
      expect(watches()).toBe(before);
    },
  );

  it.each([
    ['the folder that is served', 'skills', 'skill://s/SKILL.md'],
    ['a folder in it', '.', 'skill://skills/s/SKILL.md'],
  ])('two hundred skills moved away and back, %s: wa-burst-freeze', async (_, served, uri) => {
    const { files, skills = 0, right } = bug('wa-burst-freeze');
    const root = onDisk({ ...files, ...manySkills(skills - 1) });
    const seen = await broadcasting(directorySource(join(root, served)));
    const { revision } = seen.provider;
    expect(seen.provider.catalog.snapshot.skills).toHaveLength(skills);
    fs.renameSync(join(root, 'skills'), join(root, 'x'));
    fs.renameSync(join(root, 'x'), join(root, 'skills'));
    // Two turns of the watcher at least: what it tells is taken before anything later.
    put(root, 'skills/s/later.md', 'later');
    await seen.until(() => seen.broadcasts.length > (right.notifications ?? 0));
    expect(JSON.stringify(seen.broadcasts)).toContain('later.md');
    expect(seen.broadcasts).toHaveLength((right.notifications ?? 0) + 1);
    fs.rmSync(join(root, 'skills/s/later.md'));
    await seen.until(() => seen.provider.revision === revision);
    expect(seen.provider.catalog.snapshot.skill(uri)).toBeDefined();
  });

  it('one source among several changes: wa-refresh-clears-others', async () => {
    const { files, right } = bug('wa-refresh-clears-others');
    const root = onDisk(files);
    const registered = memorySource({ 'registered/SKILL.md': md('registered') });
    const source = mountSources([{ source: directorySource(join(root, 'skills')) }, { source: registered }]);
    const seen = await follow(source);
    put(root, 'skills/s/SKILL.md', md('s', 'touched'));
    await seen.until(() => seen.catalog.snapshot.skill('skill://s/SKILL.md')?.description === 'touched');
    expect(uris(seen.catalog)).toEqual(right.skills);
    fs.rmSync(join(root, 'skills/s'), { recursive: true });
    await seen.until(() => seen.catalog.snapshot.skills.length === 1);
    expect(uris(seen.catalog)).toEqual(['skill://registered/SKILL.md']);
  });

  it('a file written while the scan runs: wa-event-during-load', async () => {
    const { files, written = '', right } = bug('wa-event-during-load');
    const root = onDisk(files);
    const inner = directorySource(join(root, 'skills'));
    let pause = true;
    const source: Source = {
      label: inner.label,
      hostRoots: inner.hostRoots,
      list: (path) => inner.list(path),
      read: async (path, options) => {
        const file = inner.read(path, options);
        if (pause) {
          pause = false;
          put(root, 'skills/s/SKILL.md', written);
          // Longer than the watcher waits, so that its batch comes before the scan ends.
          await new Promise((resolve) => setTimeout(resolve, 150));
        }
        return file;
      },
      stat: (path, options) => inner.stat(path, options),
      contains: (ancestor, id) => inner.contains(ancestor, id),
      close: () => inner.close(),
    };
    const seen = await follow(source);
    await seen.until(() => description(seen.catalog) === right.after);
    expect(pause).toBe(false);
  });

  it('saves as editors make them: wa-atomic-save', async () => {
    const { files, saves = 0, right } = bug('wa-atomic-save');
    const root = onDisk(files);
    const file = join(root, 'skills/s/SKILL.md');
    const seen = await follow(directorySource(join(root, 'skills')));
    const withdrawn: string[] = [];
    seen.catalog.onChange(({ removed }) => withdrawn.push(...removed));
    for (let save = 1; save <= saves; save += 1) {
      const fd = fs.openSync(`${file}.tmp`, 'w');
      fs.writeSync(fd, md('s', `save ${save}`));
      fs.fsyncSync(fd);
      fs.closeSync(fd);
      fs.renameSync(`${file}.tmp`, file);
      await seen.until(() => description(seen.catalog) === `save ${save}`);
    }
    fs.renameSync(file, `${file}~`);
    fs.writeFileSync(file, md('s', 'with a backup'));
    fs.rmSync(`${file}~`);
    await seen.until(() => description(seen.catalog) === 'with a backup');
    const before = seen.batches.length;
    fs.truncateSync(file);
    // The watcher has told of the empty file, and the catalog is looking at it.
    await new Promise<void>((resolve) => {
      const look = setInterval(() => {
        if (seen.batches.length === before) return;
        clearInterval(look);
        resolve();
      }, 1);
    });
    fs.writeFileSync(file, md('s', 'truncated first'));
    await seen.until(() => description(seen.catalog) === 'truncated first');
    expect(withdrawn).toHaveLength(right.withdrawn ?? -1);
    expect(seen.catalog.snapshot.skills[0]?.files.map(({ path }) => path)).toEqual(['SKILL.md']);
  });

  it('a tool installs a skill: wa-self-echo-and-blocking-start', async () => {
    const { files, skills = 0, right } = bug('wa-self-echo-and-blocking-start');
    const root = onDisk({ ...files, ...manySkills(skills - 1) });
    const seen = await broadcasting(directorySource(join(root, 'skills')), { coalesceWindowMs: 100 });
    expect(seen.broadcasts).toEqual([]);
    put(root, 'skills/.new/references/a.md', 'a');
    put(root, 'skills/.new/SKILL.md', md('new'));
    fs.renameSync(join(root, 'skills/.new'), join(root, 'skills/new'));
    await seen.until(() => seen.broadcasts.length > 0);
    put(root, 'skills/s/last.md', 'x');
    await seen.until(() => seen.broadcasts.length > (right.notifications ?? 0));
    expect(seen.broadcasts).toHaveLength((right.notifications ?? 0) + 1);
    expect(seen.provider.catalog.snapshot.skills).toHaveLength(skills + 1);
  });
});
