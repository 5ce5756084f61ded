/** docs/reference/mcpkit.md: all names of seed 000 are there, and what each row names stands in the built package. */
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT, textOf } from '../house/tree.ts';

interface Row {
  readonly go: string;
  readonly state: 'here' | 'none';
  /** `NAME`, `Type.member`, or a code. */
  readonly target: string;
  /** A subpath, or `error code`. */
  readonly from: string;
  readonly test: string;
}

const names: readonly { readonly kind: string; readonly name: string }[] = JSON.parse(
  textOf('tests/vectors/mcpkit-api.json'),
);

const rows: readonly Row[] = textOf('docs/reference/mcpkit.md')
  .split('\n## ')
  .slice(1)
  .flatMap((section) => section.split('\n').filter((line) => line.startsWith('| `')))
  .map((line) => {
    const [go = '', here = '', from = '', test = ''] = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    return {
      go: go.replaceAll('`', ''),
      state: here.startsWith('none') ? 'none' : 'here',
      target: /`([^`]+)`/.exec(here)?.[1] ?? '',
      from: from.replaceAll('`', ''),
      test: test.replaceAll('`', ''),
    };
  });

let folder: string;
/** What a door of the built package exports as values. */
const doors = new Map<string, Record<string, unknown>>();

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-mcpkit-')));
  const out = join(folder, 'dist');
  const build = spawnSync(process.execPath, ['scripts/build.mjs', out], { cwd: ROOT, encoding: 'utf8' });
  if (build.status !== 0) throw new Error(`the build failed:\n${build.stdout}${build.stderr}`);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  for (const from of new Set(rows.map((row) => row.from))) {
    if (from.startsWith('skillwire/')) doors.set(from, await import(pathToFileURL(doorOf(from)).href));
  }
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function doorOf(from: string): string {
  return join(folder, 'dist', from.slice('skillwire/'.length), 'index.js');
}

/** The rows whose target is no type of the built declarations; one compilation answers for all. */
function withoutType(asked: readonly Row[]): string[] {
  const lines = asked.map(({ target, from }, at) => {
    const [type, member] = target.split('.');
    const path = `./dist/${from.slice('skillwire/'.length)}/index.js`;
    const inside = member === undefined ? '' : `['${member}']`;
    return `export type T${at} = import('${path}').${type}${inside};`;
  });
  writeFileSync(join(folder, 'use.ts'), lines.join('\n'));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const { stdout } = spawnSync(
    process.execPath,
    [tsc, '--noEmit', '--skipLibCheck', '--strict', '--module', 'nodenext', '--target', 'es2023', 'use.ts'],
    { cwd: folder, encoding: 'utf8' },
  );
  const wrong = new Set([...stdout.matchAll(/use\.ts\((\d+),/g)].map((match) => Number(match[1]) - 1));
  if (wrong.size === 0 && stdout.includes('error TS')) throw new Error(stdout);
  return asked.filter((_, at) => wrong.has(at)).map(({ go, target, from }) => `${go}: ${target} of ${from}`);
}

describe('docs/reference/mcpkit.md', () => {
  it('has each of the 204 names once, in the sections of their kinds', () => {
    expect(names).toHaveLength(204);
    const inOrder = ['const var', 'error', 'type', 'func', 'method'].flatMap((kinds) =>
      names.filter(({ kind }) => kinds.split(' ').includes(kind)).map(({ name }) => name),
    );
    expect(rows.map(({ go }) => go)).toEqual(inOrder);
  });

  it('says none only of option functions and of a text form', () => {
    expect(rows.filter(({ state }) => state === 'none').map(({ go }) => go)).toEqual([
      'ActivateOption',
      'FetchOption',
      'GitHubOption',
      'IndexerOption',
      'Option',
      'ProviderOption',
      'ReadDirectoryOption',
      'WatcherOption',
      'ArchiveFormat.String',
    ]);
  });

  it('names values, types and members that the built package has', () => {
    const ofDoors = rows.filter(({ from }) => from.startsWith('skillwire/'));
    const types = ofDoors.filter(({ target, from }) => !(target in (doors.get(from) ?? {})));
    expect(ofDoors.length - types.length).toBeGreaterThan(70);
    expect(withoutType(types)).toEqual([]);
  });

  it('is held by a compilation that sees what is missing', () => {
    const row = { go: 'X', state: 'here', test: '', from: 'skillwire/server' } as const;
    expect(
      withoutType([
        { ...row, target: 'SkillProvider.refresh' },
        { ...row, target: 'SkillProvider.nothing' },
        { ...row, target: 'Nothing' },
      ]),
    ).toEqual(['X: SkillProvider.nothing of skillwire/server', 'X: Nothing of skillwire/server']);
  });

  it('names codes of the built table', async () => {
    const { ERROR_TABLE } = (await import(pathToFileURL(join(folder, 'dist', 'errors.js')).href)) as {
      ERROR_TABLE: Record<string, unknown>;
    };
    const codes = rows.filter(({ from }) => from === 'error code').map(({ target }) => target);
    expect(codes).toHaveLength(39);
    expect(codes.filter((code) => !(code in ERROR_TABLE))).toEqual([]);
  });

  it('names tests that are there, and that speak of each function, member, constant and code', () => {
    const silent = rows.filter(({ go, target, from, test, state }) => {
      const path = join(ROOT, test);
      if (!existsSync(path)) return true;
      const [name = '', member] = target.split('.');
      const isType = from !== 'error code' && member === undefined && !(name in (doors.get(from) ?? {}));
      if (isType || state === 'none') return false;
      const text = readFileSync(path, 'utf8');
      return !text.includes(member ?? name) && !text.includes(go);
    });
    expect(silent.map(({ go, target, test }) => `${go}: ${target} in ${test}`)).toEqual([]);
  });

  it('names only doors that the package opens', () => {
    const { exports } = JSON.parse(textOf('package.json')) as { exports: Record<string, unknown> };
    const froms = new Set(rows.map(({ from }) => from).filter((from) => from !== 'error code'));
    expect([...froms].filter((from) => !(from.replace('skillwire', '.') in exports))).toEqual([]);
  });
});
