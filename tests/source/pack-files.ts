/** Archives of files by path, for sources that are opened from archives. */
import { gzipSync } from 'node:zlib';
import { collisionKey } from '../../src/source/index.ts';
import type { SuiteFiles } from '../../src/testing/index.ts';
import { END, paxRecord, type TarPart, tarPart } from '../archive/build-tar.ts';
import { zip } from '../archive/build-zip.ts';

export const COMMIT = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';

export interface PackFilesOptions {
  /** A folder around everything. */
  readonly wrapper?: string;
  /** Written into a global header, as `git archive` does. */
  readonly comment?: string;
  /** Further entries of a tar. */
  readonly more?: readonly TarPart[];
}

/** The files of which an archive can hold one only, without the later ones. */
function apart(files: SuiteFiles, wrapper?: string): [string, Buffer][] {
  const seen = new Set<string>();
  const kept: [string, Buffer][] = [];
  for (const [path, content] of Object.entries(files)) {
    const key = collisionKey(path);
    if (seen.has(key)) continue;
    seen.add(key);
    kept.push([wrapper === undefined ? path : `${wrapper}/${path}`, Buffer.from(content)]);
  }
  return kept;
}

/** A tar.gz that is not compressed, so that no ratio is crossed. A path that ends with a slash is a folder. */
export function packTarGz(files: SuiteFiles, options: PackFilesOptions = {}): Buffer {
  const global =
    options.comment === undefined
      ? []
      : [tarPart({ name: 'pax_global_header', type: 'g', body: paxRecord('comment', options.comment) })];
  const parts = apart(files, options.wrapper).map(([path, body]) =>
    tarPart({
      name: path.slice(0, 90),
      body,
      type: path.endsWith('/') ? '5' : '0',
      ...(Buffer.byteLength(path) > 90 ? { pax: [['path', path]] as const } : {}),
    }),
  );
  const more = (options.more ?? []).map(tarPart);
  return gzipSync(Buffer.concat([...global, ...parts, ...more, END]), { level: 0 });
}

/** A zip of files that are stored, with names in UTF-8. */
export function packZip(files: SuiteFiles, options: PackFilesOptions = {}): Buffer {
  return zip(apart(files, options.wrapper).map(([name, body]) => ({ name, body, flags: 0x800 })));
}
