import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openCatalog, type Snapshot } from '../../src/catalog/index.ts';
import { plainFile } from '../../src/catalog/kept-file.ts';
import { type DirectoryOptions, directorySource } from '../../src/source/index.ts';
import { follow } from './following.ts';
import { md, onDisk } from './trees.ts';

/** More of them find rarer things: `SKILLWIRE_SOAK=2000 npx vitest run tests/catalog/watch.test.ts`. */
const RUNS = Number(process.env.SKILLWIRE_SOAK ?? 25);

/** What a snapshot says, all of it. */
function told(snapshot: Snapshot): unknown {
  return {
    revision: snapshot.revision,
    skills: snapshot.skills.map((skill) => ({
      ...skill,
      files: skill.files.map((each) => {
        const { stamp: _, provisional: __, modifiedAt: ___, ...file } = plainFile(each);
        return file;
      }),
    })),
    refused: snapshot.refused,
    diagnostics: snapshot.diagnostics,
  };
}

const PLACES = ['a', 'b', 'c', 'a/n', 'a/n/m', 'g/d', 'g/e', 'b/references', 'c/x y'];
const FILES = ['SKILL.md', 'x.md', 'y.md', 'z.log', '.skillignore', '.env', 'SKILL.md.tmp', 'skill.md'];
const TEXTS = [
  '',
  'text',
  '*.log\n',
  'references/\n',
  '---\nname: a\n',
  md('a'),
  md('b'),
  md('n', 'other'),
  md('renamed'),
];

const place = fc.constantFrom(...PLACES);
const file = fc.tuple(place, fc.constantFrom(...FILES)).map((names) => names.join('/'));
const path = fc.oneof(place, file);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('write' as const), at: file, text: fc.constantFrom(...TEXTS) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('skill' as const), at: place }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), at: path }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), at: path, to: path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('link' as const), at: path, to: path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('mode' as const), at: path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('folder' as const), at: path }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pause' as const), ms: fc.integer({ min: 0, max: 40 }) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Does one step, or nothing where the disk says no: what stands there already decides. */
async function take(root: string, each: Step): Promise<void> {
  if (each.do === 'pause') {
    await setTimeout(each.ms);
    return;
  }
  const full = join(root, each.at);
  try {
    fs.mkdirSync(dirname(full), { recursive: true });
    if (each.do === 'write') fs.writeFileSync(full, each.text);
    else if (each.do === 'skill') {
      fs.mkdirSync(full, { recursive: true });
      fs.writeFileSync(join(full, 'SKILL.md'), md(each.at.split('/').pop() ?? ''));
    } else if (each.do === 'remove') fs.rmSync(full, { recursive: true });
    else if (each.do === 'move') fs.renameSync(full, join(root, each.to));
    else if (each.do === 'link') fs.symlinkSync(join(root, each.to), full);
    else if (each.do === 'mode') fs.chmodSync(full, fs.statSync(full).mode ^ 0o010);
    else fs.mkdirSync(full);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
}

async function endsAsScanned(
  steps: readonly Step[],
  options: DirectoryOptions,
  watch: { readonly poll?: boolean; readonly pollMs?: number; readonly settleMs?: number },
): Promise<void> {
  const root = onDisk({
    'a/SKILL.md': md('a'),
    'a/x.md': 'x',
    'b/SKILL.md': md('b'),
    'g/d/SKILL.md': md('d'),
  });
  const source = directorySource(root, options);
  const seen = await follow(source, watch);
  for (const each of steps) await take(root, each);
  // The system tells in order, so whatever came before is told with this or earlier. A look may have been half done when
  // the first of them is made, and not when the second is.
  for (const name of watch.poll === true ? ['last', 'last-of-all'] : ['last']) {
    fs.mkdirSync(join(root, name));
    fs.writeFileSync(join(root, name, 'SKILL.md'), md(name));
    await seen.until(() => seen.batches.some((paths) => paths.some((each) => each === '' || each === name)));
  }
  const fresh = await openCatalog(directorySource(root, options));
  expect(told(seen.catalog.snapshot)).toEqual(told(fresh.snapshot));
}

describe('a catalog that follows its folder', () => {
  it.each<[string, DirectoryOptions, Parameters<typeof endsAsScanned>[2]]>([
    ['told by the system', {}, { settleMs: 10 }],
    ['told by the system, links followed anywhere', { symlinks: 'follow' }, { settleMs: 10 }],
    ['by looking', {}, { poll: true, pollMs: 15 }],
  ])(
    'ends up as a scan of everything would, whatever happens: %s',
    async (_, options, watch) => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), (steps) => endsAsScanned(steps, options, watch)),
        { numRuns: RUNS, interruptAfterTimeLimit: RUNS * 600, markInterruptAsFailure: false },
      );
    },
    RUNS * 2_400,
  );
});
