import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtIsFresh } from '../cli/program.ts';
import { ROOT } from '../house/tree.ts';

/** A folder in which the package was built, as `dist`, and which may be written to. */
export interface Built {
  readonly folder: string;
  readonly dist: string;
  remove(): void;
}

/** The package as it is built; what was built from these very sources is taken as it is. */
export function builtPackage(): Built {
  const folder = mkdtempSync(join(tmpdir(), 'skillwire-built-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  const dist = join(folder, 'dist');
  if (builtIsFresh()) symlinkSync(join(ROOT, 'dist'), dist, 'junction');
  else {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build.mjs', dist], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    if (status !== 0) {
      remove();
      throw new Error(`the build failed:\n${stdout}${stderr}`);
    }
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  return { folder, dist, remove };
}
