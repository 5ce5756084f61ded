import { SkillError } from '../../src/errors.ts';

/** The code of the SkillError that `run` throws; undefined when it does not throw. Lets any other error through. */
export function codeOf(run: () => unknown): string | undefined {
  try {
    run();
  } catch (error) {
    if (error instanceof SkillError) return error.code;
    throw error;
  }
  return undefined;
}
