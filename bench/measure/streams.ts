import { existsSync } from 'node:fs';
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
}

const PROGRAM = fileURLToPath(new URL('../streams.ts', import.meta.url));

/** What a client with an open stream costs the server in memory. */
export async function measureStreams({ status }: Pick<Bench, 'status'>): Promise<Measured> {
  if (!existsSync(PROGRAM))
    return { numbers: {}, lines: ['### Open streams', '', '*not run*: `bench/streams.ts` is not there.'] };
  status('clients with open streams');
  const found = await run<Streams>(['--import', 'tsx', PROGRAM]);
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
        ['era', { number: 'streams' }, { number: 'memory of each' }],
        found.map(({ era, streams, perStreamBytes }) => [
          era,
          whole(streams),
          `${number(perStreamBytes / 1_000)} KB`,
        ]),
      ),
    ],
  };
}
