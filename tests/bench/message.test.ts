import { describe, expect, it } from 'vitest';
import { jobsFor } from '../../bench/jobs.ts';
import { httpMessage, jsonOf } from '../../bench/message.ts';

describe('requests of the harness', () => {
  it('have an envelope in the modern era alone', () => {
    const call = { method: 'skills/get', params: { uri: 'skill://a/SKILL.md' } };
    expect(JSON.parse(jsonOf(call, 7, 'legacy'))).toEqual({
      jsonrpc: '2.0',
      id: 7,
      method: 'skills/get',
      params: { uri: 'skill://a/SKILL.md' },
    });
    expect(JSON.parse(jsonOf(call, 7, 'modern')).params._meta).toEqual({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    });
  });

  it('name what is read in their headers, and count their bytes', () => {
    const uri = 'skill://a/ä.md';
    const text = httpMessage(
      'http://127.0.0.1:81/mcp',
      { method: 'resources/read', params: { uri } },
      1,
      't',
    ).toString();
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head.split('\r\n')).toEqual([
      'POST /mcp HTTP/1.1',
      'host: 127.0.0.1:81',
      'authorization: Bearer t',
      'content-type: application/json',
      'accept: application/json, text/event-stream',
      'accept-encoding: gzip, deflate',
      'mcp-protocol-version: 2026-07-28',
      'mcp-method: resources/read',
      `mcp-name: ${uri}`,
      `content-length: ${Buffer.byteLength(body)}`,
    ]);
  });

  it('ask for files that there are, the same ones each time, and for many different ones', () => {
    const [one, again] = [jobsFor(50), jobsFor(50)];
    expect(one).toEqual(again);
    const uris = one.flatMap(({ calls }) => calls.map(({ params }) => String(params.uri ?? '')));
    expect(uris.filter((uri) => uri !== '' && !/^skill:\/\/skill-0000[0-4]\d(\/|$)/.test(uri))).toEqual([]);
    const many = one.find(({ key }) => key === 'readMany')?.calls ?? [];
    expect(new Set(many.map(({ params }) => params.uri)).size).toBe(397);
  });
});
