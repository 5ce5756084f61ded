/**
 * URI templates as FastMCP servers and clients use them: `{name}`, `{name*}`, and `{?a,b}` at the end.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { quote } from '../uri/quote.ts';

/** The values of a template's variables, by name. */
export type TemplateValues = Readonly<Record<string, string>>;

/** A template that was read. */
export interface UriTemplate {
  /** As it was written. */
  readonly text: string;
  /**
   * The values in a URI, each percent-decoded once; undefined when the URI does not match, is longer than 8 KiB, or has a
   * bad escape in its path. Takes time linear in the length of the URI, whatever it holds.
   */
  match(uri: string): TemplateValues | undefined;
  /** The URI for some values; a variable of the query that has none is left out. Throws `INVALID_REQUEST` for others. */
  expand(values: Readonly<Record<string, string | number>>): string;
}

type Part = { readonly literal: string } | { readonly name: string; readonly wild: boolean };

const EXPRESSION = /\{([^{}]*)\}/g;
const VARIABLE = /^([A-Za-z_][A-Za-z0-9_]*)(\*?)$/;
const QUERY = /^\?[A-Za-z_][A-Za-z0-9_]*(?:,[A-Za-z_][A-Za-z0-9_]*)*$/;
const SLASH = 0x2f;

/**
 * Returns a template. `{name}` is a part without a slash, `{name*}` may hold slashes, both at least one character;
 * where several splits are possible the earlier variable takes more. `{?a,b}` takes the parameters of a query by name:
 * the first of a repeated one counts, `+` is a space, others are ignored. A template without it ignores a query.
 *
 * Errors: `INVALID_REQUEST` for any other expression.
 *
 * @example
 * uriTemplate('resource://docs/{path*}').match('resource://docs/a/b.md') // { path: 'a/b.md' }
 */
export function uriTemplate(text: string): UriTemplate {
  const { parts, query } = readTemplate(text);
  return {
    text,
    match: (uri) => matchUri(parts, query, uri),
    expand: (values) => expandParts(text, parts, query, values),
  };
}

function readTemplate(text: string): {
  readonly parts: readonly Part[];
  readonly query: readonly string[] | undefined;
} {
  const parts: Part[] = [];
  let query: readonly string[] | undefined;
  let done = 0;
  for (const expression of text.matchAll(EXPRESSION)) {
    const [whole, inner = ''] = expression;
    if (expression.index > done) parts.push({ literal: text.slice(done, expression.index) });
    done = expression.index + whole.length;
    const variable = VARIABLE.exec(inner);
    if (variable !== null) parts.push({ name: variable[1] ?? '', wild: variable[2] === '*' });
    else if (QUERY.test(inner) && done === text.length) query = inner.slice(1).split(',');
    else throw invalid(text, `${whole} is not one of {name}, {name*} and, at the end, {?a,b}`);
  }
  if (done < text.length) parts.push({ literal: text.slice(done) });
  if (parts.some((part) => 'literal' in part && /[{}]/.test(part.literal))) {
    throw invalid(text, 'a brace has no partner');
  }
  return { parts, query };
}

function invalid(text: string, why: string): SkillError {
  return new SkillError('INVALID_REQUEST', `the template ${quote(text)} cannot be used: ${why}`);
}

function matchUri(
  parts: readonly Part[],
  query: readonly string[] | undefined,
  uri: string,
): TemplateValues | undefined {
  if (uri.length > LIMITS.uriBytes) return undefined;
  const mark = uri.indexOf('?');
  const path = mark === -1 ? uri : uri.slice(0, mark);
  const [first] = parts;
  if (first !== undefined && 'literal' in first && !path.startsWith(first.literal)) return undefined;
  const raw = matchParts(parts, path);
  if (raw === undefined) return undefined;
  const values: [string, string][] = [];
  for (const [name, written] of raw) {
    const value = decode(written);
    if (value === undefined) return undefined;
    values.push([name, value]);
  }
  if (query !== undefined && mark !== -1) {
    // The separator in front keeps a second "?" from being dropped as if it were the mark.
    const given = new URLSearchParams(`&${uri.slice(mark + 1)}`);
    for (const name of query) {
      const value = given.get(name);
      if (value !== null) values.push([name, value]);
    }
  }
  return Object.fromEntries(values);
}

function decode(written: string): string | undefined {
  if (!written.includes('%')) return written;
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

/**
 * The text of each variable. From the last part to the first, every offset is asked once where the part ends when it
 * begins there and all later ones fit behind it, so no input makes it try splits one after the other.
 */
function matchParts(parts: readonly Part[], text: string): readonly [string, string][] | undefined {
  const ends: Int32Array[] = [];
  let next = new Int32Array(text.length + 1).fill(-1);
  next[text.length] = text.length;
  for (const part of parts.toReversed()) {
    next =
      'literal' in part ? endsOfLiteral(part.literal, text, next) : endsOfVariable(part.wild, text, next);
    ends.unshift(next);
  }
  const found: [string, string][] = [];
  let at = 0;
  for (const [index, part] of parts.entries()) {
    const end = ends[index]?.[at] ?? -1;
    if (end === -1) return undefined;
    if ('name' in part) found.push([part.name, text.slice(at, end)]);
    at = end;
  }
  return at === text.length ? found : undefined;
}

function endsOfLiteral(literal: string, text: string, next: Int32Array): Int32Array<ArrayBuffer> {
  const ends = new Int32Array(text.length + 1).fill(-1);
  for (let at = text.indexOf(literal); at !== -1; at = text.indexOf(literal, at + 1)) {
    const end = at + literal.length;
    if (next[end] !== -1) ends[at] = end;
  }
  return ends;
}

function endsOfVariable(wild: boolean, text: string, next: Int32Array): Int32Array<ArrayBuffer> {
  const ends = new Int32Array(text.length + 1).fill(-1);
  let furthest = -1;
  for (let at = text.length - 1; at >= 0; at--) {
    if (!wild && text.charCodeAt(at) === SLASH) furthest = -1;
    else {
      if (furthest === -1 && next[at + 1] !== -1) furthest = at + 1;
      ends[at] = furthest;
    }
  }
  return ends;
}

function expandParts(
  text: string,
  parts: readonly Part[],
  query: readonly string[] | undefined,
  values: Readonly<Record<string, string | number>>,
): string {
  let uri = '';
  for (const part of parts) {
    if ('literal' in part) uri += part.literal;
    else {
      const value = Object.hasOwn(values, part.name) ? String(values[part.name]) : '';
      if (value === '') throw invalid(text, `${part.name} has no value`);
      uri += part.wild ? value.split('/').map(encode).join('/') : encode(value);
    }
  }
  const given = (query ?? []).filter((name) => Object.hasOwn(values, name));
  const pairs = given.map((name) => `${name}=${encode(String(values[name]))}`);
  return pairs.length === 0 ? uri : `${uri}?${pairs.join('&')}`;
}

function encode(value: string): string {
  if (/\p{Surrogate}/u.test(value)) {
    throw new SkillError(
      'INVALID_REQUEST',
      `${quote(value)} holds half a surrogate pair, which no URI can carry`,
    );
  }
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
