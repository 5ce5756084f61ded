import { crc32, deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openReader, unpackArchive } from '../../src/archive/index.ts';
import { extraField, mode, UNIX, type ZipPart, zip } from './build-zip.ts';
import { codeOf } from './code-of.ts';

const unpack = (bytes: Buffer) => unpackArchive(bytes, { format: 'zip' });
const read = async (bytes: Buffer): Promise<Record<string, string>> =>
  Object.fromEntries((await unpack(bytes)).map((file) => [file.path, file.bytes.toString()]));
const code = (bytes: Buffer): Promise<string | undefined> => codeOf(() => unpack(bytes));
const problem = async (bytes: Buffer): Promise<unknown> => {
  try {
    await unpack(bytes);
    return undefined;
  } catch (error) {
    const { code: found, details } = error as {
      code: string;
      details: { problem?: string; feature?: string };
    };
    return [found, details.problem ?? details.feature];
  }
};
const text = 'hello '.repeat(400);

describe('a zip', () => {
  it('holds stored and deflated files, also those written as a stream', async () => {
    const bytes = zip([
      { name: 'a', body: text },
      { name: 'b', body: text, method: 8 },
      { name: 'c', body: text, method: 8, descriptor: true },
      { name: 'd', body: '', method: 8 },
      { name: 'e', body: '' },
      { name: 'f', body: Buffer.alloc(600_000, 'ab'), method: 8 },
    ]);
    const files = await unpack(bytes);
    expect(files.map(({ path, bytes: content }) => [path, content.length])).toEqual([
      ['a', 2_400],
      ['b', 2_400],
      ['c', 2_400],
      ['d', 0],
      ['e', 0],
      ['f', 600_000],
    ]);
    expect(files[2]?.bytes.toString()).toBe(text);
    expect(files[5]?.bytes.equals(Buffer.alloc(600_000, 'ab'))).toBe(true);
  });

  it('has modes by the system that made it', async () => {
    const archive = await openReader(
      zip([
        { name: 'dos', external: 0x20 },
        { name: 'readonly', external: 0x21 },
        { name: 'unix', madeBy: UNIX, external: mode(0o100755) },
        { name: 'setuid', madeBy: UNIX, external: mode(0o104711) },
        { name: 'python', madeBy: UNIX, external: mode(0o600) },
        { name: 'folder', external: 0x10 },
        { name: 'dir/', madeBy: UNIX, external: mode(0o40700) + 0x10 },
        { name: 'dir2', madeBy: UNIX, external: mode(0o40755) },
        { name: 'dir3/', madeBy: UNIX, external: mode(0o100644) },
      ]),
      { format: 'zip' },
    );
    expect(archive.entries().map(({ path, kind, mode: bits }) => [path, kind, bits.toString(8)])).toEqual([
      ['dos', 'file', '666'],
      ['readonly', 'file', '444'],
      ['unix', 'file', '755'],
      ['setuid', 'file', '711'],
      ['python', 'file', '600'],
      ['folder', 'directory', '777'],
      ['dir', 'directory', '700'],
      ['dir2', 'directory', '755'],
      ['dir3', 'directory', '644'],
    ]);
  });

  it.each<[string, ZipPart, string]>([
    [
      'a link',
      { name: 'l', body: 'SKILL.md', madeBy: UNIX, external: mode(0o120777) },
      'ARCHIVE_SYMLINK_ESCAPE',
    ],
    [
      'a link of another system',
      { name: 'l', body: 'x', madeBy: 20, external: mode(0o120777) },
      'ARCHIVE_SYMLINK_ESCAPE',
    ],
    ['a pipe', { name: 'p', madeBy: UNIX, external: mode(0o010644) }, 'ARCHIVE_SPECIAL_FILE'],
    ['a device', { name: 'p', madeBy: UNIX, external: mode(0o060644) }, 'ARCHIVE_SPECIAL_FILE'],
    ['a socket', { name: 'p', madeBy: UNIX, external: mode(0o140644) }, 'ARCHIVE_SPECIAL_FILE'],
    ['an encrypted file', { name: 'p', flags: 1 }, 'ARCHIVE_UNSUPPORTED'],
    ['a strongly encrypted file', { name: 'p', flags: 0x40 }, 'ARCHIVE_UNSUPPORTED'],
    ['a masked directory', { name: 'p', flags: 0x2000 }, 'ARCHIVE_UNSUPPORTED'],
    ['bzip2 inside', { name: 'p', method: 12 }, 'ARCHIVE_UNSUPPORTED'],
    ['zstd inside', { name: 'p', method: 93 }, 'ARCHIVE_UNSUPPORTED'],
    ['a folder with content', { name: 'p/', body: 'x' }, 'ARCHIVE_CORRUPT'],
  ])('is refused for %s', async (_, part, expected) => {
    expect(await code(zip([{ name: 'SKILL.md', body: 'x' }, part]))).toBe(expected);
  });

  it('lists links when asked, with their targets', async () => {
    const bytes = zip([{ name: 'l', body: '../../etc/passwd', madeBy: UNIX, external: mode(0o120777) }]);
    const archive = await openReader(bytes, { links: 'list' });
    expect(archive.entries()).toEqual([
      { path: 'l', kind: 'link', size: 0, mode: 0o777, target: '../../etc/passwd' },
    ]);
    expect(await codeOf(() => archive.read('l'))).toBe('FILE_NOT_FOUND');
    const long = zip([{ name: 'l', body: 'x'.repeat(5_000), madeBy: UNIX, external: mode(0o120777) }]);
    expect(await codeOf(() => openReader(long, { links: 'list' }))).toBe('ARCHIVE_CORRUPT');
  });
});

describe('names of a zip', () => {
  const unicodePath = (raw: Buffer, name: string, sum = crc32(raw)): Buffer => {
    const head = Buffer.alloc(5);
    head[0] = 1;
    head.writeUInt32LE(sum, 1);
    return extraField(0x7075, Buffer.concat([head, Buffer.from(name)]));
  };
  const cp437 = Buffer.from([0x72, 0x82, 0x73, 0x75, 0x6d, 0x82]);

  it.each<[string, ZipPart, string]>([
    ['UTF-8 that says so', { name: 'é', flags: 0x800 }, 'é'],
    ['UTF-8 that does not say so', { name: Buffer.from('732f72c3a973756dc3a92e6d64', 'hex') }, 's/résumé.md'],
    ['code page 437', { name: cp437 }, 'résumé'],
    ['the Unicode path', { name: cp437, extra: unicodePath(cp437, 'répertoire') }, 'répertoire'],
    ['no Unicode path of another name', { name: 'a', extra: unicodePath(Buffer.from('b'), 'c') }, 'a'],
    [
      'no Unicode path of another version',
      { name: 'a', extra: extraField(0x7075, Buffer.from('\u0002xxxxb')) },
      'a',
    ],
    ['backslashes of PowerShell', { name: 's\\agents\\openai.yaml' }, 's/agents/openai.yaml'],
  ])('are taken as %s', async (_, part, name) => {
    expect(Object.keys(await read(zip([{ ...part, body: 'x' }])))).toEqual([name]);
  });

  it.each<[string, ZipPart, string]>([
    ['bytes that are not UTF-8 and say so', { name: cp437, flags: 0x800 }, 'ARCHIVE_UNSAFE_NAME'],
    [
      'a Unicode path that leads out',
      { name: 'a', extra: unicodePath(Buffer.from('a'), '../a') },
      'ARCHIVE_PATH_TRAVERSAL',
    ],
    ['a folder that leads out', { name: '../d/' }, 'ARCHIVE_PATH_TRAVERSAL'],
    ['a share', { name: '\\\\srv\\x' }, 'ARCHIVE_ABSOLUTE_PATH'],
    ['slashes and backslashes', { name: 's/a\\b' }, 'ARCHIVE_UNSAFE_NAME'],
    ['NUL', { name: 'a\0.md' }, 'ARCHIVE_UNSAFE_NAME'],
    ['no name', { name: '' }, 'ARCHIVE_UNSAFE_NAME'],
  ])('are refused for %s', async (_, part, expected) => {
    expect(await code(zip([part]))).toBe(expected);
  });

  it('know a folder by its backslash', async () => {
    const archive = await openReader(zip([{ name: 's\\' }, { name: 's\\SKILL.md', body: 'x' }]));
    expect(archive.entries().map(({ path, kind }) => [path, kind])).toEqual([
      ['s', 'directory'],
      ['s/SKILL.md', 'file'],
    ]);
  });
});

describe('the end of a zip', () => {
  const parts: ZipPart[] = [
    { name: 'a', body: 'x' },
    { name: 'b', body: 'y' },
  ];

  it('may have a comment, as those of GitHub do, and a zip64 record', async () => {
    expect(await read(zip(parts, { comment: Buffer.from('c'.repeat(40)) }))).toEqual({ a: 'x', b: 'y' });
    expect(await read(zip(parts, { comment: Buffer.alloc(0xffff, 'PK\u0005\u0006') }))).toEqual({
      a: 'x',
      b: 'y',
    });
    expect(await read(zip(parts, { zip64: true }))).toEqual({ a: 'x', b: 'y' });
    expect(await read(zip([], { zip64: true }))).toEqual({});
    expect(await read(zip(parts, { zip64: 'beside' }))).toEqual({ a: 'x', b: 'y' });
  });

  const fake = zip([{ name: 'evil', body: 'z' }]);
  const part64 = (at: number, value: number): Buffer => {
    const bytes = zip(parts, { zip64: true });
    bytes.writeUInt8(value, bytes.length - 22 - 20 - 56 + at);
    return bytes;
  };
  const beside = zip(parts, { zip64: 'beside' });
  beside.writeUInt16LE(1, beside.length - 12);
  const end = (at: number, value: number): Buffer => {
    const bytes = zip(parts);
    bytes.writeUInt8(value, bytes.length - 22 + at);
    return bytes;
  };

  it.each<[string, Buffer, string, string]>([
    [
      'no end',
      Buffer.from('PK\u0003\u0004'),
      'ARCHIVE_CORRUPT',
      'the zip does not end in an end record: no zip, cut short, or with bytes behind it',
    ],
    [
      'bytes behind',
      zip(parts, { after: Buffer.from('x') }),
      'ARCHIVE_CORRUPT',
      'the zip does not end in an end record: no zip, cut short, or with bytes behind it',
    ],
    [
      'two ends',
      zip(parts, { comment: fake.subarray(fake.length - 22) }),
      'ARCHIVE_CORRUPT',
      'the zip has two end records',
    ],
    [
      'bytes before',
      Buffer.concat([Buffer.from('#!'), zip(parts)]),
      'ARCHIVE_CORRUPT',
      'the directory of the zip does not end where the end record begins (64 + 94)',
    ],
    [
      'fewer entries than there are',
      zip(parts, { entries: 1 }),
      'ARCHIVE_CORRUPT',
      'the zip does not have the 1 entries that it says',
    ],
    [
      'more entries than there are',
      zip(parts, { entries: 3 }),
      'ARCHIVE_CORRUPT',
      'the zip does not have the 3 entries that it says',
    ],
    [
      'a directory of another size',
      zip(parts, { directorySize: 47 }),
      'ARCHIVE_CORRUPT',
      'the directory of the zip does not end where the end record begins (64 + 47)',
    ],
    [
      'a directory elsewhere',
      zip(parts, { directoryOffset: 0 }),
      'ARCHIVE_CORRUPT',
      'the directory of the zip does not end where the end record begins (0 + 94)',
    ],
    ['another disk', end(4, 1), 'ARCHIVE_UNSUPPORTED', 'is a zip in several parts'],
    ['a directory on another disk', end(6, 1), 'ARCHIVE_UNSUPPORTED', 'is a zip in several parts'],
    ['entries on another disk', end(8, 1), 'ARCHIVE_UNSUPPORTED', 'is a zip in several parts'],
    [
      'a zip64 record that is none',
      part64(0, 0),
      'ARCHIVE_CORRUPT',
      'no zip64 end record where the zip says it is',
    ],
    [
      'a zip64 record of another length',
      part64(4, 45),
      'ARCHIVE_CORRUPT',
      'bytes follow the zip64 end record',
    ],
    [
      'zip64 numbers beyond any file',
      part64(46, 0xff),
      'ARCHIVE_CORRUPT',
      'a number of the zip is beyond any file',
    ],
    ['a zip64 record on another disk', part64(16, 1), 'ARCHIVE_UNSUPPORTED', 'is a zip in several parts'],
    ['zip64 disks', part64(56 + 16, 2), 'ARCHIVE_UNSUPPORTED', 'is a zip in several parts'],
    ['two numbers of entries', beside, 'ARCHIVE_CORRUPT', 'the two end records of a zip64 differ'],
  ])('is refused for %s', async (_, bytes, ...expected) => {
    expect(await problem(bytes)).toEqual(expected);
  });
});

describe('the directory of a zip', () => {
  const packed = deflateRawSync(text);
  const b = { name: 'b', body: 'y' };

  it('may say its sizes in a zip64 field', async () => {
    const field = Buffer.alloc(24);
    field.writeBigUInt64LE(5n, 0);
    field.writeBigUInt64LE(5n, 8);
    const part = {
      name: 'a',
      body: 'hello',
      size: 0xffffffff,
      packedSize: 0xffffffff,
      extra: extraField(1, field),
    };
    expect(await read(zip([part]))).toEqual({ a: 'hello' });
  });

  it.each<[string, ZipPart[], string]>([
    [
      'a smaller size than the content',
      [{ name: 'a', body: text, method: 8, size: 100 }],
      'an entry of the zip has more than the 100 bytes it says',
    ],
    [
      'a larger size than the content',
      [{ name: 'a', body: text, method: 8, size: 5_000 }],
      'an entry of the zip has 2400 bytes and not the 5000 it says',
    ],
    [
      'size 0 for content',
      [{ name: 'a', body: text, method: 8, size: 0 }],
      'an entry of the zip has more than the 0 bytes it says',
    ],
    [
      'size 0 for one byte',
      [{ name: 'a', body: 'x', method: 8, size: 0 }],
      'an entry of the zip has 1 bytes and not the 0 it says',
    ],
    [
      'two sizes of a stored file',
      [{ name: 'a', body: 'hello', size: 4 }],
      'a stored entry of the zip has two sizes',
    ],
    [
      'less compressed data than there is',
      [{ name: 'a', body: text, method: 8, packedSize: packed.length - 4 }, b],
      'the compressed data of an entry of the zip is not valid',
    ],
    [
      'bytes after the compressed data',
      [{ name: 'a', body: text, method: 8, data: Buffer.concat([packed, Buffer.alloc(9)]) }],
      'an entry of the zip has bytes after its compressed data',
    ],
    [
      'more compressed data than fits',
      [{ name: 'a', body: text, method: 8, packedSize: 4_000 }],
      'two entries of the zip share bytes, or one reaches into its directory',
    ],
    [
      'far more compressed data than content',
      [{ name: 'a', body: 'x', method: 8, data: Buffer.alloc(1_027) }],
      'an entry of the zip has far more compressed data than content',
    ],
    [
      'data that is not deflate',
      [{ name: 'a', body: text, method: 8, data: Buffer.alloc(40, 0xff) }],
      'the compressed data of an entry of the zip is not valid',
    ],
    [
      'a wrong checksum',
      [{ name: 'a', body: 'hello', crc: 7 }],
      'the checksum of an entry of the zip is wrong',
    ],
    [
      'a wrong checksum of deflated data',
      [{ name: 'a', body: text, method: 8, crc: 7 }],
      'the checksum of an entry of the zip is wrong',
    ],
    [
      'another name than the entry',
      [{ name: 'a', body: 'x', local: { name: 'b' } }],
      'an entry of the zip and its directory say two things about its name',
    ],
    [
      'a longer name than the entry',
      [{ name: 'aa', body: 'x', local: { name: 'a' } }],
      'two entries of the zip share bytes, or one reaches into its directory',
    ],
    [
      'a shorter name than the entry',
      [{ name: 'a', body: 'x', local: { name: 'aa' } }],
      'an entry of the zip and its directory say two things about its name',
    ],
    [
      'another compression than the entry',
      [{ name: 'a', body: text, method: 8, local: { method: 0 } }],
      'an entry of the zip and its directory say two things about its compression',
    ],
    [
      'no encryption when the entry has one',
      [{ name: 'a', body: 'x', local: { flags: 1 } }],
      'an entry of the zip and its directory say two things about its compression',
    ],
    [
      'another checksum than the entry',
      [{ name: 'a', body: 'x', local: { crc: 1 } }],
      'an entry of the zip and its directory say two things about its checksum',
    ],
    [
      'another size than the entry',
      [{ name: 'a', body: 'x', local: { size: 2 } }],
      'an entry of the zip and its directory say two things about its size',
    ],
    [
      'another packed size than the entry',
      [{ name: 'a', body: 'x', local: { packedSize: 2 } }],
      'an entry of the zip and its directory say two things about its size',
    ],
    [
      'an entry where there is none',
      [
        { name: 'a', body: 'x', data: Buffer.from(`x${'gap'.repeat(30)}`), packedSize: 1 },
        { ...b, offset: 50 },
      ],
      'no entry where the directory of the zip says one is',
    ],
    [
      'an entry behind itself',
      [{ name: 'a', body: 'x', offset: 4_000_000 }],
      'two entries of the zip share bytes, or one reaches into its directory',
    ],
    [
      'an entry twice',
      [
        { name: 'a', body: 'x' },
        { name: 'b', body: 'x', offset: 0 },
      ],
      'two entries of the zip share bytes, or one reaches into its directory',
    ],
    [
      'a zip64 field that is too short',
      [{ name: 'a', body: 'x', method: 8, size: 0xffffffff, extra: extraField(1, Buffer.alloc(4)) }],
      'a zip64 field is too short',
    ],
    [
      'an extra field that is too long',
      [{ name: 'a', body: 'x', extra: Buffer.from([1, 0, 9, 0]) }],
      'an extra field of the zip is longer than its record',
    ],
    [
      'an extra field that moves data into the next entry',
      [
        { name: 'a', body: text, local: { extra: extraField(9, Buffer.alloc(20)) } },
        { ...b, offset: 31 + 2_400 },
      ],
      'an entry of the zip reaches into what follows it',
    ],
  ])('is refused for %s', async (_, parts, expected) => {
    expect(await problem(zip(parts))).toEqual(['ARCHIVE_CORRUPT', expected]);
  });

  it('is refused when entries overlap, so that a small zip would unpack to much', async () => {
    // Every entry of the bomb quotes the ones behind it as a part of its own data, and all share the kernel.
    const kernel = deflateRawSync(Buffer.alloc(2_000_000));
    const bytes = zip([
      ...[...Array(50).keys()].map((index) => ({
        name: `a${index}`,
        body: Buffer.alloc(2_000_000),
        method: 8,
        data: Buffer.alloc(0),
        packedSize: kernel.length + (49 - index) * 33,
        crc: 0,
      })),
      { name: 'kernel', body: Buffer.alloc(2_000_000), method: 8, data: kernel },
    ]);
    expect(await problem(bytes)).toEqual([
      'ARCHIVE_CORRUPT',
      'two entries of the zip share bytes, or one reaches into its directory',
    ]);
  });

  it('is read where gaps are between entries', async () => {
    const bytes = zip([{ name: 'a', body: 'x', packedSize: 1, data: Buffer.from('x-gap') }, b]);
    expect(await read(bytes)).toEqual({ a: 'x', b: 'y' });
  });
});
