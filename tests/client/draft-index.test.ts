import { McpServer } from '@modelcontextprotocol/server';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { packSkill } from '../../src/archive/index.ts';
import { type FoundSkill, SkillsClient, type SkillsClientOptions } from '../../src/client/index.ts';
import type { JsonRecord } from '../../src/client/json-record.ts';
import { createProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { linked, type Seen, scripted } from './link.ts';
import { contents, manifestText, notFound, PDF, sha256 } from './skill-server.ts';

const INDEX = 'skill://index.json';
const MD = manifestText('pdf');
const A_MD = 'skill://pdf/references/a.md';
const PINS = 'io.modelcontextprotocol.skills/file-digests';

/** What the server holds beside its index: text, or bytes. */
type Held = Readonly<Record<string, string | Uint8Array>>;

async function start(
  skills: unknown,
  held: Held = PDF,
  options: SkillsClientOptions = {},
): Promise<{ client: SkillsClient; seen: Seen[] }> {
  const { client, seen } = await scripted({
    capabilities: { resources: {} },
    answer(method, { uri }) {
      if (method !== 'resources/read') return undefined;
      if (uri === INDEX) return contents(INDEX, JSON.stringify({ $schema: 's', skills }));
      const file = held[String(uri)];
      if (file === undefined) return notFound(uri);
      if (typeof file === 'string') return contents(String(uri), file);
      return { contents: [{ uri, blob: Buffer.from(file).toString('base64') }] };
    },
  });
  return { client: new SkillsClient(client, { dialect: 'draft-index', ...options }), seen };
}

const older = (more: JsonRecord = {}): JsonRecord => ({
  type: 'skill-md',
  name: 'pdf',
  description: 'About pdf',
  url: 'skill://pdf/SKILL.md',
  digest: sha256(MD),
  ...more,
});
const younger = (more: JsonRecord = {}): JsonRecord => ({
  frontmatter: { name: 'pdf', description: 'About pdf' },
  url: 'skill://pdf/SKILL.md',
  digest: sha256(MD),
  ...more,
});
const pinned = (pins: unknown): JsonRecord => older({ _meta: { [PINS]: pins } });

async function only(client: SkillsClient): Promise<FoundSkill> {
  const { skills, problems } = await client.listSkills();
  expect(problems).toEqual([]);
  const [skill] = skills;
  if (skill === undefined) throw new Error('no skill');
  return skill;
}

const packed = (
  files: Readonly<Record<string, string>>,
  format: 'tar.gz' | 'zip' = 'tar.gz',
): Promise<Uint8Array> =>
  packSkill(
    Object.entries(files).map(([path, text]) => ({ path, bytes: Buffer.from(text) })),
    format,
  );

describe('the older shape', () => {
  it.each([
    ['no pins', older(), 'partial', ['skill://pdf/SKILL.md']],
    ['pins for no file', pinned([]), 'complete', ['skill://pdf/SKILL.md']],
    [
      'pins',
      pinned([
        { path: 'references/a.md', digest: sha256('reference a\n') },
        { path: 'how to.md', digest: sha256('how to\n') },
      ]),
      'complete',
      ['skill://pdf/SKILL.md', A_MD, 'skill://pdf/how%20to.md'],
    ],
    ['no digest', older({ digest: undefined }), 'none', ['skill://pdf/SKILL.md']],
    ['pins of another shape, which count as none', pinned('x'), 'partial', ['skill://pdf/SKILL.md']],
  ])('with %s', async (_, entry, integrity, uris) => {
    const { client } = await start([entry]);
    const skill = await only(client);
    expect(skill).toMatchObject({
      integrity,
      wholeFrontmatter: false,
      entry: { frontmatter: { name: 'pdf', description: 'About pdf' } },
    });
    expect((skill.entry.resources as readonly { uri: string }[]).map(({ uri }) => uri)).toEqual(uris);
    expect(await client.read(skill)).toMatchObject({ text: MD, verified: integrity !== 'none' });
  });

  it('checks what is pinned and refuses what is not', async () => {
    const { client } = await start([pinned([{ path: 'references/a.md', digest: sha256('reference a\n') }])]);
    const skill = await only(client);
    expect(await client.read(skill, 'references/a.md')).toMatchObject({ verified: true });
    await expect(client.read(skill, 'how to.md')).rejects.toMatchObject({ code: 'UNLISTED_FILE' });
    const partial = await start([older()]);
    await expect(partial.client.read(await only(partial.client), 'references/a.md')).rejects.toMatchObject({
      code: 'SUPPORTING_FILE_UNPINNED',
    });
    expect(
      Buffer.from(
        await partial.client.readSkillFile({ uri: 'skill://pdf/SKILL.md' }, 'references/a.md'),
      ).toString(),
    ).toBe('reference a\n');
  });

  it.each([
    ['another digest', older({ digest: sha256('x') }), 'DIGEST_MISMATCH'],
    ['another description', older({ description: 'Evil' }), 'FRONTMATTER_MISMATCH'],
  ])('refuses a SKILL.md with %s', async (_, entry, code) => {
    const { client } = await start([entry]);
    await expect(client.read(await only(client))).rejects.toMatchObject({ code });
  });

  it.each<[string, unknown, string]>([
    ['an unknown type', older({ type: 'widget' }), 'UNKNOWN_SKILL_TYPE'],
    ['no url', older({ url: '' }), 'INDEX_ENTRY_MISSING_URL'],
    ['no description', older({ description: undefined }), 'INDEX_ENTRY_MISSING_DESCRIPTION'],
    ['no name', older({ name: undefined }), 'INDEX_ENTRY_MISSING_NAME'],
    ['another name than its folder', older({ name: 'other' }), 'INVALID_ENTRY'],
    ['a url that is no SKILL.md', older({ url: 'skill://pdf/README.md' }), 'INVALID_ENTRY'],
    ['a url that leads out', older({ url: 'skill://pdf/%2e%2e/SKILL.md' }), 'PATH_TRAVERSAL'],
    ['a url that is none', older({ url: 'pdf/SKILL.md' }), 'INVALID_SCHEME'],
    ['a digest of another algorithm', older({ digest: 'sha512:x' }), 'INVALID_ENTRY'],
    ['a pin that leads out', pinned([{ path: '../x', digest: sha256('') }]), 'INVALID_ENTRY'],
    [
      'a pin twice',
      pinned([
        { path: 'a', digest: sha256('') },
        { path: 'A', digest: sha256('') },
      ]),
      'INVALID_ENTRY',
    ],
    ['a pin of another algorithm', pinned([{ path: 'a', digest: 'md5:x' }]), 'INVALID_ENTRY'],
    [
      'more pins than are judged',
      pinned(Array(50_001).fill({ path: 'a', digest: sha256('') })),
      'INVALID_ENTRY',
    ],
    [
      'an archive of an unknown kind',
      older({ type: 'archive', url: 'skill://pdf.rar' }),
      'ARCHIVE_UNKNOWN_FORMAT',
    ],
    ['an archive of another name', older({ type: 'archive', url: 'skill://other.zip' }), 'INVALID_ENTRY'],
    ['no object', 'pdf', 'UNKNOWN_SKILL_TYPE'],
  ])('refuses an entry with %s and keeps its neighbours', async (_, bad, code) => {
    const good = older({ name: 'good', url: 'skill://good/SKILL.md' });
    const { client } = await start([bad, good]);
    const { skills, problems } = await client.listSkills();
    expect(skills.map(({ entry }) => entry.uri)).toEqual(['skill://good/SKILL.md']);
    expect(problems.map((problem) => problem.code)).toEqual([code]);
  });

  it('passes over the type that the draft dropped, and refuses every copy of a URI', async () => {
    const { client } = await start([{ type: 'mcp-resource-template', url: 'x' }, older(), older()]);
    const { skills, problems } = await client.listSkills();
    expect(skills).toEqual([]);
    expect(problems.map(({ code }) => code)).toEqual(['INVALID_ENTRY', 'INVALID_ENTRY']);
  });

  it('takes upper-case digests, as the seed does', async () => {
    const { client } = await start([older({ digest: sha256(MD).toUpperCase() })]);
    expect(await client.read(await only(client))).toMatchObject({ verified: true });
  });

  it('counts nothing that is no index as one', async () => {
    for (const document of [[], 'x', { skills: 'x' }]) {
      const { client } = await scripted({
        capabilities: { resources: {} },
        answer: () => contents(INDEX, JSON.stringify(document)),
      });
      await expect(new SkillsClient(client, { dialect: 'draft-index' }).listSkills()).rejects.toMatchObject({
        code: 'INVALID_INDEX',
      });
    }
  });

  it('stops at the cap of entries and says so', async () => {
    const entries = ['a', 'b', 'c'].map((name) => older({ name, url: `skill://${name}/SKILL.md` }));
    const { client } = await start(entries, PDF, { maxEntries: 2 });
    const listing = await client.listSkills();
    expect(listing.skills).toHaveLength(2);
    expect(listing).toMatchObject({ complete: false, problems: [{ code: 'LISTING_INCOMPLETE' }] });
  });
});

describe('the younger shape', () => {
  it('compares the whole frontmatter', async () => {
    const { client } = await start([younger()]);
    const skill = await only(client);
    expect(skill).toMatchObject({ integrity: 'partial', wholeFrontmatter: true });
    expect(await client.read(skill)).toMatchObject({ verified: true, body: 'Body.\n' });
    const other = await start([
      younger({ frontmatter: { name: 'pdf', description: 'About pdf', license: 'MIT' } }),
    ]);
    await expect(other.client.read(await only(other.client))).rejects.toMatchObject({
      code: 'FRONTMATTER_MISMATCH',
      details: { fields: ['license'] },
    });
  });

  it.each<[string, JsonRecord, string]>([
    ['no url and no archive', younger({ url: undefined, archives: [] }), 'INDEX_ENTRY_MISSING_URL'],
    [
      'an archive of an unknown kind alone',
      younger({ url: undefined, archives: [{ url: 'x.rar' }] }),
      'INDEX_ENTRY_MISSING_URL',
    ],
    ['no name', younger({ frontmatter: { description: 'd' } }), 'INVALID_ENTRY'],
    [
      'another name than its folder',
      younger({ frontmatter: { name: 'x', description: 'd' } }),
      'INVALID_ENTRY',
    ],
  ])('refuses an entry with %s', async (_, bad, code) => {
    const { client } = await start([bad]);
    const { skills, problems } = await client.listSkills();
    expect(skills).toEqual([]);
    expect(problems).toMatchObject([{ code }]);
  });
});

describe('a skill that comes as an archive', () => {
  const files = { 'SKILL.md': MD, 'references/a.md': 'packed a\n', 'assets/x.txt': 'x' };

  it.each([
    [
      'of the older shape',
      'tar.gz' as const,
      'skill://team/pdf',
      (bytes: Uint8Array) =>
        older({ type: 'archive', url: 'skill://team/pdf.tar.gz', digest: sha256(bytes) }),
      'skill://team/pdf.tar.gz',
    ],
    [
      'of the older shape, zipped',
      'zip' as const,
      'skill://pdf',
      (bytes: Uint8Array) => older({ type: 'archive', url: 'skill://pdf.zip', digest: sha256(bytes) }),
      'skill://pdf.zip',
    ],
    [
      'of the younger shape alone',
      'zip' as const,
      'skill://pdf',
      (bytes: Uint8Array) =>
        younger({
          url: undefined,
          digest: undefined,
          archives: [{ url: 'skill://a/b', mimeType: 'application/zip', digest: sha256(bytes) }],
        }),
      'skill://a/b',
    ],
    [
      'of the younger shape beside a url',
      'tar.gz' as const,
      'skill://pdf',
      (bytes: Uint8Array) =>
        younger({
          archives: [
            { url: 'x.rar', mimeType: 'x' },
            { url: 'skill://a/b', mimeType: 'application/gzip', digest: sha256(bytes) },
          ],
        }),
      'skill://a/b',
    ],
  ])(
    '%s is fetched at the first read, once, and read from there alone',
    async (_, format, root, entry, url) => {
      const bytes = await packed(files, format);
      // The live file differs: it must never be what is read.
      const { client, seen } = await start([entry(bytes)], { ...PDF, [url]: bytes });
      const skill = await only(client);
      expect(skill).toMatchObject({
        integrity: 'complete',
        entry: { uri: `${root}/SKILL.md`, resources: 'on-request' },
      });
      expect(seen.map(({ params }) => params.uri)).toEqual([INDEX]);
      expect(await client.read(skill)).toMatchObject({ text: MD, verified: true, integrity: 'complete' });
      expect(await client.read(skill, 'references/a.md')).toMatchObject({
        text: 'packed a\n',
        verified: true,
      });
      expect(await client.read(skill, `${root}/assets/x.txt`)).toMatchObject({ text: 'x' });
      await expect(client.read(skill, 'how to.md')).rejects.toMatchObject({ code: 'UNLISTED_FILE' });
      expect(Buffer.from(await client.readSkillUri(`${root}/references/a.md`)).toString()).toBe('packed a\n');
      expect(seen.map(({ params }) => params.uri)).toEqual([INDEX, url]);
      expect((await client.getSkill(`${root}/SKILL.md`)).entry.resources).toHaveLength(3);
    },
  );

  it.each<[string, Readonly<Record<string, string>>, JsonRecord, string]>([
    ['another digest', files, { digest: sha256('x') }, 'DIGEST_MISMATCH'],
    ['no SKILL.md', { 'a.md': 'x' }, {}, 'ARCHIVE_MISSING_SKILL_MD'],
    ['another description', { 'SKILL.md': MD.replace('About', 'Evil') }, {}, 'FRONTMATTER_MISMATCH'],
  ])('with %s is refused', async (_, inside, change, code) => {
    const archive = zipSync(
      Object.fromEntries(Object.entries(inside).map(([path, text]) => [path, strToU8(text)])),
    );
    const { client } = await start(
      [older({ type: 'archive', url: 'skill://pdf.tar.gz', digest: sha256(archive), ...change })],
      {
        'skill://pdf.tar.gz': archive,
      },
    );
    await expect(client.read(await only(client))).rejects.toMatchObject({ code });
  });

  it('is charged once, by the size of the archive', async () => {
    const bytes = await packed(files);
    const { client } = await start(
      [older({ type: 'archive', url: 'skill://pdf.tar.gz', digest: sha256(bytes) })],
      { 'skill://pdf.tar.gz': bytes },
      { serverByteBudget: 1_000_000 },
    );
    const skill = await only(client);
    await client.read(skill);
    await client.read(skill, 'references/a.md');
    expect(client.bytesConsumed).toBe(bytes.byteLength);
  });
});

describe('our own server with the draft alone', () => {
  it.each(['file', 'tar.gz', 'zip'] as const)('in %s mode gives every file', async (archiveMode) => {
    const provider = await createProvider({
      source: memorySource({ 'team/pdf/SKILL.md': MD, 'team/pdf/references/a b.md': 'a\r\n' }),
      dialects: ['draft-index'],
      ...(archiveMode === 'file' ? {} : { archive: archiveMode }),
    });
    const server = new McpServer({ name: 'own', version: '1' });
    provider.attach(server);
    const client = new SkillsClient(await linked(server));
    const listing = await client.listSkills();
    expect(listing).toMatchObject({ dialect: 'draft-index', complete: true, problems: [] });
    const skill = await client.getSkill('skill://team/pdf/SKILL.md');
    expect(skill.integrity).toBe('complete');
    expect(await client.read(skill)).toMatchObject({ text: MD, verified: true });
    expect(await client.read(skill, 'references/a b.md')).toMatchObject({ text: 'a\r\n', verified: true });
    const loaded = await client.loadAll();
    expect(loaded.map(({ entry, error }) => [entry.url, error?.code])).toEqual(
      archiveMode === 'file'
        ? [['skill://team/pdf/SKILL.md', undefined]]
        : [[`skill://team/pdf.${archiveMode}`, 'ARCHIVE_NOT_LOADED']],
    );
  });
});

describe('a server that knows files by their bare names, as mcpkit does', () => {
  const pins = (files: Held): JsonRecord =>
    pinned(
      Object.entries(files).map(([uri, content]) => ({
        path: uri.slice('skill://pdf/'.length),
        digest: sha256(content),
      })),
    );

  it.each([
    ['a space', 'how to.md', 'how%20to.md'],
    [
      'letters beyond ASCII',
      '\u540d\u524d/\u00e9 and \u{1f4c4}.md',
      '%E5%90%8D%E5%89%8D/%C3%A9%20and%20%F0%9F%93%84.md',
    ],
    ['marks', 'odd (1).md', 'odd%20%281%29.md'],
  ])('is asked again for a name with %s', async (_, name, encoded) => {
    const files = { [`skill://pdf/${name}`]: 'x' };
    const { client, seen } = await start([pins(files)], { ...files, 'skill://pdf/SKILL.md': MD });
    const skill = await only(client);
    const file = await client.read(skill, encoded);
    expect([file.text, file.verified]).toEqual(['x', true]);
    expect(seen.map(({ params }) => params.uri)).toEqual([
      INDEX,
      `skill://pdf/${encoded}`,
      `skill://pdf/${name}`,
    ]);
  });

  it.each([
    ['nothing to decode', 'a.md', 'a.md'],
    ['a percent sign', '100%.md', '100%25.md'],
    ['a hash', 'part#1.md', 'part%231.md'],
    ['a question mark', 'what?.md', 'what%3F.md'],
  ])('is not asked for another file where a name has %s', async (_, name, encoded) => {
    const { client, seen } = await start([pins({ [`skill://pdf/${name}`]: 'x' })], {});
    const skill = await only(client);
    await expect(client.read(skill, encoded)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
    expect(seen).toHaveLength(2);
  });

  it('gives what was asked for or nothing', async () => {
    const files = { 'skill://pdf/how to.md': 'x' };
    const { client } = await start([pins(files)], { 'skill://pdf/how to.md': 'other' });
    const skill = await only(client);
    await expect(client.read(skill, 'how%20to.md')).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
  });
});
