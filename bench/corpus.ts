import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files of each skill below its folder, with their size in bytes. */
const FILES: readonly (readonly [path: string, bytes: number])[] = [
  ['references/guide.md', 6_000],
  ['references/api.md', 3_000],
  ['references/examples/first.md', 1_200],
  ['scripts/run.py', 2_500],
  ['scripts/check.sh', 600],
  ['assets/template.html', 1_800],
  ['assets/logo.png', 4_000],
];

/** Numbers that depend on nothing but the seed, so that two runs have the same corpus. */
function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
}

/** Text of about `bytes` bytes, lines of words. */
function text(next: () => number, bytes: number): string {
  let out = '';
  while (out.length < bytes) out += `${(next() % 46_656).toString(36)}${out.length % 70 > 60 ? '\n' : ' '}`;
  return out;
}

/** Writes `skills` skills of eight files each below `root` and gives the number of files. */
export function writeCorpus(root: string, skills: number): number {
  for (let at = 0; at < skills; at++) {
    const next = numbers(at + 1);
    const name = `skill-${String(at).padStart(6, '0')}`;
    const folder = join(root, name);
    for (const sub of ['references/examples', 'scripts', 'assets'])
      mkdirSync(join(folder, sub), { recursive: true });
    writeFileSync(
      join(folder, 'SKILL.md'),
      `---\nname: ${name}\ndescription: Does task number ${at}. Use when task ${at} comes up.\nlicense: MIT\nmetadata:\n  version: "1.${at % 10}"\n  author: bench\n---\n\n# Task ${at}\n\nRead [the guide](references/guide.md).\n\n${text(next, 2_000)}\n`,
    );
    for (const [path, bytes] of FILES) {
      const content = path.endsWith('.png')
        ? Buffer.from(Array.from({ length: bytes }, () => next() >>> 24))
        : text(next, bytes);
      writeFileSync(join(folder, path), content);
    }
  }
  return skills * (FILES.length + 1);
}
