import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { unpackArchive } from '../../src/archive/index.ts';
import { isSkillError } from '../../src/errors.ts';
import {
  createProvider,
  draftIndexText,
  type ProviderOptions,
  type SkillProvider,
} from '../../src/server/index.ts';
import { type MemorySource, memorySource } from '../../src/source/index.ts';
import { type Index, lookup, validateIndex } from '../../src/wire/index.ts';
import { type Link, linkProvider, REVISIONS, type Revision } from './link.ts';
import { skillText } from './support.ts';

const INDEX = 'skill://index.json';
const sha = (bytes: Uint8Array | string): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(
  files: Readonly<Record<string, string | Uint8Array>> | MemorySource,
  options: Partial<ProviderOptions> = {},
  revision: Revision = '2025-11-25',
): Promise<{ provider: SkillProvider; link: Link; source: MemorySource }> {
  const source =
    'set' in files && typeof files.set === 'function'
      ? (files as MemorySource)
      : memorySource(files as never);
  const provider = await createProvider({ source, dialects: ['released', 'draft-index'], ...options });
  ends.push(() => provider.close());
  const link = await linkProvider(provider, revision);
  ends.push(() => link.close());
  return { provider, link, source };
}

async function textAt(link: Link, uri: string): Promise<string> {
  const { result, error } = await link.ask('resources/read', { uri });
  if (result === undefined) throw new Error(`${uri}: ${error?.message}`);
  return (result.contents as { text: string }[])[0]?.text as string;
}

async function bytesAt(link: Link, uri: string): Promise<Buffer> {
  const { result, error } = await link.ask('resources/read', { uri });
  if (result === undefined) throw new Error(`${uri}: ${error?.message}`);
  return Buffer.from((result.contents as { blob: string }[])[0]?.blob as string, 'base64');
}

async function indexOf(link: Link): Promise<Index> {
  const index: unknown = JSON.parse(await textAt(link, INDEX));
  validateIndex(index);
  return index;
}

async function listed(link: Link): Promise<string[]> {
  return (await link.pages<{ uri: string }>('resources/list', 'resources')).flat().map(({ uri }) => uri);
}

describe('recorded cases of seed 000’s package', () => {
  interface Vector {
    readonly name: string;
    readonly input: {
      readonly files: Record<string, string>;
      readonly options?: {
        readonly metaPrefix?: string;
        readonly uriPrefix?: string;
        readonly supportingDigests?: 'off';
        readonly archiveMode?: 'tar.gz' | 'zip';
      };
    };
    readonly expect: {
      readonly error?: string;
      readonly index?: Index;
      readonly resources?: readonly {
        readonly uri: string;
        readonly name: string;
        readonly description?: string;
        readonly mimeType: string;
        readonly annotations?: unknown;
      }[];
    };
  }
  const vectors: readonly Vector[] = JSON.parse(
    readFileSync(new URL('../vectors/provider-walk.json', import.meta.url), 'utf8'),
  );
  const deviations = readFileSync(new URL('../../docs/reference/deviations.md', import.meta.url), 'utf8');
  const CODES: Readonly<Record<string, string>> = {
    ErrManifestNotInRoot: 'MANIFEST_NOT_IN_ROOT',
    ErrNestedSkill: 'NESTED_SKILL',
    ErrSkillNameMismatch: 'SKILL_NAME_MISMATCH',
    ErrMissingFrontmatter: 'MISSING_FRONTMATTER',
  };

  /** What differs, each a line in docs/reference/deviations.md: pins, the url, the resources by URI and type. */
  const OURS: Readonly<
    Record<
      string,
      { readonly pins?: string[]; readonly url?: string; readonly resources: (readonly [string, string])[] }
    >
  > = {
    'supporting files and index pins': {
      resources: [
        ['skill://pdf/SKILL.md', 'text/markdown'],
        ['skill://pdf/a.bin', 'text/plain'],
        ['skill://pdf/references/F.md', 'text/markdown'],
      ],
    },
    'hidden files and dirs inside a skill ARE served': {
      pins: [],
      resources: [['skill://a/SKILL.md', 'text/markdown']],
    },
    'file names with spaces/unicode are NOT percent-encoded in URIs': {
      resources: ['%C3%A9', '50%25', 'SKILL', 'h%23', 'my%20file', 'q%3F'].map((name) => [
        `skill://a/${name}.md`,
        'text/markdown',
      ]),
    },
    'uppercase prefix dir ok': {
      url: 'skill://Acme%20Org/a/SKILL.md',
      resources: [['skill://Acme%20Org/a/SKILL.md', 'text/markdown']],
    },
  };

  it.each(vectors.map((each) => [each.name, each] as const))('provider-walk: %s', async (name, vector) => {
    const { metaPrefix, uriPrefix, supportingDigests, archiveMode } = vector.input.options ?? {};
    const opening = open(vector.input.files, {
      strict: true,
      dialects: ['draft-index'],
      ...(metaPrefix !== undefined && { metaPrefix }),
      ...(uriPrefix !== undefined && { prefix: uriPrefix }),
      ...(supportingDigests !== undefined && { supportingDigests }),
      ...(archiveMode !== undefined && { archive: archiveMode }),
    });
    if (vector.expect.error !== undefined) {
      const error = await opening.catch((thrown: unknown) => thrown);
      expect(isSkillError(error) ? error.code : error).toBe(CODES[vector.expect.error]);
      return;
    }
    const { provider, link } = await opening;
    const ours = OURS[name];

    const index = await indexOf(link);
    const wanted = structuredClone(vector.expect.index) as unknown as {
      skills: { type: string; url: string; digest: string; _meta?: Record<string, { path: string }[]> }[];
      _meta: Record<string, unknown>;
    };
    wanted._meta['dev.skillwire/revision'] = provider.revision;
    for (const entry of wanted.skills) {
      if (archiveMode !== undefined) entry.digest = sha(await bytesAt(link, entry.url));
      if (ours?.url !== undefined) entry.url = ours.url;
      if (ours?.pins !== undefined) delete entry._meta;
      // Ours says so where there is nothing but SKILL.md.
      if (entry.type === 'skill-md' && supportingDigests !== 'off') {
        entry._meta ??= { 'io.modelcontextprotocol.skills/file-digests': [] };
      }
    }
    expect(index).toEqual(wanted);

    const resources = provider.resources().map(({ uri, name: title, description, mimeType, _meta }) => ({
      uri,
      name: title,
      ...(description !== undefined && { description }),
      mimeType,
      ...(_meta !== undefined && { annotations: _meta }),
    }));
    if (ours === undefined) expect(resources).toEqual(vector.expect.resources);
    else expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual(ours.resources);
  });

  it('differ where the documentation says so', () => {
    expect(deviations).toContain('| provider-walk | a skill that is only a SKILL.md |');
    for (const name of Object.keys(OURS)) expect(deviations).toContain(`| provider-walk | ${name} |`);
  });
});

const FILES = {
  'pdf/SKILL.md': skillText('pdf', 'license: MIT\n'),
  'pdf/references/b.md': 'b',
  'pdf/references/a b.md': 'a',
  'pdf-forms/SKILL.md': skillText('pdf-forms'),
  'group/shy/SKILL.md': skillText('shy'),
  'group/long/SKILL.md': `---\nname: long\ndescription: ${'x'.repeat(1_025)}\n---\n`,
};
const hidden = (path: string): boolean => path === 'group/shy';

describe.each(REVISIONS)('skill://index.json, %s', (revision) => {
  it('is compact JSON in the order of the draft, unlisted skills in it, hidden ones not', async () => {
    const { link, provider } = await open(FILES, { hidden }, revision);
    const text = await textAt(link, INDEX);
    const pins = `{"io.modelcontextprotocol.skills/file-digests":[{"path":"references/a b.md","digest":"${sha('a')}"},{"path":"references/b.md","digest":"${sha('b')}"}]}`;
    const none = ',"_meta":{"io.modelcontextprotocol.skills/file-digests":[]}';
    const entry = (name: string, description: string, url: string, digest: string, meta = none): string =>
      `{"type":"skill-md","name":"${name}","description":"${description}","url":"${url}","digest":"${digest}"${meta}}`;
    expect(text).toBe(
      `{"$schema":"https://schemas.agentskills.io/discovery/0.2.0/schema.json","skills":[${[
        entry('long', 'x'.repeat(1_025), 'skill://group/long/SKILL.md', sha(FILES['group/long/SKILL.md'])),
        entry('pdf-forms', 'About pdf-forms', 'skill://pdf-forms/SKILL.md', sha(FILES['pdf-forms/SKILL.md'])),
        entry('pdf', 'About pdf', 'skill://pdf/SKILL.md', sha(FILES['pdf/SKILL.md']), `,"_meta":${pins}`),
      ].join(
        ',',
      )}],"_meta":{"io.modelcontextprotocol.skills/version":0,"dev.skillwire/revision":"${provider.revision}"}}`,
    );
  });

  it('is listed as the draft describes it, among the skills in order, and read in any spelling', async () => {
    const { link } = await open(FILES, { hidden }, revision);
    const [page] = await link.pages<{ uri: string }>('resources/list', 'resources');
    expect(page?.map(({ uri }) => uri)).toEqual([
      'skill://group/long/SKILL.md',
      INDEX,
      'skill://pdf-forms/SKILL.md',
      'skill://pdf/SKILL.md',
    ]);
    expect(page?.[1]).toEqual({
      uri: INDEX,
      name: 'Skill discovery index',
      description: 'JSON catalog of skills served by this server per SEP-2640.',
      mimeType: 'application/json',
    });
    const { result } = await link.ask('resources/read', { uri: 'SKILL://%69ndex.json' });
    expect(result).toMatchObject({ contents: [{ uri: INDEX, mimeType: 'application/json' }] });
    const fresh = revision === '2026-07-28' ? { ttlMs: 5_000, cacheScope: 'private' } : {};
    const { contents: _, resultType: __, _meta: ___, ...hints } = result as Record<string, unknown>;
    expect(hints).toEqual(fresh);
  });

  it('moves with every edit for a client that polls: version, revision, digest', async () => {
    const { link, source } = await open(FILES, {}, revision);
    const first = await indexOf(link);
    source.set('pdf/SKILL.md', skillText('pdf', 'license: MIT\n', 'Other body.\n'));
    const second = await indexOf(link);
    const meta = (index: Index): unknown[] => Object.values(index._meta ?? {});
    expect(meta(first)[0]).toBe(0);
    expect(meta(second)[0]).toBe(1);
    expect(meta(second)[1]).not.toBe(meta(first)[1]);
    const bytes = await textAt(link, 'skill://pdf/SKILL.md');
    expect(lookup(second, 'skill://pdf/SKILL.md')?.digest).toBe(sha(bytes));
    expect(lookup(first, 'skill://pdf/SKILL.md')?.digest).not.toBe(sha(bytes));
    expect(meta(await indexOf(link))).toEqual(meta(second));
  });
});

describe('dialects', () => {
  it('released alone has no index, and reads no other one', async () => {
    const { link } = await open(FILES, { dialects: ['released'] });
    expect(await listed(link)).not.toContain(INDEX);
    expect((await link.ask('resources/read', { uri: INDEX })).error).toMatchObject({
      code: -32602,
      data: { uri: INDEX },
    });
  });

  it('without an index the draft has nothing else in file mode', async () => {
    const { link } = await open(FILES, { index: false });
    expect(await listed(link)).not.toContain(INDEX);
    expect((await link.ask('resources/read', { uri: INDEX })).error?.code).toBe(-32602);
  });

  it.each(REVISIONS)(
    'draft-index alone declares no extension and keeps files readable, %s',
    async (revision) => {
      const { link } = await open(FILES, { dialects: ['draft-index'] }, revision);
      expect(link.client.getServerCapabilities()).toEqual({
        resources: { listChanged: true, subscribe: true },
        completions: {},
      });
      for (const [method, params] of [
        ['skills/list', {}],
        ['skills/get', { uri: 'skill://pdf/SKILL.md' }],
        ['resources/directory/read', { uri: 'skill://pdf' }],
      ] as const) {
        expect((await link.ask(method, params)).error?.code).toBe(-32601);
      }
      expect(await textAt(link, 'skill://pdf/references/a%20b.md')).toBe('a');
      expect((await indexOf(link)).skills).toHaveLength(4);
    },
  );

  it.each([
    ['one that does not exist', { dialects: ['draft'] }, 'USAGE'],
    ['none', { dialects: [] }, 'USAGE'],
    ['archives without the draft', { dialects: ['released'], archive: 'zip' }, 'USAGE'],
    ['archives that are only read', { archive: 'tar.bz2' }, 'ARCHIVE_UNSUPPORTED_FOR_PACK'],
    ['archives of no format', { archive: 'unknown' }, 'ARCHIVE_UNKNOWN_FORMAT'],
    ['digests of another kind', { supportingDigests: 'on' }, 'USAGE'],
    ['a negative window', { coalesceWindowMs: -1 }, 'USAGE'],
    ['a wait longer than a timer', { maxWaitMs: 2 ** 31 }, 'USAGE'],
    ['half an interval', { minBroadcastIntervalMs: 0.5 }, 'USAGE'],
    ['a negative time of the index', { indexCacheTtlMs: -1 }, 'USAGE'],
    ['a cap of archives below none', { archiveMaxBytes: -2 }, 'USAGE'],
  ])('refuses %s', async (_name, options, code) => {
    await expect(
      createProvider({ source: memorySource(FILES), ...(options as object) }),
    ).rejects.toMatchObject({
      code,
    });
  });
});

describe('the catalog entries', () => {
  it('are those of SKILL.md without digests, in archive mode too', async () => {
    const { provider } = await open(FILES, { hidden, archive: 'zip' });
    expect(provider.catalogEntries()).toEqual([
      {
        type: 'skill-md',
        name: 'long',
        description: 'x'.repeat(1_025),
        url: 'skill://group/long/SKILL.md',
      },
      {
        type: 'skill-md',
        name: 'pdf-forms',
        description: 'About pdf-forms',
        url: 'skill://pdf-forms/SKILL.md',
      },
      { type: 'skill-md', name: 'pdf', description: 'About pdf', url: 'skill://pdf/SKILL.md' },
    ]);
  });
});

describe('what an index cannot state', () => {
  it('a SKILL.md made anew for each reader stands in none; a dynamic file has no pin', async () => {
    const { link } = await open({
      'a/SKILL.md': skillText('a'),
      'a/now': (() => 'x') as never,
      'a/x': 'x',
      'b/SKILL.md': (() => skillText('b')) as never,
    });
    const { skills } = await indexOf(link);
    expect(skills.map(({ name, _meta }) => [name, _meta])).toEqual([
      ['a', { 'io.modelcontextprotocol.skills/file-digests': [{ path: 'x', digest: sha('x') }] }],
    ]);
  });

  it('one larger than a response is refused, and said before a client asks', async () => {
    const files: Record<string, string> = {};
    for (let at = 0; at < 170; at++) {
      files[`s${at}/SKILL.md`] = `---\nname: s${at}\ndescription: ${'x'.repeat(60_000)}\n---\n`;
    }
    const { link, provider } = await open(files);
    expect((await link.ask('resources/read', { uri: INDEX })).error).toMatchObject({
      code: -32603,
      data: { code: 'RESPONSE_TOO_LARGE', uri: INDEX, limit: 9_437_184 },
    });
    expect(provider.warnings('stdio').map(({ code }) => code)).toContain('INDEX_TOO_LARGE');
  });
});

describe('archive mode', () => {
  const paths = async (bytes: Buffer): Promise<string[]> =>
    (await unpackArchive(bytes)).map(({ path }) => path);

  it.each([
    ['tar.gz', 'application/gzip'],
    ['zip', 'application/zip'],
  ] as const)(
    '%s: the index names archives whose bytes have the digest, files stay readable',
    async (archive, mimeType) => {
      const { link, provider } = await open(FILES, { hidden, archive });
      const { skills } = await indexOf(link);
      expect(skills.map(({ type, name, url }) => [type, name, url])).toEqual([
        ['archive', 'long', `skill://group/long.${archive}`],
        ['archive', 'pdf-forms', `skill://pdf-forms.${archive}`],
        ['archive', 'pdf', `skill://pdf.${archive}`],
      ]);
      for (const { url, digest, _meta } of skills) {
        expect([sha(await bytesAt(link, url)), _meta]).toEqual([digest, undefined]);
      }
      expect(await paths(await bytesAt(link, `skill://pdf.${archive}`))).toEqual([
        'SKILL.md',
        'references/a b.md',
        'references/b.md',
      ]);
      const [page] = await link.pages<{ uri: string }>('resources/list', 'resources');
      expect(page?.map(({ uri }) => uri)).toEqual([
        `skill://group/long.${archive}`,
        'skill://group/long/SKILL.md',
        INDEX,
        `skill://pdf-forms.${archive}`,
        'skill://pdf-forms/SKILL.md',
        `skill://pdf.${archive}`,
        'skill://pdf/SKILL.md',
      ]);
      expect(page?.[5]).toMatchObject({
        name: 'pdf',
        description: 'About pdf',
        mimeType,
        _meta: { 'io.modelcontextprotocol.skills/license': 'MIT' },
      });
      expect(page?.[5]).not.toHaveProperty('size');
      expect(provider.resources()).toHaveLength(9);
      // Served and hidden: no discovery shows it, its owner can give its URI.
      expect(await paths(await bytesAt(link, `skill://group/shy.${archive}`))).toEqual(['SKILL.md']);
    },
  );

  it('of the draft alone serves archives and no files, as seed 000 does', async () => {
    const { link, provider } = await open(FILES, { hidden, archive: 'zip', dialects: ['draft-index'] });
    expect(await listed(link)).toEqual([
      'skill://group/long.zip',
      INDEX,
      'skill://pdf-forms.zip',
      'skill://pdf.zip',
    ]);
    expect(provider.resources().map(({ uri }) => uri)).toEqual([
      'skill://group/long.zip',
      'skill://pdf-forms.zip',
      'skill://pdf.zip',
    ]);
    for (const uri of ['skill://pdf/SKILL.md', 'skill://pdf/references/b.md', 'skill://pdf']) {
      expect((await link.ask('resources/read', { uri })).error).toMatchObject({
        code: -32602,
        data: { uri },
      });
    }
    expect((await link.ask('resources/read', { uri: 'skill://pdf/../x' })).error?.data).toMatchObject({
      code: 'PATH_TRAVERSAL',
    });
    expect((await link.ask('resources/templates/list')).result?.resourceTemplates).toEqual([]);
  });

  it('packs the same content to the same bytes, and other content anew', async () => {
    const { link, source } = await open(FILES, { archive: 'tar.gz' });
    const before = await indexOf(link);
    const bytes = await bytesAt(link, 'skill://pdf.tar.gz');
    source.set('pdf/references/b.md', 'other');
    const after = await indexOf(link);
    const digest = (index: Index, url: string): unknown => lookup(index, url)?.digest;
    expect(digest(after, 'skill://pdf.tar.gz')).not.toBe(digest(before, 'skill://pdf.tar.gz'));
    expect(digest(after, 'skill://pdf-forms.tar.gz')).toBe(digest(before, 'skill://pdf-forms.tar.gz'));
    source.set('pdf/references/b.md', 'b');
    expect(digest(await indexOf(link), 'skill://pdf.tar.gz')).toBe(sha(bytes));
    expect(await bytesAt(link, 'skill://pdf.tar.gz')).toEqual(bytes);
  });

  it('reads a file that drifted as it is, and the index says so', async () => {
    const { link, source } = await open(FILES, { archive: 'zip', indexCacheTtlMs: 3_600_000 });
    await indexOf(link);
    source.set('pdf/references/b.md', 'drifted');
    expect(await textAt(link, 'skill://pdf/references/b.md')).toBe('drifted');
    const bytes = await bytesAt(link, 'skill://pdf.zip');
    const [, , file] = await unpackArchive(bytes);
    expect(file?.bytes.toString()).toBe('drifted');
    expect(lookup(await indexOf(link), 'skill://pdf.zip')?.digest).toBe(sha(bytes));
  });

  it('packs scripts so that they can run, and nothing else', async () => {
    const { link } = await open(
      { 'a/SKILL.md': skillText('a'), 'a/run.sh': '#!/bin/sh\n', 'a/run.txt': 'run' },
      { archive: 'tar.gz' },
    );
    const entries = await unpackArchive(await bytesAt(link, 'skill://a.tar.gz'));
    expect(entries.map(({ path, mode }) => [path, mode])).toEqual([
      ['SKILL.md', 0o644],
      ['run.sh', 0o755],
      ['run.txt', 0o644],
    ]);
  });

  it.each([
    ['beside files: by its SKILL.md', ['released', 'draft-index'], ['skill-md', 'archive']],
    ['alone: not at all', ['draft-index'], ['archive']],
  ] as const)('indexes a skill over the cap %s', async (_name, dialects, types) => {
    const { link } = await open(
      { 'big/SKILL.md': skillText('big'), 'big/x': 'x'.repeat(10_000), 'small/SKILL.md': skillText('small') },
      { archive: 'zip', archiveMaxBytes: 5_000, dialects },
    );
    const { skills } = await indexOf(link);
    expect(skills.map(({ type }) => type)).toEqual(types);
    expect((await listed(link)).filter((uri) => uri.endsWith('.zip'))).toEqual(['skill://small.zip']);
    expect((await link.ask('resources/read', { uri: 'skill://big.zip' })).error).toMatchObject({
      code: -32603,
      data: { code: 'ARCHIVE_TOO_LARGE', limit: 5_000 },
    });
  });

  it('lets a real file stand where an archive would, and indexes that skill by its SKILL.md', async () => {
    const files = {
      'o/SKILL.md': skillText('o'),
      'o/i/SKILL.md': skillText('i'),
      'o/i.zip': 'a file',
    };
    const { link } = await open(files, { archive: 'zip' });
    expect(await textAt(link, 'skill://o/i.zip')).toBe('a file');
    expect((await indexOf(link)).skills.map(({ url }) => url)).toEqual([
      'skill://o.zip',
      'skill://o/i/SKILL.md',
    ]);
    const { link: alone } = await open(files, { archive: 'zip', dialects: ['draft-index'] });
    expect((await indexOf(alone)).skills.map(({ url }) => url)).toEqual(['skill://o.zip', 'skill://o/i.zip']);
    expect(await paths(await bytesAt(alone, 'skill://o/i.zip'))).toEqual(['SKILL.md']);
  });

  it('leaves its neighbours an index when a skill cannot be packed', async () => {
    const { link } = await open(
      { 'a/SKILL.md': skillText('a'), 'b/SKILL.md': skillText('b'), 'b/X': '1', 'b/x': '2' },
      { archive: 'zip' },
    );
    expect((await indexOf(link)).skills.map(({ url }) => url)).toEqual([
      'skill://a.zip',
      'skill://b/SKILL.md',
    ]);
    expect((await link.ask('resources/read', { uri: 'skill://b.zip' })).error).toMatchObject({
      code: -32603,
      data: { code: 'ARCHIVE_COLLISION' },
    });
  });

  it('knows no archive of a folder that is no skill, nor under another suffix', async () => {
    const { link } = await open(FILES, { archive: 'zip' });
    for (const uri of [
      'skill://group.zip',
      'skill://none.zip',
      'skill://pdf.tar.gz',
      'skill://pdf/references.zip',
    ]) {
      expect((await link.ask('resources/read', { uri })).error).toMatchObject({
        code: -32602,
        data: { uri },
      });
    }
  });
});

describe('the text of an index', () => {
  it('is its JSON', () => {
    const index: Index = {
      $schema: 'x',
      skills: [
        {
          type: 'skill-md',
          name: 'a',
          description: '<b> & "q"\u2028',
          url: 'u',
          digest: 'd',
          _meta: { k: [1] },
        },
        { type: 'archive', description: '', url: '' },
      ],
      _meta: { v: 1 },
    };
    expect(draftIndexText(index)).toBe(JSON.stringify(index));
    expect(draftIndexText({ $schema: 'x', skills: [] })).toBe('{"$schema":"x","skills":[]}');
  });
});
