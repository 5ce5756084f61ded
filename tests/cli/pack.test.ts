import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackArchive } from '../../src/archive/index.ts';
import { openCatalog } from '../../src/catalog/index.ts';
import { runProgram } from '../../src/cli/program.ts';
import { silentLogger } from '../../src/logger.ts';
import { ArchiveShelf } from '../../src/server/archives.ts';
import { SkillPacker } from '../../src/server/skill-packer.ts';
import { openSource } from '../../src/source/index.ts';
import { treeOf } from '../store/tree-of.ts';
import { memoryContext, runHere } from './in-process.ts';
import { folderWith, PROGRAM, run, skillText, stopAll } from './program.ts';

const FILES = {
  'skills/pdf/SKILL.md': skillText('pdf'),
  'skills/pdf/scripts/run.sh': '#!/bin/sh\necho hi\n',
  'skills/pdf/assets/näive file.bin': Buffer.from([0, 1, 2, 255]),
  'skills/pdf/.env': 'SECRET=1',
  'skills/pdf/.skillignore': 'drafts\n',
  'skills/pdf/drafts/x.md': 'not ready',
  'skills/pdf/.git/config': 'x',
  'skills/pdf/node_modules/x/index.js': 'x',
  'skills/notes/SKILL.md': skillText('notes'),
};
const PACKED = ['.skillignore', 'SKILL.md', 'assets/näive file.bin', 'scripts/run.sh'];

let folder: ReturnType<typeof folderWith>;
beforeEach(() => {
  folder = folderWith(FILES);
});
afterEach(() => folder.remove());
afterAll(stopAll);

const at = (...names: string[]): string => join(folder.path, ...names);
const digestOf = (path: string): string =>
  `sha256:${createHash('sha256').update(readFileSync(path)).digest('hex')}`;
const namesIn = async (path: string): Promise<string[]> =>
  (await unpackArchive(readFileSync(path))).map((entry) => entry.path);

describe('skillwire pack', () => {
  it('makes an archive of what serve would serve of a skill, and prints digest, size and path', async () => {
    const { code, stdout, stderr } = await run(['pack', 'skills/pdf'], { cwd: folder.path });
    expect(code).toBe(0);
    const archive = at('pdf.tar.gz');
    expect(stdout).toBe(`${digestOf(archive)}  ${statSync(archive).size} B  pdf.tar.gz\n`);
    const entries = await unpackArchive(readFileSync(archive));
    expect(entries.map(({ path, mode }) => [path, mode.toString(8)])).toEqual([
      ['.skillignore', '644'],
      ['SKILL.md', '644'],
      ['assets/näive file.bin', '644'],
      ['scripts/run.sh', '755'],
    ]);
    expect(stderr).toContain('left out, as serve does (1 file):');
    expect(stderr).toContain('SECRET_WITHHELD');
    expect(stderr).not.toContain('drafts');
  });

  it.each(['tar.gz', 'zip'] as const)(
    'makes the %s whose digest a server of the same files states',
    async (format) => {
      const catalog = await openCatalog(await openSource(at('skills')));
      const packer = new SkillPacker({ catalog, format });
      const shelf = new ArchiveShelf({ catalog, packer, servesFiles: true, logger: silentLogger });
      const [, pdf] = catalog.snapshot.skills;
      const stated = pdf === undefined ? undefined : await shelf.facts(pdf, catalog.snapshot);
      await catalog.close();
      const { stdout } = await runHere([
        'pack',
        at('skills'),
        'pdf',
        '-o',
        at('x'),
        '--format',
        format,
        '--json',
      ]);
      const [made] = JSON.parse(stdout).archives;
      expect(stated).toEqual({ digest: made.digest, size: made.size });
    },
  );

  it('names one skill of several by name, folder, SKILL.md or URI', async () => {
    for (const [index, name] of [
      'pdf',
      './pdf/',
      'pdf/SKILL.md',
      'skill://pdf',
      'skill://pdf/SKILL.md',
      'skill://%70df/',
    ].entries()) {
      const done = await runHere(['pack', at('skills'), name, '-o', at(`${index}.tar.gz`)]);
      expect(done).toMatchObject({ code: 0 });
      expect(await namesIn(at(`${index}.tar.gz`))).toEqual(PACKED);
    }
  });

  it('makes one archive a skill in a folder', async () => {
    const { code, stdout } = await runHere(['pack', at('skills'), '--to', at('dist', 'new')]);
    expect(code).toBe(0);
    expect(readdirSync(at('dist', 'new'))).toEqual(['notes.tar.gz', 'pdf.tar.gz']);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)[0]),
    ).toEqual([digestOf(at('dist', 'new', 'notes.tar.gz')), digestOf(at('dist', 'new', 'pdf.tar.gz'))]);
  });

  it('tells programs what it made', async () => {
    const { stdout } = await runHere(['pack', at('skills'), '--to', at('dist'), '--format', 'zip', '--json']);
    expect(JSON.parse(stdout)).toEqual({
      format: 'zip',
      archives: [
        {
          skill: 'notes',
          uri: 'skill://notes/SKILL.md',
          path: at('dist', 'notes.zip'),
          digest: digestOf(at('dist', 'notes.zip')),
          size: statSync(at('dist', 'notes.zip')).size,
          files: 1,
          bytes: 82,
        },
        {
          skill: 'pdf',
          uri: 'skill://pdf/SKILL.md',
          path: at('dist', 'pdf.zip'),
          digest: digestOf(at('dist', 'pdf.zip')),
          size: statSync(at('dist', 'pdf.zip')).size,
          files: 4,
          bytes: 107,
        },
      ],
      leftOut: [{ code: 'SECRET_WITHHELD', path: 'pdf/.env', message: expect.any(String) }],
    });
  });

  it.each([
    ['x.zip', [], 'PK'],
    ['x.ZIP', [], 'PK'],
    ['x.tgz', [], '\u001f\u008b'],
    ['x', [], '\u001f\u008b'],
    ['x.skill', ['--format', 'zip'], 'PK'],
  ])('goes by the name of -o %s, and by --format %j', async (name, flags, magic) => {
    expect(await runHere(['pack', at('skills/pdf'), '-o', at(name), ...flags])).toMatchObject({ code: 0 });
    expect(readFileSync(at(name)).toString('latin1', 0, 2)).toBe(magic);
  });

  it('writes to stdout, and nothing else there', () => {
    const done = spawnSync(process.execPath, [...PROGRAM, 'pack', at('skills/pdf'), '-o', '-']);
    expect(done.status).toBe(0);
    expect(done.stderr.toString()).toMatch(/^sha256:[0-9a-f]{64} {2}\d+ B {2}-\n/);
    const digest = `sha256:${createHash('sha256').update(done.stdout).digest('hex')}`;
    expect(done.stderr.toString()).toContain(digest);
  });

  it('writes no archive to a terminal', async () => {
    const { context, text } = memoryContext();
    const output = { ...context.output, isTerminal: true };
    expect(await runProgram(['pack', at('skills/pdf'), '-o', '-'], { ...context, output })).toBe(2);
    expect(text.stdout).toBe('');
    expect(text.stderr).toContain('an archive is not printed on a terminal');
  });

  it('packs a skill out of an archive, byte for byte as out of the folder', async () => {
    await runHere(['pack', at('skills/pdf'), '-o', at('a.tar.gz')]);
    expect(await runHere(['pack', at('a.tar.gz'), '-o', at('b.tar.gz')])).toMatchObject({ code: 0 });
    expect(readFileSync(at('b.tar.gz'))).toEqual(readFileSync(at('a.tar.gz')));
  });

  it('packs a skill inside another with it, and by itself when named', async () => {
    mkdirSync(at('skills/pdf/inner'));
    writeFileSync(at('skills/pdf/inner/SKILL.md'), skillText('inner'));
    await runHere(['pack', at('skills/pdf'), '-o', at('a.tar.gz')]);
    expect(await namesIn(at('a.tar.gz'))).toContain('inner/SKILL.md');
    await runHere(['pack', at('skills/pdf'), 'inner', '-o', at('b.tar.gz')]);
    expect(await namesIn(at('b.tar.gz'))).toEqual(['SKILL.md']);
    await runHere(['pack', at('skills/pdf'), '--to', at('dist')]);
    expect(readdirSync(at('dist'))).toEqual(['inner.tar.gz', 'pdf.tar.gz']);
  });

  it('tells skills of one name apart by their folders', async () => {
    for (const group of ['.old', 'new']) {
      mkdirSync(at('many', group, 'pdf'), { recursive: true });
      writeFileSync(at('many', group, 'pdf', 'SKILL.md'), skillText('pdf'));
    }
    await runHere(['pack', at('many'), '--to', at('dist')]);
    expect(readdirSync(at('dist'))).toEqual(['new--pdf.tar.gz', 'old--pdf.tar.gz']);
  });
});

describe('what is refused', () => {
  it('several skills without a place for several archives', async () => {
    for (const flags of [[], ['-o', at('x.tar.gz')]]) {
      const { code, stderr } = await runHere(['pack', at('skills'), ...flags]);
      expect(code).toBe(2);
      expect(stderr).toContain('--to DIR');
    }
    expect(readdirSync(folder.path)).toEqual(['skills']);
  });

  it.each([[['-o', 'x.tar.bz2']], [['-o', 'x.tbz2']], [['--format', 'tar.bz2']]])(
    'tar.bz2, by %j, before anything is read',
    async (flags) => {
      const { code, stderr } = await runHere(['pack', at('no/such'), ...flags]);
      expect(code).toBe(2);
      expect(stderr).toContain('error[ARCHIVE_UNSUPPORTED_FOR_PACK]: tar.bz2 is read and not written');
    },
  );

  it('a refused skill, by itself and among others', async () => {
    writeFileSync(at('skills/notes/SKILL.md'), '---\nname: notes\n---\n');
    for (const wanted of [['notes'], []]) {
      const { code, stderr } = await runHere(['pack', at('skills'), ...wanted, '--to', at('dist')]);
      expect(code).toBe(1);
      expect(stderr).toContain('error[SKILL_REFUSED]: a skill is refused: notes/SKILL.md');
      expect(stderr).toContain('[FRONTMATTER_MISSING_DESCRIPTION]');
      expect(stderr).toContain('hint: skillwire check');
    }
    expect(readdirSync(folder.path)).toEqual(['skills']);
    expect((await runHere(['pack', at('skills'), 'pdf', '--to', at('dist')])).code).toBe(0);
  });

  it('a folder without a skill, and a skill that is not there', async () => {
    mkdirSync(at('none'));
    const none = await runHere(['pack', at('none')]);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('error[ARCHIVE_MISSING_SKILL_MD]');
    const other = await runHere(['pack', at('skills'), 'pdff']);
    expect(other.code).toBe(3);
    expect(other.stderr).toContain('error[RESOURCE_NOT_FOUND]');
    expect(other.stderr).toContain('hint: did you mean pdf?');
  });

  it('a file that is there, unless --force replaces it', async () => {
    mkdirSync(at('dist'));
    writeFileSync(at('dist/pdf.tar.gz'), 'theirs');
    const refused = await runHere(['pack', at('skills'), '--to', at('dist')]);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain(`error[TARGET_EXISTS]: ${at('dist/pdf.tar.gz')} already exists`);
    expect(refused.stderr).toContain('give --force to replace it');
    expect(treeOf(at('dist'))).toEqual(['pdf.tar.gz 644 dGhlaXJz']);
    expect((await runHere(['pack', at('skills'), '--to', at('dist'), '--force'])).code).toBe(0);
    expect(await namesIn(at('dist/pdf.tar.gz'))).toEqual(PACKED);
  });

  it('a place inside a skill that is packed, unless it is ignored there', async () => {
    symlinkSync('skills/pdf', at('link'));
    const places = [at('skills/pdf'), at('skills/pdf/new/dist'), at('link'), at('link/dist')];
    for (const place of places) {
      const { code, stderr } = await runHere(['pack', at('skills/pdf'), '--to', place]);
      expect(code).toBe(2);
      expect(stderr).toContain('would stand in the skill pdf and be packed the next time');
    }
    const { code, stderr } = await run(['pack', '.'], { cwd: at('skills/pdf') });
    expect(code).toBe(2);
    expect(stderr).toContain('pdf.tar.gz would stand in the skill pdf');
    expect(readdirSync(at('skills/pdf')).sort()).toEqual([
      '.env',
      '.git',
      '.skillignore',
      'SKILL.md',
      'assets',
      'drafts',
      'node_modules',
      'scripts',
    ]);
    const ignored = ['pack', at('skills/pdf'), '--to', at('skills/pdf/drafts')];
    const first = await runHere(ignored);
    expect(first.code).toBe(0);
    expect((await runHere([...ignored, '--force'])).stdout).toBe(first.stdout);
  });

  it('a skill over --max-bytes; 0 is the default and -1 no cap', async () => {
    const pack = (n: string) =>
      runHere(['pack', at('skills/pdf'), '-o', at('x.tar.gz'), '--max-bytes', n, '--force']);
    const refused = await pack('100');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toContain('error[ARCHIVE_TOO_LARGE]');
    expect(refused.stderr).toContain('hint: --max-bytes N raises the cap');
    expect(readdirSync(folder.path)).toEqual(['skills']);
    expect([(await pack('107')).code, (await pack('0')).code, (await pack('-1')).code]).toEqual([0, 0, 0]);
  });

  it('links that lead out of the skill: they are left out and named', async () => {
    symlinkSync('/etc/hostname', at('skills/pdf/host'));
    symlinkSync('../notes/SKILL.md', at('skills/pdf/notes.md'));
    symlinkSync('scripts/run.sh', at('skills/pdf/run'));
    const { stdout, stderr } = await runHere(['pack', at('skills'), 'pdf', '-o', at('x.zip'), '--json']);
    expect(await namesIn(at('x.zip'))).toEqual([
      '.skillignore',
      'SKILL.md',
      'assets/näive file.bin',
      'run',
      'scripts/run.sh',
    ]);
    expect(
      JSON.parse(stdout).leftOut.map((each: { code: string; path: string }) => [each.path, each.code]),
    ).toEqual([
      ['pdf/.env', 'SECRET_WITHHELD'],
      ['pdf/host', 'LINK_ESCAPES'],
      ['pdf/notes.md', 'LINK_ESCAPES'],
    ]);
    expect(stderr).toBe('');
    await runHere([
      'pack',
      at('skills'),
      'pdf',
      '-o',
      at('y.zip'),
      '--symlinks',
      'refuse',
      '--allow-secret',
      '.env',
    ]);
    expect(await namesIn(at('y.zip'))).toEqual(['.env', ...PACKED]);
  });
});

describe('the bytes of an archive', () => {
  it.each(['tar.gz', 'zip'])(
    'of %s are the same under another umask, time zone, mtime, mode and owner',
    async (format) => {
      const first = at(`first.${format}`);
      await run(['pack', at('skills/pdf'), '-o', first], { env: { TZ: 'America/St_Johns' } });
      const umask = process.umask(0o077);
      try {
        await run(['unpack', first, '--to', at('again')], { env: { TZ: 'Asia/Kathmandu' } });
        expect(statSync(at('again', 'scripts', 'run.sh')).mode & 0o777).toBe(0o700);
        for (const path of PACKED) {
          utimesSync(at('again', path), new Date('2001-02-03'), new Date('2031-02-03'));
          chmodSync(at('again', path), 0o777);
          if (process.getuid?.() === 0) chownSync(at('again', path), 12_345, 54_321);
        }
        await run(['pack', at('again'), '-o', at(`second.${format}`)], { env: { TZ: 'Pacific/Apia' } });
      } finally {
        process.umask(umask);
      }
      expect(readFileSync(at(`second.${format}`))).toEqual(readFileSync(first));
    },
  );

  const has = (program: string, ...args: string[]): boolean => spawnSync(program, args).status === 0;
  const want = { 'SKILL.md': skillText('pdf'), 'scripts/run.sh': '#!/bin/sh\necho hi\n' };

  it.skipIf(!has('tar', '--version'))('are read by tar', async () => {
    await runHere(['pack', at('skills/pdf'), '-o', at('x.tar.gz')]);
    mkdirSync(at('by'));
    const done = spawnSync('tar', ['-xzf', at('x.tar.gz'), '-C', at('by')]);
    expect([done.status, done.stderr.toString()]).toEqual([0, '']);
    for (const [path, text] of Object.entries(want)) expect(readFileSync(at('by', path), 'utf8')).toBe(text);
    expect(readdirSync(at('by', 'assets'))).toEqual(['näive file.bin']);
  });

  it.skipIf(!has('unzip', '-v'))('are read by unzip', async () => {
    await runHere(['pack', at('skills/pdf'), '-o', at('x.zip')]);
    const done = spawnSync('unzip', ['-q', at('x.zip'), '-d', at('by')], {
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    });
    expect([done.status, done.stderr.toString()]).toEqual([0, '']);
    for (const [path, text] of Object.entries(want)) expect(readFileSync(at('by', path), 'utf8')).toBe(text);
    expect(statSync(at('by', 'scripts/run.sh')).mode & 0o777).toBe(0o755);
  });

  it.skipIf(!has('python3', '--version'))('are read by Python', async () => {
    const script = `
import sys, tarfile, zipfile, json
t = tarfile.open(sys.argv[1]); z = zipfile.ZipFile(sys.argv[2])
assert z.testzip() is None
print(json.dumps([[m.name, m.uid, m.gid, m.uname, m.mode] for m in t.getmembers()]))
print(json.dumps([t.extractfile(m).read().decode('latin-1') for m in t.getmembers()] == [z.read(i).decode('latin-1') for i in z.infolist()]))
print(json.dumps(z.namelist()))`;
    await runHere(['pack', at('skills/pdf'), '-o', at('x.tar.gz')]);
    await runHere(['pack', at('skills/pdf'), '-o', at('x.zip')]);
    const done = spawnSync('python3', ['-c', script, at('x.tar.gz'), at('x.zip')], { encoding: 'utf8' });
    expect(done.stderr).toBe('');
    const [members, same, names] = done.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(members).toEqual(PACKED.map((path) => [path, 0, 0, '', path.endsWith('.sh') ? 0o755 : 0o644]));
    expect([same, names]).toEqual([true, PACKED]);
  });
});
