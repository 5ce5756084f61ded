/**
 * Where agents of different vendors keep the skills of their user.
 *
 * @module
 */
import { SkillError } from '../errors.ts';
import { suggest } from '../format/suggest.ts';
import { quote } from '../uri/quote.ts';

/** The folders of one vendor. */
export interface Vendor {
  /** What stands after `vendor:`. */
  readonly name: string;
  /** What the vendor calls the agent. */
  readonly title: string;
  /** In order: of two skills with one folder name that in the earlier folder is served. `~` is the home folder. */
  readonly roots: readonly string[];
}

/**
 * Every vendor that `vendor:NAME` knows, in the order of the documentation.
 *
 * @example
 * VENDORS.find(({ name }) => name === 'codex')?.roots // ['/etc/codex/skills', '~/.codex/skills']
 */
export const VENDORS: readonly Vendor[] = [
  { name: 'claude', title: 'Claude', roots: ['~/.claude/skills'] },
  { name: 'cursor', title: 'Cursor', roots: ['~/.cursor/skills'] },
  { name: 'vscode', title: 'VS Code', roots: ['~/.copilot/skills'] },
  { name: 'copilot', title: 'GitHub Copilot', roots: ['~/.copilot/skills'] },
  // What the machine's administrator put there wins.
  { name: 'codex', title: 'Codex', roots: ['/etc/codex/skills', '~/.codex/skills'] },
  { name: 'gemini', title: 'Gemini CLI', roots: ['~/.gemini/skills'] },
  { name: 'goose', title: 'Goose', roots: ['~/.config/agents/skills'] },
  { name: 'opencode', title: 'OpenCode', roots: ['~/.config/opencode/skills'] },
];

/**
 * The vendor of a name, in any case. Errors: `USAGE`, with all names and the one that was probably meant.
 *
 * @example
 * vendorOf('Claude').roots // ['~/.claude/skills']
 */
export function vendorOf(name: string): Vendor {
  const wanted = name.toLowerCase();
  const vendor = VENDORS.find((each) => each.name === wanted);
  if (vendor !== undefined) return vendor;
  const names = VENDORS.map((each) => each.name);
  const near = suggest(wanted, names);
  const meant = near === undefined ? '' : `; did you mean vendor:${near}`;
  throw new SkillError('USAGE', `there is no vendor ${quote(name)}${meant}; there are ${names.join(', ')}`, {
    details: { source: `vendor:${name}` },
  });
}
