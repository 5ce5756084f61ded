import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randomFrom } from './random.ts';

/** The file of 4 KiB that requests read. */
export const READ_FILE = 'references/guide.md';

/** Files of each skill below its folder, with their size in bytes: 8 files of 4 KB on average, with `SKILL.md`. */
export const SUPPORTING_FILES: readonly (readonly [path: string, bytes: number])[] = [
  [READ_FILE, 4_096],
  ['references/api.md', 6_000],
  ['references/examples/first.md', 1_500],
  ['scripts/run.py', 3_500],
  ['scripts/check.sh', 800],
  ['assets/template.html', 3_000],
  ['assets/logo.png', 10_000],
];

/** Files of a skill. */
export const FILES_EACH: number = SUPPORTING_FILES.length + 1;
/** What one skill takes on a disk with blocks of 4 KiB: its files and its five folders. */
export const DISK_BYTES_EACH = 64_000;

/** The name of a skill of the corpus. */
export function skillName(at: number): string {
  return `skill-${String(at).padStart(6, '0')}`;
}

/** The URI of a file of a skill of the corpus. */
export function uriOf(at: number, path = 'SKILL.md'): string {
  return `skill://${skillName(at)}/${path}`;
}

/** Writes the skills from `from` until `to` below `root`, the same ones each time; files beside `SKILL.md` `scale` times as large. */
export function writeCorpus(root: string, to: number, from = 0, scale = 1): void {
  for (let at = from; at < to; at++) writeSkill(join(root, skillName(at)), at, scale);
}

function writeSkill(folder: string, at: number, scale: number): void {
  const next = randomFrom(at + 1);
  for (const sub of ['references/examples', 'scripts', 'assets'])
    mkdirSync(join(folder, sub), { recursive: true });
  const head = [
    '---',
    `name: ${skillName(at)}`,
    `description: Does task number ${at}. Use when task ${at} comes up.`,
    'license: MIT',
    'metadata:',
    `  version: "1.${at % 10}"`,
    '  author: bench',
    '---',
    '',
    `# Task ${at}`,
    '',
    `Read [the guide](${READ_FILE}).`,
    '',
  ];
  writeFileSync(join(folder, 'SKILL.md'), `${head.join('\n')}\n${text(next, 2_800)}\n`);
  for (const [path, bytes] of SUPPORTING_FILES)
    writeFileSync(
      join(folder, path),
      path.endsWith('.png') ? noise(next, bytes * scale) : text(next, bytes * scale),
    );
}

/** Lines of words, exactly so many bytes. */
function text(next: () => number, bytes: number): string {
  let out = '';
  while (out.length < bytes) out += `${(next() % 46_656).toString(36)}${out.length % 70 > 60 ? '\n' : ' '}`;
  return out.slice(0, bytes);
}

/** Bytes that are no text and do not compress. */
function noise(next: () => number, bytes: number): Buffer {
  const out = Buffer.alloc(bytes);
  for (let at = 0; at + 4 <= bytes; at += 4) out.writeUInt32LE(next(), at);
  return out;
}
