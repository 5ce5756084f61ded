/** The released form on the wire, for the official client, over both carriers and in both eras. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Connection, connect, PAGE } from './connect.ts';
import { EMPTY_FOLDER, FILES, facts, LISTED, writeSkills } from './corpus.ts';

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly _meta?: Record<string, unknown>;
}
interface Content {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}
interface Entry {
  readonly uri: string;
  readonly frontmatter: Record<string, unknown>;
  readonly resources: readonly { uri: string; digest: string; size: number }[];
}

const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;
/** The frontmatter of `full`, typed as JSON types it. */
const FULL = {
  name: 'full',
  description: 'Has everything.',
  license: 'MIT',
  compatibility: 'Needs nothing.',
  metadata: { author: 'me', version: '1.0' },
  'allowed-tools': 'Read',
  tags: ['one', { two: 2 }],
  nothing: null,
  ratio: 1.5,
  day: '2026-01-02',
};

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'skillwire-wire-'));
  writeSkills(root);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe.each([
  ['http', '2026-07-28'],
  ['http', '2025-11-25'],
  ['stdio', '2026-07-28'],
  ['stdio', '2025-11-25'],
] as const)('over %s, %s', (carrier, revision) => {
  const modern = revision === '2026-07-28';
  let wire: Connection;
  beforeAll(async () => {
    wire = await connect(root, carrier, revision);
  });
  afterAll(() => wire.close());

  /** Every page of a list, as raw results. */
  async function pages(
    method: string,
    params: Record<string, unknown> = {},
  ): Promise<Record<string, unknown>[]> {
    const found: Record<string, unknown>[] = [];
    let cursor: unknown;
    do {
      const { result } = await wire.ask(method, cursor === undefined ? params : { ...params, cursor });
      if (result === undefined) throw new Error(`${method} was refused`);
      found.push(result);
      cursor = result.nextCursor;
    } while (cursor !== undefined && found.length < 50);
    return found;
  }
  const listed = async (): Promise<Entry[]> =>
    (await pages('skills/list')).flatMap((page) => page.skills as Entry[]);
  const entryOf = async (uri: string): Promise<Entry> =>
    (await wire.ask('skills/get', { uri })).result?.skill as Entry;
  const children = async (uri: string): Promise<Resource[]> =>
    (await pages('resources/directory/read', { uri })).flatMap((page) => page.resources as Resource[]);
  const read = async (uri: string): Promise<Content> => {
    const { result } = await wire.ask('resources/read', { uri });
    const [content] = (result?.contents ?? []) as Content[];
    if (content === undefined) throw new Error(`${uri} has no content`);
    return content;
  };
  const bytesOf = async (uri: string): Promise<Buffer> => {
    const { text, blob = '' } = await read(uri);
    return text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text);
  };
  /** Checks what a cacheable result must say in this era. */
  const expectCacheFields = (result: Record<string, unknown>): void => {
    if (modern) {
      expect(result.resultType).toBe('complete');
      expect(result.ttlMs).toBe(5_000);
      expect(result.cacheScope).toBe('private');
    } else {
      for (const key of ['resultType', 'ttlMs', 'cacheScope']) expect(result).not.toHaveProperty(key);
    }
  };

  it('declares the extension inline, with resources beside it', () => {
    const capabilities = wire.client.getServerCapabilities();
    expect(capabilities?.extensions).toEqual({ 'io.modelcontextprotocol/skills': { directoryRead: true } });
    expect(capabilities?.resources).toBeDefined();
  });

  it('lists every conforming skill in order, over several pages, each entry whole', async () => {
    const found = await pages('skills/list');
    expect(found.length).toBe(Math.ceil(LISTED.length / PAGE));
    expect(found.flatMap((page) => page.skills as Entry[]).map((entry) => entry.uri)).toEqual(LISTED);
    for (const entry of found.flatMap((page) => page.skills as Entry[])) {
      expect(Object.keys(entry).sort()).toEqual(['frontmatter', 'resources', 'uri']);
    }
  });

  it('says that lists and entries are complete, and for how long, as the era has it', async () => {
    for (const page of await pages('skills/list')) expectCacheFields(page);
    const { result } = await wire.ask('skills/get', { uri: 'skill://full/SKILL.md' });
    expectCacheFields(result ?? {});
    expect(result).not.toHaveProperty('nextCursor');
  });

  it('carries every field of the author in the frontmatter, and no other', async () => {
    expect((await entryOf('skill://full/SKILL.md')).frontmatter).toEqual(FULL);
    for (const entry of await listed()) {
      const metadata = Object.keys((entry.frontmatter.metadata as Record<string, unknown> | undefined) ?? {});
      expect(metadata.filter((key) => key.startsWith('io.modelcontextprotocol/'))).toEqual([]);
    }
  });

  it('builds URIs of the scheme, the path and the name', async () => {
    for (const { uri, frontmatter } of await listed()) {
      const segments = uri.slice('skill://'.length).split('/');
      expect(uri.startsWith('skill://')).toBe(true);
      expect(segments.pop()).toBe('SKILL.md');
      expect(segments.at(-1)).toBe(frontmatter.name);
      expect(segments.at(-1)).toMatch(NAME);
      for (const segment of segments) expect(segment).toMatch(/^[A-Za-z0-9\-._~%]+$/);
    }
  });

  it('lists every file once with the digest and size of its bytes', async () => {
    const { resources } = await entryOf('skill://full/SKILL.md');
    const expected = Object.keys(FILES)
      .filter((path) => path.startsWith('full/'))
      .map((path) => ({
        uri: `skill://${path
          .split('/')
          .map((segment) => encodeURIComponent(segment))
          .join('/')}`,
        ...facts(path),
      }))
      .sort((left, right) => (left.uri < right.uri ? -1 : 1));
    expect(resources).toEqual(expected);
    for (const { uri, digest, size } of resources) {
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect((await bytesOf(uri)).length).toBe(size);
    }
  });

  it('gives a nested skill an entry of its own, and its files to the enclosing one too', async () => {
    const uris = (await entryOf('skill://group/parent/SKILL.md')).resources.map((each) => each.uri);
    expect(uris).toEqual([
      'skill://group/parent/SKILL.md',
      'skill://group/parent/inner/SKILL.md',
      'skill://group/parent/inner/data.json',
    ]);
    const inner = await entryOf('skill://group/parent/inner/SKILL.md');
    expect(inner.resources.map((each) => each.uri)).toEqual(uris.slice(1));
    expect(inner.frontmatter).toEqual({ name: 'inner', description: 'Stands inside.' });
  });

  it('publishes a skill whose folder has another name under its name', async () => {
    expect((await entryOf('skill://new-name/SKILL.md')).resources.map((each) => each.uri)).toEqual([
      'skill://new-name/SKILL.md',
      'skill://new-name/file.md',
    ]);
    expect((await bytesOf('skill://new-name/file.md')).toString()).toBe('text\n');
  });

  it('has the same name for no two listed skills', async () => {
    const names = (await listed()).map((entry) => entry.frontmatter.name);
    expect(new Set(names).size).toBe(names.length);
  });

  it('answers skills/get for a served skill that is not listed', async () => {
    const entry = await entryOf('skill://too-long/SKILL.md');
    expect(entry.uri).toBe('skill://too-long/SKILL.md');
    expect((entry.frontmatter.description as string).length).toBe(1_025);
    expect(entry.resources).toEqual([{ uri: 'skill://too-long/SKILL.md', ...facts('too-long/SKILL.md') }]);
  });

  it.each([
    ['skills/get', 'skill://no-such/SKILL.md'],
    ['skills/get', 'skill://full/references/guide.md'],
    ['skills/get', 'skill://broken/SKILL.md'],
    ['resources/read', 'skill://full/no-such.md'],
    ['resources/read', 'skill://broken/SKILL.md'],
    ['resources/read', 'skill://full/..%2f..%2fetc'],
    ['resources/read', 'test://other'],
    ['resources/directory/read', 'skill://full/no-such'],
    ['resources/directory/read', 'skill://full/SKILL.md'],
    ['resources/directory/read', 'skill://group'],
  ])('refuses %s of %s with -32602, saying what', async (method, uri) => {
    const { error, result } = await wire.ask(method, { uri });
    expect(result).toBeUndefined();
    expect(error?.code).toBe(-32602);
    expect(error?.message.length).toBeGreaterThan(15);
    expect(error?.message).not.toContain(root);
  });

  it.each(['skills/list', 'resources/list', 'resources/directory/read'])(
    'refuses a cursor of somebody else in %s',
    async (method) => {
      const uri = method === 'resources/directory/read' ? { uri: 'skill://full' } : {};
      expect((await wire.ask(method, { ...uri, cursor: 'not a cursor' })).error?.code).toBe(-32602);
    },
  );

  it('describes the resource of SKILL.md as its frontmatter does', async () => {
    const found = (await pages('resources/list')).flatMap((page) => page.resources as Resource[]);
    const full = found.find((each) => each.uri === 'skill://full/SKILL.md');
    expect(full).toMatchObject({
      name: 'full',
      description: 'Has everything.',
      mimeType: 'text/markdown',
      size: facts('full/SKILL.md').size,
    });
    const meta = Object.keys(full?._meta ?? {});
    expect(meta.length).toBeGreaterThan(0);
    expect(meta.filter((key) => !key.startsWith('io.modelcontextprotocol.skills/'))).toEqual([]);
    expect(found.map((each) => each.uri)).toContain('skill://too-long/SKILL.md');
  });

  it('gives files the type that fits them, text as text and bytes as bytes', async () => {
    expect(await read('skill://full/assets/logo.png')).toMatchObject({
      uri: 'skill://full/assets/logo.png',
      mimeType: 'image/png',
      blob: 'iVBORwD//go=',
    });
    const text = '\uFEFFA byte order mark,\r\nand lines of Windows.\r\n';
    expect(await read('skill://full/notes/%C3%BCber%20uns%20%231.md')).toMatchObject({
      mimeType: 'text/markdown',
      text,
    });
    expect(await read('skill://group/parent/inner/data.json')).toMatchObject({
      mimeType: 'application/json',
      text: '{"a":1}\n',
    });
  });

  it('reads every directory of every skill, files and folders, one level at a time', async () => {
    expect((await children('skill://full')).map((each) => [each.uri, each.mimeType])).toEqual([
      ['skill://full/SKILL.md', 'text/markdown'],
      ['skill://full/assets', 'inode/directory'],
      ['skill://full/empty', 'inode/directory'],
      ['skill://full/notes', 'inode/directory'],
      ['skill://full/references', 'inode/directory'],
      ['skill://full/scripts', 'inode/directory'],
    ]);
    expect((await pages('resources/directory/read', { uri: 'skill://full' })).length).toBe(
      Math.ceil(6 / PAGE),
    );
    const folders = new Set<string>();
    for (const uri of [
      'skill://bare',
      'skill://full',
      'skill://group/parent',
      'skill://group/parent/inner',
      'skill://new-name',
      'skill://too-long',
    ]) {
      const open = [uri];
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        folders.add(next);
        const found = (await children(next))
          .filter((each) => each.mimeType === 'inode/directory')
          .map((each) => each.uri);
        expect(found.filter((each) => each.endsWith('/'))).toEqual([]);
        open.push(...found);
      }
    }
    expect(folders.size).toBe(13);
  });

  it('has an empty list for an empty folder', async () => {
    const { result } = await wire.ask('resources/directory/read', { uri: `skill://${EMPTY_FOLDER}` });
    expect(result?.resources).toEqual([]);
    if (modern) expect(result?.resultType).toBe('complete');
  });

  it('has the ordinary metadata of files in a directory', async () => {
    const [file] = (await children('skill://full/references')).filter(
      (each) => each.mimeType !== 'inode/directory',
    );
    expect(file).toMatchObject({
      uri: 'skill://full/references/guide.md',
      name: 'guide.md',
      mimeType: 'text/markdown',
      size: 8,
    });
  });

  it('lets the official skills client list, get and verify every file', async () => {
    const official = new SkillsClient(wire.client);
    expect(official.supported).toBe(true);
    expect(official.directoryRead).toBe(true);
    const { skills, invalid } = await official.list();
    expect(invalid).toEqual([]);
    expect(skills.map((skill) => skill.uri)).toEqual(LISTED);
    let files = 0;
    for (const skill of skills) {
      expect((await official.get(skill.uri)).skill).toEqual(skill);
      if (skill.resources === 'dynamic') throw new Error('no skill here is dynamic');
      for (const { uri } of skill.resources) {
        expect((await official.read(skill, uri)).verified).toBe(true);
        files++;
      }
    }
    expect(files).toBe(14);
  });
});
