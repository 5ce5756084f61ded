/**
 * `text` with `body` between the marks of a section, which is added at the end where it is missing. Whatever else there is
 * stays: two runs write the two sections of one page.
 */
export function withSection(text: string, name: string, body: string): string {
  const begin = `<!-- ${name}: written by npm run bench -->`;
  const end = `<!-- end of ${name} -->`;
  const section = `${begin}\n\n${body.trim()}\n\n${end}`;
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from === -1 || to === -1) return `${text.trimEnd()}${text.trim() === '' ? '' : '\n\n'}${section}\n`;
  return text.slice(0, from) + section + text.slice(to + end.length);
}
