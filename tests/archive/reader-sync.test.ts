import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import {
  type ArchiveFormat,
  type OpenReaderOptions,
  openReader,
  openReaderSync,
} from '../../src/archive/index.ts';
import { isSkillError } from '../../src/errors.ts';
import { pad, paxRecord, tar, tarGz, tarPart } from './build-tar.ts';
import { zip } from './build-zip.ts';

const FILES = [
  { name: 'a/SKILL.md', body: '---\nname: a\n---\n' },
  { name: 'a/big', body: Buffer.alloc(300_000, 'abcdefghijklmnop') },
  { name: 'a/empty' },
];
const COMMIT = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';
const GLOBAL = tarPart({ name: 'pax_global_header', type: 'g', body: paxRecord('comment', COMMIT) });

/** What an archive holds, or the code and details of the refusal. */
async function outcome(open: () => unknown): Promise<unknown> {
  try {
    const archive = (await open()) as Awaited<ReturnType<typeof openReader>>;
    const files = await Promise.all(
      archive
        .entries()
        .map(async ({ path, kind }) => [
          path,
          kind === 'file' ? (await archive.read(path)).toString('latin1') : kind,
        ]),
    );
    return { format: archive.format, comment: archive.comment, files };
  } catch (error) {
    if (isSkillError(error)) return { code: error.code, details: error.details };
    throw error;
  }
}

async function same(bytes: Uint8Array, options: OpenReaderOptions = {}): Promise<unknown> {
  const [later, now] = [
    await outcome(() => openReader(bytes, options)),
    await outcome(() => openReaderSync(bytes, options)),
  ];
  expect(now).toEqual(later);
  return now;
}

const bombs = gzipSync(
  Buffer.concat([tarPart({ name: 'a', body: Buffer.alloc(40_000_000) }), Buffer.alloc(1024)]),
);

describe('openReaderSync gives what openReader gives', () => {
  test.each<[string, Buffer, ArchiveFormat]>([
    ['tar.gz', tarGz(FILES), 'tar.gz'],
    ['zip', zip(FILES), 'zip'],
    ['an empty tar.gz', tarGz([]), 'tar.gz'],
    ['a link', tarGz([{ name: 'l', type: '2', link: 'a' }]), 'tar.gz'],
    ['trailing bytes', Buffer.concat([tarGz(FILES), Buffer.from('x')]), 'tar.gz'],
    ['a second member', Buffer.concat([tarGz(FILES), tarGz(FILES)]), 'tar.gz'],
    ['a tar without an end', gzipSync(pad(Buffer.from('x'))), 'tar.gz'],
    ['no bytes', Buffer.alloc(0), 'tar.gz'],
    ['no bzip2', Buffer.from('BZh9 no'), 'tar.bz2'],
  ])('for %s', async (_, bytes, format) => {
    await same(bytes, { format });
  });

  test('when any one byte is missing or changed', async () => {
    const whole = tarGz([{ name: 'SKILL.md', body: 'hello' }]);
    for (let at = 0; at < whole.length; at += 1) {
      await same(whole.subarray(0, at), { format: 'tar.gz' });
      const changed = Buffer.from(whole);
      changed.writeUInt8((changed[at] ?? 0) ^ 0x55, at);
      const [now, later] = [
        (await outcome(() => openReaderSync(changed, { format: 'tar.gz' }))) as { code?: string },
        (await outcome(() => openReader(changed, { format: 'tar.gz' }))) as { code?: string },
      ];
      // Which of several faults is met first may differ: whether there is one may not.
      expect([at, now.code === undefined]).toEqual([at, later.code === undefined]);
    }
  });

  test('when a cap is crossed', async () => {
    expect(await same(bombs)).toMatchObject({ code: 'ARCHIVE_RATIO' });
    expect(await same(bombs, { maxRatio: -1, maxBytes: 1_000 })).toMatchObject({ code: 'ARCHIVE_TOO_LARGE' });
    expect(await same(tarGz(FILES), { maxEntries: 2 })).toMatchObject({ code: 'ARCHIVE_TOO_MANY_ENTRIES' });
    expect(await same(tarGz(FILES), { maxEntries: -1, maxBytes: -1, maxRatio: -1 })).toMatchObject({
      format: 'tar.gz',
    });
  });

  test('beyond what headers may add, without unpacking on', () => {
    const huge = gzipSync(Buffer.alloc(200_000_000));
    const refused = (options: OpenReaderOptions): string => {
      try {
        openReaderSync(huge, { format: 'tar.gz', ...options });
      } catch (error) {
        if (isSkillError(error)) return error.code;
      }
      return 'no error';
    };
    expect(refused({})).toBe('ARCHIVE_RATIO');
    expect(refused({ maxRatio: -1 })).toBe('ARCHIVE_TOO_LARGE');
  });
});

describe('the comment of a global header', () => {
  test('is that of the first one that has one, and every one is judged', async () => {
    const rest = tar(FILES);
    const commented = gzipSync(Buffer.concat([GLOBAL, rest]));
    expect(await same(commented)).toMatchObject({ comment: COMMIT });
    const naming = tarPart({ name: 'g', type: 'g', body: paxRecord('path', 'evil') });
    expect(await same(gzipSync(Buffer.concat([GLOBAL, naming, rest])))).toMatchObject({
      code: 'ARCHIVE_UNSUPPORTED',
    });
    expect(openReaderSync(tarGz(FILES)).comment).toBeUndefined();
  });
});

describe('onProgress', () => {
  test('hears of every byte of a tar, and of the total when it is known', async () => {
    const bytes = tarGz(FILES);
    const told: [number, number | undefined][] = [];
    const onProgress = (done: number, total: number | undefined): void => void told.push([done, total]);
    await openReader(bytes, { onProgress });
    openReaderSync(bytes, { onProgress });
    await openReader(
      (async function* () {
        yield bytes.subarray(0, 10);
        yield bytes.subarray(10);
      })(),
      { onProgress },
    );
    expect(told.slice(0, 2)).toEqual([
      [bytes.length, bytes.length],
      [bytes.length, bytes.length],
    ]);
    expect(told.at(-1)).toEqual([bytes.length, undefined]);
  });
});
