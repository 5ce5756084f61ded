/**
 * Which archives a packing makes, and where.
 *
 * @module
 */
import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ARCHIVE_FORMATS, type ArchiveFormat } from '../archive/index.ts';
import type { Skill } from '../catalog/index.ts';
import { SkillError } from '../errors.ts';
import type { PackFormat } from '../server/index.ts';
import { collisionKey } from '../source/index.ts';
import type { PackFlags } from './commands/pack.ts';
import { plural } from './plural.ts';
import { usageError } from './usage.ts';

/** Where the archives go: into a folder, by name, or to stdout. */
export type PackPlan =
  | { readonly stdout: true; readonly skill: Skill }
  | {
      readonly folder: string;
      readonly archives: readonly { readonly name: string; readonly skill: Skill }[];
    };

const SUFFIXES: readonly (readonly [string, ArchiveFormat])[] = [
  ['.tar.gz', 'tar.gz'],
  ['.tgz', 'tar.gz'],
  ['.zip', 'zip'],
  ['.tar.bz2', 'tar.bz2'],
  ['.tbz2', 'tar.bz2'],
];

/**
 * The format that `--format` and the name of `--output` ask for; tar.gz if they say nothing.
 *
 * Errors: `ARCHIVE_UNSUPPORTED_FOR_PACK` for tar.bz2, `USAGE` for a format that does not exist and for two different ones.
 *
 * @example
 * packFormatOf({ output: 'pdf.zip' }) // 'zip'
 */
export function packFormatOf(flags: Pick<PackFlags, 'format' | 'output'>): PackFormat {
  const { format, output } = flags;
  const bySuffix = SUFFIXES.find(([suffix]) => output?.toLowerCase().endsWith(suffix))?.[1];
  const wanted = format ?? bySuffix ?? 'tar.gz';
  if (!Object.hasOwn(ARCHIVE_FORMATS, wanted)) {
    throw usageError(`--format is ${JSON.stringify(wanted)}`, 'tar.gz and zip are written');
  }
  if (wanted === 'tar.bz2') {
    throw new SkillError('ARCHIVE_UNSUPPORTED_FOR_PACK', 'tar.bz2 is read and not written', {
      details: { format: wanted, hint: 'pack as tar.gz or zip' },
    });
  }
  if (bySuffix !== undefined && bySuffix !== wanted) {
    throw usageError(
      `${output} has the name of a ${bySuffix}, and --format says ${wanted}`,
      'readers go by the name: make both say the same',
    );
  }
  return wanted === 'zip' ? 'zip' : 'tar.gz';
}

/** The flags that can be judged before a source is opened. Errors: `USAGE`. */
export function refuseClashes(flags: PackFlags, isTerminal: boolean): void {
  const { output, to } = flags;
  if (output !== undefined && to !== undefined) {
    throw usageError('-o names a file and --to a folder', 'give one of them');
  }
  if (output === '') throw usageError('-o has no file', 'skillwire pack ./skills/pdf -o pdf.tar.gz');
  if (output === '-') {
    if (flags.json === true) throw usageError('-o - and --json both write to stdout', 'give -o a file');
    if (isTerminal)
      throw usageError('an archive is not printed on a terminal', 'give -o a file, or pipe it on');
  } else if (output !== undefined && isFolder(output)) {
    throw usageError(`-o names a file, and ${output} is a folder`, `--to ${output} packs into it`);
  }
}

/** Where the archives of `skills` go. Errors: `USAGE`. */
export function planOf(skills: readonly Skill[], flags: PackFlags, format: PackFormat): PackPlan {
  const { output, to } = flags;
  const [first] = skills;
  const suffix = ARCHIVE_FORMATS[format].suffix;
  if (first !== undefined && skills.length === 1) {
    if (output === '-') return { stdout: true, skill: first };
    const name = output === undefined ? first.name + suffix : basename(output);
    return {
      folder: output === undefined ? (to ?? '.') : dirname(output),
      archives: [{ name, skill: first }],
    };
  }
  if (output !== undefined) {
    throw usageError(
      `-o names one file for ${plural(skills.length, 'skill')}`,
      'name one skill, or give --to DIR',
    );
  }
  if (to === undefined) {
    throw usageError(
      `${plural(skills.length, 'skill')} make as many archives`,
      'say where with --to DIR, or name one skill',
    );
  }
  const names = archiveNames(skills);
  return { folder: to, archives: skills.map((skill, at) => ({ name: `${names[at]}${suffix}`, skill })) };
}

/** The name of each skill; of those that share one, the whole path. Errors: `USAGE`. */
function archiveNames(skills: readonly Skill[]): string[] {
  const count = new Map<string, number>();
  for (const { name } of skills) count.set(name, (count.get(name) ?? 0) + 1);
  // Two hyphens stand in no name of a skill.
  const names = skills.map(({ name, path }) =>
    count.get(name) === 1 ? name : path.replace(/^\.+/, '').replaceAll('/', '--'),
  );
  const taken = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    const path = skills[at]?.path ?? '';
    const other = taken.get(collisionKey(name));
    if (other !== undefined) {
      throw usageError(
        `the skills in ${other} and ${path} would both become ${name}`,
        'pack one of them by itself, with -o',
      );
    }
    taken.set(collisionKey(name), path);
  }
  return names;
}

function isFolder(path: string): boolean {
  if (/[/\\]$/.test(path)) return true;
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
