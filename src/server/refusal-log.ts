/**
 * Saying why a skill is no longer served.
 *
 * @module
 */
import type { Catalog } from '../catalog/catalog.ts';
import type { Logger } from '../logger.ts';

/**
 * A function that warns of each refusal that was not there when it was called last: an edit that breaks a skill withdraws
 * it, and its author looks at the log.
 *
 * @example
 * catalog.onChange(refusalLog(catalog, logger))
 */
export function refusalLog(catalog: Catalog, logger: Logger): () => void {
  let known = new Set(refusalsOf(catalog).keys());
  return () => {
    const refusals = refusalsOf(catalog);
    for (const [key, fields] of refusals) {
      if (!known.has(key)) logger.warn(fields.message, { code: fields.code, path: fields.path });
    }
    known = new Set(refusals.keys());
  };
}

function refusalsOf(
  catalog: Catalog,
): Map<string, { readonly message: string; readonly code: string; readonly path: string }> {
  return new Map(
    catalog.snapshot.refused.map(({ path, diagnostic: { code, message } }) => [
      JSON.stringify([path, code, message]),
      { message, code, path },
    ]),
  );
}
