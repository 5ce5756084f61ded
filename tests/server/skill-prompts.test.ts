/** Each skill as a prompt, for official clients of each revision. */
import { McpServer } from '@modelcontextprotocol/server';
import { afterEach, describe, expect, it } from 'vitest';
import { openPrompts, type PromptRegistry } from '../../src/prompts/index.ts';
import { createProvider, type ProviderOptions, type SkillProvider } from '../../src/server/index.ts';
import { memorySource } from '../../src/source/index.ts';
import { type Link, linkProvider, linkServer, READS_SKILLS, REVISIONS, type Revision } from './link.ts';
import { skillText } from './support.ts';

const FILES = {
  'docx/SKILL.md': skillText('docx', 'title: "Word\\nfiles"\n', 'Write it.\n'),
  'docx/references/a.md': 'a',
  'pdf/SKILL.md': skillText('pdf', '', 'At the root.\n'),
  'team/pdf/SKILL.md': skillText('pdf', '', 'Of the team.\n'),
  'my tools/pdf/SKILL.md': skillText('pdf'),
  'shy/SKILL.md': skillText('shy'),
};
const NAMES = ['docx', 'my tools/pdf', 'pdf', 'team/pdf'];

let provider: SkillProvider;
let prompts: PromptRegistry | undefined;
const links: Link[] = [];
afterEach(async () => {
  for (const link of links.splice(0)) await link.close();
  await provider.close();
  await prompts?.close();
  prompts = undefined;
});

async function connect(
  revision: Revision,
  options: Partial<ProviderOptions> = {},
  declared = {},
): Promise<Link> {
  provider = await createProvider({
    source: memorySource(FILES),
    hidden: (path) => path === 'shy',
    expose: ['prompts'],
    ...options,
  });
  const link = await linkProvider(provider, revision, {}, declared);
  links.push(link);
  return link;
}
async function names(link: Link): Promise<string[]> {
  return (await link.client.listPrompts()).prompts.map(({ name }) => name);
}
async function text(link: Link, name: string, given?: Record<string, string>): Promise<string> {
  const { messages } = await link.client.getPrompt({ name, ...(given && { arguments: given }) });
  expect(messages).toHaveLength(1);
  const [message] = messages;
  return message?.content.type === 'text' ? message.content.text : '';
}

describe.each(REVISIONS)('%s', (revision) => {
  it('lists the skills that discovery shows, by name, and by path where several have it', async () => {
    const link = await connect(revision);
    expect(link.client.getServerCapabilities()?.prompts).toBeDefined();
    expect(await names(link)).toEqual(NAMES);
    const { prompts: listed } = await link.client.listPrompts();
    expect(listed[0]).toEqual({
      name: 'docx',
      title: 'Word files',
      description: 'About docx',
      arguments: [{ name: 'request', description: 'What you want done with the skill', required: false }],
    });
  });

  it('cuts pages by name', async () => {
    const link = await connect(revision, { pageSize: 3 });
    const pages = await link.pages<{ name: string }>('prompts/list', 'prompts');
    expect(pages.map((page) => page.map(({ name }) => name))).toEqual([NAMES.slice(0, 3), NAMES.slice(3)]);
  });

  it('gives the instructions, the way to the files, and the request', async () => {
    const link = await connect(revision);
    expect(await text(link, 'docx', { request: 'A letter\nto Ada' })).toBe(
      `Skill docx, from skill://docx/SKILL.md

Write it.

Files of this skill below skill://docx; each is a resource at its URI:
- references/a.md (text/markdown, 1 byte): skill://docx/references/a.md

Request:
A letter
to Ada`,
    );
    expect(await text(link, 'team/pdf')).toBe(
      'Skill pdf, from skill://team/pdf/SKILL.md\n\nOf the team.\n\nThis skill has no other files.',
    );
    expect(await text(link, 'pdf', { request: '  ' })).not.toContain('Request');
  });

  it('names the tools where they are there too', async () => {
    const link = await connect(revision, { expose: ['prompts', 'tools'] });
    expect(await text(link, 'docx')).toContain(
      'read_skill_file reads one by its path, read_resource by its URI:',
    );
  });

  it.each([
    [{ name: 'shy' }, 'no such prompt: "shy"; prompts/list names them'],
    [{ name: 'my%20tools/pdf' }, 'no such prompt: "my%20tools/pdf"; prompts/list names them'],
    [{ name: 7 }, 'name'],
    [{ name: 'docx', arguments: { input: 'x' } }, 'a skill has no argument "input"; it takes request'],
    [{ name: 'docx', arguments: { request: 7 } }, 'request'],
  ])('refuses %j', async (params, message) => {
    const link = await connect(revision);
    const { error } = await link.ask('prompts/get', params);
    expect(error?.code).toBe(-32602);
    expect(error?.message).toContain(message);
  });

  it('completes nothing, and no argument that there is not', async () => {
    const link = await connect(revision);
    const ask = (name: string) =>
      link.ask('completion/complete', {
        ref: { type: 'ref/prompt', name: 'docx' },
        argument: { name, value: '' },
      });
    expect((await ask('request')).result).toMatchObject({
      completion: { values: [], total: 0, hasMore: false },
    });
    expect((await ask('input')).error).toMatchObject({
      code: -32602,
      message: 'the prompt "docx" has no argument "input"',
    });
  });

  it('shows a client that declares the extension the prompts of files alone', async () => {
    prompts = await openPrompts(memorySource({ 'triage.md': '---\ndescription: Triage\n---\nTriage.\n' }));
    const link = await connect(revision, { prompts, cacheScope: 'public' }, READS_SKILLS);
    expect(await names(link)).toEqual(['triage']);
    expect((await link.ask('prompts/get', { name: 'docx' })).error).toMatchObject({ code: -32602 });
    const { result } = await link.ask('prompts/list');
    if (revision === '2026-07-28') expect(result).toMatchObject({ cacheScope: 'private' });
    expect(await text(link, 'triage')).toBe('Triage.\n');
  });

  it('and an empty list where there are no others, and everything with exposeTo all', async () => {
    const withheld = await connect(revision, {}, READS_SKILLS);
    expect((await withheld.ask('prompts/list')).result?.prompts).toEqual([]);
    await provider.close();
    expect(await names(await connect(revision, { exposeTo: 'all' }, READS_SKILLS))).toEqual(NAMES);
  });

  it('a prompt of a file counts before a skill of its name, and that is reported', async () => {
    prompts = await openPrompts(
      memorySource({
        'docx.md': '---\ndescription: Of a file\n---\nFrom the file.\n',
        'a.md': '---\ndescription: A\n---\nA.\n',
      }),
    );
    const link = await connect(revision, { prompts });
    expect(await names(link)).toEqual(['a', ...NAMES]);
    expect(await text(link, 'docx')).toBe('From the file.\n');
    expect(provider.warnings().filter(({ code }) => code === 'PROMPT_NAME_TAKEN')).toEqual([
      {
        code: 'PROMPT_NAME_TAKEN',
        message:
          '1 skill is no prompt, because a prompt of a file has its name: docx; rename one of the two to have both',
      },
    ]);
  });

  it('counts the names that are taken', async () => {
    const many = Array.from({ length: 12 }, (_, n) => `s${String(n).padStart(2, '0')}`);
    prompts = await openPrompts(
      memorySource(Object.fromEntries(many.map((name) => [`${name}.md`, '---\ndescription: D\n---\nD.\n']))),
    );
    const source = memorySource(
      Object.fromEntries(many.map((name) => [`${name}/SKILL.md`, skillText(name)])),
    );
    await connect(revision, { prompts, source });
    expect(provider.warnings().map(({ message }) => message)).toEqual([
      '12 skills are no prompts, because prompts of files have their names: s00, s01, s02, s03, s04, s05, s06, s07, s08, s09 and 2 more; rename one of the two to have both',
    ]);
  });

  it('shows the escapes of a path that could not be read as it is', async () => {
    const source = memorySource({
      'pdf/SKILL.md': skillText('pdf'),
      'a\u202eb/pdf/SKILL.md': skillText('pdf'),
    });
    expect(await names(await connect(revision, { source }))).toEqual(['a%E2%80%AEb/pdf', 'pdf']);
  });

  it('tells skills apart whose paths differ in their escapes alone', async () => {
    const source = memorySource({
      'a#b/pdf/SKILL.md': skillText('pdf', '', 'Of the number sign.\n'),
      'a%23b/pdf/SKILL.md': skillText('pdf', '', 'Of the percent sign.\n'),
    });
    const link = await connect(revision, { source });
    expect(await names(link)).toEqual(['a%23b/pdf', 'a%2523b/pdf']);
    expect(await text(link, 'a%23b/pdf')).toContain('Of the number sign.');
    expect(await text(link, 'a%2523b/pdf')).toContain('Of the percent sign.');
  });

  it('refuses an argument that it does not have, wherever that stands', async () => {
    const link = await connect(revision);
    await expect(text(link, 'docx', { request: 'x', other: 'y' })).rejects.toThrow('no argument "other"');
    await expect(text(link, 'docx', { other: 'y', request: 'x' })).rejects.toThrow('no argument "other"');
  });

  it('stands beside the prompts of a caller’s server', async () => {
    provider = await createProvider({ source: memorySource(FILES), expose: ['prompts'] });
    const make = (): McpServer => {
      const mcp = new McpServer({ name: 'mine', version: '1' });
      provider.attach(mcp);
      mcp.registerPrompt('z', {}, () => ({
        messages: [{ role: 'user', content: { type: 'text', text: 'z of the caller' } }],
      }));
      return mcp;
    };
    const link = await linkServer(make, revision);
    const reader = await linkServer(make, revision, READS_SKILLS);
    links.push(link, reader);
    expect(await names(link)).toEqual(['docx', 'my tools/pdf', 'pdf', 'shy', 'team/pdf', 'z']);
    expect(await text(link, 'docx')).toContain('Write it.');
    expect(await text(link, 'z')).toBe('z of the caller');
    expect(await names(reader)).toEqual(['z']);
  });
});
