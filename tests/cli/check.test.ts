import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type Finished, folderWith, ROOT, run, skillText, stopAll } from './program.ts';

const folders: ReturnType<typeof folderWith>[] = [];
function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const made = folderWith(files);
  folders.push(made);
  return made.path;
}
afterEach(() => {
  for (const made of folders.splice(0)) made.remove();
});
afterAll(stopAll);

const COLON = '---\nname: pdf\ndescription: Use this when: a PDF is read\n---\nBody\n';

describe('skillwire check', () => {
  it('prints place, code, line, caret, hint and a summary', async () => {
    const cwd = folder({ 'skills/pdf/SKILL.md': COLON, 'skills/good/SKILL.md': skillText('good') });
    const { code, stdout, stderr } = await run(['check', 'skills'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toBe('');
    const lines = stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(/^skills\/pdf\/SKILL\.md:3:\d+: error\[INVALID_YAML\] \S/);
    expect(lines[1]).toBe('  3 | description: Use this when: a PDF is read');
    expect(lines[2]).toMatch(/^ {4}\| +\^~*$/);
    expect(lines[3]).toMatch(/^ {2}hint: \S/);
    expect(lines.slice(4)).toEqual(['2 skills (1 refused): 1 error; --fix repairs 1']);
  });

  it('checks this folder when no source is given, and a skill from inside it', async () => {
    const cwd = folder({ 'pdf/SKILL.md': COLON });
    expect((await run(['check'], { cwd })).stdout).toMatch(/^pdf\/SKILL\.md:3:/);
    expect((await run(['check', '.'], { cwd: join(cwd, 'pdf') })).stdout).toMatch(/^SKILL\.md:3:/);
    expect((await run(['check', 'pdf'], { cwd })).stdout).toMatch(/^pdf\/SKILL\.md:3:/);
    expect((await run(['check', 'team=pdf'], { cwd })).stdout).toMatch(/^pdf\/SKILL\.md:3:/);
  });

  it('checks several sources', async () => {
    const cwd = folder({
      'a/one/SKILL.md': COLON.replace('pdf', 'one'),
      'b/two/SKILL.md': COLON.replace('pdf', 'two'),
    });
    const { stdout } = await run(['check', 'a', 'b'], { cwd });
    expect(stdout.match(/^[ab]\/\w+\/SKILL\.md/gm)).toEqual(['a/one/SKILL.md', 'b/two/SKILL.md']);
    expect(stdout).toMatch(/\n2 skills \(2 refused\): 2 errors; --fix repairs 2\n$/);
  });

  it('gives programs one JSON document', async () => {
    const cwd = folder({ 'pdf/SKILL.md': COLON });
    const { code, stdout } = await run(['check', '--json'], { cwd });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      schema: 1,
      sources: ['.'],
      skills: 1,
      listed: 0,
      unlisted: 0,
      refused: 1,
      errors: 1,
      warnings: 0,
      fixable: 1,
      changes: [],
      diagnostics: [
        {
          code: 'INVALID_YAML',
          severity: 'error',
          path: 'pdf/SKILL.md',
          file: join('pdf', 'SKILL.md'),
          range: { start: { line: 3 } },
          hint: expect.any(String),
          fix: { title: expect.any(String) },
        },
      ],
    });
  });

  it('prints what the README shows', async () => {
    const cwd = folder({
      'skills/pdf/SKILL.md': '---\nname: pdf\ndescription: Use this when: a PDF is to be read\n---\n',
    });
    const { stdout } = await run(['check', 'skills'], { cwd });
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(`\`\`\`text\n${stdout}\`\`\``);
  });

  it('says how many skills are in no listing', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a', 'x'.repeat(1025)), 'b/SKILL.md': skillText('b') });
    expect((await run(['check'], { cwd })).stdout).toMatch(/\n2 skills \(1 unlisted\): 1 warning\n$/);
  });

  it('counts warnings as findings only when told to', async () => {
    const cwd = folder({ 'folder/SKILL.md': skillText('other') });
    expect(await run(['check'], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('warning[NAME_FOLDER_MISMATCH]'),
    });
    expect(await run(['check', '--strict'], { cwd })).toMatchObject({ code: 1 });
    expect(await run(['check', '--name-mismatch', 'reject'], { cwd })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('error[SKILL_NAME_MISMATCH]'),
    });
  });

  it('says that there is nothing to check', async () => {
    const cwd = folder({ 'readme.md': 'x' });
    const { code, stdout } = await run(['check'], { cwd });
    expect(stdout).toContain('[NO_SKILLS_FOUND]');
    expect(code).toBe(0);
    expect((await run(['check', '--strict'], { cwd })).code).toBe(1);
  });

  it('lets nothing of a skill reach the terminal as it is', async () => {
    const cwd = folder({
      'a/SKILL.md': '---\nname: a\ndescription: \u001b]0;owned\u0007 \u202e\n---\n',
      'a/\u001b[31mred.txt': 'x',
    });
    const { stdout, stderr } = await run(['check'], { cwd });
    expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u202e]/);
    expect(stdout).toContain('\\u{1b}');
  });

  it('ends well when the reader goes away', async () => {
    const cwd = folder(Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`s${n}/SKILL.md`, COLON])));
    const { start } = await import('./program.ts');
    const started = start(['check'], { cwd });
    started.child.stdout.destroy();
    const { code, stderr } = await started.finished;
    expect(stderr).toBe('');
    expect(code).toBe(1);
  });
});

describe('skillwire check --fix', () => {
  it('applies what is safe, says what, and checks again', async () => {
    const cwd = folder({ 'pdf/SKILL.md': COLON.replaceAll('\n', '\r\n') });
    chmodSync(join(cwd, 'pdf', 'SKILL.md'), 0o640);
    const { code, stdout } = await run(['check', '--fix'], { cwd });
    expect(stdout).toMatch(/^pdf\/SKILL\.md:3: fixed \S.*\n1 skill: nothing found\n$/);
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, 'pdf', 'SKILL.md'), 'utf8')).toBe(
      "---\r\nname: pdf\r\ndescription: 'Use this when: a PDF is read'\r\n---\r\nBody\r\n",
    );
    expect(statSync(join(cwd, 'pdf', 'SKILL.md')).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(cwd, 'pdf'))).toEqual(['SKILL.md']);
  });

  it('fixes a skill named by its own folder, and below a prefix', async () => {
    const cwd = folder({ 'a/pdf/SKILL.md': COLON, 'b/pdf/SKILL.md': COLON });
    await run(['check', 'a/pdf', 'x=b/pdf', '--fix'], { cwd });
    for (const name of ['a', 'b'])
      expect(readFileSync(join(cwd, name, 'pdf', 'SKILL.md'), 'utf8')).toContain("'Use this when");
  });

  it('changes nothing without it', async () => {
    const cwd = folder({ 'pdf/SKILL.md': COLON });
    await run(['check', '--rename-folders'], { cwd });
    expect(readFileSync(join(cwd, 'pdf', 'SKILL.md'), 'utf8')).toBe(COLON);
  });

  it.skipIf(process.platform === 'win32')('does not write through a link', async () => {
    const cwd = folder({ 'pdf/text.md': COLON });
    symlinkSync('text.md', join(cwd, 'pdf', 'SKILL.md'));
    const { code, stdout } = await run(['check', '--fix'], { cwd });
    expect(code).toBe(3);
    expect(stdout).toMatch(/pdf\/SKILL\.md:3: not fixed .*is a link/);
    expect(readFileSync(join(cwd, 'pdf', 'text.md'), 'utf8')).toBe(COLON);
  });
});

describe('skillwire check --rename-folders', () => {
  const names = (result: Finished): string[] => result.stdout.match(/^\S+: (fixed|not fixed) .*$/gm) ?? [];

  it('renames folders to the name of their skill, inner ones too', async () => {
    const cwd = folder({
      'Outer/SKILL.md': skillText('outer-skill'),
      'Outer/in/SKILL.md': skillText('inner-skill'),
    });
    const result = await run(['check', '--rename-folders', '--strict'], { cwd });
    expect(names(result)).toEqual([
      'Outer/in: fixed folder renamed to inner-skill',
      'Outer: fixed folder renamed to outer-skill',
    ]);
    expect(result.code).toBe(0);
    expect(existsSync(join(cwd, 'outer-skill', 'inner-skill', 'SKILL.md'))).toBe(true);
  });

  it('replaces nothing', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('b'), 'b/note.txt': '' });
    const result = await run(['check', '--rename-folders'], { cwd });
    expect(names(result)[0]).toMatch(/^a: not fixed folder renamed to b: .*already exists/);
    expect(result.code).toBe(3);
    expect(existsSync(join(cwd, 'a', 'SKILL.md'))).toBe(true);
  });

  it('leaves the folder that was named', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('b') });
    const result = await run(['check', 'a', '--rename-folders'], { cwd });
    expect(names(result)[0]).toMatch(/^a: not fixed .*check the folder above it/);
    expect(existsSync(join(cwd, 'a', 'SKILL.md'))).toBe(true);
  });
});

describe('examples/skills', () => {
  it('have the findings that they are meant to show and no other', async () => {
    const { code, stdout } = await run(['check', 'examples/skills', '--json'], { cwd: ROOT });
    expect(code).toBe(0);
    const { skills, diagnostics } = JSON.parse(stdout);
    expect(skills).toBe(8);
    expect(
      diagnostics.map(({ code: name, path }: { code: string; path: string }) => `${path} ${name}`),
    ).toEqual(['incident-review/SKILL.md NAME_FOLDER_MISMATCH']);
  });
});
