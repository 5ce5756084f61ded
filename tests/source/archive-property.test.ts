import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  archiveSource,
  collisionKey,
  memorySource,
  openArchive,
  type Source,
} from '../../src/source/index.ts';
import { packTarGz, packZip } from './pack-files.ts';

const segment = fc.oneof(
  fc.constantFrom(
    'SKILL.md',
    'a',
    'B',
    '.skillignore',
    '.env',
    'x.pem',
    '.git',
    'é',
    'how to.md',
    '%2e',
    '😀',
  ),
  fc
    .string({ minLength: 1, maxLength: 6, unit: 'grapheme' })
    .filter((text) => /^[^/\\:\p{C}._~]+$/u.test(text)),
);
const path = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'));
const content = fc.oneof(
  fc.constantFrom(
    '',
    '*.md\n',
    '!a\n',
    '-----BEGIN PRIVATE KEY-----\n',
    '---\nname: pdf\ndescription: d\n---\n',
  ),
  fc.string({ maxLength: 40 }),
);

/** Trees that an archive can hold: no two paths are one on some volume, and no file is a folder too. */
const trees = fc.dictionary(path, content, { maxKeys: 12 }).map((files) => {
  const taken = new Map<string, string>();
  const kept: Record<string, string> = {};
  for (const [name, text] of Object.entries(files)) {
    const above = name.split('/').map((_, depth, all) => all.slice(0, depth + 1).join('/'));
    const free = above.every((each, depth) => {
      const other = taken.get(collisionKey(each));
      return other === undefined || (other === `${each}/` && depth < above.length - 1);
    });
    if (!free) continue;
    for (const [depth, each] of above.entries()) {
      taken.set(collisionKey(each), depth < above.length - 1 ? `${each}/` : each);
    }
    kept[name] = text;
  }
  return kept;
});

/** All that a source tells: every listing, and of every file its bytes or the code of the refusal. */
async function told(source: Source, folder = ''): Promise<unknown> {
  const listed: unknown[] = [];
  for (const node of (await source.list(folder)).nodes) {
    const at = folder === '' ? node.name : `${folder}/${node.name}`;
    const inside =
      node.withheld !== undefined
        ? node.withheld.code
        : node.kind === 'directory'
          ? await told(source, at)
          : await (async () => (await source.read(at)).bytes.toString())().catch((error) => error.code);
    listed.push([node.name, node.kind, inside]);
  }
  return listed;
}

describe('an archive tells what its files in memory tell', () => {
  test.each([
    ['tar.gz', packTarGz],
    ['zip', packZip],
  ] as const)('%s', async (format, pack) => {
    await fc.assert(
      fc.asyncProperty(trees, async (files) => {
        const right = await told(memorySource(files));
        expect(await told(archiveSource(pack(files), { format }))).toEqual(right);
        const wrapped = pack(files, Object.keys(files).length === 0 ? {} : { wrapper: 'repo-main' });
        expect(await told(archiveSource(wrapped, { format, stripWrapper: true }))).toEqual(right);
        if (files['SKILL.md'] !== undefined) return;
        const opened = await openArchive(wrapped, { format });
        expect(await told(opened)).toEqual(right);
        await opened.close();
      }),
      { numRuns: 150 },
    );
  });
});
