/**
 * What commands need of a client.
 *
 * @module
 */
import type { RequestScope } from '../client/dialect.ts';
import type { FoundSkill, SkillListing } from '../client/skill.ts';

/** The part of a `SkillsClient` that commands use; its `read` gives nothing that failed a check. */
export interface SkillReader {
  listSkills(scope?: RequestScope): Promise<SkillListing>;
  getSkill(uri: string, scope?: RequestScope): Promise<FoundSkill>;
  read(
    skill: FoundSkill,
    ref?: string,
    scope?: RequestScope,
  ): Promise<{ readonly uri: string; readonly bytes: Uint8Array; readonly mimeType?: string }>;
}

/** A target that is open. */
export interface OpenedTarget {
  /** As messages call it; no credential stands in it. */
  readonly label: string;
  /** The same from wherever it is opened: what a record on disk calls it. */
  origin(folder: string): string;
  readonly client: SkillReader;
  /** Ends the connection and what was started for it. Twice is fine. */
  close(): Promise<void>;
}
