import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { describeChanges } from '../../src/cli/change-log.ts';
import { INITIALIZE, lines, openSession, parseMessages } from './mcp.ts';
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

const HELLO = lines(INITIALIZE, { jsonrpc: '2.0', method: 'notifications/initialized' });

/** A server over stdio that has answered once, so that it watches. */
async function serving(args: readonly string[], cwd: string): Promise<Started> {
  const started = start(['serve', ...args], { cwd });
  started.child.stdin.write(HELLO);
  await started.until(/"id":1\b/, 'stdout');
  return started;
}

async function descriptionOf(started: Started, id: number): Promise<string | undefined> {
  started.child.stdin.write(lines({ jsonrpc: '2.0', id, method: 'skills/list', params: {} }));
  const [text] = await started.until(new RegExp(`^.*"id":${id}\\b.*$`, 'm'), 'stdout');
  const [message] = parseMessages(text);
  return message?.result?.skills?.[0]?.frontmatter?.description;
}

describe('skillwire serve, while files change', () => {
  it.each([[[]], [['--poll']]])('serves what changed, tells the client and says so: %j', async (flags) => {
    const cwd = folder({ 'skills/pdf/SKILL.md': skillText('pdf', 'one'), 'skills/pdf/a.md': 'a' });
    const started = await serving(['skills', ...flags], cwd);
    expect(await descriptionOf(started, 2)).toBe('one');
    const temporary = join(cwd, 'skills/pdf/SKILL.md.tmp');
    writeFileSync(temporary, skillText('pdf', 'two'));
    renameSync(temporary, join(cwd, 'skills/pdf/SKILL.md'));
    await started.until(/^skillwire: info: changed: 1 skill \(pdf\), 1 file$/m);
    await started.until(/notifications\/resources\/list_changed/, 'stdout');
    expect(await descriptionOf(started, 3)).toBe('two');
    started.child.stdin.end();
    expect(await started.finished).toMatchObject({ code: 0, signal: null });
  });

  it('names what came and went, and why a skill is withdrawn', async () => {
    const cwd = folder({
      'a/SKILL.md': skillText('a'),
      'b/SKILL.md': skillText('b'),
      'c/SKILL.md': skillText('c'),
    });
    const started = await serving(['.'], cwd);
    mkdirSync(join(cwd, 'new'));
    writeFileSync(join(cwd, 'new/SKILL.md'), skillText('new'));
    await started.until(/added: 1 skill \(new\), 1 file$/m);
    rmSync(join(cwd, 'a'), { recursive: true });
    await started.until(/removed: 1 skill \(a\), 1 file$/m);
    writeFileSync(join(cwd, 'b/SKILL.md'), '---\nname: b\n---\nno description\n');
    await started.until(/removed: 1 skill \(b\), 1 file$/m);
    await started.until(/warn: .*FRONTMATTER_MISSING_DESCRIPTION/);
    started.child.stdin.end();
    const { stderr } = await started.finished;
    expect(stderr).not.toMatch(/(?:removed|changed): [^\n]*\(c/);
  });

  it('writes it as JSON', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a') });
    const started = await serving(['.', '--log-format', 'json'], cwd);
    writeFileSync(join(cwd, 'a/x.md'), 'x');
    const [line] = await started.until(/^.*changed: 1 skill.*$/m);
    expect(JSON.parse(line)).toMatchObject({
      level: 'info',
      message: 'changed: 1 skill (a), 1 file',
      changed: ['skill://a/SKILL.md'],
      files: [{ uri: 'skill://a/x.md', action: 'created' }],
    });
  });

  it('does not look with --no-watch, and does when it is told to', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a', 'one') });
    const started = await serving(['.', '--no-watch'], cwd);
    writeFileSync(join(cwd, 'a/SKILL.md'), skillText('a', 'two'));
    expect(await descriptionOf(started, 2)).toBe('one');
    started.child.kill('SIGHUP');
    await started.until(/scanned again.*changed=1/);
    expect(await descriptionOf(started, 3)).toBe('two');
  });

  it('scans again on SIGHUP with watchers alive', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a') });
    const started = await serving(['.'], cwd);
    started.child.kill('SIGHUP');
    await started.until(/scanned again.*changed=0/);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends by itself on %s', async (signal) => {
    const cwd = folder({ 'a/SKILL.md': skillText('a') });
    for (const flags of [[], ['--poll']]) {
      const started = await serving(['.', ...flags], cwd);
      started.child.kill(signal);
      expect(await started.finished).toMatchObject({ code: 0, signal: null });
    }
  });

  it('tells clients over HTTP as well', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a', 'one') });
    const started = start(['serve', '.', '--http', '0'], { cwd });
    const [, url = ''] = await started.until(/^skillwire listening on (http:\/\/\S+\/mcp)$/m);
    const session = await openSession(url);
    expect((await session.request('skills/list')).result?.skills).toHaveLength(1);
    mkdirSync(join(cwd, 'b'));
    writeFileSync(join(cwd, 'b/SKILL.md'), skillText('b'));
    await started.until(/added: 1 skill \(b\)/);
    expect((await session.request('skills/list')).result?.skills).toHaveLength(2);
    started.child.kill('SIGTERM');
    expect(await started.finished).toMatchObject({ code: 0 });
  });

  it('follows links into --link-root', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'skillwire-cli-'));
    folders.push({ path: outside, remove: () => rmSync(outside, { recursive: true, force: true }) });
    mkdirSync(join(outside, 'pdf'));
    writeFileSync(join(outside, 'pdf/SKILL.md'), skillText('pdf', 'one'));
    const cwd = folder({ 'skills/readme.txt': '' });
    const { symlinkSync } = await import('node:fs');
    symlinkSync(join(outside, 'pdf'), join(cwd, 'skills/pdf'));
    const started = await serving(['skills', '--link-root', outside], cwd);
    writeFileSync(join(outside, 'pdf/SKILL.md'), skillText('pdf', 'two'));
    await started.until(/changed: 1 skill \(pdf\), 1 file$/m);
    expect(await descriptionOf(started, 2)).toBe('two');
  });
});

describe('the flags', () => {
  it.each([
    [['--poll', '--no-watch'], '--poll and --no-watch contradict each other'],
    [['--dialects', 'released,telepathy'], '--dialects knows no "telepathy"'],
    [['--dialects', ''], '--dialects knows no ""'],
    [['--archive', 'rar'], "argument 'rar' is invalid"],
    [['--archive', 'zip', '--dialects', 'released'], '--archive is for the dialect draft-index'],
  ])('%j are refused', async (flags, message) => {
    const { code, stderr } = await run(['serve', '.', ...flags], {
      cwd: folder({ 'a/SKILL.md': skillText('a') }),
    });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('stand in the configuration for clients', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a') });
    const print = async (...flags: string[]): Promise<string[]> => {
      const { stdout } = await run(['serve', '.', '--print-config', 'json', ...flags], { cwd });
      const text = JSON.stringify(JSON.parse(stdout));
      return ['--no-watch', '--poll', '--dialects=draft-index', '--archive=zip'].filter((flag) =>
        text.includes(flag),
      );
    };
    expect(await print()).toEqual([]);
    expect(await print('--no-watch')).toEqual(['--no-watch']);
    expect(await print('--poll', '--dialects', 'draft-index', '--archive', 'zip')).toEqual([
      '--poll',
      '--dialects=draft-index',
      '--archive=zip',
    ]);
  });

  it('choose what is served', async () => {
    const cwd = folder({ 'a/SKILL.md': skillText('a') });
    const ask = lines(
      INITIALIZE,
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'skill://index.json' } },
    );
    const index = async (...flags: string[]): Promise<string> => {
      const { stdout } = await run(['serve', '.', ...flags], { cwd, stdin: ask });
      return JSON.stringify(parseMessages(stdout).find(({ id }) => id === 2));
    };
    expect(await index()).toContain('skill-md');
    expect(await index('--archive', 'zip')).toContain('skill://a.zip');
    expect(await index('--archive', 'tar.gz', '--dialects', 'draft-index')).toContain('skill://a.tar.gz');
    expect(await index('--dialects', 'released')).toContain('error');
  });
});

describe('describeChanges', () => {
  const uris = (...names: string[]): string[] => names.map((name) => `skill://${name}/SKILL.md`);
  const none = { added: [], changed: [], removed: [], files: [], revision: 'b', previousRevision: 'a' };
  const file = { uri: 'skill://pdf/a', path: 'pdf/a', action: 'modified' } as const;

  it.each([
    [{ changed: uris('pdf'), files: [file, file] }, 'changed: 1 skill (pdf), 2 files'],
    [{ added: uris('team/x'), files: [file] }, 'added: 1 skill (team/x), 1 file'],
    [
      { added: uris('a'), changed: uris('b', 'c'), removed: uris('d'), files: [file] },
      'added: 1 skill (a); changed: 2 skills (b, c); removed: 1 skill (d), 1 file',
    ],
    [{ removed: uris('1', '2', '3', '4', '5', '6', '7') }, 'removed: 7 skills (1, 2, 3, 4, 5, 2 more)'],
    [{}, undefined],
  ])('%j', (changes, line) => {
    expect(describeChanges({ ...none, ...changes })).toBe(line);
  });
});
