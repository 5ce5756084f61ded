/**
 * Skills of a hostile server, made right so that a case can make one thing of them wrong.
 *
 * @module
 */
import { digestOf } from '../../integrity/index.ts';
import type { HostileAnswer } from './hostile-case.ts';

/** One file of an entry; a case may put anything in it. */
export interface LiarResource {
  uri: unknown;
  digest?: unknown;
  size?: unknown;
}

/** An entry that can be changed at will. */
export interface LiarEntry {
  uri: unknown;
  frontmatter: unknown;
  resources?: unknown;
}

/** A skill and the answers to reading its files. */
export interface Liar {
  readonly entry: LiarEntry;
  /** What `resources/read` answers, by URI. */
  readonly answers: Map<string, HostileAnswer>;
  /** Adds a file that the entry lists. */
  readonly add: (path: string, text: string | Uint8Array) => void;
  /** Gives other bytes for a file than its entry states. */
  readonly say: (path: string, text: string | Uint8Array) => void;
  /** The files of the entry, to be changed in place. */
  readonly resources: LiarResource[];
}

export const LIAR = 'skill://liar/SKILL.md';
export const HONEST = 'skill://honest/SKILL.md';
/** A file that every skill here has. */
export const DATA = 'references/DATA.md';

const DESCRIPTION = 'Does one thing. Use when that thing is asked for.';

/** The text of a `SKILL.md`; `extra` are further lines of its frontmatter. */
export function skillText(name: string, extra = ''): string {
  return `---\nname: ${name}\ndescription: ${DESCRIPTION}\nversion: "1"\n${extra}---\n\n# ${name}\n\nSee [data](${DATA}).\n`;
}

/** The frontmatter of {@link skillText}. */
export function frontmatterOf(name: string): Record<string, unknown> {
  return { name, description: DESCRIPTION, version: '1' };
}

/** The answer that gives a file, as text where it is text. */
export function contentsOf(uri: string, content: string | Uint8Array): HostileAnswer {
  const held =
    typeof content === 'string' ? { text: content } : { blob: Buffer.from(content).toString('base64') };
  return {
    contents: [
      { uri, mimeType: typeof content === 'string' ? 'text/markdown' : 'application/octet-stream', ...held },
    ],
  };
}

/** A right skill of two files. `text` is its `SKILL.md`, if not the usual one. */
export function rightSkill(name: string, text: string = skillText(name)): Liar {
  const root = `skill://${name}/`;
  const resources: LiarResource[] = [];
  const answers = new Map<string, HostileAnswer>();
  const say = (path: string, content: string | Uint8Array): void => {
    answers.set(root + path, contentsOf(root + path, content));
  };
  const add = (path: string, content: string | Uint8Array): void => {
    const bytes = Buffer.from(content);
    resources.push({ uri: root + path, digest: digestOf(bytes), size: bytes.length });
    say(path, content);
  };
  add('SKILL.md', text);
  add(DATA, `# Data of ${name}\n`);
  return {
    entry: { uri: `${root}SKILL.md`, frontmatter: frontmatterOf(name), resources },
    answers,
    add,
    say,
    resources,
  };
}
