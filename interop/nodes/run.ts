/**
 * Runs the tests on other versions of Node, at once: tsx interop/nodes/run.ts [22] [24] [--all | --brief] [TESTS…]. Without
 * a version on both; without tests those of the code. `--all`: also those of the package, its house and its documents;
 * `--brief`: on 22 without the slowest. A version that cannot be installed is not run, which is neither a pass nor a failure.
 */
import { spawn } from 'node:child_process';
import { createWriteStream, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { finished } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { installPeer } from '../peers/install.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
const VERSIONS = { '22': 'node22', '24': 'node24' } as const;
type Version = keyof typeof VERSIONS;
/** About the package, its house, its documents and its harnesses, which hardly depend on the version. */
const NO_CODE: readonly string[] = ['bench', 'examples', 'house', 'interop', 'packaging'];

/** With `--brief` not run on 22: what it would show shows on 20 or 24 most likely, since it stands between the two. */
const SLOW: readonly string[] = ['adversarial', 'cli'];
/** Which flags are none of the tests. */
const FLAGS: readonly string[] = ['--all', '--brief'];

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

const words = process.argv.slice(2);
const isVersion = (word: string): word is Version => Object.hasOwn(VERSIONS, word);
const tests = words.filter((word) => !isVersion(word) && !FLAGS.includes(word));
const wanted = words.some(isVersion) ? words.filter(isVersion) : (Object.keys(VERSIONS) as Version[]);

let [passed, failed] = [0, 0];
await Promise.all(wanted.map(runVersion));
console.log(`nodes: ${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function runVersion(version: Version): Promise<void> {
  const begun = performance.now();
  const peer = await installPeer(VERSIONS[version]);
  if ('notRun' in peer) {
    console.log(`not run: Node ${version}: ${peer.notRun}`);
    return;
  }
  const sum = { passed: 0, failed: 0, skipped: 0 };
  for (const report of await testWith(peer.program, version)) {
    const broken = report.testResults.filter(
      ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
    );
    for (const { name, message } of broken) tell(version, name, '', message);
    for (const { name, assertionResults } of report.testResults)
      for (const { status, fullName, failureMessages = [] } of assertionResults)
        if (status === 'failed') tell(version, name, fullName, failureMessages.join('\n'));
    sum.passed += report.numPassedTests;
    sum.failed += report.numFailedTests + broken.length;
    sum.skipped += report.numPendingTests;
  }
  passed += sum.passed;
  failed += sum.failed + (sum.passed === 0 ? 1 : 0);
  const took = ((performance.now() - begun) / 1_000).toFixed(0);
  console.log(
    `Node ${version}: ${sum.passed} passed, ${sum.failed} failed, ${sum.skipped} skipped, in ${took} s`,
  );
}

function tell(version: Version, file: string, test: string, message: string): void {
  const where = `${relative(ROOT, file)}${test === '' ? '' : ` > ${test}`}`;
  console.error(`FAIL Node ${version}: ${where}\n${message.slice(0, 3_000)}`);
}

/** The test files that are meant, by their path below the root. */
function chosen(version: Version): readonly string[] {
  const files = readdirSync(join(ROOT, 'tests'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `tests/${path.replaceAll('\\', '/')}`);
  if (tests.length > 0) return files.filter((path) => tests.some((part) => path.startsWith(part)));
  const out = words.includes('--all') ? [] : NO_CODE;
  const slow = version === '22' && words.includes('--brief') ? SLOW : [];
  return files.filter((path) => ![...out, ...slow].includes(path.split('/')[1] ?? ''));
}

/**
 * What the tests come to under one program, with results, caches and temporary files apart from those of other runs.
 *
 * Files share a process and what it loaded, which takes half the time: on the first version each has a process of its own.
 * Those that put something in the place of a module of Node need that here too.
 */
async function testWith(node: string, version: Version): Promise<readonly Report[]> {
  const temp = mkdtempSync(join(tmpdir(), `skillwire-node${version}-`));
  const results = join(ROOT, '.skillwire-results', `node${version}`);
  rmSync(results, { recursive: true, force: true });
  mkdirSync(results, { recursive: true });
  const files = chosen(version);
  const apart = files.filter((path) => readFileSync(join(ROOT, path), 'utf8').includes('vi.mock('));
  const together = files.filter((path) => !apart.includes(path));
  const reports: Report[] = [];
  try {
    for (const [name, paths, flags] of [
      ['together', together, ['--no-isolate']],
      ['apart', apart, []],
    ] as const) {
      if (paths.length > 0) reports.push(await vitest(node, join(results, name), temp, [...flags, ...paths]));
    }
    return reports;
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}

async function vitest(node: string, output: string, temp: string, words: readonly string[]): Promise<Report> {
  const args = [
    VITEST,
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${output}.json`,
    ...words,
  ];
  const child = spawn(node, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
      TMPDIR: temp,
      SKILLWIRE_VITEST_CACHE: join(temp, 'cache'),
    },
  });
  const log = createWriteStream(`${output}.log`);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  log.end();
  await finished(log);
  try {
    return JSON.parse(readFileSync(`${output}.json`, 'utf8')) as Report;
  } catch (error) {
    throw new Error(`vitest left no report:\n${readFileSync(`${output}.log`, 'utf8').slice(-4_000)}`, {
      cause: error,
    });
  }
}
