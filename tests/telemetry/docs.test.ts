import { describe, expect, it } from 'vitest';
import { CHANNELS } from '../../src/telemetry/index.ts';
import { textOf } from '../house/tree.ts';

describe('docs/reference/telemetry.md', () => {
  const rows = textOf('docs/reference/telemetry.md')
    .split('\n')
    .filter((line) => line.includes('| `skillwire:'))
    .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')));

  it('lists every operation with its channel, in the order of the code', () => {
    const documented = rows.map(([, span, channel]) => [span, channel]);
    const held = Object.entries(CHANNELS).map(([span, channel]) => [
      span === 'server.request' ? 'the method of the request' : span,
      channel,
    ]);
    expect(documented).toEqual(held);
  });

  it('names attributes that the code has', () => {
    const code = textOf('src/telemetry/operation.ts');
    const names = new Set(textOf('docs/reference/telemetry.md').match(/mcp\.[a-z_.]+[a-z]/g));
    const inCode = new Set(code.match(/mcp\.[a-z_.]+[a-z]/g));
    expect([...names].sort()).toEqual([...inCode].sort());
  });
});
