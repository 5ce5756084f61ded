// Builds dist/ from src/: one JavaScript file and one declaration file for each source file.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
rmSync('dist', { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);
if (existsSync('dist/cli/main.js')) chmodSync('dist/cli/main.js', 0o755);
