/** Whole numbers from 0 to 2^32 - 1 that depend on nothing but the seed, so that two runs do the same. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    // The low bits of such a generator repeat soon.
    return (state ^ (state >>> 15)) >>> 0;
  };
}
