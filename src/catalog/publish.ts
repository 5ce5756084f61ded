/**
 * From a tree to the skills that are published, under which URIs, and those that are refused.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import { buildSkill } from './build-skill.ts';
import { duplicateNames } from './duplicates.ts';
import { byPlace, byUri } from './order.ts';
import * as problems from './problems.ts';
import type { CatalogSettings } from './settings.ts';
import type { RefusedSkill, Skill } from './snapshot.ts';
import { joinPath, parentPath, type TreeFolder } from './tree.ts';

/** What a tree comes to. */
export interface Publication {
  /** In code-point order by URI. */
  readonly skills: readonly Skill[];
  /** In order of path. */
  readonly refused: readonly RefusedSkill[];
  readonly diagnostics: readonly Diagnostic[];
}

/** A folder with a `SKILL.md`, and where it stands. */
interface Found {
  readonly folder: TreeFolder;
  readonly parent: TreeFolder | undefined;
  readonly enclosing: TreeFolder | undefined;
}

/**
 * The skills of a tree, each judged by the rules that need more than its own folder (design decision 6): nesting,
 * size, and who may have a URI.
 *
 * Folder `P/x` with name `y` is published at `P/y`. When `P/y` exists (a skill stands there or below, or an enclosing
 * skill shows something there) the renamed one is refused; of two renamed to one name the first in order of path has
 * it. A folder that several paths lead to is a skill once, under its real path if there is one.
 */
export function publish(root: TreeFolder, settings: CatalogSettings): Publication {
  const diagnostics: Diagnostic[] = [];
  const found = once(collect(root, diagnostics), diagnostics);
  const skills: Skill[] = [];
  const refused: RefusedSkill[] = [];
  const claims = new Claims(found);
  const stray = root.problems.find((each) => each.code === 'ROOT_SKILL');
  if (stray !== undefined) refused.push({ path: root.path, diagnostic: stray });
  for (const each of found) {
    const built = judge(each, settings, claims);
    if ('severity' in built) {
      refused.push({ path: each.folder.path, diagnostic: built });
      if (!(each.folder.head?.diagnostics.includes(built) ?? false)) diagnostics.push(built);
    } else {
      skills.push(built.skill);
      diagnostics.push(...built.diagnostics);
    }
  }
  if (found.length === 0 && stray === undefined) diagnostics.push(problems.noSkills(root.path));
  skills.sort(byUri);
  refused.sort((a, b) => compareCodePoints(a.path, b.path));
  diagnostics.push(...duplicateNames(skills));
  return { skills, refused, diagnostics: diagnostics.sort(byPlace) };
}

function judge(
  { folder, parent, enclosing }: Found,
  settings: CatalogSettings,
  claims: Claims,
): Diagnostic | { readonly skill: Skill; readonly diagnostics: readonly Diagnostic[] } {
  const { head, path } = folder;
  if (enclosing !== undefined && settings.nestedSkills === 'reject') {
    return problems.nestedSkill(path, enclosing.path);
  }
  const fault = head?.diagnostics.find((each) => each.severity === 'error');
  if (head === undefined || head.outcome === 'refused') return fault ?? problems.refusedSkill(path);
  const built = buildSkill(folder, settings.hidden(path), settings.maxSkillBytes);
  if (built === undefined) return problems.skillTooLarge(path, settings.maxSkillBytes);
  if (head.renamed) {
    const target = joinPath(parentPath(path), head.name);
    const holder = claims.claim(target, path, parent);
    if (holder !== undefined) return problems.uriTaken(path, head.name, folder.uri, holder);
  }
  return built;
}

/** Which paths are no longer free for a skill that is published under another name than its folder's. */
class Claims {
  readonly #found: readonly Found[];
  readonly #renamed: Map<string, string> = new Map();
  #skills: Map<string, string> | undefined;

  constructor(found: readonly Found[]) {
    this.#found = found;
  }

  /** Gives `target` to `path`, or tells which path has it. */
  claim(target: string, path: string, parent: TreeFolder | undefined): string | undefined {
    const holder = this.#standing().get(target) ?? shownBy(target, parent) ?? this.#renamed.get(target);
    if (holder === undefined) this.#renamed.set(target, path);
    return holder;
  }

  /** Every folder of a skill and every folder above one, with the first such skill. */
  #standing(): Map<string, string> {
    if (this.#skills !== undefined) return this.#skills;
    this.#skills = new Map();
    for (const { folder } of this.#found) {
      for (let path = folder.path; path !== '' && !this.#skills.has(path); path = parentPath(path)) {
        this.#skills.set(path, folder.path);
      }
    }
    return this.#skills;
  }
}

/** `target` itself when the skill around its folder shows a file or folder there. */
function shownBy(target: string, parent: TreeFolder | undefined): string | undefined {
  if (parent?.home === undefined) return undefined;
  const taken =
    parent.folders.some((folder) => folder.path === target) ||
    parent.files.some((file) => file.sourcePath === target);
  return taken ? target : undefined;
}

/** Every folder with a `SKILL.md`, in order of path, and what was found wrong on the way. */
function collect(root: TreeFolder, diagnostics: Diagnostic[]): Found[] {
  const found: Found[] = [];
  const stack: Found[] = [{ folder: root, parent: undefined, enclosing: undefined }];
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { folder, enclosing } = at;
    diagnostics.push(...folder.problems);
    if (folder.head !== undefined) {
      found.push(at);
      diagnostics.push(...folder.head.diagnostics);
    }
    for (let index = folder.folders.length - 1; index >= 0; index--) {
      const child = folder.folders[index];
      if (child === undefined || (child.skills === 0 && !child.noisy)) continue;
      stack.push({
        folder: child,
        parent: folder,
        enclosing: folder.head === undefined ? enclosing : folder,
      });
    }
  }
  return found;
}

/** Drops folders that another path shows already; only links lead to one twice. */
function once(found: Found[], diagnostics: Diagnostic[]): Found[] {
  const linked = found.filter(({ folder }) => folder.linked);
  if (linked.length === 0) return found;
  const byId = new Map<string, Found>();
  for (const each of found) {
    const first = byId.get(each.folder.id);
    if (first === undefined || (first.folder.linked && !each.folder.linked)) byId.set(each.folder.id, each);
  }
  return found.filter((each) => {
    const kept = byId.get(each.folder.id);
    if (kept === undefined || kept === each) return true;
    diagnostics.push(problems.repeatedFolder(each.folder.path, kept.folder.path));
    return false;
  });
}
