import fc from 'fast-check';

/** Keys inside the simple subset, at its border and outside. */
const KEYS = [
  ...['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools', 'version', 'author'],
  ...['a', 'A1', 'x_1', 'a-b', 'a-', 'constructor', 'toString', 'hasOwnProperty', 'y', 'n', 'nulls', 'No-1'],
  ...['true', 'True', 'FALSE', 'null', 'Null', 'no', 'Yes', 'on', 'OFF', '_a', '-a', '1a', '1', '__proto__'],
  ...['a.b', 'a b', 'a/b', '"q"', "'q'", 'ключ', '<<', '? a', '&x a', 'Name', 'NAME', 'a#b', 'a #b', ''],
  ...['k'.repeat(64), 'k'.repeat(65), 'k'.repeat(1_030), 'io.modelcontextprotocol/x'],
];

const SEPARATORS = [': ', ':', ':  ', ' : ', ':\t', ': \t', ':   ', ' '];

/** Values inside the simple subset, at its border and outside. */
const VALUES = [
  ...[
    'a',
    'skill-a',
    'Reads PDF files.',
    'Use when: x',
    'a:b',
    'a:',
    'a :b',
    'a : b',
    'x::',
    'https://x.y/#z',
  ],
  ...[
    'a#b',
    'a #b',
    'a # b',
    '#a',
    'a ',
    'a  ',
    'a\t',
    'a\tb',
    'a  b',
    '',
    ' ',
    'a, b',
    'a [b] {c}',
    'a "b"',
  ],
  ...[
    'true',
    'True',
    'false',
    'null',
    'NULL',
    '~',
    'yes',
    'No',
    'on',
    'OFF',
    'y',
    'N',
    'nul',
    'truely',
    'nO',
  ],
  ...[
    '1',
    '1.0',
    '1.10',
    '1.0.0',
    '007',
    '12:30',
    '12:30:45',
    '1_000',
    '0x1F',
    '0o17',
    '0b11',
    '1e3',
    '1e999',
  ],
  ...[
    '2024-01-02',
    '3 a',
    '3-a',
    '.inf',
    '.nan',
    '-.inf',
    '+1',
    '-1',
    '-a',
    '+a',
    '.a',
    '-',
    '- a',
    '?',
    '? a',
  ],
  ...['"a"', '"a" ', '"a"b', '"a": b', '"a" # b', '""', '"', '"a', '"a\\"b"', '"a\\\\"', '"a\\"', '"\\n"'],
  ...[
    '"\\\\\\""',
    '"a: b # c"',
    '"  "',
    '"true"',
    '"1.0"',
    "'a'",
    "'a' ",
    "''",
    "'",
    "'a''b'",
    "'a'''",
    "''''",
  ],
  ...["'''", "'a'b'", "'a\\'", "'a: b'", "' '", "'a' 'b'", '"é — 😀"', '"a\tb"', '"\u0001"', '"\u00a0"'],
  ...['|', '>', '|-', '>-', '|+', '>+', '|2', '>2-', '>-2', '> # c', '>-# c', '| ', '|a', '>a', '>--', '|-+'],
  ...[
    '[a]',
    '[]',
    '{a: b}',
    '{}',
    '&x a',
    '*x',
    '!t a',
    '!!str a',
    '@a',
    '`a`',
    '%a',
    '(a)',
    '/a',
    '<a>',
    '_a',
  ],
  ...[
    '=',
    '<<',
    '$a',
    ';a',
    '^a',
    '\\a',
    ')a',
    ']a',
    '}a',
    ',a',
    '*',
    '&',
    '!',
    '|b',
    '>b',
    '---',
    '--- a',
    '...',
  ],
  ...[
    'é',
    'ключ',
    '漢字',
    '😀',
    '\u00a0',
    '\u00a0a',
    'a\u00a0',
    '\u3000',
    '\u3000a',
    'a\u2028b',
    'a\u2028---',
  ],
  ...['\ufeffa', 'a\ufeff', 'a\u0085b', '\u0080', 'a\u007f', 'a\u0000', 'a\u0001b', 'a\u009fb', '\u2029a'],
  ...[
    'a\ufffe',
    '\uffff',
    '\u00a1a',
    'd '.repeat(512).trim(),
    'd'.repeat(1_025),
    '😀'.repeat(600),
    'c'.repeat(501),
  ],
];

const INDENTS = ['', '', '', '  ', '  ', '    ', ' ', '   ', '\t', '  \t', ' '.repeat(1_030)];

const ODD = [
  ...[
    '',
    '',
    ' ',
    '  ',
    '\t',
    '# comment',
    '  # comment',
    '- a',
    '  - a',
    '  text',
    'text',
    '    deeper text',
  ],
  ...['  two words: x', '  # in a block', '---', '...', '  ---', '\u2028---', '  "', '{', '  a ', '\ufeff'],
];

const key = fc.constantFrom(...KEYS);
const value = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...VALUES) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.constantFrom(...'ab1 :#\'"\\-|>.,[{é\u00a0\t'.split('')), { maxLength: 8 })
      .map((c) => c.join('')),
  },
);

const roughLine = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(fc.constantFrom(...INDENTS), key, fc.constantFrom(...SEPARATORS), value)
      .map((p) => p.join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom(...ODD) },
);

const goodValue = fc.constantFrom(
  ...['a', 'Reads PDF files.', 'x:y', '"quoted: yes"', "'it''s'", '1.0.0', 'MIT', '"1.0"', '(a)'],
  ...['"say \\"hi\\""', 'é — 漢字 😀', 'in C# or F#', '3 steps', 'a-b_c', "don't"],
);
const goodKey = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('license', 'compatibility', 'allowed-tools') },
  { weight: 1, arbitrary: fc.constantFrom('version', 'author', 'x_1', 'a-b') },
);
const goodBlock = fc
  .tuple(
    fc.constantFrom('>', '>-', '|', '|-'),
    fc.constantFrom('  ', '    ', ' '),
    fc.array(fc.constantFrom('one two', 'three: four', '# five', '"six', '', '- seven', '---'), {
      maxLength: 5,
    }),
  )
  .map(([header, pad, lines]) =>
    [header, ...lines.map((line) => (line === '' ? '' : `${pad}${line}`))].join('\n'),
  );
const goodMap = fc
  .tuple(
    fc.constantFrom('  ', '    ', ' '),
    fc.array(fc.tuple(goodKey, goodValue), { minLength: 1, maxLength: 3 }),
  )
  .map(([pad, pairs]) => `\n${pairs.map(([k, v]) => `${pad}${k}: ${v}`).join('\n')}`);

const goodEntry = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(goodKey, goodValue).map(([k, v]) => `${k}: ${v}`) },
  { weight: 1, arbitrary: fc.tuple(goodKey, goodBlock).map(([k, v]) => `${k}: ${v}`) },
  { weight: 1, arbitrary: goodMap.map((map) => `metadata:${map}`) },
);

/** The YAML of a head as authors write it. */
const goodYaml: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom('name: a', 'name: a', 'name: "a"', "name: 'a'", 'name: skill-a', 'name: A'),
    fc.oneof(goodValue, goodBlock).map((text) => `description: ${text}`),
    fc.uniqueArray(goodEntry, { maxLength: 4, selector: (entry) => entry.split(':')[0] }),
    fc.boolean(),
  )
  .map(([name, description, more, swapped]) =>
    (swapped ? [...more, description, name] : [name, description, ...more]).join('\n'),
  );

const mutation = fc.tuple(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.nat({ max: 2 }),
  fc.constantFrom(
    '',
    '',
    '\n',
    '\n\n',
    ' ',
    '  ',
    '\t',
    ':',
    ': ',
    '#',
    ' #',
    '"',
    "'",
    '\\',
    '-',
    '|',
    '>',
    'x',
    '\r',
    '\u2028',
    '\ufeff',
    '\u0000',
    '\u0085',
    '\u00a0',
    '1',
    '[',
    '{',
    '&',
    '*',
    '!',
    '\n  ',
    '\n- ',
  ),
);

/** Such a head with a few characters cut out or put in. */
const spoiledYaml: fc.Arbitrary<string> = fc
  .tuple(goodYaml, fc.array(mutation, { minLength: 1, maxLength: 2 }))
  .map(([yaml, edits]) => {
    let text = yaml;
    for (const [place, cut, put] of edits) {
      const at = Math.floor(place * text.length);
      text = text.slice(0, at) + put + text.slice(at + cut);
    }
    return text;
  });

const roughYaml: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom('name: a\ndescription: b\n', 'name: a\n', ''), fc.array(roughLine, { maxLength: 5 }))
  .map(([start, lines]) => start + lines.join('\n'));

/** YAML texts in the simple subset, around its border, and outside; each ends with LF. */
export const nearYaml: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 4, arbitrary: goodYaml },
    { weight: 4, arbitrary: spoiledYaml },
    { weight: 4, arbitrary: roughYaml },
  )
  .map((yaml) => `${yaml}\n`);

function rarely(usual: string, ...others: readonly string[]): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  );
}

/** Whole files around {@link nearYaml}: BOM, all line ends, blanks after the fences, bodies of all kinds. */
export const nearFile: fc.Arbitrary<string> = fc
  .tuple(
    nearYaml,
    rarely('', '\ufeff', '\ufeff\ufeff'),
    rarely('---', '--- ', '---\t ', '----', ' ---'),
    rarely('---', '---  ', '---\t', '----', ''),
    rarely('\n', '\r\n', '\r\n', '\r', 'mixed'),
    fc.constantFrom('', '\n', '\n\n# T\n', '\n# T — 😀\n\n---\n', '\n\r\ntext', '\n\ufeff', 'x'),
  )
  .map(([yaml, bom, open, close, lineEnd, body]) => {
    const text = `${bom}${open}\n${yaml}${close}${body}`;
    let line = 0;
    return text.replaceAll('\n', () => (lineEnd === 'mixed' ? (line++ % 2 === 0 ? '\n' : '\r\n') : lineEnd));
  });
