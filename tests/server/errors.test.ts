import { ProtocolError } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { SkillError } from '../../src/errors.ts';
import { toProtocolError } from '../../src/server/errors.ts';
import { recordingLogger } from './support.ts';

const URI = 'skill://pdf/SKILL.md';
const SECRET = '/home/alice/secret/skills';

describe('an error on its way to the wire', () => {
  it.each([
    ['RESOURCE_NOT_FOUND', -32602, 'text', { uri: URI }],
    ['FILE_NOT_FOUND', -32602, 'the source has no such file: "skill://pdf/SKILL.md"', { uri: URI }],
    ['PATH_TRAVERSAL', -32602, 'text', { uri: URI, code: 'PATH_TRAVERSAL' }],
    ['INVALID_CURSOR', -32602, 'text', { uri: URI, code: 'INVALID_CURSOR' }],
    ['URI_TOO_LONG', -32602, 'text', { code: 'URI_TOO_LONG' }],
    [
      'FILE_UNREADABLE',
      -32603,
      'the file cannot be read: "skill://pdf/SKILL.md"',
      { uri: URI, code: 'FILE_UNREADABLE' },
    ],
    [
      'SOURCE_UNREADABLE',
      -32603,
      'the source cannot be read: "skill://pdf/SKILL.md"',
      { uri: URI, code: 'SOURCE_UNREADABLE' },
    ],
    ['INTERNAL', -32603, 'a fault in Skillwire: "skill://pdf/SKILL.md"', { uri: URI, code: 'INTERNAL' }],
  ] as const)('%s', (code, rpc, message, data) => {
    const { logger } = recordingLogger();
    const error = toProtocolError(
      new SkillError(code, 'text'),
      { method: 'resources/read', uri: URI },
      logger,
    );
    expect(error).toBeInstanceOf(ProtocolError);
    expect({ code: error.code, message: error.message, data: error.data }).toEqual({
      code: rpc,
      message,
      data,
    });
  });

  it('carries limit and value, and nothing else of the details', () => {
    const { logger } = recordingLogger();
    const error = toProtocolError(
      new SkillError('RESPONSE_TOO_LARGE', 'text', {
        details: { limit: 5, actual: 6, path: SECRET, uri: URI },
      }),
      { method: 'skills/get' },
      logger,
    );
    expect(error.data).toEqual({ code: 'RESPONSE_TOO_LARGE', uri: URI, limit: 5, actual: 6 });
  });

  it.each([
    ['a plain error', new Error(`ENOENT: no such file, open '${SECRET}'`)],
    ['an error with a code', Object.assign(new Error(SECRET), { code: -32602, data: { path: SECRET } })],
    ['null', null],
    ['undefined', undefined],
    ['a string', SECRET],
    ['an object', { message: SECRET, code: 1 }],
    [
      'a skill error with the path of the source',
      new SkillError('SOURCE_NOT_FOUND', `${SECRET} does not exist`),
    ],
  ])('tells nothing about %s', (_name, thrown) => {
    const { logger, lines } = recordingLogger();
    const error = toProtocolError(thrown, { method: 'skills/list' }, logger);
    expect(error.code).toBe(-32603);
    expect(JSON.stringify([error.message, error.data])).not.toContain('alice');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.message).toBe('skills/list failed');
  });

  it('does not log what the client did wrong', () => {
    const { logger, lines } = recordingLogger();
    toProtocolError(new SkillError('RESOURCE_NOT_FOUND'), { method: 'resources/read', uri: URI }, logger);
    expect(lines).toEqual([]);
  });
});
