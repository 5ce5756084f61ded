// Builds dist/ from src/: one JavaScript file and one declaration file for each source file of the library, and the
// program in a few files with the packages that it starts with.
// Usage: node scripts/build.mjs [OUT]
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { bundleProgram } from './bundle-program.mjs';

const out = resolve(process.argv[2] ?? 'dist');
const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
rmSync(out, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', out], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
await bundleProgram(out);
