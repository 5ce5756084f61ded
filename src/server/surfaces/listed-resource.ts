/**
 * What stands for a resource in a list, until the page that it goes out on is made.
 *
 * @module
 */
import type { Skill } from '../../catalog/snapshot.ts';
import { jsonBytes, measuredBytes } from '../json-size.ts';
import type { SkillResource } from './resources.ts';

/** How the resources of one kind follow from their skills. */
export interface ResourceKind {
  uri(skill: Skill): string;
  define(skill: Skill): SkillResource;
}

/** The resource of one kind that a skill has: the definitions of ten thousand would take a fifth of the catalog. */
export class ResourceOfSkill {
  readonly #skill: Skill;
  readonly #kind: ResourceKind;
  #bytes = 0;

  constructor(skill: Skill, kind: ResourceKind) {
    this.#skill = skill;
    this.#kind = kind;
  }

  get uri(): string {
    return this.#kind.uri(this.#skill);
  }

  /** Made anew at each call. */
  get definition(): SkillResource {
    return this.#kind.define(this.#skill);
  }

  /** The bytes of the definition as JSON, worked out once. */
  get bytes(): number {
    if (this.#bytes === 0) this.#bytes = measuredBytes(this.definition);
    return this.#bytes;
  }
}

/** What a list of resources pages over, in code-point order by URI. */
export type ListedResource = SkillResource | ResourceOfSkill;

/**
 * The definition that goes out for an item of a list.
 *
 * @example
 * listedResources(snapshot, prefix).map(definitionOf)[0]?.name // 'pdf'
 */
export function definitionOf(item: ListedResource): SkillResource {
  return item instanceof ResourceOfSkill ? item.definition : item;
}

/**
 * The bytes of that definition as JSON.
 *
 * @example
 * countPages(items, pageOptions(items.length, context, listedBytes))
 */
export function listedBytes(item: { readonly uri: string }): number {
  return item instanceof ResourceOfSkill ? item.bytes : jsonBytes(item);
}
