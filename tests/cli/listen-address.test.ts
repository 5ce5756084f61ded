import { describe, expect, it } from 'vitest';
import { parseListenAddress } from '../../src/cli/listen-address.ts';
import { isSkillError } from '../../src/errors.ts';

describe('parseListenAddress', () => {
  const good: readonly (readonly [string | true, string, number])[] = [
    [true, '127.0.0.1', 8750],
    ['0', '127.0.0.1', 0],
    ['9000', '127.0.0.1', 9000],
    ['0.0.0.0:80', '0.0.0.0', 80],
    ['localhost:0', 'localhost', 0],
    ['skills.example.org:8750', 'skills.example.org', 8750],
    ['[::1]:0', '::1', 0],
    ['[fe80::1%eth0]:8080', 'fe80::1%eth0', 8080],
    ['65535', '127.0.0.1', 65535],
  ];
  it.each(good)('reads %s', (value, host, port) => {
    expect(parseListenAddress(value)).toEqual({ host, port });
  });

  const bad: readonly (readonly [string, RegExp])[] = [
    ['./skills', /is a path/],
    ['skills/a', /is a path/],
    ['C:\\skills', /is a path/],
    ['.', /is a path/],
    ['src', /is a path/],
    ['65536', /ports end at 65535/],
    ['host:99999', /ports end at 65535/],
    ['localhost', /does not understand/],
    [':8080', /does not understand/],
    ['::1:80', /does not understand/],
    ['', /does not understand/],
    ['-1', /does not understand/],
    ['http:x', /does not understand/],
  ];
  it.each(bad)('refuses %s with a hint', (value, message) => {
    try {
      parseListenAddress(value);
      expect.unreachable();
    } catch (error) {
      if (!isSkillError(error, 'USAGE')) throw error;
      expect(error.message).toMatch(message);
      expect(error.details.hint).toEqual(expect.stringContaining('--http'));
    }
  });
});
