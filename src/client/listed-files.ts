/**
 * Lists of file names that strangers wrote, made into the files of an entry.
 *
 * @module
 */
import { SkillError, type SkillErrorCode } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { MANIFEST_FILENAME } from '../uri/parse.ts';
import { collisionKey } from '../uri/portable-name.ts';
import { quote } from '../uri/quote.ts';
import { encodeChecked, isAddressableName } from '../uri/segment.ts';
import type { ClientResource } from './skill.ts';

/** One file as a list states it. */
export interface ListedFile {
  /** Below the skill's folder, `/`-separated, not encoded. */
  readonly path: string;
  readonly digest?: string;
  readonly size?: number;
}

const DRIVE = /^[A-Za-z]:(?:\/|$)/;

/**
 * The files of a skill with their URIs, in the order given. `manifest` is the URI of its `SKILL.md` in the spelling of the
 * server, which is kept: a server that does not decode the names of skills knows no other.
 *
 * One bad path refuses the whole list: a set of files with a hole in it is no skill, and an honest server has none.
 *
 * Errors, each with `code`, and `details.path`: a path that is absolute, leads out, or has a name that no URI can hold;
 * one that stands there twice, or is one with another on systems that fold case or compose characters, or is a file and
 * a folder (threat A4); no `SKILL.md`; a URI of more than 8 KiB.
 *
 * @example
 * resourcesBelow('skill://pdf/SKILL.md', [{ path: 'SKILL.md' }, { path: 'how to.md' }], 'INVALID_MANIFEST')[1]?.uri
 * // 'skill://pdf/how%20to.md'
 */
export function resourcesBelow(
  manifest: string,
  files: readonly ListedFile[],
  code: SkillErrorCode,
): readonly ClientResource[] {
  const root = manifest.slice(0, manifest.lastIndexOf('/') + 1);
  const taken: Taken = new Map();
  let hasManifest = false;
  const resources = files.map(({ path, digest, size }): ClientResource => {
    const refuse = (why: string): SkillError =>
      new SkillError(code, `the files of ${quote(manifest)} are refused: ${quote(path)} ${why}`, {
        details: { uri: manifest, path: path.slice(0, LIMITS.archivePathBytes) },
      });
    const names = namesOf(path, refuse);
    take(taken, path, refuse);
    if (path === MANIFEST_FILENAME) hasManifest = true;
    const uri = root + names.map(encodeChecked).join('/');
    if (uri.length > LIMITS.uriBytes) {
      throw refuse(`has a URI of ${uri.length} bytes, more than the limit of ${LIMITS.uriBytes}`);
    }
    return { uri, ...(digest === undefined ? {} : { digest }), ...(size === undefined ? {} : { size }) };
  });
  if (hasManifest) return resources;
  throw new SkillError(
    code,
    `the files of ${quote(manifest)} are refused: SKILL.md itself is not among them, so it cannot be checked`,
    { details: { uri: manifest } },
  );
}

type Refuse = (why: string) => SkillError;
/** Paths and their folders by what other file systems take them for. */
type Taken = Map<string, { readonly path: string; readonly folder: boolean }>;

function namesOf(path: string, refuse: Refuse): readonly string[] {
  if (path.length > LIMITS.uriBytes) throw refuse(`has ${path.length} characters`);
  if (path.startsWith('/') || DRIVE.test(path)) throw refuse('is an absolute path');
  const names = path.split('/');
  if (names.includes('..')) throw refuse('leads out of the skill');
  if (names.length > LIMITS.archiveDepth) {
    throw refuse(`is ${names.length} levels deep, more than the limit of ${LIMITS.archiveDepth}`);
  }
  for (const name of names) {
    if (isAddressableName(name)) continue;
    throw refuse(
      name === '' || name === '.'
        ? 'has an empty name or "." in it'
        : 'has a name with a backslash, a control character or half a surrogate pair',
    );
  }
  return names;
}

function take(taken: Taken, path: string, refuse: Refuse): void {
  // Most files have a folder that is known, and then nothing above it needs another look.
  const above = path.lastIndexOf('/');
  if (above > 0 && !isKnownFolder(taken, path.slice(0, above))) {
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      takeOne(taken, path.slice(0, slash), true, refuse);
    }
  }
  takeOne(taken, path, false, refuse);
}

function isKnownFolder(taken: Taken, path: string): boolean {
  const known = taken.get(collisionKey(path));
  return known?.path === path && known.folder;
}

function takeOne(taken: Taken, path: string, folder: boolean, refuse: Refuse): void {
  const key = collisionKey(path);
  const other = taken.get(key);
  if (other === undefined) {
    taken.set(key, { path, folder });
    return;
  }
  if (other.path !== path) {
    throw refuse(
      `and ${quote(other.path)} are one path on file systems that fold case or compose characters`,
    );
  }
  if (other.folder !== folder) throw refuse('is a file and a folder');
  if (!folder) throw refuse('stands there twice');
}
