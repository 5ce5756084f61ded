import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openCatalog } from '../../src/catalog/index.ts';
import { isSkillError, type SkillError } from '../../src/errors.ts';
import type { Logger } from '../../src/logger.ts';
import { gitHubTextOfPage } from '../../src/source/github-text.ts';
import {
  fetchGitHubArchive,
  type GitHubArchive,
  type GitHubArchiveOptions,
  parseGitHubText,
} from '../../src/source/index.ts';
import { openStore } from '../../src/store/index.ts';
import { tarGz } from '../archive/build-tar.ts';
import { type ArchiveServer, archiveServer } from './archive-server.ts';
import { COMMIT, packTarGz } from './pack-files.ts';
import { codeOf, look, tempFolder } from './support.ts';

const manifest = (name: string): string => `---\nname: ${name}\ndescription: d\n---\n`;

let server: ArchiveServer;
beforeAll(async () => {
  server = await archiveServer();
});
afterAll(() => server.close());

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function get(options: Partial<GitHubArchiveOptions> = {}): Promise<GitHubArchive> {
  const source = await fetchGitHubArchive({
    owner: 'acme',
    repo: 'skills',
    baseUrl: server.origin,
    allowPrivate: true,
    ...options,
  });
  opened.push(source);
  return source;
}

async function failure(options: Partial<GitHubArchiveOptions> = {}): Promise<SkillError> {
  try {
    await get(options);
  } catch (error) {
    if (isSkillError(error)) return error;
    throw error;
  }
  throw new Error('no error');
}

const REPOSITORY = {
  'README.md': 'x',
  'skills/pdf/SKILL.md': manifest('pdf'),
  'skills/pdf/ref/a.md': 'x',
  'skills/docx/SKILL.md': manifest('docx'),
  'pack/one/SKILL.md': manifest('one'),
};
const TAR = packTarGz(REPOSITORY, { wrapper: 'skills-c0ffee0', comment: COMMIT });

/** Answers `acme/skills` at a ref. */
function put(bytes: Buffer, ref = 'HEAD'): void {
  server.put(`/acme/skills/archive/${encodeURIComponent(ref)}.tar.gz`, bytes);
}

describe('fetchGitHubArchive', () => {
  test('serves a repository without the folder around it, and records the commit', async () => {
    put(TAR);
    const heard: unknown[] = [];
    const hear = (message: string, fields?: unknown): void => void heard.push([message, fields]);
    const logger: Logger = { debug: hear, info: hear, warn: hear, error: hear };
    const source = await get({ logger });
    expect(look(source, '')).toEqual(['README.md', 'pack', 'skills']);
    expect(source).toMatchObject({ commit: COMMIT, wrapper: 'skills-c0ffee0', label: 'github:acme/skills' });
    expect(heard).toEqual([['fetched github:acme/skills', { commit: COMMIT }]]);
    put(packTarGz(REPOSITORY, { wrapper: 'skills-main', comment: 'no commit' }));
    expect((await get()).commit).toBeUndefined();
  });

  test.each([
    ['main', 'main'],
    ['v1.2.3', 'v1.2.3'],
    ['release/2024/x', 'release%2F2024%2Fx'],
    ['refs/heads/main', 'refs%2Fheads%2Fmain'],
    ['a#b', 'a%23b'],
    [COMMIT, COMMIT],
  ])('asks for the ref %s', async (ref, path) => {
    put(TAR, ref);
    await get({ ref });
    expect(server.seen.at(-1)).toBe(`GET /acme/skills/archive/${path}.tar.gz`);
  });

  test('asks below the path of another server', async () => {
    server.put('/ghe/acme/skills/archive/HEAD.tar.gz', TAR);
    expect(look(await get({ baseUrl: `${server.origin}/ghe/` }), 'pack')).toEqual(['one']);
  });

  test.each([
    ['skills', '', ['docx', 'pdf']],
    ['/skills/', '', ['docx', 'pdf']],
    ['skills/pdf', '', ['pdf']],
    ['skills/pdf', 'pdf', ['SKILL.md', 'ref']],
    ['skills/pdf/ref', '', ['a.md']],
    ['', '', ['README.md', 'pack', 'skills']],
  ])('serves the folder %j', async (subdir, path, names) => {
    put(TAR);
    expect(look(await get({ subdir }), path)).toEqual(names);
  });

  test.each([
    ['none', 'SOURCE_NOT_FOUND', 'has no folder "none"'],
    ['skill', 'SOURCE_NOT_FOUND', 'has no folder "skill"'],
    ['skills/pdf/SKILL.md', 'SOURCE_NOT_A_FOLDER', 'is a file'],
    ['linked', 'SOURCE_NOT_A_FOLDER', 'is a link, which is not followed'],
    ['../x', 'USAGE', 'is no folder of a repository'],
    ['a//b', 'USAGE', 'is no folder of a repository'],
  ])('refuses the folder %j', async (subdir, code, words) => {
    put(
      packTarGz(REPOSITORY, {
        wrapper: 'skills-main',
        more: [{ name: 'skills-main/linked', type: '2', link: 'skills' }],
      }),
    );
    const error = await failure({ subdir });
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(words)]);
  });

  test('a repository that is a skill stands below its name', async () => {
    put(packTarGz({ 'SKILL.md': manifest('pdf'), 'a.md': 'x' }, { wrapper: 'pdf-skill-main' }));
    expect(look(await get(), '')).toEqual(['pdf']);
    put(packTarGz({ 'SKILL.md': 'x' }, { wrapper: 'pdf-skill-main' }));
    expect((await failure()).code).toBe('MISSING_FRONTMATTER');
  });

  test('a link refuses the skill it stands in, and no other', async () => {
    put(
      packTarGz(REPOSITORY, {
        wrapper: 'w',
        more: [
          { name: 'w/AGENTS.md', type: '2', link: 'README.md' },
          { name: 'w/skills/docx/shared', type: '2', link: '../../pack' },
        ],
      }),
    );
    const { snapshot } = await openCatalog(await get(), {});
    expect(snapshot.skills.map(({ path }) => path)).toEqual(['pack/one', 'skills/pdf']);
    expect(snapshot.refused.map(({ path }) => path)).toEqual(['skills/docx']);
    // Outside the folder that is served, nothing matters but names that lead out.
    const below = await openCatalog(await get({ subdir: 'pack' }), {});
    expect(below.snapshot.diagnostics).toEqual([]);
  });

  test.each<[string, Buffer, string]>([
    ['two folders', packTarGz({ 'a/x': '', 'b/x': '' }), 'ARCHIVE_CORRUPT'],
    ['a file at the root', packTarGz({ 'a/x': '', y: '' }), 'ARCHIVE_CORRUPT'],
    ['nothing', packTarGz({}), 'ARCHIVE_CORRUPT'],
    ['a name that leads out', tarGz([{ name: 'w/../../evil', body: 'x' }]), 'ARCHIVE_PATH_TRAVERSAL'],
  ])('refuses an archive with %s', async (_, bytes, code) => {
    put(bytes);
    expect((await failure()).code).toBe(code);
    expect((await failure({ subdir: 'a' })).code).toBe(code);
  });

  test('a commit that was asked for has to be the one that came', async () => {
    put(TAR, COMMIT);
    expect((await get({ ref: COMMIT })).commit).toBe(COMMIT);
    const other = 'd'.repeat(40);
    put(TAR, other);
    expect(await failure({ ref: other })).toMatchObject({
      code: 'DIGEST_MISMATCH',
      details: { expected: other, actual: COMMIT },
    });
    put(packTarGz(REPOSITORY, { wrapper: 'w' }), other);
    expect((await get({ ref: other })).commit).toBeUndefined();
  });

  test('asks again only if it changed', async () => {
    server.put('/acme/skills/archive/HEAD.tar.gz', (request, response) => {
      const same = request.headers['if-none-match'] === 'W/"9"';
      response.writeHead(same ? 304 : 200, { etag: 'W/"9"' }).end(same ? undefined : TAR);
    });
    const store = openStore(tempFolder());
    opened.push(store);
    expect((await get({ store })).notModified).toBe(false);
    const again = await get({ store, subdir: 'skills' });
    expect([again.notModified, again.commit]).toEqual([true, COMMIT]);
    expect(look(again, '')).toEqual(['docx', 'pdf']);
  });
});

describe('a token', () => {
  test('goes to the server, and not to where it redirects', async () => {
    const elsewhere = await archiveServer();
    try {
      elsewhere.put('/x.tar.gz', TAR);
      server.put('/acme/skills/archive/HEAD.tar.gz', (_, response) =>
        response.writeHead(302, { location: `${elsewhere.origin}/x.tar.gz` }).end(),
      );
      await get({ token: 'ghp_SECRET', request: ({ headers }) => headers.set('x-mine', '1') });
      expect(server.last()).toMatchObject({ authorization: 'Bearer ghp_SECRET', 'x-mine': '1' });
      expect(elsewhere.last().authorization).toBeUndefined();
    } finally {
      await elsewhere.close();
    }
  });

  test('that is empty is none', async () => {
    put(TAR);
    await get({ token: '' });
    expect(server.last().authorization).toBeUndefined();
  });

  test.each([
    [404, undefined, 'for a private one set GITHUB_TOKEN'],
    [404, 'ghp_SECRET', 'or the token may not see it'],
    [401, 'ghp_SECRET', 'refuses the token in GITHUB_TOKEN'],
    [403, undefined, 'with GITHUB_TOKEN it answers more often'],
    [429, 'ghp_SECRET', 'lets nobody ask at the moment'],
    [500, undefined, 'answers 500'],
  ])('is spoken of when the server answers %d', async (status, token, words) => {
    server.put('/acme/skills/archive/nope.tar.gz', (_, response) => response.writeHead(status).end());
    const error = await failure({ ref: 'nope', ...(token === undefined ? {} : { token }) });
    expect(error.code).toBe('ARCHIVE_DOWNLOAD_FAILED');
    expect(error.details).toMatchObject({ status, net: 'NET_STATUS' });
    expect(error.message).toContain(words);
    expect(`${error.message}${JSON.stringify(error.details)}`).not.toContain('SECRET');
  });

  test.each([
    [{ baseUrl: 'http://ghe.example', token: 'ghp_SECRET' }, 'is not sent to ghe.example over http'],
    [{ token: 'two words' }, 'characters that no header carries'],
    [{ baseUrl: 'ghe' }, 'is no URL of a GitHub'],
  ])('or a server that cannot be used is refused: %j', async (options, words) => {
    const { code, message } = await failure(options);
    expect([code, message]).toEqual(['USAGE', expect.stringContaining(words)]);
    expect(message).not.toContain('SECRET');
  });
});

describe('the text of a repository', () => {
  test.each([
    ['github:a/b', { owner: 'a', repo: 'b' }],
    ['github:a/b.git', { owner: 'a', repo: 'b' }],
    ['github:a/b/', { owner: 'a', repo: 'b' }],
    ['github:a/b@main', { owner: 'a', repo: 'b', ref: 'main' }],
    ['github:a/b@feature/x/y', { owner: 'a', repo: 'b', ref: 'feature/x/y' }],
    ['github:a/b@a@b', { owner: 'a', repo: 'b', ref: 'a@b' }],
    ['github:a/b#skills/', { owner: 'a', repo: 'b', subdir: 'skills' }],
    ['github:a/b@v1#.claude/skills', { owner: 'a', repo: 'b', ref: 'v1', subdir: '.claude/skills' }],
    ['github:a/b.c_d-e@v1#x#y', { owner: 'a', repo: 'b.c_d-e', ref: 'v1', subdir: 'x#y' }],
  ])('%s is understood', (text, place) => {
    expect(parseGitHubText(text)).toEqual(place);
  });

  test.each([
    'github:',
    'github:a',
    'github:/b',
    'github:a/',
    'github:a/b/c',
    'github:a/b@',
    'github:a/b#',
    'github:a/b@..',
    'github:a/b@-x',
    'github:a/b@x y',
    'github:a/b@x~1',
    'github:a/b@x.lock',
    'github:a/b@/x',
    'github:a/..',
    'github:a b/c',
    'github:a/b#../c',
    'github:a/b#c\\d',
    'gitlab:a/b',
  ])('%j is refused', (text) => {
    expect(codeOf(() => parseGitHubText(text))).toBe('USAGE');
  });

  test('a path after the repository is told how to be written', () => {
    expect(() => parseGitHubText('github:a/b/skills/pdf@v1')).toThrow('"github:a/b@v1#skills/pdf"');
  });

  test.each([
    ['https://github.com/a/b', 'github:a/b'],
    ['https://www.github.com/a/b.git', 'github:a/b'],
    ['https://github.com/a/b/tree/main', 'github:a/b@main'],
    ['https://github.com/a/b/tree/main/skills/pdf', 'github:a/b@main#skills/pdf'],
    ['https://github.com/a/b/blob/main/skills/pdf/SKILL.md', 'github:a/b@main#skills/pdf'],
    ['https://github.com/a/b/archive/main.tar.gz', undefined],
    ['https://github.com/a/b/releases/download/v1/x.zip', undefined],
    ['https://github.com/a', undefined],
    ['https://skills.example/a/b', undefined],
  ])('the page %s is %s', (url, text) => {
    expect(gitHubTextOfPage(new URL(url))).toBe(text);
  });
});
