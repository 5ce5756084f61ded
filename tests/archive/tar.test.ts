import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openReader, unpackArchive } from '../../src/archive/index.ts';
import { END, pad, paxRecord, type TarPart, tar, tarGz, tarHeader, tarPart, withSum } from './build-tar.ts';
import { codeOf } from './code-of.ts';

const gz = (bytes: Buffer): Buffer => gzipSync(bytes, { level: 1 });
const read = async (parts: readonly TarPart[]): Promise<Record<string, string>> =>
  Object.fromEntries((await unpackArchive(tarGz(parts))).map(({ path, bytes }) => [path, bytes.toString()]));
const code = (bytes: Buffer): Promise<string | undefined> => codeOf(() => unpackArchive(gz(bytes)));
const long = `${'n'.repeat(120)}.md`;

describe('names of a tar', () => {
  it('come from the header, its prefix, pax and GNU long names', async () => {
    expect(
      await read([
        { name: 'SKILL.md', body: 'a' },
        { name: 'b.md', prefix: 'deep/er', body: 'b' },
        { name: 'cut', pax: [['path', `pax/${long}`]], body: 'c' },
        { name: '././@LongLink', type: 'L', body: `gnu/${long}\0` },
        { name: 'cut', body: 'd' },
        { name: './e//f', body: 'e' },
        { name: 'old', magic: '\0\0\0\0\0\0\0\0', prefix: 'not-a-prefix', body: 'f' },
        { name: 'gnu.md', magic: 'ustar  \0', prefix: 'not-a-prefix', body: 'g' },
      ]),
    ).toEqual({
      'SKILL.md': 'a',
      'deep/er/b.md': 'b',
      [`pax/${long}`]: 'c',
      [`gnu/${long}`]: 'd',
      'e/f': 'e',
      old: 'f',
      'gnu.md': 'g',
    });
  });

  it('may be long and not ASCII over several pieces of the stream', async () => {
    const name = `${'é'.repeat(100)}/${'日'.repeat(80)}.md`;
    const parts = [...Array(300).keys()].map((index) => ({
      name: 'x',
      pax: [['path', `${index}/${name}`]] as const,
      body: 'y'.repeat(1_000),
    }));
    const found = await unpackArchive(tarGz(parts));
    expect(found.map(({ path }) => path)).toEqual(parts.map((_, index) => `${index}/${name}`));
  });

  it.each<[string, TarPart[], string]>([
    ['a pax path that leads out', [{ name: 'a', pax: [['path', '../a']] }], 'ARCHIVE_PATH_TRAVERSAL'],
    [
      'a GNU name that leads out',
      [{ name: 'L', type: 'L', body: '/etc/x\0' }, { name: 'a' }],
      'ARCHIVE_ABSOLUTE_PATH',
    ],
    ['a prefix that leads out', [{ name: 'a', prefix: '..' }], 'ARCHIVE_PATH_TRAVERSAL'],
    ['NUL in a pax path', [{ name: 'a', pax: [['path', 'a\0b']] }], 'ARCHIVE_UNSAFE_NAME'],
    ['a newline in a pax path', [{ name: 'a', pax: [['path', 'a\nb']] }], 'ARCHIVE_UNSAFE_NAME'],
    ['a backslash', [{ name: 'a\\b' }], 'ARCHIVE_UNSAFE_NAME'],
    ['bytes that are not UTF-8', [{ name: Buffer.from([0x72, 0xe9]) }], 'ARCHIVE_UNSAFE_NAME'],
    [
      'a pax path that is not UTF-8',
      [{ name: 'a', pax: [['path', Buffer.from([0xff])]] }],
      'ARCHIVE_UNSAFE_NAME',
    ],
    ['no name', [{ name: '' }], 'ARCHIVE_UNSAFE_NAME'],
    [
      'text behind the NUL of a long name',
      [{ name: 'L', type: 'L', body: 'a\0b' }, { name: 'c' }],
      'ARCHIVE_CORRUPT',
    ],
    [
      'two names',
      [
        { name: 'L', type: 'L', body: 'a\0' },
        { name: 'c', pax: [['path', 'b']] },
      ],
      'ARCHIVE_CORRUPT',
    ],
  ])('refuse %s', async (_, parts, expected) => {
    expect(await code(tar(parts))).toBe(expected);
  });

  it('may be cut within a character where the whole name stands elsewhere', async () => {
    const name = 'é'.repeat(90);
    const cut = Buffer.from(name).subarray(0, 99);
    const half = [
      tarPart({ name: cut, type: 'x', body: paxRecord('path', name) }),
      tarPart({ name: cut, body: '1' }),
    ];
    const gnu = [tarPart({ name: 'L', type: 'L', body: `${name}2\0` }), tarPart({ name: cut, body: '2' })];
    const found = await unpackArchive(gz(Buffer.concat([...half, ...gnu, END])));
    expect(found.map(({ path }) => path)).toEqual([name, `${name}2`]);
    expect(await code(Buffer.concat([tarPart({ name: cut, body: '1' }), END]))).toBe('ARCHIVE_UNSAFE_NAME');
  });

  it('of megabytes stay out of the error', async () => {
    const name = `../${'x'.repeat(2_000_000)}`;
    const refused = unpackArchive(tarGz([{ name: 'a', pax: [['path', name]] }]));
    await expect(refused).rejects.toMatchObject({
      code: 'ARCHIVE_PATH_TRAVERSAL',
      details: { path: name.slice(0, 4_096) },
    });
    await expect(refused).rejects.toSatisfy((error: Error) => error.message.length < 400);
    const target = tarGz([{ name: 'a', type: '2', pax: [['linkpath', 'x'.repeat(4_097)]] }]);
    expect(await codeOf(() => openReader(target, { links: 'list' }))).toBe('ARCHIVE_NAME_TOO_LONG');
  });

  it('go back to the header when pax says so', async () => {
    expect(
      await read([
        {
          name: 'a',
          pax: [
            ['path', 'b'],
            ['path', ''],
          ],
          body: '1',
        },
      ]),
    ).toEqual({ a: '1' });
  });
});

describe('entries of a tar', () => {
  it('are files and folders; the root is none', async () => {
    const archive = await openReader(
      tarGz([
        { name: './', type: '5', mode: 0o755 },
        { name: 'a/', type: '5', mode: 0o2755 },
        { name: 'b/', type: '0' },
        { name: 'a/x', type: '\0', mode: 0o4755, body: '1' },
        { name: 'a/y', type: '7', body: '2' },
      ]),
    );
    expect(archive.entries()).toEqual([
      { path: 'a', kind: 'directory', size: 0, mode: 0o755 },
      { path: 'b', kind: 'directory', size: 0, mode: 0o644 },
      { path: 'a/x', kind: 'file', size: 1, mode: 0o755 },
      { path: 'a/y', kind: 'file', size: 1, mode: 0o644 },
    ]);
  });

  it.each([
    ['symbolic link', '2', 'ARCHIVE_SYMLINK_ESCAPE'],
    ['hard link', '1', 'ARCHIVE_SYMLINK_ESCAPE'],
    ['character device', '3', 'ARCHIVE_SPECIAL_FILE'],
    ['block device', '4', 'ARCHIVE_SPECIAL_FILE'],
    ['named pipe', '6', 'ARCHIVE_SPECIAL_FILE'],
    ['sparse file', 'S', 'ARCHIVE_UNSUPPORTED'],
    ['dumped folder', 'D', 'ARCHIVE_UNSUPPORTED'],
    ['part of a file', 'M', 'ARCHIVE_UNSUPPORTED'],
    ['volume label', 'V', 'ARCHIVE_UNSUPPORTED'],
    ['extended header of Solaris', 'X', 'ARCHIVE_UNSUPPORTED'],
    ['type nobody knows', '~', 'ARCHIVE_UNSUPPORTED'],
  ])('refuse a %s', async (_, type, expected) => {
    expect(
      await code(
        tar([
          { name: 'SKILL.md', body: 'x' },
          { name: 'l', type, link: 'SKILL.md' },
        ]),
      ),
    ).toBe(expected);
  });

  it('list links when asked, and follow none', async () => {
    const bytes = tarGz([
      { name: 'CLAUDE.md', body: 'x' },
      { name: 'AGENTS.md', type: '2', link: 'CLAUDE.md' },
      { name: 'hard', type: '1', link: '../../etc/passwd' },
      { name: 'far', type: '2', pax: [['linkpath', `../${long}`]] },
      { name: 'K', type: 'K', body: `/${long}\0` },
      { name: 'gnu', type: '2', link: 'cut' },
    ]);
    const archive = await openReader(bytes, { links: 'list' });
    expect(archive.entries().filter(({ kind }) => kind === 'link')).toEqual([
      { path: 'AGENTS.md', kind: 'link', size: 0, mode: 0o644, target: 'CLAUDE.md' },
      { path: 'hard', kind: 'link', size: 0, mode: 0o644, target: '../../etc/passwd' },
      { path: 'far', kind: 'link', size: 0, mode: 0o644, target: `../${long}` },
      { path: 'gnu', kind: 'link', size: 0, mode: 0o644, target: `/${long}` },
    ]);
    expect(await codeOf(() => archive.read('AGENTS.md'))).toBe('FILE_NOT_FOUND');
  });

  it('cannot stand below a link', async () => {
    const parts: TarPart[] = [
      { name: 's/link', type: '2', link: '/outside' },
      { name: 's/link/pwned', body: 'x' },
    ];
    expect(await codeOf(() => openReader(tarGz(parts), { links: 'list' }))).toBe('ARCHIVE_COLLISION');
  });

  it('have the size that pax gives them', async () => {
    const body = Buffer.from('hello');
    const entry = [
      tarPart({ name: 'pax', type: 'x', body: paxRecord('size', '5') }),
      tarHeader({ name: 'a', size: 0 }),
      pad(body),
      END,
    ];
    const [file] = await unpackArchive(gz(Buffer.concat(entry)));
    expect(file?.bytes.toString()).toBe('hello');
  });

  it('may have their size in binary', async () => {
    const size = Buffer.alloc(12);
    size[0] = 0x80;
    size[11] = 5;
    const [file] = await unpackArchive(gz(tar([{ name: 'a', body: 'hello', size }])));
    expect(file?.bytes.toString()).toBe('hello');
  });
});

describe('global headers of a tar', () => {
  it('are passed over when they say nothing about files, as those of git archive', async () => {
    const commit = paxRecord('comment', 'd'.repeat(40));
    expect(
      await read([
        { name: 'pax_global_header', type: 'g', body: commit },
        { name: 'r/s', body: 'x' },
      ]),
    ).toEqual({ 'r/s': 'x' });
  });

  it.each([
    ['path', 'x'],
    ['size', '3'],
    ['linkpath', 'x'],
    ['GNU.sparse.major', '1'],
  ])('are refused when they set %s of every entry', async (key, value) => {
    expect(
      await code(
        tar([
          { name: 'g', type: 'g', body: paxRecord(key, value) },
          { name: 'a', body: 'x' },
        ]),
      ),
    ).toBe('ARCHIVE_UNSUPPORTED');
  });
});

describe('a damaged tar', () => {
  const ok = tarPart({ name: 'a', body: 'x' });
  const rawPax = (text: string): Buffer =>
    Buffer.concat([tarPart({ name: 'pax', type: 'x', body: text }), ok, END]);
  const binary = (...bytes: number[]): Buffer =>
    Buffer.from([...bytes, ...Array(12 - bytes.length).fill(0xff)]);

  it.each<[string, Buffer]>([
    ['has no end mark', ok],
    ['is empty', Buffer.alloc(0)],
    ['ends in a header', Buffer.concat([ok, ok.subarray(0, 300)])],
    ['ends in a body', ok.subarray(0, 513)],
    ['ends in padding', ok.subarray(0, 700)],
    ['goes on behind its end', Buffer.concat([ok, END, tarPart({ name: 'hidden', body: 'x' }), END])],
    [
      'goes on behind one block of zeros',
      Buffer.concat([ok, Buffer.alloc(512), tarPart({ name: 'hidden' }), END]),
    ],
    ['has zeros without end', Buffer.concat([ok, Buffer.alloc(1_048_576 + 1_024)])],
    ['has a wrong checksum', Buffer.concat([Buffer.from(ok).fill(0x62, 0, 1), END])],
    [
      'has a size that is no number',
      Buffer.concat([
        withSum(Buffer.from(ok.subarray(0, 512)).fill(0x7a, 130, 131)),
        pad(Buffer.from('x')),
        END,
      ]),
    ],
    ['has a negative size', tar([{ name: 'a', size: binary(0xff) }])],
    ['has a size beyond any file', tar([{ name: 'a', size: binary(0x80, 0) }])],
    ['has a folder with content', tar([{ name: 'a/', type: '5', body: 'x' }])],
    ['has a link with content', tar([{ name: 'a', type: '1', link: 'b', body: 'x' }])],
    [
      'ends with an extended header',
      Buffer.concat([tarPart({ name: 'pax', type: 'x', body: paxRecord('path', 'x') }), END]),
    ],
    [
      'has two extended headers before an entry',
      Buffer.concat([
        tarPart({ name: 'p', type: 'x', body: paxRecord('path', 'x') }),
        tarPart({ name: 'a', pax: [['path', 'y']] }),
        END,
      ]),
    ],
    [
      'has a global header before an entry',
      Buffer.concat([
        tarPart({ name: 'p', type: 'x', body: paxRecord('path', 'x') }),
        tarPart({ name: 'g', type: 'g', body: paxRecord('comment', 'x') }),
        ok,
        END,
      ]),
    ],
    ['has a pax record longer than its header', rawPax('99 path=other\n')],
    ['has a pax record that is too short', rawPax('5 path=other\n')],
    ['has a pax record without a length', rawPax('path=other\n')],
    ['has a pax record of length 0', rawPax('0 path=other\n')],
    ['has a pax record without a key', rawPax('6 =ab\n')],
    ['has a pax record without an equals sign', rawPax('8 path1\n')],
    ['has a pax record without its newline', rawPax('9 path=ab')],
    ['has a pax size that is no number', rawPax('12 size=1e3\n')],
    ['has a pax size beyond any file', rawPax(paxRecord('size', '9999999999999999').toString())],
  ])('%s', async (_, bytes) => {
    expect(await code(bytes)).toBe('ARCHIVE_CORRUPT');
  });

  it('says what is wrong at which byte', async () => {
    await expect(unpackArchive(gz(Buffer.concat([ok, ok.subarray(0, 300)])))).rejects.toMatchObject({
      message: 'the archive is damaged or cut short at byte 1324: the tar ends within an entry; get it again',
      details: { offset: 1_324 },
    });
  });

  it('is refused for a sparse file, whose content would come out wrong', async () => {
    const sparse = tar([
      {
        name: 'GNUSparseFile.0/x',
        pax: [
          ['GNU.sparse.major', '1'],
          ['GNU.sparse.name', 'x'],
        ],
        body: 'x',
      },
    ]);
    expect(await code(sparse)).toBe('ARCHIVE_UNSUPPORTED');
  });

  it('is none when its last record is filled up, or one block of zeros ends it', async () => {
    expect(await code(Buffer.concat([ok, Buffer.alloc(10_240)]))).toBeUndefined();
    expect(await code(Buffer.concat([ok, Buffer.alloc(512)]))).toBeUndefined();
    expect(await code(END)).toBeUndefined();
  });

  it('is none when the checksum was summed over signed bytes', async () => {
    const block = tarHeader({ name: 'é', body: '' });
    const sum = block.reduce(
      (total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte > 127 ? byte - 256 : byte),
      0,
    );
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    expect((await unpackArchive(gz(Buffer.concat([block, END])))).map(({ path }) => path)).toEqual(['é']);
  });
});
