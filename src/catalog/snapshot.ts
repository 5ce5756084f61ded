/**
 * The immutable state of a catalog at one moment.
 *
 * @module
 */
import type { Diagnostic } from '../format/diagnostic.ts';
import type { JsonObject } from '../format/json.ts';

/** One file of a skill. Its fields are to be read one by one: a spread need not copy them. */
export interface SkillFile {
  readonly uri: string;
  /** Below the skill's folder, `/`-separated, as on disk. */
  readonly path: string;
  /** Below the source. */
  readonly sourcePath: string;
  readonly size: number;
  /** `sha256:` + 64 lower-case hex digits over the raw bytes; absent exactly when the file is dynamic. */
  readonly digest?: string;
  readonly mimeType: string;
  /** Sent as `text`: valid UTF-8 that survives decoding. */
  readonly text: boolean;
  /** See `SourceFile.stamp`. */
  readonly stamp?: string;
  readonly modifiedAt?: number;
  /** Modified less than 2 s before it was hashed: a later write may have left the same stamp. */
  readonly provisional: boolean;
}

/** One skill as published. */
export interface Skill {
  /** URI of its `SKILL.md`. */
  readonly uri: string;
  /** URI of its folder, without a trailing slash. */
  readonly rootUri: string;
  /** Its folder below the source. */
  readonly path: string;
  /** The identity of that folder; what `Source.read` takes as `within`. */
  readonly folderId: string;
  readonly name: string;
  readonly description: string;
  /** Every author field, typed as released clients compare it. */
  readonly frontmatter: JsonObject;
  /** Every served file, `SKILL.md` included, in code-point order by URI. */
  readonly files: readonly SkillFile[];
  /** Folder paths below the skill, empty ones included, in code-point order; the skill's root is not among them. */
  readonly folders: readonly string[];
  /** `resources` goes out as `"dynamic"`. */
  readonly dynamic: boolean;
  /** In `skills/list`. */
  readonly listed: boolean;
  /** Its owner asked that no discovery shows it. */
  readonly hidden: boolean;
  /** The folder has another name than the skill, so an enclosing skill shows its files under other URIs. */
  readonly renamed: boolean;
  readonly totalBytes: number;
}

/** A file or folder found by URI. */
export type Located =
  | { readonly kind: 'file'; readonly skill: Skill; readonly file: SkillFile }
  | {
      readonly kind: 'directory';
      readonly skill: Skill /** Below the skill; empty for its root. */;
      readonly path: string;
    };

/** One direct child of a directory. */
export type DirectoryChild =
  | { readonly kind: 'file'; readonly uri: string; readonly name: string; readonly file: SkillFile }
  | { readonly kind: 'directory'; readonly uri: string; readonly name: string };

/** A skill that is not served at all. */
export interface RefusedSkill {
  /** Its folder below the source. */
  readonly path: string;
  /** The error that refused it. */
  readonly diagnostic: Diagnostic;
}

/** The immutable state of a catalog at one moment. */
export interface Snapshot {
  /** Hash of all entries and their digests: equal for equal content. */
  readonly revision: string;
  /** Served skills in code-point order by URI. */
  readonly skills: readonly Skill[];
  readonly refused: readonly RefusedSkill[];
  /** Everything found, refusals included, in order of path. */
  readonly diagnostics: readonly Diagnostic[];
  /** The skill whose `SKILL.md` has this URI, in any equivalent spelling. */
  skill(uri: string): Skill | undefined;
  /** What stands at this URI, in any equivalent spelling. A nested skill's file belongs to the nested skill. */
  locate(uri: string): Located | undefined;
  /** Direct children in code-point order by URI. Undefined when there is no such directory. */
  children(skill: Skill, path: string): readonly DirectoryChild[] | undefined;
}
