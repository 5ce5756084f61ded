/**
 * The `instructions` of a server: what it is, how to reach its skills, and the skills to start from.
 *
 * @module
 */
import type { Skill, Snapshot } from '../catalog/snapshot.ts';
import { LIMITS } from '../limits.ts';
import type { Exposure } from './exposure.ts';
import { cutWords, oneLine } from './one-line.ts';
import { hasOwnName } from './surfaces/named-skill.ts';

/** UTF-16 units of a description: no more than names a skill, no less than tells it from another. */
const MOST = 200;
const LEAST = 80;

const written = new WeakMap<Snapshot, Map<string, string>>();

/**
 * The instructions for a snapshot, at most 2,000 UTF-16 units: those nearest to the root first, each on
 * one line. What does not fit is counted in the last line. A skill that its owner hid,
 * or that is not in `skills/list`, is not named.
 *
 * @example
 * instructionsOf(catalog.snapshot, { tools: true, prompts: false, to: 'all' })
 */
export function instructionsOf(snapshot: Snapshot, exposure: Pick<Exposure, 'tools' | 'prompts'>): string {
  const kept = written.get(snapshot) ?? new Map<string, string>();
  written.set(snapshot, kept);
  const key = `${exposure.tools}${exposure.prompts}`;
  let text = kept.get(key);
  if (text === undefined) {
    text = write(snapshot, exposure);
    kept.set(key, text);
  }
  return text;
}

function write(snapshot: Snapshot, exposure: Pick<Exposure, 'tools' | 'prompts'>): string {
  const head = introduction(exposure);
  const skills = nearestFirst(snapshot.skills.filter((skill) => skill.listed && !skill.hidden));
  if (skills.length === 0) return `${head}\n\nIt has no skills now.`;
  const lines = [head, '', 'Skills:'];
  const room = LIMITS.instructionsLength - length(lines) - REMAINDER;
  const each = Math.min(MOST, Math.max(LEAST, Math.floor(room / skills.length) - LINE));
  let used = 0;
  let shown = 0;
  for (const skill of skills) {
    const line = lineOf(snapshot, skill, each, exposure);
    const size = line.length + 1;
    const last = shown === skills.length - 1;
    if (used + size > room + (last ? REMAINDER : 0)) break;
    lines.push(line);
    used += size;
    shown++;
  }
  const rest = skills.length - shown;
  if (rest > 0) lines.push(`… and ${rest} more${exposure.tools ? '; list_skills finds them' : ''}`);
  return lines.join('\n');
}

/** What the last line takes at most, and what stands around a description. */
const REMAINDER = 60;
const LINE = 30;

function introduction({ tools, prompts }: Pick<Exposure, 'tools' | 'prompts'>): string {
  const ways = [
    ...(tools ? ['with load_skill, and its files with read_skill_file'] : []),
    ...(prompts ? ['by the prompt with its name'] : []),
    'as a resource, at the URI that resources/list has',
  ];
  const how = tools || prompts ? `read it: ${ways.join('; or ')}` : 'read the resource at its URI';
  return `This server has skills: instructions for particular kinds of task. Before a task that one covers, ${how}.`;
}

/** With the URI, where the name alone leads nowhere (requirement S48). */
function lineOf(
  snapshot: Snapshot,
  skill: Skill,
  most: number,
  { tools, prompts }: Pick<Exposure, 'tools' | 'prompts'>,
): string {
  const place = (tools || prompts) && hasOwnName(snapshot, skill) ? '' : ` (${skill.uri})`;
  return `- ${skill.name}${place}: ${cutWords(oneLine(skill.description), most)}`;
}

/** The fewer segments, the nearer to the root: a nested skill stands after the one around it. Else the order stays. */
function nearestFirst(skills: readonly Skill[]): readonly Skill[] {
  const byDepth: Skill[][] = [];
  for (const skill of skills) {
    const depth = skill.rootUri.split('/').length;
    byDepth[depth] ??= [];
    byDepth[depth].push(skill);
  }
  return byDepth.flat();
}

function length(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}
