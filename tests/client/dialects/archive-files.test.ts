import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FileToPack, packSkill } from '../../../src/archive/index.ts';
import type { RawContents, RequestScope } from '../../../src/client/dialect.ts';
import { ArchiveFiles } from '../../../src/client/dialects/archive-files.ts';
import type { FoundSkill } from '../../../src/client/skill.ts';
import { SkillError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/format/json.ts';
import { digestOf } from '../../../src/integrity/index.ts';
import { tarGz } from '../../archive/build-tar.ts';
import { zip } from '../../archive/build-zip.ts';
import { codeOf } from '../../archive/code-of.ts';

const MANIFEST = '---\nname: pdf\ndescription: Reads PDF files.\nlicense: MIT\n---\r\n# PDF\n';
const FILES: readonly FileToPack[] = [
  { path: 'SKILL.md', bytes: Buffer.from(MANIFEST) },
  { path: 'references/how to.md', bytes: Buffer.from('\ufeffa\r\nb\n') },
  { path: 'assets/empty', bytes: Buffer.alloc(0) },
  { path: 'assets/logo.png', bytes: Buffer.from([0x89, 0x50, 0, 0xff]) },
  { path: 'caf\u00e9.md', bytes: Buffer.from('\u00fc\n') },
  { path: 'inner/SKILL.md', bytes: Buffer.from('# a plain file\n') },
  { path: 'LICENSE', bytes: Buffer.from('MIT\n') },
];
const WHOLE: JsonObject = { name: 'pdf', description: 'Reads PDF files.', license: 'MIT' };

interface Setting {
  readonly uri?: string;
  readonly archive?: FoundSkill['archive'];
  readonly frontmatter?: JsonObject;
  readonly whole?: boolean;
}

function skillOf(bytes: Uint8Array, setting: Setting = {}): FoundSkill {
  return {
    entry: {
      uri: setting.uri ?? 'skill://acme/pdf/SKILL.md',
      frontmatter: setting.frontmatter ?? WHOLE,
      resources: 'on-request',
    },
    dialect: 'draft-index',
    integrity: 'complete',
    wholeFrontmatter: setting.whole ?? true,
    archive: setting.archive ?? { uri: 'skill://acme/pdf.tar.gz', digest: digestOf(bytes) },
  };
}

/** A server that has one archive, and how often it was asked. */
function served(
  bytes: Uint8Array,
  cached = false,
): ((scope: RequestScope) => Promise<RawContents>) & { asked: RequestScope[] } {
  const asked: RequestScope[] = [];
  const fetch = async (scope: RequestScope): Promise<RawContents> => {
    asked.push(scope);
    return { uri: 'skill://acme/pdf.tar.gz', bytes, cached };
  };
  return Object.assign(fetch, { asked });
}

const packed = { tarGz: await packSkill(FILES, 'tar.gz'), zip: await packSkill(FILES, 'zip') };

describe.each(Object.entries(packed))('a skill in an archive (%s)', (_, bytes) => {
  it('has every file, with digest and size of its content, in code-point order', async () => {
    const { entry, ...labels } = await new ArchiveFiles().get(skillOf(bytes), served(bytes), {});
    expect(entry).toEqual({
      uri: 'skill://acme/pdf/SKILL.md',
      frontmatter: { name: 'pdf', description: 'Reads PDF files.', license: 'MIT' },
      resources: [
        {
          uri: 'skill://acme/pdf/LICENSE',
          digest: 'sha256:adc37366f403835c1470ab2df93d3837d4719372fc1ef8593d922e06f033f8b2',
          size: 4,
        },
        { uri: 'skill://acme/pdf/SKILL.md', digest: digestOf(Buffer.from(MANIFEST)), size: 68 },
        {
          uri: 'skill://acme/pdf/assets/empty',
          digest: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
          size: 0,
        },
        {
          uri: 'skill://acme/pdf/assets/logo.png',
          digest: digestOf(Buffer.from([0x89, 0x50, 0, 0xff])),
          size: 4,
        },
        { uri: 'skill://acme/pdf/caf%C3%A9.md', digest: digestOf(Buffer.from('\u00fc\n')), size: 3 },
        {
          uri: 'skill://acme/pdf/inner/SKILL.md',
          digest: digestOf(Buffer.from('# a plain file\n')),
          size: 15,
        },
        {
          uri: 'skill://acme/pdf/references/how%20to.md',
          digest: digestOf(Buffer.from('\ufeffa\r\nb\n')),
          size: 8,
        },
      ],
    });
    expect(labels).toEqual({
      dialect: 'draft-index',
      integrity: 'complete',
      wholeFrontmatter: true,
      archive: { uri: 'skill://acme/pdf.tar.gz', digest: digestOf(bytes) },
    });
  });

  it('gives the bytes of each file from one download', async () => {
    const archives = new ArchiveFiles();
    const server = served(bytes);
    const skill = await archives.get(skillOf(bytes), server, {});
    for (const { path, bytes: content } of FILES) {
      const uri = `skill://acme/pdf/${path.split('/').map(encodeURIComponent).join('/')}`;
      const got = await archives.read(skill, uri, server, {});
      expect(got.uri).toBe(uri);
      expect(Buffer.compare(got.bytes, content)).toBe(0);
      expect(got.cached).toBe(false);
    }
    expect(server.asked).toHaveLength(1);
  });
});

describe('ArchiveFiles.read', () => {
  const bytes = packed.tarGz;

  it.each([
    ['skill://acme/pdf/LICENSE', 'text/plain'],
    ['skill://acme/pdf/assets/logo.png', 'image/png'],
    ['skill://acme/pdf/assets/empty', 'text/plain'],
    ['skill://acme/pdf/references/how to.md', 'text/markdown'],
    ['SKILL://acme/pdf/%4CICENSE', 'text/plain'],
  ])('takes %s in any spelling and says what it is', async (uri, mimeType) => {
    const got = await new ArchiveFiles().read(skillOf(bytes), uri, served(bytes), {});
    expect(got.uri).toBe(uri);
    expect(got.mimeType).toBe(mimeType);
  });

  it.each([
    'skill://acme/pdf/missing.md',
    'skill://acme/pdf',
    'skill://acme/other/LICENSE',
    'skill://acme/pdf/inner',
    'skill://acme/pdf/LICENSE/x',
    'other://acme/pdf/LICENSE',
  ])('knows no file %s', async (uri) => {
    expect(await codeOf(() => new ArchiveFiles().read(skillOf(bytes), uri, served(bytes), {}))).toBe(
      'RESOURCE_NOT_FOUND',
    );
  });

  it('fetches once for all who ask at the same time, and lets one of them leave', async () => {
    const archives = new ArchiveFiles();
    const server = served(bytes);
    const leaving = new AbortController();
    const gone = archives.read(skillOf(bytes), 'skill://acme/pdf/LICENSE', server, {
      signal: leaving.signal,
    });
    const reads = FILES.map(() => archives.read(skillOf(bytes), 'skill://acme/pdf/LICENSE', server, {}));
    leaving.abort(new Error('enough'));
    await expect(gone).rejects.toThrow('enough');
    expect((await Promise.all(reads)).map((got) => got.bytes.toString())).toEqual(FILES.map(() => 'MIT\n'));
    expect(server.asked).toHaveLength(1);
  });

  it('keeps the archive used last whatever its size, and lets go of the others', async () => {
    const archives = new ArchiveFiles({ maxCacheBytes: 1 });
    const first = served(bytes);
    const second = served(packed.zip);
    const a = skillOf(bytes);
    const b = skillOf(packed.zip);
    await archives.read(a, 'skill://acme/pdf/LICENSE', first, {});
    await archives.read(a, 'skill://acme/pdf/SKILL.md', first, {});
    expect(first.asked).toHaveLength(1);
    await archives.read(b, 'skill://acme/pdf/LICENSE', second, {});
    await archives.read(a, 'skill://acme/pdf/SKILL.md', first, {});
    expect(first.asked).toHaveLength(2);
  });

  it('keeps what fits, the longest unused going first', async () => {
    const archives: Buffer[] = [];
    for (const fill of ['a', 'b', 'c']) {
      archives.push(
        tarGz([
          { name: 'SKILL.md', body: MANIFEST },
          { name: 'x', body: fill.repeat(1_000) },
        ]),
      );
    }
    const cache = new ArchiveFiles({ maxCacheBytes: 4_000 });
    const servers = archives.map((archive) => served(archive));
    const read = async (at: number): Promise<number> => {
      const archive = archives[at]!;
      await cache.read(skillOf(archive), 'skill://acme/pdf/x', servers[at]!, {});
      return servers[at]!.asked.length;
    };
    expect(await read(0)).toBe(1);
    expect(await read(1)).toBe(1);
    expect(await read(0)).toBe(1);
    expect(await read(2)).toBe(1);
    expect(await read(0)).toBe(1);
    expect(await read(1)).toBe(2);
  });

  it('asks anew for an archive without a digest when told to, and says that it had not', async () => {
    const archives = new ArchiveFiles();
    const server = served(bytes);
    const skill = skillOf(bytes, { archive: { uri: 'skill://acme/pdf.tar.gz' } });
    const uri = 'skill://acme/pdf/LICENSE';
    expect((await archives.read(skill, uri, server, {})).cached).toBe(false);
    expect((await archives.read(skill, uri, server, {})).cached).toBe(true);
    expect(server.asked).toHaveLength(1);
    await archives.read(skill, uri, server, { fresh: true });
    expect(server.asked).toHaveLength(2);
  });
});

describe('what ArchiveFiles refuses', () => {
  it('compares the digest before it unpacks, and once more past a response cache', async () => {
    const bomb = Buffer.from('not an archive at all');
    const wrong = skillOf(packed.tarGz);
    const plain = served(bomb);
    expect(await codeOf(() => new ArchiveFiles().get(wrong, plain, {}))).toBe('DIGEST_MISMATCH');
    expect(plain.asked).toHaveLength(1);
    const cached = served(bomb, true);
    expect(await codeOf(() => new ArchiveFiles().get(wrong, cached, {}))).toBe('DIGEST_MISMATCH');
    expect(cached.asked.map(({ fresh }) => fresh)).toEqual([undefined, true]);
  });

  it('takes the second answer when the first came from a stale cache', async () => {
    const answers = [Buffer.from('old'), packed.tarGz];
    const fetch = async (): Promise<RawContents> => ({
      uri: 'skill://acme/pdf.tar.gz',
      bytes: answers.shift() ?? Buffer.alloc(0),
      cached: answers.length === 1,
    });
    const skill = await new ArchiveFiles().get(skillOf(packed.tarGz), fetch, {});
    expect(skill.entry.resources).toHaveLength(7);
  });

  it.each([
    ['no SKILL.md', tarGz([{ name: 'README.md', body: 'x' }]), 'ARCHIVE_MISSING_SKILL_MD'],
    ['SKILL.md in another case', tarGz([{ name: 'skill.md', body: MANIFEST }]), 'ARCHIVE_MISSING_SKILL_MD'],
    ['SKILL.md in a folder', tarGz([{ name: 'pdf/SKILL.md', body: MANIFEST }]), 'ARCHIVE_MISSING_SKILL_MD'],
    ['traversal', tarGz([{ name: 'SKILL.md', body: MANIFEST }, { name: '../x' }]), 'ARCHIVE_PATH_TRAVERSAL'],
    ['an absolute path', zip([{ name: '/etc/x' }]), 'ARCHIVE_ABSOLUTE_PATH'],
    [
      'a link',
      tarGz([
        { name: 'SKILL.md', body: MANIFEST },
        { name: 'x', type: '2', link: 'SKILL.md' },
      ]),
      'ARCHIVE_SYMLINK_ESCAPE',
    ],
    [
      'a collision by case',
      zip([{ name: 'SKILL.md', body: MANIFEST }, { name: 'Skill.md' }]),
      'ARCHIVE_COLLISION',
    ],
    [
      'a collision by composition',
      tarGz([{ name: 'SKILL.md', body: MANIFEST }, { name: 'caf\u00e9' }, { name: 'cafe\u0301' }]),
      'ARCHIVE_COLLISION',
    ],
    ['a bomb', tarGz([{ name: 'SKILL.md', body: '0'.repeat(4_000_000) }]), 'ARCHIVE_RATIO'],
    ['no archive', Buffer.from('%PDF-1.7'), 'ARCHIVE_UNKNOWN_FORMAT'],
    ['a tar.bz2', Buffer.from('BZh91AY&SY'), 'ARCHIVE_UNKNOWN_FORMAT'],
    ['nothing', Buffer.alloc(0), 'ARCHIVE_UNKNOWN_FORMAT'],
  ])('an archive with %s', async (_, bytes, code) => {
    const skill = skillOf(bytes, {
      archive: { uri: 'https://host.example/pdf?sig=1', digest: digestOf(bytes) },
    });
    expect(await codeOf(() => new ArchiveFiles().get(skill, served(bytes), {}))).toBe(code);
  });

  it('shows no query of a URL, which may hold a signature', async () => {
    const broken = tarGz([{ name: 'README.md', body: 'x' }]);
    const uri = 'https://host.example/pdf.tar.gz?sig=secret';
    for (const bytes of [broken, Buffer.from('BZh91AY&SY')]) {
      const archives = new ArchiveFiles();
      const skill = skillOf(bytes, { archive: { uri, digest: digestOf(bytes) } });
      const errors = [
        await archives.get(skill, served(bytes), {}).catch((error: unknown) => error),
        await archives.get(skill, served(Buffer.from('other')), {}).catch((error: unknown) => error),
      ];
      for (const error of errors) {
        expect(error).toBeInstanceOf(SkillError);
        const { message, details } = error as SkillError;
        expect(JSON.stringify({ message, details })).not.toContain('secret');
        expect(message).toContain('https://host.example/pdf.tar.gz?');
      }
    }
  });

  it('gives a caller bytes of its own', async () => {
    const archives = new ArchiveFiles();
    const server = served(packed.zip);
    const read = (): Promise<RawContents> =>
      archives.read(skillOf(packed.zip), 'skill://acme/pdf/LICENSE', server, {});
    (await read()).bytes.fill(0);
    expect(String((await read()).bytes)).toBe('MIT\n');
  });

  it('unpacks many at once one after the other, whichever of them fail', async () => {
    const archives = new ArchiveFiles();
    const bad = tarGz([{ name: 'README.md', body: 'x' }]);
    const all = [packed.zip, bad, packed.tarGz, bad].map((bytes, at) =>
      archives
        .get(skillOf(bytes, { uri: `skill://acme/s${at}/SKILL.md`, whole: false }), served(bytes), {})
        .then(({ entry }) => entry.resources.length)
        .catch((error: SkillError) => error.code),
    );
    expect(await Promise.all(all)).toEqual([7, 'ARCHIVE_MISSING_SKILL_MD', 7, 'ARCHIVE_MISSING_SKILL_MD']);
  });

  it('names the folder that wraps the skill', async () => {
    const bytes = tarGz([{ name: 'pdf-1.0/SKILL.md', body: MANIFEST }, { name: 'pdf-1.0/a.md' }]);
    await expect(new ArchiveFiles().get(skillOf(bytes), served(bytes), {})).rejects.toThrow(
      'it stands in the folder "pdf-1.0"; pack what is in that folder and not the folder',
    );
  });

  it('compares a whole frontmatter, and one of name and description not', async () => {
    const bytes = packed.tarGz;
    const other = { ...WHOLE, license: 'Apache-2.0' };
    const differing = skillOf(bytes, { frontmatter: other });
    expect(await codeOf(() => new ArchiveFiles().get(differing, served(bytes), {}))).toBe(
      'FRONTMATTER_MISMATCH',
    );
    const part = skillOf(bytes, { frontmatter: { name: 'pdf', description: 'Another' }, whole: false });
    expect((await new ArchiveFiles().get(part, served(bytes), {})).entry.frontmatter).toEqual({
      name: 'pdf',
      description: 'Another',
    });
  });

  it('holds the caps it is given', async () => {
    const bytes = packed.zip;
    const archives = new ArchiveFiles({ caps: { maxEntries: 2 } });
    expect(await codeOf(() => archives.get(skillOf(bytes), served(bytes), {}))).toBe(
      'ARCHIVE_TOO_MANY_ENTRIES',
    );
  });

  it('forgets what failed', async () => {
    const archives = new ArchiveFiles();
    const skill = skillOf(packed.zip);
    expect(await codeOf(() => archives.get(skill, served(Buffer.from('x')), {}))).toBe('DIGEST_MISMATCH');
    expect((await archives.get(skill, served(packed.zip), {})).entry.resources).toHaveLength(7);
  });

  it('is of no use to a skill without an archive', async () => {
    const { archive: _, ...skill } = skillOf(packed.zip);
    expect(await codeOf(() => new ArchiveFiles().get(skill, served(packed.zip), {}))).toBe('USAGE');
  });
});

describe('whatever stands in an archive', () => {
  it('gives a skill or an error with a code', async () => {
    const flips = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      fc.tuple(fc.constantFrom(packed.tarGz, packed.zip), flips).map(([archive, changes]) => {
        const copy = Buffer.from(archive);
        for (const [at, value] of changes) copy[at % copy.length] = value;
        return copy;
      }),
    );
    await fc.assert(
      fc.asyncProperty(bytes, async (archive) => {
        try {
          const { entry } = await new ArchiveFiles().get(skillOf(archive), served(archive), {});
          expect(entry.resources).not.toBe('on-request');
        } catch (error) {
          expect(error).toBeInstanceOf(SkillError);
        }
      }),
      { numRuns: 300 },
    );
  });
});
