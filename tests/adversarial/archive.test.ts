import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { crc32, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { packSkill, unpackArchive } from '../../src/archive/index.ts';
import { bzip2 } from '../archive/build-bzip2.ts';
import { tar, tarGz } from '../archive/build-tar.ts';
import { extraField, mode, UNIX, zip } from '../archive/build-zip.ts';
import { codeOf } from '../archive/code-of.ts';

interface Hostile {
  readonly name: string | Buffer;
  readonly body?: string | Buffer;
  readonly type?: string;
  readonly link?: string;
}

const zipType: Readonly<Record<string, number>> = {
  '2': 0o120777,
  '1': 0o120777,
  '3': 0o020644,
  '6': 0o010644,
};
const FORMATS: Readonly<Record<string, (parts: readonly Hostile[]) => Buffer>> = {
  'tar.gz': tarGz,
  'tar.bz2': (parts) => bzip2(tar(parts)),
  zip: (parts) =>
    zip(
      parts.map(({ name, body, type, link }) => ({
        name,
        body: link ?? body ?? '',
        ...(type === undefined ? {} : { madeBy: UNIX, external: mode(zipType[type] as number) }),
      })),
    ),
};
const skill: Hostile = { name: 'SKILL.md', body: '---\nname: s\n---\n' };

describe.each(Object.entries(FORMATS))('a hostile %s', (_, build) => {
  it.each<[Hostile[], string]>([
    [[{ name: '../evil' }], 'ARCHIVE_PATH_TRAVERSAL'],
    [[{ name: '..' }], 'ARCHIVE_PATH_TRAVERSAL'],
    [[{ name: 'a/../../evil' }], 'ARCHIVE_PATH_TRAVERSAL'],
    [[{ name: 'a/b/../../../evil' }], 'ARCHIVE_PATH_TRAVERSAL'],
    [[{ name: './../evil' }], 'ARCHIVE_PATH_TRAVERSAL'],
    [[{ name: 'a//../../evil' }], 'ARCHIVE_PATH_TRAVERSAL'],
    [[{ name: '..\\evil' }], 'ARCHIVE_PATH_TRAVERSAL'],
    [[{ name: 'a\\..\\..\\evil' }], 'ARCHIVE_PATH_TRAVERSAL'],
    [[{ name: 'a/..\\..\\evil' }], 'ARCHIVE_PATH_TRAVERSAL'],
    [[{ name: '__MACOSX/../../evil' }], 'ARCHIVE_PATH_TRAVERSAL'],
    [[{ name: '../.DS_Store' }], 'ARCHIVE_PATH_TRAVERSAL'],
    [[{ name: '/etc/passwd' }], 'ARCHIVE_ABSOLUTE_PATH'],
    [[{ name: '//host/share/x' }], 'ARCHIVE_ABSOLUTE_PATH'],
    [[{ name: '\\\\host\\share\\x' }], 'ARCHIVE_ABSOLUTE_PATH'],
    [[{ name: '\\\\?\\C:\\x' }], 'ARCHIVE_ABSOLUTE_PATH'],
    [[{ name: 'C:\\Windows\\x' }], 'ARCHIVE_ABSOLUTE_PATH'],
    [[{ name: 'C:x' }], 'ARCHIVE_ABSOLUTE_PATH'],
    [[{ name: './C:x' }], 'ARCHIVE_ABSOLUTE_PATH'],
    [[{ name: 'a/C:/x' }], 'ARCHIVE_ABSOLUTE_PATH'],
    [[{ name: 'a\nb' }], 'ARCHIVE_UNSAFE_NAME'],
    [[{ name: 'a\u001b[2Jb' }], 'ARCHIVE_UNSAFE_NAME'],
    [[{ name: 'a/b\\c' }], 'ARCHIVE_UNSAFE_NAME'],
    [[skill, { name: 'l', type: '2', link: 'SKILL.md' }], 'ARCHIVE_SYMLINK_ESCAPE'],
    [[skill, { name: 'l', type: '2', link: '/etc/passwd' }], 'ARCHIVE_SYMLINK_ESCAPE'],
    [[skill, { name: 'l', type: '1', link: 'SKILL.md' }], 'ARCHIVE_SYMLINK_ESCAPE'],
    [[skill, { name: 'p', type: '6' }], 'ARCHIVE_SPECIAL_FILE'],
    [[skill, { name: 'd', type: '3' }], 'ARCHIVE_SPECIAL_FILE'],
    [[skill, { name: 'SKILL.md', body: 'other' }], 'ARCHIVE_DUPLICATE'],
    [[skill, { name: './SKILL.md', body: 'other' }], 'ARCHIVE_DUPLICATE'],
    [[skill, { name: 'skill.MD', body: 'other' }], 'ARCHIVE_COLLISION'],
    [[{ name: 'a/\u00e9' }, { name: 'a/e\u0301' }], 'ARCHIVE_COLLISION'],
    [[{ name: 'a' }, { name: 'a/b' }], 'ARCHIVE_COLLISION'],
  ])('%j: %s', async (parts, expected) => {
    expect(await codeOf(() => unpackArchive(build(parts)))).toBe(expected);
  });
});

const SMALL: Readonly<Record<string, Buffer>> = {
  'tar.gz': gzipSync(
    tar([
      { name: 'SKILL.md', body: '---\nname: s\n---\n' },
      { name: 'a/b.md', pax: [['path', 'a/c.md']], body: 'text '.repeat(20) },
    ]),
  ),
  'tar.bz2': bzip2(tar([{ name: 'SKILL.md', body: '---\nname: s\n---\n' }])),
  zip: zip([
    { name: 'SKILL.md', body: '---\nname: s\n---\n', madeBy: UNIX, external: mode(0o100644) },
    {
      name: 'a/b.md',
      body: 'text '.repeat(20),
      method: 8,
      descriptor: true,
      extra: extraField(0x5455, Buffer.alloc(5)),
    },
  ]),
  zip64: zip([{ name: 'SKILL.md', body: '---\nname: s\n---\n' }], {
    zip64: true,
    comment: Buffer.from('comment'),
  }),
};

describe.each(Object.entries(SMALL))('a damaged %s', (name, whole) => {
  const format = name === 'zip64' ? 'zip' : (name as 'tar.gz');
  const unpack = async (bytes: Buffer): Promise<string[]> =>
    (await unpackArchive(bytes, { format })).map(({ path, bytes: content }) => `${path}:${crc32(content)}`);

  it('is refused when it is cut anywhere', async () => {
    for (let length = 0; length < whole.length; length += 1) {
      const code = await codeOf(() => unpack(whole.subarray(0, length)));
      expect([length, code]).toEqual([length, 'ARCHIVE_CORRUPT']);
    }
  });

  it('is refused when anything is behind it', async () => {
    for (const more of ['\0', 'x', '\0'.repeat(600), 'PK', '\u001f\u008b']) {
      expect(await codeOf(() => unpack(Buffer.concat([whole, Buffer.from(more, 'latin1')])))).toBe(
        'ARCHIVE_CORRUPT',
      );
    }
  });

  it('is refused, or read as it was, whichever bit is flipped', async () => {
    const right = await unpack(whole);
    let refused = 0;
    for (let bit = 0; bit < whole.length * 8; bit += 1) {
      const flipped = Buffer.from(whole);
      flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
      const code = await codeOf(async () => expect([bit, await unpack(flipped)]).toEqual([bit, right]));
      if (code === undefined) continue;
      expect([bit, code]).toEqual([bit, expect.stringMatching(/^ARCHIVE_/)]);
      refused += 1;
    }
    expect(refused / (whole.length * 8)).toBeGreaterThan(0.6);
  });
});

/** 46,000,000 zeros packed by the `bzip2` program. */
const ZEROS =
  'QlpoOTFBWSZTWQ4J4t8BX45AAMAAAAggADCATUZCoCWpCoCXMUFZJlNZudCH0AAAxdAAwAAEAAAIIAAgpTQZjUhbBQvF3JFOFCQpcNCbgA==';

describe('bombs', () => {
  /** Runs a program on its own and returns what it printed: the code, and by how much its memory peaked, in MiB. */
  function alone(make: string, options: string): { code: string; peak: number } {
    const program = `
      import { gzipSync, deflateRawSync } from 'node:zlib';
      import { unpackArchive } from ${JSON.stringify(new URL('../../src/archive/index.ts', import.meta.url).href)};
      import { tar, tarHeader } from ${JSON.stringify(new URL('../archive/build-tar.ts', import.meta.url).href)};
      import { zip } from ${JSON.stringify(new URL('../archive/build-zip.ts', import.meta.url).href)};
      const bytes = (() => { ${make} })();
      const peakNow = () => process.resourceUsage().maxRSS / 1024;
      const before = peakNow();
      let code = 'none';
      try { await unpackArchive(bytes, ${options}); } catch (error) { code = error.code ?? String(error); }
      process.stdout.write(JSON.stringify({ code, peak: peakNow() - before }));
    `;
    const args = ['--import', 'tsx', '--input-type=module', '-e', program];
    return JSON.parse(
      execFileSync(process.execPath, args, {
        encoding: 'utf8',
        cwd: fileURLToPath(new URL('../../', import.meta.url)),
      }),
    ) as { code: string; peak: number };
  }
  /** 1 GiB of zeros as deflate, made of 64 pieces of 16 MiB, since each ends on a byte. */
  const zeros = `
    const piece = deflateRawSync(Buffer.alloc(16777216), { finishFlush: 2 });
  `;

  it.each<[string, string, string, string, number]>([
    [
      'a tar.gz of 1 GiB',
      `${zeros} return Buffer.concat([Buffer.from('1f8b08000000000000ff', 'hex'), deflateRawSync(tarHeader({ name: 'a', size: 1073741824 }), { finishFlush: 2 }), ...Array(64).fill(piece)]);`,
      '{}',
      'ARCHIVE_TOO_LARGE',
      40,
    ],
    [
      'the same as many files',
      `${zeros} const head = (i) => deflateRawSync(tarHeader({ name: 'a' + i, size: 16777216 }), { finishFlush: 2 }); return Buffer.concat([Buffer.from('1f8b08000000000000ff', 'hex'), ...[...Array(64).keys()].flatMap((i) => [head(i), piece])]);`,
      '{}',
      'ARCHIVE_TOO_LARGE',
      330,
    ],
    [
      'a tar.gz of zeros behind its end',
      `${zeros} return Buffer.concat([Buffer.from('1f8b08000000000000ff', 'hex'), ...Array(64).fill(piece)]);`,
      '{}',
      'ARCHIVE_CORRUPT',
      40,
    ],
    [
      'a zip that declares 100 bytes and has 1 GiB',
      `${zeros} return zip([{ name: 'a', method: 8, size: 100, data: Buffer.concat(Array(64).fill(piece)) }]);`,
      '{}',
      'ARCHIVE_CORRUPT',
      40,
    ],
    [
      'a zip that declares 1 GiB and has it',
      `${zeros} return zip([{ name: 'a', method: 8, size: 1073741824, data: Buffer.concat(Array(64).fill(piece)) }]);`,
      '{}',
      'ARCHIVE_TOO_LARGE',
      40,
    ],
    [
      'a zip that declares 4 GiB and has nothing',
      `return zip([{ name: 'a', method: 8, size: 4294967294, body: '' }]);`,
      '{ maxBytes: -1, maxEntryBytes: -1, maxRatio: -1 }',
      'ARCHIVE_CORRUPT',
      40,
    ],
    [
      'a bzip2 of 46 MB a block',
      `const one = Buffer.from('${ZEROS}', 'base64'); return Buffer.concat(Array(30).fill(one));`,
      '{}',
      'ARCHIVE_CORRUPT',
      60,
    ],
  ])(
    '%s is refused, with little memory',
    (_, make, options, code, most) => {
      const found = alone(make, options);
      expect(found.code).toBe(code);
      expect(found.peak).toBeLessThan(most);
    },
    60_000,
  );
});

it('what is packed is not what is refused', async () => {
  const files = [
    { path: 'SKILL.md', bytes: Buffer.from('---\nname: s\n---\n') },
    { path: 'zeros', bytes: Buffer.alloc(1_100_000) },
  ];
  for (const format of ['tar.gz', 'zip'] as const) {
    expect(await unpackArchive(await packSkill(files, format))).toHaveLength(2);
  }
});
