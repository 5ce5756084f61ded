import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tokenize } from './tokens.ts';
import { importsOf, ROOT, resolveImport, roomOf, sources } from './tree.ts';

const BASE = ['clock', 'errors', 'limits', 'logger', 'mime', 'pace', 'telemetry', 'version'];
const SYNTAX = [...BASE, 'format', 'uri'];
const ARCHIVE = [...SYNTAX, 'net', 'integrity', 'archive'];
const CATALOG = [...ARCHIVE, 'source', 'catalog'];
const SERVER = [...CATALOG, 'prompts', 'wire', 'server'];
const CLIENT = [...ARCHIVE, 'wire', 'client'];
const HOST = [...CLIENT, 'host'];

/** Which rooms a room may import, itself always. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  clock: BASE,
  errors: BASE,
  limits: BASE,
  logger: BASE,
  mime: BASE,
  pace: BASE,
  version: BASE,
  telemetry: BASE,
  format: BASE,
  // The last segment of a skill path is a skill name, so the naming rule is read from where it stands.
  uri: SYNTAX,
  net: BASE,
  integrity: [...SYNTAX, 'net'],
  archive: ARCHIVE,
  source: [...ARCHIVE, 'source'],
  catalog: CATALOG,
  prompts: [...ARCHIVE, 'source'],
  wire: [...SYNTAX, 'integrity'],
  store: [...SYNTAX, 'integrity'],
  server: SERVER,
  client: CLIENT,
  host: HOST,
  http: [...SERVER, ...HOST],
  cli: [...SERVER, ...HOST, 'http', 'store'],
  testing: [...SERVER, ...HOST, 'http'],
  index: [...SERVER, ...HOST, 'http', 'store'],
};

describe('import direction', () => {
  it('knows every room', () => {
    const unknown = sources()
      .map((file) => roomOf(file.path))
      .filter((room) => MAY_IMPORT[room] === undefined);
    expect(unknown).toEqual([]);
  });

  it('points one way', () => {
    const wrong: string[] = [];
    for (const file of sources()) {
      const room = roomOf(file.path);
      for (const { specifier, line } of file.imports) {
        const target = resolveImport(file.path, specifier);
        if (target === undefined) continue;
        const other = roomOf(target);
        if (other !== room && !(MAY_IMPORT[room] ?? []).includes(other)) {
          wrong.push(`${file.path}:${line} ${room} imports ${other} (${specifier})`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('has no circle between rooms', () => {
    const circles: string[] = [];
    for (const [room, others] of Object.entries(MAY_IMPORT)) {
      for (const other of others) {
        const base = BASE.includes(room) && BASE.includes(other);
        if (other !== room && !base && (MAY_IMPORT[other] ?? []).includes(room))
          circles.push(`${room} and ${other}`);
      }
    }
    expect(circles).toEqual([]);
  });

  it('has no circle between files, types aside', () => {
    const graph = new Map(
      sources().map((file) => [
        file.path,
        file.imports
          .filter((each) => !each.typeOnly)
          .map((each) => resolveImport(file.path, each.specifier))
          .filter((path) => path !== undefined),
      ]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const visit = (path: string, trail: readonly string[]): void => {
      if (trail.includes(path)) {
        circles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
        return;
      }
      if (done.has(path)) return;
      for (const next of graph.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    };
    for (const path of graph.keys()) visit(path, []);
    expect(circles).toEqual([]);
  });

  it('names files that exist, with the ending .ts', () => {
    const wrong = sources().flatMap((file) =>
      file.imports
        .filter(({ specifier }) => specifier.startsWith('.'))
        .filter(({ specifier }) => {
          const target = resolveImport(file.path, specifier);
          return !specifier.endsWith('.ts') || target === undefined || !existsSync(join(ROOT, target));
        })
        .map(({ specifier, line }) => `${file.path}:${line} ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });
});

describe('the scanner behind these rules', () => {
  it.each([
    ["import { a } from './a.ts';", ['./a.ts']],
    ["import type { A } from './a.ts';\nimport './b.ts';", ['./a.ts', './b.ts']],
    ["export { a } from './a.ts'; // from './no.ts'", ['./a.ts']],
    ["/* import './no.ts' */ const text = \"import './no.ts'\";", []],
    ["const t = `import './no.ts' $" + "{f(`from './no.ts'`)} `; await import('./yes.ts');", ['./yes.ts']],
    ["const r = /from '.\\/no.ts'/; const d = a / b; require('node:fs')", ['node:fs']],
    ["type T = import('./t.ts').T;", ['./t.ts']],
  ])('reads %j', (code, expected) => {
    expect(importsOf(tokenize(code)).map((each) => each.specifier)).toEqual(expected);
  });

  it('tells types from values', () => {
    const code = `import type { A } from 'a'; import { type B, type C } from 'b'; import { type D, e } from 'c'; import f from 'd'; export type { G } from 'e';`;
    expect(importsOf(tokenize(code)).map((each) => each.typeOnly)).toEqual([true, true, false, false, true]);
  });
});
