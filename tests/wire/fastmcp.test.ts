import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSkillError, SkillError } from '../../src/errors.ts';
import { compareFilePaths, parseSkillManifest, writeSkillManifest } from '../../src/wire/index.ts';

const HASH = 'sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';

/** The message of the refusal. */
function refusal(text: string): string {
  try {
    parseSkillManifest(text);
  } catch (error) {
    if (isSkillError(error, 'INVALID_MANIFEST')) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

const listOf = (...files: readonly unknown[]): string => JSON.stringify({ skill: 's', files });

describe('writeSkillManifest', () => {
  it('writes what Python’s json.dumps with an indent of 2 writes', () => {
    const files = [
      { path: 'ä/\u{1f600}"\\\n\u007f.md', size: 0, hash: HASH },
      { path: 'SKILL.md', size: 1, hash: HASH },
    ];
    expect(writeSkillManifest({ skill: 'caf\u00e9', files })).toBe(
      [
        '{',
        '  "skill": "caf\\u00e9",',
        '  "files": [',
        '    {',
        '      "path": "SKILL.md",',
        '      "size": 1,',
        `      "hash": "${HASH}"`,
        '    },',
        '    {',
        '      "path": "\\u00e4/\\ud83d\\ude00\\"\\\\\\n\\u007f.md",',
        '      "size": 0,',
        `      "hash": "${HASH}"`,
        '    }',
        '  ]',
        '}',
      ].join('\n'),
    );
  });

  it('writes an empty list on one line', () => {
    expect(writeSkillManifest({ skill: 's', files: [] })).toBe('{\n  "skill": "s",\n  "files": []\n}');
  });

  it('writes no field that the dialect does not have', () => {
    const file = { hash: HASH, mode: 0o755, size: 1, path: 'SKILL.md' };
    const list = { files: [file], version: 2, skill: 's' };
    expect(JSON.parse(writeSkillManifest(list))).toEqual({
      skill: 's',
      files: [{ path: 'SKILL.md', size: 1, hash: HASH }],
    });
    expect(writeSkillManifest(list)).toMatch(/"path".*"size".*"hash"/s);
  });
});

describe('compareFilePaths', () => {
  it('sorts by the names of a path, each in code-point order', () => {
    const sorted = [
      '10.md',
      '9.md',
      'B.md',
      'SKILL.md',
      '_z.md',
      'a/SKILL.md',
      'a/x.md',
      'a/x.md/y',
      'a b/c.md',
      'a-b.md',
      'a.md',
      'b.md',
      '\u00c4.md',
      '\uff5e.md',
      '\u{1f600}.md',
    ];
    expect([...sorted].reverse().sort(compareFilePaths)).toEqual(sorted);
  });

  it('is an order, and that of tuples of names', () => {
    const name = fc.string({ unit: fc.constantFrom('a', 'b', '-', '\uff5e', '\u{1f600}'), minLength: 1 });
    const path = fc.array(name, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(path, path, (left, right) => {
        const points = (names: readonly string[]): string =>
          // Code points of one width, names apart by what sorts before each of them.
          names
            .map((each) =>
              [...each]
                .map((char) =>
                  String.fromCharCode(char.codePointAt(0) === 0x1f600 ? 0xffff : char.charCodeAt(0)),
                )
                .join(''),
            )
            .join('\u0001');
        const [a, b] = [points(left), points(right)];
        const wanted = a < b ? -1 : a > b ? 1 : 0;
        expect(Math.sign(compareFilePaths(left.join('/'), right.join('/')))).toBe(wanted);
      }),
    );
  });
});

describe('parseSkillManifest', () => {
  it('reads back what was written', () => {
    const digest = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => `sha256:${Buffer.from(bytes).toString('hex')}`);
    const file = fc.record({
      path: fc.string({ unit: 'binary', minLength: 1 }),
      size: fc.maxSafeNat(),
      hash: digest,
    });
    const list = fc.record({
      skill: fc.string({ unit: 'binary' }),
      files: fc.uniqueArray(file, { selector: ({ path }) => path }),
    });
    fc.assert(
      fc.property(list, (value) => {
        const text = writeSkillManifest(value);
        const read = parseSkillManifest(text);
        expect(text).toMatch(/^[\x20-\x7e\n]*$/);
        expect(read.skill).toBe(value.skill);
        expect(new Map(read.files.map((each) => [each.path, each]))).toEqual(
          new Map(value.files.map((each) => [each.path, each])),
        );
        expect(writeSkillManifest(read)).toBe(text);
      }),
    );
  });

  it('keeps the order of the server and drops fields that it does not know', () => {
    const files = [
      { path: 'b', size: 1, hash: HASH, mode: 1 },
      { path: 'a', size: 2, hash: HASH, __proto__: null },
    ];
    const read = parseSkillManifest(
      JSON.stringify({ $schema: 'x', files, skill: 's' }).replace('"mode"', '"__proto__"'),
    );
    expect(read).toEqual({
      skill: 's',
      files: [
        { path: 'b', size: 1, hash: HASH },
        { path: 'a', size: 2, hash: HASH },
      ],
    });
  });

  it.each([
    ['', 'it is no JSON'],
    ['not json', 'it is no JSON'],
    ['\ufeff{"skill":"s","files":[]}', 'it is no JSON'],
    ['null', 'it is null and must be an object'],
    ['[]', 'it is a list and must be an object'],
    ['"text"', 'it is of type string and must be an object'],
    ['{"files":[]}', 'skill is missing and must be text'],
    ['{"skill":7,"files":[]}', 'skill is of type number and must be text'],
    ['{"skill":"s"}', 'files is missing and must be a list'],
    ['{"skill":"s","files":{}}', 'files is of type object and must be a list'],
    ['{"__proto__":{"skill":"s","files":[]}}', 'skill is missing and must be text'],
    [listOf(null), 'files[0] is null and must be an object'],
    [listOf({ size: 1, hash: HASH }), 'files[0].path is missing and must be text'],
    [listOf({ path: ['a'], size: 1, hash: HASH }), 'files[0].path is a list and must be text'],
    [listOf({ path: '', size: 1, hash: HASH }), 'files[0].path is empty'],
    [
      listOf({ path: 'a', size: 1, hash: HASH }, { path: 'a', size: 1, hash: HASH }),
      'files[1].path is "a", which stands there twice',
    ],
    [listOf({ path: 'a', hash: HASH }), 'files[0].size is missing and must be a whole number from 0'],
    [
      listOf({ path: 'a', size: '1', hash: HASH }),
      'files[0].size is of type string and must be a whole number from 0',
    ],
    [listOf({ path: 'a', size: -1, hash: HASH }), 'files[0].size is -1 and must be a whole number from 0'],
    [listOf({ path: 'a', size: 1.5, hash: HASH }), 'files[0].size is 1.5 and must be a whole number from 0'],
    [
      listOf({ path: 'a', size: 9007199254740992, hash: HASH }),
      'files[0].size is 9007199254740992 and must be a whole number from 0',
    ],
    [
      listOf({ path: 'a', size: 1 }),
      'files[0].hash is missing and must be "sha256:" and 64 lower-case hex digits',
    ],
    [
      listOf({ path: 'a', size: 1, hash: HASH.slice(7) }),
      `files[0].hash is "${HASH.slice(7)}" and must be "sha256:" and 64 lower-case hex digits`,
    ],
    [
      listOf({ path: 'a', size: 1, hash: HASH.toUpperCase() }),
      `files[0].hash is "${HASH.toUpperCase()}" and must be "sha256:" and 64 lower-case hex digits`,
    ],
  ])('refuses %j', (text, why) => {
    expect(refusal(text)).toBe(`the file list is refused: ${why}`);
  });

  it('refuses a text that is too long before it looks into it', () => {
    expect(refusal(' '.repeat(10_485_761))).toBe(
      'the file list is refused: it has 10485761 characters; at most 10485760 are read',
    );
  });

  it('survives nesting without end', () => {
    expect(refusal('['.repeat(100_000))).toContain('it is no JSON');
  });

  it('throws nothing else, whatever it is given', () => {
    const close = fc.record(
      {
        skill: fc.jsonValue(),
        files: fc.array(
          fc.record(
            { path: fc.jsonValue(), size: fc.jsonValue(), hash: fc.jsonValue() },
            { requiredKeys: [] },
          ),
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          close.map((value) => JSON.stringify(value)),
        ),
        (text) => {
          try {
            parseSkillManifest(text);
          } catch (error) {
            expect(error).toBeInstanceOf(SkillError);
          }
        },
      ),
    );
  });
});
