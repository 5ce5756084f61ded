/**
 * A server at a glance, a skill of it, or a file: everything shown was verified.
 *
 * @module
 */
import type { FoundSkill } from '../client/skill.ts';
import { SkillError } from '../errors.ts';
import { digestOf, isLosslessText } from '../integrity/index.ts';
import type { ShowFlags } from './commands/show.ts';
import type { CliContext } from './context.ts';
import { findFound } from './find-found.ts';
import { list } from './list.ts';
import { type TargetWords, targetOf, withTarget } from './open-target.ts';
import { type Output, tableLines } from './output.ts';
import { plural, sizeText } from './plural.ts';
import { printable } from './printable.ts';
import { filesOf, type SkillFile, shownName } from './skill-files.ts';
import type { OpenedTarget } from './skill-reader.ts';
import { terminalText } from './terminal-text.ts';
import { usageError } from './usage.ts';

const NAMED = 20;

/**
 * Shows the skills of a target, one of them, or a file of that.
 *
 * Errors: those of opening, of `findFound` and of a verified read; `RESOURCE_NOT_FOUND` for a file that the entry does not
 * list; `USAGE` for a binary file on a terminal.
 */
export async function showTarget(
  words: TargetWords,
  skill: string | undefined,
  file: string | undefined,
  flags: ShowFlags,
  context: CliContext,
): Promise<void> {
  if (skill === undefined) return list(words, flags, context);
  const target = targetOf(words, flags, context.cwd);
  await withTarget(
    target,
    flags,
    context,
    async (opened) => {
      const listing = await opened.client.listSkills();
      const found = await findFound(opened, listing, skill);
      const { uri, resources } = found.entry;
      const whole = resources === 'on-request' ? await opened.client.getSkill(uri) : found;
      if (file === undefined) await showSkill(opened, whole, flags, context.output);
      else await showFile(opened, whole, file, flags, context.output);
    },
    // To look at what is made anew at each read is no use of it.
    { dynamic: true },
  );
}

async function showSkill(
  { client, label }: OpenedTarget,
  found: FoundSkill,
  flags: ShowFlags,
  output: Output,
): Promise<void> {
  const { bytes } = await client.read(found);
  const files = filesOf(found);
  const { entry, dialect, integrity } = found;
  if (flags.json === true) {
    output.json({
      target: label,
      dialect,
      integrity,
      entry,
      files,
      text: Buffer.from(bytes).toString('utf8'),
    });
    return;
  }
  const { style } = output;
  output.line(style.bold(printable(shownName(entry))));
  const facts = [
    ['uri', entry.uri],
    ['target', label],
    ['dialect', dialect],
    ['integrity', integrity],
  ];
  for (const line of tableLines(facts.map((cells) => cells.map(printable)))) output.line(`  ${line}`);
  output.line();
  output.line(
    style.bold(entry.resources === 'dynamic' ? 'files made anew at each read' : plural(files.length, 'file')),
  );
  const rows = files.map(({ path, size, digest }) => [
    printable(path),
    size === undefined ? '' : sizeText(size),
    digest === undefined ? 'no digest' : printable(digest),
  ]);
  for (const line of tableLines(rows)) output.line(`  ${line}`);
  output.line();
  output.raw(terminalText(Buffer.from(bytes).toString('utf8')));
}

async function showFile(
  { client, label }: OpenedTarget,
  found: FoundSkill,
  wanted: string,
  flags: ShowFlags,
  output: Output,
): Promise<void> {
  const file = fileOf(found, wanted, label);
  const { bytes, mimeType } = await client.read(found, file.uri);
  const text = isLosslessText(bytes);
  if (flags.json === true) {
    const content = Buffer.from(bytes);
    output.json({
      target: label,
      skill: found.entry.uri,
      dialect: found.dialect,
      integrity: found.integrity,
      file: {
        path: file.path,
        uri: file.uri,
        size: bytes.byteLength,
        digest: digestOf(bytes),
        ...(mimeType === undefined ? {} : { mimeType }),
        ...(text ? { text: content.toString('utf8') } : { blob: content.toString('base64') }),
      },
    });
  } else if (!output.isTerminal) {
    output.raw(bytes);
  } else if (text) {
    output.raw(terminalText(Buffer.from(bytes).toString('utf8')));
  } else {
    throw usageError(
      `${file.path} is binary (${bytes.byteLength} bytes) and not printed on a terminal`,
      'pipe it on, or write it to a file with >',
    );
  }
}

/** Only what the entry lists is asked for. */
function fileOf(found: FoundSkill, wanted: string, label: string): SkillFile {
  const files =
    found.entry.resources === 'dynamic' ? [{ path: 'SKILL.md', uri: found.entry.uri }] : filesOf(found);
  const path = wanted.replace(/^(?:\.\/+)+/, '').replace(/\/+$/, '');
  const file = files.find((each) => each.path === path || each.uri === wanted);
  if (file !== undefined) return file;
  const shown = files.slice(0, NAMED).map((each) => each.path);
  const more = files.length > NAMED ? ` and ${files.length - NAMED} more` : '';
  throw new SkillError(
    'RESOURCE_NOT_FOUND',
    `${found.entry.uri} of ${label} lists no file ${JSON.stringify(wanted)}`,
    { details: { hint: `it lists ${shown.join(', ')}${more}` } },
  );
}
