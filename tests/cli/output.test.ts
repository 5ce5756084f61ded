import { describe, expect, it } from 'vitest';
import { createOutput, type OutputStream, tableLines, wantsColour } from '../../src/cli/output.ts';
import { printable } from '../../src/cli/printable.ts';
import { textWidth } from '../../src/cli/text-width.ts';

interface Fake extends OutputStream {
  readonly written: string[];
  fail(code: string): void;
}

function fake(isTTY = false): Fake {
  const written: string[] = [];
  let listener: (error: NodeJS.ErrnoException) => void = () => undefined;
  return {
    isTTY,
    written,
    write(text) {
      written.push(String(text));
      return true;
    },
    on(_, given) {
      listener = given;
    },
    fail(code) {
      listener(Object.assign(new Error(code), { code }));
    },
  };
}

describe('wantsColour', () => {
  const cases: readonly (readonly [boolean, boolean, Record<string, string>])[] = [
    [false, false, {}],
    [true, true, {}],
    [false, true, { NO_COLOR: '1' }],
    [true, true, { NO_COLOR: '' }],
    [true, false, { FORCE_COLOR: '1' }],
    [true, false, { FORCE_COLOR: '1', NO_COLOR: '1' }],
    [false, true, { FORCE_COLOR: '0' }],
    [false, true, { FORCE_COLOR: 'false' }],
    [true, false, { FORCE_COLOR: 'true' }],
  ];
  it.each(cases)('is %s on a terminal=%s with %o', (expected, isTTY, env) => {
    expect(wantsColour({ isTTY }, env)).toBe(expected);
  });

  it('asks a terminal whether it has colours', () => {
    expect(wantsColour({ isTTY: true, hasColors: () => false }, {})).toBe(false);
  });
});

describe('createOutput', () => {
  it('writes one JSON document', () => {
    const out = fake();
    createOutput(out, fake(), {}).json({ a: [1] });
    expect(out.written.join('')).toBe('{\n  "a": [\n    1\n  ]\n}\n');
  });

  it.each(['true', 'null', '1234', 'size', '"a"', '\\', 'a": 1', ': 1'])(
    'keeps a document one with the secret %s',
    (secret) => {
      const out = fake();
      const output = createOutput(out, fake(), {});
      output.hide(secret);
      output.json({ size: 12345, ok: true, none: null, text: `it is ${secret}.`, list: ['a'] });
      const document = JSON.parse(out.written.join(''));
      expect(document).toEqual({ size: 12345, ok: true, none: null, text: 'it is [hidden].', list: ['a'] });
    },
  );

  it('hides a long secret in the names of a document as well', () => {
    const out = fake();
    const output = createOutput(out, fake(), {});
    output.hide('tok-0123456789abcdef');
    output.json({ a: { 'x-tok-0123456789abcdef': 1, ['__proto__']: 2 } });
    expect(out.written.join('')).not.toContain('0123456789');
    expect(JSON.parse(out.written.join(''))).toEqual(JSON.parse('{"a":{"x-[hidden]":1,"__proto__":2}}'));
  });

  it.each(['EPIPE', 'EIO'])('goes quiet when the reader has gone (%s)', (code) => {
    const out = fake();
    const output = createOutput(out, fake(), {});
    output.line('one');
    out.fail(code);
    output.line('two');
    expect(out.written).toEqual(['one\n']);
  });

  it('throws what stdout does not take', () => {
    const out = fake();
    createOutput(out, fake(), {});
    expect(() => out.fail('ENOSPC')).toThrow(
      expect.objectContaining({ code: 'WRITE_FAILED', message: 'cannot write stdout: the disk is full' }),
    );
  });

  it('goes on where stderr takes nothing for a while', () => {
    const err = fake();
    const output = createOutput(fake(), err, {});
    output.note('one');
    err.fail('ENOSPC');
    output.note('two');
    expect(err.written).toEqual(['one\n', 'two\n']);
  });

  it('shows a status on a terminal only and clears it before the next line', () => {
    const plain = fake();
    createOutput(fake(), plain, {}).status('reading 1 of 2');
    expect(plain.written).toEqual([]);
    const terminal = fake(true);
    const output = createOutput(fake(), terminal, {});
    output.status('reading 1 of 2');
    output.note('done');
    expect(terminal.written.join('')).toBe('reading 1 of 2\r\u001b[2Kdone\n');
  });
});

describe('tableLines', () => {
  it('pads by cells, not by characters', () => {
    expect(
      tableLines([
        ['日本', 'a'],
        ['x', 'b'],
        ['long one', 'c'],
      ]),
    ).toEqual(['日本      a', 'x         b', 'long one  c']);
  });
});

describe('printable', () => {
  it.each([
    ['plain é 日本 👩‍👩‍👧', 'plain é 日本 👩‍👩‍👧'],
    ['a\nb\tc\r', 'a\\u{a}b\\u{9}c\\u{d}'],
    ['\u001b[31m', '\\u{1b}[31m'],
    ['\u009b', '\\u{9b}'],
    ['\u202egnp.exe', '\\u{202e}gnp.exe'],
    ['\ud800x', '\\u{d800}x'],
    ['x\udc00', 'x\\u{dc00}'],
    ['\u2028', '\\u{2028}'],
  ])('%j becomes %j', (text, expected) => {
    expect(printable(text)).toBe(expected);
  });
});

describe('textWidth', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['日本語', 6],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['ﾊﾛ', 2],
    ['한국', 4],
    ['❤️', 2],
  ])('of %j is %d', (text, width) => {
    expect(textWidth(text)).toBe(width);
  });
});
