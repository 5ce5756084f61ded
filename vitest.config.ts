import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** Runs on other versions of Node share no cache. */
const cacheDir = process.env.SKILLWIRE_VITEST_CACHE;

const config: ViteUserConfig = defineConfig({
  ...(cacheDir === undefined ? {} : { cacheDir }),
  test: {
    include: ['tests/**/*.test.ts'],
    // Many tests wait for programs that they start, so that one worker leaves a core idle.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});

export default config;
