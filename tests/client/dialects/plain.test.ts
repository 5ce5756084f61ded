import { describe, expect, it } from 'vitest';
import { ContentCache } from '../../../src/client/content-cache.ts';
import { PlainReader } from '../../../src/client/dialects/plain.ts';
import { DynamicGuard } from '../../../src/client/dynamic.ts';
import { ResourceListing } from '../../../src/client/resource-listing.ts';
import { readVerified } from '../../../src/client/verified-read.ts';
import { codeOf } from '../../archive/code-of.ts';
import { type Seen, scripted } from '../link.ts';
import { contextOf, handClock } from './reader-context.ts';

const HEAD = '---\nname: other\ndescription: x\n---\n# PDF\n';

interface Server {
  readonly reader: PlainReader;
  readonly seen: Seen[];
  /** What is listed from now on. */
  readonly list: (uris: readonly string[]) => void;
  readonly advance: (ms: number) => void;
}

async function server(uris: readonly string[]): Promise<Server> {
  let listed = uris;
  const { client, seen } = await scripted({
    capabilities: { resources: {} },
    answer: (method, { uri }) => {
      if (method === 'resources/list') {
        return { resources: listed.map((each) => ({ uri: each, name: 'n', description: `of ${each}` })) };
      }
      const known = typeof uri === 'string' && listed.includes(uri);
      return known ? { contents: [{ uri, text: HEAD }] } : { error: { code: -32602, message: 'no' } };
    },
  });
  const clock = handClock();
  const context = contextOf(client, { clock });
  return {
    reader: new PlainReader(context, new ResourceListing(context)),
    seen,
    list: (next) => {
      listed = next;
    },
    advance: clock.advance,
  };
}

describe('bare resources', () => {
  it('are skills of which nothing can be checked, with what is listed below them', async () => {
    const { reader, seen } = await server([
      'skill://team/pdf/SKILL.md',
      'skill://team/pdf/references/a.md',
      'skill://team/pdf/inner/SKILL.md',
      'skill://team/pdf/_manifest',
      'skill://team/pdfx/b.md',
      'skill://Other/SKILL.md',
      'docs://x/SKILL.md',
      'skill://team/readme.md',
    ]);
    expect(await reader.detect({})).toBe(true);
    const { skills, ...rest } = await reader.list({});
    expect(rest).toEqual({ complete: true, problems: [] });
    expect(skills.map(({ entry, dialect, integrity }) => [entry, dialect, integrity])).toEqual([
      [
        {
          uri: 'skill://team/pdf/SKILL.md',
          frontmatter: { name: 'pdf', description: 'of skill://team/pdf/SKILL.md' },
          resources: [
            { uri: 'skill://team/pdf/SKILL.md' },
            { uri: 'skill://team/pdf/references/a.md' },
            { uri: 'skill://team/pdf/inner/SKILL.md' },
          ],
        },
        'plain',
        'none',
      ],
      [
        {
          uri: 'skill://team/pdf/inner/SKILL.md',
          frontmatter: { name: 'inner', description: 'of skill://team/pdf/inner/SKILL.md' },
          resources: [{ uri: 'skill://team/pdf/inner/SKILL.md' }],
        },
        'plain',
        'none',
      ],
      [
        {
          uri: 'skill://Other/SKILL.md',
          frontmatter: { name: 'Other', description: 'of skill://Other/SKILL.md' },
          resources: [{ uri: 'skill://Other/SKILL.md' }],
        },
        'plain',
        'none',
      ],
    ]);
    expect(seen).toHaveLength(1);
    const context = {
      reader,
      cache: new ContentCache(0),
      dynamic: new DynamicGuard(false),
      maxResourceBytes: 1_000,
    };
    const file = await readVerified(context, skills[0]!, undefined, {});
    expect(file).toMatchObject({ text: HEAD, verified: false, integrity: 'none' });
    expect(await codeOf(() => readVerified(context, skills[0]!, 'missing.md', {}))).toBe(
      'SUPPORTING_FILE_UNPINNED',
    );
  });

  it('are none without a SKILL.md', async () => {
    const { reader } = await server(['skill://pdf/README.md', 'skill://SKILL.md', 'file:///SKILL.md']);
    expect(await reader.detect({})).toBe(false);
    expect((await reader.list({})).skills).toEqual([]);
  });

  it('are both refused where two spellings are one URI', async () => {
    const { reader } = await server(['skill://a-b/SKILL.md', 'skill://a%2Db/SKILL.md', 'skill://c/SKILL.md']);
    const { skills, problems } = await reader.list({});
    expect(skills.map(({ entry }) => entry.uri)).toEqual(['skill://c/SKILL.md']);
    expect(problems.map(({ code }) => code)).toEqual(['INVALID_ENTRY', 'INVALID_ENTRY']);
  });

  it('have a URI that a client may use, or are a problem', async () => {
    const { reader } = await server([
      'skill://a/%2e%2e/SKILL.md',
      'skill://a:80/SKILL.md',
      'skill://ok/SKILL.md',
    ]);
    const { skills, problems } = await reader.list({});
    expect(skills.map(({ entry }) => entry.uri)).toEqual(['skill://ok/SKILL.md']);
    expect(problems.map(({ code }) => code)).toEqual(['PATH_TRAVERSAL', 'URI_PART_REFUSED']);
  });
});

describe('PlainReader.get', () => {
  it('takes any spelling, and what is not listed as one file', async () => {
    const { reader } = await server(['skill://a-b/SKILL.md', 'skill://a-b/x.md']);
    expect((await reader.get('skill://a%2Db/SKILL.md', {})).entry.resources).toEqual([
      { uri: 'skill://a-b/SKILL.md' },
      { uri: 'skill://a-b/x.md' },
    ]);
    const unlisted = await reader.get('skill://hidden/SKILL.md', {});
    expect(unlisted.entry).toEqual({
      uri: 'skill://hidden/SKILL.md',
      frontmatter: { name: 'hidden' },
      resources: [{ uri: 'skill://hidden/SKILL.md' }],
    });
    expect(await codeOf(() => reader.read(unlisted, 'skill://hidden/SKILL.md', {}))).toBe(
      'RESOURCE_NOT_FOUND',
    );
  });

  it.each([
    ['skill://pdf/x.md', 'NOT_MANIFEST_URI'],
    ['skill://SKILL.md', 'NOT_MANIFEST_URI'],
    ['docs://pdf/SKILL.md', 'INVALID_SCHEME'],
  ])('refuses %s', async (uri, code) => {
    const { reader } = await server([]);
    expect(await codeOf(() => reader.get(uri, {}))).toBe(code);
  });
});

describe('the walk of a detection', () => {
  it('stands for one listing, while it is new and nobody asks for a fresh one', async () => {
    const { reader, seen, list, advance } = await server(['skill://a/SKILL.md']);
    const uris = async (fresh = false): Promise<string[]> =>
      (await reader.list({ fresh })).skills.map(({ entry }) => entry.uri);
    await reader.detect({});
    await reader.detect({});
    expect(seen).toHaveLength(1);
    list(['skill://b/SKILL.md']);
    expect(await uris()).toEqual(['skill://a/SKILL.md']);
    expect(await uris()).toEqual(['skill://b/SKILL.md']);
    await reader.detect({});
    list(['skill://c/SKILL.md']);
    expect(await uris(true)).toEqual(['skill://c/SKILL.md']);
    await reader.detect({});
    list(['skill://d/SKILL.md']);
    advance(5_001);
    expect(await uris()).toEqual(['skill://d/SKILL.md']);
  });

  it('reads a listing with deep and long URIs in bounded time', async () => {
    const deep = Array.from({ length: 20_000 }, (_, at) => `skill://${'a/'.repeat(500)}${at}/SKILL.md`);
    const { reader } = await server([...deep, 'skill://a/SKILL.md']);
    expect((await reader.list({})).skills).toHaveLength(20_001);
  });
});
