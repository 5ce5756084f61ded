/**
 * Identities of folders.
 *
 * @module
 */

/**
 * Whether the folder with identity `id` is, or lies in, the one with identity `ancestor`, for identities that end in a
 * `/`-separated real path. A name that only begins the same (`/skills-evil` and `/skills`) does not count.
 *
 * @example
 * containsIdentity('file:/srv/skills', 'file:/srv/skills/pdf') // true
 */
export function containsIdentity(ancestor: string, id: string): boolean {
  if (!id.startsWith(ancestor)) return false;
  return id.length === ancestor.length || ancestor.endsWith('/') || id.charCodeAt(ancestor.length) === 47;
}
