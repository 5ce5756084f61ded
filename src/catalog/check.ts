/**
 * Checking skills without serving them: the scan and the rules are those of a catalog.
 *
 * @module
 */
import { isSkillError } from '../errors.ts';
import type { Diagnostic } from '../format/diagnostic.ts';
import { hiddenText } from '../format/hidden-text.ts';
import type { Source } from '../source/source.ts';
import { compareCodePoints } from '../uri/code-point-order.ts';
import type { CatalogOptions } from './catalog.ts';
import { byPlace } from './order.ts';
import * as problems from './problems.ts';
import { publish } from './publish.ts';
import { scan } from './scan.ts';
import { settingsOf } from './settings.ts';
import type { Skill } from './snapshot.ts';
import { joinPath } from './tree.ts';

/** What a check found about one skill. */
export interface CheckedSkill {
  /** Its folder below the source. */
  readonly path: string;
  /** Empty when the skill is refused. */
  readonly name: string;
  readonly outcome: 'refused' | 'unlisted' | 'listed';
}

/** What a check found in a source. */
export interface CheckedSource {
  /** In order of path. */
  readonly skills: readonly CheckedSkill[];
  /** In order of path and place. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The skills of a source and everything wrong with them; nothing that is wrong with a skill is thrown. Beside what a
 * catalog finds, hidden text in the body of a `SKILL.md` is reported (`HIDDEN_TEXT`).
 *
 * Errors: `SCAN_TOO_MANY_FOLDERS`, `SCAN_TOO_DEEP`, `SOURCE_NOT_FOUND`, `SOURCE_NOT_A_FOLDER`, `SOURCE_UNREADABLE`,
 * and those of a bad option.
 *
 * @example
 * const { diagnostics } = await checkSource(directorySource('./skills'));
 */
export async function checkSource(source: Source, options: CatalogOptions = {}): Promise<CheckedSource> {
  return check(source, options, '');
}

/**
 * Everything wrong with the skill in the folder `path`, skills inside it included; empty when it is fine. `path` may
 * also be that of its `SKILL.md`. What depends on other skills (a name twice, a URI taken) is found by
 * {@link checkSource}.
 *
 * Errors: as {@link checkSource}, and `FILE_NOT_FOUND` when the source has no such folder.
 *
 * @example
 * for (const { message, path, range } of await checkSkill(source, 'pdf')) console.log(path, range?.start.line, message);
 */
export async function checkSkill(
  source: Source,
  path: string,
  options: CatalogOptions = {},
): Promise<readonly Diagnostic[]> {
  const names = path.split('/').filter((name) => name !== '' && name !== '.');
  if (names.at(-1) === 'SKILL.md') names.pop();
  const folder = names.join('/');
  const { skills, diagnostics } = await check(source, options, folder);
  if (skills.some((skill) => skill.path === folder)) return diagnostics;
  const others = diagnostics.filter((each) => each.code !== 'NO_SKILLS_FOUND');
  return [...others, problems.noManifest(folder)].sort(byPlace);
}

async function check(source: Source, options: CatalogOptions, start: string): Promise<CheckedSource> {
  const settings = settingsOf(options);
  const { skills, refused, diagnostics } = publish(await scan({ source, settings, start }), settings);
  const checked: CheckedSkill[] = refused.map(({ path }) => ({ path, name: '', outcome: 'refused' }));
  for (const { path, name, listed } of skills) {
    checked.push({ path, name, outcome: listed ? 'listed' : 'unlisted' });
  }
  const hidden = await hiddenIn(source, skills);
  return {
    skills: checked.sort((a, b) => compareCodePoints(a.path, b.path)),
    diagnostics: hidden.length === 0 ? diagnostics : [...diagnostics, ...hidden].sort(byPlace),
  };
}

async function hiddenIn(source: Source, skills: readonly Skill[]): Promise<Diagnostic[]> {
  const found: Diagnostic[] = [];
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (const { path, folderId } of skills) {
    const file = joinPath(path, 'SKILL.md');
    try {
      const { bytes } = await source.read(file, { within: folderId });
      found.push(...hiddenText(decoder.decode(bytes), file));
    } catch (error) {
      // It went since the scan, which has told what was wrong with it then.
      if (!isSkillError(error)) throw error;
    }
  }
  return found;
}
