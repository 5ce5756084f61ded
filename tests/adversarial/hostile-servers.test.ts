/** Every hostile server of `skillwire/testing` against our client, over each carrier. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { SkillListing, SkillsClient } from '../../src/client/index.ts';
import { hostileServers } from '../../src/testing/index.ts';
import { type Attacked, attack, codeOf } from './hostile.ts';

type Row = [name: string, at: string, code: string, requests: number, bytes?: number];

/** What each comes to: the code, the requests until then, and how many bytes may have come, 4 KiB unless said otherwise. */
const ROWS: readonly Row[] = [
  ['wrong-digest', 'read', 'DIGEST_MISMATCH', 2],
  ['wrong-digest-of-a-file', 'read', 'DIGEST_MISMATCH', 2],
  ['wrong-size', 'read', 'SIZE_MISMATCH', 2],
  ['cut-short', 'read', 'SIZE_MISMATCH', 2],
  ['bom-lost', 'read', 'SIZE_MISMATCH', 2],
  ['frontmatter-changed', 'read', 'FRONTMATTER_MISMATCH', 2],
  ['frontmatter-missing', 'read', 'FRONTMATTER_MISMATCH', 2],
  ['frontmatter-extra', 'read', 'FRONTMATTER_MISMATCH', 2],
  ['frontmatter-type', 'read', 'FRONTMATTER_MISMATCH', 2],
  ['deep-yaml', 'read', 'FRONTMATTER_MISMATCH', 2, 32_768],
  ['alias-bomb', 'read', 'FRONTMATTER_MISMATCH', 2],
  ['no-frontmatter', 'read', 'FRONTMATTER_MISMATCH', 2],
  ['other-uri', 'read', 'URI_MISMATCH', 2],
  ['no-contents', 'read', 'INVALID_RESULT', 2],
  ['two-contents', 'read', 'INVALID_RESULT', 2],
  ['text-and-blob', 'read', 'INVALID_RESULT', 2],
  ['no-base64', 'read', 'INVALID_RESULT', 2],
  ['half-surrogate', 'read', 'INVALID_RESULT', 2],
  ['giant-text', 'read', 'RESOURCE_TOO_LARGE', 2, 20_971_520],
  ['giant-blob', 'read', 'RESOURCE_TOO_LARGE', 2, 25_165_824],
  ['giant-by-its-entry', 'read', 'RESOURCE_TOO_LARGE', 1],
  ['unlisted-file', 'read', 'UNLISTED_FILE', 1],
  ['missing-file', 'read', 'RESOURCE_NOT_FOUND', 2],
  ['changing-content', 'read', 'DIGEST_MISMATCH', 2],
  ['dynamic', 'read', 'DYNAMIC_REFUSED', 1],
  ['outside-root', 'list', 'INVALID_ENTRY', 1],
  ['beside-root', 'list', 'INVALID_ENTRY', 1],
  ['other-scheme', 'list', 'INVALID_ENTRY', 1],
  ['file-scheme', 'list', 'INVALID_ENTRY', 1],
  ['name-dot-dot', 'list', 'INVALID_ENTRY', 1],
  ['name-dot-dot-encoded', 'list', 'INVALID_ENTRY', 1],
  ['name-slash-encoded', 'list', 'INVALID_ENTRY', 1],
  ['name-backslash', 'list', 'INVALID_ENTRY', 1],
  ['name-backslash-encoded', 'list', 'INVALID_ENTRY', 1],
  ['name-absolute', 'list', 'INVALID_ENTRY', 1],
  ['name-nul', 'list', 'INVALID_ENTRY', 1],
  ['name-control', 'list', 'INVALID_ENTRY', 1],
  ['name-query', 'list', 'INVALID_ENTRY', 1],
  ['folder-as-file', 'list', 'INVALID_ENTRY', 1],
  ['file-twice', 'list', 'INVALID_ENTRY', 1],
  ['resources-missing', 'list', 'INVALID_ENTRY', 1],
  ['resources-null', 'list', 'INVALID_ENTRY', 1],
  ['resources-word', 'list', 'INVALID_ENTRY', 1],
  ['resources-empty', 'list', 'INVALID_ENTRY', 1],
  ['digest-missing', 'list', 'INVALID_ENTRY', 1],
  ['digest-upper-case', 'list', 'INVALID_ENTRY', 1],
  ['digest-bare', 'list', 'INVALID_ENTRY', 1],
  ['digest-short', 'list', 'INVALID_ENTRY', 1],
  ['digest-other-hash', 'list', 'INVALID_ENTRY', 1],
  ['size-missing', 'list', 'INVALID_ENTRY', 1],
  ['size-negative', 'list', 'INVALID_ENTRY', 1],
  ['size-fraction', 'list', 'INVALID_ENTRY', 1],
  ['size-text', 'list', 'INVALID_ENTRY', 1],
  ['prototype-key', 'list', 'INVALID_ENTRY', 1],
  ['deep-json', 'list', 'INVALID_ENTRY', 1, 16_384],
  ['name-differs', 'list', 'INVALID_ENTRY', 1],
  ['description-missing', 'list', 'INVALID_ENTRY', 1],
  ['endless-pages', 'list', 'LISTING_INCOMPLETE', 1000, 524_288],
  ['endless-empty-pages', 'list', 'LISTING_INCOMPLETE', 33, 16_384],
  ['repeated-cursor', 'list', 'LISTING_INCOMPLETE', 4],
  ['constant-cursor', 'list', 'LISTING_INCOMPLETE', 3],
  ['giant-cursor', 'list', 'LISTING_INCOMPLETE', 1, 1_048_576],
  ['giant-page', 'list', 'LISTING_INCOMPLETE', 1, 31_457_280],
  ['giant-response', 'list', 'RESPONSE_TOO_LARGE', 1, 41_943_040],
  ['failing-page', 'list', 'SERVER_ERROR', 2],
  ['skills-no-list', 'list', 'INVALID_RESULT', 1],
  ['cursor-no-text', 'list', 'INVALID_RESULT', 1],
  ['error-with-escapes', 'list', 'SERVER_ERROR', 1],
  ['method-missing', 'list', 'METHOD_NOT_FOUND', 3],
  ['never-answers', 'list', 'SERVER_UNREACHABLE', 1],
  ['never-answers-a-read', 'read', 'SERVER_UNREACHABLE', 2],
  ['slow-drip', 'list', 'SERVER_UNREACHABLE', 1],
  ['duplicate-entries', 'list', 'INVALID_ENTRY', 1],
  ['duplicate-entries-respelled', 'list', 'INVALID_ENTRY', 1],
  ['get-other-entry', 'get', 'URI_MISMATCH', 2],
  ['directory-adds', 'directory', 'UNLISTED_FILE', 3],
  ['endless-directories', 'directory', 'LISTING_INCOMPLETE', 34, 16_384],
  ['reserved-name', 'write', 'UNSAFE_NAME', 2],
  ['colliding-names', 'write', 'NAME_COLLISION', 2],
  ['bomb-tar-gz', 'read', 'ARCHIVE_RATIO', 2, 131_072],
  ['bomb-zip', 'read', 'ARCHIVE_RATIO', 2, 131_072],
  ['archive-of-very-many', 'read', 'ARCHIVE_TOO_MANY_ENTRIES', 2, 262_144],
  ['archive-dot-dot', 'read', 'ARCHIVE_PATH_TRAVERSAL', 2],
  ['archive-absolute', 'read', 'ARCHIVE_ABSOLUTE_PATH', 2],
  ['archive-drive', 'read', 'ARCHIVE_ABSOLUTE_PATH', 2],
  ['archive-backslash', 'read', 'ARCHIVE_PATH_TRAVERSAL', 2],
  ['archive-nul', 'read', 'ARCHIVE_UNSAFE_NAME', 2],
  ['archive-link', 'read', 'ARCHIVE_SYMLINK_ESCAPE', 2],
  ['archive-twice', 'read', 'ARCHIVE_DUPLICATE', 2],
  ['archive-collision', 'read', 'ARCHIVE_COLLISION', 2],
  ['archive-empty', 'read', 'ARCHIVE_MISSING_SKILL_MD', 2],
  ['archive-cut-short', 'read', 'ARCHIVE_CORRUPT', 2],
  ['archive-wrong-digest', 'read', 'DIGEST_MISMATCH', 2],
  ['index-wrong-digest', 'read', 'DIGEST_MISMATCH', 2],
  ['index-other-description', 'read', 'FRONTMATTER_MISMATCH', 2],
  ['index-unknown-type', 'list', 'UNKNOWN_SKILL_TYPE', 1],
  ['index-outside', 'list', 'PATH_TRAVERSAL', 1],
  ['index-no-json', 'list', 'INVALID_INDEX', 2],
  ['file-list-dot-dot', 'read', 'INVALID_MANIFEST', 3],
  ['file-list-absolute', 'read', 'INVALID_MANIFEST', 3],
  ['file-list-backslash', 'read', 'INVALID_MANIFEST', 3],
  ['file-list-twice', 'read', 'INVALID_MANIFEST', 3],
  ['file-list-of-another', 'read', 'INVALID_MANIFEST', 3],
  ['file-list-no-json', 'read', 'INVALID_MANIFEST', 3],
  ['file-list-wrong-hash', 'read', 'DIGEST_MISMATCH', 4],
  ['well-known-wrong-digest', 'read', 'DIGEST_MISMATCH', 3],
  ['well-known-bomb', 'read', 'ARCHIVE_RATIO', 3],
  ['well-known-dot-dot', 'read', 'ARCHIVE_PATH_TRAVERSAL', 3],
  ['well-known-inside', 'read', 'NET_ADDRESS_REFUSED', 2],
  ['well-known-missing', 'read', 'RESOURCE_NOT_FOUND', 3],
];

const LINKS = [
  ['memory', '2025-11-25'],
  ['memory', '2026-07-28'],
  ['http', '2025-11-25'],
  ['http', '2026-07-28'],
] as const;
/** Cases that take a second or more to be made up, told over one carrier. */
const HEAVY: ReadonlySet<string> = new Set(['giant-page', 'giant-response', 'archive-of-very-many']);
/** Cases in which a request ends with its time, ms; where others have to be answered before, there is time for them. */
const SILENT: Readonly<Record<string, number>> = {
  'never-answers': 150,
  'never-answers-a-read': 1_500,
  'slow-drip': 150,
};

async function listingOf(skills: SkillsClient): Promise<{ code: string; listing: SkillListing | undefined }> {
  let listing: SkillListing | undefined;
  const code = await codeOf(async () => {
    listing = await skills.listSkills();
  });
  return { code, listing };
}

/** The code by which the lie is refused at the moment that its case names. */
async function refusal({ hostile, skills }: Attacked, listing: SkillListing | undefined): Promise<string> {
  const { at, skill = '', file } = hostile.case;
  const found = listing?.skills.find(({ entry }) => entry.uri === skill);
  switch (at) {
    case 'list':
      expect(found).toBeUndefined();
      return listing?.problems[0]?.code ?? 'none';
    case 'get':
      return codeOf(() => skills.getSkill(skill));
    case 'read':
    case 'write':
      if (found === undefined) return 'not listed';
      return codeOf(() => skills.read(found, file));
    case 'directory': {
      if (found === undefined) {
        return codeOf(async () => {
          for await (const _ of skills.walkDirectory('skill://honest'))
            expect(_.uri.length).toBeLessThan(8_193);
        });
      }
      const children: string[] = [];
      for await (const { uri } of skills.walkDirectory('skill://liar', { skill: found })) children.push(uri);
      expect(children).toEqual([
        'skill://liar/SKILL.md',
        'skill://liar/references',
        'skill://liar/references/DATA.md',
      ]);
      return codeOf(() => skills.read(found, file));
    }
  }
}

describe('the hostile servers', () => {
  it('are those of the table, and each says what it comes to', () => {
    expect(hostileServers.map(({ name, at, expect }) => [name, at, expect])).toEqual(
      ROWS.map(([name, at, code]) => [name, at, code]),
    );
  });

  it('say each what they do, once', () => {
    expect(new Set(hostileServers.map(({ lies }) => lies)).size).toBeGreaterThan(hostileServers.length - 6);
    for (const { lies } of hostileServers) expect(lies).toMatch(/^[\w/.]+ .{8,90}[^.]$/);
  });
});

describe.each(LINKS)('over %s, %s', (over, era) => {
  const told = ROWS.filter(([name]) => {
    const { onlyHttp, dialect } = hostileServers.find((each) => each.name === name) ?? {};
    if (onlyHttp === true && over !== 'http') return false;
    if (name === 'endless-pages') return over === 'memory';
    return (!HEAVY.has(name) && dialect !== 'well-known') || (over === 'http' && era === '2026-07-28');
  });

  it.each(told)('%s: %s, %s', async (name, at, code, requests, bytes = 4_096) => {
    const attacked = await attack(
      name,
      over,
      era,
      SILENT[name] === undefined ? {} : { requestTimeoutMs: SILENT[name] },
    );
    const { hostile, skills } = attacked;
    const { code: thrown, listing } = await listingOf(skills);
    const refused = thrown === 'none' ? await refusal(attacked, listing) : thrown;
    expect(refused).toBe(at === 'write' ? 'none' : code);
    expect(hostile.requests.length + hostile.fetched.length).toBe(requests);
    expect(attacked.received()).toBeLessThanOrEqual(bytes);

    const { neighbour } = hostile.case;
    const beside = listing?.skills.find(({ entry }) => entry.uri === neighbour);
    expect(beside?.entry.uri).toBe(neighbour);
    if (beside !== undefined) expect((await skills.read(beside)).text).toContain('# honest');
  });
});

describe('what a refused answer leaves in memory', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;

  function held(): number {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  }

  it.each(['giant-text', 'giant-blob', 'bomb-tar-gz', 'bomb-zip', 'endless-pages'])(
    '%s: little',
    async (name) => {
      const { skills } = await attack(name, 'memory', '2026-07-28');
      const ask = async (): Promise<void> => {
        const { skills: found } = await skills.listSkills();
        const liar = found.find(({ entry }) => entry.uri === 'skill://liar/SKILL.md');
        if (liar !== undefined) expect(await codeOf(() => skills.read(liar))).not.toBe('none');
      };
      await ask();
      const before = held();
      for (let turn = 0; turn < 3; turn++) {
        skills.forget();
        await ask();
      }
      expect(held() - before).toBeLessThan(4_194_304);
    },
  );
});

describe('a server that lies again and again', () => {
  it('is not asked in a loop: content that changes is read once for each time that the host asks', async () => {
    const { hostile, skills } = await attack('changing-content', 'memory', '2026-07-28');
    for (let turn = 0; turn < 3; turn++) {
      const skill = await skills.getSkill('skill://liar/SKILL.md');
      expect(await codeOf(() => skills.read(skill))).toBe('DIGEST_MISMATCH');
    }
    expect(hostile.requests.map(({ method }) => method)).toEqual([
      'skills/get',
      'resources/read',
      'skills/get',
      'resources/read',
      'skills/get',
      'resources/read',
    ]);
  });

  it('is left alone after it did not answer', async () => {
    const { hostile, skills } = await attack('never-answers', 'memory', '2026-07-28', {
      requestTimeoutMs: 50,
    });
    for (let turn = 0; turn < 20; turn++) {
      expect(await codeOf(() => skills.listSkills())).toBe('SERVER_UNREACHABLE');
    }
    expect(hostile.requests.length).toBeLessThan(5);
  });

  it('has a dynamic skill within caps at the most', async () => {
    const { skills } = await attack('dynamic', 'memory', '2026-07-28', { dynamic: { maxBytes: 10 } });
    const skill = await skills.getSkill('skill://liar/SKILL.md');
    expect(skill.integrity).toBe('dynamic');
    expect(await codeOf(() => skills.read(skill))).toBe('RESOURCE_TOO_LARGE');
  });
});
