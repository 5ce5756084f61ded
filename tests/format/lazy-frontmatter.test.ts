import { describe, expect, it } from 'vitest';
import { judgeSkillFile, type SkillJudgement } from '../../src/format/index.ts';
import { bytesOf } from './support.ts';

function judge(bytes: Uint8Array): SkillJudgement {
  return judgeSkillFile(bytes, { path: 'a/SKILL.md', folderName: 'a' });
}

const SIMPLE = '---\r\nname: a\r\ndescription: b\r\n---\r\n\r\n# Ä — 😀\r\n\ufeffx';
const OTHER = SIMPLE.replace('description: b', 'description: [b]  # c');
const YAML = SIMPLE.replace('name: a', 'name: a # comment');

describe('the frontmatter of a judgement', () => {
  it.each([
    ['a simple head', SIMPLE],
    ['another head', YAML],
  ])('has a body like any other field: %s', (_, text) => {
    const { frontmatter } = judge(bytesOf(text));
    const plain = {
      name: 'a',
      description: 'b',
      extra: {},
      frontmatter: { name: 'a', description: 'b' },
      body: '# Ä — 😀\n\ufeffx',
    };
    expect(frontmatter?.body).toBe(plain.body);
    expect(Object.keys(frontmatter ?? {})).toEqual(Object.keys(plain));
    expect({ ...frontmatter }).toEqual(plain);
    expect(JSON.parse(JSON.stringify(frontmatter))).toEqual(plain);
    expect(structuredClone(frontmatter)).toEqual(plain);
  });

  it('is that of its own file', () => {
    const [first, second] = ['one', 'two'].map(
      (body) => judge(bytesOf(`---\nname: a\ndescription: b\n---\n${body}`)).frontmatter,
    );
    expect([second?.body, first?.body]).toEqual(['two', 'one']);
  });

  it('decodes the body when it is read', () => {
    const bytes = bytesOf('---\nname: a\ndescription: b\n---\none');
    const { frontmatter } = judge(bytes);
    bytes.set(bytesOf('two'), bytes.length - 3);
    expect(frontmatter?.body).toBe('two');
    bytes.set(bytesOf('six'), bytes.length - 3);
    expect(frontmatter?.body).toBe('two');
  });

  it.each([SIMPLE, OTHER, YAML])('is refused for a body that is not UTF-8 before anything else', (text) => {
    const bytes = bytesOf(`${text}\r\nabc`);
    bytes[bytes.length - 2] = 0xe9;
    const { outcome, frontmatter, diagnostics } = judge(bytes);
    expect([outcome, frontmatter]).toEqual(['refused', undefined]);
    expect(diagnostics).toMatchObject([
      { code: 'NOT_UTF8', range: { start: { line: 8, column: 2 }, end: { line: 8, column: 3 } } },
    ]);
  });
});
