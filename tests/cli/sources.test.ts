import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSources } from '../../src/cli/open-sources.ts';
import { createOutput } from '../../src/cli/output.ts';
import { type ArchiveServer, archiveServer } from '../source/archive-server.ts';
import { COMMIT, packTarGz, packZip } from '../source/pack-files.ts';
import { runHere } from './in-process.ts';
import { openSession } from './mcp.ts';
import { folderWith, run, skillText, start, stopAll } from './program.ts';

const FILES = { 'pdf/SKILL.md': skillText('pdf'), 'docx/SKILL.md': skillText('docx'), 'docx/ref/a.md': 'x' };

let server: ArchiveServer;
let cache: string;
const folders: ReturnType<typeof folderWith>[] = [];
beforeAll(async () => {
  server = await archiveServer();
});
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'skillwire-cache-'));
});
afterEach(async () => {
  await stopAll();
  rmSync(cache, { recursive: true, force: true });
  for (const made of folders.splice(0)) made.remove();
});
afterAll(() => server.close());

function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const made = folderWith(files);
  folders.push(made);
  return made.path;
}

const environment = (): Record<string, string> => ({
  XDG_CACHE_HOME: cache,
  NO_PROXY: '127.0.0.1',
  GITHUB_TOKEN: '',
});

/** Temporary files of downloads. */
function tempFiles(): string[] {
  const files = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files
    .filter(({ parentPath }) => parentPath.includes(join('skillwire', 'tmp')))
    .map(({ name }) => name);
}

describe('skillwire serve', () => {
  it('serves an archive, a folder of archives and a URL side by side', async () => {
    const url = server.put(
      '/pack.zip?sig=SECRET',
      packZip({ 'xlsx/SKILL.md': skillText('xlsx'), 'a/x': '' }),
    );
    const here = folder({
      'a.tar.gz': packTarGz(FILES, { wrapper: 'skills-main' }),
      'packs/one.zip': packZip({ 'SKILL.md': skillText('one') }),
      'packs/bad.zip': 'damaged',
    });
    const started = start(['serve', 'a.tar.gz', 'packs', `team=${url}`, '--http', '0'], {
      cwd: here,
      env: environment(),
    });
    const [, address = ''] = await started.until(/^skillwire listening on (\S+)$/m);
    const session = await openSession(address);
    const { result } = await session.request('skills/list');
    expect((result?.skills ?? []).map(({ uri }) => uri)).toEqual([
      'skill://docx/SKILL.md',
      'skill://one/SKILL.md',
      'skill://pdf/SKILL.md',
      'skill://team/xlsx/SKILL.md',
    ]);
    const read = await session.request('resources/read', { uri: 'skill://team/xlsx/SKILL.md' });
    expect(JSON.stringify(read.result)).toContain('# xlsx');
    expect(tempFiles()).toHaveLength(1);
    started.child.kill('SIGTERM');
    const { code, stderr } = await started.finished;
    expect(code).toBe(0);
    expect(stderr).toContain(`4 skills from a.tar.gz, packs, 'team=${server.origin}/pack.zip?…'`);
    expect(stderr).toMatch(/bad\.zip +ARCHIVE_REFUSED/);
    expect(stderr.replace(/"args": \[[\s\S]*?\]/g, '')).not.toContain('SECRET');
    expect(tempFiles()).toEqual([]);
  });

  it('says what it could not fetch, and exits with 3', async () => {
    const { code, stdout, stderr } = await run(['serve', `${server.origin}/none.zip`], {
      env: environment(),
    });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain('none.zip answers 404 (Not Found)');
    expect(stderr).toContain('ARCHIVE_DOWNLOAD_FAILED');
  });

  it('reaches the private host that was typed, and none that it redirects to', async () => {
    const elsewhere = server.origin.replace('127.0.0.1', 'localhost');
    const url = server.put('/away', (_, response) =>
      response.writeHead(302, { location: `${elsewhere}/x` }).end(),
    );
    const { code, stderr } = await run(['serve', url], { env: environment() });
    expect(code).toBe(3);
    expect(stderr).toContain('is not public');
  });
});

describe('skillwire check', () => {
  it('checks an archive, with paths as its user would write them, and fixes nothing in it', async () => {
    const here = folder({
      'a.zip': packZip({ ...FILES, 'bad/SKILL.md': '---\nname: bad\ndescription: a: b\n---\n' }),
    });
    const { code, stdout } = await runHere(['check', join(here, 'a.zip'), '--json', '--fix']);
    expect(code).toBe(3);
    const found = JSON.parse(stdout);
    expect(found).toMatchObject({
      skills: 3,
      refused: 1,
      changes: [{ failed: 'this source cannot be written' }],
    });
    expect(found.diagnostics[0]).toMatchObject({
      code: 'INVALID_YAML',
      file: join(here, 'a.zip', 'bad/SKILL.md'),
    });
  });

  it('checks what a server has, asks again only if it changed, and shows no query', async () => {
    let statuses: number[] = [];
    const url = server.put('/v.tar.gz?sig=SECRET', (request, response) => {
      const same = request.headers['if-none-match'] === '"1"';
      statuses = [...statuses, same ? 304 : 200];
      const body = packTarGz({ ...FILES, 'pdf/SKILL.md': '---\nname: pdf\n---\n' });
      response.writeHead(same ? 304 : 200, { etag: '"1"' }).end(same ? undefined : body);
    });
    for (let round = 0; round < 2; round += 1) {
      const { code, stdout, stderr } = await run(['check', url], { env: environment() });
      expect(code).toBe(1);
      expect(stdout).toContain(`${server.origin}/v.tar.gz?…/pdf/SKILL.md:`);
      expect(stdout + stderr).not.toContain('SECRET');
    }
    expect(statuses).toEqual([200, 304]);
  });

  it.each([
    ['github:acme', 2, 'names no repository'],
    ['https://github.com/acme/skills', 2, 'write github:acme/skills'],
    ['README.md', 3, 'is a file and no archive'],
  ])('says how %s is to be written', async (text, code, words) => {
    const result = await runHere(['check', text]);
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(words);
  });
});

describe('opening sources on a terminal', () => {
  const stream = (written: string[]) => ({
    isTTY: true,
    write: (text: string): boolean => {
      written.push(text);
      return true;
    },
    on: () => undefined,
  });

  it('shows how far a download is, and says which commit came', async () => {
    const bytes = packTarGz(FILES, { wrapper: 'w', comment: COMMIT });
    const url = server.put('/slow.tar.gz', (_, response) => {
      response.writeHead(200, { 'content-length': bytes.length }).write(bytes.subarray(0, 600));
      setTimeout(() => response.end(bytes.subarray(600)), 300);
    });
    const written: string[] = [];
    const output = createOutput(stream([]), stream(written), {});
    const before = process.env.XDG_CACHE_HOME;
    process.env.XDG_CACHE_HOME = cache;
    try {
      const source = await openSources([url], {}, { output, env: { GITHUB_TOKEN: '' } });
      await source.close();
    } finally {
      if (before === undefined) delete process.env.XDG_CACHE_HOME;
      else process.env.XDG_CACHE_HOME = before;
    }
    expect(written.join('')).toContain(`downloading ${url}: ${(bytes.length / 1024).toFixed(1)} KiB of `);
  });
});
