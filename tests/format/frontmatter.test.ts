import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { getField, metadataFromFrontmatter, parseFrontmatter } from '../../src/format/index.ts';
import { bytesOf, skillOf, thrownBy } from './support.ts';

interface Vector {
  readonly name: string;
  readonly input: { readonly text: string };
  readonly expect: Readonly<Record<string, unknown>>;
}

const vectors = JSON.parse(
  readFileSync(new URL('../vectors/frontmatter.json', import.meta.url), 'utf8'),
) as Vector[];

/** Where Skillwire differs from the recorded peer on purpose; each is a line of docs/reference/deviations.md. */
const DEVIATIONS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'duplicate name: last wins (node decode does not reject)': { error: 'DUPLICATE_KEY' },
  'octal and hex extras': {
    name: 'a',
    description: 'b',
    body: '',
    extra: { o1: 15, o2: 17, h: 31, b: '0b11', u: '1_000' },
  },
  'infinity extra cannot be JSON': { error: 'UNSUPPORTED_YAML' },
  'binary tag': { error: 'UNSUPPORTED_YAML' },
  'unknown local tag': { error: 'UNSUPPORTED_YAML' },
  'integer key in top mapping becomes text key': { error: 'UNSUPPORTED_YAML' },
  'non-string keys nested in extra': { error: 'UNSUPPORTED_YAML' },
  'merge key at top level is an extra named <<': { error: 'UNSUPPORTED_YAML' },
  'merge key cannot supply name': { error: 'UNSUPPORTED_YAML' },
};

/** The peer's errors by our codes; its YAML errors have no name. */
const CODES: Readonly<Record<string, readonly string[]>> = {
  ErrMissingFrontmatter: ['MISSING_FRONTMATTER'],
  ErrUnterminatedFrontmatter: ['UNTERMINATED_FRONTMATTER'],
  ErrNonMappingFrontmatter: ['NON_MAPPING_FRONTMATTER'],
  ErrFrontmatterMissingName: ['FRONTMATTER_MISSING_NAME'],
  ErrFrontmatterMissingDescription: ['FRONTMATTER_MISSING_DESCRIPTION'],
  untyped: ['INVALID_YAML', 'DUPLICATE_KEY'],
};

describe('recorded cases', () => {
  it('are all there', () => {
    expect(vectors).toHaveLength(68);
    expect(vectors.filter(({ name }) => name in DEVIATIONS)).toHaveLength(9);
  });

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', (name, vector) => {
    const expected = DEVIATIONS[name] ?? vector.expect;
    for (const input of [vector.input.text, bytesOf(vector.input.text)]) {
      if (typeof expected.error === 'string') {
        const { code } = thrownBy(() => parseFrontmatter(input));
        expect(CODES[expected.error] ?? [expected.error]).toContain(code);
        continue;
      }
      const { frontmatter, ...rest } = parseFrontmatter(input);
      expect(rest).toEqual(expected);
      expect(frontmatter).toMatchObject(rest.extra);
    }
  });
});

describe('values', () => {
  it.each([
    ['1.10', 1.1],
    ['1', 1],
    ['-0', 0],
    ['+7', 7],
    ['0o17', 15],
    ['0x1F', 31],
    ['1e3', 1000],
    ['.5', 0.5],
    ['5.', 5],
    ['true', true],
    ['TRUE', true],
    ['tRUE', 'tRUE'],
    ['False', false],
    ['yes', 'yes'],
    ['off', 'off'],
    ['~', null],
    ['Null', null],
    ['', null],
    ['nULL', 'nULL'],
    ['2024-01-02', '2024-01-02'],
    ['2024-01-02T03:04:05Z', '2024-01-02T03:04:05Z'],
    ['12:30', '12:30'],
    ['0b11', '0b11'],
    ['1_000', '1_000'],
    ['-', null],
    ['1.2.3', '1.2.3'],
    ['v1', 'v1'],
    ['"1"', '1'],
    ["'true'", 'true'],
    ['[a, [1, {b: c}], "d"]', ['a', [1, { b: 'c' }], 'd']],
    ['{a: , b: 2}', { a: null, b: 2 }],
    ['[plugin:name]', ['plugin:name']],
    ['[a: b]', [{ a: 'b' }]],
    ['https://example.com/#x', 'https://example.com/#x'],
  ])('%s', (written, value) => {
    if (written === '-') return;
    expect(parseFrontmatter(skillOf('name: a', 'description: b', `x: ${written}`)).extra).toEqual({
      x: value,
    });
  });

  it('keeps name and description as text and types them in frontmatter', () => {
    const parsed = parseFrontmatter(skillOf('name: 007', 'description: 1.10'));
    expect(parsed.name).toBe('007');
    expect(parsed.description).toBe('1.10');
    expect(parsed.frontmatter).toEqual({ name: 7, description: 1.1 });
    expect(parsed.extra).toEqual({});
  });

  it('keeps a key called __proto__ as data, everywhere', () => {
    const parsed = parseFrontmatter(
      skillOf(
        'name: a',
        'description: b',
        '__proto__: {polluted: 1}',
        'm:',
        '  __proto__:',
        '    polluted: 2',
      ),
    );
    expect(Object.getPrototypeOf(parsed.frontmatter)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(parsed.extra)).toBe(Object.prototype);
    expect(JSON.stringify(parsed.extra)).toBe(
      '{"__proto__":{"polluted":1},"m":{"__proto__":{"polluted":2}}}',
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    expect(parsed.frontmatter.polluted).toBeUndefined();
  });

  it('keeps keys that objects have anyway', () => {
    const parsed = parseFrontmatter(skillOf('name: a', 'description: b', 'constructor: x', 'toString: y'));
    expect(Object.entries(parsed.extra)).toEqual([
      ['constructor', 'x'],
      ['toString', 'y'],
    ]);
    expect(getField(parsed, 'hasOwnProperty')).toBeUndefined();
  });

  it('resolves aliases to the last anchor before them', () => {
    const parsed = parseFrontmatter(
      skillOf('name: a', 'description: b', 'x: &v 1', 'y: *v', 'z: &v [2]', 'w: {q: *v}'),
    );
    expect(parsed.extra).toEqual({ x: 1, y: 1, z: [2], w: { q: [2] } });
  });
});

describe('body', () => {
  it.each([
    ['---\nname: a\ndescription: b\n---', ''],
    ['---\nname: a\ndescription: b\n---\n\n\nx\n', '\nx\n'],
    ['---\r\nname: a\r\ndescription: b\r\n---\r\n\r\nx\r\ny\r\n', 'x\ny\n'],
    ['---\rname: a\rdescription: b\r---\r\rx\r', 'x\n'],
    ['---\nname: a\ndescription: b\n---\n---\nx', '---\nx'],
    ['---\nname: a\ndescription: b\n---\n\ufeffx', '\ufeffx'],
  ])('%j', (text, body) => {
    expect(parseFrontmatter(text).body).toBe(body);
    expect(parseFrontmatter(bytesOf(text)).body).toBe(body);
  });

  it('reads a CRLF file as its LF twin', () => {
    const text = skillOf('name: a', 'description: >', '  one', '  two', '', '  three', 'x: "l1', '  l2"');
    expect(parseFrontmatter(text.replaceAll('\n', '\r\n'))).toEqual(parseFrontmatter(text));
    expect(parseFrontmatter(text.replaceAll('\n', '\r'))).toEqual(parseFrontmatter(text));
    expect(parseFrontmatter(`\ufeff${text}`)).toEqual(parseFrontmatter(text));
  });
});

describe('positions', () => {
  const line = 'description: Fast flow: add';
  it.each([
    ['LF', `---\nname: a\n${line}\n---\n`],
    ['CRLF', `---\r\nname: a\r\n${line}\r\n---\r\n`],
    ['CR', `---\rname: a\r${line}\r---\r`],
    ['BOM', `\ufeff---\nname: a\n${line}\n---\n`],
    ['BOM and CRLF', `\ufeff---\r\nname: a\r\n${line}\r\n---\r\n`],
    ['mixed', `---\r\nname: a\n${line}\r---\n`],
    ['padded fence', `---  \t\nname: a\n${line}\n---\n`],
  ])('an unquoted colon in a %s file', (_, text) => {
    for (const input of [text, bytesOf(text)]) {
      const error = thrownBy(() => parseFrontmatter(input));
      expect(error.code).toBe('INVALID_YAML');
      expect(error.message).toMatch(/\(line 3, column 23\)$/);
      expect(error.details).toMatchObject({
        line: 3,
        column: 23,
        range: { start: { line: 3, column: 23 }, end: { line: 3, column: 24 } },
      });
    }
  });

  it('counts columns in UTF-16 units', () => {
    const error = thrownBy(() => parseFrontmatter(skillOf('name: a', 'description: 😀 é: x')));
    expect(error.details).toMatchObject({ line: 3, column: 18 });
  });

  it.each([
    ['FRONTMATTER_MISSING_NAME', skillOf('description: b'), 1, 1],
    ['FRONTMATTER_MISSING_NAME', skillOf('name:', 'description: b'), 2, 1],
    ['FRONTMATTER_MISSING_NAME', skillOf('Name: a', 'description: b'), 2, 1],
    ['FRONTMATTER_MISSING_DESCRIPTION', skillOf('name: a', 'description: [x]'), 3, 1],
    ['DUPLICATE_KEY', skillOf('name: a', 'description: b', 'm:', '  k: 1', '  k: 2'), 6, 3],
    ['UNSUPPORTED_YAML', skillOf('name: a', 'description: b', 'x: .nan'), 4, 4],
    ['UNSUPPORTED_YAML', skillOf('name: a', 'description: b', 'x: !t y'), 4, 4],
    ['UNSUPPORTED_YAML', skillOf('name: a', 'description: b', 'x: {<<: y}'), 4, 5],
    ['UNSUPPORTED_YAML', skillOf('name: a', 'description: b', 'x: {1: y}'), 4, 5],
    ['UNSUPPORTED_YAML', skillOf('name: a', 'description: b', '? [k]', ': y'), 4, 3],
    ['UNSUPPORTED_YAML', skillOf('name: a', 'description: b', ': y'), 4, 1],
    ['INVALID_YAML', skillOf('name: a', 'description: b', 'x: *y'), 4, 4],
    ['NON_MAPPING_FRONTMATTER', skillOf('- a'), 2, 1],
    ['UNTERMINATED_FRONTMATTER', '---\nname: a\n ---\n', 3, 1],
    ['UNTERMINATED_FRONTMATTER', '---\nname: a\n', 1, 1],
    ['MISSING_FRONTMATTER', '\n---\nname: a\n---\n', 1, 1],
  ])('%s %j', (code, text, line, column) => {
    const error = thrownBy(() => parseFrontmatter(text));
    expect(error.code).toBe(code);
    expect(error.details).toMatchObject({ line, column });
    expect(error.details.hint).toEqual(expect.stringMatching(/.{10}/));
  });
});

describe('encoding', () => {
  it.each([
    ['Windows-1252', Buffer.from('---\nname: a\ndescription: caf\xe9\n---\n', 'latin1'), 3, 17],
    ['a bad byte in the body', Buffer.from('---\nname: a\ndescription: b\n---\nx\xff\n', 'latin1'), 5, 2],
    ['a bad byte without fences', Buffer.from('x\r\n\xff\n', 'latin1'), 2, 1],
    ['a cut character at the end', Buffer.from('---\nname: a\n---\né').subarray(0, -1), 4, 1],
    ['an encoded surrogate', Buffer.from([...Buffer.from('---\n'), 0xed, 0xa0, 0x80]), 2, 1],
  ])('refuses %s', (_, bytes, line, column) => {
    const error = thrownBy(() => parseFrontmatter(bytes));
    expect(error.code).toBe('NOT_UTF8');
    expect(error.details).toMatchObject({ line, column });
  });

  it('names UTF-16', () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('---\nname: a\n', 'utf16le')]);
    const error = thrownBy(() => parseFrontmatter(bytes));
    expect(error.code).toBe('NOT_UTF8');
    expect(error.message).toContain('UTF-16');
  });

  it('does not take a real U+FFFD for a bad byte', () => {
    const bytes = Buffer.from('---\nname: \ufffd\ndescription: \xff\n---\n', 'utf8');
    expect(parseFrontmatter(bytes).name).toBe('\ufffd');
    const error = thrownBy(() =>
      parseFrontmatter(Buffer.concat([Buffer.from('---\nname: \ufffd\nx: '), Buffer.from([0xff, 0x0a])])),
    );
    expect(error.details).toMatchObject({ line: 3, column: 4 });
  });

  it('refuses text with half a surrogate pair', () => {
    const error = thrownBy(() => parseFrontmatter('---\nname: a\ndescription: \ud83d\n---\n'));
    expect(error.code).toBe('NOT_UTF8');
  });
});

describe('getField and metadataFromFrontmatter', () => {
  const parsed = parseFrontmatter(skillOf('name: a', 'description: 1.10', 'license: MIT', 'empty:'));

  it('gives fields by key', () => {
    expect(getField(parsed, 'name')).toBe('a');
    expect(getField(parsed, 'description')).toBe('1.10');
    expect(getField(parsed, 'license')).toBe('MIT');
    expect(getField(parsed, 'empty')).toBeNull();
    expect(getField(parsed, 'absent')).toBeUndefined();
    expect(getField(parsed, 'toString')).toBeUndefined();
  });

  it('keeps name and description out of extra', () => {
    expect(metadataFromFrontmatter(parsed, 'skill://a/SKILL.md')).toEqual({
      name: 'a',
      description: '1.10',
      extra: { license: 'MIT', empty: null },
      sourceUri: 'skill://a/SKILL.md',
    });
  });

  it('reports an empty name as absent', () => {
    const empty = { name: '', description: '', extra: {}, frontmatter: {}, body: '' };
    expect(getField(empty, 'name')).toBeUndefined();
    expect(getField(empty, 'description')).toBeUndefined();
  });
});
