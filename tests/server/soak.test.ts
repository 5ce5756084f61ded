/** What is read while everything changes has the digests that are published at that moment. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createProvider, type ProviderOptions } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { fileDigest, type Index, lookup } from '../../src/wire/index.ts';
import { linkProvider } from './link.ts';
import { skillText } from './support.ts';

const sha = (bytes: Uint8Array): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A client of a provider whose files somebody edits in a tight loop, and what it reads. */
async function busy(options: Partial<ProviderOptions>, edits: number) {
  const source = memorySource({ 'a/SKILL.md': skillText('a'), 'a/x': '0', 'b/SKILL.md': skillText('b') });
  const provider = await createProvider({ source, ...options });
  ends.push(() => provider.close());
  const link = await linkProvider(provider, '2025-11-25');
  ends.push(() => link.close());
  const read = async (uri: string): Promise<Buffer> => {
    const { result } = await link.ask('resources/read', { uri });
    const [content] = (result?.contents ?? []) as { readonly text?: string; readonly blob?: string }[];
    return content?.blob === undefined
      ? Buffer.from(content?.text ?? '')
      : Buffer.from(content.blob, 'base64');
  };
  // What packs is loaded when it is first asked for, which takes as many turns as all edits.
  await read('skill://index.json');
  const state = { editing: true };
  const editing = (async () => {
    for (let edit = 1; edit <= edits; edit++) {
      source.set('a/x', `edit ${edit}`);
      if (edit % 3 === 0) source.set('a/SKILL.md', skillText('a', '', `Edit ${edit}.\n`));
      if (edit % 5 === 0) source.set(`b/f${edit % 20}`, String(edit));
      await setImmediate();
    }
    state.editing = false;
  })();
  return {
    read,
    editing,
    state,
    index: async () => JSON.parse((await read('skill://index.json')).toString()) as Index,
  };
}

const versionOf = (index: Index): unknown => index._meta?.['io.modelcontextprotocol.skills/version'];

describe('while files are edited', () => {
  it.each([
    [
      'a file',
      {},
      'skill://a/x',
      (index: Index) => fileDigest(lookup(index, 'skill://a/SKILL.md') ?? {}, 'x'),
    ],
    ['a SKILL.md', {}, 'skill://a/SKILL.md', (index: Index) => lookup(index, 'skill://a/SKILL.md')?.digest],
    [
      'an archive',
      { archive: 'tar.gz', indexCacheTtlMs: 60_000 },
      'skill://a.tar.gz',
      (index: Index) => lookup(index, 'skill://a.tar.gz')?.digest,
    ],
  ] as const)(
    '%s is read as the index of the same version states it',
    async (_name, options, uri, digestOf) => {
      const { read, index, editing, state } = await busy(options, 300);
      const wrong: string[] = [];
      let compared = 0;
      let rounds = 0;
      while (state.editing || compared === 0) {
        rounds += 1;
        // The link is in this process and never leaves the loop a turn of its own.
        await setImmediate();
        const before = await index();
        const bytes = await read(uri);
        const after = await index();
        if (versionOf(before) !== versionOf(after)) continue;
        compared += 1;
        if (sha(bytes) !== digestOf(after) || JSON.stringify(before) !== JSON.stringify(after)) {
          wrong.push(`version ${versionOf(after)}: ${sha(bytes)} for ${digestOf(after)}`);
        }
      }
      await editing;
      expect(wrong).toEqual([]);
      expect(rounds).toBeGreaterThan(3);
    },
  );
});
