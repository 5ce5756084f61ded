import { SkillError } from '../../src/errors.ts';

/** The code of the SkillError that `run` ends in; undefined when it ends well. Lets any other error through. */
export async function codeOf(run: () => unknown): Promise<string | undefined> {
  try {
    await run();
  } catch (error) {
    if (error instanceof SkillError) return error.code;
    throw error;
  }
  return undefined;
}
