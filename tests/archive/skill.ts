import type { FileToPack } from '../../src/archive/index.ts';

/** Text of `length` bytes that compresses like text, the same at every call. */
function text(length: number): Buffer {
  const words = [
    'form',
    'field',
    'the',
    'table',
    'of',
    'extract',
    'a',
    'merge',
    'page',
    'to',
    'and',
    'document',
  ];
  let state = 7;
  let out = '';
  while (out.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    out += `${words[(state >> 12) % words.length]} `;
  }
  return Buffer.from(out.slice(0, length));
}

/** A skill with what makes packing differ: large and small files, a script, names beyond ASCII, nothing, noise. */
export const SKILL: readonly FileToPack[] = [
  {
    path: 'SKILL.md',
    bytes: Buffer.from(
      `---\nname: forms\ndescription: Fills forms.\n---\n\n${'Fill the form.\n'.repeat(20)}`,
    ),
  },
  { path: 'scripts/run.sh', bytes: Buffer.from('#!/bin/sh\nexec python3 fill.py "$@"\n'), executable: true },
  { path: 'references/large.md', bytes: text(300_000) },
  { path: 'references/résumé.md', bytes: text(900) },
  { path: 'references/\u{1f600}.md', bytes: Buffer.from('a') },
  { path: 'references/\uff5e.md', bytes: Buffer.from('b') },
  { path: `references/${'deep/'.repeat(30)}x.md`, bytes: text(2_000) },
  { path: 'assets/empty', bytes: new Uint8Array(0) },
  {
    path: 'assets/bytes.bin',
    bytes: Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7_919 + (index >> 5)) & 255),
  },
  { path: '__proto__/constructor', bytes: Buffer.from('x') },
  { path: '1', bytes: Buffer.from('a name that is a number') },
];
