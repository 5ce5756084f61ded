import {
  GetSkillRequestParamsSchema,
  GetSkillResultSchema,
  ListSkillsRequestParamsSchema,
  ListSkillsResultSchema,
  ReadResourceDirectoryRequestParamsSchema,
  ReadResourceDirectoryResultSchema,
} from '@modelcontextprotocol/core/ext/skills';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import {
  type GetSkillResult,
  getSkillParams,
  type ListSkillsResult,
  listSkillsParams,
  type ReadDirectoryResult,
  readDirectoryParams,
} from '../../src/wire/index.ts';
import { codeOf } from '../uri/code-of.ts';

const URI = 'skill://demo/SKILL.md';

describe('parameters', () => {
  test.each([
    [listSkillsParams, undefined, {}],
    [listSkillsParams, {}, {}],
    [listSkillsParams, { cursor: undefined }, {}],
    [listSkillsParams, { cursor: '' }, { cursor: '' }],
    [listSkillsParams, { cursor: 'c', _meta: { progressToken: 1 }, other: 1 }, { cursor: 'c' }],
    [getSkillParams, { uri: URI, cursor: 7 }, { uri: URI }],
    [readDirectoryParams, { uri: 'skill://demo' }, { uri: 'skill://demo' }],
    [readDirectoryParams, { uri: 'skill://demo', cursor: 'c' }, { uri: 'skill://demo', cursor: 'c' }],
  ])('%o reads %j', (read, params, expected) => {
    expect(read(params)).toStrictEqual(expected);
  });

  test.each([
    [listSkillsParams, null, 'INVALID_REQUEST'],
    [listSkillsParams, [], 'INVALID_REQUEST'],
    [listSkillsParams, 'x', 'INVALID_REQUEST'],
    [listSkillsParams, { cursor: null }, 'INVALID_CURSOR'],
    [listSkillsParams, { cursor: 7 }, 'INVALID_CURSOR'],
    [getSkillParams, undefined, 'INVALID_REQUEST'],
    [getSkillParams, {}, 'INVALID_REQUEST'],
    [getSkillParams, { uri: '' }, 'INVALID_REQUEST'],
    [getSkillParams, { uri: [URI] }, 'INVALID_REQUEST'],
    [getSkillParams, { uri: null }, 'INVALID_REQUEST'],
    [getSkillParams, Object.create({ uri: URI }), 'INVALID_REQUEST'],
    [readDirectoryParams, { cursor: 'c' }, 'INVALID_REQUEST'],
    [readDirectoryParams, { uri: URI, cursor: {} }, 'INVALID_CURSOR'],
  ])('%o refuses %j with %s', (read, params, code) => {
    expect(codeOf(() => read(params))).toBe(code);
  });

  test.each([
    ['skills/list', listSkillsParams, ListSkillsRequestParamsSchema],
    ['skills/get', getSkillParams, GetSkillRequestParamsSchema],
    ['resources/directory/read', readDirectoryParams, ReadResourceDirectoryRequestParamsSchema],
  ])('of %s are what the official schema takes', (_, read, schema) => {
    const params = fc.record(
      {
        uri: fc.oneof(fc.string({ minLength: 1 }), fc.anything()),
        cursor: fc.oneof(fc.string(), fc.anything()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(params, fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
        const plain = { ...value };
        fc.pre(plain.uri !== '' && !('_meta' in plain));
        const theirs = schema.safeParse(plain);
        try {
          expect(read(plain)).toEqual(JSON.parse(JSON.stringify(theirs.data)));
        } catch (error) {
          if (!isSkillError(error)) throw error;
          expect(theirs.success).toBe(false);
        }
      }),
    );
  });
});

describe('results, as typed here, satisfy the official schemas', () => {
  const modern = { resultType: 'complete', ttlMs: 5000, cacheScope: 'private' } as const;
  const skill = {
    uri: URI,
    frontmatter: { name: 'demo', description: 'd' },
    resources: [{ uri: URI, digest: `sha256:${'0'.repeat(64)}`, size: 1 }],
  };

  test('skills/list', () => {
    const result: ListSkillsResult = {
      ...modern,
      skills: [skill, { ...skill, resources: 'dynamic' }],
      nextCursor: 'c',
    };
    expect(ListSkillsResultSchema.parse(result)).toEqual(result);
  });

  test('skills/get', () => {
    const result: GetSkillResult = { ...modern, skill };
    expect(GetSkillResultSchema.parse(result)).toEqual(result);
  });

  test('resources/directory/read', () => {
    const result: ReadDirectoryResult = {
      ...modern,
      resources: [
        {
          uri: URI,
          name: 'demo',
          mimeType: 'text/markdown',
          description: 'd',
          size: 1,
          annotations: { audience: ['assistant'], priority: 0.5, lastModified: '2026-01-02T03:04:05Z' },
          _meta: { 'io.modelcontextprotocol.skills/license': 'MIT' },
        },
        { uri: 'skill://demo/references', name: 'references', mimeType: 'inode/directory' },
      ],
    };
    expect(ReadResourceDirectoryResultSchema.parse(result)).toEqual(result);
  });
});
