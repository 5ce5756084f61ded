/**
 * The instructions of a skill as a model is given them, by a tool or a prompt.
 *
 * @module
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Skill, SkillFile } from '../../catalog/snapshot.ts';
import { parseFrontmatter } from '../../format/index.ts';
import { LIMITS } from '../../limits.ts';
import type { ReadResourceResult } from './read.ts';
import { bytesText, plainPath } from './tool-content.ts';

/**
 * Where the instructions came from, the text of `SKILL.md` below its frontmatter, and the files that it may send a model
 * to, with the way to read them: the tools where the client is shown them, else resources.
 *
 * Errors: those of `read`.
 *
 * @example
 * await skillText(catalog, skill, { read, tools: true })
 */
export async function skillText(
  catalog: Catalog,
  skill: Skill,
  how: {
    /** What `resources/read` answers for a URI, with its checks. */
    readonly read: (uri: string) => Promise<ReadResourceResult>;
    readonly tools: boolean;
  },
): Promise<string> {
  const { contents } = await how.read(skill.uri);
  const [content] = contents;
  const { body } = parseFrontmatter('text' in content ? content.text : '');
  // What was read may be newer than what was looked up.
  const now = catalog.snapshot.skill(skill.uri) ?? skill;
  const text = body.trim() === '' ? '(its SKILL.md has no text below the frontmatter)' : body.trimEnd();
  return `Skill ${now.name}, from ${now.uri}\n\n${text}\n\n${filesText(now, how.tools)}`;
}

/**
 * The files of a skill but its `SKILL.md`, one a line, at most {@link LIMITS.toolFiles} of them with the number of the
 * rest.
 *
 * @example
 * filesText(skill, true).split('\n')[1] // '- references/forms.md (text/markdown, 120 bytes): skill://pdf/references/forms.md'
 */
export function filesText({ uri, rootUri, files }: Skill, tools: boolean): string {
  const others = files.filter((file) => file.uri !== uri);
  if (others.length === 0) return 'This skill has no other files.';
  const lines = others.slice(0, LIMITS.toolFiles).map(fileLine);
  const rest = others.length - lines.length;
  if (rest > 0) {
    lines.push(
      `… and ${rest} more${tools ? '; read_skill_file with the path of a folder lists that folder' : ''}`,
    );
  }
  const way = tools
    ? 'read_skill_file reads one by its path, read_resource by its URI'
    : 'each is a resource at its URI';
  return `Files of this skill below ${rootUri}; ${way}:\n${lines.join('\n')}`;
}

function fileLine({ path, mimeType, size, digest, uri }: SkillFile): string {
  return `- ${plainPath(path)} (${mimeType}${digest === undefined ? '' : `, ${bytesText(size)}`}): ${uri}`;
}
