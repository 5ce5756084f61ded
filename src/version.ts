/**
 * The version of this package, in code so that nothing has to be read from disk to know it.
 *
 * @module
 */

/** The version in `package.json`; a test holds the two together. */
export const VERSION = '0.1.0';
