/** A hostile server over stdio, from the sources. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { openHostile } from '../../src/testing/index.ts';

const hostile = openHostile(process.argv[2] ?? '');
serveStdio(() => hostile.createServer());
