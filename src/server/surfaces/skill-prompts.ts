/**
 * Each skill as a prompt, for people whose client shows prompts and no resources.
 *
 * @module
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Skill, Snapshot } from '../../catalog/snapshot.ts';
import { SkillError } from '../../errors.ts';
import type { PromptDefinition, PromptMessages } from '../../prompts/index.ts';
import { quote } from '../../uri/quote.ts';
import type { SurfaceContext } from '../context.ts';
import { cutWords, oneLine } from '../one-line.ts';
import { readFile } from '../read-file.ts';
import { findFile } from './lookup.ts';
import { hasOwnName } from './named-skill.ts';
import type { PromptSet } from './prompt-list.ts';
import { skillText } from './skill-text.ts';

/** The one argument: what the user wants done, added below the instructions. */
const REQUEST = 'request';

/** UTF-16 units of a description; it stands beside a command. */
const DESCRIPTION_LENGTH = 1_024;

interface Named {
  readonly definitions: readonly PromptDefinition[];
  readonly skills: ReadonlyMap<string, Skill>;
}

const named = new WeakMap<Snapshot, Named>();
const NONE: readonly PromptDefinition[] = [];

/**
 * The skills that discovery shows as prompts, for clients that are shown them: named as the skill, and where several
 * skills have the name, each by its path, such as `team/pdf`.
 *
 * @example
 * listPrompts([filePrompts(registry), skillPrompts(catalog)], {}, context)
 */
export function skillPrompts(catalog: Catalog): PromptSet {
  return {
    definitions: (context) => (isShown(context) ? namesOf(catalog.snapshot).definitions : NONE),
    has: (name, context) => isShown(context) && namesOf(catalog.snapshot).skills.has(name),
    get: async ({ name, arguments: given }, context) => {
      const skill = namesOf(catalog.snapshot).skills.get(name);
      if (skill === undefined) throw invalid(`no such prompt: ${quote(name)}; prompts/list names them`);
      return messages(catalog, skill, requestOf(given), context);
    },
    complete: ({ ref, argument }) => {
      if (argument.name === REQUEST) return { completion: { values: [], total: 0, hasMore: false } };
      throw invalid(`the prompt ${quote(ref.name ?? '')} has no argument ${quote(argument.name)}`);
    },
  };
}

/**
 * The names of the skills as prompts, in order.
 *
 * @example
 * skillPromptNames(snapshot) // ['docx', 'team/pdf', 'tools/pdf']
 */
export function skillPromptNames(snapshot: Snapshot): readonly string[] {
  return namesOf(snapshot).definitions.map(({ name }) => name);
}

function isShown(context: SurfaceContext): boolean {
  return context.exposed?.prompts === true;
}

function namesOf(snapshot: Snapshot): Named {
  let made = named.get(snapshot);
  if (made === undefined) {
    const skills = new Map<string, Skill>();
    for (const skill of snapshot.skills) {
      if (!skill.hidden) skills.set(hasOwnName(snapshot, skill) ? skill.name : pathOf(skill), skill);
    }
    const definitions = [...skills]
      .map(([name, skill]) => definitionOf(name, skill))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
    made = { definitions, skills };
    named.set(snapshot, made);
  }
  return made;
}

/**
 * The path as people write it, with its escapes where it holds what nobody sees, or where a percent sign is left: `a#b` and
 * `a%23b` would be one name.
 */
function pathOf({ rootUri }: Skill): string {
  const escaped = rootUri.slice('skill://'.length);
  const path = decodeURI(escaped);
  return oneLine(path) === path && !path.includes('%') ? path : escaped;
}

function definitionOf(name: string, { description, frontmatter }: Skill): PromptDefinition {
  const title = typeof frontmatter.title === 'string' ? oneLine(frontmatter.title) : '';
  return {
    name,
    ...(title !== '' && { title }),
    description: cutWords(oneLine(description), DESCRIPTION_LENGTH),
    arguments: [{ name: REQUEST, description: 'What you want done with the skill', required: false }],
  };
}

async function messages(
  catalog: Catalog,
  skill: Skill,
  request: string | undefined,
  context: SurfaceContext,
): Promise<PromptMessages> {
  const text = await skillText(catalog, skill, {
    read: (uri) => readFile(catalog, findFile(catalog.snapshot, uri), uri, context),
    tools: context.exposed?.tools === true,
  });
  const asked = request === undefined || request.trim() === '' ? '' : `\n\nRequest:\n${request}`;
  return {
    description: cutWords(oneLine(skill.description), DESCRIPTION_LENGTH),
    messages: [{ role: 'user', content: { type: 'text', text: text + asked } }],
  };
}

function requestOf(given: unknown): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'object' || Array.isArray(given)) {
    throw invalid('arguments must be an object whose values are strings');
  }
  let request: string | undefined;
  for (const [name, value] of Object.entries(given)) {
    if (name !== REQUEST) throw invalid(`a skill has no argument ${quote(name)}; it takes ${REQUEST}`);
    if (typeof value !== 'string') throw invalid(`the value of the argument ${quote(name)} must be a string`);
    request = value;
  }
  return request;
}

function invalid(message: string): SkillError {
  return new SkillError('INVALID_REQUEST', message);
}
