import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Broadcast,
  createProvider,
  type ProviderOptions,
  type SkillProvider,
} from '../../src/server/index.ts';
import { directorySource, type MemorySource, memorySource } from '../../src/source/index.ts';
import { decodeListChanged, type PathChangeEntry } from '../../src/wire/index.ts';
import { fakeClock, START } from './fake-clock.ts';
import { recordingLogger, skillText } from './support.ts';

const sha = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const at = (ms: number): string => new Date(START + ms).toISOString();

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

interface Told {
  readonly version: number;
  readonly paths: Readonly<Record<string, PathChangeEntry>> | undefined;
  readonly updated: readonly string[];
}

function hear(provider: SkillProvider): Told[] {
  const told: Told[] = [];
  provider.onBroadcast(({ params, updated }: Broadcast) => {
    const { version, paths } = decodeListChanged(params) ?? { version: -1 };
    told.push({ version, paths, updated });
  });
  return told;
}

const FILES = { 'a/SKILL.md': skillText('a'), 'a/x': '1', 'b/SKILL.md': skillText('b') };

async function open(options: Partial<ProviderOptions> = {}, files: Record<string, string> = FILES) {
  const source: MemorySource = memorySource(files);
  const clock = fakeClock();
  const provider = await createProvider({
    source,
    clock,
    index: false,
    dialects: ['released', 'draft-index'],
    ...options,
  });
  ends.push(() => provider.close());
  return { source, provider, clock, told: hear(provider) };
}

describe('a report by hand', () => {
  it('counts at once, and is told with what the scan found of it', async () => {
    const { source, provider, told, clock } = await open();
    clock.pass(500);
    source.set('a/x', '2');
    source.set('a/new', '3');
    source.delete('b');
    const done = provider.notifyChanged('a/x', 'a/new', 'b/SKILL.md');
    expect([provider.version, told]).toEqual([1, []]);
    await done;
    expect(told).toEqual([
      {
        version: 1,
        paths: {
          'a/x': { action: 'modified', timestamp: at(500), digest: sha('2') },
          'a/new': { action: 'created', timestamp: at(500), digest: sha('3') },
          'b/SKILL.md': { action: 'deleted', timestamp: at(500) },
        },
        updated: ['skill://a/new', 'skill://a/x', 'skill://b/SKILL.md'],
      },
    ]);
    expect(provider.catalog.snapshot.skills.map(({ name }) => name)).toEqual(['a']);
  });

  it('is told also when nothing changed, and when the catalog knows no such path', async () => {
    const { provider, told } = await open();
    await provider.notifyChanged('a/x');
    await provider.notifyChanged('elsewhere/y');
    await provider.notifyChanged();
    await provider.notifyChanged('', './');
    expect(told).toEqual([
      {
        version: 1,
        paths: { 'a/x': { action: 'modified', timestamp: at(0), digest: sha('1') } },
        updated: ['skill://a/x'],
      },
      { version: 2, paths: { 'elsewhere/y': { action: 'modified', timestamp: at(0) } }, updated: [] },
      { version: 3, paths: undefined, updated: [] },
      { version: 4, paths: undefined, updated: [] },
    ]);
  });

  it('keeps what the caller knows of each change', async () => {
    const { source, provider, told } = await open();
    source.set('a/x', '2');
    await provider.notifyChangedEvents(
      {
        path: 'a/x',
        action: 'created',
        timestamp: new Date('2026-01-02T03:04:05.678Z'),
        digest: 'sha256:abc',
      },
      { path: 'b/gone', action: 'deleted', digest: 'sha256:old' },
      { path: 'b/SKILL.md' },
    );
    expect(told.map(({ paths }) => paths)).toEqual([
      {
        'a/x': { action: 'created', timestamp: '2026-01-02T03:04:05.678Z', digest: 'sha256:abc' },
        'b/gone': { action: 'deleted', timestamp: at(0) },
        'b/SKILL.md': { action: 'modified', timestamp: at(0), digest: sha(FILES['b/SKILL.md']) },
      },
    ]);
  });

  it('of a folder reaches all below it, under every URI', async () => {
    const { provider, told } = await open(
      {},
      {
        'g/o/SKILL.md': skillText('o'),
        'g/o/folder/SKILL.md': skillText('inner'),
        'g/o/folder/f': '1',
        'h/SKILL.md': skillText('h'),
      },
    );
    await provider.notifyChanged('g');
    await provider.notifyChanged('g/o/folder/f');
    expect(told[0]?.updated.toSorted()).toEqual([
      'skill://g/o/SKILL.md',
      'skill://g/o/folder/SKILL.md',
      'skill://g/o/folder/f',
      'skill://g/o/inner/SKILL.md',
      'skill://g/o/inner/f',
    ]);
    expect(told[1]?.updated.toSorted()).toEqual(['skill://g/o/folder/f', 'skill://g/o/inner/f']);
  });

  it.each([
    [{ path: 5 }, 'a path that is no text'],
    [{ path: 'a', action: 'renamed' }, 'an action that does not exist'],
    [{ path: 'a', timestamp: new Date(Number.NaN) }, 'a timestamp that is no date'],
    [{ path: 'a', timestamp: '2026-01-01T00:00:00Z' }, 'a timestamp that is no date'],
    [{ path: 'a', timestamp: new Date('+012026-01-01T00:00:00Z') }, 'a timestamp that is no date'],
    [{ path: 'a', digest: 5 }, 'a digest that is no text'],
  ])('is refused at once with %j, and not counted', async (event, what) => {
    const { provider } = await open();
    expect(() => provider.notifyChangedEvents(event as never)).toThrow(
      expect.objectContaining({ code: 'USAGE', message: `a reported change has ${what}` }),
    );
    expect(provider.version).toBe(0);
  });

  it('whose scan fails is told all the same; left alone it harms nobody', async () => {
    const { logger, lines } = recordingLogger();
    const { source, provider, told } = await open({ logger });
    source.list = () => {
      throw new Error('no disk');
    };
    void provider.notifyChanged('a/x');
    await expect(provider.notifyChanged('b/y')).rejects.toThrow();
    expect(told.flatMap(({ paths }) => Object.keys(paths ?? {}))).toEqual(['a/x', 'b/y']);
    expect(lines.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      'what was reported as changed could not be scanned',
      'what was reported as changed could not be scanned',
    ]);
  });

  it('is one of many: a burst is one broadcast with all its paths', async () => {
    const { source, provider, told, clock } = await open({ coalesceWindowMs: 100 });
    for (let call = 0; call < 50; call++) {
      source.set('a/x', String(call));
      source.set(`a/f${call % 7}`, String(call));
      await provider.notifyChanged('a/x', `a/f${call % 7}`);
      clock.pass(10);
    }
    expect([provider.version, told.length]).toEqual([50, 0]);
    clock.pass(100);
    expect(told).toHaveLength(1);
    expect(told[0]?.version).toBe(50);
    expect(Object.keys(told[0]?.paths ?? {}).sort()).toEqual([
      'a/f0',
      'a/f1',
      'a/f2',
      'a/f3',
      'a/f4',
      'a/f5',
      'a/f6',
      'a/x',
    ]);
    expect(told[0]?.paths?.['a/x']).toEqual({ action: 'modified', timestamp: at(490), digest: sha('49') });
  });
});

describe('a refresh', () => {
  it('is told with what it found; without paths when it found nothing', async () => {
    const { source, provider, told } = await open();
    await provider.refresh();
    source.set('a/x', '2');
    await provider.refresh();
    expect(told).toEqual([
      { version: 1, paths: undefined, updated: [] },
      {
        version: 2,
        paths: { 'a/x': { action: 'modified', timestamp: at(0), digest: sha('2') } },
        updated: ['skill://a/x'],
      },
    ]);
  });

  it('that fails is told to nobody', async () => {
    const { source, provider, told } = await open();
    source.list = () => {
      throw new Error('no disk');
    };
    await expect(provider.refresh()).rejects.toThrow();
    expect([provider.version, told]).toEqual([1, []]);
  });
});

describe('a change that a read finds', () => {
  it('is counted and told with its path and digest', async () => {
    const { source, provider, told } = await open();
    source.set('a/x', '2');
    await provider.catalog.read('skill://a/x');
    expect(told).toEqual([
      {
        version: 1,
        paths: { 'a/x': { action: 'modified', timestamp: at(0), digest: sha('2') } },
        updated: ['skill://a/x'],
      },
    ]);
  });

  it('never leaves one version for two revisions', async () => {
    const { source, provider } = await open();
    const seen = new Map<number, string>();
    for (let round = 0; round < 20; round++) {
      source.set('a/x', `r${round}`);
      const calls = [provider.refresh(), provider.catalog.read('skill://a/x'), provider.notifyChanged('a/x')];
      source.set('b/y', `r${round}`);
      await Promise.all([...calls, provider.catalog.read('skill://b/SKILL.md')]);
      source.set('b/y', `s${round}`);
      await provider.catalog.read('skill://b/y');
      expect(seen.get(provider.version) ?? provider.revision).toBe(provider.revision);
      seen.set(provider.version, provider.revision);
    }
    expect(seen.size).toBe(20);
  });
});

describe('what else a broadcast names', () => {
  it('the index always, the archives of skills that changed', async () => {
    const { source, provider, told } = await open({ index: true, archive: 'zip' });
    await provider.refresh();
    source.set('a/x', '2');
    await provider.notifyChanged('a/x');
    expect(told.map(({ updated }) => updated.toSorted())).toEqual([
      ['skill://index.json'],
      ['skill://a.zip', 'skill://a/x', 'skill://index.json'],
    ]);
  });

  it('nothing of a revision that changed without a file: its paths are unknown', async () => {
    const { source, provider, told } = await open();
    source.set('a/SKILL.md', skillText('a', 'compatibility: 5\n'));
    await provider.refresh();
    expect(told[0]?.paths).toBeDefined();
  });
});

describe('the log', () => {
  it('says what changed, and why a skill is gone', async () => {
    const { logger, lines } = recordingLogger();
    const { source, provider } = await open({ logger });
    source.set('a/SKILL.md', `${'x'.repeat(500)} no frontmatter`);
    source.set('c/SKILL.md', skillText('c'));
    await provider.refresh();
    await provider.refresh();
    expect(lines.map(({ level, message, fields }) => [level, message, fields])).toEqual([
      [
        'info',
        'skills changed',
        {
          added: 1,
          removed: 1,
          changed: 0,
          files: 3,
          version: 1,
          skills: ['skill://c/SKILL.md', 'skill://a/SKILL.md'],
        },
      ],
      ['warn', expect.stringContaining('---'), { code: 'MISSING_FRONTMATTER', path: 'a' }],
    ]);
  });
});

describe('the end of a provider', () => {
  const held = { coalesceWindowMs: 1_000, minBroadcastIntervalMs: 5_000 };

  async function waiting(options: Partial<ProviderOptions> = held) {
    const opened = await open(options);
    await opened.provider.notifyChanged('a/x');
    opened.clock.pass(1_000);
    await opened.provider.notifyChanged('b/SKILL.md');
    opened.told.splice(0, 1);
    return opened;
  }

  it('by shutdown waits for the interval and tells the last batch, then tells listeners and closes', async () => {
    const { provider, told, clock } = await waiting();
    const order: string[] = [];
    provider.onBroadcast(() => order.push('broadcast'));
    provider.onClose(() => order.push('close'));
    const down = provider.shutdown().then(() => order.push('done'));
    await Promise.resolve();
    expect(told).toEqual([]);
    clock.pass(5_000);
    await down;
    expect(told.map(({ version, paths }) => [version, Object.keys(paths ?? {})])).toEqual([
      [2, ['b/SKILL.md']],
    ]);
    expect(order).toEqual(['broadcast', 'close', 'done']);
    await expect(provider.refresh()).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
  });

  it('by shutdown takes the scans under way along', async () => {
    const { source, provider, told } = await open({ coalesceWindowMs: 1_000 });
    source.set('a/x', '2');
    const reported = provider.notifyChanged('a/x');
    await provider.shutdown();
    await reported;
    expect(told.map(({ paths }) => paths?.['a/x']?.digest)).toEqual([sha('2')]);
  });

  it('by an aborted shutdown closes at once and rejects with the reason', async () => {
    const { provider, told, clock } = await waiting();
    const controller = new AbortController();
    const down = provider.shutdown({ signal: controller.signal });
    controller.abort(new Error('too slow'));
    await expect(down).rejects.toThrow('too slow');
    clock.pass(10_000);
    expect([told, clock.waiting]).toEqual([[], 0]);
    await expect(provider.refresh()).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
  });

  it('by a signal that was aborted before rejects too, and closes', async () => {
    const { provider } = await open();
    await expect(provider.shutdown({ signal: AbortSignal.abort('now') })).rejects.toBe('now');
    await expect(provider.refresh()).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
  });

  it.each([
    ['close, then shutdown', ['close', 'shutdown']],
    ['shutdown, then close', ['shutdown', 'close']],
    ['all twice', ['shutdown', 'shutdown', 'close', 'close', 'shutdown']],
  ] as const)('%s: each is fine, and listeners hear once', async (_name, calls) => {
    const { provider } = await open();
    let closes = 0;
    provider.onClose(() => {
      closes += 1;
      throw new Error('mine');
    });
    for (const call of calls) await provider[call]();
    await expect(provider.shutdown({ signal: AbortSignal.abort('late') })).resolves.toBeUndefined();
    expect(closes).toBe(1);
  });

  it.each(['before', 'after'] as const)(
    'close at the same time, %s: both end, what waited is dropped',
    async (when) => {
      const { provider, told, clock } = await waiting();
      const calls =
        when === 'before'
          ? ([provider.close(), provider.shutdown()] as const)
          : ([provider.shutdown(), provider.close()] as const);
      await Promise.all(calls);
      clock.pass(10_000);
      expect([told, clock.waiting]).toEqual([[], 0]);
    },
  );

  it('several shutdowns share one drain; one that is aborted cuts all short', async () => {
    const { provider, told, clock } = await waiting();
    const controller = new AbortController();
    const [patient, hasty] = [provider.shutdown(), provider.shutdown({ signal: controller.signal })];
    controller.abort('hasty');
    await expect(hasty).rejects.toBe('hasty');
    await patient;
    clock.pass(10_000);
    expect(told).toEqual([]);
  });

  it('counts calls after it, and does no more', async () => {
    const { source, provider, told } = await open();
    await provider.close();
    source.set = () => undefined;
    await provider.notifyChanged('a/x');
    await provider.notifyChangedEvents({ path: 'a/x' });
    await provider.refresh().catch(() => undefined);
    expect([provider.version, told]).toEqual([3, []]);
  });

  it('by using ends with the block', async () => {
    let kept: SkillProvider | undefined;
    {
      await using provider = await createProvider({ source: memorySource(FILES) });
      kept = provider;
    }
    await expect(kept.refresh()).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
  });

  it('takes a close listener back', async () => {
    const { provider } = await open();
    let closes = 0;
    const forget = provider.onClose(() => {
      closes += 1;
    });
    forget();
    await provider.close();
    expect(closes).toBe(0);
  });
});

describe('watching', () => {
  function onDisk(files: Record<string, string>): string {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-changes-')));
    ends.push(() => rmSync(root, { recursive: true, force: true }));
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, '..'), { recursive: true });
      writeFileSync(join(root, path), text);
    }
    return root;
  }

  async function watched(options: Partial<ProviderOptions> = {}) {
    const root = onDisk(FILES);
    const provider = await createProvider({
      source: directorySource(root),
      watch: { settleMs: 20 },
      ...options,
    });
    ends.push(() => provider.close());
    const told = hear(provider);
    const until = (count: number): Promise<void> =>
      new Promise((resolve) => {
        const look = (): void => {
          if (told.length >= count) resolve();
          else setTimeout(look, 5);
        };
        look();
      });
    return { root, provider, told, until };
  }

  it('a burst of edits is one broadcast, with the paths and digests of what is there', async () => {
    const { root, provider, told, until } = await watched({ coalesceWindowMs: 150, maxWaitMs: 5_000 });
    expect(provider.version).toBe(0);
    for (let edit = 0; edit < 10; edit++) writeFileSync(join(root, 'a/x'), `edit ${edit}`);
    writeFileSync(join(root, 'a/x.tmp'), 'saved');
    renameSync(join(root, 'a/x.tmp'), join(root, 'a/x'));
    mkdirSync(join(root, 'c'));
    writeFileSync(join(root, 'c/SKILL.md'), skillText('c'));
    rmSync(join(root, 'b'), { recursive: true });
    await until(1);
    expect(told).toHaveLength(1);
    const { paths, version } = told[0] as Told;
    const shown = Object.entries(paths ?? {}).map(([path, { action, digest }]) => [path, action, digest]);
    expect(shown.sort()).toEqual([
      ['a/x', 'modified', sha('saved')],
      ['b/SKILL.md', 'deleted', undefined],
      ['c/SKILL.md', 'created', sha(skillText('c'))],
    ]);
    expect(version).toBe(provider.version);
    expect(provider.catalog.snapshot.skills.map(({ name }) => name)).toEqual(['a', 'c']);
  });

  it('is told to nobody when the content is the same in the end', async () => {
    const { root, provider, told } = await watched();
    const { revision } = provider;
    renameSync(join(root, 'a'), join(root, 'moved'));
    renameSync(join(root, 'moved'), join(root, 'a'));
    writeFileSync(join(root, 'a/x'), FILES['a/x']);
    await provider.shutdown();
    expect([told, provider.revision]).toEqual([[], revision]);
  });

  it('ends with what it has seen, in one last broadcast of a shutdown', async () => {
    const { root, provider, told } = await watched({ watch: { settleMs: 60_000 }, coalesceWindowMs: 60_000 });
    writeFileSync(join(root, 'a/x'), 'last words');
    await provider.shutdown();
    expect(told.map(({ paths }) => paths?.['a/x']?.digest)).toEqual([sha('last words')]);
  });

  it('an index of it needs no look at the source', async () => {
    const { root, provider, until } = await watched({ index: true });
    writeFileSync(join(root, 'a/x'), 'seen');
    await until(1);
    const server = provider.createServer({ transport: 'stdio' });
    expect(server.getCapabilities().resources).toEqual({ listChanged: true, subscribe: true });
    expect(provider.version).toBeGreaterThan(0);
  });

  it.each([
    ['a source in memory', memorySource(FILES), 'FS_WATCHER_MISSING_HOST_ROOT'],
    ['bad skills first', memorySource({ 'SKILL.md': skillText('a') }), 'MANIFEST_NOT_IN_ROOT'],
  ])('refuses %s', async (_name, source, code) => {
    await expect(createProvider({ source, watch: true })).rejects.toMatchObject({ code });
  });

  it('leaves no watcher behind when the scan fails', async () => {
    const root = onDisk({ 'SKILL.md': skillText('a') });
    const before = process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;
    await expect(createProvider({ source: directorySource(root), watch: true })).rejects.toMatchObject({
      code: 'MANIFEST_NOT_IN_ROOT',
    });
    expect(process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap')).toHaveLength(before);
  });
});
