/**
 * Runs the public conformance suite against our client, against `skillwire serve` and against a server that embeds
 * Skillwire. With an argument only that part is run: `client` or `server`.
 * Usage: tsx interop/conformance/run.ts [PART]   (after npm run build)
 */
import { fileURLToPath } from 'node:url';
import {
  CANNOT_APPLY,
  CHECKS_CANNOT_APPLY,
  CLIENT_SKILLS,
  MAY_WARN,
  PLAIN,
  SKILLS,
  VERSIONS,
} from './expected.ts';
import { type Check, checksOf, clientChecksOf, install, scenariosOf, serve } from './suite.ts';

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const wrong: string[] = [];
let passed = 0;
const total = { SUCCESS: 0, FAILURE: 0, WARNING: 0, SKIPPED: 0, INFO: 0 };

/** Keys of the lists of single checks that were met, to find stale ones. */
const met = new Set<string>();

/** Whether a scenario proves something: nothing failed and something succeeded. */
function passes(checks: readonly Check[]): boolean {
  return (
    checks.some((check) => check.status === 'SUCCESS') && !checks.some((check) => check.status === 'FAILURE')
  );
}

/** Counts the checks of a scenario that must pass and notes what is wrong with them. */
function judge(where: string, scenario: string, version: string, checks: readonly Check[]): void {
  for (const check of checks) {
    total[check.status]++;
    const key = `${scenario} ${check.id}`;
    const said = `${where} ${key} ${version}: ${check.status}: ${check.errorMessage ?? check.description}`;
    if (CHECKS_CANNOT_APPLY[key] !== undefined) {
      if (check.status === 'SUCCESS') wrong.push(`${said}: is listed as one that cannot apply, and passes`);
      met.add(key);
    } else if (check.status === 'FAILURE') wrong.push(said);
    else if (check.status === 'WARNING' && MAY_WARN[key] === undefined) wrong.push(said);
    else if (check.status === 'WARNING') met.add(key);
    else if (check.status === 'SUCCESS') passed++;
  }
  const good = checks.filter((check) => check.status === 'SUCCESS').length;
  // A scenario in which nothing succeeded proves nothing, whatever the suite says of it.
  if (good === 0 && !checks.some((check) => check.status === 'FAILURE')) {
    wrong.push(`${where} ${scenario} ${version}: no check succeeded`);
  }
  console.log(`${where} ${version} ${scenario}: ${good}/${checks.length}`);
}

/** Runs every skills scenario with both revisions. */
async function skills(where: string, url: string): Promise<void> {
  for (const version of VERSIONS) {
    for (const scenario of SKILLS) {
      const found = await checksOf(url, ['--scenario', scenario, '--spec-version', version, '--force']);
      judge(where, scenario, version, found.get(scenario) ?? []);
    }
  }
}

/**
 * Runs every scenario for clients, by itself: as the suite offers it and with the newer revision. The exit code of the
 * suite says nothing, since a client that does nothing at all is skipped with 0.
 */
async function clients(): Promise<void> {
  for (const version of VERSIONS) {
    for (const scenario of CLIENT_SKILLS) {
      const args = version === '2026-07-28' ? ['--spec-version', version, '--force'] : [];
      const { checks } = await clientChecksOf('interop/conformance/client.ts', scenario, args);
      judge('client', scenario, version, checks);
      const other = checks.find((check) => check.status === 'SKIPPED');
      if (other !== undefined)
        wrong.push(`client ${scenario} ${other.id} ${version}: ${other.status}, and it must be judged`);
    }
  }
}

/** Runs the base scenarios that need no fixture, each with the revisions it is made for. */
async function plain(url: string): Promise<void> {
  for (const version of VERSIONS) {
    const scenarios = await scenariosOf(version);
    for (const scenario of PLAIN.filter((name) => scenarios.includes(name))) {
      const found = await checksOf(url, ['--scenario', scenario, '--spec-version', version]);
      judge('serve', scenario, version, found.get(scenario) ?? []);
    }
  }
}

/** Runs every base scenario with both revisions and compares with the list of those that cannot apply. */
async function base(url: string): Promise<void> {
  const known = new Set<string>();
  for (const version of VERSIONS) {
    const scenarios = await scenariosOf(version);
    const found = await checksOf(url, ['--suite', 'all', '--spec-version', version]);
    for (const scenario of scenarios) {
      known.add(scenario);
      const checks = found.get(scenario) ?? [];
      if (CANNOT_APPLY[scenario] === undefined) judge('fixture', scenario, version, checks);
      else if (passes(checks)) {
        wrong.push(`fixture ${scenario} ${version}: is listed as one that cannot apply, and passes`);
      }
    }
    const strangers = [...found.keys()].filter((scenario) => !scenarios.includes(scenario));
    if (strangers.length > 0)
      wrong.push(`fixture ${version}: ran without being listed by the suite: ${strangers.join(', ')}`);
  }
  for (const scenario of Object.keys(CANNOT_APPLY)) {
    if (!known.has(scenario))
      wrong.push(`${scenario}: is listed as one that cannot apply, and the suite has none of that name`);
  }
  for (const key of [...Object.keys(CHECKS_CANNOT_APPLY), ...Object.keys(MAY_WARN)]) {
    if (!met.has(key)) wrong.push(`${key}: is listed, and no check of that name failed or warned`);
  }
}

/** Everything in which our side is the server. */
async function servers(): Promise<void> {
  const served = await serve([
    path('../../dist/cli/main.js'),
    'serve',
    path('../../examples/skills'),
    '--http',
    '0',
  ]);
  try {
    await skills('serve', served.url);
    await plain(served.url);
  } finally {
    await served.stop();
  }
  const fixture = await serve(['--import', 'tsx', path('fixture.ts')]);
  try {
    await skills('fixture', fixture.url);
    await base(fixture.url);
  } finally {
    await fixture.stop();
  }
}

const part = process.argv[2];
if (part !== undefined && part !== 'client' && part !== 'server') throw new Error(`there is no part ${part}`);
install();
if (part !== 'server') await clients();
if (part !== 'client') await servers();

for (const line of wrong) console.error(`FAIL ${line}`);
console.log(
  `${Object.entries(total)
    .map(([status, count]) => `${count} ${status}`)
    .join(', ')}; ${Object.keys(CANNOT_APPLY).length} scenarios cannot apply`,
);
console.log(`conformance: ${passed} passed, ${wrong.length} failed`);
process.exitCode = wrong.length > 0 ? 1 : 0;
