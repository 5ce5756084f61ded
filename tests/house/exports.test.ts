import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, rooms } from './tree.ts';

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
const doors = [
  '.',
  ...rooms()
    .filter((room) => existsSync(join(ROOT, 'src', room, 'index.ts')))
    .map((room) => `./${room}`),
];

describe('exports of the package', () => {
  it('are the doors of the rooms, the manifest, and nothing else', () => {
    expect(Object.keys(manifest.exports).sort()).toEqual([...doors, './package.json'].sort());
  });

  it.each(doors)('%s leads to its built door', (door) => {
    const folder = door === '.' ? './dist' : `./dist/${door.slice(2)}`;
    expect(manifest.exports[door]).toEqual({ types: `${folder}/index.d.ts`, default: `${folder}/index.js` });
  });

  it('have no wildcard', () => {
    expect(Object.keys(manifest.exports).filter((name) => name.includes('*'))).toEqual([]);
  });

  it('name a program whose source stands', () => {
    const programs = Object.values(manifest.bin).map((path) =>
      path.replace('./dist/', 'src/').replace(/\.js$/, '.ts'),
    );
    expect(programs.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });
});
