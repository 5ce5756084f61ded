import { describe, expect, it } from 'vitest';
import { finished, type Requirement, requirements } from '../requirements.ts';
import { judge, testsOf } from '../requirements-gate.ts';

const numbered = (letter: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${letter}${at + 1}`);

describe('the checklist', () => {
  it('has every row once, in order', () => {
    expect(requirements.map((row) => row.id)).toEqual([
      ...numbered('S', 54),
      ...numbered('H', 62),
      ...numbered('B', 5),
    ]);
  });

  it('says something in every row', () => {
    expect(requirements.filter((row) => row.says.length < 10 || row.excused === '')).toEqual([]);
  });

  it('closes only issues that rows are due in', () => {
    const due = new Set(requirements.map((row) => row.due));
    expect(finished.filter((issue) => !due.has(issue))).toEqual([]);
  });
});

describe('the gate', () => {
  const row = (change: Partial<Requirement>): Requirement => ({
    id: 'S1',
    level: 'must',
    says: 'a rule',
    due: 2,
    proves: [],
    ...change,
  });
  const passed = { name: 'a.test.ts > group > one', passed: true };
  const failed = { name: 'a.test.ts > group > two', passed: false };

  it.each([
    ['a row that is not due', [row({ due: 7 })], []],
    ['a row with an excuse', [row({ excused: 'does not apply' })], []],
    ['a row with a test that passed', [row({ proves: [passed.name] })], []],
    ['a due row without anything', [row({})], ['S1: due in 2, no proof and no excuse']],
    [
      'a test that did not run',
      [row({ proves: ['a.test.ts > gone'] })],
      ['S1: no test ran by the name "a.test.ts > gone"'],
    ],
    [
      'a beginning that ends inside a name',
      [row({ proves: ['a.test.ts > gro'] })],
      ['S1: no test ran by the name "a.test.ts > gro"'],
    ],
    [
      'a group in which one failed',
      [row({ proves: ['a.test.ts > group'] })],
      ['S1: did not pass: a.test.ts > group > two'],
    ],
    [
      'a proof that fails though it is not due',
      [row({ due: 7, proves: [failed.name] })],
      ['S1: did not pass: a.test.ts > group > two'],
    ],
    ['both at once', [row({ proves: [passed.name], excused: 'no' })], ['S1: proved and excused at once']],
  ] as const)('judges %s', (_, rows, expected) => {
    expect(judge(rows, [2], [passed, failed])).toEqual(expected);
  });

  it('reads the report of vitest; a skipped test did not pass', () => {
    const report = {
      testResults: [
        {
          name: '/p/tests/a.test.ts',
          assertionResults: [
            { ancestorTitles: ['x', 'y'], title: 'z', status: 'passed' },
            { ancestorTitles: [], title: 'w', status: 'skipped' },
          ],
        },
      ],
    };
    expect(testsOf(report, '/p')).toEqual([
      { name: 'tests/a.test.ts > x > y > z', passed: true },
      { name: 'tests/a.test.ts > w', passed: false },
    ]);
  });
});
