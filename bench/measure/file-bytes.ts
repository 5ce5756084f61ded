import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from '../corpora.ts';
import { FILES_EACH, SUPPORTING_FILES, writeCorpus } from '../corpus.ts';
import type { Measured } from '../measured.ts';
import { median } from '../median.ts';
import { megabytes, table } from '../table.ts';
import { load } from './load.ts';

/** How much larger the larger files are. */
const SCALE = 10;

/** The memory of a load of as many skills with small and with large files: what is kept must not grow with their bytes. */
export async function measureFileBytes({ plan, temp, status }: Bench): Promise<Measured> {
  const skills = plan.packed;
  const bytesEach = SUPPORTING_FILES.reduce((sum, [, bytes]) => sum + bytes, 0);
  const numbers: Record<string, number> = {};
  const rows: string[][] = [];
  for (const [name, scale] of [
    ['small', 1],
    ['large', SCALE],
  ] as const) {
    status(`${name} files`);
    const root = join(temp, `files-${name}`);
    writeCorpus(root, skills, 0, scale);
    const loads = [];
    for (let round = 0; round < plan.loads; round++)
      loads.push(await load('cold', root, skills * FILES_EACH));
    rmSync(root, { recursive: true, force: true });
    const rss = median(loads.map((each) => each.rss));
    const peak = median(loads.map((each) => each.peak));
    numbers[`bytes.${name}.rss`] = rss;
    numbers[`bytes.${name}.peak`] = peak;
    rows.push([megabytes(skills * bytesEach * scale), megabytes(rss), megabytes(peak)]);
  }
  return {
    numbers,
    lines: [
      `### Memory and the size of files: ${skills.toLocaleString('en')} skills`,
      '',
      ...table(
        [{ number: 'files beside `SKILL.md`' }, { number: 'memory after a load' }, { number: 'at most' }],
        rows,
      ),
    ],
  };
}
