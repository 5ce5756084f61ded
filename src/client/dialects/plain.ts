/**
 * The `plain` dialect: bare `skill://` resources. Nothing says that they are skills and nothing of them can be checked, so
 * it is read only when asked for (requirement H4).
 *
 * @module
 */
import { SkillError } from '../../errors.ts';
import { canonicalUri } from '../../uri/canonical.ts';
import { MANIFEST_FILENAME } from '../../uri/parse.ts';
import { quote } from '../../uri/quote.ts';
import type { DialectListing, DialectReader, RawContents, RequestScope } from '../dialect.ts';
import { freezeSkill } from '../entry-files.ts';
import type { ReaderContext } from '../reader-context.ts';
import { type ListedSkill, listingOf, type ResourceListing, tryCanonical } from '../resource-listing.ts';
import type { ClientDialect, ClientResource, FoundSkill } from '../skill.ts';

/** Reads what looks like a skill in the resources of a server. */
export class PlainReader implements DialectReader {
  readonly dialect = 'plain';
  readonly #context: ReaderContext;
  readonly #listing: ResourceListing;

  constructor(context: ReaderContext, listing: ResourceListing) {
    this.#context = context;
    this.#listing = listing;
  }

  /** Whether any resource looks like a `SKILL.md`. */
  async detect(scope: RequestScope): Promise<boolean> {
    return (await this.#listing.peek(scope)).skills.length > 0;
  }

  async list(scope: RequestScope): Promise<DialectListing> {
    return listingOf(await this.#listing.take(scope), (skill) => bareSkill(skill, 'plain'));
  }

  /**
   * The skill as listed; one that is not listed consists of its `SKILL.md`, of which a read tells whether it is there.
   *
   * Errors: those of `parseSkillUri`, `NOT_MANIFEST_URI`.
   */
  async get(uri: string, scope: RequestScope): Promise<FoundSkill> {
    const last = scope.fresh === true ? undefined : this.#listing.last;
    const { byUri } = last ?? (await this.#listing.peek(scope));
    const listed = byUri.get(canonicalUri(uri));
    const unlisted = { uri, description: undefined, hasFileList: false, insideListed: false, files: [uri] };
    return freezeSkill(bareSkill(listed ?? unlisted, 'plain'));
  }

  read(_skill: FoundSkill, uri: string, scope: RequestScope): Promise<RawContents> {
    return this.#context.connection.read(uri, this.#context.maxResourceBytes, scope);
  }
}

/**
 * A skill of which the server states no more than the names of resources. Resources whose URI is none, or that stand there
 * twice in two spellings, are not among its files.
 *
 * Errors: those of {@link nameIn}.
 */
export function bareSkill(skill: ListedSkill, dialect: ClientDialect): FoundSkill {
  const folder = folderOf(skill.uri);
  const files = new Map<string, ClientResource>();
  for (const uri of skill.files) {
    const canonical = tryCanonical(uri);
    if (canonical === undefined || files.has(canonical) || canonical.endsWith('/')) continue;
    if (canonical.startsWith(folder)) files.set(canonical, { uri });
  }
  return {
    entry: { uri: skill.uri, frontmatter: statedIn(skill), resources: [...files.values()] },
    dialect,
    integrity: 'none',
    wholeFrontmatter: false,
  };
}

function folderOf(manifest: string): string {
  const canonical = canonicalUri(manifest);
  return canonical.slice(0, canonical.lastIndexOf('/') + 1);
}

/** What a resource listing states of a skill. Errors: those of {@link nameIn}. */
export function statedIn({ uri, description }: Pick<ListedSkill, 'uri' | 'description'>): {
  readonly name: string;
  readonly description?: string;
} {
  return { name: nameIn(uri), ...(description === undefined ? {} : { description }) };
}

/**
 * The name of the skill whose `SKILL.md` has this URI: that of its folder, which in these dialects need not keep the
 * naming rule.
 *
 * Errors: those of `canonicalUri`, `NOT_MANIFEST_URI`.
 */
export function nameIn(uri: string): string {
  const names = namesIn(uri);
  const name = names.at(-2);
  if (name !== undefined && names.at(-1) === MANIFEST_FILENAME) return name;
  throw new SkillError('NOT_MANIFEST_URI', `${quote(uri)} is not the URI of a SKILL.md`, {
    details: { uri },
  });
}

/** The names in a URI, decoded; the last is empty behind a slash. Errors: those of `canonicalUri`. */
export function namesIn(uri: string): readonly string[] {
  return canonicalUri(uri).slice(PREFIX.length).split('/').map(decodeURIComponent);
}

const PREFIX = 'skill://';
