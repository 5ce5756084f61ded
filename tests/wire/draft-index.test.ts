import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import {
  decodeListChanged,
  encodeListChanged,
  fileDigest,
  fileDigests,
  hasManifestFields,
  isSkillType,
  lookup,
  newIndex,
  validateIndex,
  validateIndexEntry,
} from '../../src/wire/index.ts';

interface Case {
  readonly area: string;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: recorded input of any shape.
  readonly input: any;
  // biome-ignore lint/suspicious/noExplicitAny: recorded output of any shape.
  readonly expect: any;
}

const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL('../vectors/draft-index.json', import.meta.url), 'utf8'),
);
const deviations = readFileSync(new URL('../../docs/reference/deviations.md', import.meta.url), 'utf8');
const of = (area: string): (readonly [string, Case])[] =>
  cases.filter((each) => each.area === area).map((each) => [each.name, each]);

const CODES: Readonly<Record<string, string>> = {
  ErrIndexMissingSchema: 'INDEX_MISSING_SCHEMA',
  ErrUnknownSkillType: 'UNKNOWN_SKILL_TYPE',
  ErrIndexEntryMissingDescription: 'INDEX_ENTRY_MISSING_DESCRIPTION',
  ErrIndexEntryMissingURL: 'INDEX_ENTRY_MISSING_URL',
  ErrIndexEntryMissingName: 'INDEX_ENTRY_MISSING_NAME',
  ErrIndexEntryMissingDigest: 'INDEX_ENTRY_MISSING_DIGEST',
};

/** Our values where they differ; each is a line in docs/reference/deviations.md. */
const OURS: Readonly<Record<string, string>> = {
  'case-insensitive field names (Go JSON)': 'INDEX_MISSING_SCHEMA',
};

function codeOf(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    return isSkillError(error) ? error.code : String(error);
  }
}

describe('recorded cases of seed 000’s package', () => {
  it('are all here', () => {
    const count = (area: string): number => of(area).length;
    expect([
      count('index-validate'),
      count('index-entry-validate'),
      count('index-file-digest'),
      count('index-lookup'),
      count('list-changed-decode'),
    ]).toEqual([8, 13, 11, 3, 12]);
  });

  it.each(of('index-validate'))('index-validate: %s', (name, each) => {
    const wanted = OURS[name] ?? CODES[each.expect.error];
    expect(wanted === undefined).toBe(each.expect.valid === true && OURS[name] === undefined);
    expect(codeOf(() => validateIndex(each.input.index))).toBe(wanted);
  });

  it.each(of('index-entry-validate'))('index-entry-validate: %s', (_name, each) => {
    expect(codeOf(() => validateIndexEntry(each.input.entry))).toBe(CODES[each.expect.error]);
  });

  it.each(of('index-file-digest'))('index-file-digest: %s', (_name, each) => {
    const { digest, found } = each.expect;
    expect(fileDigest(each.input.entry, each.input.path)).toBe(found ? digest : undefined);
  });

  it.each(of('index-lookup'))('index-lookup: %s', (_name, each) => {
    const { found, name } = each.expect;
    expect(lookup(each.input.index, each.input.uri)?.name).toBe(found ? name : undefined);
  });

  it.each(of('list-changed-decode'))('list-changed-decode: %s', (_name, each) => {
    expect(decodeListChanged(each.input.params)).toEqual(each.expect.ok ? each.expect.payload : undefined);
  });

  it('differ where the documentation says so', () => {
    for (const name of Object.keys(OURS)) expect(deviations).toContain(`| ${name} |`);
  });
});

const DIGEST = `sha256:${'a'.repeat(64)}`;
const ENTRY = { type: 'skill-md', name: 'n', description: 'd', url: 'skill://n/SKILL.md', digest: DIGEST };

describe('an index', () => {
  it('is made with the schema of the draft and never null', () => {
    expect(newIndex()).toEqual({
      $schema: 'https://schemas.agentskills.io/discovery/0.2.0/schema.json',
      skills: [],
    });
    expect(newIndex([{ ...ENTRY, type: 'skill-md' }]).skills).toEqual([ENTRY]);
  });

  it.each([
    [null, 'INVALID_INDEX', 'the index is no JSON object'],
    [[ENTRY], 'INVALID_INDEX', 'the index is no JSON object'],
    ['{}', 'INVALID_INDEX', 'the index is no JSON object'],
    [{ $schema: 5, skills: [] }, 'INDEX_MISSING_SCHEMA', /^the index has no \$schema/],
    [{ $schema: 'x', skills: {} }, 'INVALID_INDEX', 'skills of the index is no list'],
    [
      { $schema: 'x', skills: [ENTRY, { ...ENTRY, type: 'mcp-resource-template' }] },
      'UNKNOWN_SKILL_TYPE',
      'skills[1]: type is "mcp-resource-template"; it is skill-md or archive',
    ],
    [{ $schema: 'x', skills: [null] }, 'UNKNOWN_SKILL_TYPE', /^skills\[0\]: type is missing/],
    [
      { $schema: 'x', skills: [{ ...ENTRY, digest: 5 }] },
      'INDEX_ENTRY_MISSING_DIGEST',
      'skills[0]: digest is missing; it is text that is not empty',
    ],
  ])('%j is refused', (index, code, message) => {
    const refused = expect.objectContaining({ code });
    expect(() => validateIndex(index)).toThrow(refused);
    expect(() => validateIndex(index)).toThrow(message);
  });

  it.each([
    ['skill-md', true],
    ['archive', true],
    ['mcp-resource-template', false],
    ['Archive', false],
    ['', false],
    [undefined, false],
  ])('knows the type %j: %j', (type, known) => {
    expect([isSkillType(type), hasManifestFields(type)]).toEqual([known, known]);
  });

  it.each([
    ['a pin without a digest', [{ path: 'a' }]],
    ['an empty digest', [{ path: 'a', digest: '' }]],
    ['a path that is no text', [{ path: 5, digest: DIGEST }]],
    ['one good and one bad', [{ path: 'a', digest: DIGEST }, null]],
  ])('takes no digest from %s', (_name, pins) => {
    const entry = { _meta: { 'io.modelcontextprotocol.skills/file-digests': pins } };
    expect(fileDigests(entry)).toBeUndefined();
    expect(fileDigest(entry, 'a')).toBeUndefined();
  });

  it('tells an entry without supporting files from one that states nothing', () => {
    expect(fileDigests({})).toBeUndefined();
    expect(fileDigests({ _meta: { 'io.modelcontextprotocol.skills/file-digests': [] } })).toEqual([]);
  });
});

describe('a change notification', () => {
  const KEY = 'io.modelcontextprotocol.skills/paths-changed';

  it('names paths only when it has any', () => {
    expect(encodeListChanged({ version: 3 })).toEqual({ _meta: { [KEY]: { version: 3 } } });
    expect(encodeListChanged({ version: 3, paths: {} })).toEqual({ _meta: { [KEY]: { version: 3 } } });
    const paths = { 'a/SKILL.md': { action: 'deleted', timestamp: '2026-01-02T03:04:05.678Z' } };
    expect(JSON.stringify(encodeListChanged({ version: 3, paths }))).toBe(
      `{"_meta":{"${KEY}":{"paths":{"a/SKILL.md":{"action":"deleted","timestamp":"2026-01-02T03:04:05.678Z"}},"version":3}}}`,
    );
  });

  it.each([
    ['a fractional version', { version: 1.5 }],
    ['a version beyond what a number holds', { version: 2 ** 53 }],
    ['a version as text', { version: '1' }],
    ['paths as a list', { version: 1, paths: [] }],
    ['a path that is no object', { version: 1, paths: { a: 'x' } }],
    ['an action that is no text', { version: 1, paths: { a: { action: 1 } } }],
    ['a digest that is no text', { version: 1, paths: { a: { digest: 1 } } }],
    ...[
      '2026-02-30T00:00:00Z',
      '2026-01-01',
      '2026-01-01T00:00:00',
      '2026-01-01 00:00:00Z',
      '2026-01-01T24:00:00Z',
      '2026-01-01T00:00:60Z',
      '2026-13-01T00:00:00Z',
      '2026-01-01T00:00:00+0100',
      '2026-01-01T00:00:00.Z',
      5,
    ].map((timestamp) => [`the time ${timestamp}`, { version: 1, paths: { a: { timestamp } } }]),
  ] as [string, unknown][])('with %s says nothing', (_name, payload) => {
    expect(decodeListChanged({ _meta: { [KEY]: payload } })).toBeUndefined();
  });

  it.each(['2026-06-16T12:00:00Z', '2024-02-29T23:59:59.123456789+05:30', '2026-06-16T12:00:00-23:59'])(
    'takes the time %s',
    (timestamp) => {
      const payload = { version: 1, paths: { a: { timestamp } } };
      expect(decodeListChanged({ _meta: { [KEY]: payload } })).toEqual(payload);
    },
  );

  it('keeps a path of any name', () => {
    const params = JSON.parse(
      `{"_meta":{"${KEY}":{"version":1,"paths":{"__proto__":{"timestamp":"2026-01-01T00:00:00Z"}}}}}`,
    );
    expect(Object.entries(decodeListChanged(params)?.paths ?? {})).toEqual([
      ['__proto__', { timestamp: '2026-01-01T00:00:00Z' }],
    ]);
  });

  it('is decoded from what was encoded, over JSON too', () => {
    const entry = fc.record(
      {
        action: fc.constantFrom('modified', 'created', 'deleted'),
        timestamp: fc
          .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
          .map((date) => date.toISOString()),
        digest: fc.string({ minLength: 1 }),
      },
      { requiredKeys: ['timestamp'] },
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), entry, { minKeys: 1 }), fc.maxSafeNat(), (paths, version) => {
        const sent: unknown = JSON.parse(JSON.stringify(encodeListChanged({ paths, version })));
        expect(decodeListChanged(sent)).toEqual({ paths: { ...paths }, version });
      }),
    );
  });

  it('never throws, whatever comes', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (params, payload) => {
        decodeListChanged(params);
        decodeListChanged({ _meta: { [KEY]: payload } });
        fileDigests({ _meta: { 'io.modelcontextprotocol.skills/file-digests': payload } });
        const code = codeOf(() => validateIndex(payload));
        expect(code === undefined || /^[A-Z_]+$/.test(code)).toBe(true);
      }),
    );
  });
});
