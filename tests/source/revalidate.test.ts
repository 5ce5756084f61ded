import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SkillError } from '../../src/errors.ts';
import { silentLogger } from '../../src/logger.ts';
import {
  archiveSource,
  directorySource,
  fetchArchive,
  fetchGitHubArchive,
  memorySource,
  mountSources,
  nest,
  openSource,
  type Source,
} from '../../src/source/index.ts';
import { startWatcher } from '../../src/source/watch.ts';
import { watchHost } from '../../src/source/watch-host.ts';
import type { WatchRequest } from '../../src/source/watcher.ts';
import { openStore } from '../../src/store/index.ts';
import { tarGz } from '../archive/build-tar.ts';
import { type ArchiveServer, archiveServer } from './archive-server.ts';
import { packTarGz, packZip } from './pack-files.ts';

let server: ArchiveServer;
beforeAll(async () => {
  server = await archiveServer();
});
afterAll(() => server.close());

const opened: { close(): Promise<void> }[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function kept<T extends { close(): Promise<void> }>(each: T): T {
  opened.push(each);
  return each;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'skillwire-revalidate-'));
  folders.push(made);
  return made;
}

const skill = (text: string): Record<string, string> => ({
  'pdf/SKILL.md': `---\nname: pdf\ndescription: ${text}\n---\n`,
  'pdf/a.txt': text,
});
const HOSTILE = tarGz([{ name: 'pdf/../../x', body: 'x' }]);

interface Origin {
  readonly url: string;
  body: Buffer;
  etag: string | undefined;
  status: number;
  /** `If-None-Match` of every request, in order. */
  readonly asked: (string | undefined)[];
}

let number = 0;
function origin(body: Buffer, etag: string | undefined = '"1"', path?: string): Origin {
  number += 1;
  const made = { url: '', body, etag, status: 200, asked: [] as (string | undefined)[] };
  made.url = server.put(path ?? `/revalidate/${number}/pack`, (request, response) => {
    const since = request.headers['if-none-match'];
    made.asked.push(since);
    const headers = made.etag === undefined ? {} : { etag: made.etag };
    if (made.status !== 200) response.writeHead(made.status).end('no');
    else if (since !== undefined && since === made.etag) response.writeHead(304, headers).end();
    else response.writeHead(200, headers).end(made.body);
  });
  return made;
}

function change(from: Origin, body: Buffer, etag?: string): void {
  from.body = body;
  from.etag = etag;
}

async function text(source: Source, path = 'pdf/a.txt'): Promise<string> {
  return (await source.read(path)).bytes.toString();
}

const ask = (source: Source): Promise<boolean> => {
  if (source.revalidate === undefined) throw new Error('it cannot be revalidated');
  return source.revalidate();
};

const open = async (from: Origin, options: object = {}) =>
  kept(await fetchArchive(from.url, { allowPrivate: true, ...options }));

describe.each([
  ['in memory', 'tar.gz', false],
  ['in memory', 'zip', false],
  ['with a store', 'tar.gz', true],
  ['with a store', 'zip', true],
] as const)('%s, a %s', (_, format, stored) => {
  const pack = format === 'zip' ? packZip : packTarGz;

  test('304, changed, 500, a hostile archive, and a good one again', async () => {
    const from = origin(pack(skill('one')));
    const dir = folder();
    const source = await open(from, stored ? { store: kept(openStore(dir)) } : {});
    const digest = source.digest;
    const before = await source.stat('pdf/a.txt');
    expect(await ask(source)).toBe(false);
    expect(from.asked).toEqual([undefined, '"1"']);
    expect(await source.stat('pdf/a.txt')).toEqual(before);

    change(from, pack({ ...skill('two!'), 'new/SKILL.md': 'x' }), '"2"');
    expect(await ask(source)).toBe(true);
    expect(await text(source)).toBe('two!');
    expect(source.list('').nodes.map(({ name }) => name)).toEqual(['new', 'pdf']);
    expect(source.digest).not.toBe(digest);
    const changed = await source.stat('pdf/a.txt');
    expect(changed.stamp).not.toBe(before.stamp);
    expect((await source.read('pdf/a.txt')).stamp).toBe(changed.stamp);

    from.status = 500;
    await expect(ask(source)).rejects.toMatchObject({
      code: 'ARCHIVE_DOWNLOAD_FAILED',
      details: { status: 500 },
    });
    from.status = 200;
    change(from, HOSTILE, '"3"');
    await expect(ask(source)).rejects.toMatchObject({ code: 'ARCHIVE_PATH_TRAVERSAL' });
    change(from, Buffer.from('<html>'), '"4"');
    await expect(ask(source)).rejects.toMatchObject({ code: 'ARCHIVE_UNKNOWN_FORMAT' });
    expect(await text(source)).toBe('two!');
    expect(await source.stat('pdf/a.txt')).toEqual(changed);

    change(from, pack(skill('three')), '"5"');
    expect(await ask(source)).toBe(true);
    expect(await text(source)).toBe('three');
    // What was refused is never what is asked with.
    expect(from.asked).toEqual([undefined, '"1"', '"1"', '"2"', '"2"', '"2"', '"2"']);
    const temporary = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(
      (entry) => entry.isFile() && entry.parentPath.startsWith(join(dir, 'tmp')),
    );
    expect(temporary).toHaveLength(stored && format === 'zip' ? 1 : 0);
  });

  test('a read during the swap ends on the archive on which it began', async () => {
    const from = origin(pack(skill('one')));
    const source = await open(from, stored ? { store: kept(openStore(folder())) } : {});
    change(from, pack(skill('two!')), '"2"');
    const seen = new Set<string>();
    const asking = ask(source);
    let done = false;
    void asking.finally(() => {
      done = true;
    });
    while (!done) {
      const reads = Array.from({ length: 20 }, () => source.read('pdf/a.txt'));
      await new Promise(setImmediate);
      for (const each of await Promise.all(reads)) seen.add(`${each.bytes}`);
    }
    expect(await asking).toBe(true);
    seen.add(await text(source));
    expect([...seen]).toEqual(['one', 'two!']);
  });
});

describe('revalidate', () => {
  test('folders keep their identity, so that what was mounted stays where it is', async () => {
    const from = origin(packTarGz(skill('one')));
    const source = await open(from);
    const before = source.list('pdf').id;
    const mounted = nest(source, 'team');
    expect(await text(mounted, 'team/pdf/a.txt')).toBe('one');
    change(from, packTarGz(skill('two')), '"2"');
    expect(await ask(mounted)).toBe(true);
    expect(source.list('pdf').id).toBe(before);
    expect((await source.read('pdf/a.txt', { within: before })).bytes.toString()).toBe('two');
    expect(await text(mounted, 'team/pdf/a.txt')).toBe('two');
  });

  test('without validators the archive is fetched again, and the same bytes are no change', async () => {
    const from = origin(packTarGz(skill('one')));
    from.etag = undefined;
    const source = await open(from);
    const { stamp } = await source.stat('pdf/a.txt');
    expect(await ask(source)).toBe(false);
    expect((await source.stat('pdf/a.txt')).stamp).toBe(stamp);
    expect(from.asked).toEqual([undefined, undefined]);
    from.etag = '"9"';
    expect([await ask(source), await ask(source)]).toEqual([false, false]);
    expect(from.asked).toEqual([undefined, undefined, undefined, '"9"']);
  });

  test('the caps of the first time hold', async () => {
    const from = origin(packTarGz(skill('one')));
    const source = await open(from, { unpack: { maxEntries: 3 } });
    change(from, packTarGz({ ...skill('two'), 'b/1': '', 'b/2': '', 'b/3': '' }), '"2"');
    await expect(ask(source)).rejects.toMatchObject({ code: 'ARCHIVE_TOO_MANY_ENTRIES' });
    expect(await text(source)).toBe('one');
  });

  test('calls follow each other, each with the state after it', async () => {
    const from = origin(packTarGz(skill('one')));
    const source = await open(from);
    change(from, packTarGz(skill('two')), '"2"');
    expect(await Promise.all([ask(source), ask(source)])).toEqual([true, false]);
    expect(from.asked).toEqual([undefined, '"1"', '"2"']);
  });

  test('ends by its signal, and by the end of the source', async () => {
    const from = origin(packTarGz(skill('one')));
    const source = await open(from);
    const reason = new Error('enough');
    await expect(source.revalidate?.({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const asking = ask(source);
    const refused = expect(asking).rejects.toMatchObject({ code: 'ARCHIVE_CLOSED' });
    await source.close();
    await refused;
    await expect(ask(source)).rejects.toMatchObject({ code: 'ARCHIVE_CLOSED' });
  });

  test('what cannot change is not asked about', async () => {
    const from = origin(packTarGz(skill('one')));
    const { digest } = await open(from);
    expect((await open(from, { digest })).revalidate).toBeUndefined();
    expect(archiveSource(from.body).revalidate).toBeUndefined();
    expect(nest(memorySource({}), 'a').revalidate).toBeUndefined();
  });

  test('a repository has another commit after it', async () => {
    const commits = ['a'.repeat(40), 'b'.repeat(40)] as const;
    const pack = (at: 0 | 1): Buffer =>
      tarGz([
        { name: 'pax_global_header', type: 'g', body: `52 comment=${commits[at]}\n` },
        { name: 'skills-main/pdf/SKILL.md', body: `---\nname: pdf\ndescription: ${at}\n---\n` },
      ]);
    const from = origin(pack(0), '"1"', '/acme/skills/archive/main.tar.gz');
    const place = { owner: 'acme', repo: 'skills', baseUrl: server.origin, allowPrivate: true };
    const source = kept(await fetchGitHubArchive({ ...place, ref: 'main' }));
    expect([source.commit, await ask(source)]).toEqual([commits[0], false]);
    change(from, pack(1), '"2"');
    expect([await ask(source), source.commit]).toEqual([true, commits[1]]);
    from.status = 404;
    await expect(ask(source)).rejects.toThrow('there is no repository acme/skills');
    origin(pack(0), '"1"', `/acme/skills/archive/${commits[0]}.tar.gz`);
    const pinned = kept(await fetchGitHubArchive({ ...place, ref: commits[0] }));
    expect([pinned.commit, pinned.revalidate]).toEqual([commits[0], undefined]);
  });
});

/** Timers that fire when the test says so. */
function timers(): { after: (ms: number, run: () => void) => () => void; waits: number[]; fire: () => void } {
  const waits: number[] = [];
  let due: (() => void)[] = [];
  return {
    waits,
    after: (ms, run) => {
      waits.push(ms);
      due.push(run);
      return () => {
        due = due.filter((each) => each !== run);
      };
    },
    fire: () => {
      for (const run of due.splice(0)) run();
    },
  };
}

interface Watched {
  readonly events: string[];
  readonly waits: readonly number[];
  readonly fire: () => void;
  readonly until: (done: () => boolean) => Promise<void>;
  readonly watcher: Awaited<ReturnType<typeof startWatcher>>;
}

async function watch(source: Source, request: Partial<WatchRequest> = {}): Promise<Watched> {
  const { after, waits, fire } = timers();
  const events: string[] = [];
  const watcher = kept(
    await startWatcher(
      source,
      {
        onError: (error: SkillError) => events.push(error.code),
        onChange: (paths) => {
          events.push(`changed ${JSON.stringify(paths)}`);
        },
        ...request,
      },
      watchHost,
      after,
    ),
  );
  const until = async (done: () => boolean): Promise<void> => {
    while (!done()) await new Promise((resolve) => setTimeout(resolve, 1));
  };
  return { events, waits, fire, until, watcher };
}

describe('watchSource over what was fetched', () => {
  test('asks every five minutes, more seldom after failures, and tells of a change of everything', async () => {
    const from = origin(packTarGz(skill('one')));
    const { events, waits, fire, until, watcher } = await watch(await open(from));
    const beat = async (): Promise<void> => {
      const armed = waits.length;
      fire();
      await until(() => waits.length > armed);
    };
    expect(watcher.mode).toBe('poll');
    await beat();
    expect(events).toEqual([]);
    change(from, packTarGz(skill('two')), '"2"');
    await beat();
    expect(events.splice(0)).toEqual(['changed [""]']);
    from.status = 500;
    for (let failures = 0; failures < 6; failures += 1) await beat();
    expect(events.splice(0)).toEqual(Array(6).fill('ARCHIVE_DOWNLOAD_FAILED'));
    from.status = 200;
    await beat();
    expect(events).toEqual([]);
    expect(waits).toEqual([
      300_000, 300_000, 300_000, 600_000, 1_200_000, 2_400_000, 3_600_000, 3_600_000, 3_600_000, 300_000,
    ]);
    await watcher.close();
    const asked = from.asked.length;
    fire();
    expect(from.asked).toHaveLength(asked);
  });

  test('what could not be taken up is told again', async () => {
    const from = origin(packTarGz(skill('one')));
    let fail = true;
    const told: string[] = [];
    const { events, waits, fire, until } = await watch(await open(from), {
      onChange: (paths) => {
        told.push(...paths);
        if (fail) throw new Error('/secret/path');
      },
    });
    change(from, packTarGz(skill('two')), '"2"');
    fire();
    await until(() => waits.length === 2);
    fail = false;
    fire();
    await until(() => waits.length === 3);
    fire();
    await until(() => waits.length === 4);
    expect([told, events]).toEqual([['', ''], ['INTERNAL']]);
  });

  test('close ends the question under way, and nothing is said after it', async () => {
    const from = origin(packTarGz(skill('one')));
    const source = await open(from);
    let arrived: () => void = () => undefined;
    const hanging = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const gone = new Promise<void>((resolve) => {
      server.put(new URL(from.url).pathname, (_, response) => {
        response.on('close', resolve);
        arrived();
      });
    });
    const { events, fire, waits, watcher } = await watch(source);
    fire();
    await hanging;
    await watcher.close();
    await gone;
    expect([events, waits]).toEqual([[], [300_000]]);
  });

  test('beside folders, each part for itself', async () => {
    const from = origin(packTarGz(skill('one')));
    const root = folder();
    const source = kept(
      mountSources([
        { source: directorySource(root), prefix: 'mine' },
        { source: await openSource(`team=${from.url}`, { allowPrivate: true }) },
      ]),
    );
    const { events, fire, until, watcher } = await watch(source, { settleMs: 1 });
    expect(watcher.mode).toBe('native');
    writeFileSync(join(root, 'a.txt'), 'a');
    await until(() => events.includes('changed ["mine/a.txt"]'));
    change(from, packTarGz(skill('two')), '"2"');
    fire();
    await until(() => events.includes('changed ["team"]'));
    expect(await text(source, 'team/pdf/a.txt')).toBe('two');
    await watcher.drain();
  });

  test('a part that cannot be reached keeps no other from being asked', async () => {
    const [a, b] = [origin(packTarGz(skill('a'))), origin(packTarGz({ 'x/SKILL.md': 'b' }))];
    const source = kept(mountSources([{ source: await open(a) }, { source: await open(b) }]));
    await source.list('');
    a.status = 503;
    change(b, packTarGz({ 'x/SKILL.md': 'c' }), '"2"');
    await expect(ask(source)).rejects.toMatchObject({ code: 'ARCHIVE_DOWNLOAD_FAILED' });
    expect(await text(source, 'x/SKILL.md')).toBe('c');
    change(b, packTarGz({ 'x/SKILL.md': 'd' }), '"3"');
    const { events, fire, until, waits } = await watch(source);
    fire();
    await until(() => waits.length === 4);
    expect([...events].sort()).toEqual(['ARCHIVE_DOWNLOAD_FAILED', 'changed [""]']);
    expect([...waits].sort()).toEqual([300_000, 300_000, 300_000, 600_000]);
  });

  test('says what is served instead when nobody listens', async () => {
    const from = origin(packTarGz(skill('one')));
    const source = await open(from, { label: 'the pack' });
    from.status = 500;
    const said: string[] = [];
    const { after, fire, waits } = timers();
    const logger = { ...silentLogger, warn: (message: string) => said.push(message) };
    kept(await startWatcher(source, { logger, onChange: () => undefined }, watchHost, after));
    fire();
    while (waits.length < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(said).toHaveLength(1);
    expect(said[0]).toContain('the pack is served as it was: ');
  });

  test.each([-1, Number.NaN, 86_400_001])('refuses a time that is none: %d', async (pollRemoteMs) => {
    const source = await open(origin(packTarGz(skill('one'))));
    await expect(watch(source, { pollRemoteMs })).rejects.toMatchObject({ code: 'USAGE' });
  });
});
