/**
 * The one rule about what a source shows, for serving, hashing, packing and watching (decision 7).
 *
 * @module
 */
import type { Ignore } from 'ignore';
import { SkillError } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { compilePatterns, extendPatterns, IGNORE_FILE } from './ignore-file.ts';
import { isMarkdownName, isSecretName, looksLikePrivateKey } from './secret.ts';

/** Options of {@link IgnoreRules}. */
export interface IgnoreOptions {
  /** Further gitignore patterns, below the source; a `.skillignore` cannot lift them. @default none */
  readonly ignore?: readonly string[];
  /**
   * gitignore patterns, below the source, of files that are served although they look like secrets. @default none
   *
   * **WARNING**: whatever these match is readable by every client.
   */
  readonly allowSecret?: readonly string[];
}

/** `ignored`: as if it were not there. `secret`: there, and withheld. */
export type Verdict = 'served' | 'ignored' | 'secret';

const IGNORED_NAMES: ReadonlySet<string> = new Set([
  '.git',
  '.hg',
  '.svn',
  'node_modules',
  '__pycache__',
  '.venv',
  '.tox',
  '.mypy_cache',
  '.pytest_cache',
  '__macosx',
  '.ds_store',
  'thumbs.db',
  'desktop.ini',
]);
const IGNORED_PATTERN = /^\._|^\.#|~$|\.sw[op]$/i;
/** The characters that an ignored name can begin with, in either case, and those that patterns end with. */
const IGNORED_START = charactersOf('.n_td');
const IGNORED_END = charactersOf('~op');

/**
 * Whether a name is ignored everywhere, whatever a `.skillignore` says. Upper and lower case are the same here, since
 * a volume may fold them.
 *
 * @example
 * isIgnoredName('.git') // true
 */
export function isIgnoredName(name: string): boolean {
  // Nearly every name is plain by its ends, and this is asked several times for every name of every scan.
  if (!IGNORED_START.has(name.charCodeAt(0)) && !IGNORED_END.has(name.charCodeAt(name.length - 1)))
    return false;
  return IGNORED_NAMES.has(name.toLowerCase()) || IGNORED_PATTERN.test(name);
}

function charactersOf(text: string): ReadonlySet<number> {
  return new Set([...text.toLowerCase(), ...text.toUpperCase()].map((char) => char.charCodeAt(0)));
}

interface FolderRules {
  readonly verdict: Verdict;
  readonly patterns?: Ignore;
  /** The text of the `.skillignore` that made these rules, and the folder it stands in. */
  readonly text?: string;
  readonly from?: string;
}

const SERVED: FolderRules = { verdict: 'served' };
const IGNORED: FolderRules = { verdict: 'ignored' };
const SECRET: FolderRules = { verdict: 'secret' };

/**
 * The rules of one tree: built-in names, options and the `.skillignore` files in it, which it reads through the function
 * it is given and keeps until {@link IgnoreRules.learn} says that a folder was listed again.
 *
 * @example
 * const rules = new IgnoreRules({ allowSecret: ['fixtures/*.pem'] }, () => undefined);
 * rules.judge('pdf', '.env', false) // 'secret'
 */
export class IgnoreRules {
  readonly #always: Ignore | undefined;
  readonly #allowed: Ignore | undefined;
  readonly #read: (folder: string) => string | undefined;
  readonly #folders: Map<string, FolderRules> = new Map();
  #forgot = false;
  /** The folder asked for last: the names of a folder come one after the other. */
  #last: { readonly folder: string; readonly rules: FolderRules } | undefined;

  /** `readIgnoreFile` returns the text of the `.skillignore` in a folder, or undefined when there is none. */
  constructor(options: IgnoreOptions, readIgnoreFile: (folder: string) => string | undefined) {
    this.#always = options.ignore?.length ? compilePatterns(options.ignore) : undefined;
    this.#allowed = options.allowSecret?.length ? compilePatterns(options.allowSecret) : undefined;
    this.#read = readIgnoreFile;
  }

  /** The verdict on `name` in `folder`; what lies below an ignored or withheld folder shares that folder's verdict. */
  judge(folder: string, name: string, directory: boolean): Verdict {
    const rules = this.#rulesOf(folder);
    return rules.verdict === 'served' ? this.#verdict(rules, folder, name, directory) : rules.verdict;
  }

  /** The verdict on a whole path; the root is served. */
  judgePath(path: string, directory: boolean): Verdict {
    if (path === '') return 'served';
    const slash = path.lastIndexOf('/');
    return this.judge(slash < 0 ? '' : path.slice(0, slash), path.slice(slash + 1), directory);
  }

  /** Takes note that `folder` was listed, and whether it has a `.skillignore`. */
  learn(folder: string, hasIgnoreFile: boolean): void {
    const outer = this.#outer(folder);
    const known = this.#folders.get(folder);
    if (!hasIgnoreFile && known === outer) return;
    const text = hasIgnoreFile ? this.#read(folder) : undefined;
    if (known !== undefined && known !== outer && text !== undefined && known.text === text) return;
    if (known !== undefined) this.#forget(folder);
    this.#remember(folder, this.#extend(outer, folder, text));
  }

  /** The folders whose own `.skillignore` is in force, of those asked for; undefined when some are forgotten. */
  ruled(): readonly string[] | undefined {
    if (this.#forgot) return undefined;
    const found: string[] = [];
    // Folders below share the rules of the one that has the file.
    for (const [folder, rules] of this.#folders) if (rules.from === folder) found.push(folder);
    return found;
  }

  /** Whether `bytes`, the beginning of the file at `path`, hold a private key that is not allowed there. */
  hidesContent(path: string, bytes: Uint8Array): boolean {
    return !isMarkdownName(path) && looksLikePrivateKey(bytes) && !this.#allows(path);
  }

  #verdict(rules: FolderRules, folder: string, name: string, directory: boolean): Verdict {
    if (name === 'SKILL.md' && !directory) return 'served';
    if (isIgnoredName(name)) return 'ignored';
    if (this.#always !== undefined || rules.patterns !== undefined) {
      const path = `${folder === '' ? name : `${folder}/${name}`}${directory ? '/' : ''}`;
      if (this.#always?.ignores(path) || rules.patterns?.ignores(path)) return 'ignored';
    }
    if (!isSecretName(name)) return 'served';
    return this.#allows(folder === '' ? name : `${folder}/${name}`) ? 'served' : 'secret';
  }

  #allows(path: string): boolean {
    return this.#allowed?.ignores(path) ?? false;
  }

  #rulesOf(folder: string): FolderRules {
    if (this.#last?.folder === folder) return this.#last.rules;
    const known = this.#folders.get(folder);
    if (known !== undefined) {
      this.#last = { folder, rules: known };
      return known;
    }
    const outer = this.#outer(folder);
    const rules = outer.verdict === 'served' ? this.#extend(outer, folder, this.#read(folder)) : outer;
    this.#remember(folder, rules);
    return rules;
  }

  /** What `folder` has from above: the rules in force in it without its own `.skillignore`. */
  #outer(folder: string): FolderRules {
    if (folder === '') return SERVED;
    const slash = folder.lastIndexOf('/');
    const parent = slash < 0 ? '' : folder.slice(0, slash);
    const rules = this.#rulesOf(parent);
    if (rules.verdict !== 'served') return rules;
    const verdict = this.#verdict(rules, parent, folder.slice(slash + 1), true);
    if (verdict === 'served') return rules;
    return verdict === 'ignored' ? IGNORED : SECRET;
  }

  #extend(outer: FolderRules, folder: string, text: string | undefined): FolderRules {
    if (text === undefined) return outer;
    try {
      const patterns = extendPatterns(outer.patterns, folder, text);
      return { verdict: 'served', patterns, text, from: folder };
    } catch (cause) {
      if (cause instanceof SkillError) throw cause;
      const path = folder === '' ? IGNORE_FILE : `${folder}/${IGNORE_FILE}`;
      throw new SkillError('FILE_UNREADABLE', `${path} has a pattern that cannot be used`, {
        details: { path },
        cause,
      });
    }
  }

  #remember(folder: string, rules: FolderRules): void {
    // Paths come from callers too, so the memory of them has to end somewhere.
    if (this.#folders.size >= LIMITS.scanFolders) {
      this.#folders.clear();
      this.#forgot = true;
    }
    this.#folders.set(folder, rules);
    this.#last = { folder, rules };
  }

  #forget(folder: string): void {
    this.#last = undefined;
    const prefix = folder === '' ? '' : `${folder}/`;
    for (const path of this.#folders.keys()) {
      if (path === folder || path.startsWith(prefix)) this.#folders.delete(path);
    }
  }
}
