/** One column of a table: its head, and whether its cells are numbers. */
export type Column = string | { readonly number: string };

/** What stands for a value that there is not. */
export const NOTHING = '–';

/** The lines of a Markdown table. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const head = columns.map((column) => (typeof column === 'string' ? column : column.number));
  const rule = columns.map((column) => (typeof column === 'string' ? '---' : '--:'));
  return [`| ${head.join(' | ')} |`, `|${rule.join('|')}|`, ...rows.map((row) => `| ${row.join(' | ')} |`)];
}

/** A number with separators and as many digits as it deserves: `28,300`, `4.2`, `0.57`. */
export function number(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return NOTHING;
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A number without digits after the point. */
export function whole(value: number | undefined): string {
  return value === undefined || Number.isNaN(value) ? NOTHING : Math.round(value).toLocaleString('en');
}

/** A time: `37.7 s`, `412 ms`, `0.61 ms`. */
export function time(ms: number | undefined): string {
  if (ms === undefined || Number.isNaN(ms)) return NOTHING;
  return ms >= 1_000 ? `${number(ms / 1_000)} s` : `${number(ms)} ms`;
}

/** Bytes in MB of 1,000,000. */
export function megabytes(bytes: number | undefined): string {
  return bytes === undefined || Number.isNaN(bytes) ? NOTHING : `${number(bytes / 1_000_000)} MB`;
}

/** A rate: `28,300/s`. */
export function rate(perSecond: number | undefined): string {
  return perSecond === undefined || Number.isNaN(perSecond) ? NOTHING : `${whole(perSecond)}/s`;
}

/** One number divided by another; undefined where there is none. */
export function quotient(over: number | undefined, under: number | undefined): number | undefined {
  if (over === undefined || under === undefined || under === 0) return undefined;
  const value = over / under;
  return Number.isFinite(value) ? value : undefined;
}
