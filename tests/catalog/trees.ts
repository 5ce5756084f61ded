import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import type { Source } from '../../src/source/index.ts';

/** A `SKILL.md` with this name. */
export function md(name: string, description = `about ${name}`, rest = ''): string {
  return `---\nname: ${name}\ndescription: ${description}\n${rest}---\nbody\n`;
}

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder on disk with these files and links (path to target), removed after the test. */
export function onDisk(
  files: Readonly<Record<string, string | Uint8Array>>,
  links: Readonly<Record<string, string>> = {},
): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skillwire-catalog-')));
  folders.push(root);
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith('/')) {
      mkdirSync(join(root, path), { recursive: true });
      continue;
    }
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(target, join(root, path));
  }
  return root;
}

/** What was asked of a source, and a way to make a call fail. */
export interface Watched extends Source {
  readonly calls: string[];
  readonly errors: Map<string, () => unknown>;
}

/** `source` with its calls recorded; `errors` holds what a call like `read a/x.md` throws, if it returns something. */
export function watched(source: Source, later = false): Watched {
  const calls: string[] = [];
  const errors = new Map<string, () => unknown>();
  const through = <T>(call: string, work: () => T): T | Promise<T> => {
    calls.push(call);
    const run = (): T => {
      const error = errors.get(call)?.();
      if (error !== undefined) throw error;
      return work();
    };
    return later ? Promise.resolve().then(run) : run();
  };
  return {
    calls,
    errors,
    label: source.label,
    list: (path) => through(`list ${path}`, () => source.list(path)) as ReturnType<Source['list']>,
    read: (path, options) =>
      through(`read ${path}`, () => source.read(path, options)) as ReturnType<Source['read']>,
    stat: (path, options) =>
      through(`stat ${path}`, () => source.stat(path, options)) as ReturnType<Source['stat']>,
    contains: (ancestor, id) => source.contains(ancestor, id),
    close: () => source.close(),
  };
}
