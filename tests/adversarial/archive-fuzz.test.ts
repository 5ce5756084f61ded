import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type ArchiveFormat,
  type ArchiveReader,
  openReader,
  openReaderSync,
} from '../../src/archive/index.ts';
import { bzip2 } from '../archive/build-bzip2.ts';
import { tar, tarHeader, withSum } from '../archive/build-tar.ts';
import { extraField, mode, UNIX, zip } from '../archive/build-zip.ts';
import { codeOf } from '../archive/code-of.ts';

/** Runs of each property: enough for every commit. `SKILLWIRE_FUZZ_RUNS=200000` is for a night. */
const RUNS = Number(process.env.SKILLWIRE_FUZZ_RUNS ?? 400);
const CAPS = { maxBytes: 200_000, maxEntryBytes: 100_000, maxEntries: 200 } as const;
const TIME = Math.max(20_000, RUNS * 100);

const text = 'the form has fields '.repeat(60);
const TAR = tar([
  { name: 'd/', type: '5' },
  { name: 'SKILL.md', body: text },
  {
    name: 'd/long',
    pax: [
      ['path', `d/${'p'.repeat(130)}`],
      ['mtime', '1.5'],
    ],
    body: 'x',
  },
  { name: 'L', type: 'L', body: `d/${'g'.repeat(130)}\0` },
  { name: 'cut', body: text.slice(0, 700) },
  { name: 'g', type: 'g', body: '52 comment=0123456789012345678901234567890123456789\n' },
  { name: 'last', body: '' },
]);
const ZIP = zip([
  { name: 'd/' },
  { name: 'SKILL.md', body: text, method: 8, madeBy: UNIX, external: mode(0o100644) },
  { name: 'd/é', body: text, flags: 0x800, extra: extraField(0x5455, Buffer.alloc(5)) },
  { name: 'd/stream', body: text, method: 8, descriptor: true },
]);
const BZIP2 = bzip2(tar([{ name: 'SKILL.md', body: text.slice(0, 300) }]));
const ZIP64 = zip([{ name: 'SKILL.md', body: text, method: 8 }], {
  zip64: true,
  comment: Buffer.from('a comment'),
});

/** One change of some bytes: set, flipped, cut out, put in, moved, or a number made extreme. */
type Change = (bytes: Buffer) => Buffer;
const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const at = (bytes: Buffer, where: number): number => Math.floor(where * bytes.length);
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(place, fc.nat(255)).map(
    ([where, byte]): Change =>
      (bytes) => {
        const changed = Buffer.from(bytes);
        if (changed.length > 0) changed[at(bytes, where)] = byte;
        return changed;
      },
  ),
  fc.tuple(place, fc.nat(7)).map(
    ([where, bit]): Change =>
      (bytes) => {
        const changed = Buffer.from(bytes);
        if (changed.length > 0)
          changed[at(bytes, where)] = (changed[at(bytes, where)] as number) ^ (1 << bit);
        return changed;
      },
  ),
  fc.tuple(place, fc.nat(600)).map(
    ([where, length]): Change =>
      (bytes) =>
        Buffer.concat([bytes.subarray(0, at(bytes, where)), bytes.subarray(at(bytes, where) + length)]),
  ),
  fc.tuple(place, place, fc.nat(600)).map(
    ([from, to, length]): Change =>
      (bytes) =>
        Buffer.concat([
          bytes.subarray(0, at(bytes, to)),
          bytes.subarray(at(bytes, from), at(bytes, from) + length),
          bytes.subarray(at(bytes, to)),
        ]),
  ),
  fc
    .tuple(
      place,
      fc.constantFrom(
        'ffffffff',
        '00000000',
        'ffff',
        '0000',
        'ffffffffffffff7f',
        '504b0304',
        '504b0506',
        '1f8b08',
      ),
    )
    .map(
      ([where, hex]): Change =>
        (bytes) => {
          const changed = Buffer.from(bytes);
          Buffer.from(hex, 'hex').copy(changed, at(bytes, where));
          return changed;
        },
    ),
);
const changes = fc.array(change, { minLength: 1, maxLength: 4 });
const changed = (bytes: Buffer, all: readonly Change[]): Buffer =>
  all.reduce((before, each) => each(before), bytes);
/** A tar whose headers have right checksums again, so that what they say is looked at. */
function summed(bytes: Buffer): Buffer {
  const fixed = Buffer.from(bytes);
  for (let start = 0; start + 512 <= fixed.length; start += 512) {
    const block = fixed.subarray(start, start + 512);
    if (block.toString('latin1', 257, 262) === 'ustar') withSum(block);
  }
  return fixed;
}

async function contents(archive: ArchiveReader): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const entry of archive.entries()) {
    expect(entry.path).not.toMatch(/\\|\0|^\/|\/$|\/\/|(^|\/)\.\.?(\/|$)|^[A-Za-z]:/);
    if (entry.kind !== 'file') continue;
    let bytes: Buffer | undefined;
    const code = await codeOf(async () => {
      bytes = await archive.read(entry.path);
    });
    expect(bytes === undefined || bytes.length === entry.size).toBe(true);
    found.push([entry.path, entry.mode, code ?? bytes?.toString('latin1')]);
  }
  await archive.close();
  return found;
}

/** Opens and reads an archive both ways: each ends in a SkillError or in what the other one finds. */
async function survives(bytes: Buffer, format: ArchiveFormat): Promise<void> {
  let later: unknown[] | undefined;
  let now: unknown[] | undefined;
  const code = await codeOf(async () => {
    later = await contents(await openReader(bytes, { format, ...CAPS }));
  });
  const codeNow = await codeOf(async () => {
    now = await contents(openReaderSync(bytes, { format, ...CAPS }));
  });
  expect(now).toEqual(later);
  expect(codeNow === undefined).toBe(code === undefined);
  if (code !== undefined) expect(code).toMatch(/^ARCHIVE_/);
}

describe('changed archives end in a SkillError or in files', () => {
  it.each<[string, (all: readonly Change[]) => Buffer, ArchiveFormat]>([
    ['tar.gz, the packed bytes', (all) => changed(gzipSync(TAR), all), 'tar.gz'],
    ['tar.gz, the tar', (all) => gzipSync(changed(TAR, all), { level: 1 }), 'tar.gz'],
    [
      'tar.gz, the tar with right checksums',
      (all) => gzipSync(summed(changed(TAR, all)), { level: 1 }),
      'tar.gz',
    ],
    ['zip', (all) => changed(ZIP, all), 'zip'],
    ['zip64', (all) => changed(ZIP64, all), 'zip'],
    ['tar.bz2, the packed bytes', (all) => changed(BZIP2, all), 'tar.bz2'],
  ])(
    '%s',
    async (_, build, format) => {
      await fc.assert(
        fc.asyncProperty(changes, (all) => survives(build(all), format)),
        { numRuns: RUNS },
      );
    },
    TIME,
  );
});

describe('bytes that are no archive end in a SkillError', () => {
  it.each<[ArchiveFormat, string]>([
    ['tar.gz', '1f8b0800'],
    ['zip', '504b0304'],
    ['tar.bz2', '425a6839314159265359'],
  ])(
    '%s',
    async (format, head) => {
      const bytes = fc
        .tuple(fc.boolean(), fc.uint8Array({ maxLength: 400 }))
        .map(([magic, rest]) => Buffer.concat([Buffer.from(magic ? head : '', 'hex'), rest]));
      await fc.assert(
        fc.asyncProperty(bytes, (each) => survives(each, format)),
        { numRuns: RUNS },
      );
    },
    TIME,
  );

  it(
    'nor does a header of any numbers break a tar',
    async () => {
      const field = fc.oneof(
        fc.uint8Array({ minLength: 12, maxLength: 12 }),
        fc.stringMatching(/^[0-7 \0]{12}$/).map((each) => Buffer.from(each)),
      );
      await fc.assert(
        fc.asyncProperty(field, fc.constantFrom('0', '5', '1', 'x', 'g', 'L', 'S', '7'), (size, type) =>
          survives(
            gzipSync(
              Buffer.concat([tarHeader({ name: 'a', type, size: Buffer.from(size) }), Buffer.alloc(2_048)]),
              { level: 1 },
            ),
            'tar.gz',
          ),
        ),
        { numRuns: RUNS },
      );
    },
    TIME,
  );
});
