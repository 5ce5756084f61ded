import { describe, expect, it } from 'vitest';
import type { ClientResult } from '../../interop/matrix/adapter.ts';
import { corpusOf } from '../../interop/matrix/corpus.ts';
import { broken, type Cell, isKnownToBeDeaf, judge } from '../../interop/matrix/judge.ts';

const corpus = corpusOf('small');

function cell(server: string, client: string, more: Partial<Cell> = {}): Cell {
  return {
    server: { name: server, notifies: true },
    client: { name: client, reads: true, verifies: true, hears: true },
    transport: 'http',
    era: 'modern',
    ...more,
  };
}

/** A client that came to everything. */
function whole(): {
  listed: string[];
  bytes: Record<string, string>;
  errors: Record<string, string>;
  verified: boolean;
  notified: boolean;
} {
  const bytes: Record<string, string> = {};
  const listed: string[] = [];
  for (const { roots, files } of corpus.skills) {
    const root = `skill://${(roots[0] ?? '').split('/').map(encodeURIComponent).join('/')}`;
    listed.push(`${root}/SKILL.md`);
    for (const [path, hash] of Object.entries(files))
      bytes[`${root}/${path.split('/').map(encodeURIComponent).join('/')}`] = hash;
  }
  return { listed, bytes, errors: {}, verified: true, notified: true };
}

/** Without a skill and its files. */
function without(result: ReturnType<typeof whole>, name: string): ReturnType<typeof whole> {
  const isOther = (uri: string): boolean => !uri.startsWith(`skill://${name}/`);
  return {
    ...result,
    listed: result.listed.filter(isOther),
    bytes: Object.fromEntries(Object.entries(result.bytes).filter(([uri]) => isOther(uri))),
  };
}

describe('judge', () => {
  it('is content with all of the corpus', () => {
    const { marks, wrong, met, stale } = judge(cell('Skillwire', 'official SDK'), corpus, whole());
    expect(marks).toEqual({ listed: 'yes', read: 'yes', bytes: 'yes', verified: 'yes', notified: 'yes' });
    expect([wrong, met, stale]).toEqual([[], [], []]);
  });

  const spoiled: readonly (readonly [
    string,
    string,
    (result: ReturnType<typeof whole>) => ClientResult,
    RegExp,
  ])[] = [
    ['listed', 'a skill is not listed', (result) => without(result, 'plain'), /^listed \(plain\): /],
    [
      'read',
      'a file is not read',
      (result) => {
        const { 'skill://crlf/notes.md': _, ...bytes } = result.bytes;
        return { ...result, bytes, errors: { 'skill://crlf/notes.md': 'DIGEST_MISMATCH' } };
      },
      /^read \(crlf\): crlf\/notes\.md: DIGEST_MISMATCH$/,
    ],
    [
      'bytes',
      'a file has other bytes',
      (result) => ({ ...result, bytes: { ...result.bytes, 'skill://empty/nothing.txt': 'f'.repeat(64) } }),
      /^bytes \(empty\): /,
    ],
    [
      'verified',
      'it could not verify',
      (result) => ({ ...result, verified: false, problems: ['no digests'] }),
      /^verified: no digests$/,
    ],
    ['notified', 'no notification came', (result) => ({ ...result, notified: false }), /^notified: /],
  ];

  it.each(spoiled)('says no to %s when %s', (field, _what, spoil, said) => {
    const { marks, wrong } = judge(cell('Skillwire', 'official SDK'), corpus, spoil(whole()));
    expect(marks[field as keyof typeof marks]).toBe('no');
    expect(wrong).toHaveLength(1);
    expect(wrong[0]).toMatch(said);
  });

  it('names the fault of the peer where one is known, and counts nothing wrong', () => {
    const { marks, wrong, met } = judge(
      cell('official SDK', 'Skillwire'),
      corpus,
      without(whole(), 'renamed'),
    );
    expect(marks.listed).toBe('peer: a skill whose folder has another name is left out');
    expect(wrong).toEqual([]);
    expect(met).toHaveLength(1);
  });

  it('lets a known fault of one part excuse no other', () => {
    const result = without(without(whole(), 'renamed'), 'plain');
    const { marks, wrong } = judge(cell('official SDK', 'Skillwire'), corpus, result);
    expect(marks.listed).toBe('no');
    expect(wrong).toEqual(['listed (plain): no skill at plain']);
  });

  it('tells of a known fault that shows no longer', () => {
    const { stale } = judge(cell('official SDK', 'Skillwire'), corpus, whole());
    expect(stale.map(({ what }) => what)).toEqual(['a skill whose folder has another name is left out']);
  });

  it('marks with a dash what a client has not', () => {
    const client = { name: 'mcporter', reads: true, verifies: false, hears: false };
    const { listed, bytes, errors } = whole();
    const { marks } = judge(cell('Skillwire', 'mcporter', { client }), corpus, { listed, bytes, errors });
    expect(marks).toEqual({ listed: 'yes', read: 'yes', bytes: 'yes', verified: '–', notified: '–' });
  });

  it('finds skills of web documents by their name alone', () => {
    const flat = (uri: string): string =>
      uri.replace('acme/billing/refunds', 'refunds').replace(/outer\/inner(?=\/)/, 'inner');
    const result = whole();
    const bytes = Object.fromEntries(Object.entries(result.bytes).map(([uri, hash]) => [flat(uri), hash]));
    const { wrong } = judge(cell('Skillwire', 'skills'), corpus, {
      ...result,
      listed: result.listed.map(flat),
      bytes: { ...result.bytes, ...bytes },
      dialect: 'well-known',
    });
    // The installer drops the byte order mark, and here it did not: that is told as stale, not as wrong.
    expect(wrong).toEqual([]);
  });

  it('takes a cell that came to nothing for no fault that is about something else', () => {
    const { marks, wrong, stale } = broken(cell('official SDK', 'Skillwire'), corpus, 'it ended with 1');
    expect(marks).toEqual({ listed: 'no', read: '–', bytes: '–', verified: '–', notified: '–' });
    expect(wrong).toEqual(['listed: it ended with 1']);
    expect(stale).toEqual([]);
  });
});

describe('isKnownToBeDeaf', () => {
  it('is so with the size that a fault is about, and not with the other', () => {
    const bridged = cell('Skillwire', 'official SDK 1.x', {
      bridge: 'mcp-remote, http → stdio',
      transport: 'stdio',
      era: 'legacy',
    });
    expect(isKnownToBeDeaf(bridged, { size: 'full' })).toBe(true);
    expect(isKnownToBeDeaf(bridged, { size: 'small' })).toBe(false);
    expect(isKnownToBeDeaf(cell('official SDK', 'Skillwire', { era: 'legacy' }), { size: 'small' })).toBe(
      true,
    );
  });
});

describe('corpusOf', () => {
  it('has the parts that the sizes differ in', () => {
    const full = corpusOf('full');
    const filesIn = (name: string): number =>
      Object.keys(full.tree).filter((path) => path.startsWith(`${name}/`)).length;
    expect(filesIn('many')).toBe(301);
    expect(full.tree['large/large.bin']).toHaveLength(15 * 1_048_576);
    expect(full.skills).toHaveLength(14);
  });

  it('is the same at every call', () => {
    expect(corpusOf('small').skills).toEqual(corpus.skills);
  });
});
