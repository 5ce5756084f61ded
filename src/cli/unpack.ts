/**
 * The work of `skillwire unpack`.
 *
 * @module
 */
import { join } from 'node:path';
import { type ArchiveFormat, openReader } from '../archive/index.ts';
import { isSkillError, SkillError } from '../errors.ts';
import { digestOf } from '../integrity/index.ts';
import { startPace } from '../pace.ts';
import { printableSource } from '../source/index.ts';
import { placeFolder } from '../store/index.ts';
import { capsOf, withCapHint } from './caps.ts';
import type { UnpackFlags } from './commands/unpack.ts';
import type { CliContext } from './context.ts';
import { interruptible } from './interrupt.ts';
import type { Output } from './output.ts';
import { plural, sizeText } from './plural.ts';
import { printable } from './printable.ts';
import { showBytes, showCount } from './progress.ts';
import { shellWord } from './shell-word.ts';
import {
  type ArchiveContent,
  type ArchiveFile,
  defaultTarget,
  refuseLongPaths,
  type UnpackPlan,
  unpackPlan,
} from './unpack-plan.ts';
import { usageError } from './usage.ts';

/** What was done. */
interface Unpacked {
  readonly archive: string;
  readonly format: ArchiveFormat;
  readonly target: string;
  readonly plan: UnpackPlan;
  readonly replaced: boolean;
  readonly leftover?: string;
}

/**
 * Unpacks `archive` into a folder as `flags` say. All of it is unpacked in memory and judged first.
 *
 * Errors: those of `openReader` and of reading; `ARCHIVE_UNSAFE_NAME`, `ARCHIVE_NAME_TOO_LONG`, `USAGE`, `TARGET_EXISTS`,
 * `WRITE_FAILED`.
 */
export async function unpack(archive: string, flags: UnpackFlags, context: CliContext): Promise<void> {
  const { output } = context;
  refuseOther(archive);
  let name = 'NAME';
  if (flags.to === '') throw usageError('--to has no folder', 'skillwire unpack pdf.tar.gz --to skills/pdf');
  try {
    const { format, ...content } = await read(archive, flags, output);
    const plan = unpackPlan(content, flags.strip, archive);
    const target = flags.to ?? defaultTarget(plan, archive);
    name = plan.skill ?? name;
    refuseLongPaths(plan, target);
    const files = plan.files.map(({ path, bytes, executable }) => ({
      path,
      content: bytes,
      mode: executable ? 0o755 : 0o644,
    }));
    const placed = await interruptible(output, (signal) =>
      placeFolder(target, files, {
        folders: plan.folders,
        replace: flags.force === true,
        signal,
        onProgress: showCount(output, 'writing files', files.length),
      }),
    );
    report({ archive, format, target, plan, ...placed }, flags, output);
  } catch (error) {
    throw withHint(withCapHint(error), name);
  } finally {
    output.status('');
  }
}

function refuseOther(archive: string): void {
  if (archive === '') throw usageError('the archive is empty', 'skillwire unpack pdf.tar.gz');
  if (archive === '-' && process.stdin.isTTY === true) {
    throw usageError('an archive is not typed on a terminal', 'curl -L https://… | skillwire unpack -');
  }
  if (!/^(?:https?:\/\/|github:)/i.test(archive)) return;
  throw usageError(
    `unpack takes a file, and ${printableSource(archive)} is not on this machine`,
    archive.startsWith('github:')
      ? `skillwire pack ${archive} SKILL makes an archive of a skill there`
      : 'curl -L URL | skillwire unpack -',
  );
}

async function read(
  archive: string,
  flags: UnpackFlags,
  output: Output,
): Promise<ArchiveContent & { readonly format: ArchiveFormat }> {
  const reader = await openReader(archive === '-' ? process.stdin : { file: archive }, {
    ...capsOf(flags.maxBytes),
    onProgress: showBytes(output, `unpacking ${printable(archive)}`),
  });
  try {
    const files: ArchiveFile[] = [];
    const folders: string[] = [];
    const entries = reader.entries();
    const pace = startPace();
    const shown = showCount(output, 'unpacking files', entries.length);
    for (const { path, kind, mode } of entries) {
      if (kind === 'file')
        files.push({ path, bytes: await reader.read(path), executable: (mode & 0o111) !== 0 });
      else folders.push(path);
      if (!pace.due()) continue;
      shown(files.length + folders.length);
      await pace.rest();
    }
    return { files, folders, format: reader.format };
  } finally {
    await reader.close();
  }
}

function report(done: Unpacked, flags: UnpackFlags, output: Output): void {
  const { archive, format, target, plan, replaced, leftover } = done;
  const { files, leftOut, skill, wrapper } = plan;
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  output.status('');
  if (flags.json === true) {
    output.json({
      archive,
      format,
      path: target,
      skill: skill ?? null,
      wrapper: wrapper ?? null,
      replaced,
      files: files.map((file) => ({
        path: file.path,
        size: file.bytes.length,
        digest: digestOf(file.bytes),
        executable: file.executable,
      })),
      leftOut,
    });
  } else {
    const what = skill === undefined ? '' : ` the skill ${skill},`;
    output.line(
      `${replaced ? 'replaced' : 'made'} ${printable(target)}:${what} ${plural(files.length, 'file')}, ${sizeText(bytes)}`,
    );
    if (wrapper !== undefined) {
      output.note(`the folder ${printable(wrapper)} around everything was taken off; --no-strip keeps it`);
    }
    if (skill !== undefined) output.note(`next: skillwire check ${printable(shellWord(target))}`);
  }
  const { yellow } = output.errorStyle;
  if (!files.some(({ path }) => /(?:^|\/)SKILL\.md$/.test(path))) {
    output.note(yellow('there is no SKILL.md in it, so nobody finds a skill there'));
  }
  if (leftOut.length > 0) {
    output.note(
      yellow(`left out: ${plural(leftOut.length, 'file')} in .git, since git would run what stands there`),
    );
  }
  if (leftover !== undefined) {
    output.note(yellow(`what was replaced could not be removed: ${printable(leftover)}; remove it by hand`));
  }
}

function withHint(error: unknown, name: string): unknown {
  if (!isSkillError(error) || typeof error.details.hint === 'string') return error;
  const hint = hintFor(error, name);
  if (hint === undefined) return error;
  return new SkillError(error.code, error.message, {
    details: { ...error.details, hint },
    cause: error.cause,
  });
}

function hintFor({ code, details }: SkillError, name: string): string | undefined {
  if (code === 'TARGET_EXISTS') {
    if (details.folder !== true) return 'choose another name with --to';
    const inside = shellWord(join(String(details.path), name));
    return `the archive becomes that folder: --to ${inside} makes one in it, --force replaces it with all in it`;
  }
  if (code === 'SOURCE_NOT_FOUND') return `relative paths count from ${process.cwd()}`;
  if (code === 'SOURCE_UNREADABLE' || code === 'ARCHIVE_UNKNOWN_FORMAT') {
    return 'unpack takes a file that is a tar.gz, zip or tar.bz2';
  }
  return undefined;
}
