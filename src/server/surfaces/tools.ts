/**
 * The tools for clients that cannot read resources, as `tools/list` describes them.
 *
 * @module
 */
import { READ_RESOURCE_TOOL_NAME } from '../../wire/index.ts';
import type { SurfaceContext } from '../context.ts';
import { type CacheHints, cacheHints, perClient } from './listing.ts';

/** The name of one of the tools. */
export type SkillToolName = 'list_skills' | 'load_skill' | 'read_skill_file' | 'read_resource';

/** One argument. */
export interface SkillToolArgument {
  readonly type: 'string';
  readonly description: string;
}

/** A tool in `tools/list`. */
export interface SkillTool {
  readonly name: SkillToolName;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: {
    readonly type: 'object';
    readonly properties: Readonly<Record<string, SkillToolArgument>>;
    readonly required?: readonly string[];
    readonly additionalProperties: false;
  };
  readonly outputSchema?: object;
  readonly annotations: {
    readonly readOnlyHint: true;
    readonly destructiveHint: false;
    readonly idempotentHint: true;
    readonly openWorldHint: false;
  };
}

/** Result of `tools/list`. */
export interface ListToolsResult extends CacheHints {
  readonly tools: readonly SkillTool[];
}

const annotations: SkillTool['annotations'] = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** One skill in the result of `list_skills`. */
const SKILL_SCHEMA = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    uri: { type: 'string', description: 'URI of its SKILL.md' },
    description: { type: 'string', description: 'What it does and when to use it, by its author' },
  },
  required: ['name', 'uri', 'description'],
  additionalProperties: false,
};

/**
 * The tools, in the order in which a model needs them. No schema has `anyOf` at its top, since some model APIs refuse
 * that: that `load_skill` needs one of two arguments is said in words.
 */
export const SKILL_TOOLS: readonly SkillTool[] = [
  {
    name: 'list_skills',
    title: 'List skills',
    description:
      'Lists the skills of this server: instructions, with files, for particular kinds of task. Look here before a task that a skill may cover, then call load_skill. Without query it lists all of them, page by page.',
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'Words that name, path or description of a skill must hold, all of them, in any case',
        },
        cursor: { type: 'string', description: 'nextCursor of the page before' },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        skills: { type: 'array', items: SKILL_SCHEMA },
        total: { type: 'integer', description: 'How many skills there are on all pages' },
        nextCursor: { type: 'string', description: 'Where there are more: cursor of the next call' },
      },
      required: ['skills', 'total'],
      additionalProperties: false,
    },
    annotations,
  },
  {
    name: 'load_skill',
    title: 'Load a skill',
    description:
      'Gives the instructions of one skill and the list of its files. Give its name, or its uri where several skills have the name. Read a file only when the instructions send you there.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the skill, as list_skills has it' },
        uri: { type: 'string', description: 'URI of its SKILL.md, instead of the name' },
      },
      additionalProperties: false,
    },
    annotations,
  },
  {
    name: 'read_skill_file',
    title: 'Read a file of a skill',
    description: 'Reads one file of a skill, or lists a folder of it.',
    inputSchema: {
      type: 'object',
      properties: {
        skill: { type: 'string', description: 'Name or URI of the skill' },
        path: {
          type: 'string',
          description: "Path below the skill's folder, with / between names, such as references/forms.md",
        },
      },
      required: ['skill', 'path'],
      additionalProperties: false,
    },
    annotations,
  },
  {
    name: READ_RESOURCE_TOOL_NAME as 'read_resource',
    title: 'Read a resource',
    description: 'Reads what this server serves at a URI, such as skill://name/SKILL.md.',
    inputSchema: {
      type: 'object',
      properties: { uri: { type: 'string', description: 'URI of the resource' } },
      required: ['uri'],
      additionalProperties: false,
    },
    annotations,
  },
];

/**
 * The tool of a name, or undefined where it is none of ours.
 *
 * @example
 * skillTool('load_skill')?.title // 'Load a skill'
 */
export function skillTool(name: unknown): SkillTool | undefined {
  return SKILL_TOOLS.find((tool) => tool.name === name);
}

/**
 * The tools that this client is shown: all, on one page, or none. Where that depends on the client, no shared cache may
 * keep the list.
 *
 * @example
 * listTools({ ...context, exposed: { tools: true, prompts: false, perClient: true } }).tools.length // 4
 */
export function listTools(context: SurfaceContext): ListToolsResult {
  return { tools: context.exposed?.tools === true ? SKILL_TOOLS : [], ...cacheHints(perClient(context)) };
}
