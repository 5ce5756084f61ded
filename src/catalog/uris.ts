/**
 * The URIs of folders and skills.
 *
 * @module
 */
import { encodeSegment, SCHEME } from '../uri/index.ts';
import { parentPath } from './tree.ts';

/**
 * The URI of a folder under its real path, without a trailing slash. `prefix` is encoded and ends with a slash, or is
 * empty.
 *
 * @example
 * folderUri('acme/', 'skills/my notes') // 'skill://acme/skills/my%20notes'
 */
export function folderUri(prefix: string, path: string): string {
  return `${SCHEME}://${prefix}${path === '' ? '' : encodePath(path)}`;
}

/**
 * The URI of the root of a skill called `name` in the folder `path`: only the last segment is the name's, the others
 * are the real path (design decision 6), also below a skill that is itself published under another name.
 *
 * @example
 * skillUri('', 'skills/pdf-skill', 'pdf') // 'skill://skills/pdf'
 */
export function skillUri(prefix: string, path: string, name: string): string {
  const parent = parentPath(path);
  return `${SCHEME}://${prefix}${parent === '' ? '' : `${encodePath(parent)}/`}${encodeSegment(name)}`;
}

/** Every segment of a path encoded. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeSegment).join('/');
}
