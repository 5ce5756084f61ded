import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Everything below a folder, hidden names too: its path, its kind and bits, and what it holds or leads to. */
export function treeOf(folder: string): string[] {
  const lines: string[] = [];
  const walk = (below: string): void => {
    for (const name of readdirSync(join(folder, below)).sort()) {
      const path = join(below, name);
      const stats = lstatSync(join(folder, path));
      const bits = (stats.mode & 0o777).toString(8);
      if (stats.isSymbolicLink()) lines.push(`${path} -> ${readlinkSync(join(folder, path))}`);
      else if (stats.isDirectory()) {
        lines.push(`${path}/ ${bits}`);
        walk(path);
      } else lines.push(`${path} ${bits} ${readFileSync(join(folder, path), 'base64')}`);
    }
  };
  walk('');
  return lines;
}
