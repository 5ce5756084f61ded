/**
 * The list of templates: the one for every file, one for each skill, those of prompts and documents.
 *
 * @module
 */
import type { Skill, Snapshot } from '../../catalog/snapshot.ts';
import { decodeCursor, encodeCursor } from '../../wire/index.ts';
import type { SurfaceContext } from '../context.ts';
import { jsonBytes } from '../json-size.ts';
import { type PageOptions, pageOf } from '../page.ts';
import { skillTemplate } from './fastmcp.ts';
import { cacheHints, pageOptions } from './listing.ts';
import {
  type ListResourceTemplatesResult,
  SKILL_FILE_TEMPLATE,
  type SkillResourceTemplate,
} from './resources.ts';

/** The name of the list in its cursors. */
export const TEMPLATES_LIST = 'templates';

/** A template, or the skill whose template stands here. */
export type TemplateItem = Skill | { readonly key: string; readonly template: SkillResourceTemplate };

/** What is served of templates. */
export interface ServedTemplates {
  /** The template that reaches every file. */
  readonly files: boolean;
  /** One for each skill as well. */
  readonly perSkill: boolean;
  /** Those of prompts and documents, ten at the most. */
  readonly others: readonly SkillResourceTemplate[];
}

const shown = new WeakMap<Snapshot, readonly Skill[]>();

function shownSkills(snapshot: Snapshot): readonly Skill[] {
  let skills = shown.get(snapshot);
  if (skills === undefined) {
    skills = snapshot.skills.some(({ hidden }) => hidden)
      ? snapshot.skills.filter(({ hidden }) => !hidden)
      : snapshot.skills;
    shown.set(snapshot, skills);
  }
  return skills;
}

/**
 * What the list pages over. A skill stands for its template, which is made only for the page it goes out on. Skills that
 * their owner hid are not there.
 *
 * @example
 * templateItems(snapshot, { files: true, perSkill: true, others: [] }).length
 */
export function templateItems(
  snapshot: Snapshot,
  { files, perSkill, others }: ServedTemplates,
): readonly TemplateItem[] {
  return [
    ...(files ? [{ key: '0', template: SKILL_FILE_TEMPLATE }] : []),
    ...(files && perSkill ? shownSkills(snapshot) : []),
    ...others.map((template, at) => ({ key: `2${at}`, template })),
  ];
}

/**
 * How the list of so many templates is cut.
 *
 * @example
 * countPages(items, templatePages(items.length, context))
 */
export function templatePages(
  total: number,
  context: SurfaceContext,
): Omit<PageOptions<TemplateItem>, 'after'> {
  const { maxItems, maxBytes, maxItemBytes } = pageOptions(total, context);
  return { keyOf, sizeOf: (item) => jsonBytes(templateOf(item)), maxItems, maxBytes, maxItemBytes };
}

/** Skills are in code-point order by URI; the one for every file comes first, the others last. */
function keyOf(item: TemplateItem): string {
  return 'key' in item ? item.key : `1${item.uri}`;
}

function templateOf(item: TemplateItem): SkillResourceTemplate {
  return 'key' in item ? item.template : skillTemplate(item);
}

/**
 * One page of the templates. Errors: `INVALID_CURSOR`.
 *
 * @example
 * listTemplates(snapshot, { files: true, perSkill: true, others: [] }, {}, context).resourceTemplates
 */
export function listTemplates(
  snapshot: Snapshot,
  served: ServedTemplates,
  { cursor }: { readonly cursor?: string },
  context: SurfaceContext,
): ListResourceTemplatesResult {
  const items = templateItems(snapshot, served);
  const options = templatePages(items.length, context);
  const page = pageOf(
    items,
    cursor === undefined ? options : { ...options, after: decodeCursor(TEMPLATES_LIST, cursor) },
  );
  return {
    resourceTemplates: page.items.map(templateOf),
    ...(page.next !== undefined && { nextCursor: encodeCursor(TEMPLATES_LIST, page.next) }),
    ...cacheHints(context),
  };
}
