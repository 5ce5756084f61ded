/**
 * The rules for one `SKILL.md`.
 *
 * @module
 */
import type { Rule } from './rules.ts';

const GOOD = '---\nname: pdf\ndescription: Reads PDF files. Use when the user has a PDF.\n---\n# PDF\n';

function head(...lines: readonly string[]): string {
  return `---\n${lines.join('\n')}\n---\n# PDF\n`;
}

function withField(...lines: readonly string[]): string {
  return head('name: pdf', 'description: Reads PDF files. Use when the user has a PDF.', ...lines);
}

/** Examples are whole `SKILL.md` files in a folder called `pdf`. */
export const FORMAT_RULES: Readonly<Record<string, Rule>> = {
  MISSING_FRONTMATTER: {
    severity: 'error',
    title: 'SKILL.md does not begin with "---"',
    text: 'The skill is refused. The file must begin with a line of exactly three dashes. A blank line, a comment or a heading before it hides the whole frontmatter.',
    bad: '# PDF\n\n---\nname: pdf\ndescription: Reads PDF files.\n---\n',
    good: GOOD,
  },
  UNTERMINATED_FRONTMATTER: {
    severity: 'error',
    title: 'The frontmatter has no closing "---"',
    text: 'The skill is refused. A line of exactly three dashes, at the start of the line, must follow the last field. "..." and "----" do not close it.',
    bad: '---\nname: pdf\ndescription: Reads PDF files.\n...\n# PDF\n',
    good: GOOD,
  },
  NON_MAPPING_FRONTMATTER: {
    severity: 'error',
    title: 'The frontmatter is no mapping of keys to values',
    text: 'The skill is refused. The frontmatter is empty, a list or a single text. Often the space after the colon is missing.',
    bad: '---\nname:pdf\ndescription:Reads PDF files.\n---\n',
    good: GOOD,
  },
  INVALID_YAML: {
    severity: 'error',
    title: 'The frontmatter is not valid YAML',
    text: 'The skill is refused. The most common cause is a colon followed by a space in a value without quotes. Put the value in quotes or write it as a ">-" block.',
    bad: head('name: pdf', 'description: Reads PDF files: text and tables'),
    good: head('name: pdf', "description: 'Reads PDF files: text and tables'"),
  },
  DUPLICATE_KEY: {
    severity: 'error',
    title: 'A key stands twice',
    text: 'The skill is refused. Some readers take the first value, some the last, some refuse the file. Keep one.',
    bad: head('name: pdf', 'description: Reads PDF files.', 'description: Writes PDF files.'),
    good: head('name: pdf', 'description: Reads and writes PDF files.'),
  },
  UNSUPPORTED_YAML: {
    severity: 'error',
    title: 'The frontmatter uses YAML that has no JSON form',
    text: 'The skill is refused. Tags, merge keys, infinity, keys that are no strings and values that contain themselves cannot go out as JSON.',
    bad: withField('metadata:', '  version: !!str 2'),
    good: withField('metadata:', '  version: "2"'),
  },
  FRONTMATTER_TOO_LARGE: {
    severity: 'error',
    title: 'The frontmatter exceeds a limit',
    text: 'The skill is refused. A frontmatter holds at most 64 KiB, 32 levels, 10,000 values and 100 aliases.',
    bad: withField(`metadata: ${'['.repeat(40)}${']'.repeat(40)}`),
    good: withField('metadata:', '  level: "1"'),
  },
  NOT_UTF8: {
    severity: 'error',
    title: 'SKILL.md is not UTF-8',
    text: 'The skill is refused. Save the file as UTF-8. The bad example is saved as Windows-1252.',
    bad: head('name: pdf', 'description: Résumés as PDF.'),
    good: head('name: pdf', 'description: Résumés as PDF.'),
  },
  FRONTMATTER_MISSING_NAME: {
    severity: 'error',
    title: 'The name is missing or blank',
    text: 'The skill is refused. Keys are case-sensitive: "Name" is not "name".',
    bad: head('Name: pdf', 'description: Reads PDF files.'),
    good: GOOD,
  },
  FRONTMATTER_MISSING_DESCRIPTION: {
    severity: 'error',
    title: 'The description is missing or blank',
    text: 'The skill is refused. An agent chooses a skill by its description: say what it does and when to use it.',
    bad: head('name: pdf', 'description: ""'),
    good: GOOD,
  },
  NAME_NOT_STRING: {
    severity: 'error',
    title: 'YAML takes the name for something else than text',
    text: 'The skill is refused: released clients refuse a listing with such a name. Quote it.',
    bad: head('name: 2024', 'description: Plans the year 2024.'),
    good: head('name: "2024"', 'description: Plans the year 2024.'),
  },
  DESCRIPTION_NOT_STRING: {
    severity: 'error',
    title: 'YAML takes the description for something else than text',
    text: 'The skill is refused: released clients refuse a listing with such a description. Quote it.',
    bad: head('name: pdf', 'description: true'),
    good: head('name: pdf', 'description: "true"'),
  },
  INVALID_SKILL_NAME: {
    severity: 'error',
    title: 'The name breaks the naming rule',
    text: 'The skill is refused. A name has 1 to 64 characters: lower-case letters a-z, digits, and single hyphens between them.',
    bad: head('name: PDF_Tools', 'description: Reads PDF files.'),
    good: head('name: pdf', 'description: Reads PDF files.'),
  },
  SKILL_NAME_MISMATCH: {
    severity: 'error',
    title: 'The folder has another name than the skill, and that is refused',
    text: 'The skill is refused, because the server was told to reject such skills ("strict" or "nameMismatch: reject"). Rename the folder or the skill.',
    bad: head('name: pdf-tools', 'description: Reads PDF files.'),
    good: head('name: pdf', 'description: Reads PDF files.'),
  },
  DESCRIPTION_TOO_LONG: {
    severity: 'warning',
    title: 'The description is longer than 1,024 characters',
    text: 'The skill is served but not listed: official clients throw a whole listing away for one such entry. Move the details into the body.',
    bad: head('name: pdf', `description: ${'Reads PDF files. '.repeat(70).trim()}`),
    good: GOOD,
  },
  COMPATIBILITY_INVALID: {
    severity: 'warning',
    title: '"compatibility" is not a string of 1 to 500 characters',
    text: 'The skill is served but not listed: official clients throw a whole listing away for one such entry.',
    bad: withField('compatibility: [python, poppler]'),
    good: withField('compatibility: Needs Python and poppler.'),
  },
  METADATA_NOT_MAPPING: {
    severity: 'warning',
    title: '"metadata" is no mapping',
    text: 'The skill is served but not listed: official clients throw a whole listing away for one such entry. An empty "metadata:" counts too.',
    bad: withField('metadata: [author, version]'),
    good: withField('metadata:', '  author: Example'),
  },
  METADATA_VALUE_NOT_STRING: {
    severity: 'warning',
    title: 'A metadata value is not a string',
    text: 'The skill is served but not listed: official clients throw a whole listing away for one such entry. Quote numbers and booleans, and write a list as one string.',
    bad: withField('metadata:', '  version: 1.10'),
    good: withField('metadata:', '  version: "1.10"'),
  },
  PROTO_KEY: {
    severity: 'warning',
    title: 'A field is called "__proto__"',
    text: 'The skill is served but not listed: official clients throw a whole listing away for one such entry.',
    bad: withField('__proto__: x'),
    good: withField('metadata:', '  prototype: x'),
  },
  NAME_FOLDER_MISMATCH: {
    severity: 'warning',
    title: 'The folder has another name than the skill',
    text: "The skill is published under its own name, since the last part of a skill's URI must be its name. Rename one of the two, so that links to the folder keep working.",
    bad: head('name: pdf-tools', 'description: Reads PDF files.'),
    good: head('name: pdf', 'description: Reads PDF files.'),
  },
  DESCRIPTION_TOO_LONG_FOR_WELL_KNOWN: {
    severity: 'warning',
    title: 'The description is too long for well-known indexes',
    text: 'The skill is served and listed, but left out of both well-known indexes, whose clients count UTF-16 units and take at most 1,024.',
    bad: head('name: pdf', `description: ${'📄'.repeat(600)}`),
    good: GOOD,
  },
  DESCRIPTION_CUT_BY_COMMENT: {
    severity: 'warning',
    title: 'A comment cuts the description off',
    text: 'In YAML a "#" after a space begins a comment. Put the description in quotes if the rest belongs to it.',
    bad: head('name: pdf', 'description: Reads PDF files from issue #12 on.'),
    good: head('name: pdf', "description: 'Reads PDF files from issue #12 on.'"),
  },
  LICENSE_NOT_STRING: {
    severity: 'warning',
    title: '"license" is not a string',
    text: 'The value is passed on as it is; clients that expect text may ignore it.',
    bad: withField('license: [MIT, Apache-2.0]'),
    good: withField('license: MIT OR Apache-2.0'),
  },
  ALLOWED_TOOLS_NOT_STRING: {
    severity: 'warning',
    title: '"allowed-tools" is not a string',
    text: 'The value is passed on as it is; a client that expects a string may not apply the restriction. Write the tools in one string with spaces between them.',
    bad: withField('allowed-tools: [Read, Grep]'),
    good: withField('allowed-tools: Read Grep'),
  },
  UNKNOWN_KEY: {
    severity: 'warning',
    title: 'The specification has no such field',
    text: 'The field is passed on as it is. Check its spelling, or move it below "metadata" unless a client you serve reads it here.',
    bad: withField('allowed_tools: Read Grep'),
    good: withField('allowed-tools: Read Grep'),
  },
  METADATA_RESERVED_KEY: {
    severity: 'warning',
    title: 'A metadata key is reserved',
    text: 'Keys that begin with "io.modelcontextprotocol/" belong to the protocol, which defines none so far.',
    bad: withField('metadata:', '  io.modelcontextprotocol/author: Example'),
    good: withField('metadata:', '  com.example/author: Example'),
  },
  NUMBER_RESPELLED: {
    severity: 'warning',
    title: 'The spelling of a number is lost',
    text: 'An unquoted number goes out as a number: 1.10 as 1.1, 007 as 7. Quote it if the spelling matters, as it does for versions.',
    bad: withField('version: 1.10'),
    good: withField('version: "1.10"'),
  },
  AMBIGUOUS_SCALAR: {
    severity: 'warning',
    title: 'YAML 1.1 readers type an unquoted value differently',
    text: 'The value is text in YAML 1.2. Readers of YAML 1.1 take yes, no, on and off for booleans, and 12:30 and 1_000 for numbers.',
    bad: withField('user-invocable: yes'),
    good: withField('user-invocable: true'),
  },
  OUTSIDE_RELEASED_READER: {
    severity: 'warning',
    title: 'Released clients cannot read this YAML, or read it differently',
    text: 'The skill is listed, but a released client reads only a part of YAML and then fails to load it. Write quoted values and lists in brackets on one line, and use no anchors.',
    bad: head('name: pdf', 'description: "Reads PDF files.', '  Use when the user has a PDF."'),
    good: head('name: pdf', 'description: "Reads PDF files. Use when the user has a PDF."'),
  },
  MORE_PROBLEMS: {
    severity: 'info',
    title: 'A file has more than 100 problems',
    text: 'The first 100 problems are reported, and all that refuse the skill. Fix them and check again.',
    bad: withField(
      `metadata: {${Array.from({ length: 120 }, (_, index) => `k${index}: ${index}`).join(', ')}}`,
    ),
    good: withField('metadata:', '  k0: "0"'),
  },
  INTERNAL: {
    severity: 'error',
    title: 'A fault in Skillwire',
    text: 'The skill is refused because reading it failed in a way that nobody foresaw. Please report it with the file. There is no example.',
    bad: '',
    good: GOOD,
  },
};
