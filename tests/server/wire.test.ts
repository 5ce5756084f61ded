/** Every method on the wire, for the official client of each revision, over stdio. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProvider, type SkillProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { type Link, linkProvider, REVISIONS } from './link.ts';
import { skillText } from './support.ts';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const FIELDS = `title: PDF forms
license: MIT
allowed-tools: Read
"odd key": no
"_hidden": no
metadata:
  author: me
`;
const FILES = {
  'pdf/SKILL.md': skillText('pdf', FIELDS),
  'pdf/my dir/f #1.md': 'x',
  'pdf/references/F.md': '\uFEFFr\r\n',
  'pdf/z.bin': new Uint8Array([0xff, 0x00]),
  'pdf/empty/': '',
  'group/outer/SKILL.md': skillText('outer'),
  'group/outer/inner/SKILL.md': skillText('inner'),
  'group/outer/inner/data.json': '{}',
  'long/SKILL.md': `---\nname: long\ndescription: ${'x'.repeat(1025)}\n---\n`,
  'shy/SKILL.md': skillText('shy'),
};
const MANIFEST = { audience: ['assistant'], priority: 0.8, lastModified: '2026-01-02T03:04:05.678Z' };
const FILE = { audience: ['assistant'], priority: 0.3, lastModified: '2026-01-02T03:04:05.678Z' };

describe.each(REVISIONS)('%s', (revision) => {
  const modern = revision === '2026-07-28';
  /** What every cacheable result has beside its own fields. */
  const hints = modern
    ? {
        resultType: 'complete',
        ttlMs: 1234,
        cacheScope: 'public',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'mine', version: '7.0.0' } },
      }
    : {};
  let provider: SkillProvider;
  let link: Link;

  beforeAll(async () => {
    provider = await createProvider({
      source: memorySource(FILES, { modifiedAt: AT }),
      hidden: (path) => path === 'shy',
      ttlMs: 1234,
      cacheScope: 'public',
      dialects: ['released', 'draft-index'],
      serverInfo: { name: 'mine', version: '7.0.0' },
    });
    link = await linkProvider(provider, revision);
  });
  afterAll(async () => {
    await link.close();
    await provider.close();
  });

  it('negotiates that revision and declares what it does', () => {
    expect(link.client.getNegotiatedProtocolVersion()).toBe(revision);
    expect(link.client.getServerCapabilities()).toEqual({
      resources: { listChanged: true, subscribe: true },
      completions: {},
      extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
    });
    expect(link.client.getServerVersion()).toMatchObject({ name: 'mine', version: '7.0.0' });
  });

  it('says how fresh the discovery is, where there is one', async () => {
    const { result, error } = await link
      .ask('server/discover')
      .catch(() => ({ result: undefined, error: {} }));
    if (modern) expect(result).toMatchObject(hints);
    else expect(error).toBeDefined();
  });

  it('skills/list: listed skills in order, entries whole', async () => {
    const { result } = await link.ask('skills/list');
    expect(result).toEqual({ skills: expect.any(Array), ...hints });
    const skills = result?.skills as { uri: string; frontmatter: { name: string } }[];
    expect(skills.map((skill) => [skill.uri, skill.frontmatter.name])).toEqual([
      ['skill://group/outer/SKILL.md', 'outer'],
      ['skill://group/outer/inner/SKILL.md', 'inner'],
      ['skill://pdf/SKILL.md', 'pdf'],
    ]);
  });

  it.each(['skill://long/SKILL.md', 'skill://shy/SKILL.md', 'SKILL://pdf/%53KILL.md'])(
    'skills/get: %s, listed or not, in any spelling',
    async (uri) => {
      const { result } = await link.ask('skills/get', { uri });
      expect(result).toEqual({ skill: expect.any(Object), ...hints });
      const name = /\/\/(\w+)\//.exec(uri)?.[1];
      expect(result?.skill).toMatchObject({ uri: `skill://${name}/SKILL.md`, frontmatter: { name } });
      expect(Object.keys(result?.skill as object).sort()).toEqual(['frontmatter', 'resources', 'uri']);
    },
  );

  it('resources/list: every served SKILL.md but the hidden one, with its metadata', async () => {
    const { result } = await link.ask('resources/list');
    expect(result).toEqual({ resources: expect.any(Array), ...hints });
    const resources = result?.resources as { uri: string }[];
    expect(resources.map((resource) => resource.uri)).toEqual([
      'skill://group/outer/SKILL.md',
      'skill://group/outer/inner/SKILL.md',
      'skill://index.json',
      'skill://long/SKILL.md',
      'skill://pdf/SKILL.md',
    ]);
    expect(resources[4]).toEqual({
      uri: 'skill://pdf/SKILL.md',
      name: 'pdf',
      title: 'PDF forms',
      description: 'About pdf',
      mimeType: 'text/markdown',
      size: 149,
      annotations: MANIFEST,
      _meta: {
        'io.modelcontextprotocol.skills/title': 'PDF forms',
        'io.modelcontextprotocol.skills/license': 'MIT',
        'io.modelcontextprotocol.skills/allowed-tools': 'Read',
        'io.modelcontextprotocol.skills/metadata': { author: 'me' },
      },
    });
    expect(resources[0]).not.toHaveProperty('_meta');
    expect(resources[0]).not.toHaveProperty('title');
  });

  it('resources/templates/list: one template that official clients match', async () => {
    const { result } = await link.ask('resources/templates/list');
    expect(result).toEqual({
      resourceTemplates: [
        {
          name: 'skill-file',
          title: 'File of a skill',
          uriTemplate: 'skill://{+path}',
          description: 'A file of a skill: the path of the skill, then the path of the file inside it',
        },
      ],
      ...hints,
    });
  });

  it.each([
    ['skill://pdf/references/F.md', { mimeType: 'text/markdown', text: '\uFEFFr\r\n' }],
    ['skill://pdf/z.bin', { mimeType: 'application/octet-stream', blob: '/wA=' }],
    ['skill://pdf/my%20dir/f%20%231.md', { mimeType: 'text/markdown', text: 'x' }],
    ['skill://group/outer/inner/data.json', { mimeType: 'application/json', text: '{}' }],
    ['skill://shy/SKILL.md', { mimeType: 'text/markdown', text: skillText('shy') }],
  ])('resources/read: %s', async (uri, content) => {
    const { result } = await link.ask('resources/read', { uri });
    expect(result).toEqual({ contents: [{ uri, ...content }], ...hints });
  });

  it.each(['skill://pdf/my dir/f %231.md', 'Skill://pdf/my%20dir/%66%20%231.md'])(
    'resources/read: %s is answered under the URI of the entry',
    async (uri) => {
      const { result } = await link.ask('resources/read', { uri });
      expect(result?.contents).toEqual([
        { uri: 'skill://pdf/my%20dir/f%20%231.md', mimeType: 'text/markdown', text: 'x' },
      ]);
    },
  );

  it.each([
    [
      'skill://pdf',
      [
        {
          uri: 'skill://pdf/SKILL.md',
          name: 'SKILL.md',
          mimeType: 'text/markdown',
          size: 149,
          annotations: MANIFEST,
        },
        { uri: 'skill://pdf/empty', name: 'empty', mimeType: 'inode/directory' },
        { uri: 'skill://pdf/my%20dir', name: 'my dir', mimeType: 'inode/directory' },
        { uri: 'skill://pdf/references', name: 'references', mimeType: 'inode/directory' },
        {
          uri: 'skill://pdf/z.bin',
          name: 'z.bin',
          mimeType: 'application/octet-stream',
          size: 2,
          annotations: FILE,
        },
      ],
    ],
    ['skill://pdf/empty', []],
    [
      'skill://pdf/my%20dir/',
      [
        {
          uri: 'skill://pdf/my%20dir/f%20%231.md',
          name: 'f #1.md',
          mimeType: 'text/markdown',
          size: 1,
          annotations: FILE,
        },
      ],
    ],
    [
      'skill://group/outer/inner',
      [
        {
          uri: 'skill://group/outer/inner/SKILL.md',
          name: 'SKILL.md',
          mimeType: 'text/markdown',
          size: 52,
          annotations: MANIFEST,
        },
        {
          uri: 'skill://group/outer/inner/data.json',
          name: 'data.json',
          mimeType: 'application/json',
          size: 2,
          annotations: FILE,
        },
      ],
    ],
  ])('resources/directory/read: %s', async (uri, resources) => {
    const { result } = await link.ask('resources/directory/read', { uri });
    expect(result).toEqual({ resources, ...hints });
  });

  it.each([
    ['skills/get', 'skill://none/SKILL.md', undefined],
    ['skills/get', 'skill://pdf/references/F.md', undefined],
    ['skills/get', 'skill://pdf', undefined],
    ['skills/get', 'skill://pdf/SKILL.md/', undefined],
    ['skills/get', 'skill://pdf/../pdf/SKILL.md', 'PATH_TRAVERSAL'],
    ['skills/get', 'skill://pdf/SKILL.md#x', 'URI_PART_REFUSED'],
    ['resources/read', 'skill://pdf/none.md', undefined],
    ['resources/read', 'skill://pdf', undefined],
    ['resources/read', 'skill://index.json/', undefined],
    ['resources/read', 'skill://pdf/SKILL.md/', undefined],
    ['resources/read', 'skill://pdf/SKILL.md?x', 'URI_PART_REFUSED'],
    ['resources/read', 'skill://pdf/%2e%2e/x', 'PATH_TRAVERSAL'],
    ['resources/read', 'skill://pdf/a%2Fb', 'INVALID_SEGMENT'],
    ['resources/read', 'skill://pdf/%00', 'INVALID_SEGMENT'],
    ['resources/read', 'skill://pdf//x', 'EMPTY_PATH_SEGMENT'],
    ['resources/read', 'file:///etc/passwd', undefined],
    ['resources/read', '/etc/passwd', undefined],
    ['resources/directory/read', 'skill://pdf/SKILL.md', 'NOT_A_DIRECTORY'],
    ['resources/directory/read', 'skill://pdf/none', undefined],
    ['resources/directory/read', 'skill://group', undefined],
    ['resources/directory/read', 'skill://', 'EMPTY_SKILL_PATH'],
    ['resources/directory/read', 'skill://pdf//', 'EMPTY_PATH_SEGMENT'],
    ['resources/directory/read', 'skill://pdf/references?x=1', 'URI_PART_REFUSED'],
    ['resources/directory/read', 'skill://pdf/..', 'PATH_TRAVERSAL'],
    ['resources/directory/read', 'file:///etc', undefined],
  ])('%s refuses %s', async (method, uri, code) => {
    const { error } = await link.ask(method, { uri });
    expect(error?.code).toBe(-32602);
    expect(error?.message).toContain(uri);
    expect(error?.data).toEqual(code === undefined ? { uri } : { uri, code });
  });

  it.each([
    ['skills/get', {}, 'skills/get: uri is required'],
    ['skills/get', { uri: 5 }, 'skills/get: uri must be a string'],
    ['resources/read', {}, 'uri must be a string; it is missing'],
    ['resources/read', { uri: null }, 'uri must be a string; it is null'],
    ['resources/read', { uri: '' }, 'uri is empty; it names what to read'],
    ['resources/directory/read', { uri: ['a'] }, 'resources/directory/read: uri must be a string'],
    ['resources/list', { cursor: 5 }, 'cursor must be a string; it is a number'],
    ['skills/list', { cursor: 5 }, 'skills/list: cursor must be a string; leave it out for the first page'],
  ])('%s refuses parameters %j', async (method, params, message) => {
    const { error } = await link.ask(method, params);
    expect([error?.code, error?.message]).toEqual([-32602, message]);
  });

  it('refuses a URI of more than 8 KiB without sending it back', async () => {
    const uri = `skill://pdf/${'é'.repeat(4100)}`;
    for (const method of ['skills/get', 'resources/read', 'resources/directory/read']) {
      const { error } = await link.ask(method, { uri });
      expect(error?.code).toBe(-32602);
      expect(error?.message).toBe('the URI has 8212 bytes; at most 8192 are read');
      expect(error?.data).toEqual({ code: 'URI_TOO_LONG', limit: 8192, actual: 8212 });
    }
  });

  it.each(['skills/list', 'resources/list', 'resources/templates/list'])(
    '%s refuses a cursor that is not one',
    async (method) => {
      for (const cursor of ['', 'bogus', '12', 'MTIz']) {
        const { error } = await link.ask(method, { cursor });
        expect([error?.code, error?.data]).toEqual([-32602, { code: 'INVALID_CURSOR' }]);
      }
    },
  );

  it('completes skills, then files', async () => {
    const { result } = await link.ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'skill://{+path}' },
      argument: { name: 'path', value: 'pd' },
    });
    expect(result?.completion).toEqual({
      values: ['pdf', 'pdf/SKILL.md', 'pdf/my dir/f %231.md', 'pdf/references/F.md', 'pdf/z.bin'],
      total: 5,
      hasMore: false,
    });
  });

  it('offers no tools or prompts', async () => {
    for (const method of ['tools/list', 'prompts/list']) {
      expect((await link.ask(method)).error?.code).toBe(-32601);
    }
  });
});
