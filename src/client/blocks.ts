/**
 * Skills as text for a prompt, in the form of seed 000. Nothing is escaped: use it with servers whose authors may write
 * the prompt, and `safe-block.ts` with all others.
 *
 * @module
 */
import type { Index } from '../wire/index.ts';
import type { LoadedSkill } from './load-result.ts';
import type { SkillListing } from './skill.ts';
import { fieldOf } from './skill-text.ts';

const CATALOG_HEAD =
  "## Skills (catalog)\n\nThese skills are available. Call load_skill(name) to read a skill's full instructions before using it.\n\n";
const INSTRUCTIONS_HEAD =
  '## Skills\n\nThe following skills are provided by connected servers. Follow their instructions when relevant.\n\n';

/**
 * The names and descriptions of skills as a section of a prompt, in the order given (seed `CatalogBlock`); empty when
 * there are none. Of an index only the entries of type `skill-md`, since their content is read one by one; of a listing
 * all. A name that is empty is replaced by the URI; line breaks stay as they are.
 *
 * @example
 * const prompt = base + catalogBlock(await skills.listSkills())
 */
export function catalogBlock(source: Index | SkillListing): string {
  const lines = namedIn(source).map(({ name, description, uri }) => {
    const shown = name === '' ? uri : name;
    return description === '' ? `- ${shown}\n` : `- ${shown}: ${description}\n`;
  });
  return lines.length === 0 ? '' : CATALOG_HEAD + lines.join('');
}

/**
 * The whole `SKILL.md` of every skill that was loaded, as a section of a prompt, in the order given (seed
 * `InstructionsBlock`). Skills that failed or are empty are left out; with none left the result is empty, so it can be
 * appended as it is.
 *
 * @example
 * const prompt = base + instructionsBlock(await skills.loadAll())
 */
export function instructionsBlock(loaded: readonly LoadedSkill[]): string {
  const sections: string[] = [];
  for (const { entry, body, error } of loaded) {
    if (error !== undefined || body === undefined || body.length === 0) continue;
    const name = entry.name === undefined || entry.name === '' ? entry.url : entry.name;
    const description = entry.description === '' ? '' : `${entry.description}\n`;
    sections.push(`### Skill: ${name}\n${description}\n${trimSpace(decode(body))}\n\n`);
  }
  return sections.length === 0 ? '' : INSTRUCTIONS_HEAD + sections.join('');
}

function namedIn(source: Index | SkillListing): { name: string; description: string; uri: string }[] {
  if ('complete' in source) {
    return source.skills.map(({ entry }) => ({
      name: fieldOf(entry.frontmatter, 'name'),
      description: fieldOf(entry.frontmatter, 'description'),
      uri: entry.uri,
    }));
  }
  return source.skills
    .filter(({ type }) => type === 'skill-md')
    .map(({ name = '', description, url }) => ({ name, description, uri: url }));
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

const SPACE = /\p{White_Space}/u;

/** Without white space at both ends; a byte order mark is none, and a long run costs no more than its length. */
function trimSpace(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text.charAt(start))) start++;
  while (end > start && SPACE.test(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}
