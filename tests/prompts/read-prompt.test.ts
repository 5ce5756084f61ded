import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyFixes, type Diagnostic, parseFrontmatter, RULES } from '../../src/format/index.ts';
import { PROMPT_RULES, promptIdProblem, readPrompt } from '../../src/prompts/index.ts';

const read = (text: string | Uint8Array, id = 'code-review'): ReturnType<typeof readPrompt> =>
  readPrompt(typeof text === 'string' ? Buffer.from(text) : text, { id, path: `${id}.md` });
const head = (yaml: string, body = 'Review it.\n'): string =>
  `---\ndescription: Review a diff\n${yaml}---\n${body}`;
const place = ({ code, severity, range }: Diagnostic): string =>
  `${severity} ${code} ${range?.start.line}:${range?.start.column}`;

describe('a prompt', () => {
  test('has every field of its file', () => {
    const text = [
      '---',
      'name: code-review',
      'title: Code review',
      'description: Review a diff',
      'tags: [review, Quality, ärger]',
      'arguments:',
      '  - name: diff',
      '    description: Diff to review',
      '    required: true',
      '  - name: focus',
      '    values: [speed, safety]',
      '---',
      '',
      '',
      'Look at {{diff}} for {{focus}}.',
      '',
    ].join('\n');
    expect(read(text)).toEqual({
      prompt: {
        id: 'code-review',
        title: 'Code review',
        description: 'Review a diff',
        tags: ['Quality', 'review', 'ärger'],
        arguments: [
          { name: 'diff', description: 'Diff to review', required: true },
          { name: 'focus', required: false, values: ['speed', 'safety'] },
        ],
        document: text,
        body: '\nLook at {{diff}} for {{focus}}.\n',
        path: 'code-review.md',
      },
      diagnostics: [],
    });
  });

  test('keeps a BOM and CRLF in its document and not in its body', () => {
    const text = '\ufeff---\r\ndescription: Review\r\n---\r\n\r\nOne\r\nTwo\r\n';
    const { prompt } = read(text);
    expect(prompt?.document).toBe(text);
    expect(prompt?.body).toBe('One\nTwo\n');
  });

  test.each(['', '\n', '\n\n', 'x', '\nx', '\r\nx\r\ny', '\rx', '---\nx'])(
    'has the body that any frontmatter has: %j',
    (body) => {
      const text = `---\nname: code-review\ndescription: d\n--- \t\n${body}`;
      expect(read(text).prompt?.body).toBe(parseFrontmatter(text).body);
    },
  );

  test('may have sorted tags beyond the basic plane', () => {
    expect(read(head('tags: ["\u{1f600}", "\uff5e"]\n')).prompt?.tags).toEqual(['\uff5e', '\u{1f600}']);
  });
});

describe('what is wrong', () => {
  test.each<[string, string, readonly string[]]>([
    ['no frontmatter', 'Review it.\n', ['error MISSING_FRONTMATTER 1:1']],
    ['nothing at all', '', ['error MISSING_FRONTMATTER 1:1']],
    ['an open frontmatter', '---\ndescription: x\n', ['error UNTERMINATED_FRONTMATTER 1:1']],
    ['an empty frontmatter', '---\n---\nx\n', ['error NON_MAPPING_FRONTMATTER 2:1']],
    ['broken YAML', '---\ndescription: a: b\n---\nx\n', ['error INVALID_YAML 2:15']],
    ['a key twice', head('tags: [a]\ntags: [b]\n'), ['error DUPLICATE_KEY 4:1']],
    ['no description', '---\ntitle: x\n---\nx\n', ['error FRONTMATTER_MISSING_DESCRIPTION 1:1']],
    ['an empty description', '---\ndescription:\n---\nx\n', ['error FRONTMATTER_MISSING_DESCRIPTION 2:1']],
    [
      'a blank description',
      '---\ndescription: " "\n---\nx\n',
      ['error FRONTMATTER_MISSING_DESCRIPTION 2:14'],
    ],
    [
      'a description that is a number',
      '---\ndescription: 12\n---\nx\n',
      ['error DESCRIPTION_NOT_STRING 2:14'],
    ],
    [
      'a description of 1,025 characters',
      `---\ndescription: ${'é'.repeat(1025)}\n---\nx\n`,
      ['error DESCRIPTION_TOO_LONG 2:14'],
    ],
    ['a description of 1,024 pairs of units', `---\ndescription: ${'\u{1f600}'.repeat(1024)}\n---\nx\n`, []],
    [
      'a description cut by a comment',
      '---\ndescription: Fix #1\n---\nx\n',
      ['warning DESCRIPTION_CUT_BY_COMMENT 2:17'],
    ],
    ['another name', head('name: review\n'), ['error PROMPT_NAME_MISMATCH 3:7']],
    ['a name that is a number', head('name: 7\n'), ['error PROMPT_NAME_MISMATCH 3:7']],
    ['an empty name', head('name:\n'), ['error PROMPT_NAME_MISMATCH 3:6']],
    ['a title that is a number', head('title: 2024\n'), ['error PROMPT_TITLE_INVALID 3:8']],
    ['a blank title', head('title: " "\n'), ['error PROMPT_TITLE_INVALID 3:8']],
    ['tags that are one text', head('tags: review, quality\n'), ['error PROMPT_TAGS_INVALID 3:7']],
    ['tags without a value', head('tags:\n'), ['error PROMPT_TAGS_INVALID 3:6']],
    ['a tag that is a number', head('tags: [review, 2024]\n'), ['error PROMPT_TAGS_INVALID 3:16']],
    ['a tag that is a list', head('tags: [[a]]\n'), ['error PROMPT_TAGS_INVALID 3:8']],
    ['a tag that is empty', head('tags: [a, ""]\n'), ['error PROMPT_TAGS_INVALID 3:11']],
    ['a tag twice', head('tags: [a, b, a]\n'), ['warning PROMPT_TAG_REPEATED 3:14']],
    ['no tags', head('tags: []\n'), []],
    [
      'arguments that are a mapping',
      head('arguments:\n  diff: x\n', '{{diff}}\n'),
      ['error PROMPT_ARGUMENTS_INVALID 4:3'],
    ],
    [
      'an argument that is a text',
      head('arguments: [diff]\n', '{{diff}}\n'),
      ['error PROMPT_ARGUMENTS_INVALID 3:13'],
    ],
    [
      'an argument without a name',
      head('arguments:\n  - required: true\n'),
      ['error PROMPT_ARGUMENTS_INVALID 4:5'],
    ],
    [
      'an argument with a space',
      head('arguments:\n  - name: a b\n'),
      ['error PROMPT_ARGUMENTS_INVALID 4:11'],
    ],
    [
      'an argument that is a number',
      head('arguments:\n  - name: 7\n'),
      ['error PROMPT_ARGUMENTS_INVALID 4:11'],
    ],
    [
      'an argument with 65 characters',
      head(`arguments:\n  - name: ${'a'.repeat(65)}\n`),
      ['error PROMPT_ARGUMENTS_INVALID 4:11'],
    ],
    [
      'an argument twice',
      head('arguments:\n  - name: a\n  - name: a\n', '{{a}}\n'),
      ['error PROMPT_ARGUMENT_REPEATED 5:5'],
    ],
    [
      'required that is a text',
      head('arguments:\n  - name: a\n    required: yes\n', '{{a}}\n'),
      ['error PROMPT_ARGUMENTS_INVALID 5:15'],
    ],
    [
      'values that are a text',
      head('arguments:\n  - name: a\n    values: b\n', '{{a}}\n'),
      ['error PROMPT_ARGUMENTS_INVALID 5:13'],
    ],
    [
      'a value that is a boolean',
      head('arguments:\n  - name: a\n    values: [true]\n', '{{a}}\n'),
      ['error PROMPT_ARGUMENTS_INVALID 5:14'],
    ],
    [
      'an unknown key of an argument',
      head('arguments:\n  - name: a\n    default: b\n', '{{a}}\n'),
      ['warning PROMPT_UNKNOWN_KEY 5:5'],
    ],
    ['an unknown key', head('tag: review\n'), ['warning PROMPT_UNKNOWN_KEY 3:1']],
    [
      'an argument that is used nowhere',
      head('arguments:\n  - name: a\n'),
      ['warning PROMPT_ARGUMENT_UNUSED 4:11'],
    ],
    [
      'an undeclared placeholder',
      head('', 'One {{a}}\nTwo {{b}} {{a}}\n'),
      ['error PROMPT_PLACEHOLDER_UNDECLARED 4:5', 'error PROMPT_PLACEHOLDER_UNDECLARED 5:5'],
    ],
    [
      'an undeclared placeholder below a blank line',
      head('', '\nOne {{a}}\n'),
      ['error PROMPT_PLACEHOLDER_UNDECLARED 5:5'],
    ],
    [
      'a placeholder with spaces',
      head('arguments:\n  - name: a\n', '{{ a }}\n'),
      ['warning PROMPT_PLACEHOLDER_SPACED 6:1'],
    ],
    ['braces with spaces that name no argument', head('', '${{ secrets.X }} {{}} {{ }} {a} {{{ b }}}\n'), []],
    ['no body', head('', ''), ['warning PROMPT_BODY_EMPTY 4:1']],
    [
      'three things at once',
      head('tags: x y\nname: b\nfoo: 1\n', '{{c}}\n'),
      [
        'error PROMPT_TAGS_INVALID 3:7',
        'error PROMPT_NAME_MISMATCH 4:7',
        'warning PROMPT_UNKNOWN_KEY 5:1',
        'error PROMPT_PLACEHOLDER_UNDECLARED 7:1',
      ],
    ],
  ])('%s', (_, text, wanted) => {
    const { prompt, diagnostics } = read(text);
    expect(diagnostics.map(place)).toEqual(wanted);
    expect(prompt === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
    for (const { path, code, hint } of diagnostics) {
      expect(path).toBe('code-review.md');
      expect(hint).not.toBe('');
      expect(Object.hasOwn(PROMPT_RULES, code) || Object.hasOwn(RULES, code)).toBe(true);
    }
  });

  test.each([
    [Buffer.from('---\ndescription: caf\xe9\n---\nx\n', 'latin1'), '2:17'],
    [Buffer.from('---\ndescription: x\n---\ncaf\xe9\n', 'latin1'), '4:4'],
  ])('bytes that are no UTF-8, at their place', (bytes, where) => {
    expect(read(bytes).diagnostics.map(place)).toEqual([`error NOT_UTF8 ${where}`]);
  });

  test('is told at the same place in a file with CRLF and a BOM', () => {
    const text = `\ufeff${head('tags: x y\n', '{{c}}\n').replaceAll('\n', '\r\n')}`;
    expect(read(text).diagnostics.map(place)).toEqual([
      'error PROMPT_TAGS_INVALID 3:7',
      'error PROMPT_PLACEHOLDER_UNDECLARED 5:1',
    ]);
  });

  test('says nothing of skills', () => {
    for (const text of [
      '',
      'x',
      '---\nx',
      '---\n- a\n---\n',
      '---\ntitle: x\n---\nx',
      '---\ndescription: " "\n---\nx',
      `---\nx: ${'y'.repeat(70_000)}\n---\n`,
      ' ---\nx: 1\n---\n',
    ]) {
      for (const { message, hint } of read(text).diagnostics)
        expect(`${message} ${hint}`).not.toMatch(/skill/i);
    }
  });

  test('does not go on for ever', () => {
    const body = Array.from({ length: 5000 }, (_, at) => `{{a${at}}}`).join(' ');
    const { diagnostics } = read(head('', body));
    expect(diagnostics).toHaveLength(101);
    expect(diagnostics.at(-1)).toMatchObject({
      code: 'MORE_PROBLEMS',
      message: '4,900 more problems of this file are not shown',
    });
  });

  test.each([
    ['placeholders', head('', Array.from({ length: 300_000 }, (_, at) => `{{a${at}}}`).join(''))],
    ['spaces', head('arguments:\n  - name: a\n', '{{ a }}'.repeat(300_000))],
  ])('counts no more %s than anybody wants to know of', (_, text) => {
    const { diagnostics } = read(text);
    expect(diagnostics).toHaveLength(101);
    expect(diagnostics.every(({ message }) => message !== '')).toBe(true);
    expect(diagnostics.at(-1)?.message).toBe('at least 9,900 more problems of this file are not shown');
  });
});

describe('hints', () => {
  test.each([
    [head('tag: review\n'), 'did you mean "tags"?'],
    [head('Arguments: []\n'), 'did you mean "arguments"?'],
    [head('arguments:\n  - name: diff\n', '{{dif}} {{diff}}\n'), 'did you mean "{{diff}}"?'],
    [
      head('', '{{secrets.KEY}}\n'),
      'declare it below "arguments", or write "{{ secrets.KEY }}" if the braces are meant as text',
    ],
    [
      head('arguments:\n  - name: a\n    default: b\n', '{{a}}\n'),
      'arguments have no default: an optional one that is not given is empty',
    ],
  ])('say what to do', (text, hint) => {
    expect(read(text).diagnostics[0]?.hint).toBe(hint);
  });
});

describe('fixes', () => {
  test.each([
    [head('name: review\n'), head('name: code-review\n')],
    [head('title: 2024\n'), head("title: '2024'\n")],
    [head('tags: review, quality\n'), head('tags: [review, quality]\n')],
    [head('tags: [2024]\n'), head("tags: ['2024']\n")],
    [head('arguments: [diff]\n', '{{diff}}\n'), head('arguments: [{ name: diff }]\n', '{{diff}}\n')],
    [head('arguments:\n  - diff\n', '{{diff}}\n'), head('arguments:\n  - { name: diff }\n', '{{diff}}\n')],
    [
      head('arguments:\n  - name: a\n    required: "yes"\n', '{{a}}\n'),
      head('arguments:\n  - name: a\n    required: true\n', '{{a}}\n'),
    ],
    [head('arguments:\n  - name: a\n', '{{ a }}\n'), head('arguments:\n  - name: a\n', '{{a}}\n')],
  ])('mend the file: %j', (bad, good) => {
    const fixed = applyFixes(
      bad,
      read(bad).diagnostics.flatMap(({ fix }) => fix ?? []),
    );
    expect(fixed).toBe(good);
    expect(read(fixed).diagnostics).toEqual([]);
  });
});

describe('ids', () => {
  test.each(['a', 'a1', 'code-review', 'a-1', 'x'.repeat(64)])('%s is one', (id) => {
    expect(promptIdProblem(id)).toBeUndefined();
  });

  test.each([
    ['', 'name the file with a-z, 0-9 and single hyphens, such as "code-review.md"'],
    ['Code_Review', 'rename the file to "code-review.md"'],
    ['codeReview', 'rename the file to "code-review.md"'],
    ['a--b', 'rename the file to "a-b.md"'],
    ['-x', 'rename the file to "x.md"'],
    ['x-', 'rename the file to "x.md"'],
    ['review.prompt', 'rename the file to "review.md"'],
    ['1st', 'name the file with a-z, 0-9 and single hyphens, such as "code-review.md"'],
    ['über', 'name the file with a-z, 0-9 and single hyphens, such as "code-review.md"'],
    ['x'.repeat(65), 'name the file with a-z, 0-9 and single hyphens, such as "code-review.md"'],
  ])('%j is none', (id, hint) => {
    expect(promptIdProblem(id)?.hint).toBe(hint);
    expect(promptIdProblem(id)?.message).toMatch(/ is not the id of a prompt: /);
  });
});

describe('the rules', () => {
  const doc = readFileSync(new URL('../../docs/reference/prompts.md', import.meta.url), 'utf8');

  test('stand in the document, in order, with their severity and title', () => {
    const rows = [...doc.matchAll(/^\| `([A-Z_]+)` \| (\w+) \| (.+?) \|/gm)].map(
      ([, code, severity, title]) => [code, severity, title],
    );
    expect(rows).toEqual(
      Object.entries(PROMPT_RULES).map(([code, { severity, title }]) => [code, severity, title]),
    );
  });

  const inFiles = Object.entries(PROMPT_RULES).filter(([, { bad }]) => bad.startsWith('---'));
  test('of files are eleven', () => {
    expect(inFiles).toHaveLength(11);
  });

  test.each(inFiles)('%s is broken by its bad example alone', (code, { bad, good }) => {
    expect(read(bad).diagnostics.map((each) => each.code)).toEqual([code]);
    expect(read(good).diagnostics).toEqual([]);
  });
});

test('any bytes are read or refused, never thrown over', () => {
  const yaml = fc.constantFrom(
    'description: d',
    'tags: [a]',
    'tags: a',
    'arguments:',
    '  - name: x',
    '    required: true',
    '- y',
    'name: *a',
    '\t',
    '{{x}}',
    '---',
    'title: &a b',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.array(yaml).map((lines) => `---\n${lines.join('\n')}\n---\n{{x}}`),
      ),
      (text) => {
        const { prompt, diagnostics } = read(text);
        const errors = diagnostics.filter(({ severity }) => severity === 'error');
        expect(prompt === undefined).toBe(errors.length > 0);
      },
    ),
    { numRuns: 300 },
  );
});
