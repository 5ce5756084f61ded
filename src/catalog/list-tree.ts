/**
 * First half of a scan: which folders there are and which of them are skills. No file is read.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import type { Pace } from '../pace.ts';
import type { LinkTarget, Source, SourceFolder, SourceNode } from '../source/source.ts';
import { isAddressableName, MANIFEST_FILENAME } from '../uri/index.ts';
import { type Draft, type Job, LinkQueue, passedDraft } from './draft.ts';
import * as problems from './problems.ts';
import type { CatalogSettings } from './settings.ts';
import type { Touched } from './touched.ts';
import { joinPath, type TreeFolder } from './tree.ts';

/** What the first half of a scan starts from. */
export interface ListOptions {
  readonly source: Source;
  readonly settings: CatalogSettings;
  readonly pace: Pace;
  /** Where to begin; the empty string is the source's root. */
  readonly start: string;
  readonly previous: TreeFolder | undefined;
  readonly touched: Touched;
  /** Throws when the scan is no longer wanted. */
  readonly check: () => void;
  /** Told each folder as soon as it is known what it holds. */
  readonly listed: (draft: Draft) => void;
}

/**
 * Every folder that had to be listed, parents before children, or the tree of the scan before when nothing had to be.
 *
 * A folder that is reached twice is kept once, under its real path (design decision 6): links are followed after all
 * real folders are known, outside skills first. A folder that vanished meanwhile is left out; one that cannot be
 * listed is a problem of its parent, and an error only at the root.
 *
 * Errors: `SCAN_TOO_MANY_FOLDERS`, `SCAN_TOO_DEEP`; for the root, those of `Source.list`.
 */
export async function listTree(options: ListOptions): Promise<{ root: Draft | TreeFolder; drafts: Draft[] }> {
  let lister = new Lister(options, true);
  await lister.run();
  if (lister.isStale) {
    lister = new Lister(options, false);
    await lister.run();
  }
  if (lister.root === undefined) throw new SkillError('SOURCE_NOT_FOUND');
  return { root: lister.root, drafts: lister.drafts };
}

class Lister {
  root: Draft | TreeFolder | undefined;
  /** What a folder that was not listed held is not there any more. */
  isStale = false;
  readonly drafts: Draft[] = [];
  readonly #options: ListOptions;
  readonly #passes: boolean;
  readonly #stack: Job[] = [];
  readonly #outerLinks: LinkQueue = new LinkQueue();
  readonly #innerLinks: LinkQueue = new LinkQueue();
  /** The folders reached so far; filled when a link asks for it, from {@link #seen} on. */
  readonly #ids: Set<string> = new Set();
  #seen = 0;
  readonly #innerIds: Set<string> = new Set();
  readonly #kept: TreeFolder[] = [];
  #count = 0;

  constructor(options: ListOptions, passes: boolean) {
    this.#options = options;
    this.#passes = passes;
  }

  async run(): Promise<void> {
    const { start, previous, touched, pace, check } = this.#options;
    const depth = start === '' ? 0 : start.split('/').length;
    this.#stack.push({ path: start, depth, parent: undefined, previous, deep: touched.deep(start) });
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      if (pace.due()) {
        await pace.rest();
        check();
      }
      if (this.isStale) return;
      if (this.#keep(job) || this.#pass(job)) continue;
      let folder: SourceFolder;
      try {
        const listed = this.#options.source.list(job.path);
        folder = listed instanceof Promise ? await listed : listed;
      } catch (error) {
        this.#unlistable(job, error);
        continue;
      }
      this.#visit(job, folder);
    }
  }

  #next(): Job | undefined {
    const job = this.#stack.pop();
    if (job !== undefined) return job;
    for (;;) {
      const outer = this.#outerLinks.take();
      const link = outer ?? this.#innerLinks.take();
      if (link === undefined) return undefined;
      if (this.#isNew(link, outer === undefined)) return link;
      link.parent?.problems.push(problems.repeatedFolder(link.path, link.link?.path));
    }
  }

  /** Whether the target of a link was not reached before; inside skills, each skill counts for itself. */
  #isNew(job: Job, inner: boolean): boolean {
    const id = job.link?.id ?? '';
    if (!inner) {
      for (; this.#seen < this.drafts.length; this.#seen++) this.#ids.add(this.drafts[this.#seen]?.id ?? '');
      for (let kept = this.#kept.pop(); kept !== undefined; kept = this.#kept.pop()) {
        this.#ids.add(kept.id);
        this.#kept.push(...kept.folders);
      }
      return !this.#ids.has(id);
    }
    const key = `${job.parent?.home ?? ''}\n${id}`;
    if (this.#innerIds.has(key)) return false;
    this.#innerIds.add(key);
    return true;
  }

  /** Takes over a folder of the scan before with all below it, when nothing in it can have changed. */
  #keep(job: Job): boolean {
    const { previous, parent } = job;
    if (previous === undefined || job.deep || previous.links) return false;
    if (this.#options.touched.shallow(job.path)) return false;
    if (
      previous.head === undefined &&
      (previous.home !== parent?.home || previous.homeId !== parent?.homeId)
    ) {
      return false;
    }
    this.#admit(job, previous.count);
    this.#kept.push(previous);
    this.#put(job, previous);
    return true;
  }

  /**
   * Goes through a folder outside skills without listing it, when all that is looked at again lies in folders that it was
   * known to hold: the one folder with ten thousand skills in it would cost more than the skill that changed.
   */
  #pass(job: Job): boolean {
    const { previous } = job;
    const through = this.#options.touched.through(job.path);
    if (!this.#passes || previous === undefined || through === undefined || job.deep || previous.links)
      return false;
    if (previous.home !== undefined || job.parent?.home !== undefined) return false;
    const touched = previous.folders.filter((folder) => through.has(folder.path));
    if (touched.length !== through.size) return false;
    this.#admit(
      job,
      touched.reduce((rest, folder) => rest - folder.count, previous.count),
    );
    const draft = passedDraft(this.drafts.length, job.path, job.parent, previous);
    this.drafts.push(draft);
    this.#put(job, draft);
    for (const folder of previous.folders) {
      if (!through.has(folder.path)) this.#kept.push(folder);
    }
    for (const folder of touched.reverse()) {
      const { path } = folder;
      const deep = this.#options.touched.deep(path);
      this.#stack.push({
        path,
        depth: job.depth + 1,
        parent: draft,
        previous: folder,
        deep,
        replaces: folder,
      });
    }
    return true;
  }

  #put({ parent, replaces }: Job, folder: Draft | TreeFolder): void {
    if (parent === undefined) this.root = folder;
    else if (replaces === undefined) parent.folders.push(folder);
    else parent.folders[parent.folders.indexOf(replaces)] = folder;
  }

  #admit(job: Job, folders: number): void {
    const { maxFolders, maxDepth } = this.#options.settings;
    if (job.depth > maxDepth) throw problems.tooDeep(job.path, maxDepth);
    this.#count += folders;
    if (this.#count > maxFolders) throw problems.tooManyFolders(job.path, maxFolders);
  }

  #unlistable(job: Job, error: unknown): void {
    if (job.parent === undefined) throw error;
    this.isStale ||= job.replaces !== undefined;
    if (isSkillError(error, 'FILE_NOT_FOUND')) return;
    if (!isSkillError(error)) {
      this.#options.settings.logger.warn('a folder could not be listed', { path: job.path, error });
    }
    job.parent.problems.push(problems.leftOut(job.path, error));
  }

  #visit(job: Job, folder: SourceFolder): void {
    this.#admit(job, 1);
    const { parent } = job;
    const found = folder.nodes.find((node) => node.name === MANIFEST_FILENAME && node.kind === 'file');
    // The root has no name to be published under, and taking it for a skill would make every skill a nested one.
    const manifest = job.path === '' ? undefined : found;
    const previous = job.previous?.id === folder.id ? job.previous : undefined;
    // A skill that was too large was not read to its end, so nothing of it can be kept.
    const deep = job.deep || previous?.tooLarge === true;
    const draft: Draft = {
      index: this.drafts.length,
      path: job.path,
      id: folder.id,
      linked: job.link !== undefined || parent?.linked === true,
      home: manifest === undefined ? parent?.home : job.path,
      homeId: manifest === undefined ? parent?.homeId : folder.id,
      nodes: folder.nodes,
      manifest,
      previous,
      deep,
      parent,
      folders: [],
      problems: [],
      links: job.link !== undefined || folder.hidesLinks === true,
      ahead: undefined,
    };
    this.drafts.push(draft);
    this.#put(job, draft);
    if (found === undefined) this.#findMisnamed(draft);
    else if (manifest === undefined) draft.problems.push(problems.manifestInRoot());
    this.#descend(draft, job.depth + 1);
    this.#options.listed(draft);
  }

  #descend(draft: Draft, depth: number): void {
    const { previous } = draft;
    const before = previous && new Map(previous.folders.map((folder) => [folder.path, folder]));
    for (let at = draft.nodes.length - 1; at >= 0; at--) {
      const node = draft.nodes[at];
      if (node === undefined) continue;
      const path = joinPath(draft.path, node.name);
      if (node.link !== undefined || node.withheld?.code.startsWith('LINK_') === true) draft.links = true;
      if (node.withheld !== undefined) {
        this.#withheld(draft, node, path);
      } else if (node.kind === 'directory') {
        if (!isAddressableName(node.name)) {
          draft.problems.push(problems.unaddressable(path));
          continue;
        }
        const job: Job = {
          path,
          depth,
          parent: draft,
          previous: before?.get(path),
          deep: draft.deep || this.#options.touched.deep(path),
          ...(node.link !== undefined && { link: node.link }),
        };
        if (node.link === undefined) this.#stack.push(job);
        else this.#follow(draft, job, node.link);
      }
    }
  }

  /** Outside skills a name that is not served is worth a word only if skills could have been behind it. */
  #withheld(draft: Draft, node: SourceNode, path: string): void {
    if (node.withheld === undefined || node === draft.manifest) return;
    const matters =
      draft.home !== undefined || node.kind === 'directory' || node.withheld.code.startsWith('LINK_');
    if (matters) draft.problems.push(problems.withheld(path, node.withheld));
  }

  #follow(draft: Draft, job: Job, link: LinkTarget): void {
    const { source } = this.#options;
    if (draft.homeId === undefined) {
      this.#outerLinks.put(job);
    } else if (source.contains(draft.homeId, link.id)) {
      draft.problems.push(problems.repeatedFolder(job.path, link.path));
    } else if (link.anywhere !== true) {
      draft.problems.push(problems.linkEscapes(job.path));
    } else if (source.contains(link.id, draft.id)) {
      draft.problems.push(problems.linkLoop(job.path));
    } else {
      this.#innerLinks.put(job);
    }
  }

  #findMisnamed(draft: Draft): void {
    for (const node of draft.nodes) {
      if (node.kind !== 'file' || node.name.length !== MANIFEST_FILENAME.length) continue;
      if (node.name.toUpperCase() !== MANIFEST_FILENAME.toUpperCase()) continue;
      draft.problems.push(problems.misnamed(joinPath(draft.path, node.name), draft.home !== undefined));
    }
  }
}
