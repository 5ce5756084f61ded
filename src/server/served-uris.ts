/**
 * Whose a URI is, whether something is there, and how it is spelled when it is told of.
 *
 * @module
 */
import {
  canonicalDocUri,
  canonicalPromptUri,
  DOCS_TEMPLATE,
  type DocEntry,
  hasDoc,
  hasPromptResource,
  isDocUri,
  isPromptUri,
  PROMPT_DOCUMENT_TEMPLATE,
  PROMPT_RECORD_TEMPLATE,
  PROMPTS_INDEX_TEMPLATE,
  PROMPTS_INDEX_URI,
} from '../prompts/index.ts';
import type { ServedParts } from './handlers.ts';
import { skillOfTemplate } from './surfaces/fastmcp.ts';
import { canonicalOf } from './surfaces/lookup.ts';
import { SKILL_TEMPLATE } from './surfaces/resources.ts';

/** The URIs of a provider. */
export interface ServedUris {
  /** Whether a URI has the form of ours, so that ours is asked for it before anybody else. */
  claims(uri: string): boolean;
  /** Whether something can be read at it. */
  isServed(uri: string): boolean | Promise<boolean>;
  /** Whether something that a listing of ours shows, or a file of a skill, stands at it. */
  isShown(uri: string): boolean;
  /** The spelling in which changes are told; undefined for what can be none of ours. */
  canonical(uri: string): string | undefined;
  /** Whether a template is one of ours: that of every file, of a skill that is served, of prompts or documents. */
  hasTemplate(uriTemplate: string): boolean;
}

const PROMPT_TEMPLATES: ReadonlySet<string> = new Set([
  PROMPTS_INDEX_TEMPLATE,
  PROMPT_RECORD_TEMPLATE,
  PROMPT_DOCUMENT_TEMPLATE,
]);

/**
 * The URIs of what is served.
 *
 * @example
 * servedUris(parts).claims('resource://catalog/prompts_index') // true where prompts are served
 */
export function servedUris(parts: ServedParts): ServedUris {
  const { catalog, files, synthetic, prompts, docs } = parts;
  const isSkillUri = (uri: string): boolean =>
    (files && catalog.snapshot.locate(uri)?.kind === 'file') || synthetic.has(uri);
  return {
    claims: (uri) =>
      /^skill:/i.test(uri) ||
      (prompts !== undefined && isPromptUri(uri)) ||
      (docs !== undefined && isDocUri(uri)),
    isServed(uri) {
      if (prompts !== undefined && isPromptUri(uri)) return hasPromptResource(prompts.snapshot, uri);
      if (docs !== undefined && isDocUri(uri)) return hasDoc(docs, uri);
      return isSkillUri(uri);
    },
    isShown(uri) {
      if (prompts !== undefined && isPromptUri(uri)) return canonicalPromptUri(uri) === PROMPTS_INDEX_URI;
      if (docs !== undefined && isDocUri(uri)) {
        return docs.listing !== undefined && urisOf(docs.listing).has(canonicalDocUri(uri) ?? '');
      }
      return isSkillUri(uri);
    },
    canonical(uri) {
      if (prompts !== undefined && isPromptUri(uri)) return canonicalPromptUri(uri);
      return docs !== undefined && isDocUri(uri) ? canonicalDocUri(uri) : canonicalOf(uri);
    },
    hasTemplate(uriTemplate) {
      if (uriTemplate === SKILL_TEMPLATE) return true;
      if (PROMPT_TEMPLATES.has(uriTemplate)) return prompts !== undefined;
      if (uriTemplate === DOCS_TEMPLATE) return docs !== undefined;
      const root = skillOfTemplate(uriTemplate);
      return root !== undefined && isSkillUri(`${root}/SKILL.md`);
    },
  };
}

const uriSets = new WeakMap<readonly DocEntry[], ReadonlySet<string>>();

function urisOf(listing: readonly DocEntry[]): ReadonlySet<string> {
  let uris = uriSets.get(listing);
  if (uris === undefined) {
    uris = new Set(listing.map(({ uri }) => uri));
    uriSets.set(listing, uris);
  }
  return uris;
}
