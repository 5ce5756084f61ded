import { describe, expect, it } from 'vitest';
import { plannedCells } from '../../interop/matrix/cells.ts';
import { corpusOf } from '../../interop/matrix/corpus.ts';
import { broken, type Cell } from '../../interop/matrix/judge.ts';
import { type InteropReport, ranText, reportText } from '../../interop/matrix/report.ts';
import type { CellResult } from '../../interop/matrix/run-cell.ts';

const corpus = corpusOf('small');

/** Cells of one client and one server that all came to the same, and others that were not run. */
function reportOf(full: boolean): InteropReport {
  const results = plannedCells(full)
    .filter(({ bridge }) => bridge === undefined)
    .map((planned): CellResult => {
      const { server, client, way } = planned;
      const cell: Cell = { server, client, ...way };
      return server.peers.includes('mcpkit') || client.peers.includes('mcpkit')
        ? { planned, cell, notRun: 'mcpkit cannot be installed: there is no Go' }
        : { planned, cell, judged: { ...broken(cell, corpus, ''), marks: GOOD, wrong: [], met: [] } };
    });
  return {
    full,
    corpus,
    rows: [{ server: 'mcpkit', notRun: 'there is no Go' }],
    results,
    missing: new Set(['mcpkit']),
    replaced: new Map([
      ['fastmcp', []],
      ['inspector', ['a local copy in place of example v1', 'other v2 in place of other v3']],
    ]),
  };
}

const GOOD = { listed: 'yes', read: 'yes', bytes: 'yes', verified: 'yes', notified: '–' } as const;

describe('reportText', () => {
  it('has one line for ways that came to the same', () => {
    const lines = reportText(reportOf(false)).split('\n');
    expect(lines).toContain(
      '| Skillwire |  | official SDK | stdio and http: legacy, modern | yes | yes | yes | yes | – |',
    );
    expect(lines).toContain(
      '| Skillwire |  | mcporter | stdio and http: legacy | yes | yes | yes | yes | – |',
    );
    expect(lines).toContain('| Skillwire |  | skills | http: modern | yes | yes | yes | yes | – |');
    expect(lines).toContain('| Skillwire |  | mcpkit | http: legacy, modern | *not run* |  |  |  |  |');
  });

  it('has others among themselves in a table of their own, in a full run alone', () => {
    const [ours = '', others = ''] = reportText(reportOf(true)).split('### Others among themselves');
    expect(ours).toContain('### With Skillwire on a side');
    expect(ours).not.toContain('| official SDK |  | official SDK |');
    expect(others).toContain('| official SDK |  | official SDK |');
    expect(others).not.toContain('| Skillwire |');
    expect(reportText(reportOf(false))).not.toContain('among themselves\n');
  });
});

describe('ranText', () => {
  it('says how much was run, with which corpus, without whom and with what instead', () => {
    const said = ranText(reportOf(false));
    expect(said).toMatch(
      /^\d+ of \d+ connections were run \(Skillwire on one side\), and the commands against 0 of 1 servers\./,
    );
    expect(said).toContain('14 skills, 73 files, 1.0 MiB');
    expect(said).toContain('Not there: mcpkit.');
    expect(said).toContain(
      'inspector was built with a local copy in place of example v1, and with other v2 in place of other v3.',
    );
    expect(said).not.toContain('fastmcp was built');
  });
});
