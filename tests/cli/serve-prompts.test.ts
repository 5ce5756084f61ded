import { unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runProgram } from '../../src/cli/program.ts';
import { memoryContext } from './in-process.ts';
import { INITIALIZE, lines, parseMessages } from './mcp.ts';
import { folderWith, run, type Started, skillText, start, stopAll } from './program.ts';

const folders: ReturnType<typeof folderWith>[] = [];
function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const made = folderWith(files);
  folders.push(made);
  return made.path;
}
afterEach(async () => {
  await stopAll();
  for (const made of folders.splice(0)) made.remove();
});
afterAll(stopAll);

const prompt = (description: string, body = 'x'): string =>
  `---\ndescription: ${description}\n---\n${body}\n`;
const HELLO = lines(INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' });

async function here(
  args: readonly string[],
  cwd: string,
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { context, text } = memoryContext({ cwd });
  return { code: await runProgram(args, context), ...text };
}

async function promptsOf(started: Started, id: number): Promise<readonly string[]> {
  started.child.stdin.write(lines({ jsonrpc: '2.0', id, method: 'prompts/list', params: {} }));
  const [text] = await started.until(new RegExp(`^.*"id":${id}\\b.*$`, 'm'), 'stdout');
  const [message] = parseMessages(text);
  const prompts = (message?.result as { prompts?: { name: string }[] } | undefined)?.prompts;
  return (prompts ?? []).map(({ name }) => name);
}

describe('serve --prompts --docs', () => {
  it('counts what is served, and says what is refused and where', async () => {
    const cwd = folder({
      'skills/pdf/SKILL.md': skillText('pdf'),
      'p/a.md': prompt('A'),
      'p/b.md': prompt('B', 'Say {{x}}.'),
      'docs/guide/index.md': '# I\n',
    });
    const { code, stderr } = await run(
      ['serve', 'skills', '--prompts', 'p', '--docs', './docs', '--list-docs'],
      { cwd },
    );
    expect(code).toBe(0);
    const report = stderr.split('\n');
    expect(report[0]).toMatch(/^skillwire \S+: 1 skill from skills /);
    expect(report[1]?.trim()).toBe('1 prompt from p, 1 refused');
    expect(report[2]?.trim()).toBe('1 document from ./docs');
    expect(report[3]).toBe('refused, not served at all (1):');
    expect(report[4]).toMatch(/^ {2}p\/b\.md:4 {2}PROMPT_PLACEHOLDER_UNDECLARED {2}the placeholder/);
    expect(report[5]).toBe('details and how to fix them: skillwire check skills --prompts p');
    const config = JSON.parse(stderr.slice(stderr.indexOf('{\n'), stderr.lastIndexOf('}\n') + 1));
    expect(config.mcpServers.skillwire.args.slice(1)).toEqual([
      'serve',
      join(cwd, 'skills'),
      '--list-docs',
      `--prompts=${join(cwd, 'p')}`,
      `--docs=${join(cwd, 'docs')}`,
    ]);
  });

  it('needs no source of skills, follows the folders, and tells the client once', async () => {
    const cwd = folder({ 'p/a.md': prompt('A'), 'docs/index.md': '# I\n' });
    const started = start(['serve', '--prompts', 'p', '--docs', 'docs'], { cwd });
    started.child.stdin.write(HELLO);
    const [hello] = await started.until(/^.*"id":1\b.*$/m, 'stdout');
    expect(parseMessages(hello)[0]?.result?.capabilities).toEqual({
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
    });
    expect(await promptsOf(started, 2)).toEqual(['a']);
    writeFileSync(join(cwd, 'p/b.md'), prompt('B'));
    await started.until(/^skillwire: info: added: 1 prompt \(b\)$/m);
    await started.until(/notifications\/prompts\/list_changed/, 'stdout');
    expect(await promptsOf(started, 3)).toEqual(['a', 'b']);
    // An edit that breaks a prompt withdraws it alone, and says why.
    writeFileSync(join(cwd, 'p/b.md'), prompt('B', 'Say {{x}}.'));
    await started.until(/^skillwire: warn: the placeholder .*PROMPT_PLACEHOLDER_UNDECLARED/m);
    expect(await promptsOf(started, 4)).toEqual(['a']);
    started.child.stdin.end();
    const { code, stdout } = await started.finished;
    expect(code).toBe(0);
    expect(stdout).not.toContain('resources/list_changed');
  });

  it.skipIf(process.platform === 'win32')('reads them again on SIGHUP where it does not watch', async () => {
    const cwd = folder({ 'p/a.md': prompt('A'), 'p/b.md': prompt('B') });
    const started = start(['serve', '--prompts', 'p', '--no-watch'], { cwd });
    started.child.stdin.write(HELLO);
    await started.until(/"id":1\b/, 'stdout');
    unlinkSync(join(cwd, 'p/b.md'));
    expect(await promptsOf(started, 2)).toEqual(['a', 'b']);
    started.child.kill('SIGHUP');
    await started.until(/^skillwire: info: removed: 1 prompt \(b\)$/m);
    await started.until(/notifications\/prompts\/list_changed/, 'stdout');
    expect(await promptsOf(started, 3)).toEqual(['a']);
    started.child.stdin.end();
    expect((await started.finished).code).toBe(0);
  });

  it.each([
    [['serve'], 2, 'serve needs a source'],
    [['serve', '--list-docs'], 2, 'serve needs a source'],
    [['serve', 'skills', '--list-docs'], 2, '--list-docs lists what --docs serves'],
    [['serve', '--prompts', 'p', '--dialects', 'released'], 2, '--dialects is about skills'],
    [['serve', '--docs', 'p', '--archive', 'zip'], 2, '--archive is about skills'],
    [['serve', '--prompts', 'nope'], 3, '"nope" does not exist\n  hint: give a folder that holds prompts'],
    [['serve', '--docs', 'p/a.md'], 3, '\n  hint: give the folder that holds the Markdown'],
    [['serve', '--prompts', 'bad', '--strict'], 1, 'error[PROMPT_REFUSED]: a.md:4:1: the placeholder'],
  ] as const)('refuses %j', async (args, code, text) => {
    const cwd = folder({
      'skills/pdf/SKILL.md': skillText('pdf'),
      'p/a.md': prompt('A'),
      'bad/a.md': prompt('A', '{{x}}'),
    });
    const result = await here(args, cwd);
    expect(result.stderr).toContain(text);
    expect(result.code).toBe(code);
  });
});
