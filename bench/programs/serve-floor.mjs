/**
 * The floor of a server: bare `node:http` that parses the JSON of a request and answers with bytes recorded before; it
 * checks nothing. Usage: node serve-floor.mjs ANSWERS, a JSON object of `{ body, isGzip }`, the body in base64, by
 * `encodings method URI`
 */
import { readFileSync } from 'node:fs';
import { listen } from './listen.mjs';

const recorded = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const answers = new Map(
  Object.entries(recorded).map(([key, { body, isGzip }]) => {
    const bytes = Buffer.from(body, 'base64');
    const headers = { 'content-type': 'application/json', 'content-length': bytes.length };
    return [key, { bytes, headers: isGzip ? { ...headers, 'content-encoding': 'gzip' } : headers }];
  }),
);

listen((request, response) => {
  const parts = [];
  request.on('data', (part) => parts.push(part));
  request.on('end', () => {
    const body = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    const { method, params } = JSON.parse(body.toString('utf8'));
    const answer = answers.get(`${request.headers['accept-encoding']} ${method} ${params.uri ?? ''}`);
    if (answer === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, answer.headers);
    response.end(answer.bytes);
  });
});
