import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A module of an installed peer, which programs outside its folder cannot import by name. What it exports is for the
 * caller to say: no types are installed with it where this is compiled.
 *
 * Errors: the package is not there, or exports no such module.
 */
export async function peerImport<T>(folder: string, specifier: string): Promise<T> {
  const parts = specifier.split('/');
  const name = parts.slice(0, specifier.startsWith('@') ? 2 : 1).join('/');
  const root = join(folder, 'node_modules', ...name.split('/'));
  const below = `.${specifier.slice(name.length)}`;
  const { exports: exported } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Readonly<Record<string, unknown>>;
  };
  const file = targetOf(exported[below]) ?? wildcard(exported, below);
  if (file === undefined || !existsSync(join(root, file))) throw new Error(`no module ${specifier}`);
  return (await import(pathToFileURL(join(root, file)).href)) as T;
}

function targetOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return undefined;
  const conditions = value as Readonly<Record<string, unknown>>;
  for (const condition of ['node', 'import', 'default']) {
    const found = targetOf(conditions[condition]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The pattern `./*` of older packages. */
function wildcard(exported: Readonly<Record<string, unknown>>, below: string): string | undefined {
  return targetOf(exported['./*'])?.replace('*', below.slice(2));
}
