import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import { decodeCursor, encodeCursor } from '../../src/wire/index.ts';
import { codeOf } from '../uri/code-of.ts';

const KEY = 'skill://demo/SKILL.md';
const DIRECTORY = 'directory skill://demo/references';

describe('a cursor', () => {
  test('is this text for this list and key: replicas and restarts agree', () => {
    expect(encodeCursor('skills', KEY)).toBe('7UJH9QRMc2tpbGxzCnNraWxsOi8vZGVtby9TS0lMTC5tZA');
    expect(decodeCursor('skills', '7UJH9QRMc2tpbGxzCnNraWxsOi8vZGVtby9TS0lMTC5tZA')).toBe(KEY);
  });

  test('comes back for every key', () => {
    const wellFormed = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(wellFormed, wellFormed, (name, key) => {
        const list = name.replaceAll('\n', ' ');
        const cursor = encodeCursor(list, key);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(list, cursor)).toBe(key);
      }),
    );
  });

  test('carries the longest URIs', () => {
    const uri = `skill://d/${'a'.repeat(8182)}`;
    expect(decodeCursor(`directory ${uri}`, encodeCursor(`directory ${uri}`, uri))).toBe(uri);
  });

  test.each([
    ['', KEY],
    ['skills', ''],
    ['a\nb', KEY],
    ['skills', '\ud800'],
    ['skills', 'x'.repeat(20_000)],
  ])('is not made for list %j and a key that could not come back', (list, key) => {
    expect(codeOf(() => encodeCursor(list, key))).toBe('INTERNAL');
  });
});

describe('decodeCursor refuses', () => {
  const good = encodeCursor('skills', KEY);
  const raw = (text: string) => Buffer.from(text).toString('base64url');

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 7],
    ['an object', { toString: () => good }],
    ['empty text', ''],
    ['an offset', '10'],
    ['an offset in base64', raw('10')],
    ['a bare key', raw(KEY)],
    ['a payload without check', raw(`skills\n${KEY}`)],
    ['a check alone', good.slice(0, 8)],
    ['padding', `${good}=`],
    ['a space after it', `${good} `],
    ['a line feed after it', `${good}\n`],
    ['standard base64', 'ab+/'],
    ['text that is not ASCII', `${good}é`],
    ['a cut cursor', good.slice(0, -4)],
    ['a cursor twice', good + good],
    ['too much of it', 'A'.repeat(1_000_000)],
    ['a cursor of another list', encodeCursor('resources', KEY)],
    ['a cursor of a directory', encodeCursor(DIRECTORY, KEY)],
    ['a cursor of a list with a longer name', encodeCursor('skills2', KEY)],
  ])('%s', (_, cursor) => {
    expect(codeOf(() => decodeCursor('skills', cursor))).toBe('INVALID_CURSOR');
  });

  test('a cursor of another directory', () => {
    const cursor = encodeCursor(DIRECTORY, 'skill://demo/references/a.md');
    expect(codeOf(() => decodeCursor('directory skill://demo/scripts', cursor))).toBe('INVALID_CURSOR');
  });

  test('every change of one character', () => {
    for (let index = 0; index < good.length; index++) {
      for (const char of 'AZaz09-_') {
        const changed = good.slice(0, index) + char + good.slice(index + 1);
        if (changed === good) continue;
        expect(codeOf(() => decodeCursor('skills', changed))).toBe('INVALID_CURSOR');
      }
    }
  });

  test('with nothing but SkillError, whatever comes', () => {
    const noise = fc.oneof(
      fc.anything(),
      fc.string(),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64url')),
    );
    fc.assert(
      fc.property(noise, (cursor) => {
        try {
          decodeCursor('skills', cursor);
          expect.unreachable();
        } catch (error) {
          expect(isSkillError(error, 'INVALID_CURSOR')).toBe(true);
        }
      }),
    );
  });
});
