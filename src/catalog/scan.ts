/**
 * A scan: from a source to a tree of folders with every skill read.
 *
 * @module
 */

import { startPace } from '../pace.ts';
import type { Source } from '../source/source.ts';
import { listTree } from './list-tree.ts';
import { ReadAhead } from './read-ahead.ts';
import { readTree } from './read-tree.ts';
import type { CatalogSettings } from './settings.ts';
import type { SkillFile } from './snapshot.ts';
import { EVERYTHING, type Touched, touchedBy } from './touched.ts';
import type { TreeFolder } from './tree.ts';

/** A skill that vanishes under the reader is looked for again this often. */
const ROUNDS = 3;

/** What a scan starts from. */
export interface ScanOptions {
  readonly source: Source;
  readonly settings: CatalogSettings;
  /** Where to begin. @default the root of the source */
  readonly start?: string;
  /** The tree of the scan before: what did not change in it is kept. @default none */
  readonly previous?: TreeFolder | undefined;
  /** Which parts of `previous` are looked at again. @default all */
  readonly touched?: Touched | undefined;
  /** The stamp under which the digest of a known file is certain; undefined: read it again. @default its own, unless provisional */
  readonly certainStamp?: (file: SkillFile) => string | undefined;
  /** Called between slices of work; throws when the scan is no longer wanted. */
  readonly check?: () => void;
}

/**
 * The folders below a source with every skill's files read and hashed, each file once (requirement S31).
 *
 * With `previous`, folders that were not touched are kept as they are, and a file whose stamp did not change is not
 * read again; the result equals that of a scan without it. A source that answers at once is scanned without a wait
 * per file, and the event loop turns about every 50 ms.
 *
 * Errors: `SCAN_TOO_MANY_FOLDERS`, `SCAN_TOO_DEEP`, and for the root those of `Source.list`. Everything else that is
 * wrong is a diagnostic in the tree.
 */
export async function scan(options: ScanOptions): Promise<TreeFolder> {
  const { source, settings, start = '' } = options;
  const pace = startPace();
  const check = options.check ?? nothing;
  const certainStamp = options.certainStamp ?? ownStamp;
  let previous = options.previous;
  let touched = options.touched ?? EVERYTHING;
  for (let round = 1; ; round++) {
    const ahead = new ReadAhead(source, settings);
    try {
      const listed = await listTree({
        ...{ source, settings, pace, start, previous, touched, check },
        listed: (draft) => ahead.listed(draft),
      });
      ahead.flush();
      const read = await readTree(listed.root, listed.drafts, {
        ...{ source, settings, pace, touched, certainStamp, check },
      });
      if (read.vanished.length === 0 || round === ROUNDS) return read.root;
      previous = read.root;
      touched = touchedBy(read.vanished);
    } finally {
      ahead.close();
    }
  }
}

function ownStamp(file: SkillFile): string | undefined {
  return file.provisional ? undefined : file.stamp;
}

function nothing(): void {}
