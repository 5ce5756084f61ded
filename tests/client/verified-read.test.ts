import { describe, expect, it } from 'vitest';
import { ContentCache } from '../../src/client/content-cache.ts';
import type { DialectReader, RawContents, RequestScope } from '../../src/client/dialect.ts';
import { DynamicGuard } from '../../src/client/dynamic.ts';
import { type FoundSkill, SkillsClient, type SkillsClientOptions } from '../../src/client/index.ts';
import type { JsonRecord } from '../../src/client/json-record.ts';
import { readVerified, type VerifiedFile } from '../../src/client/verified-read.ts';
import { type Answer, type Seen, scripted } from './link.ts';
import {
  contents,
  entryOf,
  type Files,
  manifestText,
  PDF,
  resource,
  sha256,
  skillServer,
} from './skill-server.ts';

const SKILL_MD = 'skill://pdf/SKILL.md';
const A_MD = 'skill://pdf/references/a.md';
const text = (uri: string): string => PDF[uri] ?? '';

interface Setup {
  readonly client: SkillsClient;
  readonly skill: FoundSkill;
  /** What was asked since the skill was listed. */
  readonly reads: () => string[];
  readonly seen: Seen[];
}

async function setup(
  lies: Readonly<Record<string, Answer | ((params: JsonRecord, times: number) => Answer | undefined)>> = {},
  options: SkillsClientOptions = {},
  files: Files = PDF,
  entry: JsonRecord = entryOf('pdf', PDF),
): Promise<Setup> {
  const { client: mcp, seen } = await scripted(skillServer(files, entry, lies));
  const client = new SkillsClient(mcp, options);
  const { skills, problems } = await client.listSkills();
  expect(problems).toEqual([]);
  const [skill] = skills;
  if (skill === undefined) throw new Error('no skill');
  const from = seen.length;
  return {
    client,
    skill,
    seen,
    reads: () => seen.slice(from).map(({ method, params }) => `${method} ${String(params.uri)}`),
  };
}

describe('a verified read', () => {
  it('gives SKILL.md by default, with what its checked bytes say', async () => {
    const { client, skill } = await setup();
    const file = await client.read(skill);
    expect(file).toMatchObject({
      uri: SKILL_MD,
      text: text(SKILL_MD),
      mimeType: 'text/markdown',
      verified: true,
      integrity: 'complete',
      dialect: 'released',
      frontmatter: { name: 'pdf', description: 'About pdf' },
      body: 'Body.\n',
    });
    expect(Buffer.from(file.bytes).toString()).toBe(text(SKILL_MD));
  });

  it.each([
    ['references/a.md', A_MD],
    ['./references/a.md', A_MD],
    ['references/../references/a.md#usage', A_MD],
    ['references/%61.md?x=1', A_MD],
    ['skill://pdf/references/a.md', A_MD],
    ['SKILL://pdf/references/%61.md#usage', A_MD],
    ['how to.md', 'skill://pdf/how%20to.md'],
    ['how%20to.md', 'skill://pdf/how%20to.md'],
    ['SKILL.md', SKILL_MD],
  ])('finds the file of the reference %j in the entry and asks for it in its spelling', async (ref, uri) => {
    const { client, skill, reads } = await setup();
    expect(await client.read(skill, ref)).toMatchObject({ uri, text: text(uri), verified: true });
    expect(reads()).toEqual([`resources/read ${uri}`]);
  });

  it.each([
    ['references/b.md', 'UNLISTED_FILE'],
    ['skill://pdf/references/b.md', 'UNLISTED_FILE'],
    ['skill://other/SKILL.md', 'UNLISTED_FILE'],
    ['skill://pdf', 'UNLISTED_FILE'],
    ['skill://pdf/', 'UNLISTED_FILE'],
    ['skill://pdfx/SKILL.md', 'UNLISTED_FILE'],
    ['file:///etc/passwd', 'UNLISTED_FILE'],
    ['file:x', 'UNLISTED_FILE'],
    ['https://pdf/SKILL.md', 'UNLISTED_FILE'],
    ['C:/x', 'UNLISTED_FILE'],
    ['../other/x', 'RELATIVE_ESCAPES_SKILL'],
    ['/etc/passwd', 'RELATIVE_ESCAPES_SKILL'],
    ['%2e%2e/other/SKILL.md', 'PATH_TRAVERSAL'],
    ['skill://pdf/%2e%2e/other/SKILL.md', 'PATH_TRAVERSAL'],
    ['references%2Fa.md', 'INVALID_SEGMENT'],
    ['', 'EMPTY_PATH_SEGMENT'],
  ])('refuses the reference %j before any request', async (ref, code) => {
    const { client, skill, reads } = await setup();
    await expect(client.read(skill, ref)).rejects.toMatchObject({ name: 'SkillError', code });
    expect(reads()).toEqual([]);
  });

  it.each<[string, string, Answer, string]>([
    ['another digest of the same size', A_MD, contents(A_MD, 'reference b\n'), 'DIGEST_MISMATCH'],
    ['another size', A_MD, contents(A_MD, 'reference a\r\n'), 'SIZE_MISMATCH'],
    ['another uri in the answer', A_MD, contents(SKILL_MD, text(A_MD)), 'URI_MISMATCH'],
    ['a uri outside in the answer', A_MD, contents('file:///x', text(A_MD)), 'URI_MISMATCH'],
    ['both text and blob', A_MD, contents(A_MD, 'evil', { blob: 'cmVmZXJlbmNlIGEK' }), 'INVALID_RESULT'],
    [
      'two contents',
      A_MD,
      {
        contents: [
          { uri: A_MD, text: text(A_MD) },
          { uri: A_MD, text: 'evil' },
        ],
      },
      'INVALID_RESULT',
    ],
    ['no contents', A_MD, { contents: [] }, 'INVALID_RESULT'],
    ['nothing', A_MD, {}, 'INVALID_RESULT'],
    ['not found', A_MD, { error: { code: -32602, message: 'no' } }, 'RESOURCE_NOT_FOUND'],
    ['an error', A_MD, { error: { code: -32603, message: 'oh' } }, 'SERVER_ERROR'],
    ['no such method', A_MD, { error: { code: -32601, message: 'Method not found' } }, 'METHOD_NOT_FOUND'],
  ])('refuses %s', async (_, uri, answer, code) => {
    const { client, skill } = await setup({ [`resources/read ${uri}`]: answer });
    await expect(client.read(skill, uri)).rejects.toMatchObject({ name: 'SkillError', code });
  });

  it('takes an equivalent spelling of the uri in the answer', async () => {
    const { client, skill } = await setup({
      'resources/read skill://pdf/how%20to.md': contents('SKILL://pdf/how to.md', 'how to\n'),
    });
    expect(await client.read(skill, 'how to.md')).toMatchObject({ verified: true, text: 'how to\n' });
  });

  it('takes bytes that came as a blob, also those that are no text', async () => {
    const bytes = Buffer.from([0x61, 0x80, 0x00]);
    const uri = 'skill://pdf/x.bin';
    const entry = entryOf('pdf', PDF);
    const { client, skill } = await setup(
      { [`resources/read ${uri}`]: { contents: [{ uri, blob: bytes.toString('base64') }] } },
      {},
      PDF,
      {
        ...entry,
        resources: [...(entry.resources as JsonRecord[]), { uri, digest: sha256(bytes), size: 3 }],
      },
    );
    const file = await client.read(skill, 'x.bin');
    expect(Buffer.from(file.bytes).equals(bytes)).toBe(true);
    expect(file).not.toHaveProperty('text');
    expect(file).not.toHaveProperty('frontmatter');
  });

  it.each([
    ['another description', manifestText('pdf').replace('About', 'Evil'), ['description']],
    ['a field more', manifestText('pdf').replace('---\n\n', 'license: MIT\n---\n\n'), ['license']],
    ['no frontmatter', 'no fences\n', []],
    ['another type', manifestText('pdf').replace('About pdf', '1'), ['description']],
  ])('refuses a SKILL.md with %s, digest and size right', async (_, file, fields) => {
    const files = { ...PDF, [SKILL_MD]: file };
    const entry = { ...entryOf('pdf', files), frontmatter: { name: 'pdf', description: 'About pdf' } };
    const { client, skill } = await setup({}, {}, files, entry);
    await expect(client.read(skill)).rejects.toMatchObject({
      code: 'FRONTMATTER_MISMATCH',
      details: { fields },
    });
    // Its other files are still what the entry says; whether the skill is loaded is not theirs to say.
    await expect(client.read(skill, 'references/a.md')).resolves.toMatchObject({ verified: true });
  });

  it('says nothing of the frontmatter of a nested SKILL.md (H5)', async () => {
    const files = { ...PDF, 'skill://pdf/inner/SKILL.md': manifestText('evil') };
    const { client, skill } = await setup({}, {}, files, entryOf('pdf', files));
    const file = await client.read(skill, 'inner/SKILL.md');
    expect(file).toMatchObject({ verified: true, text: manifestText('evil') });
    expect(file).not.toHaveProperty('frontmatter');
    expect(file).not.toHaveProperty('body');
  });

  it('refuses by the size in the entry before any request', async () => {
    const entry = entryOf('pdf', PDF);
    const big = { uri: 'skill://pdf/big.bin', digest: sha256(''), size: 16_777_217 };
    const { client, skill, reads } = await setup({}, {}, PDF, {
      ...entry,
      resources: [...(entry.resources as JsonRecord[]), big],
    });
    await expect(client.read(skill, 'big.bin')).rejects.toMatchObject({
      code: 'RESOURCE_TOO_LARGE',
      details: { limit: 16_777_216, actual: 16_777_217 },
    });
    expect(reads()).toEqual([]);
  });

  it('refuses what is larger than it said, before decoding', async () => {
    const { client, skill } = await setup(
      { [`resources/read ${A_MD}`]: contents(A_MD, 'x'.repeat(1_001)) },
      { maxResourceBytes: 1_000 },
    );
    await expect(client.read(skill, A_MD)).rejects.toMatchObject({ code: 'RESOURCE_TOO_LARGE' });
  });

  it('hands out bytes that nobody else holds', async () => {
    const { client, skill, reads } = await setup();
    const [first, second] = await Promise.all([client.read(skill, A_MD), client.read(skill, A_MD)]);
    first.bytes.fill(0);
    const third = await client.read(skill, A_MD);
    third.bytes.fill(0);
    const fourth = await client.read(skill, A_MD);
    for (const file of [second, fourth]) expect(Buffer.from(file.bytes).toString()).toBe(text(A_MD));
    expect([first.text, second.text, third.text]).toEqual([text(A_MD), text(A_MD), text(A_MD)]);
    expect(reads()).toEqual([`resources/read ${A_MD}`]);
  });

  it('keeps a file only as long as the entry has its digest (H35)', async () => {
    const { client, skill, reads } = await setup({
      [`resources/read ${A_MD}`]: (_, times) => contents(A_MD, times === 1 ? text(A_MD) : 'new\n'),
    });
    await client.read(skill, A_MD);
    const changed: FoundSkill = {
      ...skill,
      entry: {
        ...skill.entry,
        resources: [resource(SKILL_MD, text(SKILL_MD)), resource(A_MD, 'new\n')] as never,
      },
    };
    expect(await client.read(changed, A_MD)).toMatchObject({ text: 'new\n', verified: true });
    expect(await client.read(skill, A_MD)).toMatchObject({ text: text(A_MD) });
    expect(reads()).toHaveLength(2);
  });

  it('keeps nothing with cacheBytes: false', async () => {
    const { client, skill, reads } = await setup({}, { cacheBytes: false });
    await client.read(skill, A_MD);
    await client.read(skill, A_MD);
    expect(reads()).toHaveLength(2);
  });

  it('never lets a failed read into what it keeps', async () => {
    const { client, skill } = await setup({
      [`resources/read ${A_MD}`]: (_, times) => contents(A_MD, times === 1 ? 'reference b\n' : text(A_MD)),
    });
    await expect(client.read(skill, A_MD)).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
    expect(await client.read(skill, A_MD)).toMatchObject({ text: text(A_MD) });
  });

  it('lists again after a failed check, whatever the server called fresh', async () => {
    const entry = entryOf('pdf', PDF);
    const { client, skill, reads } = await setup({
      'skills/list': { skills: [entry], ttlMs: 3_600_000 },
      [`resources/read ${A_MD}`]: contents(A_MD, 'reference b\n'),
    });
    await client.listSkills();
    await expect(client.read(skill, A_MD)).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
    await client.listSkills();
    expect(reads()).toEqual([`resources/read ${A_MD}`, 'skills/list undefined']);
  });

  it.each([undefined, null, {}, { entry: null }, { entry: { uri: 1 } }])(
    'refuses %j for a skill',
    async (none) => {
      const { client } = await setup();
      await expect(client.read(none as never)).rejects.toMatchObject({ code: 'INVALID_ENTRY' });
    },
  );

  it('judges an entry that no reader of a client made', async () => {
    const { client, skill, reads } = await setup();
    const forged = (entry: JsonRecord): FoundSkill => ({
      ...skill,
      entry: { ...skill.entry, ...entry } as never,
    });
    for (const entry of [
      { resources: undefined },
      { resources: 'DYNAMIC' },
      { resources: [...(skill.entry.resources as never[]), resource('skill://other/x', 'x')] },
      { uri: 'skill://other/SKILL.md' },
      { frontmatter: undefined },
    ]) {
      await expect(client.read(forged(entry))).rejects.toMatchObject({ code: 'INVALID_ENTRY' });
    }
    expect(reads()).toEqual([]);
    expect(await client.read(JSON.parse(JSON.stringify(skill)) as FoundSkill)).toMatchObject({
      verified: true,
    });
  });
});

describe('a skill that is made anew', () => {
  const entry = { ...entryOf('pdf', PDF), resources: 'dynamic' };

  it('is refused unless asked for, before any request', async () => {
    const { client, skill, reads } = await setup({}, {}, PDF, entry);
    expect(skill).toMatchObject({ integrity: 'dynamic', entry: { resources: 'dynamic' } });
    await expect(client.read(skill)).rejects.toMatchObject({ code: 'DYNAMIC_REFUSED' });
    expect(reads()).toEqual([]);
  });

  it('is labelled, and its frontmatter is compared all the same', async () => {
    const { client, skill } = await setup({}, { dynamic: true }, PDF, entry);
    expect(await client.read(skill)).toMatchObject({
      verified: false,
      integrity: 'dynamic',
      body: 'Body.\n',
    });
    expect(await client.read(skill, 'references/a.md')).toMatchObject({ verified: false });
    await expect(client.read(skill, 'skill://other/a.md')).rejects.toMatchObject({ code: 'UNLISTED_FILE' });
    const other = await setup(
      {},
      { dynamic: true },
      { ...PDF, [SKILL_MD]: manifestText('pdf').replace('About', 'No') },
      entry,
    );
    await expect(other.client.read(other.skill)).rejects.toMatchObject({ code: 'FRONTMATTER_MISMATCH' });
  });

  it('is bounded by bytes and by files', async () => {
    const { client, skill } = await setup({}, { dynamic: { maxBytes: 55, maxFiles: 2 } }, PDF, entry);
    await client.read(skill);
    await expect(client.read(skill, A_MD)).rejects.toMatchObject({ code: 'RESOURCE_TOO_LARGE' });
    const files = await setup({}, { dynamic: { maxFiles: 1 } }, PDF, entry);
    await files.client.read(files.skill);
    await files.client.read(files.skill);
    await expect(files.client.read(files.skill, A_MD)).rejects.toMatchObject({ code: 'DYNAMIC_REFUSED' });
  });
});

describe('a copy from a response cache', () => {
  const raw = (body: string, cached: boolean, uri = A_MD): RawContents => ({
    uri,
    bytes: Buffer.from(body),
    cached,
  });

  /** Reads through a reader that gives these, one after the other. */
  async function readFrom(
    ...given: readonly RawContents[]
  ): Promise<{ file: VerifiedFile; scopes: RequestScope[] }> {
    const { skill } = await setup();
    const scopes: RequestScope[] = [];
    const reader: DialectReader = {
      dialect: 'released',
      detect: () => Promise.resolve(true),
      list: () => Promise.reject(new Error('not asked')),
      get: () => Promise.reject(new Error('not asked')),
      read: (_skill, _uri, scope) => {
        scopes.push(scope);
        return Promise.resolve(given[scopes.length - 1] ?? raw('none', false));
      },
    };
    const context = {
      reader,
      cache: new ContentCache(0),
      dynamic: new DynamicGuard(false),
      maxResourceBytes: 1_000,
    };
    return { file: await readVerified(context, skill, A_MD, {}), scopes };
  }

  it.each([
    ['another size', raw('old\n', true)],
    ['another digest', raw('reference b\n', true)],
    ['another uri', raw(text(A_MD), true, SKILL_MD)],
  ])('with %s is tried once more past it', async (_, stale) => {
    const { file, scopes } = await readFrom(stale, raw(text(A_MD), false));
    expect(file).toMatchObject({ text: text(A_MD), verified: true });
    expect(scopes).toEqual([{}, { fresh: true }]);
  });

  it('is refused with what differed when the second one is wrong too', async () => {
    await expect(readFrom(raw('old\n', true), raw('reference b\n', true))).rejects.toMatchObject({
      code: 'DIGEST_MISMATCH',
      details: { expected: sha256(text(A_MD)), actual: sha256('reference b\n') },
    });
  });

  it('is no excuse for one that came from the server itself', async () => {
    await expect(readFrom(raw('reference b\n', false), raw(text(A_MD), false))).rejects.toMatchObject({
      code: 'DIGEST_MISMATCH',
    });
  });
});
