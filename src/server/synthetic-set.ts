/**
 * The resources of several dialects as those of one.
 *
 * @module
 */
import type { Snapshot } from '../catalog/snapshot.ts';
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

type Listing<T> = (snapshot: Snapshot) => readonly T[];

function once<T>(make: Listing<T>): Listing<T> {
  const made = new WeakMap<Snapshot, readonly T[]>();
  return (snapshot) => {
    let list = made.get(snapshot);
    if (list === undefined) {
      list = make(snapshot);
      made.set(snapshot, list);
    }
    return list;
  };
}

function joined<T extends { readonly uri: string }>(lists: readonly (readonly T[])[]): readonly T[] {
  const byUri = new Map<string, T>();
  for (const list of lists) {
    for (const resource of list) {
      const { uri } = resource;
      if (!byUri.has(uri)) byUri.set(uri, resource);
    }
  }
  return [...byUri.values()].sort((a, b) => (a.uri < b.uri ? -1 : 1));
}
