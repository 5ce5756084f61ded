import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenize } from '../house/tokens.ts';
import { importsOf, ROOT } from '../house/tree.ts';
import { type Built, builtPackage } from './built.ts';

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
  it.each(['--version', '-V'])('loads three small files for %s', (word) => {
    const { own, packages } = loadedBy([word]);
    expect(packages).toEqual([]);
    expect(own[0]).toBe('main.js');
    expect(own.length).toBeLessThanOrEqual(3);
    for (const name of own) expect(readFileSync(join(folder, name)).length).toBeLessThan(2_000);
  });

  it('loads only what reads a command line for --help', () => {
    expect(loadedBy(['--help']).packages).toEqual(['commander']);
  });

  it('loads for serve what serves, in few files: no client, no YAML library, no compressor, no network library', () => {
    mkdirSync(join(built, 'skills', 'a'), { recursive: true });
    writeFileSync(
      join(built, 'skills', 'a', 'SKILL.md'),
      '---\nname: a\ndescription: Does a thing.\n---\nText.\n',
    );
    // Over stdio it ends with its input, which is empty.
    const { own, packages } = loadedBy(['serve', 'skills', '--no-cache']);
    expect(packages).toEqual([
      '@modelcontextprotocol/core',
      '@modelcontextprotocol/server',
      'commander',
      'zod',
    ]);
    expect(own.length).toBeLessThanOrEqual(60);
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

  it('is whole: every file that one of its files names is there, and every package a dependency', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const wrong: string[] = [];
    for (const name of readdirSync(folder)) {
      for (const { specifier } of importsOf(tokenize(readFileSync(join(folder, name), 'utf8')))) {
        if (specifier.startsWith('node:')) continue;
        const known = specifier.startsWith('.')
          ? existsSync(join(folder, specifier))
          : dependencies[/^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''] !== undefined;
        if (!known) wrong.push(`${name}: ${specifier}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
