import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSkillError } from '../../src/errors.ts';
import { createProvider, type SkillProvider, type SupportingFiles } from '../../src/server/index.ts';
import { directorySource, VENDORS } from '../../src/source/index.ts';
import { openVendor } from '../../src/source/open-vendor.ts';
import { compareFilePaths } from '../../src/wire/index.ts';
import { type Link, linkProvider } from './link.ts';

type Content = string | { readonly base64: string } | { readonly symlink: string; readonly in_root?: false };
type Tree = Readonly<Record<string, Content>>;

interface Vector {
  readonly area: string;
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: recorded input of any shape.
  readonly input: any;
  readonly expect: unknown;
  /** What is answered here instead; a line of docs/reference/deviations.md says why. */
  readonly ours?: unknown;
}

const { tree: DEMO, vectors } = JSON.parse(
  readFileSync(new URL('../vectors/fastmcp.json', import.meta.url), 'utf8'),
) as { readonly tree: Tree; readonly vectors: readonly Vector[] };
const deviations = readFileSync(new URL('../../docs/reference/deviations.md', import.meta.url), 'utf8').split(
  '\n',
);

const of = (area: string): readonly Vector[] => vectors.filter((vector) => vector.area === area);
const base = mkdtempSync(join(tmpdir(), 'skillwire-fastmcp-'));
afterAll(() => rmSync(base, { recursive: true }));
let count = 0;

/** A folder with these files; links lead to other files of it unless they say that they do not. */
function folderOf(tree: Tree): string {
  count += 1;
  const root = join(base, String(count), 'skills');
  mkdirSync(root, { recursive: true });
  writeFileSync(join(base, String(count), 'secret-out.txt'), 'OUT');
  for (const [path, content] of Object.entries(tree)) {
    const file = join(root, path);
    if (path.endsWith('/')) {
      mkdirSync(file, { recursive: true });
      continue;
    }
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content === 'string') writeFileSync(file, content);
    else if ('base64' in content) writeFileSync(file, Buffer.from(content.base64, 'base64'));
    else if (content.in_root === false) symlinkSync(content.symlink, file);
    else symlinkSync(join(root, content.symlink), file);
  }
  return root;
}

const providers: SkillProvider[] = [];
const links: Link[] = [];
afterAll(async () => {
  for (const link of links) await link.close();
  for (const provider of providers) await provider.close();
});

async function serve(tree: Tree, supportingFiles: SupportingFiles = 'template'): Promise<Link> {
  const source = directorySource(folderOf(tree));
  const provider = await createProvider({ source, dialects: ['fastmcp'], supportingFiles });
  const link = await linkProvider(provider, '2025-06-18');
  providers.push(provider);
  links.push(link);
  return link;
}

interface Resource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly _meta?: unknown;
}

async function listed(link: Link): Promise<readonly Resource[]> {
  return (await link.pages<Resource>('resources/list', 'resources')).flat();
}

/** What is there of the fields that FastMCP sends. */
function fieldsOf({ uri, name, description, mimeType, _meta }: Resource): object {
  return {
    ...(_meta !== undefined && { _meta }),
    ...(description !== undefined && { description }),
    mimeType,
    name,
    uri,
  };
}

async function read(link: Link, uri: string): Promise<unknown> {
  const { result, error } = await link.ask('resources/read', { uri });
  if (result !== undefined) return { result: { contents: result.contents } };
  expect(error?.message).not.toContain(base);
  return { error };
}

/** Of an error its code and URI: every refusal has other words here, which one line says of all. */
function comparable(answer: unknown): unknown {
  const { error } = (answer ?? {}) as { error?: { code?: number; data?: { uri?: string } } };
  if (typeof error !== 'object') return answer;
  const { code, data } = error;
  return { error: { code, ...(data?.uri !== undefined && { uri: data.uri }) } };
}

/** Ours is what the vector says, or what stands beside it with a line that says why. */
function judge({ area, name, expect: theirs, ours }: Vector, answer: unknown): void {
  expect(comparable(answer)).toEqual(ours === undefined ? comparable(theirs) : ours);
  if (ours === undefined) return;
  expect(ours).not.toEqual(theirs);
  const lines = deviations.filter((line) => line.startsWith(`| ${area} |`) && line.includes('FastMCP'));
  const told = name.replace(/^(template|resources): /, '').slice(0, 40);
  expect(lines.filter((line) => line.includes(told))).not.toEqual([]);
}
it('are all here', () => {
  expect(vectors).toHaveLength(131);
});

describe('a folder of skills', () => {
  let template: Link;
  let resources: Link;
  beforeAll(async () => {
    template = await serve(DEMO);
    resources = await serve(DEMO, 'resources');
  });
  const linkOf = ({ input }: Vector): Link => (input.supporting_files === 'template' ? template : resources);

  it.each(of('skills.list'))('$name', async (vector) => {
    const found = await listed(linkOf(vector));
    judge(vector, vector.name.includes('uris') ? found.map(({ uri }) => uri) : found.map(fieldsOf));
  });

  it.each(of('skills.read').filter(({ input }) => input.uri !== undefined))('$name', async (vector) => {
    judge(vector, await read(linkOf(vector), vector.input.uri));
  });
});

describe('single skills', () => {
  const named = (file: Content): Tree => ({ 's/SKILL.md': file });
  const descriptionOf = async (link: Link): Promise<unknown> =>
    (await listed(link)).find(({ uri }) => uri === 'skill://s/SKILL.md')?.description ?? null;

  it.each(of('skills.description'))('description: $name', async (vector) => {
    // Without a name every one of them is refused here, which says little.
    const text = String(vector.input['SKILL.md']).replace(/^---\n/, '---\nname: s\n');
    judge(vector, await descriptionOf(await serve(named(text))));
  });

  it.each(of('skills.read').filter(({ input }) => input.uri === undefined))('$name', async (vector) => {
    const link = await serve({ 's/SKILL.md': vector.input['s/SKILL.md'] });
    judge(
      vector,
      (await listed(link)).map(({ uri }) => uri),
    );
  });

  it.each(of('skills.names'))('$name', async (vector) => {
    const { dir } = vector.input;
    const text = `---\nname: ${JSON.stringify(dir)}\ndescription: d\n---\n`;
    const link = await serve({ [`${dir}/SKILL.md`]: text });
    judge(
      vector,
      (await listed(link)).map(({ uri }) => uri),
    );
  });
});

describe('discovery', () => {
  it.each(of('skills.discovery'))('$name', async (vector) => {
    const { input } = vector;
    if ('links/alias' in input) {
      const root = folderOf({
        'real/target-skill/SKILL.md': '---\nname: target-skill\ndescription: d\n---\n',
      });
      mkdirSync(join(root, 'links'));
      symlinkSync(join(root, 'real/target-skill'), join(root, 'links/alias'));
      const provider = await createProvider({
        source: directorySource(join(root, 'links'), { linkRoots: [join(root, 'real')] }),
        dialects: ['fastmcp'],
      });
      const link = await linkProvider(provider, '2025-06-18');
      judge(
        vector,
        (await listed(link)).map(({ uri }) => uri),
      );
      await link.close();
      await provider.close();
      return;
    }
    if (input.ra !== undefined) {
      const withHead = (tree: Tree): Tree =>
        Object.fromEntries(
          Object.entries(tree).map(([path, text]) => [
            path,
            path.endsWith('SKILL.md')
              ? `---\nname: ${dirname(path)}\ndescription: ${String(text).slice(2)}\n---\n`
              : text,
          ]),
        );
      const roots = [folderOf(withHead(input.ra)), folderOf(withHead(input.rb))];
      const source = await openVendor({ name: 'codex', title: 'Codex', roots });
      const provider = await createProvider({ source, dialects: ['fastmcp'] });
      const link = await linkProvider(provider, '2025-06-18');
      const found = (await listed(link)).filter(({ uri }) => uri.endsWith('SKILL.md'));
      judge(vector, Object.fromEntries(found.map(({ uri, description }) => [uri, description])));
      await link.close();
      await provider.close();
      return;
    }
    if (input.roots !== undefined) {
      try {
        await openVendor({ name: 'codex', title: 'Codex', roots: [join(base, 'missing')] });
      } catch (error) {
        if (!isSkillError(error)) throw error;
        judge(vector, { error: error.code });
        return;
      }
      throw new Error('it was opened');
    }
    let link: Link;
    try {
      link = await serve(input.tree ?? { 'x/SKILL.md/dir': 'x' });
    } catch (error) {
      if (!isSkillError(error)) throw error;
      judge(vector, { error: error.code });
      return;
    }
    const uris = (await listed(link)).map(({ uri }) => uri);
    judge(vector, Array.isArray(vector.expect) ? uris : { resources: uris });
  });

  it.each(of('skills.main_file_name'))('$name', async (vector) => {
    const found = (await listed(await serve(vector.input.tree))).map(({ uri }) => uri);
    judge(vector, { resources: found, list_skills: found.filter((uri) => uri.endsWith('/SKILL.md')) });
  });

  it.each(of('skills.security'))('$name', async (vector) => {
    const good = '---\nname: good\ndescription: ok\n---\n';
    const link = await serve({ ...vector.input, 'good/SKILL.md': good });
    judge(
      vector,
      (await listed(link)).map(({ uri }) => uri),
    );
  });

  it.each(of('skills.constructor'))('$name', async (vector) => {
    const failure = (make: () => unknown): string => {
      try {
        make();
      } catch (error) {
        if (isSkillError(error)) return error.code;
        throw error;
      }
      return '';
    };
    const link = await serve({ 'x/README.md': 'x' });
    judge(vector, {
      'missing dir': failure(() => directorySource(join(base, 'missing'))),
      'no main file': await listed(link),
    });
  });

  it.each(of('skills.vendor'))('$name', (vector) => {
    const name = String(vector.input.class).replace('SkillsProvider', '').toLowerCase();
    const roots = VENDORS.find((vendor) => vendor.name === name)?.roots;
    judge(vector, { roots, main_file_name: 'SKILL.md' });
  });
});

describe('files', () => {
  it.each(of('skills.manifest'))('$name', (vector) => {
    judge(vector, [...vector.input.files].sort(compareFilePaths));
  });

  it.each(of('skills.mime'))('$name', async (vector) => {
    const names = Object.keys(vector.expect as object);
    const files = Object.fromEntries(
      names.map((name) => [`s/${name}`, name === 'SKILL.md' ? '---\nname: s\ndescription: d\n---\n' : 'x']),
    );
    const link = await serve(files, 'resources');
    const answer: Record<string, unknown> = {};
    for (const name of names) {
      const { result, error } = await link.ask('resources/read', { uri: `skill://s/${name}` });
      const [content] = (result?.contents ?? []) as [{ mimeType: string; text?: string }?];
      answer[name] =
        content === undefined
          ? error?.code
          : [content.mimeType, content.text === undefined ? 'blob' : 'text'];
    }
    judge(vector, answer);
  });
});
