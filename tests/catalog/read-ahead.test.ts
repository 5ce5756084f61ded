import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Catalog, type CatalogOptions, openCatalog } from '../../src/catalog/index.ts';
import { plainFile } from '../../src/catalog/kept-file.ts';
import { SkillError } from '../../src/errors.ts';
import { createDirectorySource } from '../../src/source/directory.ts';
import {
  type AheadOptions,
  directorySource,
  type FactsFolder,
  memorySource,
  mountSources,
  type Source,
  type SourceFacts,
} from '../../src/source/index.ts';
import { readSourceFacts } from '../../src/source/source-facts.ts';
import { PROGRAM } from '../source/support.ts';
import { md, onDisk } from './trees.ts';

/** 250 skills of nine plain files each, and one of each trouble. */
function troubled(): string {
  const files: Record<string, string | Uint8Array> = {};
  for (let at = 0; at < 250; at++) {
    const skill = `s${String(at).padStart(3, '0')}`;
    files[`${skill}/SKILL.md`] = md(skill);
    for (let file = 0; file < 8; file++) files[`${skill}/r/${file}.md`] = `text ${at} ${file}`;
  }
  files['s000/large.bin'] = new Uint8Array(5_000);
  files['s001/key.pem'] = '-----BEGIN PRIVATE KEY-----\n';
  files['s001/.env'] = 'A=1';
  files['s002/.skillignore'] = '*.log\n';
  files['s002/x.log'] = 'log';
  files['s003/a\\b'] = 'no segment';
  files['s004/logo.png'] = new Uint8Array([0x89, 0x50, 0xff]);
  files['s005/SKILL.md'] = 'no frontmatter';
  files['s006/inner/SKILL.md'] = md('inner');
  files['s006/inner/x.md'] = 'inner';
  files['s007/SKILL.md'] = md('other-name');
  files['s007/sub/y.md'] = 'renamed';
  files['s008/case.md'] = 'a';
  files['s008/CASE.md'] = 'b';
  for (let at = 0; at < 12; at++) files[`s009/big/${at}`] = new Uint8Array(3_000);
  const root = onDisk(files, {
    's010/in.md': 'r/0.md',
    's010/out.md': '../s011/r/0.md',
    's010/broken.md': 'nowhere',
    's010/loop': '.',
    linked: 's012',
    's013/pipe.md': '/dev/null',
  });
  mkdirSync(join(root, 's014/empty'));
  return root;
}

const CAPS: CatalogOptions = { maxFileBytes: 4_000, maxSkillBytes: 20_000 };

function shown({ snapshot }: Catalog): unknown {
  // Whether a digest is provisional depends on the time of the scan.
  const skills = snapshot.skills.map((skill) => ({
    ...skill,
    files: skill.files.map((file) => ({ ...plainFile(file), provisional: 'either' })),
  }));
  return {
    skills,
    refused: snapshot.refused,
    diagnostics: snapshot.diagnostics,
    revision: snapshot.revision,
  };
}

/** Counts what is told ahead and what is read after all. */
function counted(source: Source): Source & { readonly seen: Map<string, number>; told: number } {
  const seen = new Map<string, number>();
  const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
  const counting = {
    seen,
    told: 0,
    label: source.label,
    list: (path: string) => source.list(path),
    read: (path: string, options = {}) => {
      count(path);
      return source.read(path, options);
    },
    stat: (path: string, options = {}) => source.stat(path, options),
    facts: (path: string, options = {}) => {
      count(path);
      return readSourceFacts(source, path, options);
    },
    ahead: (options?: AheadOptions) => {
      const ahead = source.ahead?.(options);
      if (ahead === undefined) return undefined;
      return {
        take: async (folders: readonly FactsFolder[]) => {
          const batch = await ahead.take(folders);
          let index = 0;
          for (const { path, names } of folders) {
            for (const name of names) {
              if (batch.at(index++) === undefined) continue;
              counting.told += 1;
              count(`${path}/${name}`);
            }
          }
          return batch;
        },
        close: () => ahead.close(),
      };
    },
    contains: (ancestor: string, id: string) => source.contains(ancestor, id),
    close: () => source.close(),
  };
  return counting;
}

describe('a catalog that is read on two threads', () => {
  it('is the catalog that is read on one, each file read once', async () => {
    const root = troubled();
    const inline = await openCatalog(directorySource(root), CAPS);
    const source = counted(createDirectorySource(root, {}, { program: PROGRAM }));
    const threaded = await openCatalog(source, CAPS);
    expect(shown(threaded)).toEqual(shown(inline));
    expect(threaded.snapshot.skills.length).toBeGreaterThan(240);
    expect(threaded.snapshot.diagnostics.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['FILE_TOO_LARGE', 'SECRET_WITHHELD', 'UNADDRESSABLE_NAME', 'LINK_ESCAPES']),
    );
    expect(threaded.snapshot.refused.map(({ path }) => path)).toContain('s009');
    expect(source.told).toBeGreaterThan(1_900);
    expect(source.told).toBeLessThan(2_100);
    expect([...source.seen].filter(([, times]) => times !== 1)).toEqual([]);
    await Promise.all([inline.close(), threaded.close()]);
  });

  it('is so below a prefix and beside another source too', async () => {
    const root = troubled();
    const around = (source: Source): Source =>
      mountSources([{ source, prefix: 'p/q' }, { source: memorySource({ 'm/SKILL.md': md('m') }) }]);
    const inline = await openCatalog(around(directorySource(root)), CAPS);
    const inner = counted(createDirectorySource(root, {}, { program: PROGRAM }));
    const threaded = await openCatalog(around(inner), CAPS);
    // A mount has an identity of its own, and no other difference.
    expect(threaded.snapshot.revision).toBe(inline.snapshot.revision);
    expect(threaded.snapshot.diagnostics).toEqual(inline.snapshot.diagnostics);
    expect(inner.told).toBeGreaterThan(1_900);
    await Promise.all([inline.close(), threaded.close()]);
  });

  it('is so when the thread ends early', async () => {
    const root = troubled();
    const program = new URL('data:text/javascript,process.exit()');
    const inline = await openCatalog(directorySource(root), CAPS);
    const threaded = await openCatalog(createDirectorySource(root, {}, { program }), CAPS);
    expect(shown(threaded)).toEqual(shown(inline));
    await Promise.all([inline.close(), threaded.close()]);
  });

  it('serves what it says, also after edits', async () => {
    const root = troubled();
    const catalog = await openCatalog(createDirectorySource(root, {}, { program: PROGRAM }));
    expect((await catalog.read('skill://s020/r/3.md')).bytes.toString()).toBe('text 20 3');
    writeFileSync(join(root, 's020/r/3.md'), 'edited 3');
    const { file, bytes } = await catalog.read('skill://s020/r/3.md');
    expect(bytes.toString()).toBe('edited 3');
    expect(file.size).toBe(8);
    rmSync(join(root, 's021'), { recursive: true });
    symlinkSync('s022', join(root, 's021'));
    await catalog.refresh();
    const fresh = await openCatalog(directorySource(root));
    expect(catalog.snapshot.revision).toBe(fresh.snapshot.revision);
    await Promise.all([catalog.close(), fresh.close()]);
  });
});

interface Told {
  readonly facts?: (path: string) => SourceFacts | undefined;
  readonly readAt?: number;
}

/** Files of skills in memory, with facts told ahead as a test wants. */
function telling(skills: number, { facts = () => undefined, readAt = 1_000 }: Told = {}) {
  const files: Record<string, string> = {};
  for (let at = 0; at < skills; at++) {
    files[`s${at}/SKILL.md`] = md(`s${at}`);
    for (let file = 0; file < 10; file++) files[`s${at}/${file}.md`] = 'x';
  }
  const source = memorySource(files, { modifiedAt: 5_000 });
  const log = { opened: [] as (AheadOptions | undefined)[], asked: [] as string[], closed: 0, read: 0 };
  const read = source.read.bind(source);
  source.read = (path, options) => {
    if (!path.endsWith('SKILL.md')) log.read += 1;
    return read(path, options);
  };
  const told: Source = Object.assign(source, {
    ahead: (options?: AheadOptions) => {
      log.opened.push(options);
      return {
        take: async (folders: readonly FactsFolder[]) => {
          const paths = folders.flatMap(({ path, names }) => names.map((name) => `${path}/${name}`));
          log.asked.push(...paths);
          return { readAt, at: (index: number) => facts(paths[index] ?? '') };
        },
        close: () => {
          log.closed += 1;
        },
      };
    },
  });
  return { source: told, log, memory: source };
}

const FACTS: SourceFacts = {
  size: 1,
  digest: 'sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
  text: true,
  stamp: 'told',
  modifiedAt: 5_000,
};

describe('facts that are told ahead', () => {
  it('are asked for once there are two thousand files, all of them, and closed at the end', async () => {
    const few = telling(199, { facts: () => FACTS });
    await openCatalog(few.source);
    expect(few.log).toMatchObject({ opened: [], asked: [], read: 1_990 });
    const many = telling(250, { facts: () => FACTS });
    await openCatalog(many.source, { maxFileBytes: 7, maxSkillBytes: -1 });
    expect(many.log).toMatchObject({ opened: [{ maxBytes: 7 }], closed: 1, read: 0 });
    expect(new Set(many.log.asked).size).toBe(2_500);
    expect(many.log.asked.filter((path) => path.endsWith('SKILL.md'))).toEqual([]);
  });

  it('are published as they are, provisional by the time before they were read', async () => {
    for (const [readAt, provisional] of [
      [6_999, true],
      [7_000, false],
    ] as const) {
      const { source } = telling(200, { facts: () => FACTS, readAt });
      const { snapshot } = await openCatalog(source);
      const [file] = snapshot.skills[7]?.files ?? [];
      expect(file && plainFile(file)).toEqual({
        uri: `skill://${snapshot.skills[7]?.path}/0.md`,
        path: '0.md',
        sourcePath: `${snapshot.skills[7]?.path}/0.md`,
        mimeType: 'text/markdown',
        provisional,
        ...FACTS,
      });
    }
  });

  it('that are missing are read, and a file that is gone by then is left out without a word', async () => {
    const { source, log, memory } = telling(250, {
      facts: (path) => (path.startsWith('s1') ? undefined : FACTS),
    });
    const list = memory.list.bind(memory);
    memory.list = (path) => {
      const folder = list(path);
      if (path === 's17') memory.delete('s17/3.md');
      return folder;
    };
    const { snapshot } = await openCatalog(source);
    const untold = snapshot.skills.filter(({ path }) => path.startsWith('s1'));
    expect(log.read).toBe(untold.length * 10);
    expect(snapshot.skills.find(({ path }) => path === 's17')?.files.map(({ path }) => path)).not.toContain(
      '3.md',
    );
    expect(snapshot.diagnostics).toEqual([]);
  });

  it('are not asked for what the scan before knows, and are closed when a scan fails', async () => {
    const { source, log } = telling(250, { facts: () => FACTS });
    const catalog = await openCatalog(source);
    await catalog.refresh();
    expect(log.opened).toHaveLength(1);
    const failing = telling(250);
    await expect(openCatalog(failing.source, { maxFolders: 240 })).rejects.toBeInstanceOf(SkillError);
    expect(failing.log).toMatchObject({ closed: 1 });
  });

  it('end with the skill that exceeds its cap', async () => {
    const { source, log } = telling(250, { facts: () => ({ ...FACTS, size: 9 }) });
    const { snapshot } = await openCatalog(source, { maxSkillBytes: 100 });
    expect(log.opened).toEqual([{ maxBytes: 16_777_216, maxBytesWithin: 100 }]);
    expect(snapshot.refused).toHaveLength(250);
    expect(new Set(snapshot.refused.map(({ diagnostic }) => diagnostic.code))).toEqual(
      new Set(['SKILL_TOO_LARGE']),
    );
  });
});
