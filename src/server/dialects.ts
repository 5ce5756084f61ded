/**
 * The dialects that a provider serves.
 *
 * @module
 */
import { SkillError } from '../errors.ts';

/**
 * A dialect that a provider serves: `released` is the extension, `draft-index` what seed 000 speaks, `fastmcp` what the
 * skills provider of FastMCP speaks, `well-known` what installers find over HTTP.
 */
export type ServedDialect = 'released' | 'draft-index' | 'fastmcp' | 'well-known';

/** All of them, which is what a provider serves unless told otherwise. */
export const SERVED_DIALECTS: readonly ServedDialect[] = ['released', 'draft-index', 'fastmcp', 'well-known'];

/**
 * How a client learns of the files beside `SKILL.md`: by a template for each skill (dialect `fastmcp`), or by a definition
 * of each file in `resources/list`.
 */
export type SupportingFiles = 'template' | 'resources';

/**
 * The dialects asked for. Errors: `USAGE` for one that does not exist, and for none at all.
 *
 * @example
 * dialectsOf(['draft-index']).has('released') // false
 */
export function dialectsOf(wanted: readonly string[] = SERVED_DIALECTS): ReadonlySet<ServedDialect> {
  const dialects = new Set<ServedDialect>();
  for (const name of wanted) {
    const dialect = SERVED_DIALECTS.find((each) => each === name);
    if (dialect === undefined) {
      throw new SkillError(
        'USAGE',
        `there is no dialect ${JSON.stringify(name)}; there are ${SERVED_DIALECTS.join(', ')}`,
      );
    }
    dialects.add(dialect);
  }
  if (dialects.size > 0) return dialects;
  throw new SkillError('USAGE', `dialects names none; there are ${SERVED_DIALECTS.join(', ')}`);
}
