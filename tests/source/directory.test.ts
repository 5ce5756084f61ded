import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import { createDirectorySource } from '../../src/source/directory.ts';
import { type HostFs, hostFs } from '../../src/source/host-fs.ts';
import { directorySource, type Source } from '../../src/source/index.ts';
import { codeOf, fill, look, tempFolder, tree } from './support.ts';

function failing(errno: string, match: (call: keyof HostFs, path: string) => boolean): HostFs {
  const guard = <K extends 'open' | 'lstat' | 'readdir' | 'realpath'>(call: K): HostFs[K] =>
    ((path: string, ...rest: unknown[]) => {
      if (match(call, path)) throw Object.assign(new Error(`${errno}: at ${path}`), { code: errno });
      return (hostFs[call] as (...args: unknown[]) => unknown)(path, ...rest);
    }) as HostFs[K];
  return {
    ...hostFs,
    open: guard('open'),
    lstat: guard('lstat'),
    readdir: guard('readdir'),
    realpath: guard('realpath'),
  };
}

describe('the root', () => {
  test.each([
    ['missing', 'SOURCE_NOT_FOUND', '"nowhere/at/all" does not exist'],
    ['empty', 'SOURCE_NOT_FOUND', '"" is no path of a folder'],
    ['home', 'SOURCE_NOT_FOUND', 'is read by a shell only'],
    ['file', 'SOURCE_NOT_A_FOLDER', 'is a file'],
    ['below a file', 'SOURCE_NOT_A_FOLDER', 'not a folder, or lies below a file'],
    ['a broken link', 'SOURCE_NOT_FOUND', 'does not exist'],
  ])('that is %s is %s', (what, code, message) => {
    const root = tree({ file: 'x', broken: '-> nowhere' });
    const text = {
      missing: 'nowhere/at/all',
      empty: '',
      home: '~/skillwire-no-such-folder',
      file: `${root}/file`,
      'below a file': `${root}/file/x`,
      'a broken link': `${root}/broken`,
    }[what];
    expect(codeOf(() => directorySource(text ?? ''))).toBe(code);
    expect(() => directorySource(text ?? '')).toThrow(message);
  });

  test('that may not be read is SOURCE_UNREADABLE and names the text that was given alone', () => {
    const root = tree({ a: 'x' });
    const fs = failing('EACCES', (call) => call === 'realpath');
    expect(codeOf(() => createDirectorySource(root, {}, { fs }))).toBe('SOURCE_UNREADABLE');
  });

  test('can be a link, is resolved once, and two sources over it agree on identities', () => {
    const root = tree({ 'v1/s/SKILL.md': 'one', 'v2/s/SKILL.md': 'two', current: '-> v1' });
    const source = directorySource(join(root, 'current'));
    expect(source.hostRoot).toBe(join(root, 'v1'));
    expect(source.label).toBe(join(root, 'current'));
    const direct = directorySource(join(root, 'v1'));
    expect(source.list('s').id).toBe(direct.list('s').id);
    expect(direct.contains(source.list('').id, direct.list('s').id)).toBe(true);
    rmSync(join(root, 'current'));
    symlinkSync('v2', join(root, 'current'));
    expect(source.read('s/SKILL.md').bytes.toString()).toBe('one');
  });

  test.each([
    ['removed', (root: string) => rmSync(root, { recursive: true }), 'SOURCE_NOT_FOUND', 'FILE_NOT_FOUND'],
    [
      'replaced by a file',
      (root: string) => {
        rmSync(root, { recursive: true });
        writeFileSync(root, 'x');
      },
      'SOURCE_NOT_A_FOLDER',
      'FILE_NOT_FOUND',
    ],
    [
      'replaced by a link to outside',
      (root: string) => {
        renameSync(root, `${root}-moved`);
        symlinkSync(`${root}-moved`, root);
      },
      'SOURCE_NOT_FOUND',
      'FILE_CHANGED',
    ],
  ])('that is %s later is an error and no crash', (_, act, listCode, readCode) => {
    const root = join(tree({ 'root/a.md': 'x' }), 'root');
    const source = directorySource(root);
    act(root);
    expect(codeOf(() => source.list(''))).toBe(listCode);
    expect(codeOf(() => source.read('a.md'))).toBe(readCode);
  });

  test('that is made anew is read again', () => {
    const root = join(tree({ 'root/a.md': 'old' }), 'root');
    const source = directorySource(root);
    rmSync(root, { recursive: true });
    fill(root, { 'b.md': 'new' });
    expect(look(source, '')).toEqual(['b.md']);
    expect(source.read('b.md').bytes.toString()).toBe('new');
  });

  test('can be the root of the file system', () => {
    const folder = tree({ 'a.md': 'x' });
    const source = directorySource('/');
    expect(source.read(`${folder.slice(1)}/a.md`).bytes.toString()).toBe('x');
    expect(source.contains(source.list('').id, source.list(folder.slice(1)).id)).toBe(true);
  });

  test('shows where a watcher can watch', () => {
    const root = tree({});
    expect(directorySource(root).hostRoots).toEqual([{ path: '', folder: root }]);
  });
});

describe('special files', () => {
  test('pipes, sockets and devices are withheld and never block', async () => {
    const root = tree({ 's/SKILL.md': 'x' });
    expect(spawnSync('mkfifo', [join(root, 's/pipe.md')]).status).toBe(0);
    const server: Server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, 's/sock'), resolve));
    try {
      symlinkSync('/dev/zero', join(root, 's/zero'));
      symlinkSync('pipe.md', join(root, 's/link-to-pipe'));
      const source = directorySource(root, { linkRoots: ['/dev'] });
      expect(look(source, 's')).toEqual([
        'SKILL.md',
        'link-to-pipe SPECIAL_FILE',
        'pipe.md SPECIAL_FILE',
        'sock SPECIAL_FILE',
        'zero SPECIAL_FILE',
      ]);
      for (const name of ['pipe.md', 'sock', 'zero', 'link-to-pipe']) {
        expect(codeOf(() => source.read(`s/${name}`))).toBe('FILE_UNREADABLE');
        expect(() => source.read(`s/${name}`)).toThrow('is a device, pipe or socket');
      }
    } finally {
      await new Promise<void>((resolve) => server.close(() => resolve()));
    }
  });
});

describe('what the system refuses', () => {
  test.each(['EACCES', 'EPERM', 'EIO', 'EMFILE', 'ESTALE'])('%s does not look deleted', (errno) => {
    const root = tree({ 's/locked.md': 'x', 's/good.md': 'y', 'locked/a.md': 'z' });
    const fs = failing(errno, (call, path) => call === 'open' && path.endsWith('/locked.md'));
    const source = createDirectorySource(root, {}, { fs });
    expect(look(source, 's')).toEqual(['good.md', 'locked.md']);
    expect(codeOf(() => source.read('s/locked.md'))).toBe('FILE_UNREADABLE');
    expect(() => source.read('s/locked.md')).toThrow(`"s/locked.md" cannot be read (${errno})`);
    expect(source.read('s/good.md').bytes.toString()).toBe('y');
  });

  test.each([
    ['s', 'FILE_UNREADABLE'],
    ['', 'SOURCE_UNREADABLE'],
  ])('a folder %j that may not be listed is %s', (path, code) => {
    const root = tree({ 's/a.md': 'x' });
    const locked = path === '' ? root : join(root, path);
    let armed = false;
    const fs = failing('EACCES', (call, at) => armed && call === 'open' && at === locked);
    const source = createDirectorySource(root, {}, { fs });
    armed = true;
    expect(codeOf(() => source.list(path))).toBe(code);
  });

  test('no message holds a path of this machine', () => {
    const root = tree({ 'a.md': 'x', 'out.md': '-> /etc/passwd', 'broken.md': '-> gone', 's/': '' });
    const fs = failing('EIO', (call, path) => call === 'open' && path.endsWith('/a.md'));
    const source = createDirectorySource(root, {}, { fs });
    for (const path of ['a.md', 'out.md', 'broken.md', 's', 'missing', '../x']) {
      try {
        source.read(path);
        expect.unreachable(path);
      } catch (error) {
        expect(isSkillError(error) && !error.message.includes(root) && !error.message.includes('/etc')).toBe(
          true,
        );
      }
    }
    for (const node of source.list('').nodes) expect(node.withheld?.message ?? '').not.toContain(root);
  });

  test('descriptors are closed after success and failure', () => {
    let open = 0;
    const fs: HostFs = {
      ...hostFs,
      open: (path, flags) => {
        const fd = hostFs.open(path, flags);
        open += 1;
        return fd;
      },
      close: (fd) => {
        open -= 1;
        hostFs.close(fd);
      },
    };
    const root = tree({
      'a.md': 'x',
      'k.pem': '-----BEGIN PRIVATE KEY-----\n',
      's/b.md': 'y',
      l: '-> /etc/passwd',
    });
    const source = createDirectorySource(root, {}, { fs });
    for (const path of ['a.md', 'k.pem', 's', 'l', 's/b.md', 'gone']) {
      codeOf(() => source.read(path));
      codeOf(() => source.stat(path));
      codeOf(() => source.list(path));
      codeOf(() => source.read(path, { maxBytes: 0 }));
    }
    expect(open).toBe(0);
  });
});

describe('files that change', () => {
  const cases = [
    ['grow', 'one and more'],
    ['shrink', 'o'],
    ['change in place', 'two'],
  ] as const;

  test.each(cases)('%s once while they are read come back whole, as they are afterwards', (_, next) => {
    const root = tree({ 'a.md': 'one' });
    let times = 0;
    const source = createDirectorySource(
      root,
      {},
      { fs: changing(() => (times++ === 0 ? next : undefined), root) },
    );
    expect(source.read('a.md').bytes.toString()).toBe(next);
    expect(source.read('a.md').stamp).toBe(source.stat('a.md').stamp);
  });

  test('that never rest are FILE_CHANGED after three reads', () => {
    const root = tree({ 'a.md': 'one' });
    let times = 0;
    const source = createDirectorySource(root, {}, { fs: changing(() => `state ${times++}`, root) });
    expect(codeOf(() => source.read('a.md'))).toBe('FILE_CHANGED');
    expect(times).toBe(3);
  });

  test('that vanish while they are read are FILE_NOT_FOUND afterwards and whole before', () => {
    const root = tree({ 'a.md': 'one' });
    const source = createDirectorySource(
      root,
      {},
      {
        fs: {
          ...hostFs,
          read: (fd, buffer, offset, length, position) => {
            rmSync(join(root, 'a.md'), { force: true });
            return hostFs.read(fd, buffer, offset, length, position);
          },
        },
      },
    );
    // Removing a name changes the ctime of the file, so the read is tried again and finds nothing.
    expect(codeOf(() => source.read('a.md'))).toBe('FILE_NOT_FOUND');
  });

  test('have another stamp for another time, size or inode', () => {
    const root = tree({ 'a.md': 'one' });
    const source = directorySource(root);
    const stamps = [source.stat('a.md').stamp];
    writeFileSync(join(root, 'a.md'), 'more than one');
    stamps.push(source.stat('a.md').stamp);
    utimesSync(join(root, 'a.md'), 1_000, 1_000.25);
    stamps.push(source.stat('a.md').stamp);
    expect(source.stat('a.md').modifiedAt).toBe(1_000_250);
    writeFileSync(join(root, 'b.md'), 'more than one');
    renameSync(join(root, 'b.md'), join(root, 'a.md'));
    stamps.push(source.stat('a.md').stamp);
    expect(new Set(stamps).size).toBe(4);
  });
});

function changing(next: () => string | undefined, root: string): HostFs {
  return {
    ...hostFs,
    read: (fd, buffer, offset, length, position) => {
      const filled = hostFs.read(fd, buffer, offset, length, position);
      const content = next();
      if (content !== undefined) writeFileSync(join(root, 'a.md'), content);
      return filled;
    },
  };
}

describe('names', () => {
  test('that are not UTF-8 are withheld and told apart, and their neighbours served', () => {
    const root = tree({ 'caf\u00e9.md': 'x', 'a\ufffd': 'literal' });
    writeFileSync(Buffer.concat([Buffer.from(`${root}/caf`), Buffer.from([0xe9])]), 'latin1');
    writeFileSync(Buffer.concat([Buffer.from(`${root}/a`), Buffer.from([0xff])]), '1');
    writeFileSync(Buffer.concat([Buffer.from(`${root}/a`), Buffer.from([0xfe])]), '2');
    const source = directorySource(root);
    expect(look(source, '')).toEqual([
      'a\\xfe UNADDRESSABLE_NAME',
      'a\\xff UNADDRESSABLE_NAME',
      'a\ufffd',
      'caf\\xe9 UNADDRESSABLE_NAME',
      'caf\u00e9.md',
    ]);
    expect(source.read('a\ufffd').bytes.toString()).toBe('literal');
  });

  test.each([['a\\b.md'], ['a\nb.md'], ['a\u0085b'], ['C:']])(
    'such as %j that no URI carries are withheld',
    (name) => {
      const source = directorySource(tree({ [name]: 'x', 'fine.md': 'y' }));
      expect(look(source, '').sort()).toEqual([`${name} UNADDRESSABLE_NAME`, 'fine.md'].sort());
      expect(codeOf(() => source.read(name))).toBe('FILE_NOT_FOUND');
    },
  );

  test('are found under one spelling only where the volume folds them', () => {
    const root = tree({ 's/SKILL.md': 'x' });
    const fold = (path: string) => path.replace(/skill\.md$/i, 'SKILL.md');
    const fs: HostFs = {
      ...hostFs,
      open: (path, flags) => hostFs.open(fold(path), flags),
      lstat: (path) => hostFs.lstat(fold(path)),
      realpath: (path) => hostFs.realpath(fold(path)),
    };
    const source = createDirectorySource(root, {}, { fs, procFd: false, foldsNames: true });
    expect(source.read('s/SKILL.md').bytes.toString()).toBe('x');
    expect(codeOf(() => source.read('s/skill.md'))).toBe('FILE_NOT_FOUND');
    expect(codeOf(() => source.stat('s/Skill.md'))).toBe('FILE_NOT_FOUND');
  });
});

describe('a volume without inode numbers', () => {
  test('is read by size and time of change', () => {
    const root = tree({ 's/a.md': 'x' });
    const blank = <T extends { ino: bigint }>(stats: T): T => Object.assign(stats, { ino: 0n });
    const fs: HostFs = {
      ...hostFs,
      fstat: (fd) => blank(hostFs.fstat(fd)),
      lstat: (path) => blank(hostFs.lstat(path)),
    };
    const source: Source = createDirectorySource(root, {}, { fs, procFd: false });
    expect(look(source, 's')).toEqual(['a.md']);
    expect(codeOf(() => source.read('s/a.md'))).toBe('no error');
  });
});

describe('.skillignore on disk', () => {
  test('takes effect when its folder is listed again', () => {
    const root = tree({ 's/.skillignore': 'a\n', 's/a': 'x', 's/b/a': 'x', 's/b/c': 'x' });
    const source = directorySource(root);
    expect(look(source, 's')).toEqual(['.skillignore', 'b']);
    expect(look(source, 's/b')).toEqual(['c']);
    writeFileSync(join(root, 's/.skillignore'), 'c\n');
    expect(look(source, 's')).toEqual(['.skillignore', 'a', 'b']);
    expect(look(source, 's/b')).toEqual(['a']);
    rmSync(join(root, 's/.skillignore'));
    expect(look(source, 's')).toEqual(['a', 'b']);
    expect(look(source, 's/b')).toEqual(['a', 'c']);
  });

  test('that cannot be read, or is too large, keeps its folder closed', () => {
    const root = tree({
      's/.skillignore': 'a\n',
      's/a': 'x',
      't/.skillignore': 'x'.repeat(65_537),
      'u/a': 'x',
    });
    const fs = failing('EACCES', (call, path) => call === 'open' && path.endsWith('/s/.skillignore'));
    const source = createDirectorySource(root, {}, { fs });
    expect(codeOf(() => source.list('s'))).toBe('FILE_UNREADABLE');
    expect(codeOf(() => source.read('s/a'))).toBe('FILE_UNREADABLE');
    expect(codeOf(() => source.list('t'))).toBe('FILE_TOO_LARGE');
    expect(look(source, 'u')).toEqual(['a']);
  });

  test('that is a folder or a broken link holds no rules; a link inside the source does', () => {
    const root = tree({
      'a/.skillignore/x': 'x',
      'b/.skillignore': '-> nowhere',
      'b/y': 'y',
      'c/.skillignore': '-> ../rules/shared',
      'c/y': 'y',
      'c/z': 'z',
      'rules/shared': 'y\n',
      'd/.skillignore': '-> /etc/passwd',
      'd/y': 'y',
    });
    const source = directorySource(root);
    expect(look(source, 'a')).toEqual(['.skillignore']);
    expect(look(source, 'b')).toEqual(['.skillignore LINK_BROKEN', 'y']);
    expect(look(source, 'c')).toEqual(['.skillignore', 'z']);
    expect(codeOf(() => source.list('d'))).toBe('LINK_ESCAPES');
  });

  test('at the root can itself be a link into a folder with rules', () => {
    const root = tree({
      '.skillignore': '-> conf/ignore',
      'conf/ignore': 'x\n',
      'conf/.skillignore': 'y\n',
      x: '',
      y: '',
    });
    expect(look(directorySource(root), '')).toEqual(['.skillignore', 'conf', 'y']);
  });
});

test('deep trees and long listings need no stack', () => {
  const root = tempFolder();
  let path = root;
  for (let depth = 0; depth < 300; depth += 1) path = join(path, 'd');
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'leaf.md'), 'x');
  const source = directorySource(root);
  const below = Array(300).fill('d').join('/');
  expect(look(source, below)).toEqual(['leaf.md']);
  expect(source.read(`${below}/leaf.md`).bytes.toString()).toBe('x');
});
