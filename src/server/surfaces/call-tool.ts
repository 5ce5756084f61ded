/**
 * The tools for clients that cannot read resources, called.
 *
 * @module
 */
import type { Catalog } from '../../catalog/catalog.ts';
import type { Skill, Snapshot } from '../../catalog/snapshot.ts';
import { SkillError } from '../../errors.ts';
import { suggest } from '../../format/suggest.ts';
import { LIMITS } from '../../limits.ts';
import { formatSkillUri, resolveRelative } from '../../uri/index.ts';
import { quote } from '../../uri/quote.ts';
import type { SurfaceContext } from '../context.ts';
import { jsonBytes } from '../json-size.ts';
import { cutWords, oneLine } from '../one-line.ts';
import { listingPage, refuseLarge } from './listing.ts';
import { refuseLongUri } from './lookup.ts';
import { skillCalled } from './named-skill.ts';
import type { ReadResourceResult } from './read.ts';
import { skillText } from './skill-text.ts';
import { type ToolArguments, toolArguments } from './tool-arguments.ts';
import { failure, plainPath, readContent, type ToolResult, textContent } from './tool-content.ts';
import { type SkillToolName, skillTool } from './tools.ts';

/** What the tools read from. */
export interface ToolParts {
  readonly catalog: Catalog;
  /** What `resources/read` answers for a URI, with its checks. */
  readonly read: (uri: string) => Promise<ReadResourceResult>;
  /** The text about an error that may leave the process. */
  readonly wordsOf: (error: unknown, uri: string | undefined) => string;
}

/**
 * The answer to `tools/call`. What goes wrong in a tool, wrong arguments too, is a result with `isError`, since that is
 * what reaches the model. Output is bounded as a response of `resources/read` is.
 *
 * Errors: `INVALID_REQUEST` for a tool that does not exist, or that this client is not shown.
 *
 * @example
 * await callTool(parts, { name: 'load_skill', arguments: { name: 'pdf' } }, context)
 */
export async function callTool(
  parts: ToolParts,
  params: Readonly<Record<string, unknown>>,
  context: SurfaceContext,
): Promise<ToolResult> {
  const tool = context.exposed?.tools === true ? skillTool(params.name) : undefined;
  if (tool === undefined) {
    const name = typeof params.name === 'string' ? quote(params.name) : 'without a name';
    throw new SkillError('INVALID_REQUEST', `Unknown tool: ${name}`);
  }
  let given: ToolArguments = {};
  try {
    given = toolArguments(tool, params.arguments);
    const result = await TOOLS[tool.name](parts, given, context);
    refuseLarge(given.uri ?? given.skill ?? given.name ?? tool.name, jsonBytes(result), context);
    return result;
  } catch (error) {
    return failure(parts.wordsOf(error, given.uri));
  }
}

type Tool = (
  parts: ToolParts,
  given: ToolArguments,
  context: SurfaceContext,
) => ToolResult | Promise<ToolResult>;

const TOOLS: Readonly<Record<SkillToolName, Tool>> = {
  list_skills: ({ catalog }, given, context) => listed(catalog.snapshot, given, context),
  load_skill: loaded,
  read_skill_file: fileRead,
  read_resource: async (parts, { uri = '' }) => {
    refuseLongUri(uri);
    const located = parts.catalog.snapshot.locate(uri.endsWith('/') ? uri.slice(0, -1) : uri);
    if (located?.kind === 'directory') return folder(parts.catalog.snapshot, located.skill, located.path);
    return read(parts, uri);
  },
};

/** The name of the list in its cursors. */
const SKILLS_LIST = 'list_skills';

interface Summary {
  readonly name: string;
  readonly uri: string;
  readonly description: string;
}
interface Described {
  readonly summary: Summary;
  /** Where queries are looked for. */
  readonly text: string;
}

const described = new WeakMap<Skill, Described>();

function describe(skill: Skill): Described {
  let made = described.get(skill);
  if (made === undefined) {
    const { name, uri, description } = skill;
    const plain = cutWords(oneLine(description), LIMITS.toolDescriptionLength);
    made = {
      summary: { name, uri, description: plain },
      text: `${name}\n${decodeURI(uri)}\n${oneLine(description)}`.toLowerCase(),
    };
    described.set(skill, made);
  }
  return made;
}

/** One page of the skills that hold every word; the text is the JSON of the same, so that a client can tell they are one. */
function listed(
  snapshot: Snapshot,
  { query = '', cursor }: ToolArguments,
  context: SurfaceContext,
): ToolResult {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
  const found = snapshot.skills
    .filter((skill) => !skill.hidden)
    .map(describe)
    .filter(({ text }) => words.every((word) => text.includes(word)))
    .map(({ summary }) => summary);
  const { pageSize = 0 } = context;
  const { items, nextCursor } = listingPage(SKILLS_LIST, found, cursor, {
    ...context,
    pageSize: pageSize > 0 ? Math.min(pageSize, LIMITS.toolPageEntries) : LIMITS.toolPageEntries,
    pageBytes: LIMITS.toolPageBytes,
  });
  const structuredContent = {
    skills: items,
    total: found.length,
    ...(nextCursor !== undefined && { nextCursor }),
  };
  return { content: [textContent(JSON.stringify(structuredContent))], structuredContent };
}

/** Words of a query that count; more of them only take time. */
const MAX_WORDS = 16;

async function loaded({ catalog, read }: ToolParts, { name, uri }: ToolArguments): Promise<ToolResult> {
  const wanted = uri ?? name;
  if (wanted === undefined) {
    throw new SkillError('INVALID_REQUEST', 'load_skill needs name or uri; both are missing');
  }
  const skill = skillCalled(catalog.snapshot, wanted);
  if (uri !== undefined && name !== undefined && name !== skill.name) {
    throw new SkillError(
      'INVALID_REQUEST',
      `the skill at ${skill.uri} is called ${quote(skill.name)}, not ${quote(name)}; give one of the two`,
    );
  }
  return { content: [textContent(await skillText(catalog, skill, { read, tools: true }))] };
}

async function fileRead(
  parts: ToolParts,
  { skill: wanted = '', path = '' }: ToolArguments,
): Promise<ToolResult> {
  const { snapshot } = parts.catalog;
  const skill = skillCalled(snapshot, wanted);
  // A name on the disk counts first: as a reference, "100%.md" is broken and "a#b.md" is "a".
  const exact = skill.files.find((file) => file.path === path);
  if (exact !== undefined) return read(parts, exact.uri);
  if (/^(?:\.?\/*)$/.test(path)) return folder(snapshot, skill, '');
  const uri = formatSkillUri(resolveRelative(skill.uri, path, { nested: true }));
  const located = snapshot.locate(uri);
  if (located?.kind === 'directory') return folder(snapshot, located.skill, located.path);
  if (located === undefined) throw noSuchFile(skill, path);
  return read(parts, uri);
}

function noSuchFile(skill: Skill, path: string): SkillError {
  const paths = skill.files.map((file) => file.path);
  const last = path.slice(path.lastIndexOf('/') + 1);
  const near = suggest(path, paths) ?? paths.find((each) => each === last || each.endsWith(`/${last}`));
  const help = near === undefined ? 'load_skill lists its files' : `did you mean ${quote(near)}?`;
  return new SkillError(
    'RESOURCE_NOT_FOUND',
    `the skill ${quote(skill.name)} has no file ${quote(path)}; ${help}`,
  );
}

async function read(parts: ToolParts, uri: string): Promise<ToolResult> {
  const result = await parts.read(uri);
  const located = parts.catalog.snapshot.locate(result.contents[0].uri);
  return { content: readContent(result, located?.kind === 'file' ? located.file : undefined) };
}

/** What a folder holds, for a model that asked for it as if it were a file. */
function folder(snapshot: Snapshot, skill: Skill, path: string): ToolResult {
  const children = snapshot.children(skill, path);
  const place = path === '' ? skill.rootUri : `${skill.rootUri} (${plainPath(path)})`;
  if (children === undefined) {
    throw new SkillError('RESOURCE_NOT_FOUND', `there is no folder ${quote(path)} in ${quote(skill.name)}`);
  }
  const lines = children
    .slice(0, LIMITS.toolFiles)
    .map(({ name, uri, kind }) => `- ${plainPath(name)}${kind === 'directory' ? '/' : ''}: ${uri}`);
  const rest = children.length - lines.length;
  if (rest > 0) lines.push(`… and ${rest} more`);
  const holds = lines.length === 0 ? 'It is empty.' : `It holds:\n${lines.join('\n')}`;
  return { content: [textContent(`This is a folder of the skill ${skill.name}: ${place}. ${holds}`)] };
}
