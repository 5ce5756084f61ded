/**
 * The flags of `serve` for clients that cannot read resources.
 *
 * @module
 */
import { LIMITS } from '../limits.ts';
import { EXPOSED_WAYS, type ExposedWay, type ExposeTo, type ProviderOptions } from '../server/index.ts';
import { usageError } from './usage.ts';

/** The flags. */
export interface ExposureFlags {
  readonly expose?: readonly string[];
  readonly exposeTo?: ExposeTo;
  readonly instructions?: string;
}

/**
 * The options of a provider that the flags ask for. Errors: `USAGE`.
 *
 * @example
 * exposureOptions({ expose: ['tools,prompts'] }) // { expose: ['tools', 'prompts'] }
 */
export function exposureOptions({
  expose,
  exposeTo,
  instructions,
}: ExposureFlags): Pick<ProviderOptions, 'expose' | 'exposeTo' | 'instructions'> {
  if (exposeTo !== undefined && expose === undefined) {
    throw usageError('--expose-to says who sees what --expose names, which is nothing', 'add --expose tools');
  }
  return {
    ...(expose !== undefined && { expose: expose.flatMap((list) => list.split(',')).map(wayOf) }),
    ...(exposeTo !== undefined && { exposeTo }),
    ...(instructions !== undefined && { instructions: instructionsOf(instructions) }),
  };
}

function wayOf(name: string): ExposedWay {
  const found = EXPOSED_WAYS.find((way) => way === name.trim());
  if (found !== undefined) return found;
  throw usageError(
    `--expose knows no ${JSON.stringify(name)}`,
    `one or more of ${EXPOSED_WAYS.join(',')}, with commas between them`,
  );
}

function instructionsOf(text: string): boolean | string {
  if (text === 'none') return false;
  if (text === 'skills') return true;
  if (text.trim() === '') throw usageError('--instructions is empty', 'a text, or none to send none');
  if (text.length <= LIMITS.instructionsLength) return text;
  throw usageError(
    `--instructions has ${text.length} characters`,
    `give at most ${LIMITS.instructionsLength}; clients put them into every conversation`,
  );
}
