import { mkdir, mkdtemp, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { canonicalDocUri, type DocChanges, hasDoc, openDocs } from '../../src/prompts/index.ts';
import { memorySource } from '../../src/source/index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'skillwire-live-docs-'));
  await mkdir(join(folder, 'guide', 'more'), { recursive: true });
  await write('index.md', '# I\n');
  await write('guide/a b.md', '# AB\n');
  await write('guide/more/é.md', '# E\n');
  await write('guide/notes.txt', 'no');
  await write('guide/UP.MD', 'no');
  await write('guide/.md', 'no');
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});
const write = (path: string, text: string): Promise<void> => writeFile(join(folder, path), text);
const URIS = [
  'resource://docs/guide/a%20b.md',
  'resource://docs/guide/more/%C3%A9.md',
  'resource://docs/index.md',
];

describe('a listing', () => {
  test('is there only when it is asked for', async () => {
    const docs = await openDocs(folder);
    expect(docs.listing).toBeUndefined();
    expect(await docs.reload()).toEqual({ updated: [], listChanged: false });
    await docs.close();
  });

  test('has every document once, by its real path, in the order of the URIs', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'skillwire-outside-'));
    await writeFile(join(outside, 'secret.md'), 'secret');
    await symlink(outside, join(folder, 'out'));
    await symlink(join(outside, 'secret.md'), join(folder, 'out.md'));
    await symlink('guide', join(folder, 'another'));
    await symlink('.', join(folder, 'guide', 'self'));
    await symlink('index.md', join(folder, 'start.md'));
    await write('.env.md', 'TOKEN=1');
    await write('big.md', 'x'.repeat(2000));
    const docs = await openDocs(folder, { listed: true, maxFileBytes: 1000 });
    expect(docs.listing).toEqual([
      { uri: URIS[0], path: 'guide/a b.md', size: 5 },
      { uri: URIS[1], path: 'guide/more/é.md', size: 4 },
      { uri: URIS[2], path: 'index.md', size: 4 },
      { uri: 'resource://docs/start.md', path: 'start.md', size: 4 },
    ]);
    await docs.close();
    await rm(outside, { recursive: true });
  });

  test('changes with a reload, and only where something changed', async () => {
    const docs = await openDocs(folder, { listed: true });
    const heard: DocChanges[] = [];
    const forget = docs.onChange((changes) => heard.push(changes));
    const before = docs.listing;
    await utimes(join(folder, 'index.md'), new Date(), new Date());
    expect(await docs.reload()).toEqual({ updated: [], listChanged: false });
    expect(docs.listing).toBe(before);
    await write('index.md', '# J\n');
    expect(await docs.reload()).toEqual({ updated: [URIS[2]], listChanged: false });
    expect(docs.listing).toBe(before);
    await write('index.md', '# Longer\n');
    expect(await docs.reload()).toEqual({ updated: [URIS[2]], listChanged: true });
    await rename(join(folder, 'guide'), join(folder, 'manual'));
    expect(await docs.reload()).toEqual({
      updated: [URIS[0], URIS[1], 'resource://docs/manual/a%20b.md', 'resource://docs/manual/more/%C3%A9.md'],
      listChanged: true,
    });
    expect(docs.listing?.map(({ path }) => path)).toEqual(['index.md', 'manual/a b.md', 'manual/more/é.md']);
    expect(heard).toHaveLength(3);
    forget();
    await docs.close();
    await docs.close();
    await expect(docs.reload()).rejects.toMatchObject({ code: 'PROVIDER_CLOSED' });
  });

  test('that cannot be made again stays', async () => {
    const docs = await openDocs(folder, { listed: true });
    await rm(folder, { recursive: true });
    await expect(docs.reload()).rejects.toMatchObject({ code: 'SOURCE_NOT_FOUND' });
    expect(docs.listing?.map(({ uri }) => uri)).toEqual(URIS);
    await docs.close();
  });
});

test.each([{ poll: false }, { poll: true, pollMs: 30 }])('a watch follows the folder (%o)', async (watch) => {
  const docs = await openDocs(folder, { listed: true, watch: { ...watch, settleMs: 10 } });
  const heard: DocChanges[] = [];
  docs.onChange((changes) => heard.push(changes));
  await write('guide/more/é.md', '# Ė, changed\n');
  await write('guide/new.md', '# N\n');
  for (let turn = 0; turn < 400 && (docs.listing?.length ?? 0) < 4; turn++) await setTimeout(25);
  expect(docs.listing?.map(({ path }) => path)).toContain('guide/new.md');
  for (let turn = 0; turn < 400 && !heard.some(({ updated }) => updated.includes(URIS[1] ?? '')); turn++)
    await setTimeout(25);
  expect(heard.flatMap(({ updated }) => updated)).toEqual(
    expect.arrayContaining([URIS[1], 'resource://docs/guide/new.md']),
  );
  expect(heard.flatMap(({ updated }) => updated)).not.toContain(URIS[2]);
  await docs.close();
});

test('a watch needs a folder of this machine', async () => {
  await expect(openDocs(memorySource({ 'a.md': 'x' }), { watch: true })).rejects.toMatchObject({
    code: 'FS_WATCHER_MISSING_HOST_ROOT',
  });
});

test.each([
  ['resource://docs/index.md', 'resource://docs/index.md', true],
  ['RESOURCE://docs/index.md', 'resource://docs/index.md', true],
  ['resource://docs/guide%2Fa b.md', 'resource://docs/guide/a%20b.md', true],
  ['resource://docs/guide/more/é.md', 'resource://docs/guide/more/%C3%A9.md', true],
  ['resource://docs/missing.md', 'resource://docs/missing.md', false],
  ['resource://docs/guide/../index.md', undefined, false],
  ['resource://docs/index.md?x=1', undefined, false],
  ['resource://docs/guide', undefined, false],
  ['resource://docs', undefined, false],
  ['resource://docs/a%5Cb.md', undefined, false],
  ['resource://other/index.md', undefined, false],
  [`resource://docs/${'a'.repeat(9000)}.md`, undefined, false],
])('%s has one spelling, and is there or not', async (uri, canonical, there) => {
  const docs = await openDocs(folder);
  expect(canonicalDocUri(uri)).toBe(canonical);
  expect(await hasDoc(docs, uri)).toBe(there);
  await docs.close();
});
