/**
 * The orders of a catalog, whatever the locale.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';

/** The order of canonical URIs: they are ASCII, so that UTF-16 units and code points are one. */
export function byUri(a: { readonly uri: string }, b: { readonly uri: string }): number {
  return a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0;
}

/** The persistent order of diagnostics: path, then place in the file, then code, then message. */
export function byPlace(a: Diagnostic, b: Diagnostic): number {
  return (
    compareCodePoints(a.path, b.path) ||
    (a.range?.start.line ?? 0) - (b.range?.start.line ?? 0) ||
    (a.range?.start.column ?? 0) - (b.range?.start.column ?? 0) ||
    compareCodePoints(a.code, b.code) ||
    compareCodePoints(a.message, b.message)
  );
}
