import { createServer, type IncomingHttpHeaders } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { mayBecomePlain, plainHead } from '../../src/http/plain-head.ts';

const LINE = 'POST /mcp HTTP/1.1';
const HOST = 'Host: 127.0.0.1:8750';
const TYPE = 'Content-Type: application/json';
const LENGTH = 'Content-Length: 5';

function head(...lines: string[]): string {
  return lines.join('\r\n');
}

/** A head that is plain but for the lines given. */
function withLines(...lines: string[]): string {
  return head(LINE, HOST, TYPE, LENGTH, ...lines);
}

const PLAIN = { host: '127.0.0.1:8750', 'content-type': 'application/json', 'content-length': '5' };

describe('the plain head of a request', () => {
  it.each<[string, string, Record<string, string>, number]>([
    ['with the least that it needs', withLines(), PLAIN, 5],
    [
      'in any order, names in any case',
      head(LINE, 'CONTENT-LENGTH: 5', 'content-type: application/json', 'hOST: 127.0.0.1:8750'),
      PLAIN,
      5,
    ],
    [
      'without blanks behind colons',
      head(LINE, 'Host:127.0.0.1:8750', 'Content-Type:application/json', 'Content-Length:5'),
      PLAIN,
      5,
    ],
    ['kept in so many words', withLines('Connection: Keep-Alive'), { ...PLAIN, connection: 'Keep-Alive' }, 5],
    [
      'with blanks, commas and colons within a value',
      withLines('Accept: application/json, text/event-stream', 'User-Agent: a b  c; d="e:f"'),
      { ...PLAIN, accept: 'application/json, text/event-stream', 'user-agent': 'a b  c; d="e:f"' },
      5,
    ],
    [
      'with every character that a name may have',
      withLines("!#$%&'*+-.^_`|~09azAZ: x"),
      { ...PLAIN, "!#$%&'*+-.^_`|~09azaz": 'x' },
      5,
    ],
    [
      'with names that objects have',
      withLines('constructor: a', 'toString: b', 'hasOwnProperty: c'),
      { ...PLAIN, constructor: 'a', tostring: 'b', hasownproperty: 'c' },
      5,
    ],
    ['of no body', head(LINE, HOST, TYPE, 'Content-Length: 0'), { ...PLAIN, 'content-length': '0' }, 0],
    [
      'of the longest body that can be said',
      head(LINE, HOST, TYPE, 'Content-Length: 999999999'),
      { ...PLAIN, 'content-length': '999999999' },
      999_999_999,
    ],
    [
      'as long as it may be',
      withLines(`X: ${'x'.repeat(8_192 - withLines('X: ').length)}`),
      { ...PLAIN, x: 'x'.repeat(8_192 - withLines('X: ').length) },
      5,
    ],
    [
      'of a hundred lines',
      withLines(...Array.from({ length: 97 }, (_, index) => `x${index}: 1`)),
      { ...PLAIN, ...Object.fromEntries(Array.from({ length: 97 }, (_, index) => [`x${index}`, '1'])) },
      5,
    ],
  ])('is read %s', (_what, text, headers, length) => {
    const read = plainHead(text);
    expect({ ...read?.headers }).toEqual(headers);
    expect(read?.length).toBe(length);
  });

  it.each<[string, string]>([
    // The request line.
    ['nothing', ''],
    ['no header at all', LINE],
    ['no header but an end of line', `${LINE}\r\n`],
    ['another method', withLines().replace('POST', 'GET')],
    ['a method in lower case', withLines().replace('POST', 'post')],
    ['a longer method', withLines().replace('POST', 'POSTS')],
    ['HTTP/1.0', withLines().replace('1.1', '1.0')],
    ['HTTP/2.0', withLines().replace('1.1', '2.0')],
    ['HTTP/1.10', withLines().replace('1.1', '1.10')],
    ['no version', withLines().replace(' HTTP/1.1', '')],
    ['the protocol in lower case', withLines().replace('HTTP', 'http')],
    ['two blanks before the path', withLines().replace('POST ', 'POST  ')],
    ['a tab before the path', withLines().replace('POST ', 'POST\t')],
    ['two blanks before the version', withLines().replace(' HTTP', '  HTTP')],
    ['a blank behind the version', withLines().replace('1.1', '1.1 ')],
    ['a blank before the method', ` ${withLines()}`],
    ['an empty line before', `\r\n${withLines()}`],
    ['a query', withLines().replace('/mcp', '/mcp?x')],
    ['an empty query', withLines().replace('/mcp', '/mcp?')],
    ['a fragment', withLines().replace('/mcp', '/mcp#x')],
    ['a path below', withLines().replace('/mcp', '/mcp/')],
    ['a longer path', withLines().replace('/mcp', '/mcpx')],
    ['an encoded path', withLines().replace('/mcp', '/%6dcp')],
    ['two slashes', withLines().replace('/mcp', '//mcp')],
    ['a path with dots', withLines().replace('/mcp', '/./mcp')],
    ['a target in absolute form', withLines().replace('/mcp', 'http://127.0.0.1:8750/mcp')],
    ['a target in asterisk form', withLines().replace('/mcp', '*')],
    // How long the body is.
    ['no length', head(LINE, HOST, TYPE)],
    ['a chunked body', head(LINE, HOST, TYPE, 'Transfer-Encoding: chunked')],
    ['CL.TE', withLines('Transfer-Encoding: chunked')],
    ['TE.CL', head(LINE, HOST, TYPE, 'Transfer-Encoding: chunked', LENGTH)],
    ['CL.TE in other letters', withLines('tRANSFER-eNCODING: chunked')],
    ['an identity transfer encoding', withLines('Transfer-Encoding: identity')],
    ['an unknown transfer encoding', withLines('Transfer-Encoding: xchunked')],
    ['a transfer encoding behind a blank', withLines('Transfer-Encoding : chunked')],
    ['a transfer encoding behind a tab', withLines('Transfer-Encoding:\tchunked')],
    ['a transfer encoding behind a vertical tab', withLines('Transfer-Encoding:\x0bchunked')],
    ['a transfer encoding on a folded line', withLines('X: y', ' Transfer-Encoding: chunked')],
    ['a transfer encoding behind a bare LF', withLines('X: y\nTransfer-Encoding: chunked')],
    ['a transfer encoding behind a bare CR', withLines('X: y\rTransfer-Encoding: chunked')],
    ['a transfer encoding behind a NUL', withLines('X: y\0Transfer-Encoding: chunked')],
    ['two lengths', withLines('Content-Length: 6')],
    ['the same length twice', withLines(LENGTH)],
    ['the same length in other letters', withLines('content-length: 5')],
    ...[
      '+5',
      '-5',
      '-0',
      '05',
      '00',
      '5, 5',
      '5,5',
      '5 5',
      '5;',
      '5.0',
      '5e0',
      '0x5',
      '5_',
      '1_0',
      '٥',
      '½',
      '',
      ' ',
      '5\0',
      '1000000000',
      '99999999999999999999',
      'Infinity',
      'five',
      '"5"',
    ].map((value): [string, string] => [
      `the length ${JSON.stringify(value)}`,
      head(LINE, HOST, TYPE, `Content-Length: ${value}`),
    ]),
    ['a blank before the colon of the length', head(LINE, HOST, TYPE, 'Content-Length : 5')],
    ['a tab before the length', head(LINE, HOST, TYPE, 'Content-Length:\t5')],
    ['a blank behind the length', head(LINE, HOST, TYPE, 'Content-Length: 5 ')],
    ['two blanks before the length', head(LINE, HOST, TYPE, 'Content-Length:  5')],
    ['a length on a folded line', head(LINE, HOST, TYPE, 'Content-Length:', ' 5')],
    // What else says that a message is another one.
    ['a connection that is to be closed', withLines('Connection: close')],
    ['several connection options', withLines('Connection: keep-alive, close')],
    ['a connection option twice', withLines('Connection: keep-alive, keep-alive')],
    ['a connection that drops a header', withLines('Connection: host')],
    ['an upgrade', withLines('Connection: upgrade', 'Upgrade: h2c')],
    ['an upgrade without its connection', withLines('Upgrade: websocket')],
    ['a proxy that closes', withLines('Proxy-Connection: close')],
    ['a proxy that keeps', withLines('Proxy-Connection: keep-alive')],
    ['an expectation', withLines('Expect: 100-continue')],
    ['an expectation that nobody knows', withLines('Expect: x')],
    ['trailers', withLines('Trailer: x')],
    ['an encoded body', withLines('Content-Encoding: gzip')],
    ['a body said not to be encoded', withLines('Content-Encoding: identity')],
    ['a session', withLines('Mcp-Session-Id: x')],
    ['no content type', head(LINE, HOST, LENGTH)],
    ['another content type', head(LINE, HOST, 'Content-Type: text/plain', LENGTH)],
    [
      'a content type with parameters',
      head(LINE, HOST, 'Content-Type: application/json; charset=utf-8', LENGTH),
    ],
    ['a content type in other letters', head(LINE, HOST, 'Content-Type: Application/JSON', LENGTH)],
    // Names and values.
    ['no host', head(LINE, TYPE, LENGTH)],
    ['an empty host', head(LINE, 'Host:', TYPE, LENGTH)],
    ['a host of blanks', head(LINE, 'Host:  ', TYPE, LENGTH)],
    ['two hosts', withLines('Host: evil.example')],
    ['the same host twice', withLines(HOST)],
    ['a name twice', withLines('X: 1', 'x: 2')],
    ['two tokens', withLines('Authorization: Bearer a', 'Authorization: Bearer b')],
    ['a prototype', withLines('__proto__: x')],
    ['an empty value', withLines('X:')],
    ['an empty value behind a blank', withLines('X: ')],
    ['a value of a tab', withLines('X: \t')],
    ['a tab within a value', withLines('X: a\tb')],
    ['a blank behind a value', withLines('X: a ')],
    ['two blanks before a value', withLines('X:  a')],
    ['a blank before a colon', withLines('X : a')],
    ['no colon', withLines('X')],
    ['no name', withLines(': a')],
    ['a blank within a name', withLines('X Y: a')],
    ['a name in brackets', withLines('[X]: a')],
    ['a name in quotes', withLines('"X": a')],
    ['a name that is not ASCII', withLines('Xé: a')],
    ['a folded line', withLines('X: a', ' b')],
    ['a line folded with a tab', withLines('X: a', '\tb')],
    ['a folded first line', head(LINE, ` ${HOST}`, HOST, TYPE, LENGTH)],
    ['a bare LF in a value', withLines('X: a\nY: b')],
    ['a bare CR in a value', withLines('X: a\rY: b')],
    ['a bare LF at the end', `${withLines()}\n`],
    ['a bare CR at the end', `${withLines()}\r`],
    ['CR CR LF', withLines('X: a\r')],
    ['lines that end in LF', withLines().replaceAll('\r\n', '\n')],
    ['lines that end in CR', withLines().replaceAll('\r\n', '\r')],
    ['one line that ends in LF', withLines().replace('8750\r\n', '8750\n')],
    ['a NUL in a value', withLines('X: a\0b')],
    ['a NUL in a name', withLines('X\0: a')],
    ['a DEL', withLines('X: a\x7f')],
    ['a bell', withLines('X: a\x07b')],
    ['text that is not ASCII', withLines('X: é')],
    ['a no-break space at the end of a value', withLines('X: a\xa0')],
    ['a next line', withLines('X: a\x85b')],
    ['an empty line', head(LINE, HOST, '', TYPE, LENGTH)],
    ['an end of line too many', `${withLines()}\r\n`],
    // Too much.
    ['a head a byte too long', withLines(`X: ${'x'.repeat(8_193 - withLines('X: ').length)}`)],
    ['a line too many', withLines(...Array.from({ length: 98 }, (_, index) => `x${index}: 1`))],
    ['more lines than Node reads', withLines(...Array.from({ length: 1_000 }, (_, index) => `${index}:1`))],
  ])('is not %s', (_what, text) => {
    expect(plainHead(text)).toBeUndefined();
  });

  it('is not any head with a character that Node or a proxy may read in another way, wherever it stands', () => {
    const text = withLines('X-Name: some value');
    const odd = [...Array(32).keys(), ...Array.from({ length: 129 }, (_, index) => 127 + index)];
    for (const code of odd)
      for (let at = 0; at <= text.length; at += 1) {
        const broken = text.slice(0, at) + String.fromCharCode(code) + text.slice(at);
        if (plainHead(broken) !== undefined) expect.fail(`${JSON.stringify(broken)} is taken for plain`);
      }
  });

  it('holds what Node reads from it, whatever else is accepted', async () => {
    const node = await nodeReader();
    const character = fc.oneof(
      { weight: 150, arbitrary: fc.integer({ min: 0x21, max: 0x7e }) },
      { weight: 5, arbitrary: fc.constantFrom(0x20, 0x3a) },
      { weight: 1, arbitrary: fc.constantFrom(0, 9, 10, 13, 0x7f, 0xa0, 0xe9) },
    );
    const value = fc
      .array(character, { minLength: 1, maxLength: 12 })
      .map((codes) => String.fromCharCode(...codes));
    const name = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom(
          ...[
            'Accept',
            'Authorization',
            'Cookie',
            'Origin',
            'User-Agent',
            'X-Forwarded-For',
            'Keep-Alive',
            'TE',
          ],
          ...[
            'Mcp-Name',
            'mcp-protocol-version',
            'Mcp-Method',
            'Set-Cookie',
            'Date',
            'Via',
            'HTTP2-Settings',
          ],
          ...[
            'constructor',
            '__proto__',
            'Content-Language',
            'Proxy-Connection',
            'Proxy-Authorization',
            'Age',
          ],
          ...['Connection', 'Host', 'Content-Length', 'Transfer-Encoding', 'Upgrade', 'Expect', 'Trailer'],
        ),
      },
      { weight: 1, arbitrary: value },
    );
    const line = fc.record({
      name,
      value: fc.oneof(
        { weight: 5, arbitrary: value },
        {
          weight: 1,
          arbitrary: fc.constantFrom('keep-alive', 'close', '5', 'chunked', 'h2c', '100-continue', 'gzip'),
        },
      ),
      between: fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(': ', ':') },
        fc.constantFrom(' :', ':\t', ':  ', ''),
      ),
    });
    const request = fc.record({
      lines: fc.array(line, { maxLength: 5 }),
      length: fc.integer({ min: 0, max: 40 }),
      turn: fc.nat(),
      spoilt: fc.option(
        fc.record({ at: fc.nat(), with: fc.constantFrom('\r', '\n', ' ', '\t', '\0', 'é', ':') }),
        {
          freq: 2,
        },
      ),
    });
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(request, async ({ lines, length, turn, spoilt }) => {
        const all = [HOST, TYPE, `Content-Length: ${length}`];
        for (const { name, between, value } of lines)
          all.splice(turn % (all.length + 1), 0, name + between + value);
        let text = head(LINE, ...all);
        if (spoilt !== null) {
          const at = spoilt.at % (text.length + 1);
          text = text.slice(0, at) + spoilt.with + text.slice(at);
        }
        const ours = plainHead(text);
        // Another of the lines may be the one that states a length, and any.
        if (ours === undefined || ours.length > 1_000) return;
        accepted += 1;
        const theirs = await node(`${text}\r\n\r\n${'x'.repeat(ours.length)}`);
        // Node makes a list of this one.
        const cookie = ours.headers['set-cookie'];
        expect(theirs).toEqual({
          headers: { ...ours.headers, ...(cookie !== undefined && { 'set-cookie': [cookie] }) },
          count: Object.keys(ours.headers).length,
          body: ours.length,
          keeps: true,
        });
      }),
      { numRuns: 3_000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });
});

describe('what may become plain', () => {
  it.each([
    ['', true],
    ['P', true],
    ['POST /mcp HTTP/1.1', true],
    ['POST /mcp HTTP/1.1\r', true],
    ['POST /mcp HTTP/1.1\r\n', true],
    ['POST /mcp HTTP/1.1\r\nHost', true],
    ['G', false],
    ['\r\n', false],
    ['POST /mcp HTTP/1.1\n', false],
    ['POST /mcp?', false],
    ['POST /healthz', false],
    ['\x16\x03\x01', false],
  ])('begins with %j: %s', (text, expected) => {
    expect(mayBecomePlain(Buffer.from(text, 'latin1'))).toBe(expected);
  });
});

interface Read {
  readonly headers: IncomingHttpHeaders;
  readonly count: number;
  readonly body: number;
  readonly keeps: boolean;
}

/** What a server of Node's reads from the bytes of one request. */
async function nodeReader(): Promise<(text: string) => Promise<Read | undefined>> {
  let read: Read | undefined;
  const server = createServer((request, response) => {
    let body = 0;
    request.on('data', (chunk: Buffer) => (body += chunk.length));
    request.on('end', () => {
      const { headers, rawHeaders } = request;
      read = { headers, count: rawHeaders.length / 2, body, keeps: response.shouldKeepAlive };
      response.writeHead(200, { connection: 'close' }).end();
    });
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return (text) =>
    new Promise((resolve, reject) => {
      read = undefined;
      const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
      socket.on('error', reject).on('close', () => resolve(read));
      socket.resume();
      // What Node refuses it ends itself; for more bytes it would wait.
      socket.setTimeout(5_000, () => socket.destroy());
    });
}
