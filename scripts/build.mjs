// Builds dist/ from src/: one JavaScript file and one declaration file for each source file of the library, and the
// program in a few files, since node takes longer to find hundreds of modules than to run them.
// Usage: node scripts/build.mjs [OUT]
import { spawnSync } from 'node:child_process';
import { chmodSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

const out = resolve(process.argv[2] ?? 'dist');
const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
rmSync(out, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', out], {
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);

const LAZY =
  "import { createRequire } from 'node:module'; let library; const load = (name) => (library ??= createRequire(import.meta.url)(name));";

/**
 * What most starts do without is loaded when it is first asked for. In the library these are imports, which every bundler
 * follows.
 */
const lazy = {
  name: 'lazy',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]yaml-library\.js$/ }, () => ({
      contents: `${LAZY} export const yamlLibrary = () => load('yaml');`,
    }));
    onResolve({ filter: /^ignore$/ }, ({ path }) => ({ path, namespace: 'lazy' }));
    onLoad({ filter: /.*/, namespace: 'lazy' }, () => ({
      contents: `${LAZY} export default (...options) => load('ignore')(...options);`,
    }));
  },
};

const bundled = join(out, '.cli');
await build({
  entryPoints: {
    main: join(out, 'cli', 'main.js'),
    // Started by its URL, beside the file that starts it.
    'facts-worker': join(out, 'source', 'facts-worker.js'),
  },
  outdir: bundled,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // What is installed beside the package stays there, so that an update of it reaches the program.
  packages: 'external',
  plugins: [lazy],
  logLevel: 'warning',
});
rmSync(join(out, 'cli'), { recursive: true });
renameSync(bundled, join(out, 'cli'));
chmodSync(join(out, 'cli', 'main.js'), 0o755);
