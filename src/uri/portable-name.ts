/**
 * Names as other file systems take them: which two clash, and which Windows cannot hold.
 *
 * @module
 */

const RESERVED_DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|$)/i;
const RESERVED_CHARACTER = /[<>:"|?*]/;
const ASCII = /^[\u0000-\u007f]*$/;

/**
 * Returns a key that is equal for two names which some file system takes for the same: case folded and composed
 * (threat A4). It may also be equal for two names that no system confuses; it is never shown.
 *
 * @example
 * collisionKey('Skill.md') === collisionKey('SKILL.md') // true
 */
export function collisionKey(name: string): string {
  if (ASCII.test(name)) return name.toLowerCase();
  return name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}

/**
 * Returns why Windows cannot hold a file of this name, or undefined when it can.
 *
 * @example
 * windowsNameProblem('aux.md') // 'is a device name on Windows'
 */
export function windowsNameProblem(name: string): string | undefined {
  if (RESERVED_DEVICE.test(name.replace(/ +(?=\.|$)/g, ''))) return 'is a device name on Windows';
  if (RESERVED_CHARACTER.test(name)) return 'has a character that Windows refuses: < > : " | ? *';
  if (/[. ]$/.test(name)) return 'ends with a dot or a space, which Windows drops';
  return undefined;
}
