import { writeFileSync } from 'node:fs';
import { measureCurves } from './measure/curves.ts';
import { beside, machine, saveSection, today } from './page.ts';
import { plotSvg, type Series } from './plot-svg.ts';
import { number } from './table.ts';

const X_LABEL = 'skills of 8 files each';

/**
 * Measures the curves of growth, prints them, and writes the plots and their section if asked to. Gives what could not be
 * loaded.
 */
export async function runCurves({
  save,
  most,
}: {
  readonly save: boolean;
  readonly most: number;
}): Promise<readonly string[]> {
  const { time, memory, lines, failed } = await measureCurves(
    (text) => console.error(`bench: ${text}`),
    most,
  );
  const head = `${today()}, ${machine()}. Medians; the largest size once.`;
  console.log([head, '', ...lines].join('\n'));
  if (!save) return failed;
  writeFileSync(
    beside('load-time.svg'),
    plotSvg({
      title: 'Time of a load, in seconds',
      description: described('seconds', time),
      xLabel: X_LABEL,
      yLabel: 'seconds',
      tick: (value) => value.toLocaleString('en'),
      series: time,
    }),
  );
  writeFileSync(
    beside('load-memory.svg'),
    plotSvg({
      title: 'Memory of a load at most, in MB',
      description: described('MB', memory),
      xLabel: X_LABEL,
      yLabel: 'MB',
      tick: (value) => value.toLocaleString('en'),
      series: memory,
    }),
  );
  saveSection('curves', [
    head,
    '',
    '![Time of a load from 100 to 100,000 skills; the same numbers stand in the table below](load-time.svg)',
    '',
    '![Memory of a load from 100 to 100,000 skills; the same numbers stand in the table below](load-memory.svg)',
    '',
    ...lines,
  ]);
  return failed;
}

/** The numbers of a plot in words. */
function described(unit: string, series: readonly Series[]): string {
  return series
    .map(
      ({ name, points }) =>
        `${name}: ${points.map(([x, y]) => `${number(y)} ${unit} at ${x.toLocaleString('en')}`).join(', ')}.`,
    )
    .join(' ');
}
