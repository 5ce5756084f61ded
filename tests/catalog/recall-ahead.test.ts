import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type DigestIndex, openCatalog } from '../../src/catalog/index.ts';
import { plainFile } from '../../src/catalog/kept-file.ts';
import { type Recalled, recallTree } from '../../src/catalog/recall-tree.ts';
import { settingsOf } from '../../src/catalog/settings.ts';
import type { TreeFolder } from '../../src/catalog/tree.ts';
import { TreeReader } from '../../src/catalog/tree-bytes.ts';
import { createDirectorySource } from '../../src/source/directory.ts';
import { KeptLooks } from '../../src/source/kept-looks.ts';
import { LookShares } from '../../src/source/look-shares.ts';
import { folderLooker, RealLooks } from '../../src/source/real-looks.ts';
import type { LooksAhead, SourceRecall } from '../../src/source/source.ts';
import { PROGRAM } from '../source/support.ts';
import { md, onDisk } from './trees.ts';

/** 150 skills, each with a folder in a folder. */
function skills(): Record<string, string> {
  const files: Record<string, string> = { 'g/readme.md': 'no skill', 'g/.skillignore': '*.tmp\n' };
  for (let at = 0; at < 150; at += 1) {
    const skill = `g/s${String(at).padStart(3, '0')}`;
    files[`${skill}/SKILL.md`] = md(skill.slice(2));
    files[`${skill}/a long name of a file.md`] = `text ${at}`;
    files[`${skill}/ü/deep/${at}.txt`] = `deep ${at}`;
  }
  return files;
}

interface Setup {
  readonly root: string;
  readonly bytes: Uint8Array;
}

async function prepared(): Promise<Setup> {
  const root = onDisk(skills());
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const at = join(root, path);
    if (lstatSync(at).isFile()) utimesSync(at, 1_700_000_000, 1_700_000_000);
  }
  let bytes = new Uint8Array();
  const digestIndex: DigestIndex = {
    load: () => Promise.resolve(undefined),
    save: async (_, given) => {
      bytes = given.slice();
    },
  };
  const catalog = await openCatalog(createDirectorySource(root, {}, {}), { digestIndex });
  await catalog.close();
  return { root, bytes };
}

/** Recalls what `bytes` tell; `ahead` looks too. */
async function recalled(
  { root, bytes }: Setup,
  ahead?: (recall: SourceRecall, kept: Uint8Array) => LooksAhead | undefined,
): Promise<{ recalled: Recalled | undefined; looks: number }> {
  const { recall } = createDirectorySource(root, {}, {});
  if (recall === undefined) throw new Error('nothing is recalled here');
  let looks = 0;
  const counting: SourceRecall = {
    key: recall.key,
    folder: (path) => {
      looks += 1;
      return recall.folder(path);
    },
    file: (path) => {
      looks += 1;
      return recall.file(path);
    },
    rules: (folder) => recall.rules(folder),
    ruled: () => recall.ruled(),
    ahead: (kept) => ahead?.(recall, kept),
  };
  const settings = settingsOf({});
  return { recalled: await recallTree(bytes, { recall: counting, settings, aheadFrom: 1 }), looks };
}

/** Looks at everything as the second thread does, before the first one begins. */
function everything(root: string): (recall: SourceRecall, kept: Uint8Array) => LooksAhead {
  return (_, kept) => {
    const looks = new KeptLooks(kept);
    const shares = new LookShares(looks.folders);
    const real = new RealLooks(root, lstatSync(root, { bigint: true }).dev);
    new LookShares(looks.folders, shares.memory).look(folderLooker(real, looks));
    return { isSame: (at) => shares.isSame(at), close: () => {} };
  };
}

/** All that a recalled tree says. */
function told(result: Recalled | undefined): unknown {
  if (result === undefined) return undefined;
  const { tree, touched, ruled, whole } = result;
  const paths: string[] = [];
  const plain = (folder: TreeFolder): unknown => {
    paths.push(folder.path);
    const { path, id, linked, home, homeId, head, published, uri, problems, tooLarge, count } = folder;
    return {
      ...{ path, id, linked, home, homeId, head, published, uri, problems, tooLarge, count },
      skills: folder.skills,
      links: folder.links,
      noisy: folder.noisy,
      files: folder.files.map(plainFile),
      folders: folder.folders.map(plain),
    };
  };
  const shown = plain(tree);
  const deep = paths.filter((path) => touched.deep(path));
  const shallow = paths.filter((path) => touched.shallow(path));
  const through = paths.map((path) => [...(touched.through(path) ?? ['-'])]);
  return { shown, deep, shallow, through, ruled, whole };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(Date.now() + 60_000);
});

afterEach(() => {
  vi.useRealTimers();
});

const CHANGES: readonly (readonly [string, (at: (path: string) => string) => void])[] = [
  ['nothing', () => {}],
  ['edits here and there', (at) => [3, 70, 149].forEach((each) => void edit(at, each))],
  [
    'an edit of the same size and time',
    (at) => {
      const file = at('g/s140/a long name of a file.md');
      writeFileSync(file, 'TEXT 140');
      utimesSync(file, 1_700_000_000, 1_700_000_000);
    },
  ],
  ['a file that is gone', (at) => rmSync(at('g/s140/ü/deep/140.txt'))],
  ['a folder that is gone', (at) => rmSync(at('g/s140/ü'), { recursive: true })],
  ['a new file', (at) => writeFileSync(at('g/s140/ü/new.md'), 'new')],
  [
    'a folder replaced by a link to it',
    (at) => {
      renameSync(at('g/s140/ü'), at('moved'));
      symlinkSync('../../moved', at('g/s140/ü'));
    },
  ],
  [
    'a file replaced by a link to it',
    (at) => {
      renameSync(at('g/s140/SKILL.md'), at('moved'));
      symlinkSync('../../moved', at('g/s140/SKILL.md'));
    },
  ],
  [
    'a file replaced by a folder',
    (at) => {
      rmSync(at('g/s140/SKILL.md'));
      mkdirSync(at('g/s140/SKILL.md'));
    },
  ],
  ['rules that change', (at) => writeFileSync(at('g/.skillignore'), '*.txt\n')],
  ['a folder above that is gone', (at) => renameSync(at('g'), at('h'))],
];

function edit(at: (path: string) => string, skill: number): void {
  const name = `g/s${String(skill).padStart(3, '0')}`;
  writeFileSync(at(`${name}/a long name of a file.md`), 'edited');
}

describe.skipIf(process.platform !== 'linux')('looks on two threads', () => {
  it.each(CHANGES)('find what looks on one find after %s', async (_, change) => {
    const setup = await prepared();
    change((path) => join(setup.root, path));
    const alone = await recalled(setup);
    const both = await recalled(setup, everything(setup.root));
    expect(told(both.recalled)).toEqual(told(alone.recalled));
    expect(alone.looks).toBeGreaterThan(400);
    expect(both.looks).toBeLessThanOrEqual(alone.looks);
  });

  it('look at nothing twice, and leave what differs to the first', async () => {
    const setup = await prepared();
    expect((await recalled(setup, everything(setup.root))).looks).toBe(0);
    edit((path) => join(setup.root, path), 140);
    const { looks, recalled: found } = await recalled(setup, everything(setup.root));
    // The two files of that skill; its folder has to be listed anyway.
    expect(looks).toBe(2);
    expect(found?.whole).toBe(false);
    expect(found?.touched.shallow('g/s140')).toBe(true);
    expect(found?.touched.shallow('g/s140/ü')).toBe(false);
  });

  it('are taken on a thread that is really another one', async () => {
    const setup = await prepared();
    edit((path) => join(setup.root, path), 140);
    const alone = told((await recalled(setup)).recalled);
    const done = join(onDisk({ 'empty/': '' }), 'done');
    const wrapped = onDisk({
      'program.mjs': `import { writeFileSync } from 'node:fs';
        await import(${JSON.stringify(PROGRAM.href)});
        writeFileSync(${JSON.stringify(done)}, '');`,
    });
    const program = new URL(`file://${wrapped}/program.mjs`);
    const { recall } = createDirectorySource(setup.root, {}, { program });
    const ahead = recall?.ahead?.(new TreeReader(setup.bytes).looks.bytes);
    for (let tries = 0; tries < 300 && !existsSync(done); tries += 1) await setTimeout(50);
    expect(existsSync(done)).toBe(true);
    const both = await recalled(setup, () => ahead);
    expect(told(both.recalled)).toEqual(alone);
    expect(both.looks).toBe(2);
  });

  it.each([
    ['is not there', undefined],
    ['cannot be parsed', 'this is no program'],
    ['throws', 'throw new Error("no")'],
    ['ends', 'process.exit(3)'],
    ['does nothing', ''],
    ['never answers', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
    [
      'takes everything and dies',
      `const { workerData } = await import('node:worker_threads');
       new Int32Array(workerData.shares, 0, 8).fill(1);
       throw new Error('no');`,
    ],
  ])('are those of one thread where the other one %s', async (_, code) => {
    const setup = await prepared();
    edit((path) => join(setup.root, path), 140);
    const alone = await recalled(setup);
    const folder = onDisk(code === undefined ? {} : { 'program.mjs': code });
    const program = new URL(`file://${folder}/program.mjs`);
    const { recall } = createDirectorySource(setup.root, {}, { program });
    const ahead = recall?.ahead?.(new TreeReader(setup.bytes).looks.bytes);
    expect(ahead).toBeDefined();
    await setTimeout(200);
    const both = await recalled(setup, () => ahead);
    expect(told(both.recalled)).toEqual(told(alone.recalled));
    expect(both.looks).toBe(alone.looks);
    ahead?.close();
  });

  it('are not tried for few, nor where there is no program', async () => {
    const setup = await prepared();
    const { recall } = createDirectorySource(setup.root, {}, {});
    if (recall === undefined) throw new Error('nothing is recalled here');
    let asked = 0;
    const bound: SourceRecall = {
      key: '',
      folder: (path) => recall.folder(path),
      file: (path) => recall.file(path),
      rules: (folder) => recall.rules(folder),
      ruled: () => recall.ruled(),
      ahead: () => {
        asked += 1;
        return undefined;
      },
    };
    const settings = settingsOf({});
    await recallTree(setup.bytes, { recall: bound, settings });
    expect(asked).toBe(0);
    // 452 folders with 450 files of skills.
    await recallTree(setup.bytes, { recall: bound, settings, aheadFrom: 903 });
    expect(asked).toBe(0);
    await recallTree(setup.bytes, { recall: bound, settings, aheadFrom: 902 });
    expect(asked).toBe(1);
    expect(recall.ahead?.(new TreeReader(setup.bytes).looks.bytes)).toBeUndefined();
  });
});
