/**
 * A source at a glance: its skills with their files, and what is wrong.
 *
 * @module
 */
import type { Skill } from '../catalog/index.ts';
import { type Style, tableLines } from './output.ts';
import { plural, sizeText } from './plural.ts';
import { printable } from './printable.ts';
import { countsOf } from './serve-problems.ts';
import { reportLines, summaryOf } from './serve-report.ts';
import type { ShowInput } from './show.ts';
import { skillJson } from './show-skill.ts';
import { factsText, sourceFacts } from './source-facts.ts';
import { createSourcePaths } from './source-paths.ts';
import { clip } from './text-width.ts';

/** Files that are listed one by one; of more, only their number. */
const FILES_SHOWN = 60;
/** Digits of a digest at a glance: enough to compare by eye, and no more than a line holds. */
const DIGITS = 12;

/** Shows all of a source. */
export function showOverview(input: ShowInput): void {
  const { source, catalog, flags, context } = input;
  const { snapshot } = catalog;
  const { output } = context;
  const facts = sourceFacts(catalog.source);
  if (flags.json === true) {
    output.json({
      source,
      ...facts,
      revision: snapshot.revision,
      counts: countsOf(snapshot),
      skills: snapshot.skills.map(skillJson),
      refused: snapshot.refused.map(({ path, diagnostic }) => ({ path, diagnostic })),
      diagnostics: snapshot.diagnostics,
    });
    return;
  }
  const { style } = output;
  output.line(style.bold(printable(summaryOf(snapshot, [source]))));
  output.line(`${printable(factsText(facts))}; revision ${snapshot.revision.slice(0, DIGITS)}…`);
  const files = snapshot.skills.reduce((sum, skill) => sum + skill.files.length, 0);
  const inFull = files <= FILES_SHOWN;
  output.line();
  if (inFull)
    for (const skill of snapshot.skills)
      for (const line of inDetail(skill, output.width, style)) output.line(line);
  else for (const line of table(snapshot.skills, output.width)) output.line(line);
  const paths = createSourcePaths(source, catalog.source);
  const report = reportLines(
    { snapshot, warnings: [], sources: [source], version: context.version, shown: paths.shown },
    style,
  ).slice(1);
  if (report.length > 0 && snapshot.skills.length > 0) output.line();
  for (const line of report) output.line(line);
  if (!inFull) output.note('add the name of a skill to see its files');
}

function inDetail(skill: Skill, width: number, style: Style): string[] {
  const head = `${style.bold(printable(skill.path || skill.name))}${remarks(skill)}  `;
  const room = width - head.length;
  return [
    `${head}${style.dim(clip(printable(oneLine(skill.description)), Math.max(20, room)))}`,
    ...tableLines(
      skill.files.map(({ path, size, digest }) => [printable(path), sizeText(size), short(digest)]),
    ).map((line) => `  ${line}`),
  ];
}

function table(skills: readonly Skill[], width: number): string[] {
  const rows = skills.map((skill) => [
    printable(skill.path || skill.name) + remarks(skill),
    plural(skill.files.length, 'file'),
    sizeText(skill.totalBytes),
    short(skill.files.find(({ path }) => path === 'SKILL.md')?.digest),
    printable(oneLine(skill.description)),
  ]);
  return tableLines(rows).map((line) => clip(line, width));
}

function remarks({ name, path, listed, hidden }: Skill): string {
  const folder = path.slice(path.lastIndexOf('/') + 1);
  const said = [
    ...(path === '' || folder === name ? [] : [`as ${name}`]),
    ...(listed || hidden ? [] : ['unlisted']),
    ...(hidden ? ['hidden'] : []),
  ];
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** `sha256:` and the first digits. */
function short(digest: string | undefined): string {
  return digest === undefined ? 'dynamic' : `${digest.slice(0, 7 + DIGITS)}…`;
}
