import { describe, expect, it } from 'vitest';
import { createOutput, type OutputStream } from '../../src/cli/output.ts';
import { renderDiagnostic } from '../../src/cli/render-diagnostic.ts';
import type { Diagnostic, Range } from '../../src/format/diagnostic.ts';

const sink: OutputStream = { write: () => true, on: () => undefined };
const { style } = createOutput(sink, sink, {});
const { style: coloured } = createOutput(sink, sink, { FORCE_COLOR: '1' });

function range(line: number, from: number, to: number, endLine: number = line): Range {
  return { start: { line, column: from }, end: { line: endLine, column: to } };
}

function diagnostic(extra: Partial<Diagnostic> = {}): Diagnostic {
  return { code: 'SOME_RULE', severity: 'error', message: 'it is wrong', path: 'a/SKILL.md', ...extra };
}

function render(text: string, where: Range, width?: number): string[] {
  return renderDiagnostic(diagnostic({ range: where }), {
    path: 'a/SKILL.md',
    text,
    style,
    ...(width === undefined ? {} : { width }),
  }).slice(1);
}

describe('renderDiagnostic', () => {
  it('prints place, severity, code, message and hint', () => {
    const lines = renderDiagnostic(diagnostic({ severity: 'warning', hint: 'do this' }), {
      path: 'skills/a/SKILL.md',
      style,
    });
    expect(lines).toEqual(['skills/a/SKILL.md: warning[SOME_RULE] it is wrong', '  hint: do this']);
  });

  const cases: readonly (readonly [string, string, Range, readonly string[]])[] = [
    ['marks a span', 'a: 1\nb: two\n', range(2, 4, 7), ['  2 | b: two', '    |    ^~~']],
    ['marks one column for an empty range', 'abc', range(1, 2, 2), ['  1 | abc', '    |  ^']],
    ['expands tabs', '\tx: y', range(1, 2, 3), ['  1 |     x: y', '    |     ^']],
    ['expands tabs within the mark', 'a\tb', range(1, 1, 4), ['  1 | a   b', '    | ^~~~~']],
    ['counts wide characters twice', '日本: x', range(1, 5, 6), ['  1 | 日本: x', '    |       ^']],
    ['marks a wide character whole', 'a日b', range(1, 2, 3), ['  1 | a日b', '    |  ^~']],
    ['counts a pair of surrogates as one sign', '🙂🙂x', range(1, 5, 6), ['  1 | 🙂🙂x', '    |     ^']],
    ['does not count combining marks', 'e\u0301x', range(1, 3, 4), ['  1 | e\u0301x', '    |  ^']],
    ['drops the CR of CRLF', 'a: b\r\nc: d\r\n', range(2, 1, 2), ['  2 | c: d', '    | ^']],
    ['knows lone CR as a line end', 'a\rb', range(2, 1, 2), ['  2 | b', '    | ^']],
    [
      'marks to the end of the first line of many',
      'ab: |\n x\n y',
      range(1, 5, 2, 3),
      ['  1 | ab: |', '    |     ^'],
    ],
    ['marks behind the end of a line', 'abc', range(1, 9, 10), ['  1 | abc', '    |    ^']],
    ['shows nothing for a byte order mark', '\ufeff---', range(1, 1, 4), ['  1 | ---', '    | ^~~']],
    ['shows controls as text', 'a\u001b[2Jb', range(1, 6, 7), ['  1 | a\\u{1b}[2Jb', '    |           ^']],
    ['says nothing of a line that is not there', 'a', range(7, 1, 2), []],
    ['shows an empty line', 'a\n\nb', range(2, 1, 1), ['  2 | ', '    | ^']],
  ];
  it.each(cases)('%s', (_, text, where, expected) => {
    expect(render(text, where)).toEqual(expected);
  });

  it('clips a long line around its mark, the caret under what it means', () => {
    const text = `${'a'.repeat(500)}HERE${'b'.repeat(500)}`;
    const [shown = '', marks = ''] = render(text, range(1, 501, 505), 60);
    expect(shown.length).toBeLessThanOrEqual(60);
    expect(shown.slice(marks.indexOf('^'), marks.lastIndexOf('~') + 1)).toBe('HERE');
    expect(shown.startsWith('  1 | …a')).toBe(true);
    expect(shown.endsWith('b…')).toBe(true);
  });

  it('clips a mark that is longer than the line', () => {
    const [shown = '', marks = ''] = render('x'.repeat(1000), range(1, 1, 1001), 60);
    expect(shown.length).toBeLessThanOrEqual(60);
    expect(marks.length).toBeLessThanOrEqual(60);
    expect(marks.startsWith('    | ^~~')).toBe(true);
  });

  it('lets nothing of a skill steer the terminal', () => {
    const lines = renderDiagnostic(
      diagnostic({ message: 'bad \u001b]0;title\u0007', hint: 'x\u202ey\nz', range: range(1, 1, 2) }),
      { path: 'a\u001b[31m/SKILL.md', text: 'q\u009bz', style },
    );
    expect(lines).toEqual([
      'a\\u{1b}[31m/SKILL.md:1:1: error[SOME_RULE] bad \\u{1b}]0;title\\u{7}',
      '  1 | q\\u{9b}z',
      '    | ^',
      '  hint: x\\u{202e}y\\u{a}z',
    ]);
  });

  it('colours severity by its weight', () => {
    const head = (severity: Diagnostic['severity']): string =>
      renderDiagnostic(diagnostic({ severity }), { path: 'p', style: coloured })[0] ?? '';
    expect(head('error')).toBe('\u001b[1mp\u001b[22m: \u001b[31merror[SOME_RULE]\u001b[39m it is wrong');
    expect(head('warning')).toContain('\u001b[33mwarning[SOME_RULE]\u001b[39m');
    expect(head('info')).toContain('\u001b[36minfo[SOME_RULE]\u001b[39m');
  });
});
