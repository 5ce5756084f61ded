import { createServer } from 'node:http';

/** Serves on a free port of loopback, prints where, and ends with its input. */
export function listen(handler) {
  const server = createServer(handler);
  server.listen(0, '127.0.0.1', () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}/mcp`);
  });
  process.stdin.resume();
  process.stdin.once('end', () => process.exit(0));
}
