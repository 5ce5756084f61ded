/**
 * The files of a new skill.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { quoteScalar, validateSkillName } from '../format/index.ts';
import type { NewFile } from '../store/index.ts';

/** What a new skill begins with. */
export interface NewSkillOptions {
  readonly description?: string;
  readonly references?: boolean;
  readonly script?: boolean;
  readonly assets?: boolean;
}

const DESCRIPTION_MAX = 1_024;

/**
 * The files of a skill called `name` that passes `check` as it stands.
 *
 * Errors: `INVALID_SKILL_NAME`, `FRONTMATTER_MISSING_DESCRIPTION` (blank), `USAGE` (over 1,024 characters).
 *
 * @example
 * newSkill('pdf-tools', { description: 'Reads PDF files. Use when …', references: true })
 */
export function newSkill(name: string, options: NewSkillOptions = {}): NewFile[] {
  validateSkillName(name);
  const description = oneLine(options.description ?? placeholder(name));
  if (description === '') {
    throw new SkillError(
      'FRONTMATTER_MISSING_DESCRIPTION',
      'the description is blank; say what the skill does and when to use it',
    );
  }
  const length = [...description].length;
  if (length > DESCRIPTION_MAX) {
    throw new SkillError(
      'USAGE',
      `the description has ${length} characters and the limit is ${DESCRIPTION_MAX}; move details into SKILL.md`,
    );
  }
  const files: NewFile[] = [{ path: 'SKILL.md', content: skillText(name, description, options) }];
  if (options.references === true) files.push({ path: 'references/details.md', content: DETAILS });
  if (options.script === true) files.push({ path: 'scripts/run.mjs', content: SCRIPT, mode: 0o755 });
  if (options.assets === true) files.push({ path: 'assets/template.md', content: TEMPLATE });
  return files;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

function placeholder(name: string): string {
  return `Say here what ${name} does. Use when the user asks for it, in the words that users say.`;
}

function titleOf(name: string): string {
  const words = name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Plain where every YAML reader takes it as it is, quoted everywhere else. */
function scalar(text: string): string {
  return /^[A-Za-z][A-Za-z0-9 ,.()/'-]*$/.test(text) && text.includes(' ') ? text : quoteScalar(text);
}

function skillText(name: string, description: string, options: NewSkillOptions): string {
  const more: string[] = [];
  if (options.references === true)
    more.push('- When the input is unusual: [references/details.md](references/details.md)');
  if (options.script === true) more.push('- To do the exact part: `node scripts/run.mjs INPUT`');
  if (options.assets === true)
    more.push('- To begin a result: copy [assets/template.md](assets/template.md)');
  return `---
name: ${/^[a-z]/.test(name) && !RESERVED.has(name) ? name : quoteScalar(name)}
description: ${scalar(description)}
---

# ${titleOf(name)}

Say in one sentence what is done and for whom.

## Steps

1. The first step, with the command to run.
2. The second step, and what to do when it fails.
3. How to check the result before saying that it is done.

## Limits

- What must never happen, and what to ask about first.
${more.length === 0 ? '' : `\n## More\n\n${more.join('\n')}\n`}`;
}

/** Names that YAML readers take for something else than text. */
const RESERVED: ReadonlySet<string> = new Set(['null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n']);

const DETAILS = `# Details

What only some runs need. \`SKILL.md\` says when to open this file.
`;

const TEMPLATE = `# Title

What every result has.
`;

const SCRIPT = `#!/usr/bin/env node
// Say what this script does, reads and prints.
import { readFileSync } from 'node:fs';

const [input] = process.argv.slice(2);
if (input === undefined || input === '--help') {
  console.log('usage: node run.mjs INPUT');
  process.exit(input === undefined ? 2 : 0);
}

const text = readFileSync(input, 'utf8');
console.log(\`\${text.split('\\n').length} lines\`);
`;
