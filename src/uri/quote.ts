/**
 * Foreign text made fit for a message.
 *
 * @module
 */

const MAX_UNITS = 160;
const UNFIT = /[^\x20-\x7e\xa0-\u200a\u2010-\u2027\u202f-\u205f\u2070-\ud7ff\ue000-\ufefe\uff00-\uffff]/g;

/**
 * `text` in double quotes, cut after 160 UTF-16 units; control characters, line separators, bidirectional controls
 * and surrogates stand as `\u` escapes, so that a hostile URI cannot forge a line of a log.
 *
 * @example
 * quote('a\nb') // '"a\\u000ab"'
 */
export function quote(text: string): string {
  const cut = text.length > MAX_UNITS ? `${text.slice(0, MAX_UNITS)}…` : text;
  return `"${cut.replace(UNFIT, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`;
}
