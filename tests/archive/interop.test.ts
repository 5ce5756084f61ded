import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packSkill, unpackArchive } from '../../src/archive/index.ts';
import { SKILL } from './skill.ts';

const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
const TAR = has('tar', '--version');
const UNZIP = has('unzip', '-v');
const ZIP = has('zip', '-v');
const PYTHON = has('python3', '--version');
const GIT = has('git', '--version');

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-interop-'));
  writeFileSync(join(folder, 'x.tar.gz'), await packSkill(SKILL, 'tar.gz'));
  writeFileSync(join(folder, 'x.zip'), await packSkill(SKILL, 'zip'));
  const source = join(folder, 'source');
  for (const { path, bytes, executable } of SKILL) {
    mkdirSync(join(source, path, '..'), { recursive: true });
    writeFileSync(join(source, path), bytes, { mode: executable === true ? 0o755 : 0o644 });
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const expected = new Map(SKILL.map(({ path, bytes }) => [path, Buffer.from(bytes)]));
function expectUnpacked(where: string): void {
  for (const { path, bytes, executable } of SKILL) {
    expect(readFileSync(join(where, path)).equals(Buffer.from(bytes))).toBe(true);
    expect(statSync(join(where, path)).mode & 0o777).toBe(executable === true ? 0o755 : 0o644);
  }
}
function expectSame(files: readonly { path: string; bytes: Buffer }[]): void {
  expect(files.map(({ path }) => path).sort()).toEqual([...expected.keys()].sort());
  for (const { path, bytes } of files) expect(bytes.equals(expected.get(path) as Buffer)).toBe(true);
}
const UTF8 = { ...process.env, LC_ALL: 'C.UTF-8' };

describe('what we pack', () => {
  it.skipIf(!TAR)('is read by tar, without a word', () => {
    const where = join(folder, 'by-tar');
    mkdirSync(where);
    const done = spawnSync('tar', ['-xpzf', join(folder, 'x.tar.gz'), '-C', where], {
      encoding: 'utf8',
      env: UTF8,
    });
    expect([done.status, done.stderr]).toEqual([0, '']);
    expectUnpacked(where);
  });

  it.skipIf(!UNZIP)('is read by unzip, without a word', () => {
    const where = join(folder, 'by-unzip');
    const done = spawnSync('unzip', ['-q', join(folder, 'x.zip'), '-d', where], {
      encoding: 'utf8',
      env: UTF8,
    });
    expect([done.status, done.stderr, done.stdout]).toEqual([0, '', '']);
    expectUnpacked(where);
  });

  it.skipIf(!PYTHON)('is read by tarfile and zipfile of Python', () => {
    const program = `
import hashlib, json, sys, tarfile, zipfile
out = {}
with tarfile.open(sys.argv[1], 'r:gz') as t:
    for m in t.getmembers():
        assert m.isfile() and m.uid == 0 and m.gid == 0 and m.uname == '' and m.mtime == 315532800, m
        out['tar:' + m.name] = [hashlib.sha256(t.extractfile(m).read()).hexdigest(), m.mode]
with zipfile.ZipFile(sys.argv[2]) as z:
    assert z.testzip() is None
    for i in z.infolist():
        assert i.date_time == (1980, 1, 1, 0, 0, 0) and i.extra == b'' and i.comment == b'', i
        out['zip:' + i.filename] = [hashlib.sha256(z.read(i)).hexdigest(), (i.external_attr >> 16) & 0o777]
print(json.dumps(out))
`;
    const args = ['-c', program, join(folder, 'x.tar.gz'), join(folder, 'x.zip')];
    const printed = JSON.parse(execFileSync('python3', args, { encoding: 'utf8' })) as Record<
      string,
      [string, number]
    >;
    expect(Object.keys(printed)).toHaveLength(2 * SKILL.length);
    for (const { path, bytes, executable } of SKILL) {
      const digest = execFileSync(
        process.execPath,
        ['-e', 'process.stdin.pipe(crypto.createHash("sha256").setEncoding("hex")).pipe(process.stdout)'],
        { input: bytes, encoding: 'utf8' },
      );
      for (const format of ['tar', 'zip'])
        expect(printed[`${format}:${path}`]).toEqual([digest, executable === true ? 0o755 : 0o644]);
    }
  });
});

describe('what others pack is read', () => {
  const source = (): string => join(folder, 'source');
  it.skipIf(!TAR)('from tar: gnu, pax, ustar, v7', async () => {
    for (const format of ['gnu', 'pax', 'ustar']) {
      const file = join(folder, `${format}.tar.gz`);
      execFileSync('tar', ['-czf', file, `--format=${format}`, '-C', source(), '.'], { env: UTF8 });
      expectSame(await unpackArchive(readFileSync(file)));
    }
    execFileSync('tar', [
      '-czf',
      join(folder, 'v7.tar.gz'),
      '--format=v7',
      '-C',
      source(),
      'SKILL.md',
      'scripts',
    ]);
    expect(
      (await unpackArchive(readFileSync(join(folder, 'v7.tar.gz')))).map(({ path }) => path).sort(),
    ).toEqual(['SKILL.md', 'scripts/run.sh']);
  });

  it.skipIf(!TAR || !has('bzip2', '--help'))('from tar with bzip2', async () => {
    execFileSync('tar', ['-cjf', join(folder, 'x.tar.bz2'), '-C', source(), '.'], { env: UTF8 });
    expectSame(await unpackArchive(readFileSync(join(folder, 'x.tar.bz2'))));
  });

  it.skipIf(!ZIP)('from zip, to a file and to a pipe', async () => {
    execFileSync('zip', ['-qr', join(folder, 'other.zip'), '.'], { cwd: source(), env: UTF8 });
    expectSame(await unpackArchive(readFileSync(join(folder, 'other.zip'))));
    const piped = execFileSync('zip', ['-qr', '-', '.'], { cwd: source(), env: UTF8, maxBuffer: 1 << 24 });
    expectSame(await unpackArchive(piped));
  });

  it.skipIf(!GIT)('from git archive', async () => {
    const git = (...args: string[]): Buffer =>
      execFileSync(
        'git',
        ['-c', 'core.autocrlf=false', '-c', 'user.name=a', '-c', 'user.email=a@b', ...args],
        { cwd: source(), maxBuffer: 1 << 24 },
      );
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'x');
    for (const format of ['tar.gz', 'zip']) {
      const files = await unpackArchive(git('archive', `--format=${format}`, '--prefix=repo-main/', 'HEAD'));
      expectSame(files.map((file) => ({ ...file, path: file.path.replace('repo-main/', '') })));
    }
  });

  it.skipIf(!PYTHON)('from tarfile and zipfile of Python', async () => {
    const program = `
import os, sys, tarfile, zipfile
source, target = sys.argv[1:]
for name, mode, format in [('p.tar.gz', 'w:gz', tarfile.PAX_FORMAT), ('g.tar.gz', 'w:gz', tarfile.GNU_FORMAT), ('p.tar.bz2', 'w:bz2', tarfile.PAX_FORMAT)]:
    with tarfile.open(os.path.join(target, name), mode, format=format) as t:
        t.add(source, arcname='.', filter=lambda m: None if '/.git' in m.name else m)
with zipfile.ZipFile(os.path.join(target, 'p.zip'), 'w', zipfile.ZIP_DEFLATED) as z:
    for root, dirs, files in os.walk(source):
        dirs[:] = [d for d in dirs if d != '.git']
        for f in files:
            p = os.path.join(root, f)
            z.write(p, os.path.relpath(p, source))
`;
    execFileSync('python3', ['-c', program, source(), folder], { env: { ...UTF8, PYTHONUTF8: '1' } });
    for (const name of ['p.tar.gz', 'g.tar.gz', 'p.tar.bz2', 'p.zip']) {
      expectSame(await unpackArchive(readFileSync(join(folder, name))));
    }
  });
});
