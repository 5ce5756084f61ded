import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../house/tree.ts';

/** What a checkout gives to `npm pack`. */
const NEEDED = [
  'src',
  'scripts',
  'package.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'LICENSE',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs',
];

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  exports: Record<string, unknown>;
};
const doors = Object.keys(manifest.exports).filter((name) => name !== './package.json');
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

let temp: string;
let project: string;
let packed: readonly string[];

/** Runs a program to its end and gives its output; fails with all of it. */
function run(command: string, args: readonly string[], cwd: string, status = 0): string {
  const done = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    timeout: 240_000,
    shell: process.platform === 'win32',
  });
  if (done.status !== status) {
    throw new Error(
      `${command} ${args.join(' ')} ended with ${done.status ?? done.signal}\n${done.stdout}\n${done.stderr}`,
    );
  }
  return done.stdout;
}

beforeAll(() => {
  temp = mkdtempSync(join(tmpdir(), 'skillwire-pack-'));
  const checkout = join(temp, 'checkout');
  project = join(temp, 'project');
  mkdirSync(project, { recursive: true });
  for (const name of NEEDED) cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'), 'junction');

  const out = run(npm, ['pack', '--json', '--pack-destination', temp], checkout);
  // A build script may speak before the document.
  const [report] = Object.values(
    JSON.parse(out.slice(out.search(/^[[{]/m))) as Record<
      string,
      { filename: string; files: { path: string }[] }
    >,
  );
  if (report === undefined) throw new Error(`npm pack reported nothing:\n${out}`);
  packed = report.files.map((file) => file.path);
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'empty', private: true, type: 'module' }),
  );
  run(
    npm,
    [
      'install',
      '--prefer-offline',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      join(temp, report.filename),
    ],
    project,
  );
}, 300_000);
afterAll(() => rmSync(temp, { recursive: true, force: true }));

describe('the packed tarball', () => {
  it('holds dist, the licence, those of what is bundled, README, CHANGELOG, and nothing else', () => {
    const others = packed.filter((path) => !/^dist\/.+\.(js|d\.ts)$/.test(path)).sort();
    expect(others).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/cli/THIRD-PARTY-LICENSES.txt',
      'package.json',
    ]);
  });

  it('holds the built door of every export, with its types', () => {
    const paths = doors.flatMap((door) => {
      const folder = door === '.' ? 'dist' : `dist/${door.slice(2)}`;
      return [`${folder}/index.js`, `${folder}/index.d.ts`];
    });
    expect(paths.filter((path) => !packed.includes(path))).toEqual([]);
  });
});

describe('an empty project that installs it', () => {
  const bin = (): string =>
    join(project, 'node_modules', '.bin', process.platform === 'win32' ? 'skillwire.cmd' : 'skillwire');

  it('runs skillwire --version', () => {
    expect(run(bin(), ['--version'], project).trim()).toBe(manifest.version);
  });

  it('runs skillwire without arguments to a usage error', () => {
    run(bin(), ['no-such-command'], project, 2);
  });

  it('lists the skills of a server that the program itself starts', () => {
    mkdirSync(join(project, 'skills', 'hello'), { recursive: true });
    writeFileSync(
      join(project, 'skills', 'hello', 'SKILL.md'),
      '---\nname: hello\ndescription: >-\n  Greets,\n  in two lines.\n---\nSay hello.\n',
    );
    const main = join(project, 'node_modules', 'skillwire', 'dist', 'cli', 'main.js');
    const words = ['list', '--json', '--', process.execPath, main, 'serve', 'skills', '--no-cache'];
    expect(run(bin(), words, project)).toContain('skill://hello/SKILL.md');
  });

  it('imports every subpath, and none exports nothing', () => {
    const names = doors.map((door) => (door === '.' ? 'skillwire' : `skillwire/${door.slice(2)}`));
    writeFileSync(
      join(project, 'every.js'),
      `const counts = {};\nfor (const name of ${JSON.stringify(names)}) counts[name] = Object.keys(await import(name)).length;\nconsole.log(JSON.stringify(counts));`,
    );
    const counts = JSON.parse(run(process.execPath, ['every.js'], project)) as Record<string, number>;
    expect(Object.keys(counts)).toEqual(names);
    expect(Object.entries(counts).filter(([, count]) => count === 0)).toEqual([]);
  });

  it('refuses a path that is no export', () => {
    writeFileSync(join(project, 'deep.js'), "await import('skillwire/dist/errors.js');");
    expect(() => run(process.execPath, ['deep.js'], project)).toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('serves a skill from its own code and reads it, type-checked against the shipped declarations', () => {
    writeFileSync(
      join(project, 'use.ts'),
      [
        ...doors.map(
          (door, at) => `import * as door${at} from 'skillwire${door === '.' ? '' : door.slice(1)}';`,
        ),
        "import { createProvider, isSkillError } from 'skillwire';",
        "import { memorySource } from 'skillwire/source';",
        "import { parseSkillUri } from 'skillwire/uri';",
        "const source = memorySource({ 'hello/SKILL.md': '---\\nname: hello\\ndescription: Greets.\\n---\\nSay hello.\\n' });",
        'const provider = await createProvider({ source });',
        "const uri: string = provider.catalog.snapshot.skills[0]?.uri ?? '';",
        'const name: string = parseSkillUri(uri).skillName;',
        `const count: number = [${doors.map((_, at) => `door${at}`).join(', ')}].length;`,
        "try { parseSkillUri('skill://'); } catch (error) { if (!isSkillError(error, 'EMPTY_SKILL_PATH')) throw error; }",
        'await provider.close();',
        'console.log(uri, name, count);',
      ].join('\n'),
    );
    writeFileSync(
      join(project, 'tsconfig.json'),
      JSON.stringify({
        compilerOptions: {
          ...{
            target: 'ES2023',
            module: 'NodeNext',
            moduleResolution: 'NodeNext',
            strict: true,
            exactOptionalPropertyTypes: true,
          },
          ...{
            lib: ['ES2023', 'ESNext.Disposable'],
            types: ['node'],
            typeRoots: [join(ROOT, 'node_modules', '@types')],
            outDir: 'out',
          },
        },
        files: ['use.ts'],
      }),
    );
    run(process.execPath, [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.'], project);
    const said = run(process.execPath, [join('out', 'use.js')], project);
    expect(said.trim()).toBe(`skill://hello/SKILL.md hello ${doors.length}`);
  });
});
