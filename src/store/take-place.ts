/**
 * How a folder that is ready takes its place.
 *
 * @module
 */
import { lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SkillError } from '../errors.ts';
import { systemCode } from './atomic.ts';
import type { Hold } from './hold.ts';

/** What stands at a target. */
export type TargetState = 'nothing' | 'empty' | 'filled' | 'other';

/**
 * Moves what a holding folder has ready to `target`. In one go, so that neither a signal nor the end of the process comes
 * in between; a failure undoes what was moved.
 *
 * Errors: `TARGET_EXISTS` when somebody put something there meanwhile, `WRITE_FAILED` when what was replaced cannot be put
 * back, and those of the system.
 */
export function takePlace(state: TargetState, hold: Hold, target: string, shown: string): void {
  try {
    if (state === 'empty') fill(hold, target, shown);
    else if (state === 'filled') swap(hold, target, shown);
    else renameSync(hold.fresh, target);
  } catch (error) {
    if (['EEXIST', 'ENOTEMPTY', 'ENOTDIR'].includes(systemCode(error))) throw taken(shown, 'filled');
    throw error;
  }
}

/** `SKILL.md` comes last: a folder without it is no skill to anybody. */
function fill(hold: Hold, target: string, shown: string): void {
  const moved: string[] = [];
  const names = readdirSync(hold.fresh).sort((a, b) => Number(a === 'SKILL.md') - Number(b === 'SKILL.md'));
  try {
    for (const name of names) {
      if (lstatSync(join(target, name), { throwIfNoEntry: false }) !== undefined) {
        throw taken(shown, 'filled');
      }
      renameSync(join(hold.fresh, name), join(target, name));
      moved.push(name);
    }
  } catch (error) {
    for (const name of moved) renameSync(join(target, name), join(hold.fresh, name));
    throw error;
  }
}

function swap(hold: Hold, target: string, shown: string): void {
  const old = join(hold.old, basename(target));
  mkdirSync(hold.old, { mode: 0o700 });
  renameSync(target, old);
  try {
    renameSync(hold.fresh, target);
  } catch (error) {
    putBack(old, target, hold, shown);
    throw error;
  }
}

function putBack(old: string, target: string, hold: Hold, shown: string): void {
  try {
    renameSync(old, target);
  } catch (error) {
    hold.keep();
    throw new SkillError(
      'WRITE_FAILED',
      `${shown} could not be put back; it is whole at ${old}: move it back by hand`,
      { details: { path: shown, old }, cause: error },
    );
  }
}

/** Returns `TARGET_EXISTS`; its details say whether it is a folder. */
export function taken(shown: string, state: TargetState): SkillError {
  const why = state === 'other' ? 'exists and is no folder' : 'already exists and is not empty';
  return new SkillError('TARGET_EXISTS', `${shown} ${why}`, {
    details: { path: shown, folder: state !== 'other' },
  });
}
