import { afterEach, expect, it, vi } from 'vitest';
import { recallTree } from '../../src/catalog/recall-tree.ts';
import { settingsOf } from '../../src/catalog/settings.ts';
import { TreeWriter } from '../../src/catalog/tree-bytes.ts';
import type { SourceRecall } from '../../src/source/source.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const FILE = { size: 1, digest: '0'.repeat(32), text: true, stamp: 's', modifiedAt: 0 };

/** A source in which nothing changed, where each look takes `ms`. */
function slow(ms: number): { recall: SourceRecall; turns: () => number; looks: () => number } {
  let now = 0;
  let turns = 0;
  let looks = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const tick = (): void => {
    turns += 1;
    timer = setImmediate(tick);
    timer.unref();
  };
  let timer = setImmediate(tick);
  const look = <T>(found: T): T => {
    now += ms;
    looks += 1;
    return found;
  };
  const recall: SourceRecall = {
    key: '',
    folder: () => look({ stamp: 'f', changedAt: 0 }),
    file: () => look('s'),
    rules: () => look(undefined),
    ruled: () => [],
  };
  return { recall, turns: () => turns, looks: () => looks };
}

function bytesOf(folders: number, files: number, stamp = 'f'): Uint8Array {
  const writer = new TreeWriter();
  const parts = { links: false, tooLarge: false, head: undefined };
  writer.add({ ...parts, name: 'root', stamp, folders, files: [] });
  for (let at = 0; at < folders; at += 1) {
    const names = Array.from({ length: files }, (_, index) => ({ ...FILE, name: `f${index}` }));
    writer.add({ ...parts, name: `d${at}`, stamp, folders: 0, files: names });
  }
  return writer.bytes([]);
}

it('lets others have a turn within a folder of very many files', async () => {
  const { recall, turns, looks } = slow(0.1);
  const recalled = await recallTree(bytesOf(1, 20_000), { recall, settings: settingsOf({}) });
  expect(recalled?.whole).toBe(true);
  expect(recalled?.tree.folders[0]?.files.map(({ path }) => path).slice(-2)).toEqual([
    'd0/f19998',
    'd0/f19999',
  ]);
  expect(recalled?.tree.folders[0]?.files.length).toBe(20_000);
  expect(looks()).toBe(20_002);
  // 1,024 looks take 102 ms, and 50 are a turn.
  expect(turns()).toBeGreaterThanOrEqual(19);
});

it('lets others have a turn while it looks for rules in very many folders', async () => {
  const { recall, turns } = slow(1);
  const recalled = await recallTree(bytesOf(2_000, 0, ''), { recall, settings: settingsOf({}) });
  expect(recalled?.whole).toBe(false);
  expect(turns()).toBeGreaterThanOrEqual(39);
});
