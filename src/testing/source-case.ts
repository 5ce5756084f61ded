/**
 * What one check of a source is made of.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { isSkillError, type SkillErrorCode } from '../errors.ts';
import type { AheadOptions, IgnoreOptions, Source, SourceFacts } from '../source/index.ts';
import { readSourceFacts } from '../source/source-facts.ts';

/** Files by path; a path that ends with a slash is an empty folder. */
export type SuiteFiles = Readonly<Record<string, string | Uint8Array>>;

/** Files, and what must hold for a source over them. */
export interface SourceCase {
  readonly name: string;
  readonly files: SuiteFiles;
  readonly options?: IgnoreOptions;
  readonly body: (source: Source) => Promise<void>;
}

/** The names in a folder, in the order of the listing. */
export async function names(source: Source, path = ''): Promise<string[]> {
  return (await source.list(path)).nodes.map((node) => node.name);
}

/** The text of a file. */
export async function text(source: Source, path: string): Promise<string> {
  return (await source.read(path)).bytes.toString('utf8');
}

/** Fails unless the action fails with this code. */
export async function fails(code: SkillErrorCode, action: () => unknown): Promise<void> {
  try {
    await action();
  } catch (error) {
    assert.ok(isSkillError(error), `expected a SkillError, got ${String(error)}`);
    assert.equal(error.code, code);
    return;
  }
  assert.fail(`expected ${code}, got a result`);
}

/** Fails unless neither `read` nor `stat` nor anything that tells facts gives the file away. */
export async function hides(source: Source, path: string, code: SkillErrorCode): Promise<void> {
  await fails(code, () => source.read(path));
  await fails(code, () => source.stat(path));
  await fails(code, () => readSourceFacts(source, path));
  const [folder, name] = split(path);
  assert.deepEqual(await toldAhead(source, folder, [name]), [undefined]);
}

/** The folder and the name of a path. */
export function split(path: string): readonly [folder: string, name: string] {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? ['', path] : [path.slice(0, slash), path.slice(slash + 1)];
}

/** What a source tells of files ahead; nothing of any if it cannot. */
export async function toldAhead(
  source: Source,
  path: string,
  names: readonly string[],
  options: AheadOptions = {},
): Promise<(SourceFacts | undefined)[]> {
  const root = await source.list('');
  const ahead = source.ahead?.(options);
  if (ahead === undefined) return names.map(() => undefined);
  try {
    const batch = await ahead.take([{ path, within: root.id, names }]);
    return names.map((_, index) => batch.at(index));
  } finally {
    ahead.close();
  }
}
