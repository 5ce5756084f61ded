import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');
/** Which test runs which public bug report. */
const claims = Object.entries(JSON.parse(read('tests/vectors/bug-reports.json')) as Record<string, string>);

const vectors = readdirSync(new URL('tests/vectors/', root)).filter((name) => name !== 'bug-reports.json');
const has = (text: string, id: string): boolean => new RegExp(`(?<![\\w-])${id}(?![\\w-])`).test(text);

/** Whether a test names the report, or runs a file of vectors that has it. */
function runs(test: string, id: string): boolean {
  const text = read(test);
  if (has(text, id)) return true;
  return vectors.some((name) => text.includes(`vectors/${name}`) && has(read(`tests/vectors/${name}`), id));
}

describe('the public bug reports', () => {
  it('are all claimed by a test, each once', () => {
    expect(claims).toHaveLength(119);
    const themes: Record<string, number> = {};
    for (const [id] of claims) {
      const theme = id.slice(0, 2);
      themes[theme] = (themes[theme] ?? 0) + 1;
    }
    expect(themes).toEqual({ fm: 31, fs: 22, ne: 2, du: 4, wa: 8, mt: 15, cl: 10, ar: 15, se: 12 });
  });

  it.each(claims)('%s: %s runs it', (id, test) => {
    expect(test).toMatch(/^tests\/.*\.test\.ts$/);
    expect(existsSync(fileURLToPath(new URL(test, root)))).toBe(true);
    expect(runs(test, id)).toBe(true);
  });

  it('are claimed by no test that only looks like one', () => {
    expect(runs('tests/house/imports.test.ts', 'fm-crlf')).toBe(false);
    expect(runs('tests/format/outcome.test.ts', 'fm-crl')).toBe(false);
    expect(runs('tests/format/outcome.test.ts', 'fm-crlf')).toBe(true);
  });
});
