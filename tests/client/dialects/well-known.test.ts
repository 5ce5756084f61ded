import type { IncomingHttpHeaders } from 'node:http';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { packSkill } from '../../../src/archive/index.ts';
import { ContentCache } from '../../../src/client/content-cache.ts';
import { ArchiveFiles } from '../../../src/client/dialects/archive-files.ts';
import { WellKnownReader, type WellKnownReaderOptions } from '../../../src/client/dialects/well-known.ts';
import { DynamicGuard } from '../../../src/client/dynamic.ts';
import { readVerified } from '../../../src/client/verified-read.ts';
import { isSkillError } from '../../../src/errors.ts';
import { digestOf } from '../../../src/integrity/index.ts';
import { openNet } from '../../../src/net/index.ts';
import { codeOf } from '../../archive/code-of.ts';
import { closeRemotes, endless, type Remote, remote } from '../../net/support.ts';
import { scripted } from '../link.ts';
import { type ContextSetting, contextOf, handClock } from './reader-context.ts';

const AGENT = '/.well-known/agent-skills/index.json';
const OLDER = '/.well-known/skills/index.json';
const SCHEMA = 'https://schemas.agentskills.io/discovery/0.2.0/schema.json';
const HEAD = '---\nname: pdf\ndescription: Reads PDF files.\n---\r\n# PDF\n';

interface Page {
  readonly body?: string | Buffer;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Request {
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

interface Web extends Remote {
  readonly asked: Request[];
  readonly pages: Record<string, Page | undefined>;
}

afterEach(closeRemotes);

/** A web server with these pages; the ETag of each is its digest. */
async function web(pages: Record<string, Page | undefined>): Promise<Web> {
  const asked: Request[] = [];
  const server = await remote((request, response) => {
    const url = request.url ?? '';
    asked.push({ url, headers: request.headers });
    const page = pages[url];
    if (page === undefined) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not found</h1>');
      return;
    }
    const { body = '', status = 200, headers = {} } = page;
    const etag = `"${digestOf(Buffer.from(body))}"`;
    if (status === 200 && request.headers['if-none-match'] === etag) {
      response.writeHead(304, { etag, ...headers }).end();
      return;
    }
    response.writeHead(status, { etag, ...headers }).end(body);
  });
  return Object.assign(server, { asked, pages });
}

function index(skills: readonly unknown[], schema: string | null = SCHEMA): Page {
  return { body: JSON.stringify({ ...(schema === null ? {} : { $schema: schema }), skills }) };
}

function entry(
  url: string,
  bytes: string | Buffer,
  more: Record<string, unknown> = {},
): Record<string, unknown> {
  return {
    name: 'pdf',
    type: 'skill-md',
    description: 'Reads PDF files.',
    url,
    digest: digestOf(Buffer.from(bytes)),
    ...more,
  };
}

type Setting = Partial<Omit<WellKnownReaderOptions, 'archives'>> & ContextSetting;

async function readerOf(url: string, setting: Setting = {}): Promise<WellKnownReader> {
  const { client } = await scripted({ answer: () => undefined });
  return new WellKnownReader(contextOf(client, setting), {
    timeoutMs: 10_000,
    archives: new ArchiveFiles(),
    ...setting,
    url,
  });
}

function verified(reader: WellKnownReader) {
  return {
    reader,
    cache: new ContentCache(0),
    dynamic: new DynamicGuard(false),
    maxResourceBytes: 10_485_760,
  };
}

const urls = ({ asked }: Web): string[] => asked.map(({ url }) => url);

const ARCHIVE = await packSkill(
  [
    { path: 'SKILL.md', bytes: Buffer.from(HEAD) },
    { path: 'references/how to.md', bytes: Buffer.from('x\r\n') },
  ],
  'tar.gz',
);

describe('a web server with an index of discovery 0.2.0', () => {
  it('has skills of one file and skills in archives, each with its digest', async () => {
    const server = await web({
      [AGENT]: index([
        entry('pdf/SKILL.md', HEAD),
        entry('/files/refunds.tar.gz?sig=1', ARCHIVE, { name: 'refunds', type: 'archive' }),
      ]),
      '/.well-known/agent-skills/pdf/SKILL.md': {
        body: HEAD,
        headers: { 'content-type': 'text/markdown; charset=utf-8' },
      },
      '/files/refunds.tar.gz?sig=1': { body: ARCHIVE },
    });
    const reader = await readerOf(server.origin);
    expect(await reader.detect({})).toBe(true);
    const { skills, ...rest } = await reader.list({});
    expect(rest).toEqual({ complete: true, problems: [] });
    expect(skills).toEqual([
      {
        entry: {
          uri: 'skill://pdf/SKILL.md',
          frontmatter: { name: 'pdf', description: 'Reads PDF files.' },
          resources: [{ uri: 'skill://pdf/SKILL.md', digest: digestOf(Buffer.from(HEAD)) }],
        },
        dialect: 'well-known',
        integrity: 'complete',
        wholeFrontmatter: false,
      },
      {
        entry: {
          uri: 'skill://refunds/SKILL.md',
          frontmatter: { name: 'refunds', description: 'Reads PDF files.' },
          resources: 'on-request',
        },
        dialect: 'well-known',
        integrity: 'complete',
        wholeFrontmatter: false,
        archive: {
          uri: `${server.origin}/files/refunds.tar.gz?sig=1`,
          digest: digestOf(ARCHIVE),
          format: 'tar.gz',
        },
      },
    ]);
    // Nothing is fetched before it is asked for, and an index that is fresh is not asked for again.
    expect(urls(server)).toEqual([AGENT]);

    const pdf = await readVerified(verified(reader), skills[0]!, undefined, {});
    expect(pdf).toMatchObject({ text: HEAD, mimeType: 'text/markdown', verified: true, body: '# PDF\n' });
    const refunds = await reader.get('skill://refunds/SKILL.md', {});
    expect(refunds.entry.resources).toEqual([
      { uri: 'skill://refunds/SKILL.md', digest: digestOf(Buffer.from(HEAD)), size: 55 },
      { uri: 'skill://refunds/references/how%20to.md', digest: digestOf(Buffer.from('x\r\n')), size: 3 },
    ]);
    expect((await readVerified(verified(reader), refunds, 'references/how%20to.md', {})).text).toBe('x\r\n');
    expect(urls(server)).toEqual([
      AGENT,
      '/.well-known/agent-skills/pdf/SKILL.md',
      '/files/refunds.tar.gz?sig=1',
    ]);
  });

  it.each([
    ['of a file', 'skill-md', 'DIGEST_MISMATCH'],
    ['of an archive, before it is unpacked', 'archive', 'DIGEST_MISMATCH'],
  ])('is held to its digest %s', async (_, type, code) => {
    const server = await web({
      [AGENT]: index([entry('/x', 'another content', { type })]),
      '/x': { body: 'no archive either' },
    });
    const reader = await readerOf(server.origin);
    const read = async (): Promise<unknown> => {
      const skill = await reader.get('skill://pdf/SKILL.md', {});
      return readVerified(verified(reader), skill, undefined, {});
    };
    expect(await codeOf(read)).toBe(code);
  });

  it('is asked once more past a cache on the way', async () => {
    const server = await web({
      [AGENT]: index([entry('/pdf', HEAD), entry('/a', ARCHIVE, { name: 'refunds', type: 'archive' })]),
      '/pdf': { body: 'stale', headers: { age: '60' } },
      '/a': { body: 'stale', headers: { age: '60' } },
    });
    const reader = await readerOf(server.origin);
    const { skills } = await reader.list({});
    expect(await codeOf(() => readVerified(verified(reader), skills[0]!, undefined, {}))).toBe(
      'DIGEST_MISMATCH',
    );
    expect(await codeOf(() => reader.get('skill://refunds/SKILL.md', {}))).toBe('DIGEST_MISMATCH');
    const fetches = server.asked.filter(({ url }) => url !== AGENT);
    expect(fetches.map(({ url, headers }) => [url, headers['cache-control']])).toEqual([
      ['/pdf', undefined],
      ['/pdf', 'no-cache'],
      ['/a', undefined],
      ['/a', 'no-cache'],
    ]);
  });

  it('says which rule an entry broke, and lists the others', async () => {
    const good = entry('/pdf', HEAD);
    const server = await web({
      [AGENT]: index([
        { ...good, name: 'Bad Name' },
        good,
        { ...good, url: '/twice' },
        { ...good, name: 'task', type: 'task' },
        { ...good, name: 'bare', digest: 'abc' },
      ]),
    });
    const { skills, problems, complete } = await (await readerOf(server.origin)).list({});
    expect(skills.map(({ entry: { uri } }) => uri)).toEqual(['skill://pdf/SKILL.md']);
    expect(problems.map(({ code }) => code)).toEqual([
      'INVALID_SKILL_NAME',
      'URI_TAKEN',
      'UNKNOWN_SKILL_TYPE',
      'INVALID_ENTRY',
    ]);
    expect(problems[0]?.message).toContain(`skills[0].name of ${server.origin}${AGENT}: `);
    expect(complete).toBe(true);
  });

  it('is strict unless told otherwise', async () => {
    const server = await web({
      [AGENT]: index(
        [
          entry('/skills/pdf/SKILL.md', HEAD, {
            name: 'PDF Reader',
            digest: digestOf(Buffer.from(HEAD)).slice(7),
          }),
        ],
        'https://agentskills.io/schemas/v0.2.0/index.json',
      ),
    });
    const strict = await (await readerOf(server.origin)).list({});
    expect(strict.skills).toEqual([]);
    expect(strict.problems.map(({ code }) => code)).toEqual(['INVALID_INDEX']);
    const tolerant = await (await readerOf(server.origin, { tolerant: true })).list({});
    expect(tolerant.skills.map(({ entry: { uri }, integrity }) => [uri, integrity])).toEqual([
      ['skill://pdf/SKILL.md', 'complete'],
    ]);
    expect(tolerant.problems.map(({ message }) => message.endsWith('(warning)'))).toEqual([true, true, true]);
  });
});

describe('a web server with an index of the older form', () => {
  const files = {
    name: 'pdf',
    description: 'Reads PDF files.',
    files: ['references/how to.md', 'SKILL.md', 'caf\u00e9.md'],
  };
  const base = '/.well-known/skills/pdf';

  it('has files of which nothing can be checked', async () => {
    const server = await web({
      [OLDER]: index([files], null),
      [`${base}/SKILL.md`]: { body: HEAD },
      [`${base}/references/how%20to.md`]: { body: 'x\r\n' },
      [`${base}/caf%C3%A9.md`]: { body: '\u00fc' },
    });
    const reader = await readerOf(server.origin);
    const { skills, problems } = await reader.list({});
    expect(problems).toEqual([]);
    expect(skills).toEqual([
      {
        entry: {
          uri: 'skill://pdf/SKILL.md',
          frontmatter: { name: 'pdf', description: 'Reads PDF files.' },
          resources: [
            { uri: 'skill://pdf/SKILL.md' },
            { uri: 'skill://pdf/references/how%20to.md' },
            { uri: 'skill://pdf/caf%C3%A9.md' },
          ],
        },
        dialect: 'well-known',
        integrity: 'none',
        wholeFrontmatter: false,
      },
    ]);
    const skill = await reader.get('skill://pdf/SKILL.md', {});
    const read = async (ref?: string): Promise<unknown> => {
      const { text, verified: checked } = await readVerified(verified(reader), skill, ref, {});
      return [text, checked];
    };
    expect(await read()).toEqual([HEAD, false]);
    expect(await read('references/how%20to.md')).toEqual(['x\r\n', false]);
    expect(await read('caf%C3%A9.md')).toEqual(['\u00fc', false]);
    expect(urls(server)).toEqual([
      AGENT,
      OLDER,
      `${base}/SKILL.md`,
      `${base}/references/how%20to.md`,
      `${base}/caf%C3%A9.md`,
    ]);
  });

  it('may have it where the newer form lies, which then counts as the older', async () => {
    const server = await web({ [AGENT]: index([files], null) });
    const { skills } = await (await readerOf(server.origin)).list({});
    expect(skills.map(({ integrity }) => integrity)).toEqual(['none']);
  });

  it('gives no skill whose files are one on some systems', async () => {
    const server = await web({ [OLDER]: index([{ ...files, files: ['SKILL.md', 'a.md', 'A.md'] }], null) });
    const { skills, problems } = await (await readerOf(server.origin)).list({});
    expect(skills).toEqual([]);
    expect(problems).toMatchObject([{ code: 'INVALID_INDEX', uri: 'skill://pdf/SKILL.md' }]);
  });

  it('does not give a file that it does not name', async () => {
    const server = await web({ [OLDER]: index([files], null), [`${base}/x.md`]: { body: 'x' } });
    const reader = await readerOf(server.origin);
    const skill = await reader.get('skill://pdf/SKILL.md', {});
    expect(await codeOf(() => reader.read(skill, 'skill://pdf/x.md', {}))).toBe('RESOURCE_NOT_FOUND');
    expect(await codeOf(() => reader.read(skill, 'skill://pdf/../x.md', {}))).toBe('PATH_TRAVERSAL');
    expect(urls(server)).not.toContain(`${base}/x.md`);
  });
});

describe('where an index is looked for', () => {
  it('is below a folder and then below the origin, the newer form first', async () => {
    const server = await web({});
    const reader = await readerOf(`${server.origin}/docs/?x=1#y`);
    expect(await reader.detect({})).toBe(false);
    expect(urls(server)).toEqual([`/docs${AGENT}`, AGENT, `/docs${OLDER}`, OLDER]);
    const { skills, problems, complete } = await reader.list({});
    expect([skills, complete]).toEqual([[], true]);
    expect(problems).toMatchObject([{ code: 'RESOURCE_NOT_FOUND' }]);
  });

  it('passes over a page that is no index, and names it', async () => {
    const html = { body: '<!doctype html><title>App</title>', headers: { 'content-type': 'text/html' } };
    const server = await web({ [AGENT]: html, [OLDER]: html });
    const reader = await readerOf(server.origin);
    expect(await reader.detect({})).toBe(false);
    server.pages[OLDER] = index([{ name: 'pdf', description: 'x', files: ['SKILL.md'] }], null);
    const { skills, problems } = await reader.list({ fresh: true });
    expect(skills).toHaveLength(1);
    expect(problems.map(({ code }) => code)).toEqual(['INVALID_INDEX']);
  });

  it.each([
    ['bytes that are not UTF-8', { body: Buffer.from([0xff, 0xfe]) }, 'is not valid UTF-8'],
    [
      'what was compressed unasked',
      { body: Buffer.from([0x1f, 0x8b, 8]), headers: { 'content-encoding': 'gzip' } },
      'compressed it, unasked',
    ],
  ])('passes over %s', async (_, page, message) => {
    const { problems } = await (await readerOf((await web({ [AGENT]: page })).origin)).list({});
    expect(problems[0]?.message).toContain(message);
  });

  it('takes an index that breaks its rules for one, so that its listing can say so', async () => {
    const server = await web({ [AGENT]: index([{ name: 'x' }]) });
    const reader = await readerOf(server.origin);
    expect(await reader.detect({})).toBe(true);
    expect((await reader.list({})).skills).toEqual([]);
  });

  it('stops at an index that is valid and empty', async () => {
    const server = await web({ [AGENT]: index([]), [OLDER]: index([], null) });
    const reader = await readerOf(server.origin);
    expect(await reader.list({})).toEqual({ skills: [], complete: true, problems: [] });
    expect(urls(server)).toEqual([AGENT]);
  });

  it.each([401, 403, 405, 410])('takes %i for none', async (status) => {
    const server = await web({ [AGENT]: { status }, [OLDER]: { status } });
    const reader = await readerOf(server.origin);
    expect(await reader.detect({})).toBe(false);
    const [problem] = (await reader.list({})).problems;
    const isDenied = problem?.message.includes(`it answers ${status}, so a token may be missing`);
    expect(isDenied).toBe(status === 401 || status === 403);
  });

  it('takes a failure for a failure, and leaves the server alone for a while', async () => {
    const server = await web({ [AGENT]: { status: 503 } });
    const clock = handClock();
    const reader = await readerOf(server.origin, { clock });
    await expect(reader.detect({})).rejects.toMatchObject({ code: 'NET_STATUS' });
    await expect(reader.list({})).rejects.toMatchObject({
      details: { status: 503, retryAfterMs: expect.any(Number) },
    });
    expect(urls(server)).toEqual([AGENT]);
    clock.advance(1_000);
    server.pages[AGENT] = index([entry('/pdf', HEAD)]);
    expect((await reader.list({})).skills).toHaveLength(1);
  });

  it('resolves what an index names against where it came from in the end', async () => {
    const server = await web({
      [AGENT]: { status: 302, headers: { location: '/moved/index.json' } },
      '/moved/index.json': index([entry('pdf.md', HEAD)]),
      '/moved/pdf.md': { body: HEAD },
    });
    const reader = await readerOf(server.origin);
    const [skill] = (await reader.list({})).skills;
    expect((await readVerified(verified(reader), skill!, undefined, {})).text).toBe(HEAD);
  });
});

describe('how often an index is asked for', () => {
  it('is as seldom as the server allows, and then only whether it changed', async () => {
    const server = await web({
      [AGENT]: { ...index([entry('/pdf', HEAD)]), headers: { 'cache-control': 'public, max-age=60' } },
    });
    const clock = handClock();
    const reader = await readerOf(server.origin, { clock });
    expect((await reader.list({})).ttlMs).toBe(60_000);
    clock.advance(59_000);
    await reader.list({});
    expect(server.asked).toHaveLength(1);
    clock.advance(2_000);
    expect((await reader.list({})).skills).toHaveLength(1);
    expect(server.asked.map(({ headers }) => headers['if-none-match'] === undefined)).toEqual([true, false]);
    await reader.list({ fresh: true });
    expect(server.asked[2]?.headers).toMatchObject({ 'cache-control': 'no-cache' });
    expect(server.asked[2]?.headers['if-none-match']).toBeUndefined();
  });

  it.each([
    ['no-store', 0],
    ['private, no-cache, max-age=600', 0],
    ['max-age=600, must-revalidate', 540_000],
    ['s-maxage=600', undefined],
    ['max-age=x', undefined],
    ['max-age=99999999999999999999', 9_999_999_999_000 - 60_000],
  ])('reads cache-control: %s', async (control, ttlMs) => {
    const server = await web({
      [AGENT]: { ...index([entry('/pdf', HEAD)]), headers: { 'cache-control': control, age: '60' } },
    });
    expect((await (await readerOf(server.origin)).list({})).ttlMs).toBe(ttlMs);
  });

  it('is once for all who ask at the same time', async () => {
    const server = await web({ [AGENT]: index([entry('/pdf', HEAD)]) });
    const reader = await readerOf(server.origin);
    await Promise.all([reader.detect({}), reader.list({}), reader.get('skill://pdf/SKILL.md', {})]);
    expect(server.asked).toHaveLength(1);
  });
});

describe('what an index may name', () => {
  it('is another origin, which learns nothing of who asks', async () => {
    const elsewhere = await web({ '/pdf.md': { body: HEAD } });
    const server = await web({});
    server.pages[AGENT] = index([entry(`${elsewhere.origin}/pdf.md`, HEAD)]);
    const net = openNet({ allowPrivate: true });
    const reader = await readerOf(server.origin, { net, headers: { authorization: 'Bearer secret' } });
    const [skill] = (await reader.list({})).skills;
    expect((await readVerified(verified(reader), skill!, undefined, {})).text).toBe(HEAD);
    expect(server.asked[0]?.headers.authorization).toBe('Bearer secret');
    expect(elsewhere.asked[0]?.headers.authorization).toBeUndefined();
    await net.close();
  });

  it('is not another host of this network, though the one that was typed may be private', async () => {
    const server = await web({});
    server.pages[AGENT] = index([entry(`http://localhost:${server.port}/pdf.md`, HEAD)]);
    server.pages['/pdf.md'] = { body: HEAD };
    const reader = await readerOf(server.origin);
    const [skill] = (await reader.list({})).skills;
    expect(await codeOf(() => reader.read(skill!, 'skill://pdf/SKILL.md', {}))).toBe('NET_ADDRESS_REFUSED');
  });

  it('is not another port of the host that was typed', async () => {
    const inner = await web({ '/pdf.md': { body: HEAD } });
    const server = await web({});
    server.pages[AGENT] = index([entry(`${inner.origin}/pdf.md`, HEAD)]);
    const reader = await readerOf(server.origin);
    const [skill] = (await reader.list({})).skills;
    expect(await codeOf(() => reader.read(skill!, 'skill://pdf/SKILL.md', {}))).toBe('NET_ADDRESS_REFUSED');
    expect(inner.asked).toEqual([]);
  });

  it('is not http where the index came over https', async () => {
    const seen: string[] = [];
    const reader = await readerOf('https://skills.example', {
      fetch: async (url) => {
        seen.push(url);
        return new Response(String(index([entry('http://skills.example/pdf.md', HEAD)]).body));
      },
    });
    const [skill] = (await reader.list({})).skills;
    expect(await codeOf(() => reader.read(skill!, 'skill://pdf/SKILL.md', {}))).toBe('NET_URL_REFUSED');
    expect(seen).toEqual([`https://skills.example${AGENT}`]);
  });
});

describe('the bounds', () => {
  it('hold for an index and for what it names', async () => {
    const huge = 'x'.repeat(20_000);
    const server = await web({ [AGENT]: index([entry('/pdf', huge)]), '/pdf': { body: huge } });
    const reader = await readerOf(server.origin, { maxResourceBytes: 10_000 });
    const [skill] = (await reader.list({})).skills;
    expect(await codeOf(() => reader.read(skill!, 'skill://pdf/SKILL.md', {}))).toBe('RESOURCE_TOO_LARGE');
    server.pages[AGENT] = { body: `${' '.repeat(20_000)}{}` };
    expect(await codeOf(() => reader.list({ fresh: true }))).toBe('RESOURCE_TOO_LARGE');
  });

  it('end a body that does not', async () => {
    const server = await remote((_request, response) => endless(response, Buffer.alloc(65_536, 0x20)));
    const reader = await readerOf(server.origin, { maxResourceBytes: 1_000_000 });
    expect(await codeOf(() => reader.detect({}))).toBe('RESOURCE_TOO_LARGE');
  });

  it('end a server that does not answer', async () => {
    const server = await remote(() => {});
    const reader = await readerOf(server.origin, { timeoutMs: 50 });
    expect(await codeOf(() => reader.detect({}))).toBe('NET_TIMEOUT');
  });

  it('count what came against the budget of the server', async () => {
    const server = await web({ [AGENT]: index([entry('/pdf', HEAD)]), '/pdf': { body: 'x'.repeat(5_000) } });
    const reader = await readerOf(server.origin, { serverByteBudget: 2_000 });
    const [skill] = (await reader.list({})).skills;
    expect(await codeOf(() => reader.read(skill!, 'skill://pdf/SKILL.md', {}))).toBe(
      'SERVER_BYTE_BUDGET_EXCEEDED',
    );
  });

  it('let a caller leave', async () => {
    const server = await remote(() => {});
    const leaving = new AbortController();
    const reader = await readerOf(server.origin);
    const work = reader.list({ signal: leaving.signal });
    leaving.abort(new Error('enough'));
    await expect(work).rejects.toThrow('enough');
  });
});

describe('what a reader of web servers refuses', () => {
  it.each(['not a url', 'ftp://host.example', 'https://me:secret@host.example'])(
    'the URL %s',
    async (url) => {
      const error = await readerOf(url).catch((reason: unknown) => reason);
      expect(isSkillError(error, 'NET_URL_REFUSED')).toBe(true);
      expect(String(error)).not.toContain('secret');
    },
  );

  it.each([
    ['skill://nosuch/SKILL.md', 'RESOURCE_NOT_FOUND'],
    ['skill://team/pdf/SKILL.md', 'RESOURCE_NOT_FOUND'],
    ['skill://pdf/x.md', 'RESOURCE_NOT_FOUND'],
    ['https://host/SKILL.md', 'INVALID_SCHEME'],
  ])('a skill %s', async (uri, code) => {
    const server = await web({ [AGENT]: index([entry('/pdf', HEAD)]) });
    const reader = await readerOf(server.origin);
    expect(await codeOf(() => reader.get(uri, {}))).toBe(code);
  });

  it('a file that is gone, and a skill that became another', async () => {
    const server = await web({ [AGENT]: index([entry('/pdf', HEAD)]) });
    const reader = await readerOf(server.origin);
    const [skill] = (await reader.list({})).skills;
    await expect(reader.read(skill!, 'skill://pdf/SKILL.md', {})).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      message: expect.stringContaining('answers 404'),
    });
    server.pages[AGENT] = index([entry('/a', ARCHIVE, { type: 'archive' })]);
    expect(await codeOf(() => reader.read(skill!, 'skill://pdf/SKILL.md', { fresh: true }))).toBe(
      'RESOURCE_NOT_FOUND',
    );
  });
});

describe('WellKnownReader.readUri', () => {
  it('finds a file by its URI alone', async () => {
    const server = await web({
      [AGENT]: index([entry('/pdf', HEAD), entry('/a', ARCHIVE, { name: 'refunds', type: 'archive' })]),
      '/pdf': { body: HEAD },
      '/a': { body: ARCHIVE },
    });
    const reader = await readerOf(server.origin);
    const text = async (uri: string): Promise<string> => String((await reader.readUri(uri, {})).bytes);
    expect(await text('skill://pdf/SKILL.md')).toBe(HEAD);
    expect(await text('skill://refunds/references/how%20to.md')).toBe('x\r\n');
    for (const uri of ['skill://other/SKILL.md', 'skill://pdf/x.md', 'skill://refunds/x.md']) {
      expect(await codeOf(() => reader.readUri(uri, {}))).toBe('RESOURCE_NOT_FOUND');
    }
  });

  it('takes the archive that was listed, whatever the index says by now', async () => {
    const server = await web({
      [AGENT]: index([entry('/a', ARCHIVE, { type: 'archive' })]),
      '/a': { body: ARCHIVE },
    });
    const reader = await readerOf(server.origin);
    const [listed] = (await reader.list({})).skills;
    server.pages[AGENT] = index([]);
    await reader.list({ fresh: true });
    expect((await reader.tell(listed!, {})).entry.resources).toHaveLength(2);
  });
});

describe('whatever a web server sends', () => {
  it('an index gives skills and problems', async () => {
    const field = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
      fc.oneof(value, fc.jsonValue({ maxDepth: 1 }));
    const skill = fc.record(
      {
        name: field(fc.constantFrom('pdf', 'a-b', 'Bad', '')),
        type: field(fc.constantFrom('skill-md', 'archive', 'task')),
        description: field(fc.string()),
        url: field(fc.oneof(fc.webUrl(), fc.webPath(), fc.string())),
        digest: field(fc.constant(`sha256:${'0'.repeat(64)}`)),
        files: field(fc.array(fc.oneof(fc.string(), fc.constantFrom('SKILL.md', '../x', 'a/b')))),
      },
      { requiredKeys: [] },
    );
    const document = fc.oneof(
      fc.json(),
      fc
        .record(
          { $schema: fc.constantFrom(SCHEMA, 'other'), skills: fc.array(skill) },
          { requiredKeys: ['skills'] },
        )
        .map((value) => JSON.stringify(value)),
    );
    const { client } = await scripted({ answer: () => undefined });
    const context = contextOf(client);
    await fc.assert(
      fc.asyncProperty(document, fc.boolean(), async (body, tolerant) => {
        const reader = new WellKnownReader(context, {
          url: 'https://skills.example',
          fetch: async (url) =>
            new Response(url.endsWith(AGENT) ? body : null, { status: url.endsWith(AGENT) ? 200 : 404 }),
          timeoutMs: 10_000,
          archives: new ArchiveFiles(),
          tolerant,
        });
        const { skills, problems } = await reader.list({});
        for (const { code } of problems) expect(code).toMatch(/^[A-Z_]+$/);
        for (const {
          entry: { uri },
        } of skills) {
          const found = await reader.get(uri, {}).catch((error: unknown) => error);
          if (!isSkillError(found)) expect(found).toMatchObject({ entry: { uri } });
        }
      }),
      { numRuns: 100 },
    );
  });
});
