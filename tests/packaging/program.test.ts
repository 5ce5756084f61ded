import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import * as nodeModule from 'node:module';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../house/tree.ts';
import { type Built, builtPackage } from './built.ts';

/** As the bundler writes an import: each begins a line, or is a call. */
const IMPORTED = /^(?:(?:import|export)\b[^;'"]*?\bfrom |import |\} from )"([^"]+)";|\bimport\("([^"]+)"\)/gm;

let whole: Built;
let built: string;
let folder: string;
let program: string;

beforeAll(() => {
  whole = builtPackage();
  built = whole.folder;
  folder = join(whole.dist, 'cli');
  program = join(folder, 'main.js');
}, 120_000);
afterAll(() => whole.remove());

/** What node loads of packages and of ours when it runs the program with these words, as the loader itself says. */
function loadedBy(words: readonly string[]): { own: string[]; packages: string[] } {
  const trace = join(built, 'trace.mjs');
  writeFileSync(
    trace,
    "import { register } from 'node:module';\nregister('./hooks.mjs', import.meta.url);\n",
  );
  writeFileSync(
    join(built, 'hooks.mjs'),
    [
      "import { writeSync } from 'node:fs';",
      'export async function load(url, context, next) {',
      "  if (url.startsWith('file:')) writeSync(2, `loaded ${url}\\n`);",
      '  return next(url, context);',
      '}',
    ].join('\n'),
  );
  const { stderr } = spawnSync(process.execPath, ['--import', trace, program, ...words], {
    cwd: built,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const urls = [...stderr.matchAll(/^loaded (\S+)$/gm)].map(([, url = '']) => url);
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1] ?? []);
  return {
    own: urls
      .filter((url) => url.includes('/dist/cli/') && !url.includes('/node_modules/'))
      .map((url) => url.slice(url.lastIndexOf('/') + 1)),
    packages: [...new Set(packages)].sort(),
  };
}

describe('the built program', () => {
  it.each(['--version', '-V'])('loads one small file for %s', (word) => {
    expect(loadedBy([word])).toEqual({ own: ['main.js'], packages: [] });
    expect(readFileSync(program).length).toBeLessThan(2_000);
  });

  it('loads few files and no package for --help', () => {
    const { own, packages } = loadedBy(['--help']);
    expect(packages).toEqual([]);
    expect(own.length).toBeLessThanOrEqual(10);
  });

  it('loads for serve few files and no package: no client, no YAML library, no compressor, no network library', () => {
    mkdirSync(join(built, 'skills', 'a'), { recursive: true });
    writeFileSync(
      join(built, 'skills', 'a', 'SKILL.md'),
      '---\nname: a\ndescription: Does a thing.\n---\nText.\n',
    );
    // Over stdio it ends with its input, which is empty.
    const { own, packages } = loadedBy(['serve', 'skills', '--no-cache']);
    expect(packages).toEqual([]);
    expect(own.length).toBeLessThanOrEqual(20);
    const text = own.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
    expect(text).toContain('McpServer = class ');
    expect(text).not.toContain('StreamableHTTPClientTransport = class ');
  });

  it.each([
    ['keeps what node compiled of it, where node can, for the next serve', ['serve', 'kept'], true],
    ['keeps nothing with --no-cache', ['serve', 'kept', '--no-cache'], false],
    ['keeps nothing for other commands', ['check', 'kept'], false],
  ])('%s', (_, words, keeps) => {
    mkdirSync(join(built, 'kept', 'a'), { recursive: true });
    writeFileSync(
      join(built, 'kept', 'a', 'SKILL.md'),
      '---\nname: a\ndescription: Does a thing.\n---\nText.\n',
    );
    const cache = mkdtempSync(join(built, 'cache-'));
    const { NODE_COMPILE_CACHE: _elsewhere, NODE_DISABLE_COMPILE_CACHE: _disabled, ...env } = process.env;
    const { status, stderr } = spawnSync(process.execPath, [program, ...words], {
      cwd: built,
      encoding: 'utf8',
      timeout: 60_000,
      env: { ...env, XDG_CACHE_HOME: cache },
    });
    expect([status, stderr.includes('Error')]).toEqual([0, false]);
    const code = join(cache, 'skillwire', 'code');
    const files = existsSync(code) ? readdirSync(code, { recursive: true }) : [];
    expect(files.length > 0).toBe(keeps && 'enableCompileCache' in nodeModule);
  });

  describe.skipIf(!existsSync('/dev/full'))('on a full disk', () => {
    /** Its exit code and what it says, with one of its streams there. */
    const runFull = (words: readonly string[], stream: 1 | 2): { status: number | null; said: string } => {
      const full = openSync('/dev/full', 'w');
      try {
        const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
          cwd: built,
          encoding: 'utf8',
          timeout: 60_000,
          stdio: ['ignore', stream === 1 ? full : 'pipe', stream === 2 ? full : 'pipe'],
        });
        return { status, said: (stream === 1 ? stderr : stdout) ?? '' };
      } finally {
        closeSync(full);
      }
    };
    beforeAll(() => {
      mkdirSync(join(built, 'full', 'a'), { recursive: true });
      writeFileSync(
        join(built, 'full', 'a', 'SKILL.md'),
        '---\nname: a\ndescription: Does a thing.\n---\nText.\n',
      );
    });

    it.each([
      [['--version']],
      [['--help']],
      [['list', 'full']],
      [['list', 'full', '--json']],
      [['show', 'full', 'a', 'SKILL.md']],
    ])('says so and ends with 3: %j', (words) => {
      const { status, said } = runFull(words, 1);
      expect(status).toBe(3);
      expect(said).toMatch(/^skillwire: error\[WRITE_FAILED\]: cannot write stdout: /m);
      expect(said).not.toMatch(/^ +at /m);
    });

    it('goes on without what it has to say', () => {
      expect(runFull(['list', 'full'], 2)).toMatchObject({
        status: 0,
        said: expect.stringContaining('skill://a/SKILL.md'),
      });
      expect(runFull(['serve', 'full', '--no-cache'], 2).status).toBe(0);
    });
  });

  it('loads the YAML library for a head that needs it', () => {
    mkdirSync(join(built, 'hard', 'b'), { recursive: true });
    writeFileSync(
      join(built, 'hard', 'b', 'SKILL.md'),
      '---\nname: b\ndescription: >-\n  Does &a thing,\n  in two lines.\nmetadata: {x: &x "1", y: *x}\n---\nText.\n',
    );
    const { stdout, status } = spawnSync(process.execPath, [program, 'check', 'hard', '--json'], {
      cwd: built,
      encoding: 'utf8',
      timeout: 60_000,
    });
    expect([status, JSON.parse(stdout).summary?.skills ?? JSON.parse(stdout).skills]).toMatchObject([0, 1]);
  });

  it.skipIf(availableParallelism() < 2)('starts its second thread, which stands beside it', () => {
    const many = join(built, 'many', 'many');
    mkdirSync(many, { recursive: true });
    writeFileSync(join(many, 'SKILL.md'), '---\nname: many\ndescription: Has many files.\n---\nText.\n');
    for (let at = 0; at < 2_100; at += 1) writeFileSync(join(many, `f${at}.md`), '');
    const { status, stderr } = spawnSync(process.execPath, [program, 'list', 'many', '--json'], {
      cwd: built,
      encoding: 'utf8',
      timeout: 60_000,
      env: { ...process.env, NODE_DEBUG: 'worker' },
    });
    expect(existsSync(join(folder, 'facts-worker.js'))).toBe(true);
    expect(status).toBe(0);
    expect(stderr).toContain('facts-worker.js');
    expect(stderr).toMatch(/\[1\].* starts worker script/);
  });

  it('is whole: every file that one of its files names is there, and every package a dependency that is not in it', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const packages = new Set<string>();
    const wrong: string[] = [];
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.js'))) {
      const text = readFileSync(join(folder, name), 'utf8');
      const asked = [...text.matchAll(IMPORTED)].map((match) => match[1] ?? match[2] ?? '');
      const lazily = [...text.matchAll(/\bload\d*\("([^"]+)"\)/g)].map(([, specifier = '']) => specifier);
      for (const specifier of [...asked, ...lazily]) {
        if (specifier.startsWith('node:')) continue;
        if (!specifier.startsWith('.')) packages.add(specifier);
        else if (!existsSync(join(folder, specifier))) wrong.push(`${name}: ${specifier}`);
      }
    }
    expect(wrong).toEqual([]);
    // The engine of schemas loads nothing else of the SDK.
    expect([...packages].sort()).toEqual([
      '@modelcontextprotocol/client/validators/ajv',
      '@modelcontextprotocol/server/validators/ajv',
      'fflate/browser',
      'ignore',
      'minisearch',
      'undici',
      'yaml',
    ]);
    const names = [...packages].map((each) => /^(?:@[^/]+\/)?[^/]+/.exec(each)?.[0] ?? '');
    expect(names.filter((each) => dependencies[each] === undefined)).toEqual([]);
  });

  it('leaves no dependency that nothing that is shipped loads', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const shipped = readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(join(ROOT, 'dist', name), 'utf8'));
    const isLoaded = (name: string): boolean =>
      shipped.some((text) =>
        new RegExp(`(?:from |import\\(|\\bload\\d*\\()['"]${name}(?:/|['"])`).test(text),
      );
    expect(Object.keys(dependencies).filter((name) => !isLoaded(name))).toEqual([]);
  });

  it('states the licences of everybody whose code is in it', () => {
    const text = readFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    const ids = [...text.matchAll(/^-{80}\n\n(\S+) (\d+\.\d+\.\d+)/gm)].map(([, name = '', version]) => ({
      name,
      version,
    }));
    expect(ids.map(({ name }) => name)).toEqual([
      '@modelcontextprotocol/client',
      '@modelcontextprotocol/core',
      '@modelcontextprotocol/server',
      'commander',
      // It stands in the bundle of the SDK.
      'content-type',
      'cross-spawn',
      'eventsource-parser',
      'isexe',
      'jose',
      'path-key',
      'pkce-challenge',
      'shebang-command',
      'shebang-regex',
      'which',
      'zod',
    ]);
    for (const { name, version } of ids.filter((each) => each.name !== 'content-type')) {
      const installed = join(ROOT, 'node_modules', name);
      expect(JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')).version).toBe(version);
      const licence = readdirSync(installed).find((each) => /^licen[cs]e/i.test(each)) ?? '';
      expect(text).toContain(readFileSync(join(installed, licence), 'utf8').trim());
    }
    expect(text).toContain('Copyright (c) 2015 Douglas Christopher Wilson');
  });
});
