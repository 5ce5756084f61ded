/**
 * What a scan and a publication report, in words.
 *
 * @module
 */
import { isSkillError, SkillError } from '../errors.ts';
import type { Diagnostic, Severity } from '../format/diagnostic.ts';
import type { Withheld } from '../source/source.ts';

const HINTS: Readonly<Record<string, string>> = {
  FILE_TOO_LARGE: 'make the file smaller or move it out of the skill; a program can raise maxFileBytes',
  FILE_UNREADABLE: 'give the server the right to read it, or move it out of the skill',
  ARCHIVE_CORRUPT: 'get the archive again, or pack it again',
  ARCHIVE_REFUSED: 'get the archive again, or remove it from the folder',
  FILE_CHANGED: 'serve a copy that nobody writes to meanwhile',
  LINK_ESCAPES: 'replace the link by a copy of what it leads to',
  LINK_BROKEN: 'restore what the link leads to, or delete the link',
  LINK_LOOP: 'delete the link',
  LINK_REFUSED: 'replace the link by a copy of what it leads to',
  SECRET_WITHHELD: 'move the secret out of the skill; lift the rule only for a file that is none',
  SPECIAL_FILE: 'delete it or move it out of the skill',
  UNADDRESSABLE_NAME: 'rename it without backslashes and control characters',
};

const ADD_MANIFEST = 'add a file called exactly "SKILL.md" with a name and a description';

function problem(
  code: string,
  severity: Severity,
  path: string,
  message: string,
  hint: string | undefined = HINTS[code],
): Diagnostic {
  return { code, severity, message, path, ...(hint !== undefined && { hint }) };
}

/** A path as it may stand in a message. */
function show(path: string): string {
  return path === '' ? 'the root of the source' : JSON.stringify(path);
}

/** A name that the source shows but does not serve. */
export function withheld(path: string, why: Withheld): Diagnostic {
  return problem(why.code, 'warning', path, why.message);
}

/** A file or folder that could not be read; foreign errors say nothing of themselves. */
export function leftOut(path: string, error: unknown): Diagnostic {
  if (!isSkillError(error))
    return problem('FILE_UNREADABLE', 'warning', path, `${show(path)} cannot be read`);
  return problem(error.code, 'warning', path, error.message);
}

/** A link below a skill that leads out of it. */
export function linkEscapes(path: string): Diagnostic {
  return problem(
    'LINK_ESCAPES',
    'warning',
    path,
    `the link ${show(path)} leads out of its skill and is left out`,
  );
}

/** A link to a folder that it stands in. */
export function linkLoop(path: string): Diagnostic {
  return problem(
    'LINK_LOOP',
    'warning',
    path,
    `the link ${show(path)} leads to a folder above itself and is left out`,
  );
}

/** A link to a folder that is published elsewhere. */
export function repeatedFolder(path: string, real: string | undefined): Diagnostic {
  const where = real === undefined ? 'its first path' : `its real path ${show(real)}`;
  return problem(
    'FOLDER_REPEATED',
    'info',
    path,
    `the link ${show(path)} leads to a folder that is published once, under ${where}`,
    'refer to the folder by that path',
  );
}

/** A name that cannot stand in a URI, or a path that makes the URI too long. */
export function unaddressable(path: string): Diagnostic {
  return problem(
    'UNADDRESSABLE_NAME',
    'warning',
    path,
    `${show(path)} cannot stand in a URI and is left out`,
  );
}

/** A `SKILL.md` in another case. */
export function misnamed(path: string, insideSkill: boolean): Diagnostic {
  return problem(
    'SKILL_MD_CASE',
    insideSkill ? 'info' : 'warning',
    path,
    `${show(path)} makes no skill: the name is not exactly "SKILL.md"`,
    'rename it to "SKILL.md"',
  );
}

/** Two names that some file systems take for one. */
export function caseCollision(path: string, other: string): Diagnostic {
  return problem(
    'CASE_COLLISION',
    'warning',
    path,
    `${show(path)} and ${show(other)} are one name on file systems that fold case or compose accents`,
    'rename one of them',
  );
}

/** The error of a scan that goes too deep. */
export function tooDeep(path: string, limit: number): SkillError {
  return new SkillError(
    'SCAN_TOO_DEEP',
    `the folder ${show(path)} stands more than ${limit} levels deep; serve a folder nearer to the skills, ignore this one in .skillignore, or raise maxDepth`,
    { details: { path, limit } },
  );
}

/** The error of a scan that finds too many folders. */
export function tooManyFolders(path: string, limit: number): SkillError {
  return new SkillError(
    'SCAN_TOO_MANY_FOLDERS',
    `the source has more than ${limit} folders, ${show(path)} is the first beyond; serve a folder nearer to the skills, ignore folders in .skillignore, or raise maxFolders`,
    { details: { path, limit } },
  );
}

/** A `SKILL.md` at the root of a source: it has no folder to be named after (seed 000). */
export function manifestInRoot(): Diagnostic {
  return problem(
    'ROOT_SKILL',
    'error',
    '',
    'the root of the source has a SKILL.md, so that the skill has no folder that could give it a path',
    'serve the folder above, or open the folder as one skill with openSource',
  );
}

/** A skill inside another where that is not wanted. */
export function nestedSkill(path: string, enclosing: string): Diagnostic {
  return problem(
    'NESTED_SKILL',
    'error',
    path,
    `the skill ${show(path)} stands inside the skill ${show(enclosing)}`,
    "move it beside the other skill, or set nestedSkills to 'publish'",
  );
}

/** A skill that is refused without a diagnostic that says why. */
export function refusedSkill(path: string): Diagnostic {
  return problem('SKILL_REFUSED', 'error', path, `the skill ${show(path)} is refused`);
}

/** A skill above the cap. */
export function skillTooLarge(path: string, limit: number): Diagnostic {
  return problem(
    'SKILL_TOO_LARGE',
    'error',
    path,
    `the skill ${show(path)} holds more than ${limit} bytes`,
    'move large files out of the skill, ignore them in .skillignore, or raise maxSkillBytes',
  );
}

/** A skill whose name gives it the URI of another. */
export function uriTaken(path: string, name: string, uri: string, holder: string): Diagnostic {
  return problem(
    'URI_TAKEN',
    'error',
    path,
    `the skill ${show(path)} is called ${JSON.stringify(name)} and would be published at ${uri}, which belongs to ${show(holder)}`,
    `change the name in ${show(`${path}/SKILL.md`)} to that of its folder, or rename the other`,
  );
}

/** More files than hosts have to accept (requirement S36). */
export function manyFiles(path: string, actual: number, limit: number): Diagnostic {
  return problem(
    'SKILL_FILES_MANY',
    'warning',
    path,
    `the skill ${show(path)} has ${actual} files; hosts need not accept more than ${limit}`,
    'split the skill or ignore files in .skillignore',
  );
}

/** More bytes than hosts have to accept (requirement S37). */
export function largeSkill(path: string, actual: number, limit: number): Diagnostic {
  return problem(
    'SKILL_BYTES_MANY',
    'warning',
    path,
    `the skill ${show(path)} has ${actual} bytes; hosts need not accept more than ${limit}`,
    'split the skill or ignore files in .skillignore',
  );
}

/** A file that stands where FastMCP clients look for the list of the skill's files. */
export function manifestNameTaken(path: string): Diagnostic {
  return problem(
    'MANIFEST_NAME_TAKEN',
    'warning',
    path,
    `${show(path)} stands where FastMCP clients look for the list of the skill's files; the file is served and the list is not`,
    'give the file another name',
  );
}

/** Two listed skills of one name. */
export function duplicateName(path: string, other: string, name: string, copy: boolean): Diagnostic {
  const kind = copy ? 'two copies of one skill' : 'two different skills';
  return problem(
    'DUPLICATE_NAME',
    'warning',
    path,
    `${show(path)} and ${show(other)} are ${kind} called ${JSON.stringify(name)}; both are served`,
    copy ? 'delete or ignore one of them' : 'rename one of them, so that a host can tell them apart by name',
  );
}

/** A source without a skill. */
export function noSkills(path: string): Diagnostic {
  return problem(
    'NO_SKILLS_FOUND',
    'warning',
    path,
    `no folder in ${show(path)}, however deep, has a SKILL.md`,
    ADD_MANIFEST,
  );
}

/** A folder that was to be checked as a skill and is none. */
export function noManifest(path: string): Diagnostic {
  return problem(
    'NO_SKILLS_FOUND',
    'error',
    path,
    `${show(path)} has no SKILL.md and is no skill`,
    ADD_MANIFEST,
  );
}
