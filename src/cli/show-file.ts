/**
 * One file of a skill, byte for byte.
 *
 * @module
 */
import type { Skill, SkillFile } from '../catalog/index.ts';
import { SkillError } from '../errors.ts';
import type { ShowInput } from './show.ts';
import { terminalText } from './terminal-text.ts';
import { usageError } from './usage.ts';

const NAMED = 20;

/**
 * Writes a file of a skill to stdout: the bytes as they are, but on a terminal the text with everything written out that
 * could steer it.
 *
 * Errors: `RESOURCE_NOT_FOUND`, the code of what is left out, `USAGE` for a binary file on a terminal.
 */
export async function showFile(input: ShowInput, skill: Skill, wanted: string): Promise<void> {
  const { catalog, flags, context, source } = input;
  const { output } = context;
  const file = find(input, skill, wanted);
  const { bytes } = await catalog.read(file.uri);
  if (flags.json === true) {
    const { path, uri, size, digest, mimeType, text } = file;
    const content = text ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') };
    const skillFacts = { name: skill.name, path: skill.path };
    output.json({
      source,
      skill: skillFacts,
      file: { path, uri, size, digest: digest ?? null, mimeType, ...content },
    });
  } else if (!output.isTerminal) {
    output.raw(bytes);
  } else if (file.text) {
    output.raw(terminalText(bytes.toString('utf8')));
  } else {
    throw usageError(
      `${file.path} is binary (${file.mimeType}, ${file.size} bytes) and not printed on a terminal`,
      'pipe it on, or write it to a file with >',
    );
  }
}

function find({ catalog, source }: ShowInput, skill: Skill, wanted: string): SkillFile {
  const path = wanted.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
  const found = skill.files.find((file) => file.path === path || file.uri === wanted);
  if (found !== undefined) return found;
  const sourcePath = skill.path === '' ? path : `${skill.path}/${path}`;
  const diagnostic = catalog.snapshot.diagnostics.find((each) => each.path === sourcePath);
  if (diagnostic !== undefined && skill.folders.every((folder) => folder !== path)) {
    throw new SkillError(
      'RESOURCE_NOT_FOUND',
      `${path} is not served: [${diagnostic.code}] ${diagnostic.message}`,
      {
        details: diagnostic.hint === undefined ? {} : { hint: diagnostic.hint },
      },
    );
  }
  const below = skill.files.map((file) => file.path).filter((each) => each.startsWith(`${path}/`));
  if (below.length > 0) throw notFound(`${path} is a folder`, `it holds ${some(below)}`);
  throw notFound(
    `the skill ${skill.name} of ${source} has no file ${JSON.stringify(wanted)}`,
    `it has ${some(skill.files.map((file) => file.path))}`,
  );
}

function notFound(message: string, hint: string): SkillError {
  return new SkillError('RESOURCE_NOT_FOUND', message, { details: { hint } });
}

function some(paths: readonly string[]): string {
  const shown = paths.slice(0, NAMED).join(', ');
  return paths.length > NAMED ? `${shown} and ${paths.length - NAMED} more` : shown;
}
