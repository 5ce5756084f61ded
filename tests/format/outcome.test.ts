import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { applyFixes, type Diagnostic, type JudgeOptions, judgeSkillFile } from '../../src/format/index.ts';
import { bytesOf, skillOf } from './support.ts';

interface BugFile {
  readonly path: string;
  readonly text: string;
  readonly outcome: string;
  readonly codes: readonly (readonly [code: string, line: number])[];
  readonly values?: Readonly<Record<string, unknown>>;
}

const bugs = JSON.parse(
  readFileSync(new URL('../vectors/bug-frontmatter.json', import.meta.url), 'utf8'),
) as readonly { readonly id: string; readonly files: readonly BugFile[] }[];

function judge(
  text: string | Uint8Array,
  options: Partial<JudgeOptions> = {},
): ReturnType<typeof judgeSkillFile> {
  return judgeSkillFile(text, { path: 'x/a/SKILL.md', folderName: 'a', ...options });
}

function codes(diagnostics: readonly Diagnostic[]): string[] {
  return diagnostics.map(({ code }) => code);
}

describe('reported bugs of other tools', () => {
  it('are all there', () => {
    expect(bugs).toHaveLength(31);
  });

  const files = bugs.flatMap(({ id, files: each }) =>
    each.map((file) => [`${id} ${file.path}`, file] as const),
  );
  it.each(files)('%s', (_, file) => {
    const folderName = file.path.split('/').at(-2) ?? '';
    const judgement = judgeSkillFile(bytesOf(file.text), { path: file.path, folderName });
    expect(judgement.outcome).toBe(file.outcome);
    expect(judgement.diagnostics.map(({ code, range }) => [code, range?.start.line])).toEqual(file.codes);
    for (const diagnostic of judgement.diagnostics) {
      expect(diagnostic.path).toBe(file.path);
      expect(diagnostic.hint).toMatch(/.{10}/);
    }
    const { renamed = false, ...values } = (file.values ?? {}) as { renamed?: boolean };
    expect(judgement.renamed).toBe(renamed);
    if (file.values !== undefined) expect(judgement.frontmatter).toMatchObject(values);
    expect(JSON.parse(JSON.stringify(judgement.frontmatter?.frontmatter ?? null))).toEqual(
      judgement.frontmatter?.frontmatter ?? null,
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('say why in words', () => {
    const said = (id: string): string =>
      bugs
        .filter((bug) => bug.id === id)
        .flatMap(({ files: each }) => each)
        .flatMap((file) => judgeSkillFile(file.text, { path: file.path }).diagnostics)
        .map(({ message, hint }) => `${message} ${hint}`)
        .join(' ');
    expect(said('fm-colon-crashes-api')).toContain('colon followed by a space');
    expect(said('fm-multiparagraph-plain-scalar')).toContain('">-"');
    expect(said('fm-valid-digest-invalid-yaml')).toContain('(after "Use for pipelines")');
    expect(said('fm-dots-terminator')).toContain('line 4 has "... # end"');
    expect(said('fm-html-comment-before')).toContain('before "---" on line 1');
    expect(said('fm-heading-before')).toContain('the first "---" is on line 3');
    expect(said('fm-parser-dependent-validity')).toContain('the first one is on line 3');
    expect(said('fm-adjacent-flow-seqs')).toContain('"argument-hint"');
    expect(said('fm-crash-masks-too-long')).toContain('1,068 characters long; the limit is 1,024');
    expect(said('fm-fence-at-eof')).toContain('line 2 has "name: foo---"');
  });

  it('six kinds of a bad name have six messages', () => {
    const files = bugs.find(({ id }) => id === 'fm-uppercase-name')?.files ?? [];
    const messages = files
      .map((file) =>
        judgeSkillFile(file.text, { path: file.path, folderName: file.path.split('/')[1] ?? '' }),
      )
      .map(({ diagnostics }) => diagnostics[0]?.message.replace(/"[^"]*"/g, ''));
    expect(messages).toHaveLength(6);
    expect(new Set(messages).size).toBe(6);
  });
});

describe('outcomes', () => {
  const description = 'description: b';
  const long = `description: ${'x'.repeat(1_025)}`;
  it.each<[string, string, string[]]>([
    ['listed', skillOf('name: a', description), []],
    ['listed', skillOf('name: a', `description: ${'x'.repeat(1_024)}`), []],
    ['unlisted', skillOf('name: a', long), ['DESCRIPTION_TOO_LONG']],
    ['listed', skillOf('name: a', `description: ${'😀'.repeat(512)}`), []],
    [
      'listed',
      skillOf('name: a', `description: ${'😀'.repeat(513)}`),
      ['DESCRIPTION_TOO_LONG_FOR_WELL_KNOWN'],
    ],
    ['unlisted', skillOf('name: a', `description: ${'😀'.repeat(1_025)}`), ['DESCRIPTION_TOO_LONG']],
    ['refused', skillOf('name: 7', description), ['NAME_NOT_STRING']],
    ['refused', skillOf('name: a', 'description: 7'), ['DESCRIPTION_NOT_STRING']],
    ['refused', skillOf('name: a', 'description: ~'), ['DESCRIPTION_NOT_STRING']],
    ['refused', skillOf('name: true', long), ['NAME_NOT_STRING', 'DESCRIPTION_TOO_LONG']],
    [
      'refused',
      skillOf('name: [a]', 'description: {b: c}'),
      ['FRONTMATTER_MISSING_NAME', 'FRONTMATTER_MISSING_DESCRIPTION'],
    ],
    ['refused', skillOf(description), ['FRONTMATTER_MISSING_NAME']],
    ['refused', skillOf('name: a b', description), ['INVALID_SKILL_NAME']],
    ['refused', skillOf('name: |', '  a', description), ['INVALID_SKILL_NAME']],
    ['listed', skillOf('name: b', description), ['NAME_FOLDER_MISMATCH']],
    ['listed', skillOf('name: a', description, 'compatibility: x'), []],
    ['listed', skillOf('name: a', description, `compatibility: ${'😀'.repeat(500)}`), []],
    [
      'unlisted',
      skillOf('name: a', description, `compatibility: ${'x'.repeat(501)}`),
      ['COMPATIBILITY_INVALID'],
    ],
    ['unlisted', skillOf('name: a', description, 'compatibility: ""'), ['COMPATIBILITY_INVALID']],
    ['unlisted', skillOf('name: a', description, 'compatibility:'), ['COMPATIBILITY_INVALID']],
    ['unlisted', skillOf('name: a', description, 'compatibility: 3.10'), ['COMPATIBILITY_INVALID']],
    ['unlisted', skillOf('name: a', description, 'compatibility: [x]'), ['COMPATIBILITY_INVALID']],
    ['listed', skillOf('name: a', description, 'metadata: {}'), []],
    ['listed', skillOf('name: a', description, 'metadata: {k: v}'), []],
    ['unlisted', skillOf('name: a', description, 'metadata:'), ['METADATA_NOT_MAPPING']],
    ['unlisted', skillOf('name: a', description, 'metadata: x'), ['METADATA_NOT_MAPPING']],
    ['unlisted', skillOf('name: a', description, 'metadata: [x]'), ['METADATA_NOT_MAPPING']],
    [
      'unlisted',
      skillOf('name: a', description, 'metadata: {k: 1, l: x, m: ~}'),
      ['METADATA_VALUE_NOT_STRING', 'METADATA_VALUE_NOT_STRING'],
    ],
    [
      'listed',
      skillOf('name: a', description, 'metadata: {io.modelcontextprotocol/x: y}'),
      ['METADATA_RESERVED_KEY'],
    ],
    ['unlisted', skillOf('name: a', description, '__proto__: x'), ['PROTO_KEY', 'OUTSIDE_RELEASED_READER']],
    ['listed', skillOf('name: a', description, 'license: MIT', 'allowed-tools: Read'), []],
    ['listed', skillOf('name: a', description, 'license: [MIT]'), ['LICENSE_NOT_STRING']],
    ['listed', skillOf('name: a', description, 'allowed-tools: [Read, Grep]'), ['ALLOWED_TOOLS_NOT_STRING']],
    ['listed', skillOf('name: a', description, 'allowed-tools:'), ['ALLOWED_TOOLS_NOT_STRING']],
    ['listed', skillOf('name: a', description, 'allowed_tools: Read'), ['UNKNOWN_KEY']],
    ['listed', skillOf('name: a', description, 'version: 1.10'), ['UNKNOWN_KEY', 'NUMBER_RESPELLED']],
    ['listed', skillOf('name: a', description, 'version: 1.1'), ['UNKNOWN_KEY']],
    [
      'listed',
      skillOf('name: a', description, 'x: [007, 0x10, 1e3, 9007199254740993]'),
      ['UNKNOWN_KEY', ...Array.from({ length: 4 }, () => 'NUMBER_RESPELLED')],
    ],
    [
      'listed',
      skillOf('name: a', description, 'x: {on: 12:30, y: 2024-01-02}'),
      ['UNKNOWN_KEY', 'AMBIGUOUS_SCALAR', 'AMBIGUOUS_SCALAR'],
    ],
    ['listed', skillOf('name: a', 'description: see #12 or # 13'), ['DESCRIPTION_CUT_BY_COMMENT']],
    ['listed', skillOf('name: a # the name', description), []],
    ['listed', skillOf('name: a', 'description: "b', '  c"'), ['OUTSIDE_RELEASED_READER']],
  ])('%s %j', (outcome, text, expected) => {
    const judgement = judge(text);
    expect(codes(judgement.diagnostics)).toEqual(expected);
    expect(judgement.outcome).toBe(outcome);
    const error = judgement.diagnostics.some(({ severity }) => severity === 'error');
    expect(error).toBe(outcome === 'refused');
  });

  it('compares the name with the folder byte for byte', () => {
    const text = skillOf('name: a', 'description: b');
    expect(judge(text, { folderName: 'A' })).toMatchObject({ outcome: 'listed', renamed: true });
    expect(judge(text, { folderName: 'a ' })).toMatchObject({ outcome: 'listed', renamed: true });
    expect(judge(text, { folderName: 'a' })).toMatchObject({
      outcome: 'listed',
      renamed: false,
      diagnostics: [],
    });
    expect(judgeSkillFile(text, { path: 'SKILL.md' })).toMatchObject({ renamed: false, diagnostics: [] });
  });

  it('nameMismatch reject refuses', () => {
    const judgement = judge(skillOf('name: b', 'description: b'), { nameMismatch: 'reject' });
    expect(judgement).toMatchObject({ outcome: 'refused', renamed: false });
    expect(judgement.diagnostics).toMatchObject([
      { code: 'SKILL_NAME_MISMATCH', severity: 'error', range: { start: { line: 2, column: 7 } } },
    ]);
    expect(judge(skillOf('name: a', 'description: b'), { nameMismatch: 'reject' }).outcome).toBe('listed');
  });

  it('nonConforming list and reject', () => {
    const text = skillOf('name: a', 'description: b', 'metadata: {k: 1}');
    expect(judge(text, { nonConforming: 'unlist' })).toMatchObject({
      outcome: 'unlisted',
      diagnostics: [{ code: 'METADATA_VALUE_NOT_STRING', severity: 'warning' }],
    });
    expect(judge(text, { nonConforming: 'list' })).toMatchObject({
      outcome: 'listed',
      diagnostics: [{ code: 'METADATA_VALUE_NOT_STRING', severity: 'warning' }],
    });
    expect(judge(text, { nonConforming: 'reject' })).toMatchObject({
      outcome: 'refused',
      diagnostics: [{ code: 'METADATA_VALUE_NOT_STRING', severity: 'error' }],
    });
    expect(judge(skillOf('name: 7', 'description: b'), { nonConforming: 'list' }).outcome).toBe('refused');
  });

  it('gives the frontmatter of a refused skill whose name and description are there', () => {
    expect(judge(skillOf('name: A', 'description: b')).frontmatter).toMatchObject({
      name: 'A',
      description: 'b',
    });
    expect(judge(skillOf('description: b'))).not.toHaveProperty('frontmatter');
    expect(judge('no frontmatter')).not.toHaveProperty('frontmatter');
  });

  it('takes caps', () => {
    expect(judge(skillOf('name: a', 'description: b'), { limits: { maxBytes: 10 } })).toMatchObject({
      outcome: 'refused',
      diagnostics: [{ code: 'FRONTMATTER_TOO_LARGE', path: 'x/a/SKILL.md' }],
    });
  });

  it('orders problems by their place', () => {
    const { diagnostics } = judge(
      skillOf('zeta: yes', 'name: b', 'metadata: {k: 1}', `description: ${'x'.repeat(2_000)}`),
    );
    expect(diagnostics.map(({ range }) => range?.start.line)).toEqual([2, 2, 3, 4, 5]);
  });
});

describe('messages of broken YAML', () => {
  it.each<[text: string, line: number, message: RegExp, hint: RegExp]>([
    [skillOf('name: a', 'description: "open', 'license: MIT'), 3, /never closed/, /^put " at the end/],
    [skillOf('name: a', 'description: b', 'l: [a, b'), 4, /no closing "\]"/, /^put "\]"/],
    [skillOf('name: a', 'description: b', 'm: {a: b'), 4, /no closing "\}"/, /^put "\}"/],
    [skillOf('name: a', 'description: b', 'x:', '\t- c'), 5, /tab/, /spaces/],
    [skillOf('name: a', 'description: |text'), 3, /block of text/, /lines below/],
    [skillOf('name: a', 'description: - b'), 3, /"- " cannot begin/, /line below/],
    [skillOf('name: a', 'description: `b`'), 3, /cannot begin with "`"/, /quotes/],
    [skillOf('name: a', 'description: *b'), 3, /alias/, /quotes/],
    [skillOf('name: a', 'description: !b c'), 3, /"!b"/, /quotes/],
    [skillOf('name: a', '- b', 'description: c'), 3, /list item/, /below a key/],
    [skillOf('name: a', 'description: b', 'more words', 'license: c'), 4, /no "key:"/, /indent/],
    [
      skillOf('name: a', 'description: b', 'metadata:', '    k: v', '  l: w'),
      6,
      /line up/,
      /same indentation/,
    ],
    [skillOf('name: a', 'description: b', 'metadata:', '  k: v', '   l: w'), 6, /colon/, /^align "l:"/],
    [skillOf('  name: a', 'description: b'), 3, /indented less/, /same indentation/],
    [skillOf('name:a', 'description: b'), 2, /space after its colon/, /"name: …"/],
    [skillOf('name:a', 'description:b'), 2, /single text/, /"name: …"/],
    [skillOf('name = a', 'description = b'), 2, /single text/, /"name: …"/],
    [skillOf('%YAML 1.1', 'name: a'), 2, /directive/, /remove/],
    [skillOf('name: a', '...', 'description: b'), 4, /second YAML document/, /\.\.\./],
    [skillOf('name: a', 'description: "\\q"'), 3, /backslash/, /twice/],
    ['+++\nname = "a"\n+++\n', 1, /must be YAML/, /dashes/],
    ['---yaml\nname: a\n---\n', 1, /"---yaml"/, /exactly three/],
    ['', 1, /empty/, /begin the file/],
    ['# Title\n', 1, /no frontmatter/, /begin the file/],
    [' ---\nname: a\n---\n', 1, /spaces stand before/, /remove everything/],
  ])('%j', (text, line, message, hint) => {
    const { outcome, diagnostics } = judge(text);
    expect(outcome).toBe('refused');
    expect(diagnostics[0]?.range?.start.line).toBe(line);
    expect(diagnostics[0]?.message).toMatch(message);
    expect(diagnostics[0]?.hint).toMatch(hint);
  });
});

describe('hints', () => {
  it.each([
    ['Name: a', /as "name"/],
    ['allowed_tools: x', /"allowed-tools"/],
    ['allowedTools: x', /"allowed-tools"/],
    ['Description: x', /move it below "metadata"/],
    ['licence: x', /"license"/],
    ['compatability: x', /"compatibility"/],
    ['meta: x', /move it below "metadata"/],
    ['version: "1"', /move it below "metadata"/],
    ['metadata: {v: 1.10}', /^quote it: v: '1.10'$/],
    ['allowed-tools: [Read, Grep]', /allowed-tools: 'Read Grep'/],
    ['x: yes', /true or false/],
  ])('%s', (line, hint) => {
    const lines = line.startsWith('Name') ? [line, 'description: b'] : ['name: a', 'description: b', line];
    expect(judge(skillOf(...lines)).diagnostics.map((each) => each.hint)).toContainEqual(
      expect.stringMatching(hint),
    );
  });
});

describe('fixes', () => {
  function fixed(text: string): string {
    return applyFixes(
      text,
      judge(text).diagnostics.flatMap(({ fix }) => fix ?? []),
    );
  }

  it.each<[before: string, after: string]>([
    ['name: a\ndescription: Fast flow: add', "name: a\ndescription: 'Fast flow: add'"],
    ["name: a\ndescription: it's: so", 'name: a\ndescription: "it\'s: so"'],
    [
      'name: a\ndescription: Helper.\n\n  Keywords: x, y\n  and z',
      'name: a\ndescription: >-\n  Helper.\n\n  Keywords: x, y and z',
    ],
    ['name: a\ndescription: [draft] does things', "name: a\ndescription: '[draft] does things'"],
    ['name: a\ndescription: "quoted" start', 'name: a\ndescription: \'"quoted" start\''],
    ['name: a\ndescription: @me', "name: a\ndescription: '@me'"],
    ['name: a\ndescription: *.ts files', "name: a\ndescription: '*.ts files'"],
    ['name: a\n  description: b', 'name: a\ndescription: b'],
    ['Name: a\ndescription: b', 'name: a\ndescription: b'],
    ['name: "a "\ndescription: b', 'name: a\ndescription: b'],
    ['name: |\n  a\ndescription: b', 'name: a\ndescription: b'],
    ['name: a\ndescription: 2024', "name: a\ndescription: '2024'"],
    [
      'name: a\ndescription: b\nmetadata:\n  version: 1.10\n  at: 12:30\n  on: x',
      "name: a\ndescription: b\nmetadata:\n  version: '1.10'\n  at: '12:30'\n  'on': x",
    ],
    ['name: a\ndescription: b\nmetadata:\n  k: c: d', "name: a\ndescription: b\nmetadata:\n  k: 'c: d'"],
    ['name: a\ndescription: "b\n  c"', "name: a\ndescription: 'b c'"],
    ['name: a\ndescription: |2-\n  b\n  c', 'name: a\ndescription: "b\\nc"'],
    ['name: a\ndescription: b\nx: .inf', "name: a\ndescription: b\nx: '.inf'"],
  ])('%j', (before, after) => {
    const text = `---\n${before}\n---\nbody\n`;
    expect(fixed(text)).toBe(`---\n${after}\n---\nbody\n`);
    const problems = judge(fixed(text)).diagnostics.filter(({ code }) => code !== 'UNKNOWN_KEY');
    expect(problems).toEqual([]);
  });

  it.each<[before: string, after: string]>([
    ["description: 'it's fine'", 'description: "it\'s fine"'],
    ["description: 'it's ''fine'''", "description: \"it's 'fine'\""],
    ['description: "say "hi" to me"', 'description: \'say "hi" to me\''],
    ['description: "x" and "y" z', 'description: \'"x" and "y" z\''],
  ])('a quote inside quotes: %s', (before, after) => {
    expect(fixed(skillOf('name: a', before))).toBe(skillOf('name: a', after));
  });

  it('keep BOM and line ends', () => {
    const text = '\ufeff---\r\nname: a\r\ndescription: Helper.\r\n\r\n  Keywords: x\r\n---\r\nbody\r\n';
    expect(fixed(text)).toBe(
      '\ufeff---\r\nname: a\r\ndescription: >-\r\n  Helper.\r\n\r\n  Keywords: x\r\n---\r\nbody\r\n',
    );
    expect(fixed('\n---\nname: a\ndescription: b\n---\n')).toBe('---\nname: a\ndescription: b\n---\n');
    expect(fixed('---  \r\nname: a\r\ndescription: b\r\n---\r\n')).toBe(
      '---\r\nname: a\r\ndescription: b\r\n---\r\n',
    );
    expect(fixed('\ufeff\ufeff---\nname: a\ndescription: b\n---\n')).toBe(
      '\ufeff---\nname: a\ndescription: b\n---\n',
    );
    expect(fixed('---\nname: a\ndescription: b\n  ---\nx')).toBe('---\nname: a\ndescription: b\n---\nx');
  });

  it('are not offered where the meaning is open', () => {
    for (const text of [
      skillOf('name: a', 'description: b', 'x: [lib[extra], other]'),
      skillOf('name: a', 'description: b: c # d'),
      skillOf('name: a', 'description: b', 'metadata: {k: [x, y]}'),
      skillOf('name: A_b', 'description: b'),
      skillOf('name: a', 'description: null'),
      skillOf('name: a', 'description: ~'),
      skillOf('name: a', 'description: b', 'license: null'),
      skillOf('name: a', 'description: b', 'metadata: {k: ~}'),
      skillOf('name: a\tdescription: b'),
      skillOf('name: a', 'description: b', 'x:', '  k: v', '   l: w'),
    ]) {
      const { diagnostics } = judge(text);
      expect(diagnostics.length).toBeGreaterThan(0);
      expect(diagnostics.flatMap(({ fix }) => fix ?? [])).toEqual([]);
    }
  });

  it('that overlap are applied once', () => {
    const range = { start: { line: 1, column: 1 }, end: { line: 1, column: 3 } };
    const fix = { range, text: 'x', title: 't' };
    expect(
      applyFixes('abc', [fix, fix, { ...fix, range: { ...range, start: { line: 1, column: 2 } } }]),
    ).toBe('xc');
    expect(applyFixes('abc', [])).toBe('abc');
  });
});
