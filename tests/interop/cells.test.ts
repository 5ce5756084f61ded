import { describe, expect, it } from 'vitest';
import { isSlow, type PlannedCell, plannedCells } from '../../interop/matrix/cells.ts';
import { titleOf } from '../../interop/matrix/report.ts';

const hasOurs = ({ server, client }: PlannedCell): boolean => server.ours || client.ours;
const every = plannedCells(false);
const full = plannedCells(true);

describe('plannedCells', () => {
  it('has Skillwire on a side of each cell of every run', () => {
    expect(every.filter((cell) => !hasOurs(cell))).toEqual([]);
    expect(every.length).toBeGreaterThan(70);
  });

  it('has all of every run in a full one, and others among themselves', () => {
    const titles = new Set(full.map(titleOf));
    expect(every.map(titleOf).filter((title) => !titles.has(title))).toEqual([]);
    expect(full.some((cell) => !hasOurs(cell))).toBe(true);
    expect(titles.size).toBe(full.length);
  });

  it('leaves what is slow to a full run', () => {
    expect(every.filter(isSlow)).toEqual([]);
    expect(full.filter(isSlow).map(titleOf)).toEqual([
      'Skillwire reads Skillwire through supergateway, stdio → http (http, modern)',
    ]);
  });

  it('puts each client to servers that offer what it takes', () => {
    expect(full.map(titleOf)).not.toContain('skills reads official SDK (http, modern)');
    expect(full.map(titleOf)).toContain('mcpkit reads mcpkit (http, legacy)');
    expect(full.map(titleOf)).toContain('Skillwire reads mcpkit, zip (http, modern)');
  });
});
