/**
 * Compares the checklist with the tests that ran.
 * Usage: tsx tests/requirements-gate.ts RESULTS, the document of vitest's json reporter.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Due, finished, type Requirement, requirements } from './requirements.ts';

/** One test that the runner reported. */
export interface Ran {
  /** `file > describe > test`. */
  readonly name: string;
  readonly passed: boolean;
}

/** What the json reporter writes, as far as it is read here. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

/** The tests of a report, named from the folder of the project on. */
export function testsOf(report: Report, root: string): Ran[] {
  return report.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({
      name: [relative(root, file.name).replaceAll('\\', '/'), ...test.ancestorTitles, test.title].join(' > '),
      passed: test.status === 'passed',
    })),
  );
}

/** What is wrong, one line each: rows due and not proved, and proofs that did not run or did not pass. */
export function judge(rows: readonly Requirement[], closed: readonly Due[], ran: readonly Ran[]): string[] {
  const wrong: string[] = [];
  for (const { id, due, proves, excused } of rows) {
    if (closed.includes(due) && proves.length === 0 && excused === undefined)
      wrong.push(`${id}: due in ${due}, no proof and no excuse`);
    if (proves.length > 0 && excused !== undefined) wrong.push(`${id}: proved and excused at once`);
    for (const name of proves) {
      const tests = ran.filter((test) => test.name === name || test.name.startsWith(`${name} > `));
      if (tests.length === 0) wrong.push(`${id}: no test ran by the name "${name}"`);
      for (const test of tests) if (!test.passed) wrong.push(`${id}: did not pass: ${test.name}`);
    }
  }
  return wrong;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const results = process.argv[2];
  if (results === undefined) throw new Error('usage: tsx tests/requirements-gate.ts RESULTS');
  const root = fileURLToPath(new URL('../', import.meta.url));
  const ran = testsOf(JSON.parse(readFileSync(results, 'utf8')) as Report, root);
  const wrong = judge(requirements, finished, ran);
  for (const line of wrong) console.error(line);
  const bad = new Set(wrong.map((line) => line.split(':')[0]));
  const judged = requirements.filter((each) => finished.includes(each.due) || each.proves.length > 0);
  const excused = judged.filter((each) => each.excused !== undefined).length;
  console.log(`${judged.length} of ${requirements.length} rows judged, ${excused} excused`);
  console.log(`requirements: ${judged.length - bad.size} passed, ${bad.size} failed`);
  process.exitCode = wrong.length > 0 ? 1 : 0;
}
