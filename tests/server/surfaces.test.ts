/** Surfaces as plain functions: pages that are cut by bytes, lists that change, what is too large, what leaks. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Catalog, entryOf, openCatalog } from '../../src/catalog/index.ts';
import { isSkillError } from '../../src/errors.ts';
import { draftDialect } from '../../src/server/draft-dialect.ts';
import { createHandlers, type ServedParts, type SkillMethod } from '../../src/server/handlers.ts';
import {
  getSkill,
  listResources,
  listSkills,
  readDirectory,
  readResource,
  type SurfaceContext,
} from '../../src/server/index.ts';
import { entryBytes } from '../../src/server/surfaces/released.ts';
import { warningsOf } from '../../src/server/warnings.ts';
import { type MemorySource, memorySource } from '../../src/source/index.ts';
import { skillText } from './support.ts';

const CONTEXT: SurfaceContext = {
  era: 'legacy',
  ttlMs: 5000,
  cacheScope: 'private',
  pageBytes: 8_388_608,
  responseBytes: 9_437_184,
  metaPrefix: 'io.modelcontextprotocol.skills/',
};

function skillsNamed(count: number): Record<string, string> {
  const files: Record<string, string> = {};
  for (let at = 0; at < count; at++) {
    const name = `s${String(at).padStart(4, '0')}`;
    files[`skills/${name}/SKILL.md`] = skillText(name);
  }
  return files;
}

it('measures an entry as its JSON is', async () => {
  const { catalog } = await catalogOf({
    'alone/SKILL.md': skillText('alone'),
    'many/SKILL.md': '---\nname: many\ndescription: "ä \\"quoted\\" U0001F600"\nmetadata:\n  a: "1"\n---\n',
    'many/how to & why?.md': 'x'.repeat(12_345),
    'many/ünï/\u{1F600}.md': '',
    'made/SKILL.md': skillText('made'),
    'made/now.txt': () => 'now',
  });
  const { skills } = catalog.snapshot;
  expect(skills).toHaveLength(3);
  for (const skill of skills) {
    expect(entryBytes(skill), skill.name).toBe(Buffer.byteLength(JSON.stringify(entryOf(skill))));
  }
});

/** The handlers' view of a catalog whose dialects add no resources. */
function partsOf(catalog: Catalog): ServedParts {
  return {
    catalog,
    released: true,
    directoryRead: true,
    files: true,
    fastmcp: false,
    supportingFiles: 'template',
    promptSets: [],
    synthetic: draftDialect({ indexer: undefined, shelf: undefined, metaPrefix: '' }),
  };
}

async function catalogOf(
  files: Record<string, string | (() => string)>,
): Promise<{ source: MemorySource; catalog: Catalog }> {
  const source = memorySource(files);
  return { source, catalog: await openCatalog(source) };
}

type Lister = (cursor: string | undefined) => {
  readonly uris: readonly string[];
  readonly nextCursor: string | undefined;
  readonly bytes: number;
};

function listers(catalog: Catalog, context: SurfaceContext): Readonly<Record<string, Lister>> {
  const params = (cursor: string | undefined): { cursor?: string } =>
    cursor === undefined ? {} : { cursor };
  return {
    'skills/list': (cursor) => {
      const { skills, nextCursor } = listSkills(catalog.snapshot, params(cursor), context);
      return {
        uris: skills.map((each) => each.uri),
        nextCursor,
        bytes: Buffer.byteLength(JSON.stringify(skills)),
      };
    },
    'resources/list': (cursor) => {
      const { resources, nextCursor } = listResources(catalog.snapshot, params(cursor), context);
      return {
        uris: resources.map((each) => each.uri),
        nextCursor,
        bytes: Buffer.byteLength(JSON.stringify(resources)),
      };
    },
  };
}

describe.each(['skills/list', 'resources/list'])('%s', (method) => {
  it('gives 5,000 skills in bounded pages, in order, each once', async () => {
    const { catalog } = await catalogOf(skillsNamed(5000));
    const list = listers(catalog, CONTEXT)[method]!;
    const sizes: number[] = [];
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = list(cursor);
      sizes.push(page.uris.length);
      seen.push(...page.uris);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(sizes).toEqual(Array.from({ length: 10 }, () => 500));
    expect(new Set(seen).size).toBe(5000);
    expect([...seen].sort()).toEqual(seen);
    await catalog.close();
  });

  it('skips and repeats nothing when skills come and go between pages', async () => {
    const { source, catalog } = await catalogOf(skillsNamed(30));
    const list = listers(catalog, { ...CONTEXT, pageSize: 10 })[method]!;
    const first = list(undefined);
    expect(first.uris).toHaveLength(10);
    // One that was seen, the one the cursor names, one that comes next; and one new on either side.
    for (const name of ['s0003', 's0009', 's0010']) source.delete(`skills/${name}`);
    source.set('skills/s0005a/SKILL.md', skillText('s0005a'));
    source.set('skills/s0015a/SKILL.md', skillText('s0015a'));
    await catalog.refresh();
    const second = list(first.nextCursor);
    const third = list(second.nextCursor);
    const names = [...second.uris, ...third.uris].map((uri) =>
      uri.slice('skill://skills/'.length, -'/SKILL.md'.length),
    );
    expect(names).toEqual([
      ...['s0011', 's0012', 's0013', 's0014', 's0015', 's0015a', 's0016', 's0017', 's0018', 's0019'],
      ...['s0020', 's0021', 's0022', 's0023', 's0024', 's0025', 's0026', 's0027', 's0028', 's0029'],
    ]);
    expect(third.nextCursor).toBeUndefined();
    await catalog.close();
  });

  it('is cut by bytes before it is cut by number', async () => {
    const { catalog } = await catalogOf(skillsNamed(100));
    const list = listers(catalog, { ...CONTEXT, pageBytes: 5000 })[method]!;
    let cursor: string | undefined;
    let pages = 0;
    let seen = 0;
    do {
      const page = list(cursor);
      expect(page.bytes).toBeLessThanOrEqual(5000 + 2);
      expect(page.uris.length).toBeGreaterThan(1);
      cursor = page.nextCursor;
      seen += page.uris.length;
      pages += 1;
    } while (cursor !== undefined);
    expect(seen).toBe(100);
    expect(pages).toBeGreaterThan(2);
    await catalog.close();
  });

  it('refuses the cursor of another list', async () => {
    const { catalog } = await catalogOf(skillsNamed(3));
    const lists = listers(catalog, { ...CONTEXT, pageSize: 1 });
    const other = method === 'skills/list' ? 'resources/list' : 'skills/list';
    const cursor = lists[other]!(undefined).nextCursor;
    expect(cursor).toBeTypeOf('string');
    expect(() => lists[method]!(cursor)).toThrow(expect.objectContaining({ code: 'INVALID_CURSOR' }));
    await catalog.close();
  });
});

describe('resources/directory/read', () => {
  it('pages a large folder, and ties the cursor to it', async () => {
    const files: Record<string, string> = { 'a/SKILL.md': skillText('a'), 'a/other/x': '' };
    for (let at = 0; at < 25; at++) files[`a/dir/f${String(at).padStart(2, '0')}`] = 'x';
    const { catalog } = await catalogOf(files);
    const context = { ...CONTEXT, pageSize: 10 };
    const seen: string[] = [];
    let cursor: string | undefined;
    for (const uri of ['skill://a/dir', 'skill://a/dir/', 'SKILL://a/%64ir']) {
      const page = readDirectory(catalog.snapshot, { uri, ...(cursor !== undefined && { cursor }) }, context);
      seen.push(...page.resources.map((each) => each.name));
      cursor = page.nextCursor;
      if (cursor === undefined) continue;
      const again = cursor;
      expect(() =>
        readDirectory(catalog.snapshot, { uri: 'skill://a/other', cursor: again }, context),
      ).toThrow(expect.objectContaining({ code: 'INVALID_CURSOR' }));
    }
    expect(seen).toEqual(Array.from({ length: 25 }, (_, at) => `f${String(at).padStart(2, '0')}`));
    expect(cursor).toBeUndefined();
    await catalog.close();
  });
});

describe('what is too large for a response', () => {
  it('is an entry: left out of the list, refused alone, named at start-up, its neighbours untouched', async () => {
    const files: Record<string, string> = {
      'small/SKILL.md': skillText('small'),
      'big/SKILL.md': skillText('big'),
    };
    for (let at = 0; at < 200; at++) files[`big/${at}`] = 'x';
    const { catalog } = await catalogOf(files);
    const context = { ...CONTEXT, responseBytes: 16_384 + 10_000 };
    expect(listSkills(catalog.snapshot, {}, context).skills.map((each) => each.uri)).toEqual([
      'skill://small/SKILL.md',
    ]);
    expect(() => getSkill(catalog.snapshot, { uri: 'skill://big/SKILL.md' }, context)).toThrow(
      expect.objectContaining({
        code: 'RESPONSE_TOO_LARGE',
        details: expect.objectContaining({ limit: 26_384 }),
      }),
    );
    const served = { released: true, snapshot: catalog.snapshot, resources: [], indexBytes: 0 };
    expect(warningsOf(served, context).map(({ code, uri }) => [code, uri])).toEqual([
      ['ENTRY_TOO_LARGE', 'skill://big/SKILL.md'],
    ]);
    await catalog.close();
  });

  const file = {
    uri: 'skill://a/x',
    path: 'x',
    sourcePath: 'a/x',
    mimeType: 'text/plain',
    provisional: false,
  };
  it.each([
    ['text', 10_000_000, 'x', true, false],
    ['text of control characters', 2_000_000, '\u0001', true, false],
    ['text of quotes', 5_000_000, '"', true, false],
    ['less text', 9_000_000, 'x', true, true],
    ['bytes', 7_100_000, 'x', false, false],
    ['fewer bytes', 7_000_000, 'x', false, true],
  ])('is content: %s', (_name, count, char, text, fits) => {
    const bytes = Buffer.from(char.repeat(count));
    const read = (): unknown =>
      readResource({ ...file, size: bytes.length, digest: 'sha256:', text }, bytes, CONTEXT);
    if (fits) {
      expect(Buffer.byteLength(JSON.stringify(read()))).toBeLessThanOrEqual(9_437_184);
    } else {
      expect(read).toThrow(expect.objectContaining({ code: 'RESPONSE_TOO_LARGE' }));
    }
  });

  it('is not even read', async () => {
    const { source, catalog } = await catalogOf({
      'a/SKILL.md': skillText('a'),
      'a/big': 'x'.repeat(100_000),
    });
    let reads = 0;
    const read = source.read.bind(source);
    source.read = (path, options) => {
      reads += 1;
      return read(path, options);
    };
    const handlers = createHandlers(partsOf(catalog));
    const context = { ...CONTEXT, responseBytes: 50_000 };
    await expect(handlers['resources/read']?.({ uri: 'skill://a/big' }, context)).rejects.toMatchObject({
      code: 'RESPONSE_TOO_LARGE',
    });
    expect(reads).toBe(0);
    await catalog.close();
  });
});

describe('content made anew at each read', () => {
  it('has no size, and is text or bytes as it comes', async () => {
    let bytes: string | Uint8Array = 'text';
    const source = memorySource({ 'a/SKILL.md': skillText('a'), 'a/now': () => bytes });
    const catalog = await openCatalog(source);
    const handlers = createHandlers(partsOf(catalog));
    const { resources } = readDirectory(catalog.snapshot, { uri: 'skill://a' }, CONTEXT);
    expect(resources[1]).not.toHaveProperty('size');
    const read = async (): Promise<unknown> =>
      handlers['resources/read']?.({ uri: 'skill://a/now' }, CONTEXT);
    expect(await read()).toMatchObject({ contents: [{ text: 'text' }] });
    bytes = new Uint8Array([0xff]);
    expect(await read()).toMatchObject({ contents: [{ blob: '/w==' }] });
    await catalog.close();
  });
});

describe('hostile parameters', () => {
  const METHODS: readonly SkillMethod[] = [
    'skills/list',
    'skills/get',
    'resources/directory/read',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'completion/complete',
  ];

  it('are refused with an error of the table, or answered; nothing else is thrown', async () => {
    const { catalog } = await catalogOf({ 'a/SKILL.md': skillText('a'), 'a/x': 'x' });
    const handlers = createHandlers(partsOf(catalog));
    const piece = fc.constantFrom(
      ...[
        'skill://',
        'a',
        '/',
        '..',
        '.',
        '%2e%2e',
        '%2f',
        '%5c',
        '\\',
        '%00',
        '\0',
        '%',
        '%zz',
        '?',
        '#',
        '@',
        ':',
      ],
      ...['é', '\ud800', ' ', 'SKILL.md', '{', '+path', '\n', '%C3', '%25', '[', '*', 'x'.repeat(300)],
    );
    const uri = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const params = fc.oneof(
      fc.record({ uri }),
      fc.record({ uri: fc.oneof(uri, fc.jsonValue()), cursor: fc.oneof(fc.string(), fc.jsonValue()) }),
      fc.record({
        ref: fc.record({ type: fc.constant('ref/resource'), uri: fc.constant('skill://{+path}') }),
        argument: fc.record({ name: fc.constant('path'), value: uri }),
      }),
      fc.dictionary(fc.string(), fc.jsonValue()),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...METHODS), params, async (method, given) => {
        try {
          await handlers[method]?.(given as Record<string, unknown>, CONTEXT);
        } catch (error) {
          expect(isSkillError(error)).toBe(true);
          expect(isSkillError(error) && error.rpcCode).toBe(-32602);
        }
      }),
      { numRuns: 500 },
    );
    await catalog.close();
  });
});
