import { describe, expect, it } from 'vitest';
import { cpuMsIn, cpuMsOf, memoryIn, memoryOf } from '../../bench/process-facts.ts';

describe('what the system says of a process', () => {
  it('reads processor time behind a name that holds anything', () => {
    const stat =
      '4242 (no) de (x) S 1 4242 4242 0 -1 4194304 100 0 0 0 153 47 0 0 20 0 11 0 1234 5678 90 18446744073709551615';
    expect(cpuMsIn(stat)).toBe(2_000);
  });

  it('reads memory', () => {
    const status =
      'Name:\tnode\nVmPeak:\t 1000000 kB\nVmHWM:\t  150000 kB\nVmRSS:\t  120000 kB\nThreads:\t11\n';
    expect(memoryIn(status)).toEqual({ rss: 122_880_000, peak: 153_600_000 });
  });

  it('tells nothing of a process that there is not', () => {
    expect([cpuMsOf(0), memoryOf(0)]).toEqual([undefined, undefined]);
  });

  it.runIf(process.platform === 'linux')('tells of this one', () => {
    expect(cpuMsOf(process.pid)).toBeGreaterThan(0);
    expect(memoryOf(process.pid)?.rss).toBeGreaterThan(1_000_000);
  });
});
