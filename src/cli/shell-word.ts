/**
 * A word of a command line that is shown to be copied.
 *
 * @module
 */

/**
 * `text` as one word of a shell, quoted where it has to be; Windows shells know double quotes only.
 *
 * @example
 * shellWord("my skills") // "'my skills'"
 */
export function shellWord(text: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return /^[\w./\\:=@%+,-]+$/.test(text) ? text : `"${text}"`;
  return /^[\w./~:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
