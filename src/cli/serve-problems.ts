/**
 * What a user has to know about a snapshot that is served.
 *
 * @module
 */
import type { RefusedSkill, Skill, Snapshot } from '../catalog/index.ts';
import type { Diagnostic } from '../format/index.ts';

/** What became of a skill or file, worst first. */
export const PROBLEM_KINDS = ['refused', 'unlisted', 'left out', 'warning'] as const;

/** One problem, ready to be a line or a log entry. */
export interface ReportedProblem {
  readonly kind: (typeof PROBLEM_KINDS)[number];
  readonly code: string;
  readonly path: string;
  /** The file as the user would open it, where the path alone does not tell. */
  readonly place?: string;
  readonly message: string;
  readonly line?: number;
}

/** Numbers of a report. */
export interface ReportCounts {
  readonly skills: number;
  readonly listed: number;
  readonly unlisted: number;
  readonly refused: number;
  readonly files: number;
  readonly bytes: number;
}

/** Codes of files that are missing from a skill that is served. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  'FILE_TOO_LARGE',
  'FILE_UNREADABLE',
  'FILE_CHANGED',
  'FILE_NOT_FOUND',
  'ARCHIVE_CORRUPT',
  'ARCHIVE_REFUSED',
  'SPECIAL_FILE',
  'SECRET_WITHHELD',
  'LINK_ESCAPES',
  'LINK_BROKEN',
  'LINK_LOOP',
  'LINK_REFUSED',
  'UNADDRESSABLE_NAME',
]);

/** Whether a diagnostic of this code says that a file is missing from a skill that is served. */
export function isLeftOut(code: string): boolean {
  return LEFT_OUT.has(code);
}

/** What official clients refuse in an entry (design decision 6). */
const UNLISTING: ReadonlySet<string> = new Set([
  'DESCRIPTION_TOO_LONG',
  'COMPATIBILITY_INVALID',
  'METADATA_NOT_MAPPING',
  'METADATA_VALUE_NOT_STRING',
  'PROTO_KEY',
]);

/** How many skills and files there are. */
export function countsOf(snapshot: Snapshot): ReportCounts {
  const { skills, refused } = snapshot;
  const listed = skills.filter((skill) => skill.listed).length;
  // A file of a nested skill is one of the skill around it too.
  const sizes = new Map<string, number>();
  for (const { files } of skills) for (const { sourcePath, size } of files) sizes.set(sourcePath, size);
  return {
    skills: skills.length,
    listed,
    unlisted: skills.length - listed,
    refused: refused.length,
    files: sizes.size,
    bytes: [...sizes.values()].reduce((sum, size) => sum + size, 0),
  };
}

/** Everything of a snapshot that a user has to know, worst first; remarks are for `check`. */
export function problemsOf(snapshot: Snapshot): ReportedProblem[] {
  const { skills, refused, diagnostics } = snapshot;
  const unlistings = new Map<string, Diagnostic>();
  for (const each of diagnostics) {
    if (UNLISTING.has(each.code) && !unlistings.has(each.path)) unlistings.set(each.path, each);
  }
  const unlisted = skills
    .filter((skill) => !skill.listed && !skill.hidden)
    .map((skill) => ({ skill, reason: unlistings.get(manifestPath(skill)) }));
  const told = new Set<Diagnostic | undefined>([
    ...refused.map(({ diagnostic }) => diagnostic),
    ...unlisted.map(({ reason }) => reason),
  ]);
  const others = diagnostics.filter((each) => !told.has(each) && each.severity !== 'info');
  return [
    ...refused.map(refusal),
    ...unlisted.map(({ skill, reason }) => unlisting(skill, reason)),
    ...others.filter(({ code }) => LEFT_OUT.has(code)).map((each) => problem('left out', each)),
    ...others.filter(({ code }) => !LEFT_OUT.has(code)).map((each) => problem('warning', each)),
  ];
}

function manifestPath({ path }: Skill): string {
  return path === '' ? 'SKILL.md' : `${path}/SKILL.md`;
}

function problem(kind: ReportedProblem['kind'], { code, path, message, range }: Diagnostic): ReportedProblem {
  return { kind, code, path, message, ...(range === undefined ? {} : { line: range.start.line }) };
}

function refusal({ path, diagnostic }: RefusedSkill): ReportedProblem {
  return { ...problem('refused', diagnostic), path: diagnostic.path === '' ? path : diagnostic.path };
}

function unlisting(skill: Skill, reason: Diagnostic | undefined): ReportedProblem {
  if (reason !== undefined) return problem('unlisted', reason);
  return {
    kind: 'unlisted',
    code: 'NON_CONFORMING',
    path: manifestPath(skill),
    message: 'official clients refuse its entry',
  };
}
