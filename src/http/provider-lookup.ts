/**
 * From a principal to the provider that serves it.
 *
 * @module
 */
import { ERROR_TABLE, SkillError } from '../errors.ts';
import type { SkillProvider } from '../server/provider.ts';
import type { HttpAppOptions, Principal } from './app.ts';

/** Finds the provider of a principal. */
export type ProviderLookup = (principal: Principal) => SkillProvider | Promise<SkillProvider>;

/**
 * The lookup for the `provider` option.
 *
 * A provider that depends on the caller must not let shared caches keep its results (threat R6): `cacheScope: 'public'`
 * rejects with `PUBLIC_CACHE_REFUSED`. Rejects with `INTERNAL` when the function returns no provider.
 *
 * @example
 * const provider = await createProviderLookup(options.provider)(principal)
 */
export function createProviderLookup(provider: HttpAppOptions['provider']): ProviderLookup {
  if (typeof provider !== 'function') return () => provider;
  return async (principal) => {
    const found = await provider(principal);
    if (typeof found?.createServer !== 'function') {
      throw new SkillError('INTERNAL', 'the provider function returned no provider for a principal');
    }
    if (found.cacheScope === 'public') {
      throw new SkillError(
        'PUBLIC_CACHE_REFUSED',
        `${ERROR_TABLE.PUBLIC_CACHE_REFUSED.message}: create the provider with cacheScope 'private', or pass one provider for everybody`,
      );
    }
    return found;
  };
}
