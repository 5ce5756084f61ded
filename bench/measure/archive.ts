import { join } from 'node:path';
import { program } from '../built.ts';
import { run, start } from '../child.ts';
import type { Bench } from '../corpora.ts';
import { writeCorpus } from '../corpus.ts';
import type { Measured } from '../measured.ts';
import { median } from '../median.ts';
import { megabytes, number, quotient, table, time } from '../table.ts';

/** The tool of the system that unpacks each format to its output. */
const TOOLS = {
  'tar.gz': { command: 'tar', args: (file: string) => ['-xzOf', file], shown: '`tar xzOf`' },
  zip: { command: 'unzip', args: (file: string) => ['-p', file], shown: '`unzip -p`' },
} as const;
type Format = keyof typeof TOOLS;

/** Unpacking an archive into memory, beside the tool of the system that unpacks it into a pipe. */
export async function measureArchive({ plan, temp, status }: Bench): Promise<Measured> {
  const root = join(temp, 'packed');
  writeCorpus(root, plan.packed);
  const numbers: Record<string, number> = {};
  const rows: string[][] = [];
  for (const format of Object.keys(TOOLS) as Format[]) {
    status(`unpacking ${format}`);
    const { command, args, shown } = TOOLS[format];
    const file = join(temp, `packed.${format}`);
    const [packed] = await run<{ count: number; bytes: number }>([program('pack'), root, file, format]);
    const ours: number[] = [];
    const theirs: number[] = [];
    let bytes = 0;
    let missing: string | undefined;
    for (let round = 0; round < plan.loads; round++) {
      const [done] = await run<{ ms: number; count: number; bytes: number }>([program('unpack'), file]);
      if (done?.count !== packed?.count) throw new Error(`${done?.count} of ${packed?.count} files unpacked`);
      bytes = done?.bytes ?? 0;
      ours.push(done?.ms ?? Number.NaN);
      const tool = missing === undefined ? await drain(command, args(file)) : { missing };
      if ('missing' in tool) missing = tool.missing;
      else if (tool.bytes !== bytes) throw new Error(`${command} unpacks ${tool.bytes} of ${bytes} bytes`);
      else theirs.push(tool.ms);
    }
    numbers[`archive.${format}.skillwire.ms`] = median(ours);
    if (theirs.length > 0) numbers[`archive.${format}.tool.ms`] = median(theirs);
    rows.push([
      `${format}, ${packed?.count.toLocaleString('en')} files, ${megabytes(packed?.bytes)}, ${megabytes(bytes)} unpacked`,
      time(median(ours)),
      missing === undefined ? `${time(median(theirs))}, ${shown}` : `*not run*: ${missing}`,
      number(quotient(median(theirs), median(ours))),
    ]);
  }
  const head = ['Skillwire, into memory', 'tool of the system, into a pipe', 'speed of it'];
  return {
    numbers,
    lines: ['### Archives', '', ...table(['', ...head.map((each) => ({ number: each }))], rows)],
  };
}

/** Runs a tool and counts what it writes. Errors: it fails. */
function drain(
  command: string,
  args: readonly string[],
): Promise<{ readonly ms: number; readonly bytes: number } | { readonly missing: string }> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const child = start(command, args);
    let bytes = 0;
    let said = '';
    child.stdin?.end();
    child.stdout?.on('data', (data: Buffer) => {
      bytes += data.length;
    });
    child.stderr?.on('data', (data: Buffer) => {
      said += data.toString();
    });
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') resolve({ missing: `there is no ${command} here` });
      else reject(error);
    });
    child.once('close', (code) => {
      if (code === 0) resolve({ ms: performance.now() - begun, bytes });
      else reject(new Error(`${command} ended with ${code}: ${said.slice(0, 600)}`));
    });
  });
}
