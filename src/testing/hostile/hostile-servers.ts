/**
 * Every hostile server there is.
 *
 * @module
 */
import { CONTENT_CASES } from './content-cases.ts';
import { DRAFT_CASES } from './draft-cases.ts';
import { ENTRY_CASES } from './entry-cases.ts';
import { FASTMCP_CASES } from './fastmcp-cases.ts';
import type { HostileCase, HostileDefinition } from './hostile-case.ts';
import { LISTING_CASES } from './listing-cases.ts';
import { WELL_KNOWN_CASES } from './well-known-cases.ts';

/** With what it takes to play them. */
export const DEFINITIONS: readonly HostileDefinition[] = [
  ...CONTENT_CASES,
  ...ENTRY_CASES,
  ...LISTING_CASES,
  ...DRAFT_CASES,
  ...FASTMCP_CASES,
  ...WELL_KNOWN_CASES,
];

/**
 * One server for each way to lie, with the code by which Skillwire refuses it.
 *
 * @example
 * for (const { name, lies } of hostileServers) console.log(name, lies)
 */
export const hostileServers: readonly HostileCase[] = DEFINITIONS.map(({ script, ...facts }) =>
  Object.freeze(facts),
);
