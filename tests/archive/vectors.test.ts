import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  ARCHIVE_FORMATS,
  type ArchiveFormat,
  detectArchiveFormat,
  entryPath,
  unpackArchive,
} from '../../src/archive/index.ts';
import { SkillError } from '../../src/errors.ts';
import { tarGz } from './build-tar.ts';
import { zip } from './build-zip.ts';

interface Entry {
  readonly path: string;
  readonly body?: string;
  readonly mode?: number;
  readonly type?: 'symlink' | 'hardlink' | 'fifo' | 'char';
  readonly linkname?: string;
}

interface Case {
  readonly area: string;
  readonly name: string;
  readonly input: {
    readonly path: string;
    readonly name: string;
    readonly peekHex: string;
    readonly format: string;
    readonly hint?: string;
    readonly maxBytes?: number;
    readonly entries: readonly Entry[];
  };
  readonly expect: Readonly<Record<string, unknown>>;
}

const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL('../vectors/archive.json', import.meta.url), 'utf8'),
);
const deviations = readFileSync(new URL('../../docs/reference/deviations.md', import.meta.url), 'utf8');

/** Our codes where we do something else; each is a line in docs/reference/deviations.md. */
const OURS: Readonly<Record<string, string>> = {
  'archive-path: mid cancels inside': 'ARCHIVE_PATH_TRAVERSAL',
  'archive-path: collapses to dot': 'ARCHIVE_PATH_TRAVERSAL',
  'archive-path: backslash traversal accepted': 'ARCHIVE_PATH_TRAVERSAL',
  'archive-path: windows drive accepted': 'ARCHIVE_ABSOLUTE_PATH',
  'archive-path: windows drive slash accepted': 'ARCHIVE_ABSOLUTE_PATH',
  'archive-path: UNC accepted': 'ARCHIVE_ABSOLUTE_PATH',
  'archive-path: NUL accepted': 'ARCHIVE_UNSAFE_NAME',
  'archive-path: long': 'ARCHIVE_TOO_DEEP',
  'archive-unpack: tar fifo silently skipped': 'ARCHIVE_SPECIAL_FILE',
  'archive-unpack: tar char device silently skipped even with bad path': 'ARCHIVE_PATH_TRAVERSAL',
  'archive-unpack: zip lone slash dir entry accepted': 'ARCHIVE_ABSOLUTE_PATH',
  'archive-unpack: inner dotdot kept verbatim': 'ARCHIVE_PATH_TRAVERSAL',
  'archive-unpack: duplicate paths both kept': 'ARCHIVE_DUPLICATE',
  'archive-unpack: backslash path accepted': 'ARCHIVE_PATH_TRAVERSAL',
};

const SEED: Readonly<Record<string, string>> = {
  ErrArchivePathTraversal: 'ARCHIVE_PATH_TRAVERSAL',
  ErrArchiveAbsolutePath: 'ARCHIVE_ABSOLUTE_PATH',
  ErrArchiveSymlinkEscape: 'ARCHIVE_SYMLINK_ESCAPE',
  ErrArchiveTooLarge: 'ARCHIVE_TOO_LARGE',
  ErrArchiveUnknownFormat: 'ARCHIVE_UNKNOWN_FORMAT',
};

const TYPES = { symlink: '2', hardlink: '1', fifo: '6', char: '3' } as const;

function build({ format, entries }: Case['input']): Buffer {
  if (format === 'zip') return zip(entries.map(({ path, body }) => ({ name: path, body: body ?? '' })));
  return tarGz(
    entries.map(({ path, body, mode, type, linkname }) => ({
      name: path,
      body: body ?? '',
      ...(mode === undefined ? {} : { mode }),
      ...(type === undefined ? {} : { type: TYPES[type] }),
      ...(linkname === undefined ? {} : { link: linkname }),
    })),
  );
}

async function run({ area, input }: Case): Promise<Record<string, unknown>> {
  if (area === 'archive-path') {
    entryPath(input.path);
    return { accept: true };
  }
  if (area === 'archive-detect') {
    return { format: detectArchiveFormat(input.name, Buffer.from(input.peekHex, 'hex')) ?? 'unknown' };
  }
  if (area === 'archive-format') {
    const facts = ARCHIVE_FORMATS[input.format as ArchiveFormat];
    return {
      mimeType: facts?.mimeType ?? '',
      suffix: facts?.suffix ?? '',
      string: input.format,
    };
  }
  const files = await unpackArchive(build(input), {
    ...(input.hint === 'unknown' ? {} : { format: input.format as ArchiveFormat }),
    ...(input.maxBytes === undefined ? {} : { maxBytes: input.maxBytes }),
  });
  return { entries: files.map(({ path, mode, bytes }) => ({ path, mode, body: bytes.toString('utf8') })) };
}

async function outcome(each: Case): Promise<Record<string, unknown>> {
  try {
    return await run(each);
  } catch (error) {
    if (error instanceof SkillError) return { error: error.code };
    throw error;
  }
}

describe('recorded behaviour of mcpkit 0.5.2', () => {
  test.each(cases.map((each) => [`${each.area}: ${each.name}`, each] as const))('%s', async (name, each) => {
    const ours = OURS[name];
    const peer = typeof each.expect.error === 'string' ? { error: SEED[each.expect.error] } : each.expect;
    expect(await outcome(each)).toEqual(ours === undefined ? peer : { error: ours });
    if (ours !== undefined) expect(peer).not.toEqual({ error: ours });
  });

  test('every deviation is recorded, and only those', () => {
    const lines = deviations
      .split('\n')
      .filter((line) => /^\| archive-(path|unpack|detect|format) /.test(line));
    const listed = lines.map((line) =>
      line
        .split('|')
        .slice(1, 3)
        .map((cell) => cell.trim())
        .join(': '),
    );
    expect(listed.sort()).toEqual(Object.keys(OURS).sort());
  });
});
