/**
 * The resources of several dialects as those of one.
 *
 * @module
 */
import type { Snapshot } from '../catalog/snapshot.ts';
import type { SkillResource } from './surfaces/resources.ts';
import type { SyntheticResources } from './synthetic.ts';

/** The resources of `parts`; of two at one URI that of the earlier part counts. */
export function syntheticSet(parts: readonly SyntheticResources[]): SyntheticResources {
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0) return only;
  return {
    listed: once((snapshot) => joined(parts.map((part) => part.listed(snapshot)))),
    ofSkills: once((snapshot) => joined(parts.map((part) => part.ofSkills(snapshot)))),
    has: (uri) => parts.some((part) => part.has(uri)),
    read(uri, context) {
      for (const part of parts) {
        const contents = part.read(uri, context);
        if (contents !== undefined) return contents;
      }
      return undefined;
    },
    updatedBy: (changes) => parts.flatMap((part) => part.updatedBy(changes)),
  };
}

type Listing = (snapshot: Snapshot) => readonly SkillResource[];

function once(make: Listing): Listing {
  const made = new WeakMap<Snapshot, readonly SkillResource[]>();
  return (snapshot) => {
    let list = made.get(snapshot);
    if (list === undefined) {
      list = make(snapshot);
      made.set(snapshot, list);
    }
    return list;
  };
}

function joined(lists: readonly (readonly SkillResource[])[]): readonly SkillResource[] {
  const byUri = new Map<string, SkillResource>();
  for (const list of lists) {
    for (const resource of list) if (!byUri.has(resource.uri)) byUri.set(resource.uri, resource);
  }
  return [...byUri.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
}
