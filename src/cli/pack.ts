/**
 * The work of `skillwire pack`.
 *
 * @module
 */
import { join } from 'node:path';
import { type FileToPack, isScript, packSkill } from '../archive/index.ts';
import { type Catalog, openCatalog, type Skill, type Snapshot } from '../catalog/index.ts';
import { isSkillError, SkillError } from '../errors.ts';
import type { Diagnostic } from '../format/index.ts';
import { digestOf } from '../integrity/index.ts';
import { LIMITS } from '../limits.ts';
import type { PackFormat } from '../server/index.ts';
import { printableSource } from '../source/index.ts';
import { placeFiles } from '../store/index.ts';
import { capsOf, withCapHint } from './caps.ts';
import type { PackFlags } from './commands/pack.ts';
import type { CliContext } from './context.ts';
import { findSkill, refusal } from './find-skill.ts';
import { interruptible } from './interrupt.ts';
import { openSources } from './open-sources.ts';
import { type Output, tableLines } from './output.ts';
import { refuseInside } from './pack-place.ts';
import { packFormatOf, planOf, refuseClashes } from './pack-plan.ts';
import { plural, sizeText } from './plural.ts';
import { printable } from './printable.ts';
import { showProgress } from './progress.ts';
import { isLeftOut } from './serve-problems.ts';
import { catalogOptions, sourceOptions } from './source-flags.ts';

/** An archive that was made. */
interface Packed {
  readonly skill: Skill;
  /** As the user would open it; undefined on stdout. */
  readonly path: string | undefined;
  readonly digest: string;
  readonly size: number;
}

/**
 * Packs skills of `source` as `flags` say: those in `wanted`, or all. The files are those that `serve` would serve, so an
 * archive has the digest that a server of the same files states for it.
 *
 * Errors: `USAGE`, `ARCHIVE_UNSUPPORTED_FOR_PACK`, `ARCHIVE_MISSING_SKILL_MD`, `SKILL_REFUSED`, `RESOURCE_NOT_FOUND`,
 * `TARGET_EXISTS`, `WRITE_FAILED`, `FILE_CHANGED`, those of the source and of `packSkill`.
 */
export async function pack(
  source: string,
  wanted: readonly string[],
  flags: PackFlags,
  context: CliContext,
): Promise<void> {
  const { output } = context;
  const format = packFormatOf(flags);
  refuseClashes(flags, output.isTerminal);
  const catalog = await open(source, flags, context);
  try {
    const skills = choose(catalog.snapshot, wanted, printableSource(source), flags);
    const plan = planOf(skills, flags, format);
    refuseInside(plan, catalog.source, source);
    const packed: Packed[] = [];
    const content = async (skill: Skill, path: string | undefined): Promise<Buffer> => {
      if (skills.length > 1) output.status(`packing ${skill.name}: ${packed.length + 1} of ${skills.length}`);
      const bytes = await packOne(catalog, skill, format, flags);
      packed.push({ skill, path, digest: digestOf(bytes), size: bytes.length });
      return bytes;
    };
    if ('stdout' in plan) {
      output.raw(await content(plan.skill, undefined));
    } else {
      const { folder, archives } = plan;
      const files = archives.map(({ name, skill }) => ({
        name,
        content: () => content(skill, join(folder, name)),
      }));
      await interruptible(output, (signal) =>
        placeFiles(folder, files, { replace: flags.force === true, signal }),
      );
    }
    output.status('');
    report(packed, leftOutOf(catalog.snapshot, skills), format, flags, output);
  } catch (error) {
    throw withHints(error);
  } finally {
    output.status('');
    await catalog.close();
  }
}

async function open(text: string, flags: PackFlags, context: CliContext): Promise<Catalog> {
  const { output, cwd } = context;
  output.status('looking for skills');
  const source = await openSources([text], sourceOptions(flags, cwd), context);
  try {
    const { maxBytes = 0 } = flags;
    // What is packed may be more than what is served only when that was asked for.
    const raised = maxBytes < 0 || maxBytes > LIMITS.skillBytes;
    return await openCatalog(source, {
      ...catalogOptions(flags),
      ...(raised ? { maxSkillBytes: maxBytes } : {}),
      onProgress: showProgress(output),
    });
  } catch (error) {
    await source.close();
    throw error;
  } finally {
    output.status('');
  }
}

/**
 * Nothing is packed of a source in which something is refused, unless skills are named that are not. A skill that holds all
 * others has them in its archive; they get archives of their own when they are named, or with `--to`.
 */
function choose(
  snapshot: Snapshot,
  wanted: readonly string[],
  source: string,
  flags: PackFlags,
): readonly Skill[] {
  const { skills, refused } = snapshot;
  if (wanted.length > 0) return [...new Set(wanted.map((text) => findSkill(snapshot, text, source)))];
  if (refused.length > 0) throw refusal(refused, source);
  const outer = skills.find(({ path }) =>
    skills.every((other) => other.path === path || other.path.startsWith(`${path}/`)),
  );
  if (outer !== undefined && flags.to === undefined) return [outer];
  if (skills.length > 0) return skills;
  throw new SkillError('ARCHIVE_MISSING_SKILL_MD', `there is no SKILL.md in ${source}`, {
    details: { hint: 'give the folder of a skill, or a folder of skills' },
  });
}

async function packOne(
  catalog: Catalog,
  skill: Skill,
  format: PackFormat,
  flags: PackFlags,
): Promise<Buffer> {
  const files: FileToPack[] = [];
  for (const file of skill.files) {
    const got = await catalog.read(file.uri);
    if (got.file.digest !== file.digest) {
      throw new SkillError('FILE_CHANGED', `${file.sourcePath} changed while it was packed; pack again`);
    }
    files.push({ path: file.path, bytes: got.bytes, executable: isScript(got.bytes) });
  }
  return packSkill(files, format, capsOf(flags.maxBytes));
}

/** What stands in the folders of the skills and is not in their archives. */
function leftOutOf(snapshot: Snapshot, skills: readonly Skill[]): readonly Diagnostic[] {
  return snapshot.diagnostics.filter(
    ({ code, path }) => isLeftOut(code) && skills.some((skill) => path.startsWith(`${skill.path}/`)),
  );
}

function report(
  packed: readonly Packed[],
  leftOut: readonly Diagnostic[],
  format: PackFormat,
  flags: PackFlags,
  output: Output,
): void {
  if (flags.json === true) {
    output.json({
      format,
      archives: packed.map(({ skill, path, digest, size }) => ({
        skill: skill.name,
        uri: skill.uri,
        path,
        digest,
        size,
        files: skill.files.length,
        bytes: skill.totalBytes,
      })),
      leftOut: leftOut.map(({ code, path, message }) => ({ code, path, message })),
    });
    return;
  }
  const rows = packed.map(({ path, digest, size }) => [digest, sizeText(size), printable(path ?? '-')]);
  for (const line of tableLines(rows)) {
    if (packed[0]?.path === undefined) output.note(line);
    else output.line(line);
  }
  if (leftOut.length === 0) return;
  output.note(output.errorStyle.yellow(`left out, as serve does (${plural(leftOut.length, 'file')}):`));
  for (const line of tableLines(
    leftOut.map(({ code, path, message }) => [printable(path), code, printable(message)]),
  )) {
    output.note(`  ${line}`);
  }
}

function withHints(error: unknown): unknown {
  const hinted = withCapHint(error);
  if (!isSkillError(hinted, 'TARGET_EXISTS')) return hinted;
  return new SkillError(hinted.code, hinted.message, {
    details: { ...hinted.details, hint: 'choose another name, or give --force to replace it' },
    cause: hinted.cause,
  });
}
