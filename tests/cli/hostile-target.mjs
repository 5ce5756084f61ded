/** A hostile server over stdio: hostile-target.mjs DOOR NAME, where DOOR is the URL of `skillwire/testing`. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const [door, name] = process.argv.slice(2);
const { openHostile } = await import(door);
const hostile = openHostile(name);
serveStdio(() => hostile.createServer());
