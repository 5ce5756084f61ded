import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Bytes that are no text: a NUL and a byte that no UTF-8 has. */
const BINARY = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x00, 0xff, 0xfe, 0x0a]);

const head = (name: string, description: string, more = ''): string =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n# ${name}\n`;

/** Every file of the folder that is served, by its path. */
export const FILES: Readonly<Record<string, string | Buffer>> = {
  'bare/SKILL.md': head('bare', 'Has one file.'),
  'full/SKILL.md': head(
    'full',
    'Has everything.',
    'license: MIT\ncompatibility: Needs nothing.\nmetadata:\n  author: me\n  version: "1.0"\nallowed-tools: Read\ntags:\n  - one\n  - two: 2\nnothing: null\nratio: 1.5\nday: 2026-01-02\n',
  ),
  'full/assets/logo.png': BINARY,
  'full/notes/über uns #1.md': '\uFEFFA byte order mark,\r\nand lines of Windows.\r\n',
  'full/references/deep/er/file.txt': 'deep\n',
  'full/references/guide.md': '# Guide\n',
  'full/scripts/run.py': 'print(1)\n',
  'group/parent/SKILL.md': head('parent', 'Holds another skill.'),
  'group/parent/inner/SKILL.md': head('inner', 'Stands inside.'),
  'group/parent/inner/data.json': '{"a":1}\n',
  'old-folder/SKILL.md': head('new-name', 'Its folder has another name.'),
  'old-folder/file.md': 'text\n',
  'too-long/SKILL.md': head('too-long', 'x'.repeat(1_025)),
  'broken/SKILL.md': 'no frontmatter\n',
};

/** The folders that hold no file. */
export const EMPTY_FOLDER = 'full/empty';

/** Writes the folder. */
export function writeSkills(root: string): void {
  for (const [path, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  mkdirSync(join(root, EMPTY_FOLDER), { recursive: true });
}

/** Digest and size of the file at `path`, as its entry must state them. */
export function facts(path: string): { digest: string; size: number } {
  const bytes = Buffer.from(FILES[path] as string);
  return { digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`, size: bytes.length };
}

/** The `skill://` URIs of the skills that are listed, in order. */
export const LISTED: readonly string[] = [
  'skill://bare/SKILL.md',
  'skill://full/SKILL.md',
  'skill://group/parent/SKILL.md',
  'skill://group/parent/inner/SKILL.md',
  'skill://new-name/SKILL.md',
];
