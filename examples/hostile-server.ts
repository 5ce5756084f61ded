/**
 * A server over stdio that lies in the way that its argument names, to see what a host does with it. Without an argument it
 * names the ways.
 */
// #region serve
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { hostileServers, openHostile } from 'skillwire/testing';

const [name] = process.argv.slice(2);
if (name === undefined) {
  for (const { name, lies, expect } of hostileServers) console.log(`${name}: ${lies} (${expect})`);
} else {
  const hostile = openHostile(name);
  serveStdio(() => hostile.createServer());
}
// #endregion serve
