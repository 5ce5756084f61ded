/**
 * The body of a prompt, held against the arguments that its frontmatter declares.
 *
 * @module
 */
import type { Finding } from '../format/fields.ts';
import { suggest } from '../format/suggest.ts';
import { quote } from '../uri/quote.ts';
import type { PromptFields } from './fields.ts';
import { findPlaceholders, findSpacedPlaceholders, type Placeholder } from './placeholders.ts';

/** Problems of one file that are told. */
export const MAX_FINDINGS = 100;
/** Problems of one kind that are counted; who has more has them all the same. */
export const MAX_COUNTED = 10_000;
/** Arguments among which the one that was meant is looked for. */
const MAX_MEANT = 100;
const UNDECLARED = 'PROMPT_PLACEHOLDER_UNDECLARED';
const SPACED = 'PROMPT_PLACEHOLDER_SPACED';

/** What is wrong with a body; places count from its beginning. */
export function checkBody(fields: PromptFields, body: string): readonly Finding[] {
  if (body.trim() === '') {
    return [
      {
        code: 'PROMPT_BODY_EMPTY',
        message: 'nothing stands below the frontmatter',
        start: 0,
        end: 0,
        hint: 'write the prompt below the closing "---"',
      },
    ];
  }
  // What an unreadable declaration would have declared is not known.
  if (hasErrors(fields)) return [];
  const declared = fields.arguments.map(({ name }) => name);
  const known = new Set(declared);
  const near = declared.slice(0, MAX_MEANT);
  const findings: Finding[] = [];
  const told = new Set<string>();
  for (const placeholder of findPlaceholders(body)) {
    const { name } = placeholder;
    if (known.has(name) || told.has(name)) continue;
    told.add(name);
    findings.push(
      told.size <= MAX_FINDINGS ? undeclared(body, placeholder, near) : counted(UNDECLARED, placeholder),
    );
    if (told.size >= MAX_COUNTED) break;
  }
  let spaces = 0;
  for (const placeholder of findSpacedPlaceholders(body)) {
    if (!known.has(placeholder.name)) continue;
    spaces += 1;
    findings.push(spaces <= MAX_FINDINGS ? spaced(body, placeholder) : counted(SPACED, placeholder));
    if (spaces >= MAX_COUNTED) break;
  }
  return findings;
}

function undeclared(body: string, { name, start, end }: Placeholder, declared: readonly string[]): Finding {
  const meant = suggest(name, declared);
  return {
    code: UNDECLARED,
    message: `the placeholder ${quote(body.slice(start, end))} names no argument`,
    start,
    end,
    hint:
      meant === undefined
        ? `declare it below "arguments", or write ${quote(`{{ ${name} }}`)} if the braces are meant as text`
        : `did you mean "{{${meant}}}"?`,
  };
}

function spaced(body: string, { name, start, end }: Placeholder): Finding {
  const text = `{{${name}}}`;
  return {
    code: SPACED,
    message: `${quote(body.slice(start, end))} is no placeholder because of its spaces; it is left as it is`,
    start,
    end,
    hint: `write ${quote(text)}`,
    fix: { start, end, text, title: `Write ${text}` },
  };
}

/** One behind the first hundred of its kind, which is only counted. */
function counted(code: string, { start, end }: Placeholder): Finding {
  return { code, message: '', start, end, hint: '' };
}

function hasErrors(fields: PromptFields): boolean {
  return fields.findings.some(({ code }) => code === 'PROMPT_ARGUMENTS_INVALID');
}

/** Arguments that are declared and stand nowhere in the body. */
export function unusedArguments(fields: PromptFields, body: string): readonly Finding[] {
  if (fields.arguments.length === 0) return [];
  const unused = new Set(fields.arguments.map(({ name }) => name));
  for (const placeholders of [findPlaceholders(body), findSpacedPlaceholders(body)]) {
    for (const { name } of placeholders) {
      unused.delete(name);
      if (unused.size === 0) return [];
    }
  }
  return fields.arguments.flatMap(({ name }): Finding[] => {
    if (!unused.has(name)) return [];
    const place = fields.places.get(name) ?? { start: 0, end: 0 };
    return [
      {
        code: 'PROMPT_ARGUMENT_UNUSED',
        message: `the argument ${quote(name)} stands nowhere in the body`,
        start: place.start,
        end: place.end,
        hint: `write ${quote(`{{${name}}}`)} where its value belongs, or remove it`,
      },
    ];
  });
}
