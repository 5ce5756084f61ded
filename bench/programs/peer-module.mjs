import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Imports a module as a program in the peer's folder would. Wants `--experimental-import-meta-resolve`. */
export function peerModule(folder, specifier) {
  return import(import.meta.resolve(specifier, pathToFileURL(join(folder, 'package.json'))));
}
