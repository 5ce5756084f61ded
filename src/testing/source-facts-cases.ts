/**
 * The contract of a source: what it tells of files without their bytes.
 *
 * @module
 */
import assert from 'node:assert/strict';
import type { Source, SourceFacts } from '../source/index.ts';
import { readSourceFacts } from '../source/source-facts.ts';
import { fails, type SourceCase, split, toldAhead } from './source-case.ts';

/** `printf x | sha256sum`. */
const X = 'sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';
const EMPTY = 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const FILES: Readonly<Record<string, readonly [content: string | Uint8Array, size: number, text: boolean]>> =
  {
    x: ['x', 1, true],
    empty: ['', 0, true],
    's/SKILL.md': ['---\nname: s\n---\n', 16, true],
    's/bom.txt': ['\ufeffa\r\n', 6, true],
    's/logo.png': [new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0xff]), 6, false],
    's/large': [new Uint8Array(700_000).fill(0x61), 700_000, true],
    's/key.md': ['-----BEGIN PRIVATE KEY-----\n', 28, true],
  };

async function expected(source: Source, path: string): Promise<SourceFacts> {
  const { stamp, modifiedAt } = await source.read(path);
  const facts = await readSourceFacts(source, path);
  assert.equal(facts.stamp, stamp);
  assert.equal(facts.modifiedAt, modifiedAt);
  return facts;
}

/** What every source has to tell, and what those that tell ahead have to. */
export const FACTS_CASES: readonly SourceCase[] = [
  {
    name: 'tells size, digest, text, stamp and time as a read does',
    files: Object.fromEntries(Object.entries(FILES).map(([path, [content]]) => [path, content])),
    body: async (source) => {
      for (const [path, [, size, text]] of Object.entries(FILES)) {
        const facts = await expected(source, path);
        assert.equal(facts.size, size);
        assert.equal(facts.text, text);
      }
      assert.equal((await expected(source, 'x')).digest, X);
      assert.equal((await expected(source, 'empty')).digest, EMPTY);
    },
  },
  {
    name: 'tells ahead what it tells otherwise, or nothing',
    files: Object.fromEntries(Object.entries(FILES).map(([path, [content]]) => [path, content])),
    body: async (source) => {
      for (const path of Object.keys(FILES)) {
        const [folder, name] = split(path);
        for (const told of await toldAhead(source, folder, [name])) {
          if (told !== undefined) assert.deepEqual(told, await readSourceFacts(source, path));
        }
      }
    },
  },
  {
    name: 'refuses facts of more than maxBytes and tells exactly as much',
    files: { 'a.md': '0123456789' },
    body: async (source) => {
      await fails('FILE_TOO_LARGE', () => readSourceFacts(source, 'a.md', { maxBytes: 9 }));
      assert.equal((await readSourceFacts(source, 'a.md', { maxBytes: 10 })).size, 10);
      assert.deepEqual(await toldAhead(source, '', ['a.md'], { maxBytes: 9 }), [undefined]);
    },
  },
  {
    name: 'tells no facts of what is missing, a folder, or a path that is none',
    files: { 'a/b.md': 'b' },
    body: async (source) => {
      for (const path of ['a', 'c', 'a/c', '../a/b.md', 'a/../a/b.md', 'a//b.md', 'a\\b.md']) {
        await fails('FILE_NOT_FOUND', () => readSourceFacts(source, path));
        const [folder, name] = split(path);
        assert.deepEqual(await toldAhead(source, folder, [name]), [undefined]);
      }
    },
  },
];
