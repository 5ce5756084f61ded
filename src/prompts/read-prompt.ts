/**
 * From the bytes of a file to a prompt, and everything that is wrong with it.
 *
 * @module
 */
import { isSkillError } from '../errors.ts';
import type { Diagnostic } from '../format/diagnostic.ts';
import { errorDiagnostic, placeFix } from '../format/fault.ts';
import type { Finding } from '../format/fields.ts';
import { missingFields } from '../format/frontmatter.ts';
import { type CutFile, cutFile, type Head, readHead, yamlLimits } from '../format/head.ts';
import { createPositions, type Positions } from '../format/positions.ts';
import { RULES } from '../format/rules.ts';
import type { YamlTree } from '../format/yaml-node.ts';
import { textOf } from '../integrity/text.ts';
import { checkBody, MAX_COUNTED, MAX_FINDINGS, unusedArguments } from './check-body.ts';
import { type PromptFields, readFields } from './fields.ts';
import type { Prompt } from './prompt.ts';
import { PROMPT_RULES } from './rules.ts';
import { readSimplePromptHead } from './simple-prompt-head.ts';

/** A file that was read: a prompt unless one of the diagnostics is an error. */
export interface ReadPrompt {
  readonly prompt?: Prompt;
  /** In order of their place in the file. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Rules for any frontmatter that refuse a prompt though they leave a skill served. */
const REFUSING = new Set(['DESCRIPTION_TOO_LONG', 'PROTO_KEY']);
/** Words of the readers of a `SKILL.md`, and what they are for a prompt. */
const WORDS: readonly (readonly [string, string])[] = [
  ['SKILL.md is ', 'the file is '],
  ['SKILL.md has no frontmatter', 'the file has no frontmatter'],
  ['SKILL.md holds bytes', 'the file holds bytes'],
  ['a skill begins with', 'a prompt begins with'],
  ['move data into a file of the skill', 'move data into the body'],
  ['"name: …", "description: …"', '"description: …"'],
  ['say what the skill does and when to use it', 'say what the prompt is for'],
  ['What the skill does and when to use it.', 'What the prompt is for.'],
];

/**
 * The prompt in a file, and every problem found in it. Never throws for what stands in the file.
 *
 * @example
 * readPrompt(bytes, { id: 'code-review', path: 'code-review.md' }).diagnostics
 */
export function readPrompt(
  bytes: Uint8Array,
  { id, path }: { readonly id: string; readonly path: string },
): ReadPrompt {
  const limits = yamlLimits({});
  let cut: CutFile;
  try {
    cut = cutFile(bytes, limits);
  } catch (error) {
    return refused(error, path);
  }
  const document = textOf(bytes);
  const text = unixText(document);
  const bodyStart = startOfBody(text, cut.text.length);
  const parts: Parts = { cut, body: text.slice(bodyStart), bodyStart, id };
  const simple = readSimplePromptHead(cut.text, cut.yamlStart);
  let judged = simple && judge(simple, undefined, parts);
  if (judged === undefined || judged.findings.length > 0 || judged.fields.description === '') {
    // There is something to say, and only the full reader knows where.
    let head: Head;
    try {
      head = readHead(cut, limits);
    } catch (error) {
      return refused(error, path);
    }
    judged = judge(head.tree, head, parts);
  }
  const { fields, findings } = judged;
  const positions = createPositions(text);
  const diagnostics = shorten(findings).map((finding) => diagnosticOf(finding, path, positions));
  if (diagnostics.some(({ severity }) => severity === 'error')) return { diagnostics };
  return {
    prompt: {
      id,
      ...(fields.title !== undefined && { title: fields.title }),
      description: fields.description,
      tags: fields.tags,
      arguments: fields.arguments,
      document,
      body: parts.body,
      path,
    },
    diagnostics,
  };
}

/** A file taken apart. */
interface Parts {
  readonly cut: CutFile;
  readonly body: string;
  readonly bodyStart: number;
  readonly id: string;
}

/** The fields and every finding, placed in the whole text. Without a head, a missing description is no finding. */
function judge(
  tree: YamlTree,
  head: Head | undefined,
  { cut, body, bodyStart, id }: Parts,
): { readonly fields: PromptFields; readonly findings: readonly Finding[] } {
  const { yamlStart } = cut;
  const fields = readFields(tree, cut.text.slice(yamlStart), id);
  const missing = head === undefined ? [] : missingFields(head);
  return {
    fields,
    findings: [
      ...missing
        .filter(({ code }) => code === 'FRONTMATTER_MISSING_DESCRIPTION')
        .map((fault) => ({ hint: '', ...fault })),
      ...[...fields.findings, ...unusedArguments(fields, body)].map((finding) => moved(finding, yamlStart)),
      ...checkBody(fields, body).map((finding) => moved(finding, bodyStart)),
    ],
  };
}

function refused(error: unknown, path: string): ReadPrompt {
  if (!isSkillError(error)) throw error;
  return { diagnostics: [reworded(errorDiagnostic(error, path))] };
}

/** The text that places are told in: no BOM, line ends LF. */
function unixText(document: string): string {
  const text = document.startsWith('\ufeff') ? document.slice(1) : document;
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** After the closing fence, and after one blank line that follows it. */
function startOfBody(text: string, fence: number): number {
  const end = text.indexOf('\n', fence);
  if (end === -1) return text.length;
  return text[end + 1] === '\n' ? end + 2 : end + 1;
}

function moved(finding: Finding, by: number): Finding {
  const { fix } = finding;
  return {
    ...finding,
    start: finding.start + by,
    end: finding.end + by,
    ...(fix && { fix: { ...fix, start: fix.start + by, end: fix.end + by } }),
  };
}

function severityOf(code: string): Diagnostic['severity'] {
  if (REFUSING.has(code)) return 'error';
  return (PROMPT_RULES[code] ?? RULES[code])?.severity ?? 'warning';
}

/** A hostile file can break thousands of rules; nobody reads more than the first of them. */
function shorten(findings: readonly Finding[]): readonly Finding[] {
  const sorted = findings.toSorted((left, right) => left.start - right.start);
  if (sorted.length <= MAX_FINDINGS) return sorted;
  const errors = sorted.filter(({ code }) => severityOf(code) === 'error');
  const kept = [...errors, ...sorted.filter(({ code }) => severityOf(code) !== 'error')].slice(
    0,
    MAX_FINDINGS,
  );
  const end = kept.at(-1)?.end ?? 0;
  const atLeast = sorted.length >= MAX_COUNTED ? 'at least ' : '';
  const more: Finding = {
    code: 'MORE_PROBLEMS',
    message: `${atLeast}${(sorted.length - MAX_FINDINGS).toLocaleString('en-US')} more problems of this file are not shown`,
    start: end,
    end,
    hint: 'fix the ones that are shown and check again',
  };
  return [...kept.sort((left, right) => left.start - right.start), more];
}

function diagnosticOf(finding: Finding, path: string, positions: Positions): Diagnostic {
  return reworded({
    code: finding.code,
    path,
    severity: severityOf(finding.code),
    message: finding.message,
    range: positions.range(finding.start, finding.end),
    ...(finding.hint !== '' && { hint: finding.hint }),
    ...(finding.fix && { fix: placeFix(finding.fix, positions) }),
  });
}

function reworded(diagnostic: Diagnostic): Diagnostic {
  const { message, hint } = diagnostic;
  return { ...diagnostic, message: forPrompt(message), ...(hint !== undefined && { hint: forPrompt(hint) }) };
}

function forPrompt(text: string): string {
  return WORDS.reduce((words, [from, to]) => words.replaceAll(from, to), text);
}
