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

/** In the library an import, which every bundler follows; in the program, for which a start without it is a third shorter. */
const lazyYaml = {
  name: 'lazy-yaml',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]yaml-library\.js$/ }, () => ({
      contents: `
        import { createRequire } from 'node:module';
        let library;
        export function yamlLibrary() {
          return (library ??= createRequire(import.meta.url)('yaml'));
        }`,
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
  plugins: [lazyYaml],
  logLevel: 'warning',
});
rmSync(join(out, 'cli'), { recursive: true });
renameSync(bundled, join(out, 'cli'));
chmodSync(join(out, 'cli', 'main.js'), 0o755);
