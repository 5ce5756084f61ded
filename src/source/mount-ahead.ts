/**
 * Facts of many files of several sources that stand side by side.
 *
 * @module
 */
import type { AheadOptions, FactsAhead, FactsBatch, FactsFolder, Source } from './source.ts';

/** Where a folder really is. */
export interface AheadRoute {
  readonly source: Source;
  readonly path: string;
}

/**
 * Takes the facts of files from the sources that have them. `routeOf` says where a folder is, if that can be said at once
 * and the folder belongs to one source alone.
 */
export class MountAhead implements FactsAhead {
  readonly #options: AheadOptions;
  readonly #routeOf: (path: string) => AheadRoute | undefined;
  readonly #parts: Map<Source, FactsAhead | undefined> = new Map();

  constructor(options: AheadOptions, routeOf: (path: string) => AheadRoute | undefined) {
    this.#options = options;
    this.#routeOf = routeOf;
  }

  async take(folders: readonly FactsFolder[]): Promise<FactsBatch> {
    const asked = new Map<FactsAhead, FactsFolder[]>();
    /** By file: who is asked, and for the how manieth of its files. */
    const askedOf: (FactsAhead | undefined)[] = [];
    const places: number[] = [];
    const counts = new Map<FactsAhead, number>();
    for (const folder of folders) {
      const route = this.#routeOf(folder.path);
      const part = route && this.#partOf(route.source);
      if (route === undefined || part === undefined) {
        for (const _ of folder.names) places[askedOf.push(undefined) - 1] = 0;
        continue;
      }
      const of = asked.get(part) ?? [];
      asked.set(part, of);
      of.push({ ...folder, path: route.path });
      let count = counts.get(part) ?? 0;
      for (const _ of folder.names) places[askedOf.push(part) - 1] = count++;
      counts.set(part, count);
    }
    const told = new Map(
      await Promise.all([...asked].map(async ([part, of]) => [part, await part.take(of)] as const)),
    );
    return {
      readAt: Math.min(...[...told.values()].map(({ readAt }) => readAt)),
      at: (index) => {
        const part = askedOf[index];
        return part && told.get(part)?.at(places[index] ?? 0);
      },
    };
  }

  close(): void {
    for (const part of this.#parts.values()) part?.close();
  }

  #partOf(source: Source): FactsAhead | undefined {
    if (!this.#parts.has(source)) this.#parts.set(source, source.ahead?.(this.#options));
    return this.#parts.get(source);
  }
}
