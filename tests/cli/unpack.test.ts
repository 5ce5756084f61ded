import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { defaultTarget, refuseLongPaths, unpackPlan } from '../../src/cli/unpack-plan.ts';
import { isSkillError } from '../../src/errors.ts';
import { type TarPart, tarGz } from '../archive/build-tar.ts';
import { mode, UNIX, zip } from '../archive/build-zip.ts';
import { treeOf } from '../store/tree-of.ts';
import { runHere } from './in-process.ts';
import { folderWith, run, type Started, skillText, start, stopAll } from './program.ts';

const SKILL: TarPart = { name: 'SKILL.md', body: skillText('pdf') };
const PDF: readonly TarPart[] = [
  SKILL,
  { name: 'scripts/run.sh', body: '#!/bin/sh\n', mode: 0o4777 },
  { name: 'references/a.md', body: 'a', mode: 0o600 },
];
const wrapped = (folder: string): TarPart[] =>
  PDF.map((part) => ({ ...part, name: `${folder}/${part.name}` }));

let folder: ReturnType<typeof folderWith>;
beforeEach(() => {
  folder = folderWith({});
});
afterEach(() => folder.remove());
afterAll(stopAll);

const at = (...names: string[]): string => join(folder.path, ...names);
const put = (name: string, bytes: Uint8Array): string => {
  writeFileSync(at(name), bytes);
  return at(name);
};
/** Paths below the folder of the test, folders with a slash. */
const paths = (below = ''): string[] =>
  readdirSync(at(below), { recursive: true, withFileTypes: true })
    .map(
      (entry) => relative(at(below), join(entry.parentPath, entry.name)) + (entry.isDirectory() ? '/' : ''),
    )
    .sort();
const asJson = async (...args: string[]): Promise<Record<string, unknown>> => {
  const { code, stdout, stderr } = await runHere(['unpack', '--json', ...args]);
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return JSON.parse(stdout);
};

describe('skillwire unpack', () => {
  it('makes a folder with the name of the skill, with plain bits', async () => {
    put('some-archive.tar.gz', tarGz(PDF));
    const { code, stdout, stderr } = await run(['unpack', 'some-archive.tar.gz'], { cwd: folder.path });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'made pdf: the skill pdf, 3 files, 89 B\n' });
    expect(stderr).toBe('next: skillwire check pdf\n');
    expect(treeOf(at('pdf')).map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'SKILL.md 644',
      'references/ 755',
      'references/a.md 644',
      'scripts/ 755',
      'scripts/run.sh 755',
    ]);
    expect(paths().filter((path) => !path.startsWith('pdf/'))).toEqual(['some-archive.tar.gz']);
  });

  it('tells programs what it did', async () => {
    const archive = put(
      'x.zip',
      zip([
        { name: 'pdf-1/SKILL.md', body: skillText('pdf') },
        { name: 'pdf-1/run', body: 'x', madeBy: UNIX, external: mode(0o100755) },
      ]),
    );
    const size = Buffer.byteLength(skillText('pdf'));
    expect(await asJson(archive, '--to', at('out'))).toEqual({
      archive,
      format: 'zip',
      path: at('out'),
      skill: 'pdf',
      wrapper: 'pdf-1',
      replaced: false,
      files: [
        { path: 'SKILL.md', size, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), executable: false },
        {
          path: 'run',
          size: 1,
          digest: 'sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881',
          executable: true,
        },
      ],
      leftOut: [],
    });
    expect(statSync(at('out', 'run')).mode & 0o777).toBe(0o755);
  });

  it('reads stdin', async () => {
    const archive = tarGz(PDF);
    const started = start(['unpack', '-', '--to', at('out')]);
    started.child.stdin.end(archive);
    expect(await started.finished).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the skill pdf'),
    });
    expect(paths('out')).toContain('scripts/run.sh');
  });

  it('keeps empty folders and drops what a Finder adds', async () => {
    const archive = put(
      'x.tar.gz',
      tarGz([
        ...PDF,
        { name: 'out/', type: '5' },
        { name: '__MACOSX/._SKILL.md', body: 'x' },
        { name: '.DS_Store', body: 'x' },
      ]),
    );
    await asJson(archive, '--to', at('p'));
    expect(paths('p')).toEqual([
      'SKILL.md',
      'out/',
      'references/',
      'references/a.md',
      'scripts/',
      'scripts/run.sh',
    ]);
  });

  it('leaves out a .git, in any spelling, and says so', async () => {
    const archive = put(
      'x.tar.gz',
      tarGz([
        SKILL,
        { name: '.git/config', body: '[core]\n\tfsmonitor = "touch owned"\n' },
        { name: 'sub/.GIT/hooks/post-checkout', body: 'x' },
        { name: 'sub/.gi\u200ct/config', body: 'x' },
        { name: 'GIT~1/config', body: 'x' },
        { name: '.gitignore', body: 'x' },
      ]),
    );
    const { stderr } = await runHere(['unpack', archive, '--to', at('p')]);
    expect(stderr).toContain('left out: 4 files in .git');
    expect(paths('p')).toEqual(['.gitignore', 'SKILL.md']);
  });
});

describe('the folder around everything', () => {
  const cases: readonly (readonly [string, readonly string[], string, readonly string[]])[] = [
    [
      'is taken off',
      [],
      'pdf-main',
      ['SKILL.md', 'references/', 'references/a.md', 'scripts/', 'scripts/run.sh'],
    ],
    [
      'is taken off when that is insisted on',
      ['--strip'],
      'pdf-main',
      ['SKILL.md', 'references/', 'references/a.md', 'scripts/', 'scripts/run.sh'],
    ],
    [
      'is kept when told to',
      ['--no-strip'],
      '',
      [
        'pdf-main/',
        'pdf-main/SKILL.md',
        'pdf-main/references/',
        'pdf-main/references/a.md',
        'pdf-main/scripts/',
        'pdf-main/scripts/run.sh',
      ],
    ],
  ];
  it.each(cases)('%s', async (_, flags, wrapper, expected) => {
    const archive = put('x.tar.gz', tarGz([...wrapped('pdf-main'), { name: 'Thumbs.db', body: 'x' }]));
    const done = await asJson(archive, '--to', at('p'), ...flags);
    expect(done.wrapper).toBe(wrapper === '' ? null : wrapper);
    expect(paths('p').filter((path) => path !== 'Thumbs.db')).toEqual(expected);
  });

  it('is told to people', async () => {
    const archive = put('x.tar.gz', tarGz(wrapped('pdf-main')));
    const { stderr } = await runHere(['unpack', archive, '--to', at('p')]);
    expect(stderr).toContain('the folder pdf-main around everything was taken off; --no-strip keeps it');
  });

  it('has to be there when it is insisted on', async () => {
    const archive = put('x.tar.gz', tarGz(PDF));
    const before = treeOf(folder.path);
    const { code, stderr } = await runHere(['unpack', archive, '--to', at('p'), '--strip']);
    expect(code).toBe(2);
    expect(stderr).toContain('has no folder that holds everything');
    expect(treeOf(folder.path)).toEqual(before);
  });

  const names: readonly (readonly [string, readonly TarPart[], string])[] = [
    ['pdf.tar.gz', PDF, 'pdf'],
    ['other.tar.gz', wrapped('third'), 'pdf'],
    [
      'other.tar.gz',
      [
        { name: 'repo-main/a/SKILL.md', body: skillText('a') },
        { name: 'repo-main/b/x', body: '' },
      ],
      'repo-main',
    ],
    [
      'my skills.tar.gz',
      [
        { name: 'a/SKILL.md', body: skillText('a') },
        { name: 'b/SKILL.md', body: skillText('b') },
      ],
      'my skills',
    ],
    ['broken.tar.gz', [{ name: 'SKILL.md', body: '---\nname: [\n---\n' }], 'broken'],
    ['hostile.tar.gz', [{ name: 'SKILL.md', body: skillText('"../../evil"') }], 'hostile'],
    ['upper.tar.gz', [{ name: 'SKILL.md', body: skillText('PDF') }], 'upper'],
    [
      'hidden.tar.gz',
      [
        { name: '.cache/x', body: '' },
        { name: '.cache/y', body: '' },
      ],
      'hidden',
    ],
  ];
  it.each(names)('or the skill names the target: %s %#', (archive, parts, target) => {
    const files = parts.map(({ name, body }) => ({
      path: String(name),
      bytes: Buffer.from(body ?? ''),
      executable: false,
    }));
    const plan = unpackPlan({ files, folders: [] }, undefined, archive);
    expect(defaultTarget(plan, `some/where/${archive}`)).toBe(target);
  });

  it.each(['-', '.zip', '.hidden.zip', '...zip'])(
    'is needed where nothing else names the target: %s',
    (archive) => {
      const plan = unpackPlan(
        { files: [{ path: 'x', bytes: Buffer.of(), executable: false }], folders: [] },
        undefined,
        archive,
      );
      expect(() => defaultTarget(plan, archive)).toThrowError('names a folder');
    },
  );
});

describe('a target', () => {
  it('with something in it is refused with what to do about it', async () => {
    mkdirSync(at('skills'));
    writeFileSync(at('skills', 'x'), '');
    const archive = put('x.tar.gz', tarGz(PDF));
    const before = treeOf(folder.path);
    const { code, stderr } = await runHere(['unpack', archive, '--to', at('skills')]);
    expect(code).toBe(3);
    expect(stderr).toContain('error[TARGET_EXISTS]');
    expect(stderr).toContain(`--to ${at('skills', 'pdf')} makes one in it`);
    expect(treeOf(folder.path)).toEqual(before);
  });

  it('that is empty is filled, also when it is the working folder', async () => {
    mkdirSync(at('here'));
    const archive = put('x.tar.gz', tarGz(PDF));
    const { code, stdout } = await run(['unpack', archive, '--to', '.'], { cwd: at('here') });
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^made \.: /) });
    expect(paths('here')).toContain('SKILL.md');
  });

  it('is replaced with --force, and nothing of it stays', async () => {
    mkdirSync(at('pdf', 'deep'), { recursive: true });
    writeFileSync(at('pdf', 'deep', 'old'), '');
    const archive = put('x.tar.gz', tarGz(PDF));
    const { code, stdout } = await runHere(['unpack', archive, '--to', at('pdf'), '--force']);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/^replaced /) });
    expect(paths()).toEqual([
      'pdf/',
      'pdf/SKILL.md',
      'pdf/references/',
      'pdf/references/a.md',
      'pdf/scripts/',
      'pdf/scripts/run.sh',
      'x.tar.gz',
    ]);
  });

  it('stays as it was when the archive that is to replace it is bad', async () => {
    mkdirSync(at('pdf'));
    writeFileSync(at('pdf', 'SKILL.md'), 'old');
    const archive = put('x.tar.gz', tarGz([...PDF, { name: '../x', body: '' }]));
    const before = treeOf(folder.path);
    expect((await runHere(['unpack', archive, '--to', at('pdf'), '--force'])).code).toBe(3);
    expect(treeOf(folder.path)).toEqual(before);
  });

  it.each([['link'], ['link', 'pdf'], ['link', 'a', 'pdf']])(
    'reached through a link is refused, with its real path: %s %s %s',
    async (...names) => {
      mkdirSync(at('real'));
      symlinkSync('real', at('link'));
      const archive = put('x.tar.gz', tarGz(PDF));
      const before = treeOf(folder.path);
      for (const flags of [[], ['--force']]) {
        const { code, stderr } = await runHere(['unpack', archive, '--to', at(...names), ...flags]);
        expect(code).toBe(3);
        expect(stderr).toContain('error[WRITE_FAILED]');
        expect(stderr).toContain(`write to ${at('real', ...names.slice(1))}`);
        expect(treeOf(folder.path)).toEqual(before);
      }
    },
  );

  it.each([
    ['linux', 'x'.repeat(200), 20, 'bytes'],
    ['darwin', 'x'.repeat(200), 5, 'bytes'],
    ['win32', 'x'.repeat(200), 2, 'characters'],
  ] as const)(
    'with a path too long for %s is refused before it is written',
    (platform, name, depth, unit) => {
      const file = (path: string) => ({
        files: [{ path, bytes: Buffer.of(), executable: false }],
        folders: [],
      });
      expect(() => refuseLongPaths(file(name.slice(0, 100)), '/t', platform)).not.toThrow();
      try {
        refuseLongPaths(file(Array(depth).fill(name).join('/')), '/t', platform);
        expect.unreachable();
      } catch (error) {
        expect(isSkillError(error, 'ARCHIVE_NAME_TOO_LONG')).toBe(true);
        expect(String(error)).toContain(unit);
      }
    },
  );
});

describe('a hostile archive', () => {
  const bomb = Buffer.alloc(30_000_000);
  const cases: readonly (readonly [string, () => Buffer, string])[] = [
    ['../', () => tarGz([SKILL, { name: '../evil', body: 'x' }]), 'ARCHIVE_PATH_TRAVERSAL'],
    ['a/../../', () => zip([{ name: 'a/../../evil', body: 'x' }]), 'ARCHIVE_PATH_TRAVERSAL'],
    ['..\\', () => zip([{ name: '..\\evil', body: 'x' }]), 'ARCHIVE_PATH_TRAVERSAL'],
    [
      'a pax path',
      () => tarGz([{ name: 'fine', pax: [['path', '../evil']], body: 'x' }]),
      'ARCHIVE_PATH_TRAVERSAL',
    ],
    ['/', () => tarGz([SKILL, { name: '/evil', body: 'x' }]), 'ARCHIVE_ABSOLUTE_PATH'],
    ['a drive', () => zip([{ name: 'C:\\evil', body: 'x' }]), 'ARCHIVE_ABSOLUTE_PATH'],
    ['a share', () => zip([{ name: '\\\\host\\evil', body: 'x' }]), 'ARCHIVE_ABSOLUTE_PATH'],
    [
      'a symbolic link',
      () => tarGz([SKILL, { name: 'link', type: '2', link: '/etc' }, { name: 'link/evil', body: 'x' }]),
      'ARCHIVE_SYMLINK_ESCAPE',
    ],
    [
      'a link that stays inside',
      () => tarGz([SKILL, { name: 'link', type: '2', link: 'SKILL.md' }]),
      'ARCHIVE_SYMLINK_ESCAPE',
    ],
    [
      'a hard link',
      () => tarGz([SKILL, { name: 'link', type: '1', link: '/etc/passwd' }]),
      'ARCHIVE_SYMLINK_ESCAPE',
    ],
    [
      'a link in a zip',
      () => zip([{ name: 'link', body: '/etc', madeBy: UNIX, external: mode(0o120777) }]),
      'ARCHIVE_SYMLINK_ESCAPE',
    ],
    ['a device', () => tarGz([SKILL, { name: 'null', type: '3' }]), 'ARCHIVE_SPECIAL_FILE'],
    ['a pipe', () => tarGz([SKILL, { name: 'pipe', type: '6' }]), 'ARCHIVE_SPECIAL_FILE'],
    ['a path twice', () => tarGz([SKILL, SKILL]), 'ARCHIVE_DUPLICATE'],
    ['another case', () => tarGz([SKILL, { name: 'skill.MD', body: 'x' }]), 'ARCHIVE_COLLISION'],
    [
      'another composition',
      () =>
        tarGz([
          { name: '\u00e9', body: 'x' },
          { name: 'e\u0301', body: 'y' },
        ]),
      'ARCHIVE_COLLISION',
    ],
    [
      'a file that is a folder',
      () =>
        tarGz([
          { name: 'a', body: 'x' },
          { name: 'a/b', body: 'y' },
        ]),
      'ARCHIVE_COLLISION',
    ],
    ['a bomb', () => tarGz([SKILL, { name: 'big', body: bomb }]), 'ARCHIVE_RATIO'],
    ['a zip bomb', () => zip([{ name: 'big', body: bomb, method: 8 }]), 'ARCHIVE_RATIO'],
    ['a lying size', () => zip([{ name: 'a', body: bomb, method: 8, size: 10 }]), 'ARCHIVE_CORRUPT'],
    ['a wrong checksum', () => zip([{ name: 'SKILL.md', body: 'x', crc: 1 }]), 'ARCHIVE_CORRUPT'],
    [
      'a wrong checksum behind much',
      () =>
        zip([
          { name: 'SKILL.md', body: 'x' },
          { name: 'z', body: 'y', crc: 1 },
        ]),
      'ARCHIVE_CORRUPT',
    ],
    ['a cut', () => tarGz(PDF).subarray(0, -12), 'ARCHIVE_CORRUPT'],
    ['a zip cut', () => zip([{ name: 'SKILL.md', body: 'x' }]).subarray(0, -3), 'ARCHIVE_CORRUPT'],
    ['a second gzip member', () => Buffer.concat([tarGz(PDF), tarGz(PDF)]), 'ARCHIVE_CORRUPT'],
    ['a control character', () => tarGz([{ name: 'a\u001b[2Jb', body: 'x' }]), 'ARCHIVE_UNSAFE_NAME'],
    [
      'a device of Windows',
      () => tarGz([SKILL, { name: 'scripts/aux.md', body: 'x' }]),
      'ARCHIVE_UNSAFE_NAME',
    ],
    [
      'a folder named as a device',
      () => tarGz([SKILL, { name: 'COM1/x', body: 'x' }]),
      'ARCHIVE_UNSAFE_NAME',
    ],
    [
      'an empty folder named as a device',
      () => tarGz([SKILL, { name: 'nul/', type: '5' }]),
      'ARCHIVE_UNSAFE_NAME',
    ],
    [
      'a stream of Windows',
      () => tarGz([SKILL, { name: 'SKILL.md:hidden', body: 'x' }]),
      'ARCHIVE_UNSAFE_NAME',
    ],
    ['a dot at the end', () => tarGz([SKILL, { name: 'SKILL.md.', body: 'x' }]), 'ARCHIVE_UNSAFE_NAME'],
    [
      'a long name',
      () => tarGz([{ name: 'x', pax: [['path', 'x'.repeat(256)]], body: '' }]),
      'ARCHIVE_NAME_TOO_LONG',
    ],
    [
      'depth',
      () => tarGz([{ name: 'x', pax: [['path', `${'d/'.repeat(64)}x`]], body: '' }]),
      'ARCHIVE_TOO_DEEP',
    ],
    ['no archive', () => Buffer.from('<html>not found</html>'), 'ARCHIVE_UNKNOWN_FORMAT'],
    ['nothing', () => Buffer.alloc(0), 'ARCHIVE_UNKNOWN_FORMAT'],
  ];
  it.each(cases)('with %s is refused and nothing is written', async (_, make, code) => {
    const archive = put('archive', make());
    mkdirSync(at('old'));
    writeFileSync(at('old', 'SKILL.md'), 'old');
    const before = treeOf(folder.path);
    for (const [target, ...flags] of [['new'], ['x/y/new', '--no-strip'], ['old', '--force']]) {
      const done = await runHere(['unpack', archive, '--to', at(target ?? ''), '--json', ...flags]);
      expect(done.code).toBe(3);
      expect(JSON.parse(done.stdout)).toMatchObject({ error: { code } });
      expect(done.stderr).not.toMatch(/\n\s+at |\u001b/);
      expect(treeOf(folder.path)).toEqual(before);
    }
  });

  it('over --max-bytes is refused, and -1 lifts that', async () => {
    const archive = put(
      'x.tar.gz',
      tarGz([SKILL, { name: 'big', body: Buffer.from(Array.from({ length: 3_000 }, (_, i) => i * i)) }]),
    );
    const { code, stderr } = await runHere(['unpack', archive, '--to', at('p'), '--max-bytes', '2000']);
    expect(code).toBe(3);
    expect(stderr).toContain('error[ARCHIVE_TOO_LARGE]');
    expect(stderr).toContain('hint: --max-bytes N raises the cap');
    expect(paths()).toEqual(['x.tar.gz']);
    expect((await runHere(['unpack', archive, '--to', at('p'), '--max-bytes', '-1'])).code).toBe(0);
  });

  it.each([
    ['no/such.zip', 'SOURCE_NOT_FOUND', 'relative paths count from'],
    ['.', 'SOURCE_UNREADABLE', 'unpack takes a file'],
  ])('that is none (%s) is %s', async (name, code, hint) => {
    const done = await runHere(['unpack', at(name), '--to', at('p')]);
    expect(done.code).toBe(3);
    expect(done.stderr).toContain(`error[${code}]`);
    expect(done.stderr).toContain(hint);
    expect(paths()).toEqual([]);
  });
});

describe.skipIf(process.platform === 'win32')('a signal while files are written', () => {
  const many = tarGz([
    SKILL,
    ...Array.from({ length: 15_000 }, (_, n) => ({ name: `f/${n % 50}/${n}`, body: `${n}` })),
  ]);

  /** Resolves once the program has written some files and is not done. */
  async function writing(started: Started): Promise<void> {
    let over = false;
    void started.finished.then(() => {
      over = true;
    });
    while (!over) {
      const hold = readdirSync(folder.path).find((name) => name.startsWith('.skillwire-'));
      const ready = at(hold ?? '', 'new');
      if (existsSync(ready) && readdirSync(ready, { recursive: true }).length > 200) return;
      await wait(5);
    }
    expect.unreachable('the program ended before it was interrupted');
  }

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s leaves all as it was and ends the program',
    async (signal) => {
      put('x.tar.gz', many);
      mkdirSync(at('pdf'));
      writeFileSync(at('pdf', 'SKILL.md'), 'old');
      chmodSync(at('pdf', 'SKILL.md'), 0o600);
      const before = treeOf(folder.path);
      const started = start(['unpack', at('x.tar.gz'), '--to', at('pdf'), '--force']);
      await writing(started);
      started.child.kill(signal);
      expect(await started.finished).toMatchObject({
        signal,
        stdout: '',
        stderr: 'skillwire: interrupted; nothing was changed\n',
      });
      expect(treeOf(folder.path)).toEqual(before);
    },
  );

  it('SIGKILL leaves the target as it was, and the next start tidies up', async () => {
    const archive = put('x.tar.gz', many);
    mkdirSync(at('pdf'));
    writeFileSync(at('pdf', 'SKILL.md'), 'old');
    const started = start(['unpack', archive, '--to', at('pdf'), '--force']);
    await writing(started);
    started.child.kill('SIGKILL');
    await started.finished;
    expect(readFileSync(at('pdf', 'SKILL.md'), 'utf8')).toBe('old');
    const small = put('small.tar.gz', tarGz(PDF));
    expect((await runHere(['unpack', small, '--to', at('other')])).code).toBe(0);
    expect(readdirSync(folder.path).sort()).toEqual(['other', 'pdf', 'small.tar.gz', 'x.tar.gz']);
  });
});
