/**
 * Skill URIs: parsed, formatted, resolved. Needs nothing but this room.
 *
 * @module
 */
export { canonicalUri, INDEX_URI, isIndexUri } from './canonical.ts';
export { formatSkillUri, manifestUri, skillRootUri, uriFromSegments } from './format.ts';
export {
  MANIFEST_FILENAME,
  type ParsedSkillUri,
  type ParseUriOptions,
  parseSkillUri,
  type SkillUriInput,
} from './parse.ts';
export { type ReadUriOptions, SCHEME } from './read-uri.ts';
export { resolveRelative } from './resolve.ts';
export { encodeSegment, isAddressableName } from './segment.ts';
export { splitSkillUri } from './split.ts';
