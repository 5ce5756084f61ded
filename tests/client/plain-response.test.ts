import { describe, expect, it } from 'vitest';
import { isPlainResponse, plainResponse } from '../../src/client/plain-response.ts';

const BYTES = Buffer.from('{"a":"ä"}');
const make = (): Response =>
  plainResponse(BYTES, {
    status: 200,
    statusText: 'OK',
    headers: new Headers({ 'content-type': 'application/json' }),
    url: 'http://x/mcp',
  });

describe('plainResponse', () => {
  it('is a response with a head', () => {
    const response = make();
    expect(response).toBeInstanceOf(Response);
    expect([response.status, response.ok, response.url, response.headers.get('content-type')]).toEqual([
      200,
      true,
      'http://x/mcp',
      'application/json',
    ]);
    expect([isPlainResponse(response), isPlainResponse(new Response('x'))]).toEqual([true, false]);
  });

  it.each<[string, (response: Response) => Promise<unknown>, unknown]>([
    ['json', (response) => response.json(), { a: 'ä' }],
    ['text', (response) => response.text(), '{"a":"ä"}'],
    ['arrayBuffer', async (response) => Buffer.from(await response.arrayBuffer()).toString(), '{"a":"ä"}'],
    ['blob', async (response) => (await response.blob()).text(), '{"a":"ä"}'],
    ['body', (response) => new Response(response.body).text(), '{"a":"ä"}'],
    ['clone', (response) => response.clone().json(), { a: 'ä' }],
  ])('gives its body by %s', async (_, read, wanted) => {
    expect(await read(make())).toEqual(wanted);
  });

  it('is read once', async () => {
    const response = make();
    expect(response.bodyUsed).toBe(false);
    await response.json();
    expect([response.bodyUsed, response.body]).toEqual([true, null]);
    for (const again of [() => response.text(), () => response.json(), () => response.arrayBuffer()])
      await expect(again()).rejects.toThrow(TypeError);
    expect(() => response.clone()).toThrow(TypeError);
  });

  it('is read after its clone, and after its stream was looked at', async () => {
    const response = make();
    expect(await response.clone().text()).toBe('{"a":"ä"}');
    expect(response.body?.locked).toBe(false);
    expect(await response.text()).toBe('{"a":"ä"}');
    expect(response.bodyUsed).toBe(true);
  });
});
