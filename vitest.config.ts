import { defineConfig, type ViteUserConfig } from 'vitest/config';

/** Runs on other versions of Node share no cache. */
const cacheDir = process.env.SKILLWIRE_VITEST_CACHE;

const config: ViteUserConfig = defineConfig({
  ...(cacheDir === undefined ? {} : { cacheDir }),
  test: {
    include: ['tests/**/*.test.ts'],
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});

export default config;
