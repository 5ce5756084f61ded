import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Token } from './tokens.ts';
import { ROOT, resolveImport, rooms, type SourceText, sources } from './tree.ts';

const doors = ['src/index.ts', ...rooms().map((room) => `src/${room}/index.ts`)].filter((path) =>
  existsSync(join(ROOT, path)),
);
const fileAt = new Map(sources().map((file) => [file.path, file]));

/** Names that a door re-exports, with the file each stands in. */
function reexports(path: string): { name: string; local: string; from: string }[] {
  const file = fileAt.get(path);
  if (file === undefined) return [];
  const code = file.tokens.filter((token) => token.kind !== 'doc');
  const found: { name: string; local: string; from: string }[] = [];
  for (const [index, token] of code.entries()) {
    if (token.kind !== 'string' || code[index - 1]?.text !== 'from') continue;
    let start = index - 1;
    while (start > 0 && code[start]?.text !== 'import' && code[start]?.text !== 'export') start--;
    const from = resolveImport(path, token.text);
    if (code[start]?.text !== 'export' || from === undefined) continue;
    const clause = code
      .slice(start + 1, index - 1)
      .map((each) => each.text)
      .join(' ');
    const names = clause.slice(clause.indexOf('{') + 1, clause.lastIndexOf('}'));
    for (const part of names.split(',')) {
      const words = part
        .trim()
        .split(' ')
        .filter((word) => word !== 'type' && word !== '');
      if (words.length > 0) found.push({ local: words[0] as string, name: words.at(-1) as string, from });
    }
  }
  return found;
}

const DECLARES = new Set(['function', 'class', 'interface', 'type', 'const', 'let']);

/** The doc comment of an exported declaration: undefined when the file declares no such name, empty when it has none. */
function docOf(file: SourceText, name: string): string | undefined {
  const { tokens } = file;
  for (const [index, token] of tokens.entries()) {
    if (token.text !== name || token.kind !== 'word') continue;
    let at = index - 1;
    if (tokens[at]?.text === '*') at--;
    if (!DECLARES.has(tokens[at]?.text ?? '')) continue;
    at--;
    while (['async', 'abstract', 'declare'].includes(tokens[at]?.text ?? '')) at--;
    if (tokens[at]?.text !== 'export') continue;
    const doc: Token | undefined = tokens[at - 1];
    return doc?.kind === 'doc' ? doc.text : '';
  }
  return undefined;
}

/** The declaration behind a re-export, through other files that only pass it on. */
function declared(from: string, local: string, depth = 0): string | undefined {
  const file = fileAt.get(from);
  if (file === undefined || depth > 5) return undefined;
  const doc = docOf(file, local);
  if (doc !== undefined) return doc;
  const next = reexports(from).find((each) => each.name === local);
  return next === undefined ? undefined : declared(next.from, next.local, depth + 1);
}

/** Whether a re-export leads to a function. */
function isFunction(from: string, local: string, depth = 0): boolean {
  const file = fileAt.get(from);
  if (file === undefined || depth > 5) return false;
  const at = file.tokens.findIndex(
    (token, index) => token.text === local && file.tokens[index - 1]?.text === 'function',
  );
  if (at !== -1) return true;
  const next = reexports(from).find((each) => each.name === local);
  return next === undefined ? false : isFunction(next.from, next.local, depth + 1);
}

describe.each(doors)('%s', (path) => {
  const file = fileAt.get(path) as SourceText;
  const code = file.tokens.filter((token) => token.kind !== 'doc');

  it('begins with its @module head', () => {
    expect(file.tokens[0]?.kind).toBe('doc');
    expect(file.tokens[0]?.text).toContain('@module');
  });

  it('is a list of named exports and nothing else', () => {
    const words = code.filter((token) => token.kind === 'word').map((token) => token.text);
    expect(words.filter((word) => DECLARES.has(word) && word !== 'type')).toEqual([]);
    expect(code.filter((token) => token.text === '*')).toEqual([]);
    expect(code.filter((token, at) => token.text === 'default' && code[at + 1]?.text !== 'as')).toEqual([]);
    expect(reexports(path).length).toBeGreaterThan(0);
  });

  it('exports nothing without TSDoc', () => {
    const bare = reexports(path)
      .filter(({ from, local }) => from.startsWith('src/') && !declared(from, local))
      .map(({ from, local }) => `${local} (${from})`);
    expect(bare).toEqual([]);
  });

  it('shows an example of every function', () => {
    const silent = reexports(path)
      .filter(({ from, local }) => isFunction(from, local) && !declared(from, local)?.includes('@example'))
      .map(({ from, local }) => `${local} (${from})`);
    expect(silent).toEqual([]);
  });

  it('names each export once', () => {
    const names = reexports(path).map((each) => each.name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });
});

it('every room of code has a door or is reached only by the program', () => {
  const closed = rooms().filter((room) => {
    const has = sources().some((file) => file.path.startsWith(`src/${room}/`));
    return has && !doors.includes(`src/${room}/index.ts`);
  });
  expect(closed).toEqual(['cli']);
});
