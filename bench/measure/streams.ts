import { fileURLToPath } from 'node:url';
import { run } from '../child.ts';
import type { Bench } from '../corpora.ts';
import type { Measured } from '../measured.ts';
import { number, table, whole } from '../table.ts';

/** What the program prints for each era. */
interface Streams {
  readonly streams: number;
  readonly perStreamBytes: number;
  readonly era: string;
  /** What is left of each when all are closed. */
  readonly leftBytes: number;
}

const PROGRAM = fileURLToPath(new URL('../streams.ts', import.meta.url));

/** What a client with an open stream costs the server in memory. */
export async function measureStreams({ plan, status }: Bench): Promise<Measured> {
  status('clients with open streams');
  const found = await run<Streams>(['--import', 'tsx', PROGRAM, String(plan.streams)]);
  return {
    numbers: Object.fromEntries(
      found.map(({ era, perStreamBytes }) => [
        `streams.${/2026|modern/.test(era) ? 'modern' : 'legacy'}.bytes`,
        perStreamBytes,
      ]),
    ),
    lines: [
      '### Open streams',
      '',
      ...table(
        ['era', { number: 'streams' }, { number: 'memory of each' }, { number: 'left when closed' }],
        found.map(({ era, streams, perStreamBytes, leftBytes }) => [
          era,
          whole(streams),
          `${number(perStreamBytes / 1_000)} KB`,
          `${number(leftBytes / 1_000)} KB`,
        ]),
      ),
    ],
  };
}
