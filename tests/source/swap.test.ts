import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import { createDirectorySource, type DirectorySource } from '../../src/source/directory.ts';
import { FactsAnswerer } from '../../src/source/facts-answer.ts';
import { type HostFs, hostFs } from '../../src/source/host-fs.ts';
import { tree } from './support.ts';

const SECRET = 'SECRET-OUTSIDE';
const CODES = ['FILE_NOT_FOUND', 'LINK_ESCAPES', 'FILE_CHANGED', 'FILE_UNREADABLE'];

interface Attack {
  readonly name: string;
  /** What is exchanged for a link, below the root. */
  readonly victim: string;
  /** Where the link leads, below the outside folder. */
  readonly target: string;
}

const attacks: readonly Attack[] = [
  { name: 'the file', victim: 's/a/f.txt', target: 'a/f.txt' },
  { name: 'its folder', victim: 's/a', target: 'a' },
  { name: 'a folder further up', victim: 's', target: '' },
];

function scene(): { root: string; outside: string } {
  const base = tree({
    'root/s/a/f.txt': 'inside',
    'root/s/a/g.txt': 'inside',
    'outside/a/f.txt': SECRET,
    'outside/a/only-outside.txt': SECRET,
    'outside/a/a/f.txt': SECRET,
  });
  return { root: `${base}/root`, outside: `${base}/outside` };
}

/** Calls `before` with the number of each call of the file system. */
function watched(before: (call: number) => void): HostFs {
  let call = 0;
  const counted =
    <A extends unknown[], R>(use: (...args: A) => R) =>
    (...args: A): R => {
      call += 1;
      before(call);
      return use(...args);
    };
  return {
    open: counted(hostFs.open),
    close: hostFs.close,
    fstat: counted(hostFs.fstat),
    lstat: counted(hostFs.lstat),
    read: counted(hostFs.read),
    readdir: counted(hostFs.readdir),
    readdirBytes: counted(hostFs.readdirBytes),
    readlink: counted(hostFs.readlink),
    realpath: counted(hostFs.realpath),
  };
}

function tryRead(source: DirectorySource, path: string): string {
  try {
    return source.read(path).bytes.toString();
  } catch (error) {
    if (!isSkillError(error)) throw error;
    return error.code;
  }
}

/** SHA-256 of `inside`. */
const INSIDE = 'sha256:106b086224a4d945eae25f7be3805a931a873270326dd868b0e41f71ee9fff72';

function tryFacts(source: DirectorySource, path: string): string {
  try {
    const { digest } = source.facts(path);
    return digest === INSIDE ? 'inside' : digest;
  } catch (error) {
    if (!isSkillError(error)) throw error;
    return error.code;
  }
}

function tryAnswer(answerer: FactsAnswerer, folder: string, name: string): string {
  const reply = answerer.answer({ id: 0, folders: [folder], groups: [0], counts: [1], names: [name] });
  if (reply.sizes[0] === -1) return 'untold';
  return reply.digests[0] === INSIDE ? 'inside' : String(reply.digests[0]);
}

function tryList(source: DirectorySource, path: string): string[] {
  try {
    return source.list(path).nodes.map((node) => node.name);
  } catch (error) {
    if (!isSkillError(error)) throw error;
    return [error.code];
  }
}

/** Runs `use` once for every pair of moments at which the victim is exchanged and put back. */
function atEveryMoment(
  attack: Attack,
  procFd: boolean,
  use: (source: DirectorySource, answerer: FactsAnswerer) => void,
): { runs: number; outside: number } {
  const longest = 12;
  const { root, outside: elsewhere } = scene();
  const victim = `${root}/${attack.victim}`;
  const putBack = (): void => {
    unlinkSync(victim);
    renameSync(`${victim}.aside`, victim);
  };
  let runs = 0;
  let outside = 0;
  for (let swapAt = 1; swapAt <= longest; swapAt += 1) {
    for (let backAt = swapAt + 1; backAt <= longest + 1; backAt += 1) {
      let calls: number | undefined;
      let swapped = false;
      const fs = watched(() => {
        if (calls === undefined) return;
        calls += 1;
        if (calls === swapAt) {
          renameSync(victim, `${victim}.aside`);
          symlinkSync(`${elsewhere}/${attack.target}`, victim);
          swapped = true;
          outside += 1;
        } else if (calls === backAt && swapped) {
          putBack();
          swapped = false;
        }
      });
      const source = createDirectorySource(root, {}, { fs, procFd });
      const answerer = new FactsAnswerer(fs, { root, procFd });
      source.list('s/a');
      calls = 0;
      use(source, answerer);
      calls = undefined;
      if (swapped) putBack();
      runs += 1;
    }
  }
  return { runs, outside };
}

describe.each([true, false])('a link put in place at any moment (kernel names open files: %s)', (procFd) => {
  test.each(attacks)('of a read, for $name, never shows what lies outside', (attack) => {
    const { runs, outside } = atEveryMoment(attack, procFd, (source) => {
      expect(['inside', ...CODES]).toContain(tryRead(source, 's/a/f.txt'));
    });
    expect(runs).toBe(78);
    expect(outside).toBeGreaterThan(40);
  });

  test.each(attacks)('of facts, for $name, never tells of what lies outside', (attack) => {
    const { outside } = atEveryMoment(attack, procFd, (source) => {
      expect(['inside', ...CODES]).toContain(tryFacts(source, 's/a/f.txt'));
    });
    expect(outside).toBeGreaterThan(30);
  });

  test.each(attacks)('of what a thread answers, for $name, never tells of what lies outside', (attack) => {
    let inside = 0;
    const { outside } = atEveryMoment(attack, procFd, (_, answerer) => {
      const answer = tryAnswer(answerer, 's/a', 'f.txt');
      expect(['inside', 'untold']).toContain(answer);
      if (answer === 'inside') inside += 1;
    });
    expect(outside).toBeGreaterThan(30);
    // The check by paths takes more calls, so fewer exchanges fall before or after it.
    expect(inside).toBeGreaterThan(procFd ? 10 : 1);
  });
});

describe('a link put in place at any moment', () => {
  test.each(attacks)('of a listing, for $name, never shows names from outside', (attack) => {
    const { outside } = atEveryMoment(attack, true, (source) => {
      expect(tryList(source, 's/a')).not.toContain('only-outside.txt');
    });
    expect(outside).toBeGreaterThan(20);
  });
});

/** Exchanges the victim and the link as fast as it can until told to stop. */
const SWAPPER = `
  const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
  const { workerData: { victim, target, flag } } = require('node:worker_threads');
  const state = new Int32Array(flag);
  while (Atomics.load(state, 0) === 0) {
    renameSync(victim, victim + '.aside');
    symlinkSync(target, victim);
    Atomics.add(state, 1, 1);
    Atomics.notify(state, 1);
    unlinkSync(victim);
    renameSync(victim + '.aside', victim);
  }
`;

async function underAttack(attack: Attack, use: (root: string) => void): Promise<number> {
  const { root, outside } = scene();
  const flag = new SharedArrayBuffer(8);
  const state = new Int32Array(flag);
  const worker = new Worker(SWAPPER, {
    eval: true,
    workerData: { victim: `${root}/${attack.victim}`, target: `${outside}/${attack.target}`, flag },
  });
  const ended = new Promise<void>((resolve, reject) =>
    worker.once('error', reject).once('exit', () => resolve()),
  );
  try {
    Atomics.wait(state, 1, 0, 5_000);
    use(root);
  } finally {
    Atomics.store(state, 0, 1);
    await ended;
  }
  return Atomics.load(state, 1);
}

describe.each([true, false])(
  'thousands of reads during an attack (kernel names open files: %s)',
  (procFd) => {
    test.each(attacks)('on $name never show what lies outside', async (attack) => {
      const seen = new Map<string, number>();
      const swaps = await underAttack(attack, (root) => {
        const source = createDirectorySource(root, {}, { procFd });
        const answerer = new FactsAnswerer(hostFs, { root, procFd });
        const ways = [
          () => tryRead(source, 's/a/f.txt'),
          () => tryFacts(source, 's/a/f.txt'),
          () => tryAnswer(answerer, 's/a', 'f.txt'),
        ];
        for (let i = 0; i < 2_000; i += 1) {
          const result = ways[i % 3]?.() ?? '';
          seen.set(result, (seen.get(result) ?? 0) + 1);
          if (procFd) expect(tryList(source, 's/a')).not.toContain('only-outside.txt');
        }
      });
      expect(swaps).toBeGreaterThan(0);
      expect(seen.has(SECRET)).toBe(false);
      expect([...seen.keys()].filter((key) => !['inside', 'untold', ...CODES].includes(key))).toEqual([]);
    });
  },
);
