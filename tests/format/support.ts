import type { SkillError } from '../../src/errors.ts';

const encoder = new TextEncoder();

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** A whole `SKILL.md` around these lines of YAML. */
export function skillOf(...lines: readonly string[]): string {
  return `---\n${lines.join('\n')}\n---\n`;
}

/** What `run` throws; fails when it throws nothing, or something that is no `SkillError`. */
export function thrownBy(run: () => unknown): SkillError {
  try {
    run();
  } catch (error) {
    if (error instanceof Error && error.name === 'SkillError') return error as SkillError;
    throw error;
  }
  throw new Error('nothing was thrown');
}
