import { describe, expect, it } from 'vitest';
import {
  ARCHIVE_FORMATS,
  type ArchiveFormat,
  detectArchiveFormat,
  unpackArchive,
} from '../../src/archive/index.ts';
import { tarGz } from './build-tar.ts';
import { zip } from './build-zip.ts';
import { codeOf } from './code-of.ts';

describe('detectArchiveFormat', () => {
  it.each<[string, string, string | undefined]>([
    ['a.tar.gz', '504b0304', 'tar.gz'],
    ['a.zip', '1f8b0800', 'zip'],
    ['a.tar.bz2', '', 'tar.bz2'],
    ['', '1f8b0800', 'tar.gz'],
    ['', '1f8b08', undefined],
    ['', '425a6830', undefined],
    ['', '425a6831', 'tar.bz2'],
    ['', '504b0506', undefined],
    ['https://h/x.tar.gz?token=1', '', undefined],
  ])('%j with %s: %s', (name, hex, format) => {
    expect(detectArchiveFormat(name, Buffer.from(hex, 'hex'))).toBe(format);
  });

  it('knows the suffix and type of each format', () => {
    expect(ARCHIVE_FORMATS).toEqual({
      'tar.gz': { suffix: '.tar.gz', mimeType: 'application/gzip' },
      zip: { suffix: '.zip', mimeType: 'application/zip' },
      'tar.bz2': { suffix: '.tar.bz2', mimeType: 'application/x-bzip2' },
    });
  });
});

describe('the format of what is opened', () => {
  const bytes = tarGz([{ name: 'a', body: '1' }]);

  it('is told by the name, then by the bytes', async () => {
    expect(await unpackArchive(bytes)).toHaveLength(1);
    expect(await unpackArchive(bytes, { name: 'x.tar.gz' })).toHaveLength(1);
    expect(await codeOf(() => unpackArchive(bytes, { name: 'x.zip' }))).toBe('ARCHIVE_CORRUPT');
    expect(await unpackArchive(bytes, { name: 'x.zip', format: 'tar.gz' })).toHaveLength(1);
    expect(await unpackArchive(zip([]), { format: 'zip' })).toEqual([]);
  });

  it.each<[Uint8Array, string]>([
    [
      Buffer.from('hello'),
      'the archive is no tar.gz, zip or tar.bz2 by its name, and begins with the bytes 68656c6c; if it is one, give it the ending of its format',
    ],
    [
      Buffer.alloc(0),
      'the archive is no tar.gz, zip or tar.bz2 by its name, and is empty; if it is one, give it the ending of its format',
    ],
  ])('is an error when neither tells', async (unknown, message) => {
    await expect(unpackArchive(unknown)).rejects.toMatchObject({ code: 'ARCHIVE_UNKNOWN_FORMAT', message });
  });

  it('is an error when there is no such format', async () => {
    const format = 'constructor' as ArchiveFormat;
    await expect(unpackArchive(bytes, { format })).rejects.toMatchObject({ code: 'ARCHIVE_UNKNOWN_FORMAT' });
  });
});
