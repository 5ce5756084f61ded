import { describe, expect, it } from 'vitest';
import { ERROR_TABLE } from '../../src/errors.ts';
import { LIMITS } from '../../src/limits.ts';
import { sources, textOf } from './tree.ts';

/** The rows of the Markdown tables of a document, as cells. */
function rowsOf(path: string): string[][] {
  return textOf(path)
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', '')),
    );
}

describe('docs/reference/errors.md', () => {
  const rows = rowsOf('docs/reference/errors.md');

  it('lists every code, in the order of the table', () => {
    expect(rows.map(([code]) => code)).toEqual(Object.keys(ERROR_TABLE));
  });

  it('says what the table says', () => {
    const documented = rows.map(([code, message, rpc, exit]) => [code, message, Number(rpc), Number(exit)]);
    const held = Object.entries(ERROR_TABLE).map(([code, { message, rpc, exit }]) => [
      code,
      message,
      rpc,
      exit,
    ]);
    expect(documented).toEqual(held);
  });
});

describe('docs/reference/limits.md', () => {
  const rows = rowsOf('docs/reference/limits.md');

  it('lists every limit, in the order of the table, with its default', () => {
    expect(rows.map(([name, value]) => [name, Number(value?.replaceAll(',', ''))])).toEqual(
      Object.entries(LIMITS),
    );
  });

  it('gives each a reason', () => {
    expect(rows.filter((cells) => (cells[3] ?? '').length < 10).map(([name]) => name)).toEqual([]);
  });
});

describe('the tables and the code', () => {
  const used = new Set(
    sources()
      .filter((file) => file.path !== 'src/errors.ts')
      .flatMap((file) => file.tokens.filter((token) => token.kind === 'string').map((token) => token.text)),
  );
  const words = new Set(
    sources()
      .filter((file) => file.path !== 'src/limits.ts')
      .flatMap((file) => file.tokens.filter((token) => token.kind === 'word').map((token) => token.text)),
  );

  it('holds no error code that nothing uses', () => {
    expect(Object.keys(ERROR_TABLE).filter((code) => !used.has(code))).toEqual([]);
  });

  it('holds no limit that nothing reads', () => {
    expect(Object.keys(LIMITS).filter((name) => !words.has(name))).toEqual([]);
  });

  it('throws no error of the language: what a caller meets has a code', () => {
    const foreign = sources().flatMap((file) =>
      file.tokens
        .filter((_, at) => file.tokens[at - 1]?.text === 'new' && file.tokens[at - 2]?.text === 'throw')
        .filter((token) => /^(Aggregate|Eval|Range|Reference|Syntax|Type|URI)?Error$/.test(token.text))
        .map((token) => `${file.path}:${token.line}`),
    );
    expect(foreign).toEqual([]);
  });
});
