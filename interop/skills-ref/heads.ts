import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RULES } from 'skillwire/format';
import { FEATURE_HEADS } from '../../tests/format/feature-heads.ts';

/** A `SKILL.md` and the name of its folder. */
export interface Head {
  readonly from: string;
  readonly folder: string;
  readonly text: string;
}

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const json = (path: string): unknown => JSON.parse(readFileSync(at(path), 'utf8'));

/** Every `SKILL.md` that the project has: its examples, and those of its tests. */
export function everyHead(): readonly Head[] {
  return [...examples(), ...rules(), ...features(), ...vectors(), ...reports(), ...repositories()];
}

function examples(): Head[] {
  const root = at('../../examples/skills');
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('SKILL.md'))
    .map((path) => ({
      from: `examples/skills/${dirname(path)}`,
      folder: dirname(path).split(/[\\/]/).at(-1) ?? '',
      text: readFileSync(join(root, path), 'utf8'),
    }));
}

function rules(): Head[] {
  return Object.entries(RULES)
    .filter(([, { good }]) => good.startsWith('---\n'))
    .map(([code, { good }]) => named(`the good example of ${code}`, good));
}

function features(): Head[] {
  return FEATURE_HEADS.map(({ title, yaml }) => {
    const missing = ['name: a', 'description: d'].filter(
      (line) => !new RegExp(`^["']?${line.split(':')[0]}["']? *:`, 'm').test(yaml),
    );
    return named(title, `---\n${[...missing, yaml].join('\n')}\n---\n`);
  });
}

function vectors(): Head[] {
  const cases = json('../../tests/vectors/frontmatter.json') as { name: string; input: { text?: string } }[];
  return cases.flatMap(({ name, input }) =>
    input.text === undefined ? [] : [named(`vector ${name}`, input.text)],
  );
}

function reports(): Head[] {
  const cases = json('../../tests/vectors/bug-frontmatter.json') as {
    id: string;
    files: { path: string; text?: string }[];
  }[];
  return cases.flatMap(({ id, files }) =>
    files.flatMap(({ path, text }) =>
      text === undefined ? [] : [{ from: `report ${id}`, folder: folderOf(path), text }],
    ),
  );
}

/** The heads of public repositories, which are not of this project: where they are, if anywhere, the tests say too. */
function repositories(): Head[] {
  const path = process.env.SKILLWIRE_REAL_HEADS ?? at('../../../shared/cases/real-frontmatter.jsonl');
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { repo: string; path: string; head: string })
    .map(({ repo, path: file, head }) => ({
      from: `${repo}/${file}`,
      folder: folderOf(file),
      text: `${head.trimEnd()}\n`,
    }));
}

function folderOf(path: string): string {
  return path.split('/').at(-2) ?? '';
}

/** Its folder has its name, where it has one. */
function named(from: string, text: string): Head {
  return { from, folder: /^name: *"?([a-z0-9-]+)"?/m.exec(text)?.[1] ?? 'a', text };
}
