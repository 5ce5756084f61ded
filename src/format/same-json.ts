/**
 * Equality of JSON values.
 *
 * @module
 */
import type { JsonObject, JsonValue } from './json.ts';

/**
 * Whether two JSON values are equal as released clients compare them: objects in any key order, lists in order,
 * numbers by value, no conversion of types.
 *
 * @example
 * sameJson({ a: 1, b: [] }, { b: [], a: 1 }) // true
 */
export function sameJson(left: JsonValue, right: JsonValue): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (isList(left) || isList(right)) {
    if (!isList(left) || !isList(right) || left.length !== right.length) return false;
    for (let index = 0; index < left.length; index++) {
      if (!sameJson(left[index] ?? null, right[index] ?? null)) return false;
    }
    return true;
  }
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && sameJson(left[key] ?? null, right[key] ?? null));
}

function isList(value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] {
  return Array.isArray(value);
}
