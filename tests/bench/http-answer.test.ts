import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { answerBody, answerLength, answerText } from '../../bench/http-answer.ts';

const SIZED = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"result":{}}';
const CHUNKED =
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"res\r\n8\r\nult":{}}\r\n0\r\n\r\n';

describe('answers of servers', () => {
  it.each([
    ['with a length', SIZED],
    ['in chunks', CHUNKED],
  ])('%s are complete with their last byte', (_name, text) => {
    const whole = Buffer.from(text);
    expect(answerLength(whole)).toBe(whole.length);
    for (let at = 0; at < whole.length; at++) expect(answerLength(whole.subarray(0, at))).toBeUndefined();
    expect(answerText(whole)).toBe('{"result":{}}');
  });

  it('is read when it is compressed', () => {
    const body = gzipSync('{"result":{}}');
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${body.length}\r\n\r\n`;
    const whole = Buffer.concat([Buffer.from(head), body]);
    expect(answerLength(whole)).toBe(whole.length);
    expect(answerText(whole)).toBe('{"result":{}}');
    expect(answerBody(whole)).toEqual({ body, isGzip: true });
  });

  it('ends before what follows', () => {
    expect(answerLength(Buffer.from(`${SIZED}HTTP/1.1 200 OK\r\n`))).toBe(Buffer.byteLength(SIZED));
  });

  it.each([
    ['another status', 'HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\n{}'],
    ['an error', 'HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{"jsonrpc":"2.0","id":1,"error":{"code":1}}'],
    [
      'an error in chunks',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2b\r\n{"jsonrpc":"2.0","id":1,"error":{"code":1}}\r\n0\r\n\r\n',
    ],
  ])('%s does not count as an answer', (_name, text) => {
    expect(() => answerLength(Buffer.from(text))).toThrow('not an answer');
  });
});
