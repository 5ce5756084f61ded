/**
 * Runs the tests on other versions of Node: tsx interop/nodes/run.ts [22] [24] [TESTS…]. Without a version on both, without
 * tests all of them. A version that cannot be installed is not run, which is neither a pass nor a failure.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPeer } from '../peers/install.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const VITEST = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
const VERSIONS = { 22: 'node22', 24: 'node24' } as const;

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
const isVersion = (word: string): boolean => Object.hasOwn(VERSIONS, word);
const tests = words.filter((word) => !isVersion(word));
const wanted = words.some(isVersion) ? words.filter(isVersion) : Object.keys(VERSIONS);

let [passed, failed] = [0, 0];
for (const version of wanted) {
  const begun = performance.now();
  const peer = await installPeer(VERSIONS[version as unknown as keyof typeof VERSIONS]);
  if ('notRun' in peer) {
    console.log(`not run: Node ${version}: ${peer.notRun}`);
    continue;
  }
  const report = await testWith(peer.program, version);
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  );
  for (const { name, message } of broken) tell(name, '', message);
  for (const { name, assertionResults } of report.testResults)
    for (const { status, fullName, failureMessages = [] } of assertionResults)
      if (status === 'failed') tell(name, fullName, failureMessages.join('\n'));
  passed += report.numPassedTests;
  failed += report.numFailedTests + broken.length + (report.numPassedTests === 0 ? 1 : 0);
  const took = ((performance.now() - begun) / 1_000).toFixed(0);
  console.log(
    `Node ${version}: ${report.numPassedTests} passed, ${report.numFailedTests + broken.length} failed, ${report.numPendingTests} skipped, in ${took} s`,
  );
}
console.log(`nodes: ${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

function tell(file: string, test: string, message: string): void {
  console.error(`FAIL ${relative(ROOT, file)}${test === '' ? '' : ` > ${test}`}\n${message.slice(0, 3_000)}`);
}

/** What the tests come to under one program, with results, caches and temporary files apart from those of other runs. */
async function testWith(node: string, version: string): Promise<Report> {
  const temp = mkdtempSync(join(tmpdir(), `skillwire-node${version}-`));
  const output = join(ROOT, '.skillwire-results', `node${version}`, 'vitest.json');
  mkdirSync(dirname(output), { recursive: true });
  rmSync(output, { force: true });
  try {
    await new Promise<void>((resolve, reject) => {
      const args = [
        VITEST,
        'run',
        '--reporter=default',
        '--reporter=json',
        `--outputFile=${output}`,
        ...tests,
      ];
      const child = spawn(node, args, {
        cwd: ROOT,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: {
          ...process.env,
          PATH: `${dirname(node)}${process.platform === 'win32' ? ';' : ':'}${process.env.PATH ?? ''}`,
          TMPDIR: temp,
          SKILLWIRE_VITEST_CACHE: join(temp, 'cache'),
        },
      });
      child.once('error', reject);
      child.once('close', () => resolve());
    });
    return JSON.parse(readFileSync(output, 'utf8')) as Report;
  } finally {
    rmSync(temp, { recursive: true, force: true });
  }
}
