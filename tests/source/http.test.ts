import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { isSkillError, SkillError } from '../../src/errors.ts';
import type { Logger } from '../../src/logger.ts';
import {
  type ArchiveStore,
  type FetchArchiveOptions,
  type FetchedArchive,
  fetchArchive,
  type SourceProgress,
} from '../../src/source/index.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { tarGz } from '../archive/build-tar.ts';
import { type ArchiveServer, archiveServer } from './archive-server.ts';
import { packTarGz, packZip } from './pack-files.ts';
import { look, tempFolder } from './support.ts';

const MANIFEST = '---\nname: pdf\ndescription: d\n---\n';
const FILES = { 'pdf/SKILL.md': MANIFEST, 'docx/SKILL.md': MANIFEST.replace('pdf', 'docx') };
const TAR = packTarGz(FILES);
const ZIP = packZip(FILES);
const NAMES = ['docx', 'pdf'];

let server: ArchiveServer;
beforeAll(async () => {
  server = await archiveServer();
});
afterAll(() => server.close());

const opened: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});

async function get(url: string | URL, options: FetchArchiveOptions = {}): Promise<FetchedArchive> {
  const source = await fetchArchive(url, { allowPrivate: true, ...options });
  opened.push(source);
  return source;
}

async function failure(url: string | URL, options: FetchArchiveOptions = {}): Promise<SkillError> {
  try {
    await get(url, options);
  } catch (error) {
    if (isSkillError(error)) return error;
    throw error;
  }
  throw new Error('no error');
}

function storeIn(folder: string): Store {
  const store = openStore(folder);
  opened.push(store);
  return store;
}

/** Temporary files in a store's folder. */
function tempFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.parentPath.startsWith(join(folder, 'tmp')))
    .map(({ name }) => name);
}

let number = 0;
/** A path of its own for a test, answered with `answer`. */
function put(
  name: string,
  answer: Buffer | ((response: ServerResponse) => void),
  headers: Record<string, string> = {},
): string {
  number += 1;
  const reply =
    typeof answer === 'function' ? (_: unknown, response: ServerResponse) => answer(response) : answer;
  return server.put(`/${number}/${name}`, reply, headers);
}

describe('fetchArchive', () => {
  test.each([
    ['tar.gz', TAR],
    ['zip', ZIP],
  ] as const)('serves a %s, laid out as openArchive does', async (format, bytes) => {
    const source = await get(put(`a.${format}`, bytes));
    expect(source.format).toBe(format);
    expect(look(source, '')).toEqual(NAMES);
    expect(source.notModified).toBe(false);
    expect(source.digest).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    expect(look(await get(put('a', packTarGz(FILES, { wrapper: 'repo-main' }))), '')).toEqual(NAMES);
    expect(look(await get(put('a', packZip({ 'SKILL.md': MANIFEST, x: '' }))), '')).toEqual(['pdf']);
    expect((await failure(put('a', packZip({ 'SKILL.md': 'x' })))).code).toBe('MISSING_FRONTMATTER');
  });

  test.each<[string, string, Record<string, string>, Buffer, string]>([
    ['by its first bytes', 'a', {}, ZIP, 'zip'],
    [
      'by its first bytes, whatever its URL says',
      'a.tar.gz',
      { 'content-type': 'application/gzip' },
      ZIP,
      'zip',
    ],
    ['by the end of the path, where the bytes say nothing', 'a.zip?token=x.tar.gz', {}, packZip({}), 'zip'],
    [
      'by its content type, where nothing else does',
      'a',
      { 'content-type': 'application/zip; x=y' },
      packZip({}),
      'zip',
    ],
  ])('tells the format %s', async (_, name, headers, bytes, format) => {
    expect((await get(put(name, bytes, headers))).format).toBe(format);
  });

  test('takes the format it is told', async () => {
    expect((await failure(put('a', ZIP), { format: 'tar.gz' })).code).toBe('ARCHIVE_CORRUPT');
  });

  test('says when a page came and no archive', async () => {
    const page = put('a.tar.gz', Buffer.from('<!doctype html>Log in'), {
      'content-type': 'text/html; charset=utf-8',
    });
    const { code, message } = await failure(page);
    expect(code).toBe('ARCHIVE_UNKNOWN_FORMAT');
    expect(message).toContain('the server sent text/html');
    const other = await failure(
      put('a', Buffer.from('hello'), { 'content-type': 'application/octet-stream' }),
    );
    expect([other.code, other.message]).toEqual([
      'ARCHIVE_UNKNOWN_FORMAT',
      expect.stringContaining('68656c6c'),
    ]);
  });

  test('refuses a hostile archive by its code', async () => {
    const evil = put('a', tarGz([{ name: '../evil', body: 'x' }]));
    const folder = tempFolder();
    expect((await failure(evil, { store: storeIn(folder) })).code).toBe('ARCHIVE_PATH_TRAVERSAL');
    expect(tempFiles(folder)).toEqual([]);
    const large = put('a', packTarGz({ a: Buffer.alloc(1_000) }));
    expect((await failure(large, { unpack: { maxBytes: 999 } })).code).toBe('ARCHIVE_TOO_LARGE');
  });
});

describe('the download', () => {
  test.each<[string, () => string, Partial<FetchArchiveOptions>, string, string]>([
    ['a missing file', () => `${server.origin}/none`, {}, 'NET_STATUS', 'answers 404'],
    [
      'a failing server',
      () => put('a', (response) => response.writeHead(503, { 'retry-after': '30' }).end()),
      {},
      'NET_STATUS',
      'asks to wait: 30',
    ],
    [
      'a body that ends early',
      () =>
        put('a', (response) => {
          response.writeHead(200, { 'content-length': '100' }).write('x');
          setTimeout(() => response.destroy(), 20);
        }),
      {},
      'NET_FAILED',
      '',
    ],
    [
      'a body that drips',
      () =>
        put('a', (response) => {
          response.writeHead(200);
          const timer = setInterval(() => response.write('x'), 10);
          response.on('close', () => clearInterval(timer));
        }),
      { totalTimeoutMs: 150 },
      'NET_TIMEOUT',
      'takes longer than 0.15 s',
    ],
    [
      'redirects without end',
      () =>
        put('a', (response) => response.writeHead(302, { location: server.origin + response.req.url }).end()),
      {},
      'NET_TOO_MANY_REDIRECTS',
      '5 redirects',
    ],
    [
      'a host that is not allowed',
      () => put('a', TAR),
      { allowedHosts: ['skills.example'] },
      'NET_HOST_REFUSED',
      '',
    ],
    [
      'an address that is not public',
      () => put('a', TAR),
      { allowPrivate: false },
      'NET_ADDRESS_REFUSED',
      '',
    ],
    [
      'a redirect to another host of this machine',
      () =>
        put('a', (response) =>
          response.writeHead(302, { location: server.origin.replace('127.0.0.1', '127.0.0.2') }).end(),
        ),
      { allowPrivate: (host) => host === '127.0.0.1' },
      'NET_ADDRESS_REFUSED',
      'to which 127.0.0.1',
    ],
    ['another scheme', () => 'ftp://skills.example/a.zip', {}, 'NET_URL_REFUSED', 'ftp:'],
    ['credentials in the URL', () => 'https://me:pw@skills.example/a.zip', {}, 'NET_URL_REFUSED', ''],
  ])('fails at %s, with the error of the network as its cause', async (_, url, options, net, words) => {
    const before = server.seen.length;
    const { code, message, details, cause } = await failure(url(), options);
    expect(code).toBe('ARCHIVE_DOWNLOAD_FAILED');
    expect(details.net).toBe(net);
    expect(isSkillError(cause, net as 'NET_FAILED')).toBe(true);
    expect(message).toContain(words);
    expect(message).not.toContain('pw');
    expect(server.seen.length - before).toBeLessThanOrEqual(6);
  });

  test('fails at what is no URL', async () => {
    const { code, details } = await failure('not a url');
    expect([code, details]).toEqual(['ARCHIVE_DOWNLOAD_FAILED', { net: 'NET_URL_REFUSED' }]);
  });

  test('follows a redirect', async () => {
    const to = put('b.zip', ZIP);
    const from = put('a', (response) => response.writeHead(302, { location: to }).end());
    expect(look(await get(from), '')).toEqual(NAMES);
  });

  test.each(['announced', 'endless'] as const)('is cut off at maxBytes: a body that is %s', async (kind) => {
    const folder = tempFolder();
    const url = put('a.zip', (response) => {
      if (kind === 'announced') {
        response.writeHead(200, { 'content-length': String(ZIP.length) }).end(ZIP);
        return;
      }
      response.writeHead(200);
      const chunk = Buffer.alloc(65_536);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    for (const store of [undefined, storeIn(folder)]) {
      const error = await failure(url, { maxBytes: ZIP.length - 1, ...(store && { store }) });
      expect(error.code).toBe('ARCHIVE_EXCEEDS_MAX_BYTES');
      expect(error.details).toMatchObject({ limit: ZIP.length - 1, net: 'NET_TOO_LARGE' });
      expect(isSkillError(error.cause, 'NET_TOO_LARGE')).toBe(true);
    }
    expect(tempFiles(folder)).toEqual([]);
    if (kind === 'announced') expect(look(await get(url, { maxBytes: ZIP.length }), '')).toEqual(NAMES);
  });

  test.each(['memory', 'disk'] as const)(
    'ends with the signal, in the middle of the body: %s',
    async (where) => {
      const folder = tempFolder();
      const controller = new AbortController();
      const url = put('a', (response) => {
        response.writeHead(200).write('x');
        setTimeout(() => controller.abort(new Error('enough')), 20);
      });
      await expect(
        get(url, { signal: controller.signal, ...(where === 'disk' ? { store: storeIn(folder) } : {}) }),
      ).rejects.toThrow('enough');
      expect(tempFiles(folder)).toEqual([]);
      await expect(get(url, { signal: controller.signal })).rejects.toThrow('enough');
    },
  );

  test('sends what the request modifier adds', async () => {
    await get(put('a', TAR), {
      headers: { 'x-one': '1' },
      request: async ({ headers, url, method }) => {
        headers.set('authorization', `Bearer ${method} ${url.pathname.length}`);
      },
    });
    expect(server.last()).toMatchObject({
      'x-one': '1',
      authorization: expect.stringMatching(/^Bearer GET \d$/),
    });
  });

  test('goes through a fetch of its own', async () => {
    const asked: string[] = [];
    const source = await get('https://skills.example/a.zip', {
      allowPrivate: false,
      fetch: async (url) => {
        asked.push(url);
        return new Response(new Uint8Array(ZIP)) as never;
      },
    });
    expect(asked).toEqual(['https://skills.example/a.zip']);
    expect(look(source, '')).toEqual(NAMES);
  });

  test('is held against a digest', async () => {
    const url = put('a', TAR);
    const { digest } = await get(url);
    expect((await get(url, { digest })).digest).toBe(digest);
    const other = `sha256:${'0'.repeat(64)}`;
    expect(await failure(url, { digest: other })).toMatchObject({
      code: 'DIGEST_MISMATCH',
      details: { expected: other, actual: digest },
    });
    expect((await failure(url, { digest: 'sha256:short' })).code).toBe('USAGE');
  });

  test('tells how far it is', async () => {
    const told: SourceProgress[] = [];
    const url = put('a.tar.gz?token=secret', TAR, { 'content-length': String(TAR.length) });
    await get(url, { onProgress: (progress) => told.push(progress) });
    const label = `${url.split('?')[0]}?…`;
    expect(told.filter(({ step }) => step === 'download').at(-1)).toEqual({
      step: 'download',
      label,
      bytes: TAR.length,
      total: TAR.length,
    });
    expect(told.at(-1)).toEqual({ step: 'unpack', label, bytes: TAR.length, total: TAR.length });
  });

  test('shows no query anywhere', async () => {
    const url = put('a.zip?sig=SECRET', Buffer.from('no archive'));
    const error = await failure(url);
    expect(`${error.message} ${JSON.stringify(error.details)}`).not.toContain('SECRET');
    expect((await get(put('a.zip?sig=SECRET', ZIP))).label).not.toContain('SECRET');
  });
});

describe('with a store', () => {
  test('a zip stays in a temporary file until it is closed, and a tar goes at once', async () => {
    const folder = tempFolder();
    const store = storeIn(folder);
    const source = await get(put('a', ZIP), { store });
    expect(tempFiles(folder)).toHaveLength(1);
    expect((await source.read('pdf/SKILL.md')).bytes.toString()).toBe(MANIFEST);
    await Promise.all([source.close(), source.close()]);
    expect(tempFiles(folder)).toEqual([]);
    const tar = await get(put('a', TAR), { store });
    expect(tempFiles(folder)).toEqual([]);
    expect((await tar.read('pdf/SKILL.md')).bytes.toString()).toBe(MANIFEST);
  });

  test('nothing is on disk with streamToDisk: false', async () => {
    const folder = tempFolder();
    const source = await get(put('a', ZIP), { store: storeIn(folder), streamToDisk: false });
    expect(tempFiles(folder)).toEqual([]);
    expect(look(source, '')).toEqual(NAMES);
  });

  /** A server that has `bytes` under an `ETag` and says so. */
  function versioned(
    bytes: Buffer,
    headers: Record<string, string> = {},
  ): { url: string; statuses: number[] } {
    const statuses: number[] = [];
    const url = put('v.zip', (response) => {
      const same = response.req.headers['if-none-match'] === '"1"';
      statuses.push(same ? 304 : 200);
      response.writeHead(same ? 304 : 200, { etag: '"1"', ...headers }).end(same ? undefined : bytes);
    });
    return { url, statuses };
  }

  test.each([
    ['zip', ZIP],
    ['tar', TAR],
  ])('a %s that did not change is not sent again', async (_, bytes) => {
    const folder = tempFolder();
    const { url, statuses } = versioned(bytes);
    const first = await get(url, { store: storeIn(folder) });
    const again = await get(`${url}#part`, { store: storeIn(folder) });
    expect(statuses).toEqual([200, 304]);
    expect([first.notModified, again.notModified]).toEqual([false, true]);
    expect(again.digest).toBe(first.digest);
    expect(look(again, '')).toEqual(NAMES);
    expect((await failure(url, { store: storeIn(folder), maxBytes: bytes.length - 1 })).code).toBe(
      'ARCHIVE_EXCEEDS_MAX_BYTES',
    );
    const digest = `sha256:${'0'.repeat(64)}`;
    expect((await failure(url, { store: storeIn(folder), digest })).code).toBe('DIGEST_MISMATCH');
  });

  test('one that was damaged on disk is sent again', async () => {
    const folder = tempFolder();
    const { url, statuses } = versioned(ZIP);
    await get(url, { store: storeIn(folder) });
    const [name = ''] = readdirSync(join(folder, 'entries'));
    const kept = readFileSync(join(folder, 'entries', name));
    kept.writeUInt8((kept.at(-30) ?? 0) ^ 1, kept.length - 30);
    writeFileSync(join(folder, 'entries', name), kept);
    expect((await get(url, { store: storeIn(folder) })).notModified).toBe(false);
    expect(statuses).toEqual([200, 200]);
  });

  test.each<[string, Record<string, string>, Partial<FetchArchiveOptions>]>([
    ['its server says so', { 'cache-control': 'max-age=0, no-store' }, {}],
    ['the caller says so', {}, { cacheable: false }],
  ])('nothing is kept when %s', async (_, headers, options) => {
    const folder = tempFolder();
    const { url, statuses } = versioned(ZIP, headers);
    for (let round = 0; round < 2; round += 1) await get(url, { store: storeIn(folder), ...options });
    expect(statuses).toEqual([200, 200]);
  });

  test.each([
    [true, [200, 200]],
    [false, [200, 304]],
  ])(
    'a time alone is kept for an address itself, and not for one that it redirects to: %j',
    async (redirects, right) => {
      const statuses: number[] = [];
      const time = 'Tue, 01 Jan 2030 00:00:00 GMT';
      const at = put('v.zip', (response) => {
        const same = response.req.headers['if-modified-since'] === time;
        statuses.push(same ? 304 : 200);
        response.writeHead(same ? 304 : 200, { 'last-modified': time }).end(same ? undefined : ZIP);
      });
      const from = put('latest', (response) => response.writeHead(302, { location: at }).end());
      const folder = tempFolder();
      for (let round = 0; round < 2; round += 1) await get(redirects ? from : at, { store: storeIn(folder) });
      expect(statuses).toEqual(right);
    },
  );

  test('what is refused is not kept', async () => {
    const folder = tempFolder();
    const { url, statuses } = versioned(tarGz([{ name: '../evil', body: 'x' }]));
    await failure(url, { store: storeIn(folder) });
    await failure(url, { store: storeIn(folder) });
    expect(statuses).toEqual([200, 200]);
  });

  test('a 304 that nobody asked for is no archive', async () => {
    const url = put('a', (response) => response.writeHead(304).end());
    expect((await failure(url)).details.net).toBe('NET_STATUS');
    const { code, message } = await failure(url, { headers: { 'if-none-match': '"x"' } });
    expect([code, message]).toEqual(['ARCHIVE_DOWNLOAD_FAILED', expect.stringContaining('not asked about')]);
  });

  test('a store that does not work is done without, and somebody hears of it', async () => {
    const heard: string[] = [];
    const hear = (message: string): void => void heard.push(message);
    const logger: Logger = { debug: hear, info: hear, warn: hear, error: hear };
    const no = async (): Promise<never> => {
      throw new SkillError('WRITE_FAILED', 'the disk is not there');
    };
    const store: ArchiveStore = { get: no, put: no, tempFile: no };
    const url = put('a', ZIP, { etag: '"1"' });
    expect(look(await get(url, { store, logger }), '')).toEqual(NAMES);
    expect(heard).toEqual([
      'no archive of before is looked up: the disk is not there',
      'the archive is held in memory: the disk is not there',
      'the archive is not kept: the disk is not there',
    ]);
  });

  test('a disk that fills up ends the download and keeps nothing', async () => {
    let discarded = 0;
    const store: ArchiveStore = {
      get: async () => undefined,
      put: async () => true,
      tempFile: async () => ({
        write: async () => {
          throw new SkillError('WRITE_FAILED', 'the disk is full');
        },
        done: async () => '',
        discard: async () => {
          discarded += 1;
        },
      }),
    };
    expect((await failure(put('a', ZIP), { store })).code).toBe('WRITE_FAILED');
    expect(discarded).toBe(1);
  });

  test('what a killed process had open is removed when the next one begins', async () => {
    const folder = tempFolder();
    const program = join(import.meta.dirname, 'crash-child.ts');
    const child = spawn(process.execPath, ['--import', 'tsx', program, folder, put('a', ZIP)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      await once(child.stdout, 'data');
      expect(tempFiles(folder)).toHaveLength(1);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    expect(tempFiles(folder)).toHaveLength(1);
    await get(put('a', TAR), { store: storeIn(folder) });
    expect(tempFiles(folder)).toEqual([]);
  });

  test('no connection stays open', async () => {
    await get(put('a', ZIP), { store: storeIn(tempFolder()) });
    await failure(put('a', ZIP), { maxBytes: 10 });
    for (let round = 0; round < 100 && server.open() > 0; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(server.open()).toBe(0);
  });
});
