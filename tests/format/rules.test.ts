import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judgeSkillFile, RULES } from '../../src/format/index.ts';
import { FORMAT_RULES } from '../../src/format/rules-format.ts';
import { TREE_RULES } from '../../src/format/rules-tree.ts';
import { PROMPT_RULES } from '../../src/prompts/index.ts';
import { renderRule } from './render-rules.ts';
import { bytesOf } from './support.ts';

const doc = readFileSync(new URL('../../docs/reference/rules.md', import.meta.url), 'utf8');

describe('docs/reference/rules.md', () => {
  it('has a section for each code and no other, in the order of the table', () => {
    const sections = [...doc.matchAll(/^### (\S+)$/gm)].map((match) => match[1]);
    expect(sections).toEqual([...Object.keys(RULES), ...Object.keys(PROMPT_RULES)]);
  });

  it.each([...Object.entries(RULES), ...Object.entries(PROMPT_RULES)])(
    'says of %s what the tables say',
    (code, rule) => {
      const section = doc.split(/^(?=### |## )/m).find((part) => part.startsWith(`### ${code}\n`));
      expect(section?.trim()).toBe(renderRule(code, rule));
    },
  );
});

describe('the table', () => {
  it.each(Object.entries(RULES))('%s explains itself', (code, rule) => {
    expect(code).toMatch(/^[A-Z][A-Z_]+8?$/);
    expect(rule.title).toMatch(/^.{10,90}$/);
    expect(rule.text).toMatch(/^.{40,}\.$/);
    if (code !== 'INTERNAL') {
      expect(rule.bad).not.toBe('');
      if (code !== 'NOT_UTF8' && !code.endsWith('MISMATCH')) expect(rule.bad).not.toBe(rule.good);
    }
  });

  it('has every code that a source withholds a file with', () => {
    const source = readFileSync(new URL('../../src/source/source.ts', import.meta.url), 'utf8');
    const withheld = [...source.matchAll(/^ {4}\| '([A-Z_]+)'/gm)].map((match) => match[1] ?? '');
    expect(withheld).toHaveLength(9);
    for (const code of withheld) expect(TREE_RULES).toHaveProperty(code);
  });

  it('has every code that any room makes a diagnostic of', () => {
    const root = new URL('../../src/', import.meta.url);
    const emitted = new Set<string>();
    for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.ts') || /(?:^|[\\/])rules/.test(path)) continue;
      // What is wrong with an index of somebody else is no diagnostic of a skill.
      if (/^(?:wire|client)\b/.test(path)) continue;
      const text = readFileSync(new URL(path.replaceAll('\\', '/'), root), 'utf8');
      for (const match of text.matchAll(/\bproblem\(\s*'([A-Z_]+)'/g)) emitted.add(match[1] ?? '');
      for (const match of text.matchAll(/\bcode: '([A-Z_]+)',\s*severity:/g)) emitted.add(match[1] ?? '');
      if (path.startsWith('format')) {
        for (const match of text.matchAll(/\bcode: '([A-Z_]+)'/g)) emitted.add(match[1] ?? '');
      }
    }
    emitted.delete('EMPTY_SKILL_NAME');
    expect(emitted.size).toBeGreaterThan(20);
    expect([...emitted].filter((code) => !Object.hasOwn(RULES, code))).toEqual([]);
  });
});

describe('the examples of the rules for a SKILL.md', () => {
  const rules = Object.entries(FORMAT_RULES).filter(([code]) => code !== 'INTERNAL');

  it.each(rules)('%s: the bad one has it, the good one has nothing', (code, rule) => {
    const path = 'pdf/SKILL.md';
    const nameMismatch = code === 'SKILL_NAME_MISMATCH' ? 'reject' : 'publish-under-name';
    const folderName = /^name: "(2024)"$/m.exec(rule.good)?.[1] ?? 'pdf';
    const bad = code === 'NOT_UTF8' ? Buffer.from(rule.bad, 'latin1') : bytesOf(rule.bad);
    const { diagnostics } = judgeSkillFile(bad, { path, folderName, nameMismatch });
    const found = diagnostics.find((diagnostic) => diagnostic.code === code);
    expect(found).toMatchObject({ severity: rule.severity, path });
    expect(found?.range).toBeDefined();
    expect(found?.hint).toMatch(/.{10}/);

    const good = judgeSkillFile(bytesOf(rule.good), { path, folderName, nameMismatch });
    expect(good.outcome).toBe('listed');
    const left = good.diagnostics.filter(
      (diagnostic) => diagnostic.code !== 'UNKNOWN_KEY' || code === 'UNKNOWN_KEY',
    );
    expect(left).toEqual([]);
  });
});
