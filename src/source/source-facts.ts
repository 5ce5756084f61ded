/**
 * The facts of a file of any source.
 *
 * @module
 */
import { digestOf } from '../integrity/digest.ts';
import { isLosslessText } from '../integrity/text.ts';
import { whenThere } from './maybe-promise.ts';
import type { MaybePromise, ReadOptions, Source, SourceFacts, SourceFile } from './source.ts';

/**
 * Returns the facts of a file, from its bytes where the source does not tell them itself.
 *
 * Errors: those of `Source.read`.
 *
 * @example
 * readSourceFacts(source, 'pdf/logo.png') // { size: 4000, digest: 'sha256:…', text: false, … }
 */
export function readSourceFacts(
  source: Source,
  path: string,
  options: ReadOptions = {},
): MaybePromise<SourceFacts> {
  return source.facts === undefined
    ? whenThere(source.read(path, options), factsOfFile)
    : source.facts(path, options);
}

function factsOfFile({ bytes, stamp, modifiedAt }: SourceFile): SourceFacts {
  return {
    size: bytes.length,
    digest: digestOf(bytes),
    text: isLosslessText(bytes),
    ...(stamp === undefined ? {} : { stamp }),
    ...(modifiedAt === undefined ? {} : { modifiedAt }),
  };
}
