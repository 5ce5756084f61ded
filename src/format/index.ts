/**
 * The `SKILL.md` format: frontmatter, names, field rules, diagnostics. Needs nothing but a YAML library.
 *
 * @module
 */
export type { Diagnostic, Fix, Range, Severity } from './diagnostic.ts';
export { applyFixes } from './fix.ts';
export {
  type Frontmatter,
  getField,
  metadataFromFrontmatter,
  parseFrontmatter,
  type SkillMetadata,
} from './frontmatter.ts';
export { type FrontmatterStreamOptions, parseFrontmatterStream } from './frontmatter-stream.ts';
export type { FrontmatterOptions } from './head.ts';
export type { JsonObject, JsonValue } from './json.ts';
export { validateSkillName } from './name.ts';
export { type JudgeOptions, judgeSkillFile, type SkillJudgement, type SkillOutcome } from './outcome.ts';
export { foldScalar, quoteScalar } from './quote.ts';
export { RULES, type Rule } from './rules.ts';
export { sameJson } from './same-json.ts';
