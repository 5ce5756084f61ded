import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createProvider } from '../../src/server/index.ts';
import { entriesPerPage, pageOf } from '../../src/server/page.ts';
import { memorySource } from '../../src/source/index.ts';
import { linkProvider } from './link.ts';

interface Case {
  readonly area: string;
  readonly name: string;
  readonly input: {
    readonly count: number;
    readonly cursor: string;
    readonly pageSize: number;
    readonly files: Readonly<Record<string, string>>;
    readonly params: Record<string, unknown>;
    readonly uri: string;
    readonly options?: { readonly uriPrefix: string };
  };
  readonly expect: Record<string, unknown>;
}

const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL('../vectors/server.json', import.meta.url), 'utf8'),
);
const deviations = readFileSync(new URL('../../docs/reference/deviations.md', import.meta.url), 'utf8');

const of = (area: string): readonly Case[] => cases.filter((each) => each.area === area);

/** Our values where they differ; each is a line in docs/reference/deviations.md. */
const OURS: Readonly<Record<string, Record<string, unknown>>> = {
  'non-numeric cursor restarts': { error: 'INVALID_CURSOR' },
  'mixed cursor restarts': { error: 'INVALID_CURSOR' },
  'negative cursor restarts': { error: 'INVALID_CURSOR' },
  'skill root trailing slash tolerated': {
    result: {
      resources: [
        { mimeType: 'text/markdown', name: 'SKILL.md', uri: 'skill://pdf/SKILL.md' },
        { mimeType: 'inode/directory', name: 'my dir', uri: 'skill://pdf/my%20dir' },
        { mimeType: 'inode/directory', name: 'references', uri: 'skill://pdf/references' },
        { mimeType: 'inode/directory', name: 'scripts', uri: 'skill://pdf/scripts' },
        { mimeType: 'text/plain', name: 'z.bin', uri: 'skill://pdf/z.bin' },
      ],
    },
  },
  'query is copied into child uris': { error: { code: -32602 } },
  'encoded space does not match raw registry key': {
    result: { contents: [{ mimeType: 'text/markdown', text: 'x', uri: 'skill://pdf/my%20dir/f.md' }] },
  },
  'raw space matches': {
    result: { contents: [{ mimeType: 'text/markdown', text: 'x', uri: 'skill://pdf/my%20dir/f.md' }] },
  },
};

function expected(each: Case): Record<string, unknown> {
  return OURS[each.name] ?? each.expect;
}

async function ask(each: Case, method: string, params: Record<string, unknown>): Promise<unknown> {
  const prefix = each.input.options?.uriPrefix;
  const provider = await createProvider({
    source: memorySource(each.input.files),
    ...(prefix !== undefined && { prefix }),
  });
  const link = await linkProvider(provider, '2025-11-25');
  const { result, error } = await link.ask(method, params);
  await link.close();
  await provider.close();
  return error === undefined ? { result } : { error: { code: error.code } };
}

describe('recorded cases of seed 000’s package', () => {
  it('are all here', () => {
    expect(['directory-page', 'directory-read', 'resource-read'].map((area) => of(area).length)).toEqual([
      11, 14, 7,
    ]);
  });

  it.each(of('directory-page').map((each) => [each.name, each] as const))(
    'directory-page: %s',
    (_name, each) => {
      const { count, cursor, pageSize } = each.input;
      const key = (index: number): string => `k${String(index).padStart(3, '0')}`;
      // A position as the peer writes it; ours is the key before it. What is no position is refused on the wire (below).
      if (cursor !== '' && !/^\d+$/.test(cursor)) {
        expect(expected(each)).toEqual({ error: 'INVALID_CURSOR' });
        return;
      }
      const page = pageOf(
        Array.from({ length: count }, (_, index) => key(index)),
        {
          keyOf: (item) => item,
          sizeOf: () => 1,
          maxItems: entriesPerPage(count, pageSize),
          maxBytes: 1_000,
          maxItemBytes: 1_000,
          ...(cursor !== '' && { after: key(Number(cursor) - 1) }),
        },
      );
      expect({
        length: page.items.length,
        start: page.items[0] === undefined ? -1 : Number(page.items[0].slice(1)),
        nextCursor: page.next === undefined ? '' : String(Number(page.next.slice(1)) + 1),
      }).toEqual(expected(each));
    },
  );

  it.each(['bogus', '1x', '-1', '2', ''])('directory-page: the cursor %j is refused', async (cursor) => {
    const [each] = of('directory-read');
    const answer = await ask(each!, 'resources/directory/read', { uri: 'skill://pdf', cursor });
    expect(answer).toEqual({ error: { code: -32602 } });
  });

  it.each(of('directory-read').map((each) => [each.name, each] as const))(
    'directory-read: %s',
    async (_name, each) => {
      const answer = await ask(each, 'resources/directory/read', each.input.params);
      const listed = (answer as { result?: { resources: Record<string, unknown>[] } }).result?.resources;
      const named = listed?.map(({ uri, name, mimeType }) => ({ uri, name, mimeType }));
      expect(named === undefined ? answer : { result: { resources: named } }).toEqual(expected(each));
    },
  );

  it.each(of('resource-read').map((each) => [each.name, each] as const))(
    'resource-read: %s',
    async (_name, each) => {
      expect(await ask(each, 'resources/read', { uri: each.input.uri })).toEqual(expected(each));
    },
  );

  it('differ where the documentation says so', () => {
    for (const name of Object.keys(OURS)) expect(deviations).toContain(`| ${name} |`);
  });
});
