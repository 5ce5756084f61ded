/**
 * Catalogs: the skills of a source, found, judged, hashed and kept true; and the same judgement without serving.
 *
 * @module
 */
export type { Catalog, CatalogChanges, CatalogOptions, CatalogRead } from './catalog.ts';
export { type CheckedSkill, type CheckedSource, checkSkill, checkSource } from './check.ts';
export type { DigestIndex } from './digest-index.ts';
export { entryOf } from './entry.ts';
export type { FileChange } from './file-changes.ts';
export { openCatalog } from './open-catalog.ts';
export type {
  DirectoryChild,
  Located,
  RefusedSkill,
  Skill,
  SkillFile,
  Snapshot,
} from './snapshot.ts';
