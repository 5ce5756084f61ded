import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ArchiveInput, openReader } from '../../src/archive/index.ts';
import { bzip2 } from './build-bzip2.ts';
import { type TarPart, tar, tarGz } from './build-tar.ts';
import { zip } from './build-zip.ts';
import { codeOf } from './code-of.ts';

const files = { 'SKILL.md': '---\nname: s\n', 'a/b.md': 'text '.repeat(50), 'a/empty': '' };
const parts: TarPart[] = [
  { name: 'a/', type: '5', mode: 0o755 },
  ...Object.entries(files).map(([name, body]) => ({ name, body, mode: 0o666 })),
];
const archives = {
  'tar.gz': tarGz(parts),
  'tar.bz2': bzip2(tar(parts)),
  zip: zip([{ name: 'a/' }, ...Object.entries(files).map(([name, body]) => ({ name, body, method: 8 }))]),
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-archive-'));
  for (const [format, bytes] of Object.entries(archives)) writeFileSync(join(folder, `x.${format}`), bytes);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* streamOf(bytes: Uint8Array, step: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step);
}

const FORMATS = ['tar.gz', 'tar.bz2', 'zip'] as const;
const INPUTS: Readonly<Record<string, (format: (typeof FORMATS)[number]) => ArchiveInput>> = {
  bytes: (format) => archives[format],
  'a view into other bytes': (format) =>
    Buffer.concat([Buffer.from('before'), archives[format], Buffer.from('after')]).subarray(
      6,
      6 + archives[format].length,
    ),
  'a file': (format) => ({ file: join(folder, `x.${format}`) }),
  'a stream': (format) => streamOf(archives[format], 4_096),
  'a stream byte by byte': (format) => streamOf(archives[format], 1),
};

describe.each(Object.keys(INPUTS))('an archive from %s', (input) => {
  it.each(FORMATS)('%s is listed and read, again and again', async (format) => {
    const archive = await openReader((INPUTS[input] as (typeof INPUTS)[string])(format));
    expect(archive.format).toBe(format);
    expect(archive.entries().map(({ path, kind, size }) => [path, kind, size])).toEqual([
      ['a', 'directory', 0],
      ['SKILL.md', 'file', 12],
      ['a/b.md', 'file', 250],
      ['a/empty', 'file', 0],
    ]);
    for (const [path, text] of [...Object.entries(files), ...Object.entries(files)]) {
      expect((await archive.read(path)).toString()).toBe(text);
    }
    for (const path of ['a', 'b', '', '../x', 'SKILL.MD']) {
      expect(await codeOf(() => archive.read(path))).toBe('FILE_NOT_FOUND');
    }
    await archive.close();
    await archive.close();
    expect(await codeOf(() => archive.read('SKILL.md'))).toBe('ARCHIVE_CLOSED');
  });
});

describe('a zip on disk', () => {
  it('is read from the file that was opened, whatever takes its name', async () => {
    const path = join(folder, 'swapped.zip');
    writeFileSync(path, archives.zip);
    const archive = await openReader({ file: path });
    writeFileSync(join(folder, 'other.zip'), zip([{ name: 'SKILL.md', body: 'other' }]));
    renameSync(join(folder, 'other.zip'), path);
    expect((await archive.read('SKILL.md')).toString()).toBe('---\nname: s\n');
    await archive.close();
  });

  it('that is changed in place gives no wrong bytes', async () => {
    const path = join(folder, 'changed.zip');
    writeFileSync(path, archives.zip);
    const archive = await openReader({ file: path });
    writeFileSync(path, Buffer.from(archives.zip).fill(0x20, 60, 75));
    expect(await codeOf(() => archive.read('SKILL.md'))).toBe('ARCHIVE_CORRUPT');
    truncateSync(path, 10);
    expect(await codeOf(() => archive.read('a/b.md'))).toBe('ARCHIVE_CORRUPT');
    await archive.close();
  });
});

describe('what cannot be opened', () => {
  it('is absent', async () => {
    expect(await codeOf(() => openReader({ file: join(folder, 'no.zip') }))).toBe('SOURCE_NOT_FOUND');
    expect(await codeOf(() => openReader({ file: join(folder, 'x.zip', 'y') }))).toBe('SOURCE_NOT_FOUND');
  });

  it('is a folder', async () => {
    expect(await codeOf(() => openReader({ file: folder }))).toBe('SOURCE_UNREADABLE');
  });

  it.skipIf(process.platform === 'win32')('is a named pipe, and is not waited for', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe.zip')]);
    expect(await codeOf(() => openReader({ file: join(folder, 'pipe.zip') }))).toBe('SOURCE_UNREADABLE');
  });

  it('is an empty file', async () => {
    writeFileSync(join(folder, 'empty'), '');
    expect(await codeOf(() => openReader({ file: join(folder, 'empty') }))).toBe('ARCHIVE_UNKNOWN_FORMAT');
    for (const format of FORMATS) {
      expect(await codeOf(() => openReader({ file: join(folder, 'empty') }, { format }))).toBe(
        'ARCHIVE_CORRUPT',
      );
    }
  });
});

describe('a stream', () => {
  it.each(FORMATS)('of %s is closed, also when it is refused', async (format) => {
    let closed = 0;
    async function* input(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
      try {
        yield* streamOf(bytes, 50);
        for (;;) yield Buffer.alloc(50);
      } finally {
        closed += 1;
      }
    }
    const refused =
      format === 'tar.gz'
        ? archives[format]
        : Buffer.concat([archives[format].subarray(0, 4), Buffer.alloc(64)]);
    expect(await codeOf(() => openReader(input(refused), { maxBytes: 1_000 }))).toBe(
      format === 'tar.gz' ? 'ARCHIVE_CORRUPT' : 'ARCHIVE_TOO_LARGE',
    );
    expect(closed).toBe(1);
  });

  it('that fails, fails with its own error', async () => {
    const gone = new Error('gone');
    async function* input(): AsyncGenerator<Uint8Array> {
      yield archives.zip.subarray(0, 10);
      throw gone;
    }
    await expect(openReader(input())).rejects.toBe(gone);
  });
});

describe('include', () => {
  const repository: TarPart[] = [
    { name: 'repo/AGENTS.md', type: '2', link: 'CLAUDE.md' },
    { name: 'repo/Readme', body: '1' },
    { name: 'repo/README', body: '2' },
    { name: 'repo/skills/s/SKILL.md', body: 'x' },
  ];
  const include = (path: string): boolean => path.startsWith('repo/skills/');

  it('keeps links and collisions elsewhere from refusing what matters', async () => {
    const archive = await openReader(tarGz(repository), { include });
    expect(archive.entries().map(({ path }) => path)).toEqual(['repo/skills/s/SKILL.md']);
  });

  it('lets no name out of the archive, and counts all the same', async () => {
    const outside = [...repository, { name: '../x', body: 'x' }];
    expect(await codeOf(() => openReader(tarGz(outside), { include }))).toBe('ARCHIVE_PATH_TRAVERSAL');
    const large = [{ name: 'repo/large', body: Buffer.alloc(2_000) }, ...repository];
    expect(await codeOf(() => openReader(tarGz(large), { include, maxBytes: 1_000 }))).toBe(
      'ARCHIVE_TOO_LARGE',
    );
    expect(
      await codeOf(() =>
        openReader(zip([{ name: 'large', body: Buffer.alloc(2_000) }]), { include, maxBytes: 1_000 }),
      ),
    ).toBe('ARCHIVE_TOO_LARGE');
  });

  it('refuses a link where it matters', async () => {
    const linked = [...repository, { name: 'repo/skills/s/l', type: '2', link: 'SKILL.md' }];
    expect(await codeOf(() => openReader(tarGz(linked), { include }))).toBe('ARCHIVE_SYMLINK_ESCAPE');
  });
});
