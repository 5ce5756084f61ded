/**
 * The little TOML that a client configuration needs.
 *
 * @module
 */

/**
 * `text` as a TOML basic string, quotes included (TOML 1.0, "String").
 *
 * @example
 * tomlString('C:\\skills') // '"C:\\\\skills"'
 */
export function tomlString(text: string): string {
  // JSON leaves DEL as it is; TOML forbids it unescaped.
  return JSON.stringify(text).replaceAll('\u007f', '\\u007f');
}

/** `texts` as a TOML array of basic strings on one line. */
export function tomlStrings(texts: readonly string[]): string {
  return `[${texts.map(tomlString).join(', ')}]`;
}
