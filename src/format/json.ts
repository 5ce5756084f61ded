/**
 * JSON values as types.
 *
 * @module
 */

/** A value that JSON can carry. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object that JSON can carry. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}
