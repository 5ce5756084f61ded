/** What a `SKILL.md` is, and what `check` said of it. */
export interface About {
  readonly text: string;
  readonly codes: readonly string[];
}

interface Disagreement {
  readonly says: RegExp;
  /** Whether it is about this skill at all: else the error is one that nobody knows. */
  readonly holds: (about: About) => boolean;
  /** What it is about, and who is right. */
  readonly what: string;
}

const warned =
  (code: string) =>
  ({ codes }: About): boolean =>
    codes.includes(code);
const head = ({ text }: About): string => text.split(/^---[ \t]*$/m)[1] ?? '';

/** Where the validator refuses what `check` passes. */
const DISAGREEMENTS: readonly Disagreement[] = [
  {
    says: /^Unexpected fields in frontmatter/,
    holds: warned('UNKNOWN_KEY'),
    what: 'a field that the specification does not have is an error to it and a warning of check (an error with --strict): clients read fields of their own there',
  },
  {
    says: /^Directory name .* must match skill name/,
    holds: warned('NAME_FOLDER_MISMATCH'),
    what: 'a folder with another name than its skill is an error to it, as the specification says, and a warning of check (an error with --strict): the skill is published under its name',
  },
  {
    says: /^Invalid YAML in frontmatter:[\s\S]*disallowed JSONesque flow mapping/,
    holds: (about) => /[[{]/.test(head(about)),
    what: 'brackets and braces are an error to it: it reads a part of YAML, and the specification says YAML',
  },
  {
    says: /^Invalid YAML in frontmatter:[\s\S]*disallowed anchor token/,
    holds: warned('OUTSIDE_RELEASED_READER'),
    what: 'anchors are an error to it and a warning of check: it reads a part of YAML, and so do clients',
  },
  {
    says: /^Invalid YAML in frontmatter:[\s\S]*found character '\\t'/,
    holds: (about) => head(about).includes('\t'),
    what: 'a tab that separates is an error to it: YAML 1.2 allows it, YAML 1.1 did not',
  },
  {
    says: /^SKILL\.md must start with YAML frontmatter/,
    holds: ({ text }) => text.startsWith('\ufeff'),
    what: 'a byte order mark is an error to it: nothing says that there is none, and editors write it',
  },
  {
    says: /^SKILL\.md frontmatter not properly closed|^Invalid YAML in frontmatter|^Missing required field/,
    holds: (about) => head(about).includes('---'),
    what: 'three dashes inside a line end the frontmatter for it: only a line of dashes does',
  },
];

/** The known disagreement that an error of the validator is; undefined: nobody knows it. */
export function disagreementOf(error: string, about: About): string | undefined {
  return DISAGREEMENTS.find(({ says, holds }) => says.test(error) && holds(about))?.what;
}
