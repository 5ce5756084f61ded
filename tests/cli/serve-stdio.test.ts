import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { INITIALIZE, lines, parseMessages } from './mcp.ts';
import { folderWith, ROOT, run, skillText, start, stopAll } from './program.ts';

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

const ASK = lines(
  INITIALIZE,
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', id: 2, method: 'skills/list', params: {} },
);

async function urisOf(args: readonly string[], cwd: string): Promise<string[]> {
  const { code, stdout, stderr } = await run(['serve', ...args], { cwd, stdin: ASK });
  if (code !== 0) throw new Error(stderr);
  const listed = parseMessages(stdout).find((message) => message.id === 2);
  return (listed?.result?.skills ?? []).map(({ uri }) => uri);
}

describe('skillwire serve over stdio', () => {
  it('writes nothing but protocol to stdout and ends when stdin closes', async () => {
    const { code, signal, stdout, stderr } = await run(['serve', 'examples/skills'], {
      cwd: ROOT,
      stdin: ASK,
    });
    expect({ code, signal }).toEqual({ code: 0, signal: null });
    const messages = parseMessages(stdout);
    expect(messages.map(({ id }) => id)).toEqual([1, 2]);
    expect(messages[1]?.result?.skills).toHaveLength(8);
    expect(stderr).toMatch(
      /^skillwire \d+\.\d+\.\d+: 8 skills from examples\/skills \(8 listed; \d+ files, [\d.]+ KiB\)\n/,
    );
    expect(stderr).toContain('incident-review/SKILL.md:2');
    expect(stderr).toContain('"mcpServers"');
    expect(stderr).not.toContain('waiting for an MCP client');
  });

  it('keeps stdout clean whatever debug variables are set', async () => {
    // A description over two lines is read by the YAML library and not by the quick reader of plain heads.
    const path = folder({ 'two/SKILL.md': '---\nname: two\ndescription: one\n  two\n---\n' });
    const { code, stdout } = await run(['serve', path], {
      cwd: ROOT,
      stdin: ASK,
      env: { LOG_TOKENS: '1', LOG_STREAM: '1', NODE_DEBUG: 'fs,http', DEBUG: '*' },
    });
    expect(code).toBe(0);
    expect(parseMessages(stdout).map(({ id }) => id)).toEqual([1, 2]);
  });

  it('ends when stdin closes before anything was asked', async () => {
    expect(await run(['serve', 'examples/skills'], { cwd: ROOT })).toMatchObject({ code: 0, stdout: '' });
  });

  it('says when one folder was given twice and is served once', async () => {
    const cwd = folder({ 'here/pdf/SKILL.md': skillText('pdf') });
    const { code, stdout, stderr } = await run(['serve', 'a=here', 'b=here'], { cwd, stdin: ASK });
    expect(code).toBe(0);
    const [, listed] = parseMessages(stdout);
    expect(listed?.result?.skills?.map(({ uri }) => uri)).toEqual(['skill://a/pdf/SKILL.md']);
    expect(stderr).toContain('b=here is the same folder as a=here and is served once');
  });

  it('stays silent on stdout when it is sent what is no JSON', async () => {
    const { code, stdout } = await run(['serve', 'examples/skills'], {
      cwd: ROOT,
      stdin: `hello\n{"a":1}\n${ASK}`,
    });
    expect(code).toBe(0);
    expect(parseMessages(stdout).map(({ id }) => id)).toEqual([1, 2]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends by itself on %s', async (signal) => {
    const started = start(['serve', 'examples/skills']);
    started.child.stdin.write(ASK);
    await started.until(/"id":2/, 'stdout');
    started.child.kill(signal);
    expect(await started.finished).toMatchObject({ code: 0, signal: null });
  });

  it('shows one configuration for clients on stderr, which starts the same server from anywhere', async () => {
    const cwd = folder({ 'my skills/a/SKILL.md': skillText('a'), 'links/x': '' });
    const { stderr } = await run(['serve', 'team=my skills', '--link-root', 'links', '--ttl', '0'], { cwd });
    const text = stderr.slice(stderr.indexOf('{\n'), stderr.lastIndexOf('}\n') + 1);
    const { command, args } = JSON.parse(text).mcpServers.skillwire;
    expect(command).toBe(process.execPath);
    expect(args.slice(1)).toEqual([
      'serve',
      `team=${join(cwd, 'my skills')}`,
      `--link-root=${join(cwd, 'links')}`,
      '--ttl=0',
    ]);
  });

  it('serves one skill, a folder of skills, dot folders of a repository, and several together', async () => {
    const cwd = folder({
      'one/SKILL.md': skillText('one'),
      'repo/.claude/skills/two/SKILL.md': skillText('two'),
      'repo/docs/three/SKILL.md': skillText('three'),
      'repo/.git/skills/no/SKILL.md': skillText('no'),
    });
    expect(await urisOf(['one'], cwd)).toEqual(['skill://one/SKILL.md']);
    expect(await urisOf(['repo'], cwd)).toEqual([
      'skill://.claude/skills/two/SKILL.md',
      'skill://docs/three/SKILL.md',
    ]);
    expect(await urisOf(['one', 'r=repo/docs'], cwd)).toEqual([
      'skill://one/SKILL.md',
      'skill://r/three/SKILL.md',
    ]);
    expect(await urisOf(['one', 'repo/docs', '--prefix', 'p/q'], cwd)).toEqual([
      'skill://p/q/one/SKILL.md',
      'skill://p/q/three/SKILL.md',
    ]);
  });

  it('refuses two skills at one place, naming both sources', async () => {
    const cwd = folder({ 'a/x/SKILL.md': skillText('x'), 'b/x/SKILL.md': skillText('x') });
    const { code, stderr } = await run(['serve', 'a', 'b'], { cwd });
    expect(code).toBe(2);
    expect(stderr).toMatch(/error\[MOUNT_COLLISION\]: a and b both have "x"/);
    expect(stderr).toContain('hint: put them apart');
  });

  it('serves an empty folder and says so', async () => {
    const cwd = folder({ 'skills/readme.txt': '' });
    const { code, stdout, stderr } = await run(['serve', 'skills'], { cwd, stdin: ASK });
    expect(code).toBe(0);
    expect(parseMessages(stdout)[1]?.result?.skills).toEqual([]);
    expect(stderr).toMatch(
      /: no skills from skills; a skill is a folder with a file named exactly SKILL\.md\n/,
    );
  });

  it('pages as told', async () => {
    const cwd = folder(
      Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}/SKILL.md`, skillText(name)])),
    );
    expect(await urisOf(['.', '--page-size', '2'], cwd)).toHaveLength(2);
  });

  it('writes JSON lines to stderr when told', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': 'no head' });
    const { stderr } = await run(['serve', '.', '--log-format', 'json'], { cwd });
    const [first, ...rest] = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(first).toMatchObject({ level: 'info', skills: 1, listed: 1, refused: 1 });
    expect(rest).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        kind: 'refused',
        code: 'MISSING_FRONTMATTER',
        path: 'b/SKILL.md',
      }),
    );
  });

  it('says only errors when told', async () => {
    const cwd = folder({ 'a/SKILL.md': 'no head' });
    expect(await run(['serve', '.', '--log-level', 'error'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  });

  it('ends with the first bad skill when strict', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a'), 'b/SKILL.md': 'no head' });
    const { code, stderr } = await run(['serve', '.', '--strict'], { cwd });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^skillwire: error\[MISSING_FRONTMATTER\]: b\/SKILL\.md/);
  });
});

describe('the report of a bad tree', () => {
  it('names what is refused, unlisted and left out, each with its reason', async () => {
    const cwd = folder({
      'skills/good/SKILL.md': skillText('good'),
      'skills/good/.env': 'SECRET=1',
      'skills/good/big.bin': new Uint8Array(16 * 1024 * 1024 + 1),
      'skills/headless/SKILL.md': '# no head\n',
      'skills/twice/SKILL.md': '---\nname: twice\nname: twice\ndescription: d\n---\n',
      'skills/nameless/SKILL.md': '---\ndescription: d\n---\n',
      'skills/long/SKILL.md': skillText('long', 'x'.repeat(1025)),
      'skills/other/SKILL.md': skillText('renamed'),
      'outside.txt': 'x',
    });
    symlinkSync('../../outside.txt', join(cwd, 'skills', 'good', 'link.txt'));
    const { code, stdout, stderr } = await run(['serve', 'skills'], { cwd, stdin: ASK });
    expect(code).toBe(0);
    expect(parseMessages(stdout)[1]?.result?.skills?.map(({ uri }) => uri)).toEqual([
      'skill://good/SKILL.md',
      'skill://renamed/SKILL.md',
    ]);
    const report = stderr.slice(0, stderr.indexOf('client configuration'));
    const place = (path: string): string => join('skills', ...path.split('/')).replaceAll('\\', '\\\\');
    const expected: readonly (string | RegExp)[] = [
      /^skillwire \S+: 3 skills from skills \(2 listed, 1 unlisted, 3 refused; 3 files, /,
      'refused, not served at all (3):',
      new RegExp(`${place('headless/SKILL.md')}:1 +MISSING_FRONTMATTER `),
      new RegExp(`${place('nameless/SKILL.md')}:\\d +FRONTMATTER_MISSING_NAME `),
      new RegExp(`${place('twice/SKILL.md')}:3 +DUPLICATE_KEY `),
      'common clients would drop the whole listing (1):',
      new RegExp(`${place('long/SKILL.md')}:3 +DESCRIPTION_TOO_LONG `),
      'left out, the rest of the skill is served (3):',
      new RegExp(`${place('good/.env')} +SECRET_WITHHELD +looks like a secret`),
      new RegExp(
        `${place('good/big.bin')} +FILE_TOO_LARGE +"good/big.bin" has 16,777,217 bytes, more than the limit of 16,777,216\n`,
      ),
      new RegExp(`${place('good/link.txt')} +LINK_ESCAPES +is a link that leads out`),
      'warnings (1):',
      new RegExp(`${place('other/SKILL.md')}:2 +NAME_FOLDER_MISMATCH `),
      'skillwire check skills',
    ];
    for (const each of expected) {
      if (typeof each === 'string') expect(report).toContain(each);
      else expect(report).toMatch(each);
    }
  });

  it('groups many problems and says how many it does not show', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a') });
    for (let number = 0; number < 40; number += 1) {
      mkdirSync(join(cwd, `bad${number}`));
      writeFileSync(
        join(cwd, `bad${number}`, 'SKILL.md'),
        number < 30 ? 'no head' : '---\ndescription: d\n---\n',
      );
    }
    const { stderr } = await run(['serve', '.'], { cwd });
    expect(stderr).toContain('refused, not served at all (40):');
    expect(stderr.match(/MISSING_FRONTMATTER {2}/g)).toHaveLength(5);
    expect(stderr).toContain('… and 25 more of MISSING_FRONTMATTER');
    expect(stderr).toContain('… and 5 more of FRONTMATTER_MISSING_NAME');
  });

  it('lets nothing of a skill steer the terminal', async () => {
    const cwd = folder({ 'a\u001b[2J/SKILL.md': skillText('"\\u001b]0;x\\u0007"') });
    const { stderr } = await run(['serve', '.'], { cwd });
    expect(stderr).not.toMatch(/[\u001b\u0007]/);
    expect(stderr).toContain('\\u{1b}');
  });
});

describe('skillwire serve --print-config', () => {
  it('prints what belongs into the file to stdout and where it goes to stderr', async () => {
    const { code, stdout, stderr } = await run(['serve', 'examples/skills', '--print-config', 'vscode']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).servers.skillwire.args.slice(1)).toEqual([
      'serve',
      join(ROOT, 'examples', 'skills'),
    ]);
    expect(stderr).toContain('.vscode/mcp.json');
  });

  it('prints all of them with headings', async () => {
    const { stdout } = await run(['serve', 'examples/skills', '--print-config']);
    expect(stdout.match(/^# [A-Z].*: /gm)).toHaveLength(7);
    expect(stdout).toContain('[mcp_servers.skillwire]');
  });

  it('prints the address of HTTP and never the token', async () => {
    const { stdout, stderr } = await run(
      ['serve', 'examples/skills', '--http', '9000', '--print-config', 'codex'],
      { env: { SKILLWIRE_TOKEN: 'very-secret-token' } },
    );
    expect(stdout).toBe(
      '[mcp_servers.skillwire]\nurl = "http://127.0.0.1:9000/mcp"\nbearer_token_env_var = "SKILLWIRE_TOKEN"\n',
    );
    expect(stdout + stderr).not.toContain('very-secret-token');
  });

  it('wants a port that stays, and a source that exists', async () => {
    expect(await run(['serve', '.', '--http', '0', '--print-config'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['serve', 'no/such', '--print-config'])).toMatchObject({ code: 3, stdout: '' });
  });
});
