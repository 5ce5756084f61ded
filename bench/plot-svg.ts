/** One line of a plot. */
export interface Series {
  readonly name: string;
  /** In order of x; both above 0. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** What a plot shows. */
export interface Plot {
  readonly title: string;
  /** For those who cannot see it. */
  readonly description: string;
  readonly xLabel: string;
  readonly yLabel: string;
  /** The text of a value on the vertical axis. */
  readonly tick: (value: number) => string;
  readonly series: readonly Series[];
}

const WIDTH = 720;
const HEIGHT = 440;
const LEFT = 76;
const RIGHT = 190;
const TOP = 44;
const BOTTOM = 56;
/** Least distance of two labels at the ends of lines. */
const LABEL_STEP = 16;

/** Colours that differ in lightness too, for light and for dark pages; a line also has its own dashes and marks. */
const COLOURS: readonly (readonly [light: string, dark: string])[] = [
  ['#57606a', '#9da7b3'],
  ['#0550ae', '#79b8ff'],
  ['#1a7f37', '#56d364'],
  ['#bc4c00', '#ffa657'],
  ['#8250df', '#d2a8ff'],
];
const DASHES: readonly string[] = ['2 3', '', '7 4', '12 4 2 4', '4 2'];

/** The SVG of a plot with logarithmic axes, from power of ten to power of ten. */
export function plotSvg({ title, description, xLabel, yLabel, tick, series }: Plot): string {
  const points = series.flatMap((each) => each.points);
  if (points.length === 0) throw new Error(`there is nothing to plot of ${title}`);
  const [xLow, xHigh] = decades(points.map(([x]) => x));
  const [yLow, yHigh] = decades(points.map(([, y]) => y));
  const xAt = (x: number): number =>
    round(LEFT + ((Math.log10(x) - xLow) / (xHigh - xLow)) * (WIDTH - LEFT - RIGHT));
  const yAt = (y: number): number =>
    round(HEIGHT - BOTTOM - ((Math.log10(y) - yLow) / (yHigh - yLow)) * (HEIGHT - TOP - BOTTOM));
  const out: string[] = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(description)}</desc>`,
    `<style>${style(series.length)}</style>`,
    `<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>`,
    `<text class="title" x="${LEFT}" y="24">${escaped(title)}</text>`,
  ];
  for (let power = xLow; power <= xHigh; power++) {
    const x = xAt(10 ** power);
    out.push(
      `<line class="grid" x1="${x}" y1="${TOP}" x2="${x}" y2="${HEIGHT - BOTTOM}"/>`,
      `<text class="tick middle" x="${x}" y="${HEIGHT - BOTTOM + 18}">${(10 ** power).toLocaleString('en')}</text>`,
    );
  }
  for (const value of ticks(yLow, yHigh)) {
    const y = yAt(value);
    out.push(
      `<line class="grid" x1="${LEFT}" y1="${y}" x2="${WIDTH - RIGHT}" y2="${y}"/>`,
      `<text class="tick end" x="${LEFT - 8}" y="${round(y + 4)}">${escaped(tick(value))}</text>`,
    );
  }
  out.push(
    `<text class="tick middle" x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 14}">${escaped(xLabel)}</text>`,
    `<text class="tick middle" transform="translate(18 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)">${escaped(yLabel)}</text>`,
  );
  const shown = series.filter((each) => each.points.length > 0);
  const labels = spread(
    shown.map((each) => yAt((each.points.at(-1) as readonly [number, number])[1])),
    TOP,
    HEIGHT - BOTTOM,
  );
  shown.forEach(({ name, points: own }, at) => {
    const line = own.map(([x, y]) => `${xAt(x)},${yAt(y)}`).join(' ');
    const kind = series.findIndex((each) => each.name === name);
    out.push(`<polyline class="line s${kind}" points="${line}"/>`);
    for (const [x, y] of own)
      out.push(`<circle class="mark s${kind}" cx="${xAt(x)}" cy="${yAt(y)}" r="3.5"/>`);
    const [lastX, lastY] = own.at(-1) as readonly [number, number];
    const labelX = WIDTH - RIGHT + 14;
    out.push(
      `<line class="lead s${kind}" x1="${xAt(lastX) + 4}" y1="${yAt(lastY)}" x2="${labelX - 3}" y2="${labels[at]}"/>`,
      `<text class="name s${kind}" x="${labelX}" y="${(labels[at] as number) + 4}">${escaped(name)}</text>`,
    );
  });
  out.push('</svg>');
  return `${out.join('\n')}\n`;
}

/** The powers of ten around values, at least one apart. */
export function decades(values: readonly number[]): readonly [low: number, high: number] {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.ceil(Math.log10(Math.max(...values)));
  return [low, Math.max(high, low + 1)];
}

/** The values that have a line: powers of ten, and where there are few of them, 2 and 5 between. */
export function ticks(low: number, high: number): number[] {
  const steps = high - low <= 2 ? [1, 2, 5] : [1];
  const between = Array.from({ length: high - low }, (_, at) => steps.map((step) => step * 10 ** (low + at)));
  return [...between.flat(), 10 ** high];
}

/** Places near the wanted ones, in the same order, no two closer than a line of text, all between two bounds. */
export function spread(wanted: readonly number[], from: number, to: number): number[] {
  const order = wanted.map((_, at) => at).sort((a, b) => (wanted[a] as number) - (wanted[b] as number));
  const placed: number[] = [...wanted];
  let least = from;
  for (const at of order) {
    placed[at] = Math.max(wanted[at] as number, least);
    least = placed[at] + LABEL_STEP;
  }
  let most = to;
  for (const at of order.reverse()) {
    placed[at] = Math.min(placed[at] as number, most);
    most = placed[at] - LABEL_STEP;
  }
  return placed;
}

function style(count: number): string {
  const colours = (which: 0 | 1): string =>
    Array.from({ length: count }, (_, at) => {
      const colour = COLOURS[at % COLOURS.length]?.[which];
      return `.line.s${at},.lead.s${at}{stroke:${colour}}.mark.s${at},.name.s${at}{fill:${colour}}`;
    }).join('');
  const dashes = Array.from(
    { length: count },
    (_, at) => `.line.s${at}{stroke-dasharray:${DASHES[at % DASHES.length] || 'none'}}`,
  ).join('');
  return [
    'text{font:12px system-ui,sans-serif}.title{font-size:15px;font-weight:600}.middle{text-anchor:middle}.end{text-anchor:end}',
    '.line{fill:none;stroke-width:2}.lead{stroke-width:.7;opacity:.6}.grid{stroke-width:1}',
    '.page{fill:#fff}.title,.tick{fill:#1f2328}.grid{stroke:#d8dee4}',
    colours(0),
    dashes,
    `@media (prefers-color-scheme:dark){.page{fill:#0d1117}.title,.tick{fill:#e6edf3}.grid{stroke:#30363d}${colours(1)}}`,
  ].join('');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
