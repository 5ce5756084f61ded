import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  directorySource,
  type MemoryContent,
  memorySource,
  mountSources,
  type Source,
} from '../../src/source/index.ts';
import { codeOf, look, tree } from './support.ts';

type Content = string | { readonly hex: string };

interface Case {
  readonly id: string;
  readonly says: string;
  readonly files: Readonly<Record<string, Content>>;
  readonly root: string;
  readonly linkRoots?: readonly string[];
  readonly fails?: string;
  readonly lists?: Readonly<Record<string, readonly string[]>>;
  readonly reads?: Readonly<Record<string, Content>>;
}

const cases = JSON.parse(
  readFileSync(new URL('../vectors/bug-source.json', import.meta.url), 'utf8'),
) as readonly Case[];

function bytesOf(content: Content): string | Buffer {
  return typeof content === 'string' ? content : Buffer.from(content.hex, 'hex');
}

async function judge(source: Source, each: Case): Promise<void> {
  for (const [path, expected] of Object.entries(each.lists ?? {}))
    expect([path, look(source, path)]).toEqual([path, expected]);
  for (const [path, expected] of Object.entries(each.reads ?? {})) {
    if (typeof expected === 'string' && expected.startsWith('!')) {
      expect([path, codeOf(() => source.read(path))]).toEqual([path, expected.slice(1)]);
    } else {
      expect([path, (await source.read(path)).bytes]).toEqual([path, Buffer.from(bytesOf(expected))]);
    }
  }
}

describe('reported bugs', () => {
  test('are all here', () => {
    expect(cases.length).toBe(25);
    expect(new Set(cases.map((each) => each.id)).size).toBe(21);
  });

  test.each(cases)('$id: $says', async (each) => {
    const files = Object.fromEntries(
      Object.entries(each.files).map(([path, content]) => [path, bytesOf(content)]),
    );
    const base = tree(files);
    const root = join(base, each.root);
    const options = { linkRoots: (each.linkRoots ?? []).map((folder) => join(base, folder)) };
    if (each.fails !== undefined) {
      expect(codeOf(() => directorySource(root, options))).toBe(each.fails);
      return;
    }
    await judge(directorySource(root, options), each);
    await judge(
      mountSources([{ source: directorySource(root, options) }, { source: memorySource({}) }]),
      each,
    );
  });

  const withoutLinks = cases.filter(
    (each) =>
      each.root === '' && !Object.values(each.files).some((content) => String(content).startsWith('-> ')),
  );

  test.each(withoutLinks)('$id in memory: $says', async (each) => {
    const files = Object.entries(each.files).map(([path, content]): [string, MemoryContent] => [
      path,
      bytesOf(content),
    ]);
    await judge(memorySource(Object.fromEntries(files)), each);
  });
});
