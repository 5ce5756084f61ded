import { describe, expect, it } from 'vitest';
import { type CliLoggerOptions, createLogger } from '../../src/cli/log.ts';

function lines(
  options: Partial<CliLoggerOptions>,
  use: (logger: ReturnType<typeof createLogger>) => void,
): string[] {
  const written: string[] = [];
  use(createLogger({ write: (line) => written.push(line), now: () => new Date(0), ...options }));
  return written;
}

describe('createLogger', () => {
  it('drops what is below its level', () => {
    expect(
      lines({ level: 'warn' }, (logger) => {
        logger.debug('a');
        logger.info('b');
        logger.warn('c');
        logger.error('d');
      }),
    ).toEqual(['skillwire: warn: c', 'skillwire: error: d']);
  });

  it('writes facts as key=value', () => {
    expect(
      lines({}, (logger) =>
        logger.info('read', { uri: 'skill://a/SKILL.md', size: 3, name: 'a b', list: [1] }),
      ),
    ).toEqual(['skillwire: info: read uri=skill://a/SKILL.md size=3 name="a b" list=[1]']);
  });

  it('writes one JSON object a line', () => {
    const [line = ''] = lines({ format: 'json' }, (logger) =>
      logger.error('no', { error: new Error('why\nso'), n: 3n }),
    );
    expect(JSON.parse(line)).toEqual({
      time: '1970-01-01T00:00:00.000Z',
      level: 'error',
      message: 'no',
      error: 'why\nso',
      n: '3',
    });
    expect(line).not.toContain('\n');
  });

  it.each(['text', 'json'] as const)('never writes a credential as %s', (format) => {
    const [line = ''] = lines({ format, secrets: ['s3"cret', ''] }, (logger) =>
      logger.warn('got s3"cret', {
        authorization: 'Bearer other',
        deep: { cookie: 'yes', list: ['x s3"cret y'] },
        apiKey: 'k',
        path: '/s3"cret',
      }),
    );
    for (const hidden of ['s3', 'cret', 'Bearer', 'yes', '"k"', '=k']) expect(line).not.toContain(hidden);
    expect(line).toContain('[hidden]');
  });

  it('shows where a fault happened only to who asked for everything', () => {
    const fault = 'Error: why\n    at f (/secret/place.js:1:2)\n    at g';
    const say = (level: 'info' | 'debug'): string =>
      lines({ level }, (logger) => logger.error('no', { error: fault })).join('');
    expect(say('info')).toBe('skillwire: error: no error="Error: why"');
    expect(say('debug')).toContain('place.js');
  });

  it('keeps one call on one line and out of the terminal', () => {
    expect(lines({}, (logger) => logger.warn('a\nb', { c: '\u001b[2J' }))).toEqual([
      'skillwire: warn: a\\u{a}b c=\\u{1b}[2J',
    ]);
  });
});
