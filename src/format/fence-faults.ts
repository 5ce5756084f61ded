/**
 * What is wrong with a file that has no complete frontmatter.
 *
 * @module
 */
import type { SkillError } from '../errors.ts';
import { type Fault, faultError } from './fault.ts';
import { createPositions } from './positions.ts';

const SKELETON =
  'begin the file with "---", "name: …", "description: …" and "---", each on a line of its own';

/** The fault of a text whose first line is no fence. Line ends are LF. */
export function explainMissingFence(text: string): Fault {
  const firstEnd = lineEnd(text, 0);
  const first = text.slice(0, firstEnd);
  const place = { code: 'MISSING_FRONTMATTER', start: 0, end: firstEnd } as const;
  if (text.trim() === '') {
    return { ...place, message: 'SKILL.md is empty', hint: SKELETON };
  }
  const fence = /^[ \t]*---[ \t]*$/m.exec(text);
  const clean = text.replace(/^[\ufeff\s]+/, '');
  if (/^---[ \t]*(?:\n|$)/.test(clean)) {
    const extra = text.length - clean.length;
    const what = /^\ufeff/.test(text)
      ? 'a second byte order mark stands'
      : /^[ \t]+---/.test(first)
        ? 'spaces stand'
        : 'a blank line stands';
    return {
      ...place,
      message: `${what} before the opening "---" on line 1`,
      hint: 'remove everything before the opening "---"',
      fix: { start: 0, end: extra, text: '', title: 'Remove what stands before the opening "---"' },
    };
  }
  if (/^-{4,}|^---\S|^---[ \t]+\S/.test(first)) {
    return {
      ...place,
      message: `line 1 is ${JSON.stringify(first.slice(0, 40))}, not exactly "---"`,
      hint: 'make line 1 exactly three dashes',
    };
  }
  if (fence !== null) {
    const line = text.slice(0, fence.index).split('\n').length;
    const comment = first.startsWith('<!--') ? 'a comment' : first.startsWith('#') ? 'a heading' : 'content';
    return {
      ...place,
      message: `${comment === 'content' ? 'content stands' : `content (${comment}) stands`} before "---" on line 1; the first "---" is on line ${line}`,
      hint: 'move it below the frontmatter: a skill begins with "---" on line 1',
    };
  }
  if (/^(?:\+\+\+|;;;)/.test(first)) {
    return {
      ...place,
      message: `line 1 is ${JSON.stringify(first.slice(0, 40))}, not "---": the frontmatter must be YAML`,
      hint: 'write the fields as YAML between two lines of exactly three dashes',
    };
  }
  return { ...place, message: 'SKILL.md has no frontmatter: line 1 is not "---"', hint: SKELETON };
}

/** The fault of a text that opens a frontmatter and never closes it. Line ends are LF. */
export function explainUnterminated(text: string): Fault {
  const bodyStart = text.indexOf('\n') + 1;
  const rest = bodyStart === 0 ? '' : text.slice(bodyStart);
  const near =
    /^\.\.\.(?=[ \t]|$).*$/m.exec(rest) ??
    /^[ \t]+---[ \t]*$/m.exec(rest) ??
    /^(?:-{4,}|---\S.*|--|—+|–+)[ \t]*$/m.exec(rest) ??
    /^.*\S---[ \t]*$/m.exec(rest);
  if (near === null) {
    return {
      code: 'UNTERMINATED_FRONTMATTER',
      message: 'the frontmatter opened on line 1 has no closing "---"',
      start: 0,
      end: 3,
      hint: 'put a line of exactly three dashes after the last field',
    };
  }
  const start = bodyStart + near.index;
  const seen = near[0].trim().slice(0, 40);
  const line = text.slice(0, start).split('\n').length;
  const indented = /^[ \t]+---[ \t]*$/.test(near[0]);
  return {
    code: 'UNTERMINATED_FRONTMATTER',
    message: `the closing "---" was not found; line ${line} has ${indented ? 'an indented "---"' : JSON.stringify(seen)}`,
    start,
    end: start + near[0].length,
    hint: 'the closing fence is a line of exactly three dashes at the start of the line',
    ...(indented && {
      fix: {
        start,
        end: start + near[0].length,
        text: '---',
        title: 'Move the closing "---" to the start of the line',
      },
    }),
  };
}

/** The error of a file that is not UTF-8: names the encoding where the first bytes give it away. */
export function explainNotUtf8(bytes: Uint8Array): SkillError {
  const wide = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  const lossy = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replace(/\r\n?/g, '\n');
  const text = lossy.startsWith('\ufeff') ? lossy.slice(1) : lossy;
  const at = wide ? 0 : Math.max(0, firstReplacement(bytes, text));
  return faultError(
    {
      code: 'NOT_UTF8',
      message: wide ? 'SKILL.md is saved as UTF-16, not as UTF-8' : 'SKILL.md holds bytes that are not UTF-8',
      start: at,
      end: at + 1,
      hint: wide
        ? 'save the file as UTF-8'
        : 'save the file as UTF-8; it looks like an older encoding such as Windows-1252, or like no text at all',
    },
    createPositions(text),
  );
}

/** Offset of the first character that stands for bytes that are not UTF-8, and not for a real U+FFFD. */
function firstReplacement(bytes: Uint8Array, text: string): number {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let good = 0;
  let bad = bytes.length;
  // The longest valid prefix; a prefix may end inside a character, which `stream` allows.
  while (good < bad) {
    const middle = (good + bad + 1) >> 1;
    if (isPrefix(bytes.subarray(0, middle))) good = middle;
    else bad = middle - 1;
  }
  const prefix = strict.decode(bytes.subarray(0, good), { stream: true }).replace(/\r\n?/g, '\n');
  const length = prefix.length - (prefix.startsWith('\ufeff') ? 1 : 0);
  return Math.min(length, text.length);
}

function isPrefix(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}
