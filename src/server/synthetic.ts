/**
 * Resources that a dialect adds beside the files of skills.
 *
 * @module
 */
import type { CatalogChanges } from '../catalog/catalog.ts';
import type { Snapshot } from '../catalog/snapshot.ts';
import type { SurfaceContext } from './context.ts';
import type { ListedResource } from './surfaces/listed-resource.ts';
import type { ReadResourceResult } from './surfaces/read.ts';
import type { SkillResource } from './surfaces/resources.ts';

/** The resources that one dialect adds. A real file at the same URI beats each of them. */
export interface SyntheticResources {
  /** Those that a listing shows, in code-point order by URI; the same array for the same snapshot. */
  listed(snapshot: Snapshot): readonly ListedResource[];
  /** Those among them that stand for a skill as a whole, as its files do elsewhere. */
  ofSkills(snapshot: Snapshot): readonly SkillResource[];
  /** Whether there is one at this URI, in any equivalent spelling. */
  has(uri: string): boolean;
  /** The contents of one; undefined when there is none at this URI. */
  read(uri: string, context: SurfaceContext): Promise<ReadResourceResult> | undefined;
  /** URIs, as listed, of those that these changes touch; without changes, of those that every broadcast does. */
  updatedBy(changes: CatalogChanges | undefined): readonly string[];
}
