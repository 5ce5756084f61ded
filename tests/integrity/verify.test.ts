import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SkillError } from '../../src/errors.ts';
import type { JsonObject } from '../../src/format/json.ts';
import {
  buildEntry,
  compareFrontmatter,
  type SkillEntry,
  verifyBytes,
  verifyFrontmatter,
} from '../../src/integrity/index.ts';
import { codeOf } from '../uri/code-of.ts';

const X = 'sha256:2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881';
const ZERO = `sha256:${'0'.repeat(64)}`;

function failure(run: () => unknown): SkillError {
  try {
    run();
  } catch (error) {
    if (error instanceof SkillError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

describe('verifyBytes', () => {
  const uri = 'skill://demo/x';

  test('is silent for the right bytes', () => {
    expect(verifyBytes({ uri, digest: X, size: 1 }, Buffer.from('x'))).toBeUndefined();
  });

  test.each([
    [{ uri, digest: ZERO, size: 2 }, 'SIZE_MISMATCH'],
    [{ uri, digest: X, size: 0 }, 'SIZE_MISMATCH'],
    [{ uri, digest: ZERO, size: 1 }, 'DIGEST_MISMATCH'],
    [{ uri, digest: '', size: 1 }, 'DIGEST_MISMATCH'],
    [{ uri, digest: 'md5:9dd4e461268c8034f5c8564e155c67a6', size: 1 }, 'DIGEST_MISMATCH'],
  ])('%j: %s', (resource, code) => {
    expect(codeOf(() => verifyBytes(resource, Buffer.from('x')))).toBe(code);
  });

  test('says what was expected and what came', () => {
    expect(failure(() => verifyBytes({ uri, digest: ZERO, size: 1 }, Buffer.from('x')))).toMatchObject({
      message: `"skill://demo/x" has the digest ${X}, not "${ZERO}"; its content must not be used`,
      details: { uri, expected: ZERO, actual: X },
      exitCode: 4,
    });
    expect(failure(() => verifyBytes({ uri, digest: X, size: 2 }, Buffer.from('x')))).toMatchObject({
      message: '"skill://demo/x" has 1 bytes, not 2; its content must not be used',
      details: { uri, expected: 2, actual: 1 },
    });
  });

  test('never hashes what has the wrong size', () => {
    const bytes = new Proxy(new Uint8Array(3), {
      get(target, key) {
        if (key !== 'byteLength') throw new Error(`read ${String(key)}`);
        return target.byteLength;
      },
    });
    expect(codeOf(() => verifyBytes({ uri, digest: X, size: 1 }, bytes))).toBe('SIZE_MISMATCH');
  });
});

describe('compareFrontmatter', () => {
  test.each<[JsonObject, JsonObject, string[]]>([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1 }, { a: '1' }, ['a']],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, []],
    [{ a: 1 }, {}, ['a']],
    [{}, { a: null }, ['a']],
    [{ a: null }, { a: null }, []],
    [{ a: null }, { a: false }, ['a']],
    [{ a: {} }, { a: [] }, ['a']],
    [{ a: [] }, { a: {} }, ['a']],
    [{ a: [1, 2] }, { a: [2, 1] }, ['a']],
    [{ a: [1] }, { a: [1, null] }, ['a']],
    [{ a: { b: { c: [true] } } }, { a: { b: { c: [true] } } }, []],
    [{ a: { b: 1 } }, { a: { b: 1, c: 2 } }, ['a']],
    [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, ['a']],
    [{ a: { toString: 'x' } }, { a: {} }, ['a']],
    [{ z: 1, a: 1, m: 1 }, { z: 2, a: 2, m: 1 }, ['a', 'z']],
    [{ toString: 'x' }, {}, ['toString']],
    [{ a: 'é' }, { a: 'e\u0301' }, ['a']],
  ])('%j and %j differ in %j', (frontmatter, parsed, fields) => {
    expect(compareFrontmatter({ frontmatter }, parsed)).toEqual(fields);
    expect(compareFrontmatter({ frontmatter: parsed }, frontmatter)).toEqual(fields);
  });

  test('sees an own __proto__ as a field', () => {
    const hidden: JsonObject = JSON.parse('{"__proto__":{"name":"x"}}');
    expect(compareFrontmatter({ frontmatter: hidden }, {})).toEqual(['__proto__']);
  });

  test('finds no difference between a value and its copy, whatever the order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const copy = JSON.parse(JSON.stringify(value));
        const turned = Object.fromEntries(Object.entries(copy).reverse());
        const plain = JSON.parse(JSON.stringify(value)) as JsonObject;
        expect(compareFrontmatter({ frontmatter: plain }, turned as JsonObject)).toEqual([]);
      }),
    );
  });
});

describe('verifyFrontmatter', () => {
  const entry: SkillEntry = {
    uri: 'skill://demo/SKILL.md',
    frontmatter: { name: 'demo', description: 'Does a thing.', metadata: { updated: '2026-03-05' } },
    resources: 'dynamic',
  };
  const file = (head: string) => Buffer.from(`---\n${head}---\n\n# Demo\n`);

  test('is silent when every field is the same, in any order, CRLF and BOM aside', () => {
    const head = 'metadata:\n  updated: 2026-03-05\ndescription: Does a thing.\nname: demo\n';
    expect(verifyFrontmatter(entry, file(head))).toBeUndefined();
    const windows = Buffer.from(`\ufeff${file(head).toString().replaceAll('\n', '\r\n')}`);
    expect(verifyFrontmatter(entry, windows)).toBeUndefined();
  });

  test.each([
    ['name: demo\ndescription: EVIL\nmetadata:\n  updated: 2026-03-05\n', ['description']],
    ['name: demo\ndescription: Does a thing.\n', ['metadata']],
    ['name: demo\ndescription: Does a thing.\nmetadata:\n  updated: 2026-03-05\nhooks: x\n', ['hooks']],
    ['name: demo2\ndescription: x\n', ['description', 'metadata', 'name']],
  ])('%j differs in %j', (head, fields) => {
    const error = failure(() => verifyFrontmatter(entry, file(head)));
    expect(error.code).toBe('FRONTMATTER_MISMATCH');
    expect(error.details).toEqual({ uri: 'skill://demo/SKILL.md', fields });
    for (const field of fields) expect(error.message).toContain(`"${field}"`);
  });

  test('names ten fields and counts the rest', () => {
    const many = Array.from({ length: 12 }, (_, index) => `k${String(index).padStart(2, '0')}: 1\n`).join('');
    const head = `name: demo\ndescription: Does a thing.\nmetadata:\n  updated: 2026-03-05\n${many}`;
    const error = failure(() => verifyFrontmatter(entry, file(head)));
    expect(error.message).toContain('"k09" and 2 more');
    expect(error.message).not.toContain('"k10"');
  });

  test.each([
    [Buffer.from('no frontmatter'), 'MISSING_FRONTMATTER'],
    [file('name: a: b\n'), 'INVALID_YAML'],
    [Buffer.from([0xff]), 'NOT_UTF8'],
  ])('bytes without readable frontmatter are a mismatch too: %s', (bytes, cause) => {
    const error = failure(() => verifyFrontmatter(entry, bytes));
    expect(error.code).toBe('FRONTMATTER_MISMATCH');
    expect(error.details).toEqual({ uri: 'skill://demo/SKILL.md', fields: [] });
    expect((error.cause as SkillError).code).toBe(cause);
  });
});

describe('buildEntry', () => {
  const uri = 'skill://demo/SKILL.md';
  const frontmatter = { name: 'demo', description: 'd' };
  const files = [
    { uri, digest: X, size: 1, mimeType: 'text/markdown' },
    { uri: 'skill://demo/a', digest: ZERO, size: 0, mimeType: 'text/plain' },
  ];

  test('has exactly the published fields', () => {
    expect(buildEntry({ uri, frontmatter, files, dynamic: false })).toStrictEqual({
      uri,
      frontmatter,
      resources: [
        { uri, digest: X, size: 1 },
        { uri: 'skill://demo/a', digest: ZERO, size: 0 },
      ],
    });
  });

  test('is dynamic when the skill is, or when a file has no digest', () => {
    expect(buildEntry({ uri, frontmatter, files, dynamic: true }).resources).toBe('dynamic');
    const some = [...files, { uri: 'skill://demo/b', size: 0 }];
    expect(buildEntry({ uri, frontmatter, files: some, dynamic: false }).resources).toBe('dynamic');
  });
});
