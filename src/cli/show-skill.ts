/**
 * One skill: its entry, its frontmatter, its files.
 *
 * @module
 */
import { entryOf, type Skill } from '../catalog/index.ts';
import type { Diagnostic, JsonValue } from '../format/index.ts';
import { tableLines } from './output.ts';
import { plural, sizeText } from './plural.ts';
import { printable } from './printable.ts';
import { renderDiagnostic } from './render-diagnostic.ts';
import type { ShowInput } from './show.ts';
import { createSourcePaths } from './source-paths.ts';

/** Shows one skill. */
export async function showSkill(input: ShowInput, skill: Skill): Promise<void> {
  const { source, catalog, flags, context } = input;
  const { output } = context;
  const diagnostics = catalog.snapshot.diagnostics.filter(({ path }) => isIn(path, skill));
  if (flags.json === true) {
    output.json({
      source,
      revision: catalog.snapshot.revision,
      skill: skillJson(skill),
      entry: entryOf(skill),
      diagnostics,
    });
    return;
  }
  const { style, width } = output;
  output.line(style.bold(printable(skill.name)));
  const facts: string[][] = [
    ['uri', skill.uri],
    ['folder', skill.path === '' ? '.' : skill.path],
    ['state', stateOf(skill)],
  ];
  for (const line of tableLines(facts.map(([key = '', value = '']) => [key, printable(value)])))
    output.line(`  ${line}`);
  output.line();
  output.line(style.bold('frontmatter'));
  for (const [key, value] of Object.entries(skill.frontmatter)) {
    output.line(`  ${style.cyan(printable(key))}: ${printable(valueText(value))}`);
  }
  output.line();
  output.line(style.bold(`${plural(skill.files.length, 'file')}, ${sizeText(skill.totalBytes)}`));
  const rows = skill.files.map(({ path, size, digest, mimeType }) => [
    printable(path),
    sizeText(size),
    mimeType,
    digest ?? 'dynamic',
  ]);
  for (const line of tableLines(rows)) output.line(`  ${line}`);
  if (diagnostics.length === 0) return;
  output.line();
  const paths = createSourcePaths(source, catalog.source);
  for (const each of diagnostics) {
    for (const line of await rendered(each)) output.line(line);
  }

  async function rendered(diagnostic: Diagnostic): Promise<string[]> {
    const path = paths.shown(diagnostic.path);
    if (diagnostic.range === undefined) return renderDiagnostic(diagnostic, { path, style, width });
    const text = (await catalog.source.read(diagnostic.path)).bytes.toString('utf8');
    return renderDiagnostic(diagnostic, { path, style, width, text });
  }
}

/** A skill as it stands in the documents of `--json`. */
export function skillJson(skill: Skill): object {
  return {
    name: skill.name,
    path: skill.path,
    uri: skill.uri,
    description: skill.description,
    listed: skill.listed,
    size: skill.totalBytes,
    files: skill.files.map(({ path, uri, size, digest, mimeType }) => ({
      path,
      uri,
      size,
      digest: digest ?? null,
      mimeType,
    })),
  };
}

function isIn(path: string, skill: Skill): boolean {
  return skill.path === '' || path === skill.path || path.startsWith(`${skill.path}/`);
}

function stateOf({ listed, hidden, dynamic }: Skill): string {
  const state = hidden ? 'hidden' : listed ? 'listed' : 'unlisted: served by URI and in no listing';
  return dynamic ? `${state}; dynamic` : state;
}

function valueText(value: JsonValue): string {
  return typeof value === 'string' ? value.trimEnd() : JSON.stringify(value);
}
