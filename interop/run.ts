/**
 * Runs the clients and servers of others against what was built: tsx interop/run.ts [SUITE…] [--full] [--save] [--only=TEXT].
 * A peer that cannot be installed is not run, which is neither a pass nor a failure. `--full` also runs peers against peers and
 * the corpus in its full size; `--save` writes `docs/reference/interop.md`; `--only` runs the cells of the matrix whose title
 * has the text, and saves nothing.
 */
import { fastmcp } from './fastmcp/run.ts';
import { fastmcpServer } from './fastmcp-server/run.ts';
import { mcpkitStdio } from './go/run.ts';
import { matrix } from './matrix/run.ts';
import { skillsCli } from './skills-cli/run.ts';
import { skillsRef } from './skills-ref/run.ts';
import { Tally } from './tally.ts';

const words = process.argv.slice(2);
const wanted = words.filter((word) => !word.startsWith('--'));
const only = words.find((word) => word.startsWith('--only='))?.slice('--only='.length);
const options = {
  full: words.includes('--full'),
  save: words.includes('--save'),
  ...(only === undefined ? {} : { only }),
};

const SUITES: Readonly<Record<string, (tally: Tally) => Promise<void>>> = {
  'skills-cli': skillsCli,
  fastmcp,
  'fastmcp-server': fastmcpServer,
  'mcpkit-stdio': mcpkitStdio,
  'skills-ref': skillsRef,
  matrix: (tally) => matrix(tally, options),
};

const unknown = words.filter(
  (word) => !['--full', '--save', `--only=${only}`].includes(word) && !Object.hasOwn(SUITES, word),
);
if (unknown.length > 0) {
  console.error(
    `there is no ${unknown.join(', ')}; there are ${Object.keys(SUITES).join(', ')}, --full, --save, --only=TEXT`,
  );
  process.exit(2);
}

const tally = new Tally();
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
