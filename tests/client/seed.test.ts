/**
 * What the Go package does on its client side, name by name: `Client` and its methods, `Option`, `ActivateOption`,
 * `ReadDirectoryOption`, `LoadedSkill`, `ReadResult`, `SkillManifest`.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ActivateOptions,
  type ActivationEvent,
  type LoadedSkill,
  type ReadDirectoryOptions,
  type ReadResult,
  type SkillManifest,
  SkillsClient,
  type SkillsClientOptions,
} from '../../src/client/index.ts';
import type { JsonRecord } from '../../src/client/json-record.ts';
import { isSkillError } from '../../src/errors.ts';
import { createProvider, type ProviderOptions } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import type { Index, IndexEntry } from '../../src/wire/index.ts';
import { linked, type Seen, scripted } from './link.ts';

const TEXT =
  '---\nname: pdf\ndescription: Fills forms\nlicense: MIT\n---\n\nRead [more](references/forms.md).\n';
const URI = 'skill://acme/pdf/SKILL.md';
const FORMS = 'skill://acme/pdf/references/forms.md';
const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
const toText = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const EXTENSION = 'io.modelcontextprotocol/skills';
const withSettings = (settings: JsonRecord): JsonRecord => ({
  resources: {},
  extensions: { [EXTENSION]: settings },
});
const DRAFT = withSettings({
  specVersion: '2026-04-23',
  stability: 'experimental',
  config: { directoryRead: true },
});

/** A server that has these resources and nothing else. */
async function serving(
  resources: Readonly<Record<string, string | JsonRecord>>,
  options: SkillsClientOptions = {},
  capabilities: JsonRecord = DRAFT,
): Promise<{ readonly skills: SkillsClient; readonly seen: Seen[] }> {
  const { client, seen } = await scripted({
    capabilities,
    answer: (method, { uri }) => {
      if (method !== 'resources/read') return undefined;
      const found = resources[String(uri)];
      if (found === undefined) return { error: { code: -32602, message: `unknown resource: ${uri}` } };
      return { contents: [{ uri, ...(typeof found === 'string' ? { text: found } : found) }] };
    },
  });
  return { skills: new SkillsClient(client, options), seen };
}

const readsOf = (seen: readonly Seen[]): unknown[] =>
  seen.filter(({ method }) => method === 'resources/read').map(({ params }) => params.uri);

function entry(name: string, text: string, rest: Partial<IndexEntry> = {}): IndexEntry {
  const url = `skill://${name}/SKILL.md`;
  return { type: 'skill-md', name, description: `does ${name}`, url, digest: digestOf(text), ...rest };
}
const indexOf = (...skills: IndexEntry[]): Index => ({ $schema: 'any', skills });

async function provided(
  options: SkillsClientOptions = {},
  providing: Partial<ProviderOptions> = {},
): Promise<SkillsClient> {
  const source = memorySource({ 'acme/pdf/SKILL.md': TEXT, 'acme/pdf/references/forms.md': 'forms' });
  const provider = await createProvider({ source, ...providing });
  onTestFinished(() => provider.close());
  return new SkillsClient(await linked(provider.createServer({ transport: 'stdio' })), options);
}

describe('supportsSkills and supportsDirectoryRead', () => {
  it.each<[string, JsonRecord, boolean, boolean]>([
    ['no extension', { resources: {} }, false, false],
    ['another extension', { extensions: { other: {} } }, false, false],
    ['the extension', withSettings({}), true, false],
    ['the released form', withSettings({ directoryRead: true }), true, true],
    ['the envelope of the draft', DRAFT, true, true],
    ['what is not true', withSettings({ directoryRead: 'true', config: { directoryRead: 1 } }), true, false],
  ])('%s', async (_, capabilities, skills, directories) => {
    const { client, seen } = await scripted({ capabilities, answer: () => undefined });
    const { supportsSkills, supportsDirectoryRead } = new SkillsClient(client);
    expect([supportsSkills, supportsDirectoryRead]).toEqual([skills, directories]);
    expect(seen).toEqual([]);
  });
});

describe('readIndex, the Client.ListSkills of the Go package', () => {
  it('gives the document as it is, entries unjudged', async () => {
    const index = { $schema: 'unknown', skills: [{ type: 'later' }, { type: 'skill-md', url: 'x' }] };
    const { skills } = await serving({ 'skill://index.json': JSON.stringify(index) });
    expect(await skills.readIndex()).toMatchObject(index);
  });

  it('gives an empty one where there is none', async () => {
    const { skills } = await serving({});
    expect((await skills.readIndex()).skills).toEqual([]);
  });

  it('falls under neither the cap nor the budget', async () => {
    const index = JSON.stringify(indexOf(entry('a', 'x'.repeat(10), { description: 'x'.repeat(1_000) })));
    const { skills } = await serving(
      { 'skill://index.json': index },
      { maxResourceBytes: 10, serverByteBudget: 5 },
    );
    expect((await skills.readIndex()).skills).toHaveLength(1);
    expect(skills.bytesConsumed).toBe(0);
  });
});

describe('readSkillUri', () => {
  it.each<[string, string | JsonRecord, string]>([
    ['text', 'wörld', 'wörld'],
    ['a blob', { blob: Buffer.from('forms').toString('base64') }, 'forms'],
    ['a blob beside an empty text', { blob: Buffer.from('x').toString('base64'), text: '' }, 'x'],
    ['an empty text', { text: '' }, ''],
  ])('gives the bytes of %s', async (_, contents, expected) => {
    const { skills } = await serving({ [FORMS]: contents });
    expect(toText(await skills.readSkillUri(FORMS))).toBe(expected);
  });

  it('gives an error with a code for what is not there', async () => {
    const { skills } = await serving({});
    await expect(skills.readSkillUri(FORMS)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' });
  });
});

describe('maxResourceBytes and serverByteBudget', () => {
  const blob = (bytes: number): JsonRecord => ({ blob: Buffer.alloc(bytes, 7).toString('base64') });

  it.each<[string, JsonRecord, number | undefined, string | undefined]>([
    ['text of the limit', { text: 'x'.repeat(10) }, 10, undefined],
    ['text beyond it', { text: 'x'.repeat(11) }, 10, 'RESOURCE_TOO_LARGE'],
    ['text whose bytes are beyond it', { text: 'ö'.repeat(6) }, 10, 'RESOURCE_TOO_LARGE'],
    ['a blob of the limit', blob(10), 10, undefined],
    ['a blob beyond it', blob(11), 10, 'RESOURCE_TOO_LARGE'],
    ['10 MiB by default', blob(10 * 1_048_576), undefined, undefined],
    ['more than that', blob(10 * 1_048_576 + 1), undefined, 'RESOURCE_TOO_LARGE'],
    ['0 for the default', blob(10 * 1_048_576 + 1), 0, 'RESOURCE_TOO_LARGE'],
    ['-1 for none', blob(10 * 1_048_576 + 1), -1, undefined],
  ])('%s', async (_, contents, maxResourceBytes, code) => {
    const { skills } = await serving({ [FORMS]: contents }, { maxResourceBytes });
    const read = skills.readSkillUri(FORMS);
    if (code === undefined) expect((await read).byteLength).toBeGreaterThan(0);
    else await expect(read).rejects.toMatchObject({ code });
  });

  it('count what was read, also what then failed its check, and nothing that exceeds them', async () => {
    const { skills } = await serving({ [FORMS]: 'x'.repeat(40), [URI]: TEXT }, { serverByteBudget: 100 });
    expect(skills.bytesConsumed).toBe(0);
    await skills.readSkillUri(FORMS);
    expect(skills.bytesConsumed).toBe(40);
    await expect(skills.readAndVerify(FORMS, digestOf('other'))).rejects.toMatchObject({
      code: 'DIGEST_MISMATCH',
    });
    const spent = skills.bytesConsumed;
    expect(spent).toBeGreaterThanOrEqual(80);
    await expect(skills.readSkillUri(URI)).rejects.toMatchObject({ code: 'SERVER_BYTE_BUDGET_EXCEEDED' });
    expect(skills.bytesConsumed).toBe(spent);
  });

  it('count nothing without a budget', async () => {
    const { skills } = await serving({ [FORMS]: 'x' });
    await skills.readSkillUri(FORMS);
    expect(skills.bytesConsumed).toBe(0);
  });
});

describe('readAndVerify', () => {
  it.each([
    ['the digest', digestOf('forms'), true],
    ['the digest in capitals', digestOf('forms').toUpperCase(), true],
    ['none', '', false],
  ])('given %s, says whether it checked', async (_, digest, digestVerified) => {
    const { skills } = await serving({ [FORMS]: 'forms' });
    const result: ReadResult = await skills.readAndVerify(FORMS, digest);
    expect({ ...result, bytes: toText(result.bytes) }).toEqual({
      uri: FORMS,
      bytes: 'forms',
      digestVerified,
    });
  });

  it('names both digests when they differ', async () => {
    const { skills } = await serving({ [FORMS]: 'forms' });
    const failing = skills.readAndVerify(FORMS, digestOf('other'));
    await expect(failing).rejects.toThrow(digestOf('other'));
    await expect(failing).rejects.toThrow(digestOf('forms'));
  });
});

describe('readSkillManifest', () => {
  it('parses, and keeps the bytes', async () => {
    const { skills } = await serving({ [URI]: TEXT });
    const manifest: SkillManifest = await skills.readSkillManifest(URI);
    expect({ ...manifest, raw: toText(manifest.raw) }).toMatchObject({
      uri: URI,
      frontmatter: { name: 'pdf', description: 'Fills forms', extra: { license: 'MIT' } },
      body: 'Read [more](references/forms.md).\n',
      raw: TEXT,
    });
  });

  it('compares no name with the URI', async () => {
    const uri = 'skill://other/SKILL.md';
    const { skills } = await serving({ [uri]: TEXT });
    expect((await skills.readSkillManifest(uri)).frontmatter.name).toBe('pdf');
  });

  it.each([
    ['https://acme/pdf/SKILL.md', undefined],
    [FORMS, 'NOT_MANIFEST_URI'],
    ['skill://acme/pdf', 'NOT_MANIFEST_URI'],
    ['skill://acme/../SKILL.md', 'PATH_TRAVERSAL'],
  ])('refuses %s before any request', async (uri, code) => {
    const { skills, seen } = await serving({});
    const failing = skills.readSkillManifest(uri);
    await expect(failing).rejects.toMatchObject(code === undefined ? {} : { code });
    if (code !== undefined) expect(readsOf(seen)).toEqual([]);
  });

  it('passes on what is wrong with the frontmatter', async () => {
    const { skills } = await serving({ [URI]: 'no frontmatter' });
    await expect(skills.readSkillManifest(URI)).rejects.toMatchObject({ code: 'MISSING_FRONTMATTER' });
  });
});

describe('readSkillFile and readSkillFileVerified', () => {
  const manifest = { uri: URI } as SkillManifest;
  const pinned = entry('acme/pdf', TEXT, {
    _meta: {
      'io.modelcontextprotocol.skills/file-digests': [
        { path: 'references/forms.md', digest: digestOf('forms') },
        { path: 'data.txt', digest: digestOf('other') },
      ],
    },
  });

  it('read what a SKILL.md refers to', async () => {
    const { skills, seen } = await serving({ [FORMS]: 'forms' });
    expect(toText(await skills.readSkillFile(manifest, './references/forms.md#top'))).toBe('forms');
    expect(readsOf(seen)).toEqual([FORMS]);
    const result = await skills.readSkillFileVerified(pinned, manifest, 'references/forms.md');
    expect(result).toMatchObject({ uri: FORMS, digestVerified: true });
  });

  it.each([
    ['../../etc/passwd', 'RELATIVE_ESCAPES_SKILL'],
    ['https://evil/x', 'RELATIVE_ESCAPES_SKILL'],
    ['', 'EMPTY_PATH_SEGMENT'],
  ])('lead nowhere else: %j', async (ref, code) => {
    const { skills, seen } = await serving({});
    await expect(skills.readSkillFile(manifest, ref)).rejects.toMatchObject({ code });
    await expect(skills.readSkillFileVerified(pinned, manifest, ref)).rejects.toMatchObject({ code });
    expect(readsOf(seen)).toEqual([]);
  });

  it('refuse what has no pin before any request, SKILL.md too', async () => {
    const { skills, seen } = await serving({ [URI]: TEXT });
    for (const ref of ['none.md', 'SKILL.md']) {
      await expect(skills.readSkillFileVerified(pinned, manifest, ref)).rejects.toMatchObject({
        code: 'SUPPORTING_FILE_UNPINNED',
      });
    }
    expect(readsOf(seen)).toEqual([]);
  });

  it('refuse what differs from its pin', async () => {
    const { skills } = await serving({ 'skill://acme/pdf/data.txt': 'changed' });
    const failing = skills.readSkillFileVerified(pinned, manifest, 'data.txt');
    await expect(failing).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
  });

  it('take a skill that listSkills gave for the entry', async () => {
    const skills = await provided();
    const [skill] = (await skills.listSkills()).skills;
    const read = await skills.readSkillManifest(URI);
    const result = await skills.readSkillFileVerified(skill!, read, 'references/forms.md');
    expect([toText(result.bytes), result.digestVerified]).toEqual(['forms', true]);
  });
});

describe('readDirectory', () => {
  it('asks nothing of a server that does not declare it', async () => {
    const { skills, seen } = await serving({}, {}, withSettings({}));
    await expect(skills.readDirectory('skill://acme/pdf')).rejects.toMatchObject({
      code: 'DIRECTORY_READ_NOT_SUPPORTED',
    });
    expect(seen).toEqual([]);
  });

  it('gives one page, and goes on where the caller says', async () => {
    const asked: unknown[] = [];
    const { client } = await scripted({
      capabilities: DRAFT,
      answer: (_, params) => {
        asked.push(params);
        return { resources: [{ uri: FORMS, name: 'forms.md' }], nextCursor: '1' };
      },
    });
    const skills = new SkillsClient(client);
    const options: ReadDirectoryOptions = { cursor: '7' };
    const page = await skills.readDirectory('skill://acme/pdf/references');
    expect(page).toMatchObject({ resources: [{ uri: FORMS, name: 'forms.md' }], nextCursor: '1' });
    await skills.readDirectory('skill://acme/pdf/references', options);
    expect(asked).toEqual([
      { uri: 'skill://acme/pdf/references' },
      { uri: 'skill://acme/pdf/references', cursor: '7' },
    ]);
  });
});

describe('loadIndex and loadAll', () => {
  const shown = (loaded: readonly LoadedSkill[]): unknown[] =>
    loaded.map(({ entry: { url }, body, error }) => [url, body === undefined ? error?.code : toText(body)]);

  it('load every entry, sorted by URL, each failure at its own', async () => {
    const { skills } = await serving({
      'skill://b/SKILL.md': 'B',
      'skill://a/SKILL.md': 'A',
      'skill://c/SKILL.md': 'changed',
      'skill://d/SKILL.md': 'D',
    });
    const unpinned = entry('d', '', { digest: '' });
    const index = indexOf(
      entry('c', 'C'),
      entry('b', 'B'),
      entry('e', 'E'),
      unpinned,
      entry('z', '', { type: 'archive', url: 'skill://z.zip' }),
      entry('a', 'A'),
    );
    expect(shown(await skills.loadIndex(index))).toEqual([
      ['skill://a/SKILL.md', 'A'],
      ['skill://b/SKILL.md', 'B'],
      ['skill://c/SKILL.md', 'DIGEST_MISMATCH'],
      ['skill://d/SKILL.md', 'D'],
      ['skill://e/SKILL.md', 'RESOURCE_NOT_FOUND'],
      ['skill://z.zip', 'ARCHIVE_NOT_LOADED'],
    ]);
  });

  it('give exactly one of body and error', async () => {
    const { skills } = await serving({ 'skill://a/SKILL.md': 'A' });
    const loaded = await skills.loadIndex(indexOf(entry('a', 'A'), entry('b', 'B')));
    expect(loaded.map(({ body, error }) => [body !== undefined, isSkillError(error)])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it.each<[string, Partial<ProviderOptions>]>([
    ['released', {}],
    ['draft-index', { dialects: ['draft-index'] }],
    ['fastmcp', { dialects: ['fastmcp'] }],
  ])('load the whole SKILL.md of every skill: %s', async (_, providing) => {
    const skills = await provided({}, providing);
    const loaded = await skills.loadAll();
    expect(loaded.map(({ entry: { name }, body, error }) => [name, body && toText(body), error])).toEqual([
      ['pdf', TEXT, undefined],
    ]);
  });

  it('leave the archives of an index to listSkills and read, as the Go package does', async () => {
    const skills = await provided({}, { dialects: ['draft-index'], archive: 'zip' });
    expect(shown(await skills.loadAll())).toEqual([['skill://acme/pdf.zip', 'ARCHIVE_NOT_LOADED']]);
    const [skill] = (await skills.listSkills()).skills;
    expect((await skills.read(skill!)).text).toBe(TEXT);
  });

  it('fail as a whole only where the index cannot be had', async () => {
    const { client } = await scripted({
      capabilities: DRAFT,
      answer: () => ({ error: { code: -32603, message: 'down' } }),
    });
    await expect(new SkillsClient(client).loadAll()).rejects.toSatisfy((error) => isSkillError(error));
  });
});

describe('activate', () => {
  it('tells the hook and the caller the same, at once', async () => {
    const told: ActivationEvent[] = [];
    const { skills, seen } = await serving({}, { onActivate: (event) => void told.push(event) });
    const options: ActivateOptions = { reason: 'user_requested' };
    const before = Date.now();
    const event = skills.activate(URI, options);
    expect(told).toEqual([event]);
    expect(event).toMatchObject({ uri: URI, reason: 'user_requested' });
    expect(event.timestamp.getTime()).toBeGreaterThanOrEqual(before);
    expect(skills.activate('anything at all')).not.toHaveProperty('reason');
    expect(seen).toEqual([]);
  });

  it('never fails, also when the hook does', async () => {
    const { skills } = await serving(
      {},
      {
        onActivate: () => {
          throw new Error('the hook');
        },
      },
    );
    expect(skills.activate('').uri).toBe('');
  });
});
