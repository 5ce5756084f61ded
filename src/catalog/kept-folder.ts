/**
 * Folders of a tree in little memory: one is kept for every folder of a source.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import type { FilePlace } from './kept-file.ts';
import type { SkillFile } from './snapshot.ts';
import type { PublishedAs, SkillHead, TreeFolder } from './tree.ts';

/** Of a folder and of its innermost skill. */
export interface FolderIds {
  readonly id: string;
  readonly homeId: string | undefined;
}

/** What a {@link KeptFolder} is made of, beside its place. */
export interface FolderParts {
  /** Its identities, or what comes before its path, and before that of its skill, in them. */
  readonly identity: FolderIds | string;
  readonly linked: boolean;
  readonly head: SkillHead | undefined;
  readonly files: readonly SkillFile[];
  readonly folders: readonly TreeFolder[];
  readonly problems: readonly Diagnostic[];
  readonly tooLarge: boolean;
  /** It is a link, or holds one. */
  readonly links: boolean;
  readonly published?: PublishedAs | undefined;
}

const NOTHING: readonly never[] = [];
const LINKED = 1;
const TOO_LARGE = 2;
const LINKS = 4;
const NOISY = 8;

/** What came before the path in the last identity: nearly always the same. */
let lastLead = '';

/**
 * A folder whose identity is put together from that of its source and its path, where it is made of them. `tooLarge` and
 * `links` of the folders in it count for it too.
 */
export class KeptFolder implements TreeFolder {
  readonly head: SkillHead | undefined;
  readonly published: PublishedAs | undefined;
  readonly files: readonly SkillFile[];
  readonly folders: readonly TreeFolder[];
  readonly problems: readonly Diagnostic[];
  readonly count: number;
  readonly skills: number;
  readonly #place: FilePlace;
  /** What comes before the path in its identity; undefined: {@link KeptFolder.#ids} has them. */
  readonly #lead: string | undefined;
  readonly #ids: FolderIds | undefined;
  readonly #flags: number;

  constructor(place: FilePlace, parts: FolderParts) {
    const { identity, head, folders, problems } = parts;
    this.head = head;
    this.published = parts.published;
    this.files = trimmed(parts.files);
    this.folders = trimmed(folders);
    this.problems = trimmed(problems);
    this.#place = place;
    this.#lead = typeof identity === 'string' ? identity : leadOf(place, identity);
    this.#ids = typeof identity === 'string' || this.#lead !== undefined ? undefined : identity;
    let count = 1;
    let skills = head === undefined ? 0 : 1;
    let { tooLarge, links } = parts;
    let noisy = problems.length > 0 || (head !== undefined && head.diagnostics.length > 0);
    for (const folder of folders) {
      count += folder.count;
      skills += folder.skills;
      tooLarge ||= folder.tooLarge;
      links ||= folder.links;
      noisy ||= folder.noisy;
    }
    this.count = count;
    this.skills = skills;
    this.#flags =
      (parts.linked ? LINKED : 0) | (tooLarge ? TOO_LARGE : 0) | (links ? LINKS : 0) | (noisy ? NOISY : 0);
  }

  get path(): string {
    return this.#place.folder;
  }

  get uri(): string {
    return this.#place.uri;
  }

  get home(): string | undefined {
    return this.#place.home;
  }

  get id(): string {
    return this.#ids === undefined ? `${this.#lead}${this.path}` : this.#ids.id;
  }

  get homeId(): string | undefined {
    if (this.#ids !== undefined) return this.#ids.homeId;
    return this.home === undefined ? undefined : `${this.#lead}${this.home}`;
  }

  get linked(): boolean {
    return (this.#flags & LINKED) !== 0;
  }

  get tooLarge(): boolean {
    return (this.#flags & TOO_LARGE) !== 0;
  }

  get links(): boolean {
    return (this.#flags & LINKS) !== 0;
  }

  get noisy(): boolean {
    return (this.#flags & NOISY) !== 0;
  }
}

/** What comes before the path in both identities; undefined where they are not made of it. */
function leadOf({ folder, home }: FilePlace, { id, homeId }: FolderIds): string | undefined {
  const length = id.length - folder.length;
  if (!(length === lastLead.length && id.startsWith(lastLead)) || !id.endsWith(folder)) {
    if (!id.endsWith(folder)) return undefined;
    lastLead = id.slice(0, length);
  }
  const lead = lastLead;
  if (home === undefined || homeId === undefined) return home === homeId ? lead : undefined;
  const made = homeId.length === length + home.length && homeId.startsWith(lead) && homeId.endsWith(home);
  return made ? lead : undefined;
}

/** The same list in no more room than it needs: one that grew by `push` has room for many more. */
function trimmed<T>(list: readonly T[]): readonly T[] {
  return list.length === 0 ? NOTHING : list.slice();
}
