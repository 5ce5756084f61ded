/**
 * The heap of a server: its young generation stays small, also when a thread starts, what a load leaves behind goes, and
 * what is kept for a while does not pile up.
 */
import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { loadInSmallHeap } from '../../src/cli/server-heap.ts';

const HEAP = new URL('../../src/cli/server-heap.ts', import.meta.url).href;

const PROGRAM = `
import { setTimeout } from 'node:timers/promises';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { holdYoungGeneration, loadInSmallHeap } from ${JSON.stringify(HEAP)};
const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size / 1048576;
const used = () => getHeapStatistics().used_heap_size / 1048576;
const hold = process.argv[1] === 'hold';
const churn = () => {
  const kept = [];
  for (let at = 0; at < 300_000; at += 1) kept.push({ at, text: 'x' + at });
  return kept;
};
const load = async () => {
  const worker = new Worker('', { eval: true });
  await new Promise((resolve) => worker.once('exit', resolve));
  await setTimeout(60);
  let kept;
  for (let round = 0; round < 4; round += 1) kept = churn();
  for (let more = 0; more < 4; more += 1) kept.push(churn());
  kept = undefined;
  return 'loaded';
};
if (hold) holdYoungGeneration();
const told = hold ? await loadInSmallHeap(load) : await load();
console.log(JSON.stringify({ told, young: young(), used: used() }));
`;

function run(how: 'hold' | 'leave'): { told: string; young: number; used: number } {
  const args = ['--import', 'tsx', '--input-type=module', '-e', PROGRAM, how];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as ReturnType<typeof run>;
}

it('stays small through a load, and the process as it is grows', () => {
  const held = run('hold');
  const left = run('leave');
  expect([held.told, left.told]).toEqual(['loaded', 'loaded']);
  expect(held.young).toBeLessThan(9);
  expect(left.young).toBeGreaterThan(15);
  expect(held.used).toBeLessThan(left.used / 2);
});

const SERVING = `
import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { loadInSmallHeap } from ${JSON.stringify(HEAP)};
const used = () => getHeapStatistics().used_heap_size / 1048576;
const make = (at) => ({ at, text: ['x', at, 'y'.repeat(40)].join('') });
const load = async () => Array.from({ length: 1_000_000 }, (_, at) => make(at));
const kept = process.argv[1] === 'small' ? await loadInSmallHeap(load) : await load();
const rest = used();
const answers = new Array(20_000);
let most = 0;
for (let at = 0; at < 2_000_000; at += 1) {
  answers[at % answers.length] = make(at);
  if (at % 1_000 > 0) continue;
  most = Math.max(most, used());
  // In turns, as requests come: a collection goes on between them.
  await setImmediate();
}
console.log(JSON.stringify({ kept: kept.length, rest, most }));
`;

it('grows little by what is kept for a while', () => {
  const args = ['--import', 'tsx', '--input-type=module', '-e', SERVING];
  const told = ['small', 'as it is'].map((how) => {
    const { stdout, stderr } = spawnSync(process.execPath, [...args, how], { encoding: 'utf8' });
    if (stdout === '') throw new Error(stderr);
    return JSON.parse(stdout) as { kept: number; rest: number; most: number };
  });
  const [small, left] = told;
  expect(told.map(({ kept }) => kept)).toEqual([1_000_000, 1_000_000]);
  // Collections lag where both cores are busy, so this is far from what is aimed at: 1.12 of what is held.
  expect(small?.most ?? Number.NaN).toBeLessThan((left?.most ?? Number.NaN) * 0.6);
});

it('gives what the load gives, and fails as it fails', async () => {
  expect(await loadInSmallHeap(async () => 7)).toBe(7);
  await expect(loadInSmallHeap(() => Promise.reject(new RangeError('no')))).rejects.toThrow(RangeError);
});
