/**
 * The YAML 1.2 core schema: what type an unquoted scalar has.
 *
 * @module
 */

/** What {@link resolvePlain} answers for `.inf`, `.nan` and numbers beyond the range of a double. */
export const NOT_JSON: unique symbol = Symbol('not JSON');

const NULL = /^(?:~|null|Null|NULL)$/;
const TRUE = /^(?:true|True|TRUE)$/;
const FALSE = /^(?:false|False|FALSE)$/;
const DECIMAL = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
const OCTAL = /^0o[0-7]+$/;
const HEXADECIMAL = /^0x[\dA-Fa-f]+$/;
const SPECIAL = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/**
 * The value of an unquoted scalar in the YAML 1.2 core schema, or {@link NOT_JSON} when JSON has no such value.
 *
 * Dates, `yes` and `12:30` are strings; `-0` is 0, as in JSON text.
 *
 * @example
 * resolvePlain('1.10') // 1.1
 */
export function resolvePlain(text: string): string | number | boolean | null | typeof NOT_JSON {
  const first = text.charCodeAt(0);
  if (first >= 0x30 && first <= 0x39) return resolveNumber(text);
  switch (first) {
    case 0x2b: // +
    case 0x2d: // -
    case 0x2e: // .
      return resolveNumber(text);
    case 0x7e: // ~
    case 0x6e: // n
    case 0x4e: // N
      return NULL.test(text) ? null : text;
    case 0x74: // t
    case 0x54: // T
      return TRUE.test(text) ? true : text;
    case 0x66: // f
    case 0x46: // F
      return FALSE.test(text) ? false : text;
    default:
      return text === '' ? null : text;
  }
}

function resolveNumber(text: string): string | number | typeof NOT_JSON {
  let value: number;
  if (DECIMAL.test(text)) value = Number(text);
  else if (OCTAL.test(text) || HEXADECIMAL.test(text)) value = Number(text);
  else return SPECIAL.test(text) ? NOT_JSON : text;
  if (!Number.isFinite(value)) return NOT_JSON;
  return value === 0 ? 0 : value;
}
