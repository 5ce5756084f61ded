/**
 * A frontmatter whose body is decoded only for who reads it.
 *
 * @module
 */
import { type Fields, type Frontmatter, fieldsOf } from './frontmatter.ts';
import type { Head } from './head.ts';
import type { JsonObject } from './json.ts';

/**
 * The frontmatter of a head that has `name` and `description`, with an own `body` that is decoded at the first question:
 * most bodies are never read, and decoding one costs more than judging the head.
 *
 * @example
 * new LazyFrontmatter(head).body
 */
export class LazyFrontmatter implements Frontmatter {
  readonly name: string;
  readonly description: string;
  readonly extra: JsonObject;
  readonly frontmatter: JsonObject;
  declare readonly body: string;
  readonly #head: Head;

  // One for all instances: a getter made for each would give each a hidden class of its own, which lives long.
  static readonly #BODY: PropertyDescriptor & ThisType<LazyFrontmatter> = {
    configurable: true,
    enumerable: true,
    get() {
      return this.#head.body();
    },
  };

  constructor(head: Head) {
    const fields: Fields = fieldsOf(head);
    this.name = fields.name;
    this.description = fields.description;
    this.extra = fields.extra;
    this.frontmatter = fields.frontmatter;
    this.#head = head;
    // Not on the prototype: copies and JSON of a frontmatter have a body too.
    Object.defineProperty(this, 'body', LazyFrontmatter.#BODY);
  }
}
