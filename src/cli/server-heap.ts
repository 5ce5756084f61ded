/**
 * The heap of a process that loads once and then serves for weeks.
 *
 * @module
 */
import { setImmediate } from 'node:timers/promises';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** A heap with less in it is not worth a pause, bytes. */
const LARGE = 50_331_648;
/** What a large heap may grow by before it is looked through, while it loads. */
const LOADING_PERCENT = 35;
/**
 * And then: nearly all of it lasts, and answers that are kept for a while are garbage of the old generation when they go. At
 * 35 percent a server of 10,000 skills took 14 to 31 MB more after reads of files picked from all.
 */
const SERVING_PERCENT = 12;
/** Steps of 64 KiB until a collection comes: the young generation is no larger than all of them. */
const MOST_STEPS = 1_024;
const STEP_ARRAYS = 128;
const STEP_ITEMS = 64;
/** A load lets others have a turn about as often, ms. */
const OFTEN_MS = 25;
/** When what a start leaves to be done has been done: digests are written first, then archives are packed. */
const SETTLED_MS: readonly number[] = [8_000, 60_000];

/**
 * Has the young generation stay as large as it is. From 1 MB it would grow to 32 MB while modules and skills are loaded and
 * stay there; a load and requests take as much processor time without that. Nobody can set its size from inside a running
 * process, only how it grows.
 */
export function holdYoungGeneration(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * The result of `load`, with the young generation held all the time: every thread that starts lets those of all grow again.
 * Then gives back what the load left behind, where that is much, and later what was done after it: a server makes little that
 * lasts, so it would stay for long.
 */
export async function loadInSmallHeap<T>(load: () => Promise<T>): Promise<T> {
  growBy(LOADING_PERCENT);
  const timer = setInterval(holdYoungGeneration, OFTEN_MS).unref();
  try {
    const loaded = await load();
    growBy(SERVING_PERCENT);
    await collectLarge();
    for (const ms of SETTLED_MS) setTimeout(() => void collectLarge(), ms).unref();
    return loaded;
  } finally {
    clearInterval(timer);
    holdYoungGeneration();
  }
}

/** Has a collection come whenever the heap has grown by a part of what it holds; otherwise it may grow to twice that first. */
function growBy(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/** A heap of 80 MB is held up for about 50 ms. */
async function collectLarge(): Promise<void> {
  if (getHeapStatistics().used_heap_size > LARGE) await collect();
}

/**
 * One collection of the whole heap. Nobody can ask for one in a program without evaluating code, but the next small one can
 * be made one of everything, and comes when a little is allocated.
 */
async function collect(): Promise<void> {
  growBy(SERVING_PERCENT);
  // What weak references led to is held until the turn ends.
  await setImmediate();
  setFlagsFromString('--gc-global');
  let used = getHeapStatistics().used_heap_size;
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const before = used;
    for (let each = 0; each < STEP_ARRAYS; each += 1) new Array(STEP_ITEMS).fill(each);
    used = getHeapStatistics().used_heap_size;
    if (used < before) break;
  }
  setFlagsFromString('--no-gc-global');
}
