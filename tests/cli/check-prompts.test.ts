import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { memoryContext } from './in-process.ts';
import { folderWith, skillText } from './program.ts';

const folders: ReturnType<typeof folderWith>[] = [];
function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const made = folderWith(files);
  folders.push(made);
  return made.path;
}
afterEach(() => {
  for (const made of folders.splice(0)) made.remove();
});

async function run(
  args: readonly string[],
  { cwd }: { readonly cwd: string },
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { context, text } = memoryContext({ cwd });
  return { code: await runProgram(args, context), ...text };
}

const GOOD = '---\ndescription: Triage an issue\n---\nTriage it.\n';
const TAGS = '---\ndescription: Review a diff\ntags: [review, 2024]\n---\nReview it.\n';
const UNDECLARED = '---\ndescription: Review a diff\n---\nReview {{diff}}.\n';

describe('check --prompts', () => {
  it('says place, code, line, caret and hint, and ends with 1', async () => {
    const cwd = folder({ 'prompts/triage.md': GOOD, 'prompts/review.md': UNDECLARED });
    const { code, stdout, stderr } = await run(['check', '--prompts', 'prompts'], { cwd });
    expect(stderr).toBe('');
    expect(stdout.trimEnd().split('\n')).toEqual([
      'prompts/review.md:4:8: error[PROMPT_PLACEHOLDER_UNDECLARED] the placeholder "{{diff}}" names no argument',
      '  4 | Review {{diff}}.',
      '    |        ^~~~~~~~',
      '  hint: declare it below "arguments", or write "{{ diff }}" if the braces are meant as text',
      '2 prompts (1 refused): 1 error',
    ]);
    expect(code).toBe(1);
  });

  it.each([
    ['good.md', GOOD, 0, '1 prompt: nothing found'],
    ['Bad_Name.md', GOOD, 1, 'error[PROMPT_ID_INVALID]'],
    ['a.md', 'no frontmatter', 1, 'error[MISSING_FRONTMATTER]'],
    ['a.md', '---\ntags: [x]\n---\n', 1, 'error[FRONTMATTER_MISSING_DESCRIPTION]'],
    ['a.md', '---\ndescription: x\nname: b\n---\nx\n', 1, 'error[PROMPT_NAME_MISMATCH]'],
    ['a.md', '---\ndescription: x\narguments: [diff]\n---\nx\n', 1, 'error[PROMPT_ARGUMENTS_INVALID]'],
    ['a.md', '---\ndescription: x\n---\n', 0, 'warning[PROMPT_BODY_EMPTY]'],
    ['a.markdown', GOOD, 0, 'warning[PROMPT_FILE_SUFFIX]'],
    ['team/a.md', GOOD, 0, 'warning[PROMPT_IN_FOLDER]'],
    ['notes.txt', 'x', 0, 'warning[NO_PROMPTS_FOUND]'],
    ['a.md', Buffer.from([0xff, 0xfe, 0x2d]), 1, 'error['],
  ])('judges %s', async (path, text, code, shown) => {
    const cwd = folder({ [`p/${path}`]: text });
    const result = await run(['check', '--prompts', 'p'], { cwd });
    expect(result.stdout).toContain(shown);
    expect(result.code).toBe(code);
  });

  it('repairs what is safe to repair, and nothing else', async () => {
    const cwd = folder({ 'p/review.md': TAGS, 'p/other.md': UNDECLARED });
    const before = await run(['check', '--prompts', 'p'], { cwd });
    expect(before.stdout).toMatch(/; --fix repairs 1\n$/);
    const { code, stdout } = await run(['check', '--prompts', 'p', '--fix'], { cwd });
    expect(stdout).toMatch(/^p\/review\.md:3: fixed /);
    expect(stdout).toMatch(/2 prompts \(1 refused\): 1 error\n$/);
    expect(code).toBe(1);
    expect(readFileSync(join(cwd, 'p/review.md'), 'utf8')).toBe(TAGS.replace('2024', "'2024'"));
    expect(readFileSync(join(cwd, 'p/other.md'), 'utf8')).toBe(UNDECLARED);
    expect((await run(['check', '--prompts', 'p', '--fix'], { cwd })).stdout).not.toContain('fixed');
  });

  it('counts warnings with --strict', async () => {
    const cwd = folder({ 'p/a.md': '---\ndescription: x\nfoo: 1\n---\nx\n' });
    expect((await run(['check', '--prompts', 'p'], { cwd })).code).toBe(0);
    expect((await run(['check', '--prompts', 'p', '--strict'], { cwd })).code).toBe(1);
  });

  it('checks skills beside them, and several folders together', async () => {
    const cwd = folder({
      'skills/pdf/SKILL.md': skillText('pdf'),
      'team/review.md': GOOD,
      'mine/review.md': TAGS,
    });
    const { stdout } = await run(['check', 'skills', '--prompts', 'team', '--prompts', 'mine'], { cwd });
    const [first] = stdout.split('\n');
    expect(first).toMatch(/^mine\/review\.md:3:\d+: error\[PROMPT_TAGS_INVALID\]/);
    expect(stdout).toMatch(/\n1 skill, 2 prompts \(1 refused\): 1 error; --fix repairs 1\n$/);
    await run(['check', '--prompts', 'mine', '--fix'], { cwd });
    const again = await run(['check', '--prompts', 'team', '--prompts', 'mine'], { cwd });
    expect(again.stdout.split('\n')[0]).toBe(
      'mine/review.md: error[PROMPT_DUPLICATE_ID] team/review.md is the prompt "review" already',
    );
    expect(again.code).toBe(1);
  });

  it('gives programs one JSON document', async () => {
    const cwd = folder({ 'p/review.md': UNDECLARED });
    const { code, stdout } = await run(['check', '--prompts', './p', '--json'], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      sources: [],
      promptFolders: ['./p'],
      skills: 0,
      prompts: 1,
      refusedPrompts: 1,
      errors: 1,
      fixable: 0,
      diagnostics: [
        {
          code: 'PROMPT_PLACEHOLDER_UNDECLARED',
          severity: 'error',
          path: 'review.md',
          file: 'p/review.md',
          range: { start: { line: 4, column: 8 }, end: { line: 4, column: 16 } },
        },
      ],
    });
  });

  it('says that a folder is not there', async () => {
    const { code, stderr } = await run(['check', '--prompts', 'nope'], { cwd: folder({ x: '' }) });
    expect(code).toBe(3);
    expect(stderr).toMatch(/error\[SOURCE_NOT_FOUND\].*\n {2}hint: give a folder that holds prompts/);
  });
});
