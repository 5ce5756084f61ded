import { asSkillError, errorDiagnostic } from '../../src/format/fault.ts';
import { requireFields } from '../../src/format/frontmatter.ts';
import { cutFile, type FrontmatterOptions, readFullHead, yamlLimits } from '../../src/format/head.ts';
import {
  type Frontmatter,
  type JudgeOptions,
  judgeSkillFile,
  parseFrontmatter,
  type SkillJudgement,
} from '../../src/format/index.ts';
import { judgeHead } from '../../src/format/outcome.ts';

/** What a reader says, in a form that can be compared: fields in their order, errors with all they hold. */
function said(run: () => Frontmatter | SkillJudgement): unknown {
  try {
    return JSON.parse(JSON.stringify(run()));
  } catch (error) {
    const { code, message, details } = asSkillError(error);
    return JSON.parse(JSON.stringify({ code, message, details }));
  }
}

/** `parseFrontmatter` as it is, and by the YAML library alone. */
export function parsedBoth(
  input: Uint8Array | string,
  options: FrontmatterOptions = {},
): { readonly fast: unknown; readonly full: unknown } {
  const limits = yamlLimits(options);
  return {
    fast: said(() => parseFrontmatter(input, options)),
    full: said(() => requireFields(readFullHead(cutFile(input, limits), limits))),
  };
}

/** `judgeSkillFile` as it is, and by the YAML library and the reader of released clients. */
export function judgedBoth(
  input: Uint8Array | string,
  options: JudgeOptions,
): { readonly fast: unknown; readonly full: unknown } {
  return { fast: said(() => judgeSkillFile(input, options)), full: said(() => judgeFully(input, options)) };
}

function judgeFully(input: Uint8Array | string, options: JudgeOptions): SkillJudgement {
  const limits = yamlLimits(options.limits ?? {});
  let head: ReturnType<typeof readFullHead>;
  try {
    head = readFullHead(cutFile(input, limits), limits);
  } catch (error) {
    const diagnostic = errorDiagnostic(asSkillError(error), options.path);
    return { outcome: 'refused', renamed: false, diagnostics: [diagnostic] };
  }
  return judgeHead(head, options);
}
