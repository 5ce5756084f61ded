import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  formatSkillUri,
  isIndexUri,
  manifestUri,
  type ParsedSkillUri,
  parseSkillUri,
  resolveRelative,
  skillRootUri,
  splitSkillUri,
} from '../../src/uri/index.ts';
import { codeOf } from './code-of.ts';

interface Case {
  readonly area: string;
  readonly name: string;
  readonly input: {
    readonly uri: string;
    readonly n: number;
    readonly base: string;
    readonly rel: string;
  };
  readonly expect: Readonly<Record<string, unknown>>;
}

const cases: readonly Case[] = JSON.parse(
  readFileSync(new URL('../vectors/uri.json', import.meta.url), 'utf8'),
);
const deviations = readFileSync(new URL('../../docs/reference/deviations.md', import.meta.url), 'utf8');

const refused = (error: string) => ({ error });

/** Our values where they differ, by area and name; each is a line in docs/reference/deviations.md. */
const OURS: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'uri-parse: double-encoded dotdot is decoded twice and rejected': {
    segments: ['foo', '%2e%2e', 'x'],
    string: 'skill://foo/%252e%252e/x',
  },
  'uri-parse: triple-encoded dotdot survives as a literal': {
    segments: ['foo', '%252e%252e', 'x'],
    string: 'skill://foo/%25252e%25252e/x',
  },
  'uri-parse: encoded dotdot in authority': refused('PATH_TRAVERSAL'),
  'uri-parse: double-encoded slash becomes one segment containing a slash': {
    segments: ['foo', 'a%2Fb.md'],
    string: 'skill://foo/a%252Fb.md',
  },
  'uri-parse: double-encoded traversal hidden in one segment is NOT caught': {
    segments: ['foo', '..%2f..%2fetc'],
    string: 'skill://foo/..%252f..%252fetc',
  },
  'uri-parse: backslash in segment is literal': refused('INVALID_SEGMENT'),
  'uri-parse: encoded backslash traversal not caught': refused('INVALID_SEGMENT'),
  'uri-parse: raw space in authority': refused('INVALID_SKILL_NAME'),
  'uri-parse: encoded space in authority': refused('INVALID_SKILL_NAME'),
  'uri-parse: %2525 gives a percent': {
    segments: ['foo', '100%25.md'],
    string: 'skill://foo/100%2525.md',
  },
  'uri-parse: NUL encoded': refused('INVALID_SEGMENT'),
  'uri-parse: query is silently dropped': refused('URI_PART_REFUSED'),
  'uri-parse: query holding traversal dropped': refused('URI_PART_REFUSED'),
  'uri-parse: empty query': refused('URI_PART_REFUSED'),
  'uri-parse: userinfo is silently dropped': refused('URI_PART_REFUSED'),
  'uri-parse: userinfo only at': refused('URI_PART_REFUSED'),
  'uri-parse: port makes name invalid': refused('URI_PART_REFUSED'),
  'uri-parse: empty port': refused('URI_PART_REFUSED'),
  'uri-parse: windows drive probe': refused('URI_PART_REFUSED'),
  'uri-parse: colon in path segment': { string: 'skill://foo/a%3Ab.md' },
  'uri-parse: at in path segment': { string: 'skill://foo/a%40b.md' },
  'uri-parse: semicolon and equals': { string: 'skill://foo/a%3Bb%3Dc.md' },
  'uri-resolve-relative: colon after dot slash': {
    string: 'skill://acme/billing/refunds/a%3Ab.md',
    raw: 'skill://acme/billing/refunds/a%3Ab.md',
  },
  'uri-resolve-relative: double-encoded dotdot': {
    skillPath: ['acme', 'billing', 'refunds'],
    filePath: ['%2e%2e', 'x'],
    string: 'skill://acme/billing/refunds/%252e%252e/x',
  },
  'uri-resolve-relative: backslash traversal': refused('INVALID_SEGMENT'),
  'uri-resolve-relative: backslash sep': refused('INVALID_SEGMENT'),
  'uri-resolve-relative: one-segment skill parent escape': refused('RELATIVE_ESCAPES_SKILL'),
  'uri-resolve-relative: one-segment clamp lands inside the same skill': refused('RELATIVE_ESCAPES_SKILL'),
};

function shown(uri: ParsedSkillUri): Record<string, unknown> {
  return {
    filePath: uri.filePath,
    isManifest: uri.isManifest,
    manifestURI: manifestUri(uri),
    raw: uri.raw,
    segments: uri.segments,
    skillName: uri.skillName,
    skillPath: uri.skillPath,
    skillRootURI: skillRootUri(uri),
    string: formatSkillUri(uri),
  };
}

const RUN: Readonly<Record<string, (input: Case['input']) => Record<string, unknown>>> = {
  'uri-parse': ({ uri }) => shown(parseSkillUri(uri)),
  'uri-splitAt': ({ uri, n }) => shown(splitSkillUri(uri, n)),
  'uri-resolve-relative': ({ base, rel }) => shown(resolveRelative(base, rel)),
  'uri-isIndex': ({ uri }) => ({ isIndex: isIndexUri(uri) }),
};

function outcome({ area, input }: Case): Record<string, unknown> {
  let value: Record<string, unknown> | undefined;
  const code = codeOf(() => {
    value = RUN[area]?.(input);
  });
  return value ?? { error: code };
}

describe('recorded cases of seed 000', () => {
  test.each(cases.map((c) => [`${c.area}: ${c.name}`, c] as const))('%s', (key, recorded) => {
    const ours = OURS[key];
    const seen = outcome(recorded);
    if (ours === undefined) {
      expect(seen).toMatchObject(recorded.expect);
      return;
    }
    expect(seen).toMatchObject(ours);
    expect(seen).not.toMatchObject(recorded.expect);
  });

  test('every area has its cases and every deviation is one of them', () => {
    expect(cases.length).toBe(146);
    const keys = new Set(cases.map((c) => `${c.area}: ${c.name}`));
    expect(Object.keys(OURS).filter((key) => !keys.has(key))).toEqual([]);
  });

  test.each(Object.keys(OURS).map((key) => [key.replace(/^[^:]*: /, '')]))(
    'deviations.md has a line for "%s"',
    (name) => {
      expect(deviations).toContain(`| ${name} |`);
    },
  );
});
