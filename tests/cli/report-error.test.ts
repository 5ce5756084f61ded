import { describe, expect, it } from 'vitest';
import { reportError } from '../../src/cli/report-error.ts';
import { SkillError } from '../../src/errors.ts';
import { memoryContext } from './in-process.ts';

function report(
  error: unknown,
  options: { json?: boolean; debug?: boolean } = {},
): {
  code: number;
  out: string;
  err: string;
} {
  const { context, text } = memoryContext({
    cwd: '/here',
    ...(options.debug === true && { logLevel: 'debug' }),
  });
  const code = reportError(error, context, options.json === true);
  return { code, out: text.stdout, err: text.stderr };
}

describe('reportError', () => {
  it.each([
    ['USAGE', 2],
    ['SOURCE_NOT_FOUND', 3],
    ['DIGEST_MISMATCH', 4],
    ['SCAN_TOO_DEEP', 5],
    ['MISSING_FRONTMATTER', 1],
    ['INTERNAL', 70],
  ] as const)('ends with the exit code of %s', (name, code) => {
    expect(report(new SkillError(name)).code).toBe(code);
  });

  it('shows a message and its hint, harmless to a terminal', () => {
    const error = new SkillError('USAGE', 'bad \u001b[2J thing', { details: { hint: 'do\nthis' } });
    expect(report(error).err).toBe('skillwire: error[USAGE]: bad \\u{1b}[2J thing\n  hint: do\\u{a}this\n');
  });

  it.each([new TypeError('x is not a function'), 'text', null, undefined, { a: 1 }])(
    'takes %o for a fault of ours',
    (thrown) => {
      const { code, out, err } = report(thrown);
      expect(code).toBe(70);
      expect(out).toBe('');
      expect(err).toMatch(
        /^skillwire: error\[INTERNAL\]: a fault in Skillwire: .+\n {2}hint: .+--log-level debug.+\n$/,
      );
    },
  );

  it('shows where a fault happened only at level debug', () => {
    expect(report(new Error('why')).err).not.toContain('report-error.test');
    expect(report(new Error('why'), { debug: true }).err).toContain('report-error.test');
    expect(report(new SkillError('USAGE', 'why'), { debug: true }).err).not.toContain('report-error.test');
  });

  it('writes one document for programs beside the text for people', () => {
    const { out, err } = report(new SkillError('SOURCE_NOT_FOUND', '"x" does not exist'), { json: true });
    expect(JSON.parse(out)).toEqual({
      error: {
        code: 'SOURCE_NOT_FOUND',
        message: '"x" does not exist',
        hint: 'give a folder that holds a SKILL.md, or folders that do; relative paths count from /here',
      },
    });
    expect(err).toContain('error[SOURCE_NOT_FOUND]');
  });
});
