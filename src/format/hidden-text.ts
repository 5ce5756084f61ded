/**
 * Text that a model reads and a reader of the rendered Markdown does not see.
 *
 * @module
 */
import type { Diagnostic } from './diagnostic.ts';

/** As many findings as a head reports at most. */
const MAX_FINDINGS = 100;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A link definition that leads nowhere and has a title: the usual spelling of a comment in Markdown. */
const COMMENT_DEFINITION = /^ {0,3}\[[^\]]+\]:[ \t]*(?:#|<#?>)[ \t]+(?:\(.*\)|".*"|'.*')[ \t]*$/;

/** Where something hidden begins and ends; lines and columns from 0, the end exclusive. */
interface Hidden {
  readonly what: 'an HTML comment' | 'a link definition';
  readonly from: readonly [line: number, column: number];
  readonly to: readonly [line: number, column: number];
}

/**
 * A warning for each HTML comment and each link definition used as a comment in the body of a `SKILL.md`, in their
 * order; what stands in fenced code or between backticks is shown and therefore no finding. The bytes stay as they
 * are: a skill with comments is served, and whoever approves it may want to read them.
 *
 * @example
 * hiddenText('---\nname: a\ndescription: d\n---\n<!-- hi -->\n', 'a/SKILL.md')[0]?.range?.start.line // 5
 */
export function hiddenText(text: string, path: string): Diagnostic[] {
  const lines = text.split(/\r\n|\r|\n/);
  const found = find(lines, bodyStart(lines));
  const diagnostics = found.slice(0, MAX_FINDINGS).map(({ what, from, to }): Diagnostic => {
    const range = {
      start: { line: from[0] + 1, column: from[1] + 1 },
      end: { line: to[0] + 1, column: to[1] + 1 },
    };
    const upTo = from[0] === to[0] ? '' : ` to ${to[0] + 1}`;
    const message = `${what} in line ${from[0] + 1}${upTo} is read by models and shown to nobody`;
    const hint = 'delete it, or write what it says where readers see it';
    return { code: 'HIDDEN_TEXT', severity: 'warning', message, path, range, hint };
  });
  if (found.length > MAX_FINDINGS) {
    const message = `${found.length} places have hidden text; the first ${MAX_FINDINGS} are reported`;
    diagnostics.push({ code: 'MORE_PROBLEMS', severity: 'info', message, path });
  }
  return diagnostics;
}

/** The line after the closing fence of the frontmatter. */
function bodyStart(lines: readonly string[]): number {
  const isFence = (line: string | undefined): boolean => /^---[ \t]*$/.test(line ?? '');
  if (!isFence(lines[0]?.replace(/^\ufeff/, ''))) return 0;
  const end = lines.findIndex((line, at) => at > 0 && isFence(line));
  return end === -1 ? lines.length : end + 1;
}

function find(lines: readonly string[], start: number): Hidden[] {
  const found: Hidden[] = [];
  let fence: string | undefined;
  let opened: readonly [number, number] | undefined;
  for (let at = start; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (opened === undefined) {
      const mark = FENCE.exec(line)?.[1];
      if (fence !== undefined) {
        if (closes(line, fence)) fence = undefined;
        continue;
      }
      if (mark !== undefined) {
        fence = mark;
        continue;
      }
      if (COMMENT_DEFINITION.test(line))
        found.push({ what: 'a link definition', from: [at, 0], to: [at, line.length] });
    }
    let column = 0;
    const comments = new Comments(line);
    for (;;) {
      if (opened === undefined) {
        column = comments.next(column);
        if (column === -1) break;
        opened = [at, column];
        column += '<!--'.length;
      }
      // "<!-->" and "<!--->" are whole comments.
      const back = opened[0] === at ? Math.max(column - 2, opened[1] + 2) : column;
      const end = line.indexOf('-->', back);
      if (end === -1) break;
      column = end + '-->'.length;
      found.push({ what: 'an HTML comment', from: opened, to: [at, column] });
      opened = undefined;
    }
  }
  // Without an end a comment hides the rest of the file.
  if (opened !== undefined)
    found.push({
      what: 'an HTML comment',
      from: opened,
      to: [lines.length - 1, lines.at(-1)?.length ?? 0],
    });
  return found;
}

/** Whether a line ends a fenced block that `fence` began. */
function closes(line: string, fence: string): boolean {
  const mark = FENCE.exec(line)?.[1] ?? '';
  return mark.startsWith(fence) && line.trim() === mark;
}

/** A run of backticks, and the next one of the same length, which ends the code that this one begins. */
interface Run {
  readonly start: number;
  readonly end: number;
  readonly closer: number;
}

/** Where comments begin in a line, from left to right; what stands between backticks is code. */
class Comments {
  readonly #line: string;
  readonly #runs: readonly Run[];
  #at = 0;

  constructor(line: string) {
    this.#line = line;
    this.#runs = line.includes('<!--') ? runsOf(line) : [];
  }

  /** The place of the next comment from `from` on; -1: there is none. */
  next(from: number): number {
    let start = from;
    let found = this.#line.indexOf('<!--', start);
    while (found !== -1) {
      const run = this.#runs[this.#at];
      if (run === undefined || run.start > found) return found;
      this.#at += 1;
      if (run.start < start || run.closer === -1) continue;
      start = this.#runs[run.closer]?.end ?? start;
      this.#at = run.closer + 1;
      if (found < start) found = this.#line.indexOf('<!--', start);
    }
    return -1;
  }
}

function runsOf(line: string): readonly Run[] {
  const places = [...line.matchAll(/`+/g)].map(({ index, 0: { length } }) => ({ start: index, length }));
  const nextOf = new Map<number, number>();
  const runs = new Array<Run>(places.length);
  for (let at = places.length - 1; at >= 0; at--) {
    const { start, length } = places[at] ?? { start: 0, length: 0 };
    runs[at] = { start, end: start + length, closer: nextOf.get(length) ?? -1 };
    nextOf.set(length, at);
  }
  return runs;
}
