/** Numbers by name, as `http.read.skillwire.perSecond`; times in ms, memory in bytes. */
export type Numbers = Readonly<Record<string, number>>;

/** What one room of the harness measured. */
export interface Measured {
  /** Markdown for people. */
  readonly lines: readonly string[];
  /** For the goals and the stored ratios; a name is missing where nothing was measured. */
  readonly numbers: Numbers;
}

/** Several measurements as one. */
export function joined(parts: readonly Measured[]): Measured {
  return {
    lines: parts.flatMap(({ lines }) => [...lines, '']),
    numbers: Object.assign({}, ...parts.map(({ numbers }) => numbers)) as Numbers,
  };
}
