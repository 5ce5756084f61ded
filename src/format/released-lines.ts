/**
 * Lines as the released reader takes them apart.
 *
 * @module
 */
import { skipBlanks } from './released-flow.ts';

/** One line of YAML. */
export interface Line {
  /** Offset of the line. */
  readonly start: number;
  readonly raw: string;
  /** Column of the content. */
  indent: number;
  /** The line from its content on. */
  text: string;
}

/** The lines of a YAML text, without their ends. */
export function splitLines(yaml: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < yaml.length; ) {
    const found = yaml.indexOf('\n', start);
    const end = found === -1 ? yaml.length : found;
    let indent = start;
    while (indent < end && yaml[indent] === ' ') indent++;
    const raw = yaml.slice(start, end);
    lines.push({ start, raw, indent: indent - start, text: raw.slice(skipBlanks(raw, indent - start)) });
    start = end + 1;
  }
  return lines;
}

/** Whether a line begins an item of a block list. */
export function isItem(text: string): boolean {
  if (text.charCodeAt(0) !== 0x2d) return false;
  const next = text[1];
  return next === undefined || next === ' ' || next === '\t';
}

/** `text` without spaces and tabs at its end. */
export function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return text.slice(0, end);
}

/** Index of the blank before a comment; -1 if there is none. */
export function commentAt(text: string): number {
  for (let at = text.indexOf('#', 1); at !== -1; at = text.indexOf('#', at + 1)) {
    if (text[at - 1] === ' ' || text[at - 1] === '\t') return at - 1;
  }
  return -1;
}

/** Whether a colon stands before a blank or at the end. */
export function hasColon(text: string): boolean {
  for (let at = text.indexOf(':'); at !== -1; at = text.indexOf(':', at + 1)) {
    const next = text[at + 1];
    if (next === undefined || next === ' ' || next === '\t') return true;
  }
  return false;
}

/** The lines of a block scalar joined as the released reader joins them. */
export function joinBlock(lines: readonly string[], folded: boolean, chomp: string): string {
  let text = '';
  let blanks = 0;
  let started = false;
  let deeper = false;
  for (const line of lines) {
    if (line === '') {
      blanks++;
      continue;
    }
    const indented = line[0] === ' ' || line[0] === '\t';
    if (!started) text += '\n'.repeat(blanks);
    else if (!folded || indented || deeper) text += '\n'.repeat(blanks + 1);
    else text += blanks === 0 ? ' ' : '\n'.repeat(blanks);
    deeper = folded && indented;
    text += line;
    started = true;
    blanks = 0;
  }
  if (chomp === '+') return text + '\n'.repeat(started ? blanks + 1 : blanks);
  return chomp === '' && started ? `${text}\n` : text;
}
