import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createProvider, type ProviderOptions, type SkillProvider } from '../../src/server/index.ts';
import { directorySource, type MemoryContent, memorySource } from '../../src/source/index.ts';
import { parseSkillManifest } from '../../src/wire/index.ts';
import { type Link, linkProvider, linkServer, REVISIONS, type Revision } from './link.ts';
import { skillText } from './support.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

type Files = Record<string, MemoryContent>;

async function open(files: Files, options: Partial<ProviderOptions> = {}, revision: Revision = '2025-11-25') {
  const source = memorySource(files);
  const provider = await createProvider({ source, ...options });
  const link = await linkProvider(provider, revision);
  ends.push(
    () => provider.close(),
    () => link.close(),
  );
  return { source, provider, link };
}

interface Listed {
  readonly uri: string;
  readonly name: string;
}

const listed = async (link: Link): Promise<readonly Listed[]> =>
  (await link.pages<Listed>('resources/list', 'resources')).flat();
const uris = async (link: Link): Promise<readonly string[]> => (await listed(link)).map(({ uri }) => uri);
const templates = async (link: Link): Promise<readonly string[]> =>
  (await link.pages<{ uriTemplate: string }>('resources/templates/list', 'resourceTemplates'))
    .flat()
    .map(({ uriTemplate }) => uriTemplate);

async function text(link: Link, uri: string): Promise<string> {
  const { result, error } = await link.ask('resources/read', { uri });
  const [content] = (result?.contents ?? []) as [{ text: string }?];
  if (content === undefined) throw new Error(error?.message);
  return content.text;
}

const paths = async (link: Link, uri: string): Promise<readonly string[]> =>
  parseSkillManifest(await text(link, uri)).files.map(({ path }) => path);

const PDF: Files = {
  'pdf/SKILL.md': skillText('pdf'),
  'pdf/a b.md': 'space\r\n',
  'pdf/references/FORMS.md': '# Forms\n',
};

describe.each(REVISIONS)('%s', (revision) => {
  it('lists the file list of each skill beside it, in order', async () => {
    const { link } = await open(
      { ...PDF, 'Team/csv/SKILL.md': skillText('csv') },
      { index: false },
      revision,
    );
    const all = await listed(link);
    expect(all.map(({ uri }) => uri)).toEqual([
      'skill://Team/csv/SKILL.md',
      'skill://Team/csv/_manifest',
      'skill://pdf/SKILL.md',
      'skill://pdf/_manifest',
    ]);
    expect(all[3]).toEqual({
      uri: 'skill://pdf/_manifest',
      name: 'pdf/_manifest',
      description: 'File listing for pdf',
      mimeType: 'application/json',
      _meta: { fastmcp: { skill: { name: 'pdf', is_manifest: true } } },
    });
  });

  it('reads it in every spelling: the bytes that reads return', async () => {
    const { link } = await open(PDF, {}, revision);
    const written = await text(link, 'skill://pdf/_manifest');
    expect(written).toBe(
      [
        '{',
        '  "skill": "pdf",',
        '  "files": [',
        '    {',
        '      "path": "SKILL.md",',
        '      "size": 48,',
        '      "hash": "sha256:06e543fa8052c67a4c82311564dd6f45d78141b227f65cc238d25fff330fa72f"',
        '    },',
        '    {',
        '      "path": "a b.md",',
        '      "size": 7,',
        '      "hash": "sha256:83cc2bd8347090a7f0555ba82c2e3402470f0bf5fc05e744929709ffe9e27786"',
        '    },',
        '    {',
        '      "path": "references/FORMS.md",',
        '      "size": 8,',
        '      "hash": "sha256:111198a69a324efe68bb9dd7e0ca9cb2e50e1c374da3d383a7d3569824965082"',
        '    }',
        '  ]',
        '}',
      ].join('\n'),
    );
    for (const uri of ['skill://pdf/%5Fmanifest', 'SKILL://pdf/_manifest', 'skill://%70df/_manifest']) {
      const { result } = await link.ask('resources/read', { uri });
      expect(result?.contents).toEqual([
        { uri: 'skill://pdf/_manifest', mimeType: 'application/json', text: written },
      ]);
    }
  });

  it('has a template for each skill after the one for every file, in pages', async () => {
    const { link } = await open(
      { ...PDF, 'a b/csv/SKILL.md': skillText('csv'), 'pdf/inner/SKILL.md': skillText('inner') },
      { pageSize: 1 },
      revision,
    );
    expect(await link.pages<object>('resources/templates/list', 'resourceTemplates')).toEqual([
      [expect.objectContaining({ uriTemplate: 'skill://{+path}' })],
      [
        {
          name: 'csv_files',
          uriTemplate: 'skill://a%20b/csv/{path*}',
          description: 'Access files within csv',
        },
      ],
      [expect.objectContaining({ name: 'pdf_files', uriTemplate: 'skill://pdf/{path*}' })],
      [expect.objectContaining({ name: 'inner_files', uriTemplate: 'skill://pdf/inner/{path*}' })],
    ]);
  });

  it('completes the template of a skill with paths of its files', async () => {
    const { link } = await open({ ...PDF, 'pdf/ä.md': 'x' }, {}, revision);
    const complete = (uri: string, name: string, value: string) =>
      link.ask('completion/complete', { ref: { type: 'ref/resource', uri }, argument: { name, value } });
    const values = async (uri: string, value: string): Promise<unknown> =>
      ((await complete(uri, 'path', value)).result as { completion: { values: unknown } }).completion.values;
    expect(await values('skill://pdf/{path*}', '')).toEqual([
      'SKILL.md',
      'a b.md',
      'references/FORMS.md',
      'ä.md',
    ]);
    expect(await values('skill://pdf/{path*}', 'ref')).toEqual(['references/FORMS.md']);
    expect(await values('skill://{+path}', 'pdf/ref')).toEqual(['pdf/references/FORMS.md']);
    expect((await complete('skill://pdf/{path*}', 'name', '')).error).toMatchObject({ code: -32602 });
    expect((await complete('skill://gone/{path*}', 'path', '')).error).toMatchObject({ code: -32602 });
  });
});

describe('every URI form of a skill', () => {
  const OUT = 'SECRET-OUT';
  it.each(REVISIONS)(
    '%s: what is there is read, what is not has one text and no path of the disk',
    async (revision) => {
      const root = mkdtempSync(join(tmpdir(), 'skillwire-uris-'));
      ends.push(() => rmSync(root, { recursive: true }));
      const put = (path: string, body: string): void => {
        mkdirSync(join(root, path, '..'), { recursive: true });
        writeFileSync(join(root, path), body);
      };
      put('skills/pdf/SKILL.md', skillText('pdf'));
      put('skills/pdf/references/a b.md', 'AB');
      put('skills/pdf/%2e%2e', 'honest');
      put('skills/other/SKILL.md', skillText('other'));
      put('secret.txt', OUT);
      symlinkSync('references/a b.md', join(root, 'skills/pdf/inside.md'));
      symlinkSync(join(root, 'secret.txt'), join(root, 'skills/pdf/outside.md'));
      symlinkSync('../other/SKILL.md', join(root, 'skills/pdf/neighbour.md'));
      symlinkSync('nowhere', join(root, 'skills/pdf/broken.md'));
      const provider = await createProvider({ source: directorySource(join(root, 'skills')) });
      const link = await linkProvider(provider, revision);
      ends.push(
        () => provider.close(),
        () => link.close(),
      );
      const answers: string[] = [];
      for (const uri of [
        'skill://pdf/SKILL.md',
        'skill://pdf/_manifest',
        'skill://pdf/references/a b.md',
        'skill://pdf/references/a%20b.md',
        'skill://pdf/inside.md',
        'skill://pdf/%252e%252e',
      ]) {
        const { result } = await link.ask('resources/read', { uri });
        expect([uri, (result?.contents as unknown[])?.length]).toEqual([uri, 1]);
        answers.push(JSON.stringify(result));
      }
      for (const uri of [
        // Absolute.
        'skill://pdf//etc/passwd',
        'skill://pdf/%2Fetc%2Fpasswd',
        `skill://pdf/${root}/secret.txt`,
        'skill://pdf/C:x',
        'skill://pdf/C:%5Cx',
        'skill://pdf/file:%2F%2F%2Fetc%2Fpasswd',
        // Out of the skill.
        'skill://pdf/../other/SKILL.md',
        'skill://pdf/../../secret.txt',
        'skill://pdf/%2e%2e/%2e%2e/secret.txt',
        'skill://pdf/..%2f..%2fsecret.txt',
        'skill://pdf/..%5C..%5Csecret.txt',
        'skill://pdf/..\\..\\secret.txt',
        'skill://pdf/references/../SKILL.md',
        'skill://pdf/./SKILL.md',
        'skill://pdf/references/../../other/_manifest',
        // Not there.
        'skill://pdf/missing.md',
        'skill://pdf/skill.md',
        'skill://pdf/_Manifest',
        'skill://pdf/_manifest/x',
        'skill://pdf/references/_manifest',
        'skill://gone/SKILL.md',
        'skill://gone/_manifest',
        'skill://_manifest',
        // Folders.
        'skill://pdf',
        'skill://pdf/',
        'skill://pdf/references',
        'skill://pdf/references/',
        'skill://pdf/_manifest/',
        // Links that lead out, or nowhere.
        'skill://pdf/outside.md',
        'skill://pdf/neighbour.md',
        'skill://pdf/broken.md',
      ]) {
        const { result, error } = await link.ask('resources/read', { uri });
        expect([uri, result]).toEqual([uri, undefined]);
        expect(error).toMatchObject({ code: -32602, data: { uri } });
        const shown = JSON.stringify(uri).replaceAll('\\\\', '\\');
        expect(error?.message).toBe(`no such resource: ${shown}`);
        // What the request says itself stands in the answer; nothing else of the disk does.
        answers.push(
          JSON.stringify(error).replaceAll(JSON.stringify(uri).slice(1, -1), '').replaceAll(uri, ''),
        );
      }
      for (const uri of [
        'skill://pdf/SKILL.md?x=1',
        'skill://pdf/SKILL.md#x',
        'skill://pdf/_manifest?',
        'skill:pdf',
      ]) {
        const { error } = await link.ask('resources/read', { uri });
        expect(error).toMatchObject({ code: -32602, data: { uri } });
        answers.push(JSON.stringify(error));
      }
      const said = answers.join('\n');
      expect(said).not.toContain(root);
      expect(said).not.toContain(OUT);
    },
  );
});

describe('which skills have a file list', () => {
  it('one with a file of that name has none, wherever a folder of that name stands', async () => {
    const { link, provider } = await open({
      'own/SKILL.md': skillText('own'),
      'own/_manifest': 'mine',
      'folder/SKILL.md': skillText('folder'),
      'folder/_manifest/x.md': 'x',
    });
    expect(await uris(link)).toEqual([
      'skill://folder/SKILL.md',
      'skill://folder/_manifest',
      'skill://index.json',
      'skill://own/SKILL.md',
    ]);
    expect(await text(link, 'skill://own/_manifest')).toBe('mine');
    expect(await paths(link, 'skill://folder/_manifest')).toEqual(['SKILL.md', '_manifest/x.md']);
    expect(provider.catalog.snapshot.diagnostics).toEqual([
      {
        code: 'MANIFEST_NAME_TAKEN',
        severity: 'warning',
        path: 'own/_manifest',
        message:
          '"own/_manifest" stands where FastMCP clients look for the list of the skill\'s files; the file is served and the list is not',
        hint: 'give the file another name',
      },
    ]);
  });

  it('one that no listing shows has one, one that its owner hid has one that no listing shows', async () => {
    const { link } = await open(
      {
        'long/SKILL.md': `---\nname: long\ndescription: ${'x'.repeat(1_025)}\n---\n`,
        'shy/SKILL.md': skillText('shy'),
      },
      { hidden: (path) => path === 'shy', index: false },
    );
    expect(await uris(link)).toEqual(['skill://long/SKILL.md', 'skill://long/_manifest']);
    expect(await templates(link)).toEqual(['skill://{+path}', 'skill://long/{path*}']);
    expect(await paths(link, 'skill://shy/_manifest')).toEqual(['SKILL.md']);
  });

  it('one whose files are made anew by each read has none', async () => {
    let made = 0;
    const { link } = await open(
      { 'now/SKILL.md': skillText('now'), 'now/time.txt': () => String(made++) },
      { index: false },
    );
    expect(await uris(link)).toEqual(['skill://now/SKILL.md']);
    const { error } = await link.ask('resources/read', { uri: 'skill://now/_manifest' });
    expect(error).toMatchObject({ code: -32602, data: { uri: 'skill://now/_manifest' } });
  });

  it('prefixes, nested and renamed skills: every path can be read below the skill', async () => {
    const { link } = await open(
      {
        'Out/SKILL.md': skillText('outer'),
        'Out/In Side/SKILL.md': skillText('inner'),
        'Out/In Side/x.md': 'x',
      },
      { prefix: 'team a', index: false },
    );
    expect(await uris(link)).toEqual([
      'skill://team%20a/Out/inner/SKILL.md',
      'skill://team%20a/Out/inner/_manifest',
      'skill://team%20a/outer/SKILL.md',
      'skill://team%20a/outer/_manifest',
    ]);
    expect(await paths(link, 'skill://team a/outer/_manifest')).toEqual([
      'In Side/SKILL.md',
      'In Side/x.md',
      'SKILL.md',
    ]);
    for (const root of ['skill://team a/outer', 'skill://team a/Out/inner']) {
      for (const path of await paths(link, `${root}/_manifest`)) {
        const { error } = await link.ask('resources/read', { uri: `${root}/${path}` });
        expect(error).toBeUndefined();
      }
    }
  });
});

describe('what else is served', () => {
  it('file lists stand in no entry and no directory, and not among the files of a provider', async () => {
    const { link, provider } = await open(PDF);
    const { result } = await link.ask('skills/get', { uri: 'skill://pdf/SKILL.md' });
    expect(JSON.stringify(result)).not.toContain('_manifest');
    const directory = await link.ask('resources/directory/read', { uri: 'skill://pdf' });
    expect(JSON.stringify(directory)).not.toContain('_manifest');
    expect(provider.resources().map(({ uri }) => uri)).toEqual([
      'skill://pdf/SKILL.md',
      'skill://pdf/a%20b.md',
      'skill://pdf/references/FORMS.md',
    ]);
  });

  it('is not there when the dialect is switched off', async () => {
    const { link } = await open(PDF, { dialects: ['released', 'draft-index'] });
    expect(await uris(link)).toEqual(['skill://index.json', 'skill://pdf/SKILL.md']);
    expect(await templates(link)).toEqual(['skill://{+path}']);
    const { error } = await link.ask('resources/read', { uri: 'skill://pdf/_manifest' });
    expect(error).toMatchObject({ code: -32602, data: { uri: 'skill://pdf/_manifest' } });
  });

  it('is all there is when the others are', async () => {
    const { link } = await open(PDF, { dialects: ['fastmcp'] });
    expect(await uris(link)).toEqual(['skill://pdf/SKILL.md', 'skill://pdf/_manifest']);
    expect((await link.ask('skills/list')).error?.code).toBe(-32601);
  });

  it('leaves files readable in archive mode', async () => {
    const { link } = await open(PDF, { dialects: ['draft-index', 'fastmcp'], archive: 'zip' });
    expect(await uris(link)).toEqual([
      'skill://index.json',
      'skill://pdf.zip',
      'skill://pdf/SKILL.md',
      'skill://pdf/_manifest',
    ]);
    expect(await text(link, 'skill://pdf/references/FORMS.md')).toBe('# Forms\n');
  });

  it('lists every file instead of templates where that is wanted, none of a hidden skill', async () => {
    const { link } = await open(
      { ...PDF, 'pdf/shy/SKILL.md': skillText('shy'), 'pdf/shy/x.md': 'x' },
      { supportingFiles: 'resources', index: false, hidden: (path) => path === 'pdf/shy' },
    );
    expect(await listed(link)).toMatchObject([
      { uri: 'skill://pdf/SKILL.md', name: 'pdf' },
      { uri: 'skill://pdf/_manifest', name: 'pdf/_manifest' },
      { uri: 'skill://pdf/a%20b.md', name: 'a b.md', mimeType: 'text/markdown', size: 7 },
      { uri: 'skill://pdf/references/FORMS.md', name: 'FORMS.md' },
    ]);
    expect(await templates(link)).toEqual(['skill://{+path}']);
    const { error } = await link.ask('completion/complete', {
      ref: { type: 'ref/resource', uri: 'skill://pdf/{path*}' },
      argument: { name: 'path', value: '' },
    });
    expect(error?.code).toBe(-32602);
  });

  it('refuses another way to list files', async () => {
    await expect(
      createProvider({ source: memorySource(PDF), supportingFiles: 'both' as never }),
    ).rejects.toMatchObject({
      code: 'USAGE',
      message: 'supportingFiles is "both"; it is template or resources',
    });
  });
});

describe('a skill that changes', () => {
  it('has a file list of what reads return, also when nobody looked', async () => {
    const { link, source } = await open(PDF);
    expect(await paths(link, 'skill://pdf/_manifest')).toHaveLength(3);
    source.set('pdf/a b.md', 'another text');
    source.set('pdf/new.md', 'new');
    const { files } = parseSkillManifest(await text(link, 'skill://pdf/_manifest'));
    expect(files.map(({ path, size }) => [path, size])).toEqual([
      ['SKILL.md', expect.any(Number)],
      ['a b.md', 12],
      ['new.md', 3],
      ['references/FORMS.md', 8],
    ]);
  });

  it('is not scanned again for the list of files that were written a moment ago', async () => {
    const root = mkdtempSync(join(tmpdir(), 'skillwire-fastmcp-'));
    ends.push(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, 'pdf'));
    writeFileSync(join(root, 'pdf', 'SKILL.md'), skillText('pdf'));
    writeFileSync(join(root, 'pdf', 'x.md'), 'x');
    const provider = await createProvider({ source: directorySource(root) });
    ends.push(() => provider.close());
    const link = await linkProvider(provider, '2025-11-25');
    ends.push(() => link.close());
    const scans = vi.spyOn(provider.catalog, 'refreshPaths');
    const size = async (): Promise<number | undefined> =>
      parseSkillManifest(await text(link, 'skill://pdf/_manifest')).files.at(-1)?.size;
    expect([await size(), await size()]).toEqual([1, 1]);
    expect(scans).not.toHaveBeenCalled();
    writeFileSync(join(root, 'pdf', 'x.md'), 'xy');
    expect(await size()).toBe(2);
    writeFileSync(join(root, 'pdf', 'x.md'), 'xz');
    const bytes = Buffer.from('xz');
    const { files } = parseSkillManifest(await text(link, 'skill://pdf/_manifest'));
    expect(files.at(-1)?.hash).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`);
  });

  it('that is gone by the time it is read is not found', async () => {
    const { link, source } = await open(PDF);
    source.delete('pdf/SKILL.md');
    const { error } = await link.ask('resources/read', { uri: 'skill://pdf/_manifest' });
    expect(error).toMatchObject({ code: -32602, data: { uri: 'skill://pdf/_manifest' } });
  });

  it('tells who subscribed to its file list', async () => {
    const { link, source, provider } = await open({ ...PDF, 'csv/SKILL.md': skillText('csv') });
    expect((await link.ask('resources/subscribe', { uri: 'skill://pdf/%5Fmanifest' })).error).toBeUndefined();
    source.set('csv/x.md', 'x');
    await provider.refresh();
    source.set('pdf/new.md', 'new');
    await provider.refresh();
    await link.ask('ping');
    const updated = link.heard.filter(
      (message) => 'method' in message && message.method === 'notifications/resources/updated',
    );
    expect(updated).toMatchObject([{ params: { uri: 'skill://pdf/_manifest' } }]);
  });
});

it('tells nothing of a file of that name that stays as it is', async () => {
  const { link, source, provider } = await open({
    'own/SKILL.md': skillText('own'),
    'own/_manifest': 'mine',
  });
  await link.ask('resources/subscribe', { uri: 'skill://own/_manifest' });
  source.set('own/x.md', 'x');
  await provider.refresh();
  source.set('own/_manifest', 'other');
  await provider.refresh();
  await link.ask('ping');
  const updated = link.heard.filter(
    (message) => 'method' in message && message.method === 'notifications/resources/updated',
  );
  expect(updated).toHaveLength(1);
});

describe('attached to a server of the caller’s', () => {
  it.each(REVISIONS)('%s: file lists and templates stand before the caller’s, in pages', async (revision) => {
    const provider: SkillProvider = await createProvider({
      source: memorySource({ ...PDF, 'csv/SKILL.md': skillText('csv') }),
      pageSize: 2,
      index: false,
    });
    const mcp = new McpServer({ name: 'mine', version: '1' });
    const contents = (uri: URL) => ({ contents: [{ uri: uri.href, text: 'theirs' }] });
    mcp.registerResource('note', 'note://one', {}, contents);
    mcp.registerResource('notes', new ResourceTemplate('note://{id}', { list: undefined }), {}, contents);
    mcp.registerResource(
      'own',
      new ResourceTemplate('skill://mine/{path*}', { list: undefined }),
      {},
      contents,
    );
    provider.attach(mcp);
    const link = await linkServer(() => mcp, revision);
    ends.push(
      () => provider.close(),
      () => link.close(),
    );
    expect(await link.pages('resources/list', 'resources')).toMatchObject([
      [{ uri: 'skill://csv/SKILL.md' }, { uri: 'skill://csv/_manifest' }],
      [{ uri: 'skill://pdf/SKILL.md' }, { uri: 'skill://pdf/_manifest' }, { uri: 'note://one' }],
    ]);
    expect(await link.pages('resources/templates/list', 'resourceTemplates')).toMatchObject([
      [{ uriTemplate: 'skill://{+path}' }, { uriTemplate: 'skill://csv/{path*}' }],
      [
        { uriTemplate: 'skill://pdf/{path*}' },
        { uriTemplate: 'note://{id}' },
        { uriTemplate: 'skill://mine/{path*}' },
      ],
    ]);
    expect(await paths(link, 'skill://pdf/_manifest')).toContain('SKILL.md');
    expect(await text(link, 'skill://mine/x')).toBe('theirs');
  });
});

describe('10,000 skills', () => {
  it('stay within the pages that clients walk', async () => {
    const files: Files = {};
    for (let at = 0; at < 10_000; at++) files[`s${at}/SKILL.md`] = skillText(`s${at}`);
    const { link, provider } = await open(files, { index: false });
    const resources = await link.pages<Listed>('resources/list', 'resources');
    expect(resources.flat()).toHaveLength(20_000);
    expect(resources.length).toBeLessThanOrEqual(64);
    const shown = await link.pages<object>('resources/templates/list', 'resourceTemplates');
    expect(shown.flat()).toHaveLength(10_001);
    expect(shown.length).toBeLessThanOrEqual(64);
    expect(provider.warnings()).toEqual([]);
  }, 60_000);
});
