/**
 * What becomes of a skill, judged by its `SKILL.md` (design decision 6).
 *
 * @module
 */
import type { Diagnostic } from './diagnostic.ts';
import { asSkillError, errorDiagnostic, placeFix } from './fault.ts';
import { checkFields, type Finding } from './fields.ts';
import { entryOf, type Frontmatter, missingFields } from './frontmatter.ts';
import { cutFile, type FrontmatterOptions, type Head, readHead, yamlLimits } from './head.ts';
import { LazyFrontmatter } from './lazy-frontmatter.ts';
import { checkReleased } from './released-check.ts';
import { RULES } from './rules.ts';
import { keepsEveryRule } from './simple-rules.ts';

/** `refused`: not served; `unlisted`: served, but in no listing that released clients read; `listed`: served and listed. */
export type SkillOutcome = 'refused' | 'unlisted' | 'listed';

/**
 * What each finding does to a skill; findings that are not here leave it listed. The official client throws a whole
 * listing away for one entry that breaks an `unlisted` rule.
 */
const OUTCOMES: Readonly<Record<string, SkillOutcome>> = {
  NOT_UTF8: 'refused',
  MISSING_FRONTMATTER: 'refused',
  UNTERMINATED_FRONTMATTER: 'refused',
  FRONTMATTER_TOO_LARGE: 'refused',
  NON_MAPPING_FRONTMATTER: 'refused',
  INVALID_YAML: 'refused',
  DUPLICATE_KEY: 'refused',
  UNSUPPORTED_YAML: 'refused',
  FRONTMATTER_MISSING_NAME: 'refused',
  FRONTMATTER_MISSING_DESCRIPTION: 'refused',
  NAME_NOT_STRING: 'refused',
  DESCRIPTION_NOT_STRING: 'refused',
  INVALID_SKILL_NAME: 'refused',
  SKILL_NAME_MISMATCH: 'refused',
  DESCRIPTION_TOO_LONG: 'unlisted',
  COMPATIBILITY_INVALID: 'unlisted',
  METADATA_NOT_MAPPING: 'unlisted',
  METADATA_VALUE_NOT_STRING: 'unlisted',
  PROTO_KEY: 'unlisted',
};

const MAX_FINDINGS = 100;

/** What {@link judgeSkillFile} needs to know beside the bytes. */
export interface JudgeOptions {
  /** The `SKILL.md` below the source; stands in the diagnostics. */
  readonly path: string;
  /** Name of the skill's folder, byte for byte; absent: the folder has no name, as the root of a source. */
  readonly folderName?: string;
  /** What to do with what the official client would refuse. @default 'unlist' */
  readonly nonConforming?: 'unlist' | 'list' | 'reject';
  /** What to do when the folder has another name than the skill. @default 'publish-under-name' */
  readonly nameMismatch?: 'publish-under-name' | 'reject';
  /** Caps of the frontmatter. @default those of `parseFrontmatter` */
  readonly limits?: FrontmatterOptions;
}

/** A judged `SKILL.md`. */
export interface SkillJudgement {
  readonly outcome: SkillOutcome;
  /**
   * Present whenever name and description could be read, also of a refused skill. Its `body` is decoded from the given
   * bytes when it is first read, so it is wrong if you write over them before.
   */
  readonly frontmatter?: Frontmatter;
  /** The folder has another name, and the skill is published under its own. */
  readonly renamed: boolean;
  /** In order of their place in the file; a refused skill has at least one error among them. */
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * What becomes of the skill with this `SKILL.md`, and every problem found in it. Never throws.
 *
 * @example
 * judgeSkillFile(bytes, { path: 'pdf/SKILL.md', folderName: 'pdf' }).outcome // 'listed'
 */
export function judgeSkillFile(bytes: Uint8Array | string, options: JudgeOptions): SkillJudgement {
  const limits = yamlLimits(options.limits ?? {});
  let head: Head;
  try {
    head = readHead(cutFile(bytes, limits), limits);
  } catch (error) {
    const diagnostic = errorDiagnostic(asSkillError(error), options.path);
    return { outcome: 'refused', renamed: false, diagnostics: [diagnostic] };
  }
  return keepsEveryRule(head, options.folderName)
    ? { outcome: 'listed', frontmatter: new LazyFrontmatter(head), renamed: false, diagnostics: [] }
    : judgeHead(head, options);
}

/** The judgement of a head, by every rule. */
export function judgeHead(head: Head, options: JudgeOptions): SkillJudgement {
  const { path, nonConforming = 'unlist' } = options;
  const { yamlStart, positions, tree } = head;
  const missing = missingFields(head).map(
    (fault): Finding => ({
      ...fault,
      hint: fault.hint ?? '',
      start: fault.start - yamlStart,
      end: fault.end - yamlStart,
      ...(fault.fix && {
        fix: { ...fault.fix, start: fault.fix.start - yamlStart, end: fault.fix.end - yamlStart },
      }),
    }),
  );
  const findings = [...missing, ...checkFields(tree, head.text.slice(yamlStart))];
  const mismatch = nameMismatch(head, findings, options);
  if (mismatch !== undefined) findings.push(mismatch);

  const outcome = worst(findings, nonConforming);
  const outside = outcome === 'refused' ? undefined : checkReleased(head);
  if (outside !== undefined) findings.push(outside);
  findings.sort((left, right) => left.start - right.start);

  const diagnostics = shorten(findings).map((finding): Diagnostic => {
    const rejected = nonConforming === 'reject' && OUTCOMES[finding.code] === 'unlisted';
    return {
      code: finding.code,
      severity: rejected ? 'error' : (RULES[finding.code]?.severity ?? 'warning'),
      message: finding.message,
      path,
      range: positions.range(yamlStart + finding.start, yamlStart + finding.end),
      ...(finding.hint !== '' && { hint: finding.hint }),
      ...(finding.fix && {
        fix: placeFix(
          { ...finding.fix, start: yamlStart + finding.fix.start, end: yamlStart + finding.fix.end },
          positions,
        ),
      }),
    };
  });
  return {
    outcome,
    ...(missing.length === 0 && { frontmatter: new LazyFrontmatter(head) }),
    renamed: mismatch !== undefined && outcome !== 'refused',
    diagnostics,
  };
}

/** A hostile file can break thousands of rules; nobody reads more than the first of them. */
function shorten(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MAX_FINDINGS) return findings;
  const refusing = findings.filter(({ code }) => OUTCOMES[code] === 'refused');
  const others = findings.filter(({ code }) => OUTCOMES[code] !== 'refused');
  const kept = others.slice(0, MAX_FINDINGS - refusing.length);
  const [next] = others.slice(kept.length);
  const more: Finding = {
    code: 'MORE_PROBLEMS',
    message: `${(others.length - kept.length).toLocaleString('en-US')} more problems of this file are not shown`,
    start: next?.start ?? 0,
    end: next?.end ?? 0,
    hint: 'fix the ones that are shown and check again',
  };
  return [...refusing, ...kept].sort((left, right) => left.start - right.start).concat(more);
}

function worst(findings: readonly Finding[], nonConforming: 'unlist' | 'list' | 'reject'): SkillOutcome {
  let outcome: SkillOutcome = 'listed';
  for (const { code } of findings) {
    const effect = OUTCOMES[code];
    if (effect === 'refused' || (effect === 'unlisted' && nonConforming === 'reject')) return 'refused';
    if (effect === 'unlisted' && nonConforming === 'unlist') outcome = 'unlisted';
  }
  return outcome;
}

function nameMismatch(head: Head, findings: readonly Finding[], options: JudgeOptions): Finding | undefined {
  const { folderName, nameMismatch: policy = 'publish-under-name' } = options;
  const value = entryOf(head, 'name')?.value;
  const name = value?.source ?? '';
  const bad = findings.some(({ code }) =>
    ['INVALID_SKILL_NAME', 'NAME_NOT_STRING', 'FRONTMATTER_MISSING_NAME'].includes(code),
  );
  if (value === undefined || bad || folderName === undefined || name === folderName) return undefined;
  const rejected = policy === 'reject';
  return {
    code: rejected ? 'SKILL_NAME_MISMATCH' : 'NAME_FOLDER_MISMATCH',
    message: rejected
      ? `the skill is named "${name}" and its folder ${JSON.stringify(folderName)}`
      : `the skill is named "${name}" and its folder ${JSON.stringify(folderName)}; it is published under its name`,
    start: value.start,
    end: value.end,
    hint: `rename the folder to "${name}", or write the folder's name as "name"`,
  };
}
