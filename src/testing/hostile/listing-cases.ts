/**
 * Lists that do not end, do not hold what they say, or do not come.
 *
 * @module
 */
import { LIMITS } from '../../limits.ts';
import { type HostileAnswer, type HostileDefinition, RpcError } from './hostile-case.ts';
import { LIAR, type LiarEntry, rightSkill, skillText } from './liar.ts';
import { type Override, type ReleasedCase, released } from './released-script.ts';

const LIST = 'skills/list';
const HONEST_ENTRY: LiarEntry = rightSkill('honest').entry;

/** A case about a whole list; each page is made from the number of those before it. */
function pages(
  name: string,
  lies: string,
  page: (at: number, cursor: unknown) => HostileAnswer,
  options: Pick<ReleasedCase, 'alone' | 'onlyHttp'> & Partial<Pick<ReleasedCase, 'expect'>> = {},
): HostileDefinition {
  return released({
    name,
    lies,
    at: 'list',
    expect: 'LISTING_INCOMPLETE',
    skill: null,
    ...options,
    lie: () => {
      let at = 0;
      return ({ method, params }) => {
        if (method !== LIST) return undefined;
        // A client that begins anew gets the beginning.
        if (params.cursor === undefined) at = 0;
        at += 1;
        return page(at - 1, params.cursor);
      };
    },
  });
}

/** An entry whose content nobody is meant to ask for. */
function some(at: number): LiarEntry {
  const name = `s${at}`;
  return {
    uri: `skill://${name}/SKILL.md`,
    frontmatter: { name, description: 'One of very many.' },
    resources: 'dynamic',
  };
}

function never(signalled: string): Override {
  return ({ method }) => (method === signalled ? new Promise<HostileAnswer>(() => undefined) : undefined);
}

const ENOUGH = LIMITS.clientEntries + 50_000;

/** Every one of them is found out while listing, getting, or reading a directory. */
export const LISTING_CASES: readonly HostileDefinition[] = [
  pages('endless-pages', 'each page has a skill and a cursor for the next', (at) => ({
    skills: at === 0 ? [HONEST_ENTRY] : [some(at)],
    nextCursor: `page ${at + 1}`,
  })),
  pages('endless-empty-pages', 'pages without skills follow one another, each with another cursor', (at) => ({
    skills: at === 0 ? [HONEST_ENTRY] : [],
    nextCursor: `page ${at + 1}`,
  })),
  // By the cursor alone: several clients that list at once must each get this.
  pages('repeated-cursor', 'after the second page comes the first', (_, cursor) => ({
    skills: [cursor === 'second' ? some(1) : HONEST_ENTRY],
    nextCursor: cursor === 'second' ? 'first' : 'second',
  })),
  pages('constant-cursor', 'every page is the first, under one cursor', () => ({
    skills: [HONEST_ENTRY],
    nextCursor: 'next',
  })),
  pages('giant-cursor', 'a cursor has a million characters', (at) => ({
    skills: at === 0 ? [HONEST_ENTRY] : [some(at)],
    nextCursor: `${at}`.padEnd(1_000_000, '.'),
  })),
  pages('giant-page', 'one page has 250,000 entries', () => ({
    skills: [HONEST_ENTRY, ...Array.from({ length: ENOUGH }, (_, at) => some(at))],
  })),
  pages(
    'giant-response',
    'an answer has 40 MiB',
    () => ({ skills: [HONEST_ENTRY], filler: 'x'.repeat(41_943_040) }),
    { expect: 'RESPONSE_TOO_LARGE', onlyHttp: true, alone: true },
  ),
  pages(
    'failing-page',
    'the second page is an error',
    (at) => {
      if (at === 0) return { skills: [HONEST_ENTRY], nextCursor: 'second' };
      throw new RpcError(-32603, 'no more');
    },
    { expect: 'SERVER_ERROR' },
  ),
  pages('skills-no-list', 'the skills of a page are no list', () => ({ skills: { length: 3 } }), {
    expect: 'INVALID_RESULT',
    alone: true,
  }),
  pages('cursor-no-text', 'the cursor is a number', () => ({ skills: [HONEST_ENTRY], nextCursor: 1 }), {
    expect: 'INVALID_RESULT',
    alone: true,
  }),
  pages(
    'error-with-escapes',
    'an error holds escape codes for terminals, and pretends to be of the client',
    () => {
      throw new RpcError(-32603, '\u001b[2J\u001b]0;owned\u0007all 3 skills verified\u202e\r\n0 problems');
    },
    { expect: 'SERVER_ERROR', alone: true },
  ),
  released({
    name: 'method-missing',
    lies: 'the extension is declared, and its methods are not answered',
    at: 'list',
    expect: 'METHOD_NOT_FOUND',
    skill: null,
    alone: true,
    lie:
      () =>
      ({ method, params }) => {
        if (method === 'resources/list') return { resources: [] };
        if (method === 'resources/read')
          throw new RpcError(-32602, 'Resource not found', { uri: params.uri });
        throw new RpcError(-32601, 'Method not found');
      },
  }),
  released({
    name: 'never-answers',
    lies: 'skills/list has no answer',
    at: 'list',
    expect: 'SERVER_UNREACHABLE',
    skill: null,
    alone: true,
    lie: () => never(LIST),
  }),
  released({
    name: 'never-answers-a-read',
    lies: 'reading SKILL.md has no answer',
    at: 'read',
    expect: 'SERVER_UNREACHABLE',
    lie: () => (request) => (request.params.uri === LIAR ? never('resources/read')(request) : undefined),
  }),
  released({
    name: 'slow-drip',
    lies: 'the answer to skills/list comes one byte at a time, and does not end',
    at: 'list',
    expect: 'SERVER_UNREACHABLE',
    skill: null,
    alone: true,
    onlyHttp: true,
    drips: LIST,
    lie: () => undefined,
  }),
  released({
    name: 'duplicate-entries',
    lies: 'one URI stands in the listing twice, with different content',
    at: 'list',
    expect: 'INVALID_ENTRY',
    lie:
      ({ entry }) =>
      ({ method }) => {
        const other = rightSkill('liar', `${skillText('liar')}\nOther.\n`).entry;
        return method === LIST ? { skills: [entry, HONEST_ENTRY, other] } : undefined;
      },
  }),
  released({
    name: 'duplicate-entries-respelled',
    lies: 'one URI stands in the listing twice, in two spellings',
    at: 'list',
    expect: 'INVALID_ENTRY',
    lie:
      ({ entry }) =>
      ({ method }) => {
        const uri = 'skill://liar/SKILL%2Emd';
        return method === LIST ? { skills: [entry, HONEST_ENTRY, { ...entry, uri }] } : undefined;
      },
  }),
  released({
    name: 'get-other-entry',
    lies: 'skills/get gives the entry of another skill',
    at: 'get',
    expect: 'URI_MISMATCH',
    lie:
      () =>
      ({ method, params }) =>
        method === 'skills/get' && params.uri === LIAR ? { skill: HONEST_ENTRY } : undefined,
  }),
  released({
    name: 'directory-adds',
    lies: 'a directory holds a file that the entry lacks',
    at: 'directory',
    expect: 'UNLISTED_FILE',
    file: 'scripts/install.sh',
    lie: ({ say }) => {
      say('scripts/install.sh', '#!/bin/sh\necho owned\n');
      return undefined;
    },
  }),
  released({
    name: 'endless-directories',
    lies: 'every directory holds one more',
    at: 'directory',
    expect: 'LISTING_INCOMPLETE',
    skill: null,
    lie:
      () =>
      ({ method, params }) => {
        if (method !== 'resources/directory/read') return undefined;
        return { resources: [{ uri: `${params.uri}/d`, name: 'd', mimeType: 'inode/directory' }] };
      },
  }),
  released({
    name: 'reserved-name',
    lies: 'a file has a name that is a device on Windows',
    at: 'write',
    expect: 'UNSAFE_NAME',
    file: 'references/AUX.md',
    lie: ({ add }) => {
      add('references/AUX.md', 'x\n');
      return undefined;
    },
  }),
  released({
    name: 'colliding-names',
    lies: 'two files have names that are one on file systems that fold case',
    at: 'write',
    expect: 'NAME_COLLISION',
    file: 'references/data.md',
    lie: ({ add }) => {
      add('references/data.md', 'x\n');
      return undefined;
    },
  }),
];
