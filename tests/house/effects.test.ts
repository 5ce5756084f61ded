import { describe, expect, it } from 'vitest';
import { type Token, tokenize } from './tokens.ts';
import { roomOf, sources } from './tree.ts';

/** Functions of `node:fs` and `node:fs/promises` that change a disk. */
const WRITES = new Set(
  [
    ...[
      'appendFile',
      'chmod',
      'chown',
      'copyFile',
      'cp',
      'fchmod',
      'fchown',
      'fdatasync',
      'fsync',
      'ftruncate',
      'futimes',
    ],
    ...[
      'lchmod',
      'lchown',
      'link',
      'lutimes',
      'mkdir',
      'mkdtemp',
      'rename',
      'rm',
      'rmdir',
      'symlink',
      'truncate',
      'unlink',
    ],
    ...['utimes', 'write', 'writeFile', 'writev'],
  ].flatMap((name) => [name, `${name}Sync`]),
);
const OPENERS = new Set(['open', 'openSync']);
const WRITE_FLAG = /^O_(WRONLY|RDWR|CREAT|TRUNC|APPEND|EXCL)$/;
const FS_MODULES = new Set(['node:fs', 'node:fs/promises', 'fs', 'fs/promises']);
/** Modules that start a process, a thread or another context for code. */
const RUNNERS = /^(node:)?(child_process|cluster|worker_threads|vm|inspector|repl|module)(\/.*)?$/;

/**
 * The one thread there is. It runs a file of this package named in the code, next to the file that starts it; what it
 * runs is held to every rule here like any other file.
 */
const THREAD_OWNER = 'src/source/facts-thread.ts';
const THREAD_PROGRAM = 'src/source/facts-worker.ts';

/** Has node keep the code that it compiled of this package's own files, in a folder that it checked. */
const CODE_KEEPER = 'src/store/compiled-code.ts';

/** What a scan found: the words of `names` in a call, or imported, and at which line. */
function finds(path: string, line: number, what: string): string {
  return `${path}:${line} ${what}`;
}

/** Names that a file holds from `node:fs`: named imports by their local name, and the local names of whole modules. */
function fsNames(tokens: readonly Token[]): { named: Map<string, string>; whole: Set<string> } {
  const code = tokens.filter((token) => token.kind !== 'doc');
  const named = new Map<string, string>();
  const whole = new Set<string>();
  for (const [index, token] of code.entries()) {
    if (token.kind !== 'string' || !FS_MODULES.has(token.text)) continue;
    let start = index - 1;
    while (start > 0 && code[start]?.text !== 'import' && code[start]?.text !== 'export') start--;
    const clause = code.slice(start + 1, index - 1).map((each) => each.text);
    if (clause[0] === 'type') continue;
    const open = clause.indexOf('{');
    if (open === -1) {
      // `import * as fs`, `import fs`, and a load while running, whose result may have any name
      whole.add(clause.at(-1) ?? 'import');
      continue;
    }
    for (const part of clause
      .slice(open + 1, clause.indexOf('}'))
      .join(' ')
      .split(',')) {
      const [name = '', , local = name] = part.trim().split(' ');
      if (name === 'promises') whole.add(local);
      else if (name !== '' && name !== 'type') named.set(local, name);
    }
    if (open > 0) whole.add(clause[0] as string);
  }
  return { named, whole };
}

/** Every place where code could change a disk. */
function diskWrites(path: string, tokens: readonly Token[]): string[] {
  const code = tokens.filter((token) => token.kind !== 'doc');
  const { named, whole } = fsNames(tokens);
  const wrong: string[] = [];
  for (const [local, name] of named) {
    if (WRITES.has(name) || name === 'createWriteStream' || name === 'WriteStream')
      wrong.push(finds(path, 0, `imports ${name} (${local})`));
  }
  for (const [index, token] of code.entries()) {
    if (WRITE_FLAG.test(token.text)) wrong.push(finds(path, token.line, token.text));
    const called = code[index + 1]?.text === '(';
    if (token.kind !== 'word' || !called) continue;
    const owner = code[index - 1]?.text === '.' ? code[index - 2]?.text : undefined;
    const isFs = owner === undefined ? named.has(token.text) : whole.has(owner);
    if (isFs && (WRITES.has(token.text) || token.text === 'createWriteStream'))
      wrong.push(finds(path, token.line, `calls ${token.text}`));
    const opens =
      owner === undefined ? OPENERS.has(named.get(token.text) ?? '') : isFs && OPENERS.has(token.text);
    if (opens && !opensToRead(code, index + 1))
      wrong.push(finds(path, token.line, `${token.text} with flags other than reading ones`));
    // A handle of `fs/promises`: its own write methods have names that no other object of ours has.
    if (
      owner !== undefined &&
      ['writeFile', 'appendFile', 'truncate', 'datasync', 'createWriteStream'].includes(token.text) &&
      !isFs
    ) {
      wrong.push(finds(path, token.line, `calls ${token.text}`));
    }
  }
  return wrong;
}

/** Whether the arguments from the parenthesis at `open` on name only flags that read. */
function opensToRead(code: readonly Token[], open: number): boolean {
  let depth = 0;
  let argument = 0;
  const flags: Token[] = [];
  for (const token of code.slice(open)) {
    if ('([{'.includes(token.text) && token.kind === 'punct') depth++;
    if (')]}'.includes(token.text) && token.kind === 'punct') depth--;
    if (depth === 0) break;
    if (depth === 1 && token.text === ',' && token.kind === 'punct') argument++;
    else if (argument === 1) flags.push(token);
  }
  return flags.every((token) => {
    if (token.kind === 'string') return /^(r|rs|sr)$/.test(token.text);
    return !WRITE_FLAG.test(token.text) && !/^\d*[1-9]/.test(token.text);
  });
}

/** Every place where code could start a process or run text as code. */
function runsCode(
  path: string,
  tokens: readonly Token[],
  imports: readonly { specifier: string; line: number }[],
): string[] {
  const wrong = imports
    .filter((each) => RUNNERS.test(each.specifier))
    .map((each) => finds(path, each.line, `imports ${each.specifier}`));
  const code = tokens.filter((token) => token.kind !== 'doc');
  for (const [index, token] of code.entries()) {
    if (token.kind !== 'word') continue;
    const before = code[index - 1]?.text;
    const after = code[index + 1]?.text;
    if (before === '.' && !(token.text === 'constructor' && code[index - 2]?.text === ')')) {
      if (['binding', 'dlopen', '_linkedBinding', 'getBuiltinModule'].includes(token.text))
        wrong.push(finds(path, token.line, `process.${token.text}`));
      continue;
    }
    if (token.text === 'eval' && after !== ':') wrong.push(finds(path, token.line, 'eval'));
    if (token.text === 'Function' && (before === 'new' || after === '('))
      wrong.push(finds(path, token.line, 'Function'));
    if (['Worker', 'SharedWorker', 'WebAssembly'].includes(token.text) && (before === 'new' || after === '.'))
      wrong.push(finds(path, token.line, token.text));
    if (
      (token.text === 'setTimeout' || token.text === 'setInterval') &&
      after === '(' &&
      ['string', 'template'].includes(code[index + 2]?.kind ?? '')
    ) {
      wrong.push(finds(path, token.line, `${token.text} with text`));
    }
    if (token.text === 'import' && after === '(' && code[index + 2]?.kind !== 'string')
      wrong.push(finds(path, token.line, 'import() of a computed name'));
  }
  return wrong;
}

describe('effects', () => {
  it('only store writes to a disk', () => {
    const wrong = sources()
      .filter((file) => roomOf(file.path) !== 'store')
      .flatMap((file) => diskWrites(file.path, file.tokens));
    expect(wrong).toEqual([]);
  });

  it('nothing starts a process or runs text as code', () => {
    const wrong = sources().flatMap((file) => runsCode(file.path, file.tokens, file.imports));
    const about = (path: string): string[] => wrong.filter((each) => each.startsWith(`${path}:`));
    expect(about(THREAD_OWNER).map((each) => each.replace(/^\S+ /, ''))).toEqual([
      'imports node:worker_threads',
      'Worker',
    ]);
    expect(about(THREAD_PROGRAM).map((each) => each.replace(/^\S+ /, ''))).toEqual([
      'imports node:worker_threads',
    ]);
    expect(about(CODE_KEEPER).map((each) => each.replace(/^\S+ /, ''))).toEqual(['imports node:module']);
    expect(wrong).toHaveLength(4);
  });

  it('of what runs code one function is used to keep what was compiled', () => {
    const keeper = sources().find(({ path }) => path === CODE_KEEPER);
    const code = (keeper?.tokens ?? []).filter(({ kind }) => kind !== 'doc').map(({ text }) => text);
    const uses = code.flatMap((word, at) =>
      word === 'nodeModule' ? [code.slice(at, at + 5).filter((each) => each !== 'from')] : [],
    );
    expect(uses.map((each) => each.join(' '))).toEqual([
      'nodeModule node:module ; import',
      'nodeModule as { readonly enableCompileCache',
    ]);
  });

  it('servers are started in one place alone', () => {
    const starters = sources().filter(({ imports }) =>
      imports.some(
        ({ specifier }) => specifier === '@modelcontextprotocol/client/stdio' || specifier === 'cross-spawn',
      ),
    );
    expect(starters.map(({ path }) => path)).toEqual(['src/cli/connect-command.ts']);
  });

  it('the one thread runs a file of ours, never text, and is handed data alone', () => {
    const owner = sources().find(({ path }) => path === THREAD_OWNER);
    const code = (owner?.tokens ?? []).filter(({ kind }) => kind !== 'doc').map(({ text }) => text);
    const at = code.indexOf('Worker', code.indexOf('new'));
    const started = code.flatMap((word, index) =>
      word === 'Worker' && code[index - 1] === 'new' ? [code.slice(index, index + 3).join('')] : [],
    );
    expect(at).toBeGreaterThan(0);
    expect(started).toEqual(['Worker(program']);
    const named = code.flatMap((word, index) =>
      word === 'URL' && code[index - 1] === 'new' ? [code[index + 2]] : [],
    );
    expect(named).toEqual(['./facts-worker.js']);
    expect(code).not.toContain('eval');
    const program = sources().find(({ path }) => path === THREAD_PROGRAM);
    const words = (program?.tokens ?? []).filter(({ kind }) => kind === 'word').map(({ text }) => text);
    const loaded = words.filter((word) => /^(import|require|Worker|eval|Function)$/.test(word));
    expect(new Set(loaded)).toEqual(new Set(['import']));
    expect(loaded).toHaveLength(program?.imports.length ?? 0);
    expect(program?.imports.map(({ specifier }) => specifier)).toEqual([
      'node:worker_threads',
      './facts-answer.ts',
      './looks-thread.ts',
      './looks-answer.ts',
      './facts-answer.ts',
      './host-fs.ts',
    ]);
  });

  it('library code speaks through its logger alone', () => {
    const wrong = sources()
      .filter((file) => roomOf(file.path) !== 'cli')
      .flatMap((file) => {
        const code = file.tokens.filter((token) => token.kind !== 'doc');
        return code
          .filter((token, index) => {
            if (token.kind !== 'word' || code[index + 1]?.text !== '.') return false;
            const member = code[index + 2]?.text ?? '';
            return (
              token.text === 'console' ||
              (token.text === 'process' && ['stderr', 'exit', 'exitCode'].includes(member))
            );
          })
          .map((token) => finds(file.path, token.line, token.text));
      });
    expect(wrong).toEqual([]);
  });
});

describe('the scanners behind these rules', () => {
  it.each([
    ["import { writeFileSync } from 'node:fs'; writeFileSync('a', 'b');", 2],
    ["import { rmSync as gone } from 'node:fs'; gone('a');", 1],
    ["import * as fs from 'node:fs'; fs.mkdirSync('a');", 1],
    ["import { promises } from 'node:fs'; promises.rename('a', 'b');", 1],
    ["import { open } from 'node:fs/promises'; const f = await open('a', 'w');", 1],
    ["import { openSync } from 'node:fs'; openSync('a', 'r+');", 1],
    ["import { openSync, constants } from 'node:fs'; openSync('a', constants.O_WRONLY);", 2],
    [
      "import { openSync, constants } from 'node:fs'; openSync('a', constants.O_RDONLY | constants.O_NOFOLLOW);",
      0,
    ],
    ["import { openSync } from 'node:fs'; openSync('a', 'r');", 0],
    ["const fs = await import('node:fs'); handle.writeFile('x');", 1],
    [
      "import { readFileSync } from 'node:fs'; // writeFileSync('a')\nconst t = 'writeFileSync(1)'; map.rename(1); response.write('x');",
      0,
    ],
    ["import type { WriteStream } from 'node:fs';", 0],
  ])('counts writes in %j', (code, count) => {
    expect(diskWrites('x.ts', tokenize(code))).toHaveLength(count);
  });

  it.each([
    ['eval(text)', 1],
    ['const f = new Function("a");', 1],
    ['globalThis.constructor; a.evaluate(); type F = Function;', 0],
    ['setTimeout("code", 1); setTimeout(() => go(), 1);', 1],
    ['await import(name)', 1],
    ["await import('node:zlib')", 0],
    ['process.binding("fs")', 1],
    ['new Worker(path)', 1],
  ])('counts running in %j', (code, count) => {
    expect(runsCode('x.ts', tokenize(code), [])).toHaveLength(count);
  });

  it('knows the modules that run code', () => {
    const names = [
      'node:child_process',
      'child_process',
      'node:vm',
      'node:worker_threads',
      'node:cluster',
      'node:fs',
      'node:module',
    ];
    expect(names.filter((name) => RUNNERS.test(name))).toEqual([
      'node:child_process',
      'child_process',
      'node:vm',
      'node:worker_threads',
      'node:cluster',
      'node:module',
    ]);
  });
});
