import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import type { Source } from '../../src/source/index.ts';

/** The program of the thread that takes facts, in the form in which tests can run it. */
export const PROGRAM: URL = new URL('./facts-program.mjs', import.meta.url);

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder that is gone after the test. */
export function tempFolder(): string {
  const folder = realpathSync.native(mkdtempSync(join(tmpdir(), 'skillwire-source-')));
  made.push(folder);
  return folder;
}

/** Writes files by path below `root`; a trailing slash is a folder, a value `-> x` a link to x. */
export function fill(root: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [path, content] of Object.entries(files)) {
    const full = join(root, path);
    if (path.endsWith('/')) {
      mkdirSync(full, { recursive: true });
      continue;
    }
    mkdirSync(dirname(full), { recursive: true });
    if (typeof content === 'string' && content.startsWith('-> ')) symlinkSync(content.slice(3), full);
    else writeFileSync(full, content);
  }
  return root;
}

/** A folder with these files that is gone after the test. */
export function tree(files: Readonly<Record<string, string | Uint8Array>>): string {
  return fill(tempFolder(), files);
}

/** Above this many files a folder is written once for all that only read it. */
const MANY = 1_000;
const shared = new Map<object, string>();

afterAll(() => {
  for (const folder of shared.values()) rmSync(folder, { recursive: true, force: true });
  shared.clear();
});

/** A folder with these files that nobody changes; where they are many, the same one for each who asks with this very object. */
export function readOnlyTree(files: Readonly<Record<string, string | Uint8Array>>): string {
  if (Object.keys(files).length < MANY) return tree(files);
  let folder = shared.get(files);
  if (folder === undefined) {
    folder = fill(realpathSync.native(mkdtempSync(join(tmpdir(), 'skillwire-source-'))), files);
    shared.set(files, folder);
  }
  return folder;
}

/** The same source, answering later. */
export function later(source: Source): Source {
  return {
    label: source.label,
    list: async (path) => source.list(path),
    read: async (path, options) => source.read(path, options),
    stat: async (path, options) => source.stat(path, options),
    contains: (ancestor, id) => source.contains(ancestor, id),
    close: () => source.close(),
  };
}

/** What lies below one folder of a source; paths that are none go through as they are. */
export function viewOf(source: Source, folder: string): Source {
  const at = (path: string) => (path === '' ? folder : `${folder}/${path}`);
  return {
    label: source.label,
    list: (path) => source.list(at(path)),
    read: (path, options) => source.read(at(path), options),
    stat: (path, options) => source.stat(at(path), options),
    contains: (ancestor, id) => source.contains(ancestor, id),
    close: () => source.close(),
  };
}

/** The names in a folder, each with the code that withholds it. Sources that answer at once only. */
export function look(source: Source, path: string): string[] {
  const folder = source.list(path);
  if (folder instanceof Promise) throw new Error('this source answers later');
  return folder.nodes.map((node) => (node.withheld ? `${node.name} ${node.withheld.code}` : node.name));
}

/** The code of the `SkillError` that an action throws, or `no error`. */
export function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (isSkillError(error)) return error.code;
    throw error;
  }
  return 'no error';
}
