// The program in a few files, since node takes longer to find hundreds of modules than to run them.
import { chmodSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join, relative, resolve, sep } from 'node:path';
import { build } from 'esbuild';
import { thirdPartyLicences } from './third-party-licences.mjs';

const ROOT = resolve(import.meta.dirname, '..');

/**
 * Packages that most starts do without. They stay where they are installed, so that an update of what reads the bytes of
 * strangers reaches the program at once. None of them loads one that is bundled, so there is no second copy of any.
 */
const INSTALLED = ['fflate', 'ignore', 'minisearch', 'undici', 'yaml'];

/**
 * What is loaded together. Each module that ours load with `import()` belongs to one; every further group would cut what
 * they share into more files.
 */
const GROUPS = {
  start: ['cli/start', 'cli/program'],
  serve: ['cli/commands/serve', 'cli/serve', 'http/index', 'net/index'],
  local: [...commands('check', 'init', 'pack', 'unpack'), 'store/index'],
  remote: [
    ...commands('diff', 'list', 'pull', 'show', 'verify'),
    'cli/show-target',
    'cli/connect-command',
    'cli/connect-source',
  ],
  // They load the network library.
  network: ['cli/connect-http', 'net/connect'],
};

function commands(...names) {
  return names.flatMap((name) => [`cli/commands/${name}`, ...(name === 'init' ? [] : [`cli/${name}`])]);
}

/** Has all that is loaded with `import()` come in groups, of which `start` has a name of its own. */
const grouped = (out) => ({
  name: 'grouped',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) => {
      if (kind !== 'dynamic-import' || !resolveDir.startsWith(out)) return undefined;
      const module = relative(out, join(resolveDir, path)).replaceAll(sep, '/').replace(/\.js$/, '');
      const name = Object.keys(GROUPS).find((each) => GROUPS[each].includes(module));
      if (name === undefined) throw new Error(`${module} is loaded with import() and belongs to no group`);
      return { path: name, namespace: 'group' };
    });
    onResolve({ filter: /^group:/ }, ({ path }) => ({
      path: path.replace('group:', ''),
      namespace: 'group',
    }));
    onLoad({ filter: /.*/, namespace: 'group' }, ({ path }) => ({
      contents: GROUPS[path].map((module) => `export * from './${module}.js';`).join('\n'),
      resolveDir: out,
    }));
  },
});

/** Leaves what is loaded with `import()` where it stands, beside. */
const alone = {
  name: 'alone',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\// }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
  },
};

const LOAD = `import { createRequire } from 'node:module';
let library;
const load = (name) => (library ??= createRequire(import.meta.url)(name));`;

/**
 * What most starts do without is loaded when it is first asked for. In the library these are imports, which every bundler
 * follows.
 */
export const lazy = {
  name: 'lazy',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /[\\/]yaml-library\.js$/ }, () => ({
      contents: `${LOAD} export const yamlLibrary = () => load('yaml');`,
    }));
    onResolve({ filter: /^ignore$/ }, ({ path }) => ({ path, namespace: 'lazy' }));
    onLoad({ filter: /.*/, namespace: 'lazy' }, () => ({
      contents: `${LOAD} export default (...options) => load('ignore')(...options);`,
    }));
    // The SDK makes one for each server and client, and each makes its engine when it is first given a schema.
    onLoad(
      { filter: /@modelcontextprotocol[\\/](client|server)[\\/]dist[\\/]shimsNode\.mjs$/ },
      ({ path }) => {
        const [, name] = /@modelcontextprotocol[\\/](client|server)/.exec(path);
        const engine = /^import \{ n as AjvJsonSchemaValidator \} from "\.\/ajvProvider-[\w-]+\.mjs";$/m;
        const text = readFileSync(path, 'utf8');
        if (!engine.test(text)) throw new Error(`${path} loads its validator in another way`);
        return {
          contents: text.replace(engine, () => lazyValidator(`@modelcontextprotocol/${name}/validators/ajv`)),
        };
      },
    );
  },
};

const lazyValidator = (specifier) => `${LOAD}
class AjvJsonSchemaValidator {
  #engine;
  #validator;
  constructor(engine) {
    this.#engine = engine;
  }
  getValidator(schema) {
    this.#validator ??= new (load('${specifier}').AjvJsonSchemaValidator)(this.#engine);
    return this.#validator.getValidator(schema);
  }
}`;

/** Modules of node, where bundled packages ask for them in ways that cannot stay. */
const builtins = {
  name: 'builtins',
  setup({ onLoad, onResolve }) {
    const known = new Set(builtinModules);
    onResolve({ filter: /^(node:)?[a-z_/]+$/ }, ({ path, kind }) =>
      kind === 'require-call' && known.has(path.replace('node:', ''))
        ? { path, namespace: 'required' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'required' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
    // To import it opens stdin, stdout and stderr, whoever needs them.
    onResolve({ filter: /^node:process$/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: 'process' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'process' }, () => ({ contents: 'export default process;' }));
  },
};

/** Bundles the program of the library built in `folder`, in its folder `cli`, with the licences of what is in it. */
export async function bundleProgram(folder) {
  // As the bundler names what it finds.
  const out = realpathSync(folder);
  const bundled = join(out, '.cli');
  const options = {
    absWorkingDir: ROOT,
    // The folder may stand anywhere.
    nodePaths: [join(ROOT, 'node_modules')],
    outdir: bundled,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: INSTALLED.flatMap((name) => [name, `${name}/*`]),
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  };
  const built = await Promise.all([
    // Of one file, for those who ask for the version.
    build({ ...options, entryPoints: { main: join(out, 'cli', 'main.js') }, plugins: [alone] }),
    build({
      ...options,
      entryPoints: { start: 'group:start' },
      splitting: true,
      plugins: [grouped(out), lazy, builtins],
    }),
    // A thread shares nothing with who starts it, by its URL, from a file beside it.
    build({
      ...options,
      entryPoints: { 'facts-worker': join(out, 'source', 'facts-worker.js') },
      plugins: [lazy, builtins],
    }),
  ]);
  writeFileSync(
    join(bundled, 'THIRD-PARTY-LICENSES.txt'),
    thirdPartyLicences(
      ROOT,
      built.flatMap(({ metafile }) => Object.values(metafile.outputs)),
    ),
  );
  rmSync(join(out, 'cli'), { recursive: true });
  renameSync(bundled, join(out, 'cli'));
  chmodSync(join(out, 'cli', 'main.js'), 0o755);
}
