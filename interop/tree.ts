import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** Content by path below a folder, `/`-separated. */
export type Tree = Readonly<Record<string, Buffer | string>>;

/** Writes a tree below a folder. */
export function writeTree(folder: string, tree: Tree): void {
  for (const [path, content] of Object.entries(tree)) {
    const at = join(folder, ...path.split('/'));
    mkdirSync(dirname(at), { recursive: true });
    writeFileSync(at, content);
  }
}

/** SHA-256 of every file below a folder, by path, in order of path. */
export function hashesOf(folder: string): Record<string, string> {
  const found: [string, string][] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const at = join(entry.parentPath, entry.name);
    found.push([relative(folder, at).split(sep).join('/'), sha256(readFileSync(at))]);
  }
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** SHA-256 of what a tree holds, by path, in order of path. */
export function hashesOfTree(tree: Tree): Record<string, string> {
  const entries = Object.entries(tree).map(([path, content]): [string, string] => [
    path,
    sha256(Buffer.from(content)),
  ]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** SHA-256 in hex. */
export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const skill = (name: string, body: string): string =>
  `---\nname: ${name}\ndescription: About ${name}, with "quotes" & <angles>\n---\n${body}`;

/** Skills with everything that a transfer may spoil. */
export const RICH: Tree = {
  'plain/SKILL.md': skill('plain', '\nOnly this.\n'),
  'crlf/SKILL.md': skill('crlf', '\nLine ends\nof Windows.\n').replaceAll('\n', '\r\n'),
  'files/SKILL.md': skill('files', '\nMixed\r\nline\nends, no last one: 名前 📄'),
  'files/bom.md': Buffer.from([0xef, 0xbb, 0xbf, 0x23, 0x20, 0x42, 0x0d, 0x0a]),
  'files/crlf.txt': 'a\r\nb\r\n',
  'files/cr.txt': 'a\rb\r',
  'files/every-byte.bin': Buffer.from(Array.from({ length: 256 }, (_, index) => index)),
  'files/nearly-text.md': Buffer.from([0x61, 0xc3, 0x28, 0x0a]),
  'files/null-byte.txt': 'a\u0000b',
  'files/empty.txt': '',
  'files/data.json': '{\r\n  "a": 1.10\r\n}',
  'files/how to.md': '# How to\n',
  'files/名前/é and 📄.md': 'composed\n',
  'files/nfd/e\u0301.md': 'decomposed\n',
  "files/odd/~!$&'()*+,;=@[]{}^`.md": 'odd\n',
  'files/deep/a/b/c/d/e.md': 'deep\n',
  'files/run.sh': '#!/bin/sh\necho hi\n',
  'files/large.txt': 'A line that is repeated.\n'.repeat(8_000),
  'outer/SKILL.md': skill('outer', '\nSee inner.\n'),
  'outer/notes.md': 'notes\n',
  'outer/inner/SKILL.md': skill('inner', '\nInside outer.\n'),
  'outer/inner/more.md': 'more\n',
};
