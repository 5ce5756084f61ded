import type { Rule } from '../../src/format/index.ts';

const LONG_LINE = 120;

/** A long line by its beginning and its length: nobody reads a thousand characters of an example. */
function shorten(line: string): string {
  const characters = Array.from(line);
  if (characters.length <= LONG_LINE) return line;
  return `${characters.slice(0, 60).join('')}… (${characters.length.toLocaleString('en-US')} characters in all)`;
}

function example(text: string): string {
  const lines = text.replace(/\n$/, '').split('\n').map(shorten);
  return ['```', ...lines, '```'].join('\n');
}

/** The section of `docs/reference/rules.md` for one code. */
export function renderRule(code: string, rule: Rule): string {
  const parts = [`### ${code}`, `*${rule.severity}* · ${rule.title}`, rule.text];
  if (rule.bad !== '') parts.push('Bad:', example(rule.bad), 'Good:', example(rule.good));
  return parts.join('\n\n');
}
