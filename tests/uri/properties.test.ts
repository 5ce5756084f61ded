import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import { nameProblem } from '../../src/format/name.ts';
import {
  canonicalUri,
  encodeSegment,
  formatSkillUri,
  isAddressableName,
  parseSkillUri,
  resolveRelative,
  splitSkillUri,
  uriFromSegments,
} from '../../src/uri/index.ts';

const RUNS = { numRuns: 3000 };
const anyUnit = fc.string({ unit: 'binary', maxLength: 40 });
const loose = fc
  .array(
    fc.constantFrom(
      '%',
      '2e',
      '.',
      '..',
      '/',
      '\\',
      'a',
      'é',
      '%2F',
      '%5c',
      ':',
      '@',
      '?',
      '#',
      ' ',
      '\0',
      'SKILL.md',
      '\ud800',
      'skill://',
      'C:',
    ),
  )
  .map((parts) => parts.join(''));
const hostile = fc.oneof(anyUnit, loose, fc.string());
const name = fc.oneof(anyUnit, fc.string({ minLength: 1 })).filter(isAddressableName);
const segments = fc.array(name, { minLength: 1, maxLength: 6 });

/** Runs `run`; lets only what is no SkillError through. */
function tolerant<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    if (isSkillError(error)) return undefined;
    throw error;
  }
}

describe('properties', () => {
  test('parse undoes format for every list of names', () => {
    fc.assert(
      fc.property(segments, (names) => {
        const text = uriFromSegments(names);
        const parsed = parseSkillUri(text, { nested: true });
        expect(parsed.segments).toEqual(names);
        expect(text).toMatch(/^skill:\/\/(?:[A-Za-z0-9\-._~/]|%[0-9A-F]{2})+$/);
        expect(canonicalUri(text)).toBe(text);
      }),
      RUNS,
    );
  });

  test('canonicalUri is idempotent, agrees with formatSkillUri, and throws nothing but SkillError', () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), (text, anyScheme) => {
        for (const uri of [text, `skill://${text}`, `x:/${text}`]) {
          const canonical = tolerant(() => canonicalUri(uri, { anyScheme }));
          if (canonical === undefined) continue;
          expect(canonicalUri(canonical, { anyScheme })).toBe(canonical);
          const parsed = tolerant(() => parseSkillUri(uri, { anyScheme, nested: true }));
          if (parsed !== undefined) expect(formatSkillUri(parsed)).toBe(canonical.replace(/\/$/, ''));
        }
      }),
      RUNS,
    );
  });

  test('the letters of the scheme, which decide how the text is read, never decide what it means', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const seen = ['skill', 'SKILL'].map((scheme) => {
          try {
            return canonicalUri(`${scheme}://demo/${text}`);
          } catch (error) {
            return isSkillError(error) ? error.code : error;
          }
        });
        expect(seen[0]).toBe(seen[1]);
      }),
      RUNS,
    );
  });

  test('a name that the naming rule accepts is one that a URI accepts, and the other way round', () => {
    const letters = fc.string({
      unit: fc.constantFrom('a', 'z', '0', '9', '-', '_', 'A', 'é', '.'),
      maxLength: 12,
    });
    fc.assert(
      fc.property(letters.filter(isAddressableName), (skill) => {
        const parsed = tolerant(() => parseSkillUri(uriFromSegments([skill, 'SKILL.md'])));
        expect(parsed !== undefined).toBe(nameProblem(skill) === undefined);
      }),
      RUNS,
    );
  });

  test('what parses has only addressable names and formats to what parses to the same', () => {
    fc.assert(
      fc.property(hostile, fc.boolean(), fc.boolean(), (text, nested, anyScheme) => {
        const options = { nested, anyScheme };
        for (const uri of [text, `skill://${text}`, `skill://demo/${text}`]) {
          const parsed = tolerant(() => parseSkillUri(uri, options));
          if (parsed === undefined) continue;
          expect(parsed.segments.every(isAddressableName)).toBe(true);
          expect(parseSkillUri(formatSkillUri(parsed), options).segments).toEqual(parsed.segments);
        }
      }),
      RUNS,
    );
  });

  test('resolveRelative never leaves the skill', () => {
    const roots = fc.constantFrom(
      'skill://demo/SKILL.md',
      'skill://acme/billing/refunds/SKILL.md',
      'file:///srv/demo/SKILL.md',
    );
    fc.assert(
      fc.property(roots, hostile, fc.boolean(), (root, ref, nested) => {
        const options = { anyScheme: true, nested };
        const found = tolerant(() => resolveRelative(root, ref, options));
        if (found === undefined) return;
        const text = formatSkillUri(found);
        const folder = root.slice(0, -'SKILL.md'.length);
        expect(text.startsWith(folder)).toBe(true);
        expect(text.length).toBeGreaterThan(folder.length);
        expect(new URL(text).href).toBe(text);
        expect(decodeURIComponent(text.slice(folder.length)).split('/')).not.toContain('..');
      }),
      RUNS,
    );
  });

  test('a plain reference to any file of a skill finds that file', () => {
    fc.assert(
      fc.property(segments, (names) => {
        const ref = `./${names.map(encodeSegment).join('/')}`;
        expect(resolveRelative('skill://demo/SKILL.md', ref, { nested: true }).filePath).toEqual(names);
      }),
      RUNS,
    );
  });

  test('splitSkillUri keeps every name and throws nothing but SkillError', () => {
    fc.assert(
      fc.property(
        segments,
        fc.oneof(fc.integer({ min: -1, max: 7 }), fc.double()),
        fc.boolean(),
        (names, n, nested) => {
          const uri = uriFromSegments(names);
          const split = tolerant(() => splitSkillUri(uri, n, { nested }));
          if (split === undefined) return;
          expect(split.skillPath).toHaveLength(n);
          expect([...split.skillPath, ...split.filePath]).toEqual(names);
        },
      ),
      RUNS,
    );
  });
});
