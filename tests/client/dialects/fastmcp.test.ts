import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContentCache } from '../../../src/client/content-cache.ts';
import { FastmcpReader } from '../../../src/client/dialects/fastmcp.ts';
import { DynamicGuard } from '../../../src/client/dynamic.ts';
import type { JsonRecord } from '../../../src/client/json-record.ts';
import { ResourceListing } from '../../../src/client/resource-listing.ts';
import { readVerified } from '../../../src/client/verified-read.ts';
import { isSkillError } from '../../../src/errors.ts';
import { digestOf } from '../../../src/integrity/index.ts';
import { codeOf } from '../../archive/code-of.ts';
import { type Answer, type Script, type Seen, scripted } from '../link.ts';
import { type FastmcpSetting, type FastmcpTree, fastmcpScript, fileList } from './fastmcp-server.ts';
import { type ContextSetting, contextOf } from './reader-context.ts';

const HEAD = '---\nname: demo\ndescription: Demo skill\n---\n# Demo\n';
const DEMO: FastmcpTree['x'] = {
  'SKILL.md': HEAD,
  '.hidden': 'h\n',
  'a b.md': 'space\n',
  'a%20b.md': 'pct\n',
  'a#b.md': 'hash\n',
  'a?b.md': 'qm\n',
  'a:b.md': 'colon\n',
  'assets/logo.png': Buffer.from([0x89, 0x50, 0, 0xff]),
  'caf\u00e9.md': 'u\n',
  'empty.txt': '',
  noext: 'plain\n',
  'data.json': '{"a":1}\n',
  'sub/SKILL.md': '# a plain file\n',
  'sub/_manifest': 'decoy\n',
};

interface Server {
  readonly reader: FastmcpReader;
  readonly seen: Seen[];
}

async function over(script: Script, setting: ContextSetting = {}): Promise<Server> {
  const { client, seen } = await scripted(script);
  const context = contextOf(client, setting);
  return { reader: new FastmcpReader(context, new ResourceListing(context)), seen };
}

function fastmcp(tree: FastmcpTree, setting: FastmcpSetting & ContextSetting = {}): Promise<Server> {
  return over(fastmcpScript(tree, setting), setting);
}

/** A server with one skill `demo`, whose file list is `list`. */
function listing(list: unknown, uri?: string): Promise<Server> {
  const text = typeof list === 'string' ? list : JSON.stringify(list);
  return fastmcp(
    { demo: { 'SKILL.md': HEAD } },
    {
      change: (asked, answer) =>
        asked.endsWith('/_manifest') ? { contents: [{ uri: uri ?? asked, text }] } : answer,
    },
  );
}

function verified(reader: FastmcpReader) {
  return {
    reader,
    cache: new ContentCache(0),
    dynamic: new DynamicGuard(false),
    maxResourceBytes: 10_485_760,
  };
}

const asked = (seen: readonly Seen[]): string[] =>
  seen.map(({ method, params }) => `${method} ${String(params.uri ?? params.cursor ?? '')}`.trim());

describe('a server of the form of FastMCP', () => {
  it('is known by a file list beside a SKILL.md, and listed without another walk', async () => {
    const { reader, seen } = await fastmcp({ demo: DEMO, two: { 'SKILL.md': '# Two' } });
    expect(await reader.detect({})).toBe(true);
    expect(await reader.list({})).toEqual({
      skills: [
        {
          entry: {
            uri: 'skill://demo/SKILL.md',
            frontmatter: { name: 'demo', description: 'Skill: demo' },
            resources: 'on-request',
          },
          dialect: 'fastmcp',
          integrity: 'complete',
          wholeFrontmatter: false,
        },
        {
          entry: {
            uri: 'skill://two/SKILL.md',
            frontmatter: { name: 'two', description: 'Skill: two' },
            resources: 'on-request',
          },
          dialect: 'fastmcp',
          integrity: 'complete',
          wholeFrontmatter: false,
        },
      ],
      complete: true,
      problems: [],
    });
    expect(asked(seen)).toEqual(['resources/list']);
    await reader.list({});
    expect(asked(seen)).toEqual(['resources/list', 'resources/list']);
  });

  it.each(['template', 'resources'] as const)('gives every file of a skill (%s)', async (supporting) => {
    const { reader } = await fastmcp({ demo: DEMO }, { supporting });
    await reader.list({});
    const skill = await reader.get('skill://demo/SKILL.md', {});
    expect(skill.integrity).toBe('complete');
    expect(skill.entry.frontmatter).toEqual({ name: 'demo', description: 'Skill: demo' });
    const { resources } = skill.entry;
    if (typeof resources === 'string') throw new Error('the files are not told');
    expect(resources.map(({ uri }) => uri)).toEqual([
      'skill://demo/SKILL.md',
      'skill://demo/.hidden',
      'skill://demo/a%20b.md',
      'skill://demo/a%2520b.md',
      'skill://demo/a%23b.md',
      'skill://demo/a%3Fb.md',
      'skill://demo/a%3Ab.md',
      'skill://demo/assets/logo.png',
      'skill://demo/caf%C3%A9.md',
      'skill://demo/empty.txt',
      'skill://demo/noext',
      'skill://demo/data.json',
      'skill://demo/sub/SKILL.md',
      'skill://demo/sub/_manifest',
    ]);
    for (const [at, { uri, digest, size }] of resources.entries()) {
      const content = Buffer.from(Object.values(DEMO)[at]!);
      const file = await readVerified(verified(reader), skill, uri, {});
      expect(Buffer.compare(file.bytes, content), uri).toBe(0);
      expect(file.verified).toBe(true);
      expect([digest, size]).toEqual([digestOf(content), content.length]);
    }
  });

  it('asks for a name beyond ASCII as FastMCP knows it, not as it lists it', async () => {
    const { reader, seen } = await fastmcp({ '\u00fcn\u00ef': { 'SKILL.md': HEAD, 'caf\u00e9 1.md': 'x' } });
    const { skills } = await reader.list({});
    expect(skills[0]?.entry.uri).toBe('skill://%C3%BCn%C3%AF/SKILL.md');
    const skill = await reader.get('skill://%C3%BCn%C3%AF/SKILL.md', {});
    expect((await readVerified(verified(reader), skill, 'caf%C3%A9%201.md', {})).text).toBe('x');
    expect(asked(seen).slice(1)).toEqual([
      'resources/read skill://%C3%BCn%C3%AF/_manifest',
      'resources/read skill://\u00fcn\u00ef/_manifest',
      'resources/read skill://\u00fcn\u00ef/caf%C3%A9%201.md',
    ]);
    expect(await codeOf(() => reader.get('skill://%C3%B6/SKILL.md', {}))).toBe('RESOURCE_NOT_FOUND');
  });

  it('reads a skill that is not listed, by its URI alone', async () => {
    const { reader, seen } = await fastmcp({ demo: DEMO });
    const skill = await reader.get('skill://demo/SKILL.md', {});
    expect(skill.entry.frontmatter).toEqual({ name: 'demo' });
    expect(skill.entry.resources).toHaveLength(14);
    expect(asked(seen)).toEqual(['resources/read skill://demo/_manifest']);
  });

  it('walks every page', async () => {
    const names = Array.from({ length: 25 }, (_, at) => `skill-${at}`);
    const tree = Object.fromEntries(names.map((name) => [name, { 'SKILL.md': '# x' }]));
    const { reader, seen } = await fastmcp(tree, { pageSize: 7 });
    expect(await reader.detect({})).toBe(true);
    const { skills, complete } = await reader.list({});
    expect(skills.map(({ entry }) => entry.uri)).toEqual(names.map((name) => `skill://${name}/SKILL.md`));
    expect(skills.every(({ integrity }) => integrity === 'complete')).toBe(true);
    expect(complete).toBe(true);
    expect(seen).toHaveLength(8);
  });

  it('says when a cap ended the walk', async () => {
    const tree = Object.fromEntries(['a', 'b', 'c'].map((name) => [name, { 'SKILL.md': '# x' }]));
    const { reader } = await fastmcp(tree, { pageSize: 2, maxPages: 2 });
    const { skills, complete, problems } = await reader.list({});
    expect(skills).toHaveLength(2);
    expect(complete).toBe(false);
    expect(problems.map(({ code }) => code)).toEqual(['LISTING_INCOMPLETE']);
  });

  it.each([
    ['MySkill', 'skill://MySkill/SKILL.md', 'MySkill'],
    ['my_skill', 'skill://my_skill/SKILL.md', 'my_skill'],
    ['a.b', 'skill://a.b/SKILL.md', 'a.b'],
    ['.hid', 'skill://.hid/SKILL.md', '.hid'],
    // FastMCP never decodes the name, so it has to be asked for as it is listed.
    ['a%20b', 'skill://a%20b/SKILL.md', 'a b'],
    ['a%2Db', 'skill://a-b/SKILL.md', 'a-b'],
  ])('takes a folder named %s and asks as the server lists it', async (folder, uri, name) => {
    const { reader } = await fastmcp({ [folder]: { 'SKILL.md': HEAD, 'x y.md': 'x' } });
    const { skills } = await reader.list({});
    expect(skills[0]?.entry.frontmatter.name).toBe(name);
    const skill = await reader.get(uri, {});
    expect(skill.entry.resources).toEqual([
      { uri: `skill://${folder}/SKILL.md`, size: 50, digest: digestOf(Buffer.from(HEAD)) },
      { uri: `skill://${folder}/x%20y.md`, size: 1, digest: digestOf(Buffer.from('x')) },
    ]);
    expect((await readVerified(verified(reader), skill, 'x%20y.md', {})).text).toBe('x');
    expect((await readVerified(verified(reader), skill, undefined, {})).body).toBe('# Demo\n');
  });

  it.each([
    ['CRLF', 'a\r\nb\r\n', 'SIZE_MISMATCH', 'the server changed the line ends of this file to LF'],
    ['CR', 'a\rb\r', 'DIGEST_MISMATCH', 'the server changed the line ends of this file to LF'],
    ['some CRLF', 'a\r\nb\n', 'SIZE_MISMATCH', 'it seems that the server changed the line ends'],
  ])('names its fault when text with %s cannot be verified', async (_, text, code, hint) => {
    const { reader } = await fastmcp({ demo: { 'SKILL.md': HEAD, 'x.md': text } });
    const skill = await reader.get('skill://demo/SKILL.md', {});
    const uri = 'skill://demo/x.md';
    await expect(readVerified(verified(reader), skill, uri, {})).rejects.toMatchObject({
      code,
      message: expect.stringContaining(`its content must not be used; ${hint}`),
      details: { uri, hint: expect.stringContaining(hint) },
    });
  });

  it('has no word for what it cannot explain', async () => {
    const { reader } = await fastmcp({
      demo: { 'SKILL.md': HEAD, 'x.md': 'a\nb\n', 'y.bin': Buffer.from([0xff]) },
    });
    const skill = await reader.get('skill://demo/SKILL.md', {});
    const stale = { uri: 'skill://demo/x.md', digest: `sha256:${'0'.repeat(64)}`, size: 4 };
    expect(reader.explain(stale, await reader.read(skill, stale.uri, {}))).toBeUndefined();
    expect(reader.explain({ ...stale, size: 400 }, await reader.read(skill, stale.uri, {}))).toBeUndefined();
    const binary = { uri: 'skill://demo/y.bin', digest: stale.digest, size: 2 };
    expect(reader.explain(binary, await reader.read(skill, binary.uri, {}))).toBeUndefined();
  });

  it('does not hide that a real file named _manifest cannot be read', async () => {
    const { reader } = await fastmcp({ demo: { 'SKILL.md': HEAD, _manifest: 'decoy\n' } });
    const skill = await reader.get('skill://demo/SKILL.md', {});
    const uri = 'skill://demo/_manifest';
    await expect(readVerified(verified(reader), skill, uri, {})).rejects.toMatchObject({
      code: 'SIZE_MISMATCH',
      details: { hint: expect.stringContaining('hides the file') },
    });
  });

  it('keeps the spelling of a listed file', async () => {
    const { reader, seen } = await over({
      capabilities: { resources: {} },
      answer: (method, { uri }) => {
        const files = { 'SKILL.md': HEAD, 'a(b).md': 'x' };
        if (method === 'resources/list') {
          return {
            resources: ['skill://demo/SKILL.md', 'skill://demo/_manifest', 'skill://demo/a(b).md'].map(
              (each) => ({
                uri: each,
                name: each,
              }),
            ),
          };
        }
        const text = uri === 'skill://demo/_manifest' ? JSON.stringify(fileList('demo', files)) : 'x';
        return { contents: [{ uri, text }] };
      },
    });
    await reader.list({});
    const skill = await reader.get('skill://demo/SKILL.md', {});
    expect((await readVerified(verified(reader), skill, 'a(b).md', {})).text).toBe('x');
    expect(asked(seen).at(-1)).toBe('resources/read skill://demo/a(b).md');
  });
});

describe('a SKILL.md without a file list', () => {
  const uris = [
    'skill://demo/SKILL.md',
    'skill://demo/_manifest',
    'skill://demo/sub/SKILL.md',
    'skill://bare/SKILL.md',
    'skill://bare/x.md',
    'skill://bare/deep/y%20z.md',
    'skill://bare/deep/y z.md',
    'skill://bare/../x.md',
    'skill://bare/q?x=1',
    'skill://bare/folder/',
    'https://host.example/SKILL.md',
    'skill://SKILL.md',
  ];
  const script: Script = {
    capabilities: { resources: {} },
    answer: (method, { uri }) =>
      method === 'resources/list'
        ? { resources: uris.map((each) => ({ uri: each, name: each })) }
        : { contents: [{ uri, text: HEAD }] },
  };

  it('is labelled as one of which nothing can be checked, unless it is a file of a skill', async () => {
    const { reader } = await over(script);
    const { skills, problems } = await reader.list({});
    expect(problems).toEqual([]);
    expect(skills.map(({ entry, integrity }) => [entry.uri, integrity])).toEqual([
      ['skill://demo/SKILL.md', 'complete'],
      ['skill://bare/SKILL.md', 'none'],
    ]);
    expect(skills[1]?.entry).toEqual({
      uri: 'skill://bare/SKILL.md',
      frontmatter: { name: 'bare' },
      resources: [
        { uri: 'skill://bare/SKILL.md' },
        { uri: 'skill://bare/x.md' },
        { uri: 'skill://bare/deep/y%20z.md' },
      ],
    });
    expect(await reader.get('skill://bare/SKILL.md', {})).toEqual(skills[1]);
  });

  it('does not make a server one of FastMCP', async () => {
    const bare = uris.filter((uri) => !uri.endsWith('_manifest'));
    const { reader } = await over({
      ...script,
      answer: () => ({ resources: bare.map((uri) => ({ uri, name: uri })) }),
    });
    expect(await reader.detect({})).toBe(false);
  });
});

describe('a server that has no resources', () => {
  it('is not asked', async () => {
    const { reader, seen } = await over({ capabilities: { tools: {} }, answer: () => undefined });
    expect(await reader.detect({})).toBe(false);
    expect(await reader.list({})).toEqual({ skills: [], complete: true, spoken: false, problems: [] });
    expect(seen).toEqual([]);
  });

  it('may declare them all the same', async () => {
    const { reader } = await over({ capabilities: { resources: {} }, answer: () => undefined });
    expect(await reader.detect({})).toBe(false);
  });
});

describe('what is refused of a file list', () => {
  const hash = digestOf(Buffer.from(HEAD));
  const own = { path: 'SKILL.md', size: 50, hash };
  const get = async (list: unknown, uri?: string): Promise<string | undefined> => {
    const { reader } = await listing(list, uri);
    return codeOf(() => reader.get('skill://demo/SKILL.md', {}));
  };

  it.each([
    ['nothing', ''],
    ['no JSON', 'not json'],
    ['no object', '[]'],
    ['no files', { skill: 'demo' }],
    ['no skill', { files: [own] }],
    ['a hash in another form', { skill: 'demo', files: [{ ...own, hash: 'sha256:x' }] }],
    ['a negative size', { skill: 'demo', files: [{ ...own, size: -1 }] }],
    ['no SKILL.md', { skill: 'demo', files: [{ ...own, path: 'README.md' }] }],
    ['another skill', { skill: 'other', files: [own] }],
    ['a path that leads out', { skill: 'demo', files: [own, { ...own, path: '../escape.txt' }] }],
    ['an absolute path', { skill: 'demo', files: [own, { ...own, path: '/absolute.txt' }] }],
    ['a path twice', { skill: 'demo', files: [own, own] }],
    ['two paths that differ in case', { skill: 'demo', files: [own, { ...own, path: 'skill.MD' }] }],
  ])('%s', async (_, list) => {
    expect(await get(list)).toBe('INVALID_MANIFEST');
  });

  it('an answer for another URI, two contents, and a blob that is none', async () => {
    expect(await get({ skill: 'demo', files: [own] }, 'skill://other/_manifest')).toBe('URI_MISMATCH');
    const answers: Answer[] = [
      { contents: [] },
      { contents: [{ uri: 'skill://demo/_manifest', blob: '%%%' }] },
      {
        contents: [
          { uri: 'skill://demo/_manifest', text: 'a' },
          { uri: 'skill://demo/_manifest', text: 'b' },
        ],
      },
    ];
    for (const answer of answers) {
      const { reader } = await fastmcp({ demo: { 'SKILL.md': HEAD } }, { change: () => answer });
      expect(await codeOf(() => reader.get('skill://demo/SKILL.md', {}))).toBe('INVALID_RESULT');
    }
    const { reader } = await fastmcp(
      { demo: { 'SKILL.md': HEAD } },
      { change: (uri) => ({ contents: [{ uri, blob: 'e30=' }] }) },
    );
    expect(await codeOf(() => reader.get('skill://demo/SKILL.md', {}))).toBe('INVALID_MANIFEST');
  });

  it('too large a list', async () => {
    const { reader } = await fastmcp({ demo: DEMO }, { maxResourceBytes: 100 });
    expect(await codeOf(() => reader.get('skill://demo/SKILL.md', {}))).toBe('RESOURCE_TOO_LARGE');
  });

  it.each([
    ['skill://nosuch/SKILL.md', 'RESOURCE_NOT_FOUND'],
    ['skill://demo/x.md', 'NOT_MANIFEST_URI'],
    ['skill://demo/SKILL.md/', 'NOT_MANIFEST_URI'],
    ['skill://SKILL.md', 'NOT_MANIFEST_URI'],
    ['skill://../SKILL.md', 'PATH_TRAVERSAL'],
    ['skill://a/..%2f/SKILL.md', 'INVALID_SEGMENT'],
    ['https://host/SKILL.md', 'INVALID_SCHEME'],
  ])('and of a question for %s', async (uri, code) => {
    const { reader, seen } = await fastmcp({ demo: DEMO });
    expect(await codeOf(() => reader.get(uri, {}))).toBe(code);
    expect(seen).toHaveLength(code === 'RESOURCE_NOT_FOUND' ? 1 : 0);
  });

  it('takes the list of a server that names the whole path, or its last name', async () => {
    for (const name of ['team/pdf', 'pdf']) {
      const { reader } = await over({
        capabilities: { resources: {} },
        answer: (_, { uri }) => ({
          contents: [{ uri, text: JSON.stringify({ skill: name, files: [own] }) }],
        }),
      });
      const skill = await reader.get('skill://team/pdf/SKILL.md', {});
      expect(skill.entry.frontmatter).toEqual({ name: 'pdf' });
    }
  });
});

describe('whatever a server sends', () => {
  const json = fc.json({ maxDepth: 4 });
  const list = fc.record(
    {
      skill: fc.oneof(fc.constant('demo'), fc.jsonValue()),
      files: fc.array(
        fc.record(
          {
            path: fc.oneof(
              fc.string({ unit: 'binary' }),
              fc.constantFrom('SKILL.md', '..', '/x', 'a/b'),
              fc.jsonValue(),
            ),
            size: fc.oneof(fc.nat(), fc.jsonValue()),
            hash: fc.oneof(fc.constant(digestOf(Buffer.from(HEAD))), fc.jsonValue()),
          },
          { requiredKeys: [] },
        ),
      ),
    },
    { requiredKeys: [] },
  );

  it('a file list gives a skill or an error with a code', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          json,
          list.map((value) => JSON.stringify(value)),
        ),
        async (text) => {
          const { reader } = await listing(text);
          try {
            const { entry } = await reader.get('skill://demo/SKILL.md', {});
            for (const { uri } of entry.resources as { uri: string }[]) {
              expect(uri.startsWith('skill://demo/')).toBe(true);
            }
          } catch (error) {
            if (!isSkillError(error)) throw error;
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('a listing gives skills and problems', async () => {
    const resource = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.record({
        uri: fc.oneof(
          fc.webUrl(),
          fc.string({ unit: 'binary' }).map((text) => `skill://${text}/SKILL.md`),
          fc.constantFrom(
            'skill://a/SKILL.md',
            'skill://a/_manifest',
            'skill://%61/SKILL.md',
            'skill://a/b/SKILL.md',
          ),
        ),
        name: fc.string(),
        description: fc.oneof(fc.string(), fc.jsonValue()),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(resource), async (resources) => {
        const { reader } = await over({
          capabilities: { resources: {} },
          answer: () => ({ resources }) as JsonRecord,
        });
        const { skills, problems, complete } = await reader.list({});
        expect(complete).toBe(true);
        expect(skills.length + problems.length).toBeLessThanOrEqual(2 * resources.length);
      }),
      { numRuns: 60 },
    );
  });
});
