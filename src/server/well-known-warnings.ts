/**
 * What the well-known indexes leave out, said before somebody looks for it.
 *
 * @module
 */
import type { Snapshot } from '../catalog/snapshot.ts';
import { type LeftOut, wellKnownSkills } from './surfaces/well-known.ts';
import type { ProviderWarning } from './warnings.ts';

/** Skills named one by one. */
const NAMED = 5;

/**
 * The warnings for skills that the well-known indexes of a snapshot do not hold: one for both indexes, one for the
 * older alone. A skill that cannot be packed shows only once it is.
 *
 * @example
 * wellKnownWarnings(catalog.snapshot).map((warning) => warning.message)
 */
export function wellKnownWarnings(snapshot: Snapshot): readonly ProviderWarning[] {
  const { leftOut } = wellKnownSkills(snapshot);
  return [
    ...warning(
      'the well-known indexes leave',
      leftOut.filter(({ from }) => from === 'both'),
    ),
    ...warning(
      'the older well-known index (/.well-known/skills) leaves',
      leftOut.filter(({ from }) => from === 'older'),
    ),
  ];
}

function warning(who: string, leftOut: readonly LeftOut[]): readonly ProviderWarning[] {
  const [only] = leftOut;
  if (only === undefined) return [];
  const named = leftOut.slice(0, NAMED).map(({ skill, because }) => `${skill.uri} (${because})`);
  const more = leftOut.length - named.length;
  const skills = leftOut.length === 1 ? '1 skill' : `${leftOut.length} skills`;
  const rest = more > 0 ? `; and ${more} more` : '';
  return [
    {
      code: 'WELL_KNOWN_LEFT_OUT',
      message: `${who} out ${skills}: ${named.join('; ')}${rest}`,
      ...(leftOut.length === 1 && { uri: only.skill.uri }),
    },
  ];
}
