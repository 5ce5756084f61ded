/**
 * One skill of a server, every file of it read and compared with what the server states.
 *
 * @module
 */
import type { FoundSkill } from '../client/skill.ts';
import { isSkillError, type SkillError } from '../errors.ts';
import { digestOf } from '../integrity/index.ts';
import { EXIT } from './exit.ts';
import { filesOf, type SkillFile, shownName } from './skill-files.ts';
import type { SkillReader } from './skill-reader.ts';

/**
 * What checking came to: `verified`; `failed` (the content is not what the entry states); `unverifiable` (nothing states what
 * it should be); `unread` (the server could not be reached); `incomplete` (a cap of this client ended it).
 */
export type VerifyOutcome = 'verified' | 'failed' | 'unverifiable' | 'unread' | 'incomplete';

/** An error as it stands in a document. */
export interface ErrorJson {
  readonly code: string;
  readonly message: string;
  readonly expected?: unknown;
  readonly actual?: unknown;
  readonly fields?: unknown;
}

/** One file as it was found. */
export interface VerifiedEntry {
  readonly path: string;
  readonly uri: string;
  readonly outcome: VerifyOutcome;
  /** Bytes that came; 0 where none did. */
  readonly size: number;
  /** Of the bytes that came. */
  readonly digest?: string;
  readonly error?: ErrorJson;
}

/** One skill as it was found. */
export interface SkillReport {
  readonly uri: string;
  readonly name: string;
  readonly dialect: FoundSkill['dialect'];
  readonly integrity: FoundSkill['integrity'];
  readonly outcome: VerifyOutcome;
  readonly files: readonly VerifiedEntry[];
  /** Why the skill as a whole could not be checked. */
  readonly error?: ErrorJson;
}

/** Reads one file, when its turn comes. */
export type ReadInTurn = <T>(work: () => Promise<T>) => Promise<T>;

/** What {@link verifySkill} works with. */
export interface VerifyContext {
  readonly client: SkillReader;
  /** Bounds how many files of all skills are in memory. */
  readonly inTurn: ReadInTurn;
  readonly onFile: () => void;
}

/**
 * Resolves to what was found. Nothing but the report is kept: the bytes of a file are let go once they were checked. Never
 * rejects with a `SkillError`: what goes wrong stands in the report, so that one bad skill hides no other.
 */
export async function verifySkill(found: FoundSkill, context: VerifyContext): Promise<SkillReport> {
  const { uri } = found.entry;
  const facts = { uri, name: shownName(found.entry), dialect: found.dialect };
  try {
    const whole = found.entry.resources === 'on-request' ? await context.client.getSkill(uri) : found;
    const { integrity } = whole;
    const listed = whole.entry.resources === 'dynamic' ? [{ path: 'SKILL.md', uri }] : filesOf(whole);
    const files = await Promise.all(listed.map((file) => verifyFile(whole, file, context)));
    return { ...facts, integrity, outcome: worstOf(files.map((file) => file.outcome)), files };
  } catch (error) {
    if (!isSkillError(error)) throw error;
    return {
      ...facts,
      integrity: found.integrity,
      outcome: outcomeOf(error),
      files: [],
      error: errorJson(error),
    };
  }
}

async function verifyFile(
  skill: FoundSkill,
  { path, uri, digest }: SkillFile,
  { client, inTurn, onFile }: VerifyContext,
): Promise<VerifiedEntry> {
  try {
    const { bytes } = await inTurn(() => client.read(skill, uri));
    // A file of an archive was checked with it.
    const isKnown = digest !== undefined || skill.integrity === 'complete';
    const outcome = isKnown ? 'verified' : 'unverifiable';
    // One that is stated was compared.
    return { path, uri, outcome, size: bytes.byteLength, digest: digest ?? digestOf(bytes) };
  } catch (error) {
    if (!isSkillError(error)) throw error;
    return { path, uri, outcome: outcomeOf(error), size: 0, error: errorJson(error) };
  } finally {
    onFile();
  }
}

const ORDER: readonly VerifyOutcome[] = ['failed', 'unread', 'incomplete', 'unverifiable', 'verified'];

/** The gravest of some outcomes; nothing is `unverifiable`. */
export function worstOf(outcomes: readonly VerifyOutcome[]): VerifyOutcome {
  return ORDER.find((outcome) => outcomes.includes(outcome)) ?? 'unverifiable';
}

/** Codes by which it is the server that is not there; that a listed file is not there is its word broken. */
const UNREAD = /^(?:NET_(?!STATUS)|SERVER_(?:UNREACHABLE|ERROR)$)/;

function outcomeOf(error: SkillError): VerifyOutcome {
  if (error.code === 'DYNAMIC_REFUSED') return 'unverifiable';
  if (error.exitCode === EXIT.incomplete || TOO_LARGE.has(error.code)) return 'incomplete';
  return UNREAD.test(error.code) ? 'unread' : 'failed';
}

const TOO_LARGE: ReadonlySet<string> = new Set([
  'RESOURCE_TOO_LARGE',
  'NET_TOO_LARGE',
  'ARCHIVE_EXCEEDS_MAX_BYTES',
]);

/** The parts of an error that a report needs. */
export function errorJson({ code, message, details }: SkillError): ErrorJson {
  const { expected, actual, fields } = details;
  return {
    code,
    message,
    ...(expected === undefined ? {} : { expected }),
    ...(actual === undefined ? {} : { actual }),
    ...(fields === undefined ? {} : { fields }),
  };
}
