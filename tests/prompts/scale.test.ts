/** 10,000 prompts: what is done is counted, since times depend on the machine. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  openPrompts,
  type PromptChanges,
  type PromptRegistry,
  promptDefinitions,
  readPromptResource,
  searchPrompts,
} from '../../src/prompts/index.ts';
import { createProvider } from '../../src/server/index.ts';
import { directorySource, type Source } from '../../src/source/index.ts';
import { until } from '../http/harness.ts';
import { linkProvider } from '../server/link.ts';

const COUNT = 10_000;
const idOf = (at: number): string => `prompt-${String(at).padStart(5, '0')}`;
const textOf = (at: number, description = `Does thing ${at}`): string =>
  `---\ndescription: ${description}\ntags: [all, group-${at % 10}]\narguments:\n  - name: x\n---\nDo {{x}}.\n`;

let folder: string;
let registry: PromptRegistry;
const asked = { list: 0, read: 0 };

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skillwire-scale-'));
  mkdirSync(join(folder, 'p'));
  for (let at = 0; at < COUNT; at++) writeFileSync(join(folder, 'p', `${idOf(at)}.md`), textOf(at));
  const directory = directorySource(join(folder, 'p'));
  const counting: Source = {
    label: directory.label,
    hostRoot: directory.hostRoot,
    hostRoots: directory.hostRoots,
    list(path) {
      asked.list += 1;
      return directory.list(path);
    },
    read(path, options) {
      asked.read += 1;
      return directory.read(path, options);
    },
    stat: (path, options) => directory.stat(path, options),
    contains: (ancestor, id) => directory.contains(ancestor, id),
    close: () => directory.close(),
  };
  registry = await openPrompts(counting, { watch: { settleMs: 20 } });
}, 60_000);
afterAll(async () => {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

test('loading reads each file once', () => {
  expect(registry.snapshot.prompts).toHaveLength(COUNT);
  expect(registry.snapshot.diagnostics).toEqual([]);
  expect(asked.read).toBe(COUNT);
  expect(asked.list).toBeLessThanOrEqual(4);
});

test('an edit reads the file that was edited and no other', async () => {
  const heard: PromptChanges[] = [];
  const forget = registry.onChange((changes) => heard.push(changes));
  const before = { ...asked };
  const kept = registry.snapshot.get(idOf(8));
  writeFileSync(join(folder, 'p', `${idOf(7)}.md`), textOf(7, 'Does another thing'));
  await until(() => heard.length > 0);
  forget();
  expect(heard[0]).toMatchObject({ changed: [idOf(7)], added: [], removed: [], listChanged: true });
  // A write may be told as two events.
  expect(asked.read - before.read).toBeLessThanOrEqual(4);
  expect(registry.snapshot.get(idOf(8))).toBe(kept);
});

test('the index is searched by text and by tag, page by page', () => {
  const { snapshot } = registry;
  expect(searchPrompts(snapshot, { tag: 'group-3' })).toHaveLength(1_000);
  expect(searchPrompts(snapshot, { q: 'THING 99' })).toHaveLength(111);
  expect(searchPrompts(snapshot, { q: 'thing 99', tag: 'group-9' })).toHaveLength(12);
  let uri = 'resource://catalog/prompts_index?tag=all&limit=100';
  const seen = new Set<string>();
  let pages = 0;
  for (;;) {
    const page = JSON.parse(readPromptResource(snapshot, uri).text) as {
      items: { id: string }[];
      total: number;
      nextCursor?: string;
    };
    pages += 1;
    expect(page.total).toBe(COUNT);
    for (const { id } of page.items) seen.add(id);
    if (page.nextCursor === undefined) break;
    uri = `resource://catalog/prompts_index?tag=all&limit=100&cursor=${encodeURIComponent(page.nextCursor)}`;
  }
  expect(pages).toBe(100);
  expect(seen.size).toBe(COUNT);
  // Made once for a snapshot, whatever is asked of it.
  expect(searchPrompts(snapshot, { tag: 'group-3' })).toBe(searchPrompts(snapshot, { tag: 'group-3' }));
  expect(searchPrompts(snapshot, { q: 'thing 99' })).toBe(searchPrompts(snapshot, { q: 'thing 99' }));
  expect(promptDefinitions(snapshot)).toBe(promptDefinitions(snapshot));
});

test('clients list them in fewer pages than they give up after, each once', async () => {
  const provider = await createProvider({ prompts: registry });
  const link = await linkProvider(provider, '2025-11-25');
  const pages = await link.pages<{ name: string }>('prompts/list', 'prompts');
  expect(pages).toHaveLength(20);
  expect(pages.flat().map(({ name }) => name)).toEqual(Array.from({ length: COUNT }, (_, at) => idOf(at)));
  const { completion } = await link.client.complete({
    ref: { type: 'ref/resource', uri: 'resource://prompts/{prompt_id}/document' },
    argument: { name: 'prompt_id', value: 'prompt-0' },
  });
  expect(completion).toMatchObject({ total: COUNT, hasMore: true });
  expect(completion.values).toHaveLength(100);
  await link.close();
  await provider.close();
});
