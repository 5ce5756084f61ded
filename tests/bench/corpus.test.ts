import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FILES_EACH, uriOf, writeCorpus } from '../../bench/corpus.ts';
import { checkSource } from '../../src/catalog/index.ts';
import { directorySource } from '../../src/source/index.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skillwire-bench-test-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Every file with its size. */
function sizes(): Record<string, number> {
  const found: [string, number][] = [];
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      found.push([path.slice(root.length + 1).replaceAll('\\', '/'), statSync(path).size]);
    }
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe('the corpus', () => {
  it('has eight files a skill, one of them of 4 KiB', () => {
    writeCorpus(root, 2);
    expect(FILES_EACH).toBe(8);
    expect(Object.keys(sizes())).toHaveLength(16);
    expect(sizes()).toMatchObject({
      'skill-000001/references/guide.md': 4_096,
      'skill-000001/assets/logo.png': 10_000,
      'skill-000001/scripts/check.sh': 800,
    });
    const total = Object.values(sizes()).reduce((sum, size) => sum + size, 0);
    expect(total / 16).toBeGreaterThan(3_900);
    expect(total / 16).toBeLessThan(4_100);
    expect(uriOf(1)).toBe('skill://skill-000001/SKILL.md');
  });

  it('is the same each time, whether written at once or grown', () => {
    writeCorpus(root, 3);
    const guide = join(root, 'skill-000002', 'references', 'guide.md');
    const before = readFileSync(guide, 'utf8');
    rmSync(root, { recursive: true });
    writeCorpus(root, 1);
    writeCorpus(root, 3, 1);
    expect(readFileSync(guide, 'utf8')).toBe(before);
    expect(readFileSync(join(root, 'skill-000001', 'references', 'guide.md'), 'utf8')).not.toBe(before);
  });

  it('has nothing wrong with it', async () => {
    writeCorpus(root, 3);
    const { skills, diagnostics } = await checkSource(directorySource(root));
    expect(skills).toHaveLength(3);
    expect(diagnostics).toEqual([]);
  });
});
