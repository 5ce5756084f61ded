/**
 * Measures Skillwire beside floors and peers, all in one run. See README.md in this folder.
 * Usage: tsx bench/run.ts [--quick | --smoke] [--only ROOM,…] [--save] [--store] [--report]
 *        tsx bench/run.ts --curves [--most SKILLS] [--save]
 */
import { parseArgs } from 'node:util';
import { runCurves } from './run-curves.ts';
import { runTables } from './run-tables.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    smoke: { type: 'boolean', default: false },
    curves: { type: 'boolean', default: false },
    save: { type: 'boolean', default: false },
    store: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    only: { type: 'string' },
    most: { type: 'string' },
  },
});

if (values.curves) {
  const most = values.most === undefined ? Number.POSITIVE_INFINITY : Number(values.most);
  const failed = await runCurves({ save: values.save, most });
  if (failed.length > 0) process.exitCode = 1;
} else {
  const plan = values.smoke ? 'smoke' : values.quick ? 'quick' : 'full';
  const only = values.only?.split(',');
  const { regressed, failed } = await runTables({ plan, save: values.save, store: values.store, only });
  if (regressed.length > 0) {
    console.log(`\n${regressed.length} stored ratios regressed: ${regressed.join('; ')}`);
    if (!values.report) process.exitCode = 1;
  }
  if (failed.length > 0) {
    console.log(`\nnot measured, since it failed: ${failed.join(', ')}`);
    process.exitCode = 1;
  }
}
