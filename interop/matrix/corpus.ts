import { sha256, type Tree } from '../tree.ts';

/** One part of the corpus: what it is there to show. */
export type CorpusPart =
  | 'plain'
  | 'nested'
  | 'renamed'
  | 'prefixed'
  | 'crlf'
  | 'bom'
  | 'binary'
  | 'empty'
  | 'names'
  | 'odd'
  | 'reserved'
  | 'many'
  | 'large';

/** Every part with what it holds. */
export const PARTS: Readonly<Record<CorpusPart, string>> = {
  plain: 'a `SKILL.md` alone',
  nested: 'a skill inside another',
  renamed: 'a folder with another name than its skill',
  prefixed: 'a skill three folders down',
  crlf: 'line ends of Windows, in `SKILL.md` and beside it',
  bom: 'a byte order mark, in `SKILL.md` and beside it',
  binary: 'every byte value; text that is no UTF-8; a NUL',
  empty: 'a file without a byte',
  names: 'names of files with spaces, not in ASCII, composed and decomposed',
  odd: 'names of files with `%` and `#`',
  reserved: 'the name of a file with `?`, which Windows has none of',
  many: '300 files (every run: 40)',
  large: '15 MiB in one file (every run: 1 MiB)',
};

/** One skill of the corpus. */
export interface CorpusSkill {
  readonly part: CorpusPart;
  /** Below the corpus. */
  readonly folder: string;
  /** As its `SKILL.md` says it. */
  readonly name: string;
  /** The folders below which servers may publish it: its own, or its parent's and its name. */
  readonly roots: readonly string[];
  /** SHA-256 in hex of each file by its path below the folder; those of a skill inside count too. */
  readonly files: Readonly<Record<string, string>>;
}

/** Skills with everything that a transfer may spoil. */
export interface Corpus {
  readonly size: CorpusSize;
  readonly tree: Tree;
  readonly skills: readonly CorpusSkill[];
}

/** The parts in the size that is run every time, or in that which the limits of the protocol allow. */
export type CorpusSize = 'small' | 'full';

/** What is put into the folder so that servers have something to tell of. */
export const ADDED: Tree = {
  'added-later/SKILL.md':
    '---\nname: added-later\ndescription: Put there while a client waits\n---\n\nNew.\n',
};

const text = (name: string, body: string): string =>
  `---\nname: ${name}\ndescription: About ${name}, with "quotes" & <angles>\n---\n${body}`;

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, index) => index));

const SIZES = { small: { files: 40, bytes: 1 << 20 }, full: { files: 300, bytes: 15 << 20 } } as const;

/** The corpus in one size; the same bytes at every call. */
export function corpusOf(size: CorpusSize): Corpus {
  const tree = treeOf(size);
  const folders = Object.keys(tree)
    .filter((path) => path.endsWith('/SKILL.md'))
    .map((path) => path.slice(0, -'/SKILL.md'.length));
  const skills = folders.map((folder): CorpusSkill => {
    const below = Object.entries(tree).filter(([path]) => path.startsWith(`${folder}/`));
    const files = below.map(([path, content]): [string, string] => [
      path.slice(folder.length + 1),
      sha256(Buffer.from(content)),
    ]);
    const name = folder === RENAMED.folder ? RENAMED.name : (folder.split('/').at(-1) ?? folder);
    const roots = name === RENAMED.name ? [RENAMED.name, RENAMED.folder] : [folder];
    return { part: partOf(folder), folder, name, roots, files: Object.fromEntries(files) };
  });
  return { size, tree, skills };
}

const RENAMED = { folder: 'old-folder', name: 'renamed' } as const;

function partOf(folder: string): CorpusPart {
  const [first = ''] = folder.split('/');
  if (first === RENAMED.folder) return 'renamed';
  if (first === 'acme') return 'prefixed';
  if (first === 'outer') return 'nested';
  return first as CorpusPart;
}

function treeOf(size: CorpusSize): Tree {
  const { files, bytes } = SIZES[size];
  const tree: Record<string, Buffer | string> = {
    'plain/SKILL.md': text('plain', '\nOnly this.\n'),
    'outer/SKILL.md': text('outer', '\nSee `inner/SKILL.md`.\n'),
    'outer/notes.md': 'notes\n',
    'outer/inner/SKILL.md': text('inner', '\nInside outer.\n'),
    'outer/inner/more.md': 'more\n',
    [`${RENAMED.folder}/SKILL.md`]: text(RENAMED.name, '\nThe folder has another name.\n'),
    [`${RENAMED.folder}/notes.md`]: 'of the renamed one\n',
    'acme/billing/refunds/SKILL.md': text('refunds', '\nThree folders down.\n'),
    'acme/billing/refunds/references/policy.md': 'policy\n',
    'crlf/SKILL.md': text('crlf', '\nLine ends\nof Windows.\n').replaceAll('\n', '\r\n'),
    'crlf/notes.md': 'a\r\nb\r\n',
    'crlf/mixed.txt': 'a\nb\r\nc\rd',
    'bom/SKILL.md': `\ufeff${text('bom', '\nAfter a byte order mark.\n')}`,
    'bom/notes.md': Buffer.from([0xef, 0xbb, 0xbf, 0x23, 0x20, 0x42, 0x0a]),
    'binary/SKILL.md': text('binary', '\nNot text.\n'),
    'binary/every-byte.bin': EVERY_BYTE,
    'binary/nearly-text.md': Buffer.from([0x61, 0xc3, 0x28, 0x0a]),
    'binary/null-byte.txt': 'a\u0000b',
    'empty/SKILL.md': text('empty', '\nBeside nothing.\n'),
    'empty/nothing.txt': '',
    'names/SKILL.md': text('names', '\nNames of files.\n'),
    'names/how to.md': '# How to\n',
    'names/\u540d\u524d/\u00e9 and \u{1f4c4}.md': 'composed\n',
    'names/nfd/e\u0301.md': 'decomposed\n',
    'odd/SKILL.md': text('odd', '\nNames that a URI must encode.\n'),
    'odd/100%.md': 'percent\n',
    'odd/a%20b.md': 'an escape\n',
    'odd/part#1.md': 'hash\n',
    'reserved/SKILL.md': text('reserved', '\nA name that some systems refuse.\n'),
    'reserved/what?.md': 'question\n',
    'many/SKILL.md': text('many', '\nMany files.\n'),
    'large/SKILL.md': text('large', '\nA large file.\n'),
    'large/large.bin': bytesOf(bytes),
  };
  for (let index = 0; index < files; index++) {
    const name = String(index).padStart(3, '0');
    tree[`many/files/${name.slice(0, 2)}/${name}.md`] = `File ${index}\n`;
  }
  return tree;
}

/** Bytes that do not repeat, the same at every call. */
function bytesOf(count: number): Buffer {
  const bytes = Buffer.alloc(count);
  let state = 0x9e37_79b9;
  for (let at = 0; at < count; at += 4) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes.writeInt32LE(state | 0, at);
  }
  return bytes;
}
