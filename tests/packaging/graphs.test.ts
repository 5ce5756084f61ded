import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tokenize } from '../house/tokens.ts';
import { importsOf, ROOT } from '../house/tree.ts';
import { type Built, builtPackage } from './built.ts';

let built: Built;

beforeAll(() => {
  built = builtPackage();
}, 120_000);
afterAll(() => built.remove());

/** Every package and built-in module that a built door loads, directly or through other files. */
function loads(door: string): string[] {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { specifier } of importsOf(tokenize(readFileSync(path, 'utf8')))) {
      if (specifier.startsWith('.')) visit(resolve(dirname(path), specifier));
      else packages.add(specifier);
    }
  };
  visit(join(built.dist, door, 'index.js'));
  return [...packages].sort();
}

describe('what a built door loads', () => {
  it('skillwire/uri: nothing', () => {
    expect(loads('uri')).toEqual([]);
  });

  it('skillwire/format: only yaml', () => {
    expect(loads('format')).toEqual(['yaml']);
  });

  it('skillwire/integrity: no package but yaml', () => {
    expect(loads('integrity').filter((name) => !name.startsWith('node:') && name !== 'yaml')).toEqual([]);
  });

  it('skillwire/archive: only the compressor, and nothing of sources', () => {
    expect(loads('archive').filter((name) => !name.startsWith('node:'))).toEqual(['fflate/browser']);
  });

  it('skillwire/source and skillwire/catalog: not the SDK', () => {
    const found = [...loads('source'), ...loads('catalog')].filter((name) =>
      name.startsWith('@modelcontextprotocol/'),
    );
    expect(found).toEqual([]);
  });

  it('every package that any door loads is a dependency', () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      exports: Record<string, unknown>;
      dependencies: Record<string, string>;
    };
    const doors = Object.keys(manifest.exports).filter((name) => name !== './package.json');
    const names = doors
      .flatMap((door) => loads(door))
      .filter((name) => !name.startsWith('node:'))
      .map((name) =>
        name
          .split('/')
          .slice(0, name.startsWith('@') ? 2 : 1)
          .join('/'),
      );
    expect([...new Set(names)].filter((name) => manifest.dependencies[name] === undefined)).toEqual([]);
  });
});
