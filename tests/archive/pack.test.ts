import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ArchiveFormat, type FileToPack, packSkill, unpackArchive } from '../../src/archive/index.ts';
import { codeOf } from './code-of.ts';
import { SKILL } from './skill.ts';

const FORMATS = ['tar.gz', 'zip'] as const;
const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const skill = { path: 'SKILL.md', bytes: Buffer.from('---\nname: s\n---\n') };

/** Digests of {@link SKILL} packed. They change only with a release that says so: clients compare them. */
const DIGESTS = {
  'tar.gz': 'abde2dceb6d7274a95a4e48890ff3d9880fac43ab0b9a11d04c0f1526d349244',
  zip: '93ae263daa8afe6566586ec42034c23c25c160f9256a6852e20888c6000d953f',
} as const;

describe.each(FORMATS)('a packed %s', (format) => {
  it('is the same bytes on every machine', async () => {
    expect(sha(await packSkill(SKILL, format))).toBe(DIGESTS[format]);
  });

  it.each([
    ['UTC', '022'],
    ['Asia/Tokyo', '077'],
    ['America/St_Johns', '000'],
  ])('is the same bytes in %s under umask %s', (TZ, umask) => {
    const program = `
      import { packSkill } from ${JSON.stringify(new URL('../../src/archive/index.ts', import.meta.url).href)};
      import { SKILL } from ${JSON.stringify(new URL('./skill.ts', import.meta.url).href)};
      import { createHash } from 'node:crypto';
      process.umask(0o${umask});
      process.stdout.write(createHash('sha256').update(await packSkill(SKILL, ${JSON.stringify(format)})).digest('hex'));
    `;
    const args = ['--import', 'tsx', '--input-type=module', '-e', program];
    const printed = execFileSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, TZ },
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
    });
    expect(printed).toBe(DIGESTS[format]);
  });

  it('does not depend on the order of the files, and survives unpacking', async () => {
    const packed = await packSkill(SKILL, format);
    expect((await packSkill([...SKILL].reverse(), format)).equals(packed)).toBe(true);
    const unpacked = await unpackArchive(packed);
    const again = unpacked.map(({ path, bytes, mode }) => ({
      path,
      bytes,
      executable: (mode & 0o111) !== 0,
    }));
    expect((await packSkill(again, format)).equals(packed)).toBe(true);
  });

  it('holds the files in code-point order with modes 0644 and 0755', async () => {
    const files = await unpackArchive(await packSkill(SKILL, format));
    expect(files.map(({ path, mode }) => [path, mode.toString(8)])).toEqual(
      [...SKILL]
        .sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)))
        .map(({ path, executable }) => [path, executable === true ? '755' : '644']),
    );
    for (const { path, bytes } of SKILL) {
      expect(files.find((file) => file.path === path)?.bytes.equals(bytes)).toBe(true);
    }
  });

  it('takes files as they come, and writes paths as readers have them', async () => {
    async function* files(): AsyncGenerator<FileToPack> {
      yield { path: './b//c', bytes: new Uint8Array([1]) };
      yield skill;
    }
    const unpacked = await unpackArchive(await packSkill(files(), format));
    expect(unpacked.map(({ path }) => path)).toEqual(['SKILL.md', 'b/c']);
  });

  it('leaves out what a Finder adds', async () => {
    const files = [
      skill,
      ...['.DS_Store', '._SKILL.md', '__MACOSX/x'].map((path) => ({ path, bytes: Buffer.from('x') })),
    ];
    expect((await packSkill(files, format)).equals(await packSkill([skill], format))).toBe(true);
  });

  it('comes back whole, whatever is in it', async () => {
    const file = fc.record({
      path: fc
        .array(fc.stringMatching(/^[a-zé日 ._-]{1,30}$/), { minLength: 1, maxLength: 12 })
        .map((names) => names.map((name, index) => `${index}${name}`).join('/')),
      bytes: fc.oneof(
        fc.uint8Array({ maxLength: 3_000 }),
        fc.nat(255).map((byte) => new Uint8Array(200_000).fill(byte)),
      ),
      executable: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(file, { maxLength: 8, selector: ({ path }) => path.split('/')[0]?.toLowerCase() }),
        async (files) => {
          const unpacked = await unpackArchive(await packSkill([...files, skill], format));
          const byPath = new Map(unpacked.map((each) => [each.path, each]));
          expect(byPath.size).toBe(files.length + 1);
          for (const { path, bytes, executable } of files) {
            const found = byPath.get(path);
            expect(found?.bytes.equals(Buffer.from(bytes))).toBe(true);
            expect(found?.mode).toBe(executable ? 0o755 : 0o644);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('holds an empty file without memory behind it, as a read from disk gives it', async () => {
    const empty = { path: 'a/empty.txt', bytes: new Uint8Array(new ArrayBuffer(0)) };
    const packed = await packSkill([empty, skill, { path: 'z.md', bytes: Buffer.from('z') }], format);
    expect((await unpackArchive(packed)).map(({ path, bytes }) => [path, bytes.length])).toEqual([
      ['SKILL.md', 16],
      ['a/empty.txt', 0],
      ['z.md', 1],
    ]);
    const backed = { path: 'a/empty.txt', bytes: Buffer.from('abc').subarray(0, 0) };
    const other = await packSkill([backed, skill, { path: 'z.md', bytes: Buffer.from('z') }], format);
    expect(packed.equals(other)).toBe(true);
  });

  it('can be read again under the same caps even where it is nothing but zeros', async () => {
    const zeros = { path: 'zeros', bytes: new Uint8Array(3_000_000) };
    const packed = await packSkill([skill, zeros], format);
    const unpacked = await unpackArchive(packed);
    expect(unpacked.map(({ bytes }) => bytes.length)).toEqual([16, 3_000_000]);
    expect(packed.length).toBeLessThan(3_020_000);
  });

  it.each<[string, string, string]>([
    ['a path that leads out', '../x', 'ARCHIVE_PATH_TRAVERSAL'],
    ['a path that leads back in', 'a/../x', 'ARCHIVE_PATH_TRAVERSAL'],
    ['an absolute path', '/x', 'ARCHIVE_ABSOLUTE_PATH'],
    ['a drive', 'C:/x', 'ARCHIVE_ABSOLUTE_PATH'],
    ['a path of Windows', 'references\\a.md', 'ARCHIVE_UNSAFE_NAME'],
    ['a control character', 'a\nb', 'ARCHIVE_UNSAFE_NAME'],
    ['a folder', 'a/', 'ARCHIVE_UNSAFE_NAME'],
    ['nothing', '', 'ARCHIVE_UNSAFE_NAME'],
    ['the same path', 'SKILL.md', 'ARCHIVE_DUPLICATE'],
    ['the same path, spelt another way', './SKILL.md', 'ARCHIVE_DUPLICATE'],
    ['the same path in another case', 'Skill.md', 'ARCHIVE_COLLISION'],
    ['a path below a file', 'SKILL.md/x', 'ARCHIVE_COLLISION'],
    ['too long a name', 'x'.repeat(256), 'ARCHIVE_NAME_TOO_LONG'],
    ['too deep a path', `${'a/'.repeat(64)}b`, 'ARCHIVE_TOO_DEEP'],
  ])('refuses %s', async (_, path, code) => {
    expect(await codeOf(() => packSkill([skill, { path, bytes: Buffer.from('x') }], format))).toBe(code);
  });

  it('needs a SKILL.md at its root', async () => {
    const bytes = Buffer.from('x');
    for (const files of [[], [{ path: 'a/SKILL.md', bytes }], [{ path: 'skill.md', bytes }]]) {
      expect(await codeOf(() => packSkill(files, format))).toBe('ARCHIVE_MISSING_SKILL_MD');
    }
  });

  it('holds its caps', async () => {
    const files = [{ path: 'SKILL.md', bytes: Buffer.alloc(10) }];
    expect(await codeOf(() => packSkill(files, format, { maxBytes: 9 }))).toBe('ARCHIVE_TOO_LARGE');
    expect(await codeOf(() => packSkill(files, format, { maxBytes: 10 }))).toBeUndefined();
    expect(await codeOf(() => packSkill(files, format, { maxBytes: -1 }))).toBeUndefined();
    expect(await codeOf(() => packSkill(files, format, { maxEntryBytes: 9 }))).toBe('ARCHIVE_TOO_LARGE');
    expect(
      await codeOf(() =>
        packSkill([...files, { path: 'b', bytes: files[0]!.bytes }], format, { maxEntries: 1 }),
      ),
    ).toBe('ARCHIVE_TOO_MANY_ENTRIES');
  });
});

/** What sorts before `SKILL.md` left out, so that the first bytes are its own. */
const FROM_SKILL_MD = SKILL.filter(({ path }) => path !== '1');

describe('the bytes of a packed skill', () => {
  it('of a tar.gz name no time, no owner and no system, and are ustar where that fits', async () => {
    const packed = await packSkill(FROM_SKILL_MD, 'tar.gz');
    expect(packed.subarray(0, 10).toString('hex')).toBe('1f8b08000000000000ff');
    const unpacked = inflateRawSync(packed.subarray(10, -8));
    expect(unpacked.length % 512).toBe(0);
    expect(unpacked.subarray(-1_024).every((byte) => byte === 0)).toBe(true);
    const header = unpacked.subarray(0, 512);
    expect(header.toString('latin1', 0, 8)).toBe('SKILL.md');
    expect(header.toString('latin1', 100, 156)).toMatch(
      /^0000644\x000000000\x000000000\x00[0-7]{11}\x0002263523000\x00[0-7]{6}\x00 $/,
    );
    expect(header.toString('latin1', 257, 345)).toBe(`ustar\x0000${'\0'.repeat(64)}0000000\x000000000\x00`);
    expect(unpacked.includes('pax_header')).toBe(false);
    const long = await packSkill(
      [...SKILL, { path: `${'d'.repeat(200)}/x`, bytes: Buffer.from('x') }],
      'tar.gz',
    );
    expect(inflateRawSync(long.subarray(10, -8)).includes(`212 path=${'d'.repeat(200)}/x\n`)).toBe(true);
  });

  it('of a zip have one time, no extra fields and no descriptors', async () => {
    const packed = await packSkill(FROM_SKILL_MD, 'zip');
    expect(packed.subarray(0, 14).toString('hex')).toBe('504b0304140000000800' + '00002100');
    expect(packed.readUInt16LE(28)).toBe(0);
    const end = packed.subarray(-22);
    const directory = packed.subarray(end.readUInt32LE(16));
    expect(directory.readUInt16LE(4)).toBe(0x0314);
    expect([directory.readUInt16LE(30), directory.readUInt16LE(32)]).toEqual([0, 0]);
    expect(directory.readUInt32LE(38)).toBe(0o100644 * 65_536);
  });
});

describe('formats that are not written', () => {
  it.each<[string, string]>([
    ['tar.bz2', 'ARCHIVE_UNSUPPORTED_FOR_PACK'],
    ['tar', 'ARCHIVE_UNKNOWN_FORMAT'],
    ['toString', 'ARCHIVE_UNKNOWN_FORMAT'],
  ])('%s: %s', async (format, code) => {
    let asked = false;
    function* files(): Generator<FileToPack> {
      asked = true;
      yield skill;
    }
    expect(await codeOf(() => packSkill(files(), format as ArchiveFormat))).toBe(code);
    expect(asked).toBe(false);
  });
});
