import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { packSkill, unpackArchive } from '../../src/archive/index.ts';
import { openCatalog } from '../../src/catalog/index.ts';
import { silentLogger } from '../../src/logger.ts';
import { createProvider, type ProviderOptions, type WellKnown } from '../../src/server/index.ts';
import { SkillPacker } from '../../src/server/skill-packer.ts';
import { wellKnownSkills } from '../../src/server/surfaces/well-known.ts';
import { createWellKnown } from '../../src/server/well-known.ts';
import { type MemorySource, memorySource } from '../../src/source/index.ts';
import { parseDiscoveryIndex, parseLegacyIndex } from '../../src/wire/index.ts';
import { fakeClock } from './fake-clock.ts';
import { recordingLogger, skillText } from './support.ts';

const AT = 'http://host.example/.well-known/agent-skills/index.json';
const BELOW = 'http://host.example/.well-known/agent-skills/';
const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

async function serve(
  source: MemorySource,
  options: Partial<ProviderOptions> = {},
): Promise<{ readonly wellKnown: WellKnown; readonly refresh: () => Promise<unknown> }> {
  const provider = await createProvider({ source, ...options });
  onTestFinished(() => provider.close());
  if (provider.wellKnown === undefined) throw new Error('the dialect is off');
  return { wellKnown: provider.wellKnown, refresh: () => provider.refresh() };
}

async function entriesOf(wellKnown: WellKnown) {
  const { bytes, digest } = await wellKnown.index();
  expect(digest).toBe(sha256(bytes));
  const { skills, problems } = parseDiscoveryIndex(bytes.toString(), AT);
  expect(problems).toEqual([]);
  return skills.map((skill) => ({ ...skill, path: skill.url.slice(BELOW.length) }));
}

async function filesOf(wellKnown: WellKnown): Promise<Map<string, readonly string[]>> {
  const { skills, problems } = parseLegacyIndex((await wellKnown.legacyIndex()).bytes.toString());
  expect(problems).toEqual([]);
  return new Map(skills.map(({ name, files }) => [name, files]));
}

describe('which skills the indexes hold', () => {
  const chosen = async (files: Record<string, string>, options: Partial<ProviderOptions> = {}) => {
    const catalog = await openCatalog(memorySource(files), options);
    onTestFinished(() => catalog.close());
    const { skills, older, leftOut } = wellKnownSkills(catalog.snapshot);
    return {
      both: [...skills.values()].map(({ uri }) => uri),
      older: [...older.keys()],
      leftOut: leftOut.map(({ skill, from }) => `${from} ${skill.uri}`),
      because: leftOut.map(({ because }) => because),
    };
  };

  it('of one name the one with the shortest path, then the first by URI', async () => {
    const found = await chosen({
      'a/b/c/pdf/SKILL.md': skillText('pdf'),
      'z/pdf/SKILL.md': skillText('pdf'),
      'y/pdf/SKILL.md': skillText('pdf'),
      'long-folder-name-of-one-segment/word/SKILL.md': skillText('word'),
      'a/b/word/SKILL.md': skillText('word'),
    });
    expect(found.both).toEqual([
      'skill://y/pdf/SKILL.md',
      'skill://long-folder-name-of-one-segment/word/SKILL.md',
    ]);
    expect(found.leftOut.sort()).toEqual([
      'both skill://a/b/c/pdf/SKILL.md',
      'both skill://a/b/word/SKILL.md',
      'both skill://z/pdf/SKILL.md',
    ]);
  });

  it('not unlisted and hidden ones, and not descriptions over 1,024 UTF-16 units', async () => {
    const found = await chosen(
      {
        'ok/SKILL.md': `---\nname: ok\ndescription: ${'a'.repeat(1_024)}\n---\n`,
        'emoji/SKILL.md': `---\nname: emoji\ndescription: ${'📄'.repeat(513)}\n---\n`,
        'long/SKILL.md': `---\nname: long\ndescription: ${'a'.repeat(1_025)}\n---\n`,
        'secret/SKILL.md': skillText('secret'),
      },
      { hidden: (path) => path === 'secret' },
    );
    expect(found.both).toEqual(['skill://ok/SKILL.md']);
    expect(found.leftOut).toEqual(['both skill://emoji/SKILL.md']);
    expect(found.because).toEqual(['its description has 1026 UTF-16 units; the limit is 1024']);
  });

  it('a listed description over 1,024 units neither when everything is listed', async () => {
    const found = await chosen(
      { 'long/SKILL.md': `---\nname: long\ndescription: ${'a'.repeat(1_025)}\n---\n` },
      { nonConforming: 'list' },
    );
    expect(found.both).toEqual([]);
    expect(found.leftOut).toEqual(['both skill://long/SKILL.md']);
  });

  it.each(['100%.md', 'what?.md', 'a#b.md', 'v1..v2.md'])(
    'not in the older form with a file %s',
    async (name) => {
      const found = await chosen({
        'a/SKILL.md': skillText('a'),
        [`a/${name}`]: 'x',
        'b/SKILL.md': skillText('b'),
        'b/plain name, é.md': 'x',
      });
      expect(found.both).toHaveLength(2);
      expect(found.older).toEqual(['b']);
      expect(found.leftOut).toEqual(['older skill://a/SKILL.md']);
      expect(found.because[0]).toContain(JSON.stringify(name));
    },
  );
});

describe('warnings', () => {
  it('name what is left out over HTTP, and nothing over stdio or without the dialect', async () => {
    const files = {
      'pdf/SKILL.md': skillText('pdf'),
      'b/pdf/SKILL.md': skillText('pdf'),
      'odd/SKILL.md': skillText('odd'),
      'odd/50%.md': 'x',
    };
    const provider = await createProvider({ source: memorySource(files) });
    onTestFinished(() => provider.close());
    expect(provider.warnings('stdio')).toEqual([]);
    expect(provider.warnings('http')).toEqual([
      {
        code: 'WELL_KNOWN_LEFT_OUT',
        uri: 'skill://b/pdf/SKILL.md',
        message:
          'the well-known indexes leave out 1 skill: skill://b/pdf/SKILL.md (skill://pdf/SKILL.md has the same name and a shorter path)',
      },
      {
        code: 'WELL_KNOWN_LEFT_OUT',
        uri: 'skill://odd/SKILL.md',
        message:
          'the older well-known index (/.well-known/skills) leaves out 1 skill: skill://odd/SKILL.md (its clients cannot ask for a file named "50%.md")',
      },
    ]);
    const without = await createProvider({ source: memorySource(files), dialects: ['released'] });
    onTestFinished(() => without.close());
    expect([without.wellKnown, without.warnings('http')]).toEqual([undefined, []]);
  });

  it('name five of many', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`f${index}/pdf/SKILL.md`, skillText('pdf')]),
    );
    const provider = await createProvider({ source: memorySource(files) });
    onTestFinished(() => provider.close());
    const [only] = provider.warnings('http');
    expect(only?.message).toMatch(/^the well-known indexes leave out 8 skills: .*; and 3 more$/);
    expect(only).not.toHaveProperty('uri');
  });
});

describe('the discovery index', () => {
  it('names SKILL.md for a skill of one file, and the archive that pack makes for every other', async () => {
    const script = Buffer.from('#!/bin/sh\necho hi\n');
    const text = skillText('b');
    const { wellKnown } = await serve(
      memorySource({
        'a/SKILL.md': skillText('a'),
        'a/empty folder/': '',
        'deep/er/b/SKILL.md': text,
        'deep/er/b/run.sh': script,
        'deep/er/b/empty.txt': '',
      }),
    );
    const [a, b] = await entriesOf(wellKnown);
    expect([a?.name, a?.type, a?.digest]).toEqual(['a', 'skill-md', sha256(Buffer.from(skillText('a')))]);
    expect(a?.path).toBe(`a/${a?.digest.slice(7)}/SKILL.md`);
    const packed = await packSkill(
      [
        { path: 'empty.txt', bytes: Buffer.alloc(0) },
        { path: 'SKILL.md', bytes: Buffer.from(text) },
        { path: 'run.sh', bytes: script, executable: true },
      ],
      'tar.gz',
    );
    expect([b?.name, b?.type, b?.digest]).toEqual(['b', 'archive', sha256(packed)]);
    expect(b?.path).toBe(`b/${b?.digest.slice(7)}/b.tar.gz`);
    expect(await wellKnown.artifact(b?.path ?? '')).toEqual({
      bytes: packed,
      digest: sha256(packed),
      mimeType: 'application/gzip',
    });
  });

  it('is the same for the same skills, wherever they were put and whenever they were written', async () => {
    const one = await serve(
      memorySource({ 'x/a/SKILL.md': skillText('a'), 'x/a/b.md': 'b', 'c/SKILL.md': skillText('c') }),
    );
    const other = await serve(
      memorySource(
        { 'c/SKILL.md': skillText('c'), 'y/a/b.md': 'b', 'y/a/SKILL.md': skillText('a') },
        { modifiedAt: 1_000_000 },
      ),
      { archive: 'tar.gz' },
    );
    expect((await one.wellKnown.index()).bytes).toEqual((await other.wellKnown.index()).bytes);
  });

  it('states what is there now, though nobody watches', async () => {
    const source = memorySource({ 'a/SKILL.md': skillText('a') });
    const { wellKnown } = await serve(source);
    const [before] = await entriesOf(wellKnown);
    source.set('a/SKILL.md', skillText('a', '', 'Other body.\n'));
    const [after] = await entriesOf(wellKnown);
    expect(after?.digest).not.toBe(before?.digest);
    expect(await filesOf(wellKnown)).toEqual(new Map([['a', ['SKILL.md']]]));
    source.set('a/more.md', 'x');
    expect(await filesOf(wellKnown)).toEqual(new Map([['a', ['SKILL.md', 'more.md']]]));
  });

  it('leads to nothing, and never to other bytes, once the skill is another', async () => {
    const source = memorySource({
      'a/SKILL.md': skillText('a'),
      'b/SKILL.md': skillText('b'),
      'b/x.md': 'x',
      'gone/SKILL.md': skillText('gone'),
      'gone/x.md': 'x',
    });
    const { wellKnown, refresh } = await serve(source);
    const old = await entriesOf(wellKnown);
    for (const { path } of old) expect(await wellKnown.artifact(path)).toBeDefined();
    source.set('a/SKILL.md', skillText('a', '', 'New.\n'));
    source.set('b/x.md', 'y');
    source.delete('gone');
    // The bare SKILL.md is read, which finds the change; what is packed is right for its URL until somebody looks.
    expect(await wellKnown.artifact(old[0]?.path ?? '')).toBeUndefined();
    await refresh();
    for (const { path } of old) expect(await wellKnown.artifact(path)).toBeUndefined();
    expect(await wellKnown.legacyFile('gone', 'x.md')).toBeUndefined();
    for (const { path, digest } of await entriesOf(wellKnown)) {
      expect(sha256((await wellKnown.artifact(path))?.bytes ?? Buffer.alloc(0))).toBe(digest);
    }
  });

  it('withdraws a skill that an edit made unlisted, from the older form too', async () => {
    const source = memorySource({ 'a/SKILL.md': skillText('a'), 'a/x.md': 'x' });
    const { wellKnown } = await serve(source);
    const [entry] = await entriesOf(wellKnown);
    source.set('a/SKILL.md', `---\nname: a\ndescription: ${'a'.repeat(1_025)}\n---\n`);
    expect(await wellKnown.legacyFile('a', 'SKILL.md')).toBeUndefined();
    expect(await wellKnown.artifact(entry?.path ?? '')).toBeUndefined();
    expect(await entriesOf(wellKnown)).toEqual([]);
    expect(await filesOf(wellKnown)).toEqual(new Map());
  });

  it.each([
    '',
    'index.json',
    'a',
    'a/SKILL.md',
    'A/{hex}/SKILL.md',
    'a/{hex}/a.tar.gz',
    'a/{hex}/skill.md',
    'a/{hex}/SKILL.md/',
    'a/{HEX}/SKILL.md',
    'b/{hex}/SKILL.md',
    'a/0000000000000000000000000000000000000000000000000000000000000000/SKILL.md',
    'a/{hex}/SKILL.md\n',
  ])('has nothing at %j', async (pattern) => {
    const { wellKnown } = await serve(
      memorySource({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b'), 'b/x': '' }),
    );
    const hex = (await entriesOf(wellKnown))[0]?.digest.slice(7) ?? '';
    expect(await wellKnown.artifact(`a/${hex}/SKILL.md`)).toBeDefined();
    const path = pattern.replace('{hex}', hex).replace('{HEX}', hex.toUpperCase());
    expect(await wellKnown.artifact(path)).toBeUndefined();
  });

  it('leaves out a skill that cannot be packed, says so, and keeps the others', async () => {
    const { logger, lines } = recordingLogger();
    const { wellKnown } = await serve(
      memorySource({
        'a/SKILL.md': skillText('a'),
        'a/Read.md': '1',
        'a/read.md': '2',
        'b/SKILL.md': skillText('b'),
        'b/big.bin': Buffer.alloc(4_096),
        'c/SKILL.md': skillText('c'),
      }),
      { archiveMaxBytes: 4_096, logger },
    );
    expect((await entriesOf(wellKnown)).map(({ name }) => name)).toEqual(['c']);
    expect([...(await filesOf(wellKnown)).keys()]).toEqual(['a', 'b', 'c']);
    const told = lines.filter(({ level, message }) => level === 'warn' && message.includes('well-known'));
    expect(told.map(({ fields }) => [fields?.skill, fields?.code])).toEqual([
      ['skill://a/SKILL.md', 'ARCHIVE_COLLISION'],
      ['skill://b/SKILL.md', 'ARCHIVE_TOO_LARGE'],
    ]);
    await wellKnown.index();
    expect(lines.filter(({ message }) => message.includes('well-known'))).toHaveLength(2);
  });
});

describe('work', () => {
  const many = (count: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => index).flatMap((index) => [
        [`s${index}/SKILL.md`, skillText(`s${index}`)],
        [`s${index}/x.md`, `x ${index}`],
      ]),
    );

  /** A dialect over a catalog that nobody but the test scans again. */
  const quiet = async (source: MemorySource) => {
    const catalog = await openCatalog(source);
    onTestFinished(() => catalog.close());
    const packer = new SkillPacker({ catalog, format: 'tar.gz' });
    const settle = async (): Promise<void> => undefined;
    const wellKnown = createWellKnown({ catalog, packer, settle, ttlMs: 0, logger: silentLogger });
    return { catalog, wellKnown };
  };

  it('is done once for each content, however many ask, whoever prepared it', async () => {
    const { catalog, wellKnown } = await quiet(memorySource(many(30)));
    const read = vi.spyOn(catalog, 'read');
    wellKnown.prepare();
    const answers = await Promise.all(Array.from({ length: 20 }, () => wellKnown.index()));
    expect(new Set(answers.map(({ digest }) => digest)).size).toBe(1);
    expect(read.mock.calls.length).toBe(60);
    for (const { path } of await entriesOf(wellKnown)) await wellKnown.artifact(path);
    expect(read.mock.calls.length).toBe(60);
  });

  it('leaves time for others until somebody waits for it', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { catalog, wellKnown } = await quiet(memorySource(many(30)));
    const original = catalog.read.bind(catalog);
    let reads = 0;
    catalog.read = (uri) => {
      reads += 1;
      // Each takes a minute, so a quarter of the time is more than this test has.
      vi.advanceTimersByTime(60_000);
      return original(uri);
    };
    wellKnown.prepare();
    await vi.waitFor(() => expect(reads).toBe(2));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(reads).toBe(2);
    expect(await entriesOf(wellKnown)).toHaveLength(30);
    expect(reads).toBe(60);
  });

  it('is not done again for skills that did not change', async () => {
    const source = memorySource(many(30));
    const { catalog, wellKnown } = await quiet(source);
    const before = await entriesOf(wellKnown);
    source.set('s7/x.md', 'another');
    source.set('new/SKILL.md', skillText('new'));
    await catalog.refresh();
    const read = vi.spyOn(catalog, 'read');
    const after = await entriesOf(wellKnown);
    expect(read.mock.calls.map(([uri]) => uri)).toEqual(['skill://s7/SKILL.md', 'skill://s7/x.md']);
    const known = new Set(before.map(({ path }) => path));
    expect(after.filter(({ path }) => !known.has(path)).map(({ name }) => name)).toEqual(['new', 's7']);
    source.set('s7/x.md', 'x 7');
    await catalog.refresh();
    expect((await entriesOf(wellKnown)).filter(({ name }) => name !== 'new')).toEqual(before);
    expect(read.mock.calls.length).toBe(2);
  });

  it('answers with what is there when skills change while they are packed', async () => {
    const source = memorySource(many(20));
    const { catalog, wellKnown } = await quiet(source);
    const original = catalog.read.bind(catalog);
    let changed = false;
    vi.spyOn(catalog, 'read').mockImplementation((uri) => {
      if (uri === 'skill://s5/x.md' && !changed) {
        changed = true;
        source.set('s5/x.md', 'changed meanwhile');
        source.set('s3/x.md', 'changed behind its packing');
      }
      return original(uri);
    });
    const entries = await entriesOf(wellKnown);
    expect(changed).toBe(true);
    const s5 = await wellKnown.artifact(entries.find(({ name }) => name === 's5')?.path ?? '');
    const files = await unpackArchive(s5?.bytes ?? Buffer.alloc(0));
    expect(files.map(({ bytes }) => Buffer.from(bytes).toString())).toContain('changed meanwhile');
    await catalog.refresh();
    for (const { path, digest } of await entriesOf(wellKnown)) {
      expect((await wellKnown.artifact(path))?.digest).toBe(digest);
    }
  });

  it('is given up when skills change without end', async () => {
    const source = memorySource(many(3));
    const { catalog, wellKnown } = await quiet(source);
    const original = catalog.read.bind(catalog);
    let edits = 0;
    vi.spyOn(catalog, 'read').mockImplementation((uri) => {
      edits += 1;
      source.set('s1/x.md', `edit ${edits}`);
      return original(uri);
    });
    await expect(wellKnown.index()).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    expect(edits).toBeLessThan(200);
  });

  it('lets others have their turn', async () => {
    const { wellKnown } = await serve(memorySource(many(200)));
    let turns = 0;
    let over = false;
    const turn = (): void => {
      turns += 1;
      if (!over) setImmediate(turn);
    };
    setImmediate(turn);
    await wellKnown.index();
    over = true;
    expect(turns).toBeGreaterThanOrEqual(200);
  });

  it('ends with the provider, and a preparation that nobody waits for ends in silence', async () => {
    const { logger, lines } = recordingLogger();
    const provider = await createProvider({ source: memorySource(many(50)), logger });
    provider.wellKnown?.prepare();
    await provider.close();
    await expect(provider.wellKnown?.index()).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
    await vi.waitFor(() =>
      expect(lines.filter(({ message }) => message.includes('prepared'))).toMatchObject([
        { level: 'debug', fields: { code: 'PROVIDER_CLOSED' } },
      ]),
    );
  });
});

describe('properties', () => {
  const name = fc.constantFrom('a', 'b', 'c-d');
  const folder = fc.constantFrom('', 'x/', 'x/y/');
  const file = fc.constantFrom('one.md', 'sub/two words.md', 'ü/é.bin', '50%.txt', 'run.sh', 'a..b');
  const content = fc.uint8Array({ maxLength: 40 });
  const edit = fc.oneof(
    fc.record({ kind: fc.constant('skill' as const), folder, name, body: fc.string({ maxLength: 8 }) }),
    fc.record({ kind: fc.constant('file' as const), folder, name, file, content }),
    fc.record({ kind: fc.constant('delete' as const), folder, name }),
  );

  it('whatever is edited, both indexes lead to exactly the bytes that they state', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(edit, { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        async (edits, rewatch) => {
          const source = memorySource({ 'base/SKILL.md': skillText('base') });
          // A clock that stands: on a busy machine looks take long, and then not each index looks.
          const provider = await createProvider({ source, clock: fakeClock() });
          try {
            const { wellKnown } = provider;
            if (wellKnown === undefined) throw new Error('the dialect is off');
            for (const each of edits) {
              const at = `${each.folder}${each.name}`;
              if (each.kind === 'skill') source.set(`${at}/SKILL.md`, skillText(each.name, '', each.body));
              else if (each.kind === 'file') source.set(`${at}/${each.file}`, each.content);
              else {
                try {
                  source.delete(at);
                } catch {
                  continue;
                }
              }
              if (rewatch) await provider.refresh();
              const listed = new Map<string, Map<string, string>>();
              for (const entry of await entriesOf(wellKnown)) {
                const got = await wellKnown.artifact(entry.path);
                expect(got?.digest).toBe(entry.digest);
                expect(sha256(got?.bytes ?? Buffer.alloc(0))).toBe(entry.digest);
                const files =
                  entry.type === 'skill-md'
                    ? [{ path: 'SKILL.md', bytes: got?.bytes ?? Buffer.alloc(0) }]
                    : await unpackArchive(got?.bytes ?? Buffer.alloc(0));
                listed.set(
                  entry.name,
                  new Map(files.map(({ path, bytes }) => [path, Buffer.from(bytes).toString('hex')])),
                );
              }
              for (const [skill, files] of await filesOf(wellKnown)) {
                const got = new Map<string, string>();
                for (const path of files) {
                  const sent = await wellKnown.legacyFile(skill, path);
                  got.set(path, (sent?.bytes ?? Buffer.from('none')).toString('hex'));
                }
                expect(got).toEqual(listed.get(skill));
              }
            }
          } finally {
            await provider.close();
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
