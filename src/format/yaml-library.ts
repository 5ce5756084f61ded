/**
 * The YAML library, from one place: the built program loads it when it is first asked for.
 *
 * @module
 */
import * as library from 'yaml';

/** Returns the library. Most skills have heads that are read without it, and loading it takes as long as loading them. */
export function yamlLibrary(): typeof library {
  return library;
}
