/**
 * Runs the clients and servers of others against what was built: tsx interop/run.ts [fastmcp] [fastmcp-server] [skills-cli]. A peer that cannot be
 * installed is not run, which is neither a pass nor a failure.
 */
import { fastmcp } from './fastmcp/run.ts';
import { fastmcpServer } from './fastmcp-server/run.ts';
import { skillsCli } from './skills-cli/run.ts';
import { Tally } from './tally.ts';

const SUITES = { 'skills-cli': skillsCli, fastmcp, 'fastmcp-server': fastmcpServer } as const;

const tally = new Tally();
const wanted = process.argv.slice(2);
// Each waits for its programs most of the time.
await Promise.all(
  Object.entries(SUITES)
    .filter(([name]) => wanted.length === 0 || wanted.includes(name))
    .map(async ([name, suite]) => {
      const begun = performance.now();
      try {
        await suite(tally);
      } catch (error) {
        tally.check(name, false, error instanceof Error ? (error.stack ?? error.message) : String(error));
      }
      console.log(`${name}: ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
    }),
);
tally.end();
