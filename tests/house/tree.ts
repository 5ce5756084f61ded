import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Token, tokenize } from './tokens.ts';

/** The folder of the project. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url));

/** One module that another one names. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Erased by the compiler: `import type`, `export type`, `import('x')` in a type is not. */
  readonly typeOnly: boolean;
}

/** A file of `src`, read once. */
export interface SourceText {
  /** Below the project, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly imports: readonly Import[];
}

/** Files below a folder of the project, `/`-separated, sorted; none when the folder does not exist. */
export function filesBelow(folder: string, keep: (path: string) => boolean): string[] {
  const found: string[] = [];
  const walk = (path: string): void => {
    for (const entry of readdirSync(join(ROOT, path), { withFileTypes: true })) {
      const child = posix.join(path, entry.name);
      if (entry.isDirectory() && entry.name !== 'node_modules') walk(child);
      else if (entry.isFile() && keep(child)) found.push(child);
    }
  };
  walk(folder);
  return found.sort();
}

/** The text of a file of the project. */
export function textOf(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The words between `import` or `export` and the `from` at `index`. */
function clauseBefore(code: readonly Token[], index: number): string {
  let start = index;
  while (start > 0 && code[start]?.text !== 'import' && code[start]?.text !== 'export') start--;
  return code
    .slice(start + 1, index)
    .map((each) => each.text)
    .join(' ');
}

/** Whether the compiler erases an import clause: `type …`, or braces in which every name has its own `type`. */
function onlyTypes(clause: string): boolean {
  if (clause.startsWith('type ')) return true;
  if (!clause.startsWith('{ ')) return false;
  const names = clause.slice(2, clause.lastIndexOf(' }')).split(' , ');
  return names.filter((name) => name !== '').every((name) => name.startsWith('type '));
}

/** Every module that a token stream imports, re-exports from, or loads while it runs. */
export function importsOf(tokens: readonly Token[]): Import[] {
  const code = tokens.filter((token) => token.kind !== 'doc');
  const found: Import[] = [];
  for (const [index, token] of code.entries()) {
    if (token.kind !== 'string') continue;
    const before = code[index - 1];
    const two = code[index - 2];
    const isFrom = before?.kind === 'word' && before.text === 'from';
    const isBare = before?.kind === 'word' && before.text === 'import';
    const isCall =
      before?.text === '(' && two?.kind === 'word' && (two.text === 'import' || two.text === 'require');
    if (!isFrom && !isBare && !isCall) continue;
    const typeOnly = isFrom && onlyTypes(clauseBefore(code, index - 1));
    found.push({ specifier: token.text, line: token.line, typeOnly });
  }
  return found;
}

let cached: readonly SourceText[] | undefined;

/** Every TypeScript file of `src`. */
export function sources(): readonly SourceText[] {
  cached ??= filesBelow('src', (path) => path.endsWith('.ts')).map((path) => {
    const text = textOf(path);
    const tokens = tokenize(text);
    return { path, text, tokens, imports: importsOf(tokens) };
  });
  return cached;
}

/** The room of a path below `src`: the name of its folder, or of the file when it lies in none. */
export function roomOf(path: string): string {
  const [, first = '', ...rest] = path.split('/');
  return rest.length > 0 ? first : first.replace(/\.ts$/, '');
}

/** The rooms: folders of `src`. */
export function rooms(): string[] {
  return readdirSync(join(ROOT, 'src'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}

/** What a relative specifier leads to, below the project; undefined for a package. */
export function resolveImport(from: string, specifier: string): string | undefined {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined;
}
