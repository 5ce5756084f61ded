import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { unpackArchive } from '../../src/archive/index.ts';
import { SkillError } from '../../src/errors.ts';
import { createHttpApp, type HttpAppOptions } from '../../src/http/index.ts';
import {
  createProvider,
  type ProviderOptions,
  type SkillProvider,
  type WellKnown,
} from '../../src/server/index.ts';
import { type MemorySource, memorySource } from '../../src/source/index.ts';
import { parseDiscoveryIndex, parseLegacyIndex } from '../../src/wire/index.ts';
import { fakeProvider } from './fake-provider.ts';
import { type Answer, send, start } from './harness.ts';

const INDEX = '/.well-known/agent-skills/index.json';
const OLDER = '/.well-known/skills/index.json';
const BODY = Buffer.concat([
  Buffer.from('---\nname: all\ndescription: All kinds of files\n---\n'),
  Buffer.from('Line ends\r\nof two kinds\n'),
]);
const FILES: Record<string, Buffer | string> = {
  'group/all/SKILL.md': BODY,
  'group/all/references/how to.md': '# How\r\nto\r\n',
  'group/all/references/名前 é.md': '# 名前\n',
  'group/all/bom.txt': Buffer.from([0xef, 0xbb, 0xbf, 0x78]),
  'group/all/assets/picture.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0xff, 0xfe]),
  'group/all/assets/page.html': '<script>alert(1)</script>',
  'group/all/assets/page.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'group/all/data.json': '{"a":1}',
  'group/all/empty': '',
  'group/all/odd/~!$&\'()*+,;=:@[]{}|^`"<>.md': 'odd',
  'one/SKILL.md': '---\nname: one\ndescription: One file\n---\n\nBody.\n',
};
const sha256 = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

interface Site {
  readonly port: number;
  readonly base: string;
  readonly provider: SkillProvider;
  readonly source: MemorySource;
}

async function site(
  options: Partial<HttpAppOptions> = {},
  providerOptions: Partial<ProviderOptions> = {},
  files: Readonly<Record<string, Buffer | string>> = FILES,
): Promise<Site> {
  const source = memorySource(files);
  const provider = await createProvider({ source, ...providerOptions });
  onTestFinished(() => provider.close());
  const { port } = await start({ provider, ...options });
  return { port, base: `http://127.0.0.1:${port}`, provider, source };
}

const get = (
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<Answer> => send(port, { method, path, headers });

async function discovered(base: string, headers: Record<string, string> = {}) {
  const response = await fetch(base + INDEX, { headers });
  expect(response.status).toBe(200);
  const { skills, problems } = parseDiscoveryIndex(await response.text(), response.url);
  expect(problems).toEqual([]);
  return skills;
}

describe('what installers fetch', () => {
  it('is named by the index relative to it, with the digest, and unpacks to the files byte for byte', async () => {
    const { base } = await site();
    const skills = await discovered(base);
    expect(skills.map(({ name, type }) => [name, type])).toEqual([
      ['all', 'archive'],
      ['one', 'skill-md'],
    ]);
    const sent = new Map<string, Buffer>();
    for (const { name, type, url, digest } of skills) {
      const response = await fetch(url);
      const bytes = Buffer.from(await response.arrayBuffer());
      expect(sha256(bytes)).toBe(digest);
      expect(response.headers.get('etag')).toBe(`"${digest}"`);
      expect(response.headers.get('content-type')).toBe(
        type === 'archive' ? 'application/gzip' : 'text/markdown; charset=utf-8',
      );
      if (type === 'skill-md') sent.set(`${name}/SKILL.md`, bytes);
      else
        for (const file of await unpackArchive(bytes))
          sent.set(`group/${name}/${file.path}`, Buffer.from(file.bytes));
    }
    expect(new Map([...sent].sort())).toEqual(
      new Map(
        Object.entries(FILES)
          .map(([path, bytes]): [string, Buffer] => [path, Buffer.from(bytes)])
          .sort(),
      ),
    );
  });

  it('lies file by file where the older index says, also when a name is not encoded', async () => {
    const { base } = await site();
    const { skills, problems } = parseLegacyIndex(await (await fetch(base + OLDER)).text());
    expect(problems).toEqual([]);
    const sent = new Map<string, Buffer>();
    for (const { name, files } of skills) {
      expect(files[0]).toBe('SKILL.md');
      for (const file of files) {
        const plain = await fetch(`${base}/.well-known/skills/${name}/${file}`);
        const encoded = await fetch(
          `${base}/.well-known/skills/${name}/${file.split('/').map(encodeURIComponent).join('/')}`,
        );
        const bytes = Buffer.from(await plain.arrayBuffer());
        expect([plain.status, encoded.status]).toEqual([200, 200]);
        expect(Buffer.from(await encoded.arrayBuffer())).toEqual(bytes);
        expect(plain.headers.get('etag')).toBe(`"${sha256(bytes)}"`);
        sent.set(`${name === 'all' ? 'group/' : ''}${name}/${file}`, bytes);
      }
    }
    expect(sent.size).toBe(Object.keys(FILES).length);
    for (const [path, bytes] of Object.entries(FILES)) expect(sent.get(path)).toEqual(Buffer.from(bytes));
  });

  it.each([
    ['SKILL.md', 'text/markdown; charset=utf-8'],
    ['data.json', 'application/json'],
    ['assets/picture.png', 'image/png'],
    ['assets/page.html', 'text/plain; charset=utf-8'],
    ['assets/page.svg', 'application/octet-stream'],
    ['bom.txt', 'text/plain; charset=utf-8'],
    ['empty', 'text/plain; charset=utf-8'],
  ])('%s goes out as %s, and no browser makes a page of it', async (file, type) => {
    const { port } = await site();
    const { headers } = await get(port, `/.well-known/skills/all/${file}`);
    expect(headers).toMatchObject({
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
    });
  });
});

describe('requests', () => {
  const places = async ({ base }: Site): Promise<readonly (readonly [string, string, string])[]> => {
    const [all, one] = await discovered(base);
    const below = (url = ''): string => url.slice(base.length);
    return [
      [INDEX, 'private, max-age=5', 'application/json'],
      [OLDER, 'private, max-age=5', 'application/json'],
      [below(all?.url), 'private, max-age=31536000, immutable', 'application/gzip'],
      [below(one?.url), 'private, max-age=31536000, immutable', 'text/markdown; charset=utf-8'],
      ['/.well-known/skills/one/SKILL.md', 'private, no-cache', 'text/markdown; charset=utf-8'],
    ];
  };

  it('GET, HEAD and If-None-Match agree everywhere', async () => {
    const running = await site();
    for (const [path, cache, type] of await places(running)) {
      const full = await get(running.port, path);
      expect(full.headers).toMatchObject({ 'cache-control': cache, 'content-type': type });
      const etag = full.headers.etag ?? '';
      expect(etag).toMatch(/^"sha256:[0-9a-f]{64}"$/);
      expect(full.headers).not.toHaveProperty('access-control-allow-origin');
      expect(full.headers).not.toHaveProperty('vary');
      const head = await get(running.port, path, {}, 'HEAD');
      expect([head.status, head.text, head.headers['content-length']]).toEqual([
        200,
        '',
        full.headers['content-length'],
      ]);
      expect(head.headers.etag).toBe(etag);
      for (const sent of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        for (const method of ['GET', 'HEAD']) {
          const same = await get(running.port, path, { 'if-none-match': sent }, method);
          expect([same.status, same.text, same.headers.etag, same.headers['cache-control']]).toEqual([
            304,
            '',
            etag,
            cache,
          ]);
        }
      }
      for (const sent of ['"sha256:0"', etag.slice(1, -1), '']) {
        expect((await get(running.port, path, { 'if-none-match': sent })).status).toBe(200);
      }
    }
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s is not allowed', async (method) => {
    const { port } = await site();
    for (const path of [INDEX, OLDER, '/.well-known/skills/one/SKILL.md', '/.well-known/skills/none/x']) {
      const answer = await get(port, path, {}, method);
      expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD']);
    }
  });

  it('an index takes a query that gets past a cache, and says no-cache with a ttl of 0', async () => {
    const { port } = await site({}, { ttlMs: 0 });
    for (const path of [INDEX, OLDER]) {
      const answer = await get(port, `${path}?t=1`);
      expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'private, no-cache']);
    }
  });

  it.each([
    '/.well-known/skills/',
    '/.well-known/skills',
    '/.well-known/agent-skills/',
    '/.well-known/',
    '/.well-known/other/index.json',
    '//.well-known/skills/one/SKILL.md',
    '/.well-known//skills/one/SKILL.md',
    '/.well-known/skills//one/SKILL.md',
    '/.well-known/skills/one//SKILL.md',
    '/.well-known/skills/one/SKILL.md/',
    '/.well-known/skills/one/./SKILL.md',
    '/.well-known/skills/one/%2e/SKILL.md',
    '/.well-known/skills/one/../all/SKILL.md',
    '/.well-known/skills/one/%2e%2e/all/SKILL.md',
    '/.well-known/skills/one/..%2fall%2fSKILL.md',
    '/.well-known/skills/one/%252e%252e/all/SKILL.md',
    '/.well-known/skills/one%2FSKILL.md',
    '/.well-known/skills/all/references%2Fhow%20to.md',
    '/.well-known/skills/all/references%5Chow%20to.md',
    '/.well-known/skills/all/references\\how%20to.md',
    '/.well-known/skills/one/SKILL.md%00',
    '/.well-known/skills/one/SKILL.md%00.png',
    '/.well-known/skills/one/SKILL.md%0d%0aX-Evil:%201',
    '/.well-known/skills/one/SKILL.md?x',
    '/.well-known/skills/all/bom.txt?',
    '/.well-known/skills/one/SKILL.md;x',
    '/.well-known/skills/one/skill.md',
    '/.well-known/skills/ONE/SKILL.md',
    '/.well-known/skills/one/SKILL%2Emd%20',
    '/.well-known/skills/one/%E0%A4%A',
    '/.well-known/skills/one/%FF',
    '/.well-known/skills/one/%C0%AE%C0%AE/all/SKILL.md',
    '/.well-known/skills/one',
    '/.well-known/skills/group/all/SKILL.md',
    '/.well-known/skills/__proto__/SKILL.md',
    '/.well-known/skills/constructor/name',
    '/.well-known/agent-skills/one/SKILL.md',
    '/.well-known/agent-skills/all/bom.txt',
    '/.WELL-KNOWN/skills/one/SKILL.md',
    '/.well%2dknown/skills/one/SKILL.md',
    `/.well-known/skills/one/${'a'.repeat(9_000)}`,
  ])('%.80s leads to nothing', async (path) => {
    const { port } = await site();
    const answer = await rawGet(port, path);
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /);
    expect(answer).not.toContain('Body.');
    expect(answer.toLowerCase()).not.toContain('x-evil');
  });

  it('every artifact path with a changed character leads to nothing', async () => {
    const { base, port } = await site();
    for (const { url } of await discovered(base)) {
      const path = url.slice(base.length);
      const from = '/.well-known/agent-skills/'.length;
      for (let at = from; at < path.length; at += 3) {
        const other = path[at] === 'x' ? 'y' : 'x';
        expect((await get(port, path.slice(0, at) + other + path.slice(at + 1))).status).toBe(404);
      }
      expect((await get(port, `${path}?`)).status).toBe(404);
    }
  });

  it('are 404 where the dialect is off, and where the provider has none', async () => {
    const off = await site({}, { dialects: ['released'] });
    expect((await get(off.port, INDEX)).status).toBe(404);
    const { port } = await start({ provider: fakeProvider() });
    for (const path of [INDEX, OLDER]) expect((await get(port, path)).status).toBe(404);
  });

  it('find the new index, and not the old artifact, after an edit', async () => {
    const { base, provider, source } = await site();
    const [before] = await discovered(base);
    source.set('group/all/data.json', '{"a":2}');
    await provider.refresh();
    expect((await fetch(before?.url ?? '')).status).toBe(404);
    const [after] = await discovered(base);
    const bytes = Buffer.from(await (await fetch(after?.url ?? '')).arrayBuffer());
    expect(sha256(bytes)).toBe(after?.digest);
    expect(after?.digest).not.toBe(before?.digest);
  });

  it.each([
    ['FILE_CHANGED', 503, '1'],
    ['PROVIDER_CLOSED', 503, '1'],
    ['FILE_UNREADABLE', 500, undefined],
    ['ARCHIVE_TOO_LARGE', 500, undefined],
  ] as const)('%s is %i and tells nothing of this machine', async (code, status, retry) => {
    const fail = async (): Promise<never> => {
      throw new SkillError(code, '/home/somebody/skills/x cannot be read');
    };
    const wellKnown: WellKnown = {
      ttlMs: 0,
      prepare: () => undefined,
      index: fail,
      legacyIndex: fail,
      artifact: fail,
      legacyFile: fail,
    };
    const { port } = await start({ provider: Object.assign(fakeProvider(), { wellKnown }) });
    for (const path of [INDEX, OLDER, '/.well-known/skills/a/b', '/.well-known/agent-skills/a/b']) {
      const answer = await get(port, path);
      expect([answer.status, answer.headers['retry-after']]).toEqual([status, retry]);
      expect(answer.headers['cache-control']).toBe('no-store');
      expect(answer.text).not.toContain('somebody');
    }
  });

  it('a client that goes away while the index is made harms nobody', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => index).flatMap((index) => [
        [`s${index}/SKILL.md`, `---\nname: s${index}\ndescription: x\n---\n`],
        [`s${index}/x`, 'x'.repeat(1_000)],
      ]),
    );
    const { base, port } = await site({}, {}, files);
    for (let round = 0; round < 5; round++) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(`GET ${INDEX} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      socket.destroy();
    }
    expect(await discovered(base)).toHaveLength(100);
  });
});

describe('the guard and the token', () => {
  const PATHS = [INDEX, OLDER, '/.well-known/skills/one/SKILL.md', '/.well-known/skills/none/x'];

  it.each([
    ['a foreign Host', { host: 'evil.example' }],
    ['a foreign Origin', { origin: 'https://evil.example' }],
    ['the Origin null', { origin: 'null' }],
  ])('apply as for /mcp: %s', async (_, headers) => {
    const { port } = await site();
    for (const path of PATHS) {
      const answer = await get(port, path, headers);
      expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([403, undefined]);
    }
  });

  it('apply as for /mcp: the token, without which nobody learns what exists', async () => {
    const { port } = await site({ token: 's3cret' });
    for (const path of PATHS) {
      expect((await get(port, path)).status).toBe(401);
      expect((await get(port, path, { authorization: 'Bearer wrong' })).status).toBe(401);
      const answer = await get(port, path, { authorization: 'Bearer s3cret' });
      expect(answer.status).toBe(path.includes('none') ? 404 : 200);
      expect(answer.headers.vary).toBe('authorization');
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('a provider function gives each principal the skills of its own', async () => {
    const providers = new Map<string, SkillProvider>();
    for (const name of ['ann', 'ben']) {
      const source = memorySource({ [`${name}/SKILL.md`]: `---\nname: ${name}\ndescription: x\n---\n` });
      const provider = await createProvider({ source });
      onTestFinished(() => provider.close());
      providers.set(name, provider);
    }
    const { port } = await start({
      token: (token) => (providers.has(token) ? { id: token } : undefined),
      provider: ({ id }) => providers.get(id) as SkillProvider,
    });
    for (const name of ['ann', 'ben']) {
      const authorization = `Bearer ${name}`;
      const answer = await get(port, INDEX, { authorization });
      expect(answer.json.skills.map((skill: { name: string }) => skill.name)).toEqual([name]);
      expect(answer.headers).toMatchObject({ vary: 'authorization', 'cache-control': 'private, max-age=5' });
      const other = name === 'ann' ? 'ben' : 'ann';
      expect((await get(port, `/.well-known/skills/${other}/SKILL.md`, { authorization })).status).toBe(404);
    }
  });
});

describe('publicWellKnown', () => {
  it('opens the well-known documents to everybody, and nothing else', async () => {
    const { base, port } = await site({ token: 's3cret', publicWellKnown: true });
    const [all] = await discovered(base);
    const paths = [INDEX, OLDER, (all?.url ?? '').slice(base.length), '/.well-known/skills/one/SKILL.md'];
    for (const path of paths) {
      for (const headers of [
        {},
        { host: 'rebound.example' },
        { origin: 'https://page.example' },
        { origin: 'null' },
        { authorization: 'Bearer wrong' },
      ]) {
        const answer = await get(port, path, headers);
        expect(answer.status).toBe(200);
        expect(answer.headers).toMatchObject({
          'access-control-allow-origin': '*',
          'access-control-expose-headers': 'etag',
          'cross-origin-resource-policy': 'cross-origin',
        });
        expect(answer.headers['cache-control']).toMatch(/^public, /);
        expect(answer.headers).not.toHaveProperty('vary');
        expect(answer.headers).not.toHaveProperty('access-control-allow-credentials');
      }
      const preflight = await get(port, path, { origin: 'https://page.example' }, 'OPTIONS');
      expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([
        204,
        'GET, HEAD',
      ]);
      expect(preflight.headers['access-control-allow-headers']).toBe('if-none-match');
      expect((await get(port, path, {}, 'POST')).status).toBe(405);
    }
    expect((await get(port, '/mcp')).status).toBe(401);
    expect(
      (await get(port, '/mcp', { host: 'rebound.example', authorization: 'Bearer s3cret' })).status,
    ).toBe(403);
    expect((await get(port, '/.well-known/other')).status).toBe(401);
    expect((await get(port, '/.well-known/skills')).status).toBe(401);
    const missing = await get(port, '/.well-known/skills/none/SKILL.md');
    expect([missing.status, missing.headers['access-control-allow-origin']]).toEqual([404, '*']);
  });

  it('needs one provider for everybody', () => {
    const provider = (): SkillProvider => fakeProvider();
    expect(() => createHttpApp({ provider, publicWellKnown: true })).toThrow(
      expect.objectContaining({ code: 'USAGE' }),
    );
  });

  it('opens no address by itself', () => {
    expect(() =>
      createHttpApp({ provider: fakeProvider(), publicWellKnown: true, boundHost: '0.0.0.0' }),
    ).toThrow(expect.objectContaining({ code: 'BIND_REFUSED' }));
  });
});

/** A request whose path goes out byte for byte, which node:http would not let through. */
function rawGet(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', reject);
    socket.on('close', () => resolve(text));
    socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  });
}
