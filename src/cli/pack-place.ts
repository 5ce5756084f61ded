/**
 * Where an archive must not go.
 *
 * @module
 */
import { realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { Skill } from '../catalog/index.ts';
import type { Source } from '../source/index.ts';
import type { PackPlan } from './pack-plan.ts';
import { createSourcePaths } from './source-paths.ts';
import { usageError } from './usage.ts';

/**
 * Refuses an archive in the folder of a skill that is packed: the next packing would find it there and make another one.
 * An ignored place is fine.
 *
 * Errors: `USAGE`.
 */
export function refuseInside(plan: PackPlan, source: Source, written: string): void {
  if ('stdout' in plan) return;
  const { folder, archives } = plan;
  const paths = createSourcePaths(written, source);
  const target = realPath(resolve(folder));
  for (const { skill } of archives) {
    const home = paths.onDisk(skill.path);
    const below = home === undefined ? undefined : relative(realPath(home), target);
    if (below === undefined || below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) continue;
    for (const { name } of archives) {
      if (isIgnored(source, skill, join(below, name))) continue;
      throw usageError(
        `${join(folder, name)} would stand in the skill ${skill.name} and be packed the next time`,
        'put it elsewhere with --to, or name it in .skillignore',
      );
    }
  }
}

function isIgnored(source: Source, skill: Skill, below: string): boolean {
  const path = below.split(sep).join('/');
  return source.ignores?.(skill.path === '' ? path : `${skill.path}/${path}`) === true;
}

/** The real path of what may not be there yet. */
function realPath(path: string): string {
  const above = dirname(path);
  try {
    return realpathSync(path);
  } catch (error) {
    if (above === path) throw error;
    return join(realPath(above), relative(above, path));
  }
}
