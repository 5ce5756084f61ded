import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { yamlLimits } from '../../src/format/head.ts';
import { readYaml } from '../../src/format/yaml-tree.ts';
import { readSimplePromptHead } from '../../src/prompts/simple-prompt-head.ts';

const limits = yamlLimits({});
const full = (yaml: string): unknown => {
  const read = readYaml(yaml, limits);
  return 'tree' in read ? read.tree.json : undefined;
};

describe('a simple head', () => {
  test.each([
    'description: Review a diff\n',
    "name: a\ntitle: \"A: b\"\ndescription: 'it''s'\ntags: [a, b c, d-e]\n",
    'tags: []\ndescription: x\n',
    'tags: [ ]\ndescription: x\n',
    'tags:\n- a\n- b c\ndescription: x\n',
    'tags:\n  - a\n  - "b"\ndescription: x\n',
    'description: x\narguments:\n  - name: a\n    description: What\n    required: true\n  - name: b\n',
    'arguments:\n- name: a\n  required: false\n- description: B\n  name: b\ndescription: x\n',
  ])('%j is read as in full', (yaml) => {
    const tree = readSimplePromptHead(`---\n${yaml}`, 4);
    expect(tree?.json).toEqual(full(yaml));
    expect(tree?.json).toBeDefined();
  });

  test.each([
    'description: a\n  b\n',
    'description: a # b\n',
    'description: |\n  a\n',
    'description: true\n',
    'description: a\ndescription: b\n',
    'description:a\n',
    'description:\n',
    'tags: [yes, a]\n',
    'tags: [a,]\n',
    'tags: [a, "b"]\n',
    'tags: [1]\n',
    'tags:\n  - a\n    b\n',
    'tags:\n  - a\n - b\n',
    'tags:\n',
    'tags:\n  - a: b\n',
    'tags:\n  -\n',
    'arguments:\n  - name: a\n   required: true\n',
    'arguments:\n  - name: a\n     required: true\n',
    'arguments:\n  - name: a\n    name: b\n',
    'arguments:\n  - name: a\n    values: [b]\n',
    'arguments:\n  - a\n',
    'arguments: []\n',
    'other: x\n',
    ' description: x\n',
    'description: x\n\ntitle: y\n',
    '# x\ndescription: x\n',
    'description: x',
    `tags:\n${'- a\n'.repeat(250)}`,
  ])('%j is left to the full reader', (yaml) => {
    expect(readSimplePromptHead(`---\n${yaml}`, 4)).toBeUndefined();
  });
});

test('what is read here is what the full reader reads', () => {
  const value = fc.constantFrom(
    'a',
    'a b',
    "it's",
    '"x"',
    "'y'",
    'true',
    'no',
    '12',
    '- a',
    '[a, b]',
    '[]',
    '[a, no]',
    'a: b',
    'a #b',
    '',
    '|',
    '*x',
    '~',
    'é',
    '"a\\n"',
    '{}',
    'null',
  );
  const line = fc.oneof(
    fc
      .tuple(fc.constantFrom('name', 'title', 'description', 'tags', 'arguments', 'x'), value)
      .map(([key, text]) => `${key}: ${text}`),
    fc.constantFrom('tags:', 'arguments:', '', '  '),
    fc
      .tuple(fc.constantFrom('', '  ', ' '), fc.constantFrom('name', 'description', 'required'), value)
      .map(([space, key, text]) => `${space}- ${key}: ${text}`),
    fc
      .tuple(fc.constantFrom('  ', '    ', '   '), fc.constantFrom('name', 'description', 'required'), value)
      .map(([space, key, text]) => `${space}${key}: ${text}`),
    fc.tuple(fc.constantFrom('', '  '), value).map(([space, text]) => `${space}- ${text}`),
  );
  let simple = 0;
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
      const yaml = `${lines.join('\n')}\n`;
      const tree = readSimplePromptHead(`---\n${yaml}`, 4);
      if (tree === undefined) return;
      simple++;
      expect(tree.json).toEqual(full(yaml));
    }),
    { numRuns: 20_000 },
  );
  expect(simple).toBeGreaterThan(50);
});
