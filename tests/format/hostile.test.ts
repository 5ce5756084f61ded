import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { judgeSkillFile, parseFrontmatter } from '../../src/format/index.ts';
import { bytesOf, skillOf, thrownBy } from './support.ts';

const REQUIRED = ['name: a', 'description: b'];

function codeOf(text: string): string {
  return thrownBy(() => parseFrontmatter(text)).code;
}

describe('limits', () => {
  it.each([
    ['100,000 open brackets', '['.repeat(100_000)],
    ['60,000 open brackets', '['.repeat(60_000)],
    ['open braces', '{'.repeat(60_000)],
    ['nested pairs', '{a: '.repeat(15_000)],
    ['nested lists on one line', '- '.repeat(30_000)],
    ['nested explicit keys', '? '.repeat(30_000)],
    ['brackets that close', `x: ${'['.repeat(30_000)}${']'.repeat(30_000)}`],
    ['nested mappings', Array.from({ length: 340 }, (_, depth) => `${' '.repeat(depth)}k:`).join('\n')],
  ])('refuses %s', (_, yaml) => {
    expect(codeOf(skillOf(yaml))).toBe('FRONTMATTER_TOO_LARGE');
    expect(codeOf(skillOf(...REQUIRED, yaml))).toBe('FRONTMATTER_TOO_LARGE');
  });

  it('allows 33 nested collections and no more', () => {
    const nested = (levels: number): string =>
      skillOf(...REQUIRED, `x: ${'['.repeat(levels)}${']'.repeat(levels)}`);
    expect(parseFrontmatter(nested(32)).name).toBe('a');
    expect(codeOf(nested(33))).toBe('FRONTMATTER_TOO_LARGE');
    const blocks = (levels: number): string =>
      skillOf(...REQUIRED, ...Array.from({ length: levels }, (_, depth) => `${'  '.repeat(depth)}k:`));
    expect(parseFrontmatter(blocks(33)).name).toBe('a');
    expect(codeOf(blocks(34))).toBe('FRONTMATTER_TOO_LARGE');
  });

  it('takes another depth, but never one that fills the stack', () => {
    const deep = skillOf(...REQUIRED, `x: ${'['.repeat(60)}${']'.repeat(60)}`);
    expect(parseFrontmatter(deep, { maxDepth: 100 }).name).toBe('a');
    expect(codeOf(deep)).toBe('FRONTMATTER_TOO_LARGE');
    expect(
      thrownBy(() => parseFrontmatter(skillOf('['.repeat(50_000)), { maxDepth: -1, maxNodes: -1 })).code,
    ).toBe('FRONTMATTER_TOO_LARGE');
  });

  it('refuses an alias bomb', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 9; level++) {
      lines.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')}]`);
    }
    const error = thrownBy(() => parseFrontmatter(skillOf(...REQUIRED, ...lines)));
    expect(error.code).toBe('FRONTMATTER_TOO_LARGE');
    expect(error.details.hint).toBeTypeOf('string');
  });

  it('counts aliases, and what they expand to', () => {
    const repeat = (aliases: number, text = 'x'): string =>
      skillOf(...REQUIRED, `a: &a ${text}`, `b: [${Array.from({ length: aliases }, () => '*a').join(', ')}]`);
    expect(parseFrontmatter(repeat(100)).extra.b).toHaveLength(100);
    expect(codeOf(repeat(101))).toBe('FRONTMATTER_TOO_LARGE');
    expect(codeOf(repeat(100, 'x'.repeat(1_000)))).toBe('FRONTMATTER_TOO_LARGE');
    expect(parseFrontmatter(repeat(150), { maxAliases: 200 }).extra.b).toHaveLength(150);
  });

  it('counts values', () => {
    const list = (items: number): string =>
      skillOf(...REQUIRED, 'l:', ...Array.from({ length: items }, () => ' - x'));
    expect(parseFrontmatter(list(9_000)).extra.l).toHaveLength(9_000);
    expect(codeOf(list(10_000))).toBe('FRONTMATTER_TOO_LARGE');
  });

  it('counts bytes between the fences', () => {
    const sized = (bytes: number): string => {
      const start = 'name: a\ndescription: b\n# ';
      return `---\n${start}${'x'.repeat(bytes - start.length - 1)}\n---\n`;
    };
    expect(parseFrontmatter(sized(65_536)).name).toBe('a');
    expect(codeOf(sized(65_537))).toBe('FRONTMATTER_TOO_LARGE');
    expect(parseFrontmatter(sized(70_000), { maxBytes: 80_000 }).name).toBe('a');
    expect(parseFrontmatter(sized(70_000), { maxBytes: -1 }).name).toBe('a');
    expect(thrownBy(() => parseFrontmatter(sized(70_000), { maxBytes: 100 })).code).toBe(
      'FRONTMATTER_TOO_LARGE',
    );
    expect(codeOf(`---\n${'x: y\n'.repeat(100_000)}`)).toBe('FRONTMATTER_TOO_LARGE');
  });

  it('refuses cycles', () => {
    expect(codeOf(skillOf(...REQUIRED, 'm: &a', '  self: *a'))).toBe('UNSUPPORTED_YAML');
    expect(codeOf(skillOf(...REQUIRED, 'm: &a [*a]'))).toBe('UNSUPPORTED_YAML');
  });
});

/** 64 KiB each; what is quadratic in the size of one of them takes minutes and fails by the test's time. */
const FILLERS = [
  '- a\n',
  'a: 1\n',
  '- &a a\n',
  '- *a\n',
  '- !a a\n',
  '#\n',
  '\n',
  ' ',
  '"\\n',
  "'a' ",
  ' x\n\n',
  ': ',
  'a:',
  'a: ',
  '%a\n',
  '...\n',
  '--- a\n',
  ',',
  '[',
  ']',
  'a,\n ',
  'a: b,',
  '\t',
  '\t\n',
  '!',
  '& ',
  '* ',
  '|\n',
  '> ',
  '[]',
  '? a\n: b\n',
  '# ',
  '"" ',
  '[a, {b: ',
  '\\\n',
  '@ ',
  'word ',
  '---x\n',
  ' ---x\n',
  'a---',
  "'",
  '"',
  'a: "\n',
  'a: [\n',
  '\u2028---\n',
];

describe('64 KiB of the same', () => {
  it.each(FILLERS.map((filler) => [filler]))(
    '%j ends, with a result or a SkillError',
    (filler) => {
      const fill = filler.repeat(Math.floor(65_000 / Buffer.byteLength(filler)));
      const texts = [
        fill,
        skillOf(...REQUIRED, fill),
        skillOf(...REQUIRED, `x: ${fill}`),
        skillOf(`x: [${fill}]`),
      ];
      for (const text of texts) {
        const { outcome, diagnostics } = judgeSkillFile(text, { path: 'a/SKILL.md', folderName: 'a' });
        expect(outcome === 'refused').toBe(diagnostics.some(({ severity }) => severity === 'error'));
        expect(diagnostics.map(({ code }) => code)).not.toContain('INTERNAL');
        expect(diagnostics.length).toBeLessThanOrEqual(101);
      }
    },
    60_000,
  );
});

describe('properties', () => {
  const piece = fc.constantFrom(
    ...[
      'name',
      'description',
      'metadata',
      ': ',
      ':',
      '\n',
      '  ',
      '- ',
      '"',
      "'",
      '[',
      ']',
      '{',
      '}',
      ',',
      '|',
      '>',
    ],
    ...[
      '#',
      ' #',
      '&a',
      '*a',
      '!t',
      '<<',
      '~',
      '1.10',
      'true',
      '---',
      '...',
      '\r\n',
      '\r',
      '\t',
      '\ufeff',
      '%',
      '@',
    ],
    ...[
      '\\',
      '?',
      '? ',
      '`',
      '=',
      '\u2028',
      '\u0085',
      '\0',
      'é',
      '😀',
      '__proto__',
      '0x1',
      '.inf',
      '|2-',
      '>+',
    ],
  );
  const yamlish = fc.array(fc.oneof({ weight: 4, arbitrary: piece }, fc.string({ maxLength: 6 })), {
    maxLength: 40,
  });

  it('parseFrontmatter throws nothing but SkillErrors, with a place', () => {
    fc.assert(
      fc.property(yamlish, (pieces) => {
        for (const text of [`---\n${pieces.join('')}\n---\n`, pieces.join('')]) {
          try {
            parseFrontmatter(text);
          } catch (error) {
            expect(error).toMatchObject({ name: 'SkillError' });
            expect((error as { code: string }).code).not.toBe('INTERNAL');
            expect((error as { details: object }).details).toMatchObject({
              line: expect.any(Number) as number,
              column: expect.any(Number) as number,
              hint: expect.any(String) as string,
            });
          }
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it('judgeSkillFile never throws on any bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 200 }),
          yamlish.map((p) => bytesOf(p.join(''))),
        ),
        (bytes) => {
          for (const input of [bytes, Buffer.concat([Buffer.from('---\n'), bytes, Buffer.from('\n---\n')])]) {
            const judgement = judgeSkillFile(input, { path: 'x/SKILL.md', folderName: 'x' });
            const refused = judgement.diagnostics.some(({ severity }) => severity === 'error');
            expect(judgement.outcome === 'refused').toBe(refused);
            for (const { range } of judgement.diagnostics) {
              expect(range).toBeDefined();
              const { start, end } = range ?? { start: { line: 0, column: 0 }, end: { line: 0, column: 0 } };
              expect(start.line).toBeGreaterThanOrEqual(1);
              expect(start.column).toBeGreaterThanOrEqual(1);
              expect(end.line > start.line || (end.line === start.line && end.column >= start.column)).toBe(
                true,
              );
            }
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });

  const json = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'json' },
      fc.string({ unit: 'grapheme', maxLength: 30 }),
      fc.constantFrom(
        'yes',
        '1.10',
        'a: b',
        ' x ',
        '- a',
        '# c',
        '',
        'true',
        '007',
        '---',
        '...',
        'a\nb\n\nc\n',
        "it's",
      ),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string({ maxLength: 8 }), tie('value'), { maxKeys: 4 }),
    ),
  })).value;

  it('gives back what was stringified', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), json, { maxKeys: 5 }),
        (fields) => {
          const document = { ...fields, name: 'a', description: 'b' };
          // The two that no frontmatter may have: a "<<" that YAML writes without quotes, and a fence inside a value.
          const yaml = stringify(document, { schema: 'core', lineWidth: 0, aliasDuplicateObjects: false });
          fc.pre(!/^\s*(?:- )*<<\s*:/m.test(yaml) && !/^---[ \t]*$/m.test(yaml) && !yaml.includes('\r'));
          const { frontmatter } = parseFrontmatter(`---\n${yaml}---\n`);
          expect(JSON.parse(JSON.stringify(frontmatter))).toEqual(JSON.parse(JSON.stringify(document)));
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
