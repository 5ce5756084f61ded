/**
 * Where links of a directory source may lead (decision 6).
 *
 * @module
 */
import path from 'node:path';
import { SkillError } from '../errors.ts';
import type { HostFs } from './host-fs.ts';
import { containsIdentity } from './identity.ts';
import type { IgnoreRules, Verdict } from './ignore.ts';
import type { Withheld } from './source.ts';
import { errnoOf, notFound, secretWithheld, shownPath, WITHHELD_MESSAGES } from './source-error.ts';

/** `contained`: inside the skill they stand in; `follow`: anywhere inside the roots; `refuse`: nowhere. */
export type LinkPolicy = 'contained' | 'follow' | 'refuse';

/** A folder that may be read, with the rules of its tree. */
export interface Root {
  /** Its real path, as the system writes it. */
  readonly real: string;
  readonly rules: IgnoreRules;
}

/** Where a link leads: a usable target, or the reason why it is withheld. */
export type Followed =
  | { readonly real: string; readonly directory: boolean; readonly path?: string; readonly verdict: Verdict }
  | { readonly withheld: Withheld['code'] };

/** Returns the path below a root, `/`-separated, of a real path in it. */
function below(root: string, real: string): string {
  if (real === root) return '';
  const rest = real.slice(root.endsWith(path.sep) ? root.length : root.length + 1);
  return path.sep === '/' ? rest : rest.replaceAll(path.sep, '/');
}

/** Returns the identity of a real path, in one piece: one is kept for every folder. */
export function identityOf(real: string): string {
  return ['file:', path.sep === '/' ? real : real.replaceAll(path.sep, '/')].join('');
}

/** Returns the real path in an identity, in the spelling that this machine opens; undefined for one of another source. */
export function hostFolderOf(id: string): string | undefined {
  return id.startsWith('file:') ? hostPath(id.slice('file:'.length)) : undefined;
}

/** Returns the path of `name` in the folder at `real`. `path.join` would cost more than the read of a small file. */
export function childOf(real: string, name: string): string {
  return real.endsWith(path.sep) ? `${real}${name}` : `${real}${path.sep}${name}`;
}

/** Returns a path below a root as the system writes it. */
export function hostPath(sourcePath: string): string {
  return path.sep === '/' ? sourcePath : sourcePath.replaceAll('/', path.sep);
}

/** Follows links and judges where they lead. */
export class LinkRoots {
  readonly #fs: HostFs;
  readonly #policy: LinkPolicy;
  readonly #source: Root;
  readonly #roots: readonly Root[];
  readonly #foldsCase: boolean;

  constructor(fs: HostFs, policy: LinkPolicy, source: Root, linkRoots: readonly Root[], foldsCase: boolean) {
    this.#fs = fs;
    this.#policy = policy;
    this.#source = source;
    this.#roots = [source, ...linkRoots];
    this.#foldsCase = foldsCase;
  }

  /**
   * Says where the link at `full`, a path without other links, leads. With `judge` false the ignore rules are not asked,
   * as for the files that hold these rules.
   */
  follow(full: string, judge = true): Followed {
    if (this.#policy === 'refuse') return { withheld: 'LINK_REFUSED' };
    let real: string;
    try {
      real = this.#fs.realpath(full);
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'ELOOP') return { withheld: 'LINK_LOOP' };
      return { withheld: errno === 'ENOENT' || errno === 'ENOTDIR' ? 'LINK_BROKEN' : 'FILE_UNREADABLE' };
    }
    const root = this.#roots.find((candidate) => inside(candidate.real, real));
    if (root === undefined) return { withheld: 'LINK_ESCAPES' };
    return this.#judge(root, real, judge);
  }

  /**
   * Returns the real path of a path below the source, link by link, each of them judged.
   *
   * Errors: `FILE_NOT_FOUND`, `SECRET_WITHHELD`, `LINK_ESCAPES`; and what the system throws.
   */
  resolve(sourcePath: string, judge = true): string {
    let real = this.#source.real;
    if (sourcePath === '') return real;
    for (const segment of sourcePath.split('/')) {
      const full = childOf(real, segment);
      if (!this.#fs.lstat(full).isSymbolicLink()) {
        // A volume that folds case finds SKILL.md under skill.md; rules and listings know one spelling only.
        if (this.#foldsCase && this.#fs.realpath(full) !== full) throw notFound(sourcePath);
        real = full;
        continue;
      }
      const followed = this.follow(full, judge);
      if ('withheld' in followed) throw refusal(sourcePath, followed.withheld);
      if (followed.verdict === 'ignored') throw notFound(sourcePath);
      if (followed.verdict === 'secret') throw secretWithheld(sourcePath);
      real = followed.real;
    }
    return real;
  }

  /**
   * Whether a link to the folder `target` leads back to where it stands: in the folder `sourcePath`, which is really
   * `folder`. Going down through such a link would never end.
   */
  leadsBack(target: string, sourcePath: string, folder: string): boolean {
    if (inside(target, folder)) return true;
    if (folder === this.expected(sourcePath)) return false;
    const segments = sourcePath.split('/');
    return segments.some((_, depth) => inside(target, this.resolve(segments.slice(0, depth).join('/'))));
  }

  /** The rules that judge the target at `real`, with its path there; undefined outside the roots. */
  rulesAt(real: string): { readonly rules: IgnoreRules; readonly path: string } | undefined {
    const root = this.#roots.find((candidate) => inside(candidate.real, real));
    return root && { rules: root.rules, path: below(root.real, real) };
  }

  #judge(root: Root, real: string, judge: boolean): Followed {
    const stats = this.#fs.lstat(real);
    const directory = stats.isDirectory();
    if (!directory && !stats.isFile()) return { withheld: 'SPECIAL_FILE' };
    const targetPath = below(root.real, real);
    const verdict = judge ? root.rules.judgePath(targetPath, directory) : 'served';
    return { real, directory, verdict, ...(root === this.#source ? { path: targetPath } : {}) };
  }

  /** The real path of a path below the source if no segment of it is a link. */
  expected(sourcePath: string): string {
    return sourcePath === '' ? this.#source.real : childOf(this.#source.real, hostPath(sourcePath));
  }
}

function inside(root: string, real: string): boolean {
  return containsIdentity(identityOf(root), identityOf(real));
}

function refusal(sourcePath: string, code: Withheld['code']): SkillError {
  const message = `${shownPath(sourcePath)} ${WITHHELD_MESSAGES[code]}`;
  const details = { path: sourcePath };
  if (code === 'LINK_BROKEN' || code === 'LINK_LOOP')
    return new SkillError('FILE_NOT_FOUND', message, { details });
  if (code === 'LINK_ESCAPES' || code === 'LINK_REFUSED')
    return new SkillError('LINK_ESCAPES', message, { details });
  return new SkillError('FILE_UNREADABLE', message, { details });
}
