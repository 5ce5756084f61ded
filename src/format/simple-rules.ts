/**
 * Whether a simple frontmatter breaks no rule, so that there is nothing to report.
 *
 * @module
 */
import { MAX_COMPATIBILITY, MAX_DESCRIPTION } from './fields.ts';
import type { Head } from './head.ts';
import { nameProblem } from './name.ts';
import type { YamlNode } from './yaml-node.ts';

/**
 * Whether the full check of a simple head finds nothing, not even a remark. In doubt false: then the full check decides.
 *
 * @example
 * keepsEveryRule(head, 'pdf')
 */
export function keepsEveryRule(head: Head, folderName: string | undefined): boolean {
  if (!head.simple || head.oddity !== undefined) return false;
  let found = 0;
  for (const { key, value } of head.tree.entries) {
    if (!isFine(key, value, folderName)) return false;
    if (key === 'name' || key === 'description') found++;
  }
  return found === 2;
}

/** The values of a simple head are texts and maps of texts, and no key of it has the reserved prefix. */
function isFine(key: string, { source }: YamlNode, folderName: string | undefined): boolean {
  switch (key) {
    case 'name':
      if (source === undefined || (folderName !== undefined && folderName !== source)) return false;
      return nameProblem(source) === undefined;
    case 'description':
      // Lengths in UTF-16 units, which are never fewer than characters.
      return source !== undefined && source.length <= MAX_DESCRIPTION && source.trim() !== '';
    case 'compatibility':
      return source !== undefined && source !== '' && source.length <= MAX_COMPATIBILITY;
    case 'license':
    case 'allowed-tools':
      return source !== undefined;
    case 'metadata':
      return source === undefined;
    default:
      return false;
  }
}
