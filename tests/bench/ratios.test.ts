import { describe, expect, it } from 'vitest';
import { compareRatios, ratioLines, ratiosOf, type StoredRatios, storedAnew } from '../../bench/ratios.ts';

const STORED: StoredRatios = {
  of: 'a machine',
  tolerance: 0.25,
  ratios: {
    load: { value: 1.2, better: 'lower' },
    read: { value: 20, better: 'higher' },
    loose: { value: 1, better: 'lower', tolerance: 1 },
    gone: { value: 1, better: 'lower' },
  },
};

const compared = (load: number, read: number, loose = 1): Record<string, string> =>
  Object.fromEntries(
    compareRatios(
      {
        load: { value: load, better: 'lower' },
        read: { value: read, better: 'higher' },
        loose: { value: loose, better: 'lower' },
      },
      STORED,
    ).map(({ name, outcome }) => [name, outcome]),
  );

describe('stored ratios', () => {
  it.each([
    ['as before', 1.2, 20, 'fine', 'fine'],
    ['better', 0.4, 60, 'fine', 'fine'],
    ['worse within the tolerance', 1.49, 16.1, 'fine', 'fine'],
    ['worse beyond it', 1.51, 15.9, 'regressed', 'regressed'],
  ])('%s', (_name, load, read, expectedLoad, expectedRead) => {
    expect(compared(load, read)).toEqual({
      load: expectedLoad,
      read: expectedRead,
      loose: 'fine',
      gone: 'not measured',
    });
  });

  it('has tolerances of its own for some', () => {
    expect([compared(1.2, 20, 1.99).loose, compared(1.2, 20, 2.01).loose]).toEqual(['fine', 'regressed']);
  });

  it('says by how much, in both directions', () => {
    const found = compareRatios(
      { load: { value: 1.5, better: 'lower' }, read: { value: 25, better: 'higher' } },
      STORED,
    );
    expect(found.map(({ worse }) => worse?.toFixed(3))).toEqual(['0.250', '-0.200', undefined, undefined]);
  });

  it('keep the tolerances that people chose when they are stored anew', () => {
    expect(
      storedAnew(
        { loose: { value: 3, better: 'lower' }, more: { value: 2, better: 'higher' } },
        STORED,
        'today',
      ),
    ).toEqual({
      of: 'today',
      tolerance: 0.25,
      ratios: { loose: { value: 3, better: 'lower', tolerance: 1 }, more: { value: 2, better: 'higher' } },
    });
  });

  it('takes what is not stored as new', () => {
    expect(compareRatios({ more: { value: 2, better: 'lower' } }, { ...STORED, ratios: {} })).toEqual([
      { name: 'more', now: 2, tolerance: 0.25, outcome: 'new' },
    ]);
  });

  it('are made of what was measured, the rest left out', () => {
    expect(
      ratiosOf({
        'load.cold.ms': 1_800,
        'load.floor.ms': 1_200,
        'http.read.sdk.cpuUs': 900,
        'http.read.skillwire.cpuUs': 45,
        'cli.version.ms': 60,
        'cli.node.ms': 0,
      }),
    ).toEqual({
      'load, first start ÷ floor': { value: 1.5, better: 'lower' },
      'HTTP read, SDK ÷ Skillwire': { value: 20, better: 'higher' },
    });
  });

  it('are shown with what regressed', () => {
    expect(
      ratioLines(
        compareRatios(
          { load: { value: 2.4, better: 'lower' } },
          { ...STORED, ratios: { load: { value: 1.2, better: 'lower' } } },
        ),
      ),
    ).toEqual([
      '| ratio | now | stored | worse by | tolerated |  |',
      '|---|--:|--:|--:|--:|---|',
      '| load | 2.40 | 1.20 | +100% | +25% | **regressed** |',
    ]);
  });
});
