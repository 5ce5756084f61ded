/** Tools, prompts and instructions of the real program, for official clients with and without the skills extension. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { clientOptions, READS_SKILLS } from '../server/link.ts';
import { folderWith, PROGRAM, run, skillText, start, stopAll } from './program.ts';

const folders: ReturnType<typeof folderWith>[] = [];
const clients: Client[] = [];
function folder(): string {
  const made = folderWith({
    'pdf/SKILL.md': skillText('pdf'),
    'pdf/references/a.md': 'a\r\n',
    'team/pdf/SKILL.md': skillText('pdf'),
    'zip/SKILL.md': skillText('zip'),
  });
  folders.push(made);
  return made.path;
}
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await stopAll();
  for (const made of folders.splice(0)) made.remove();
});
afterAll(stopAll);

const ERAS = ['2026-07-28', '2025-11-25'] as const;
type Connect = (path: string, flags: readonly string[], reads: boolean) => Promise<Client>;

async function opened(client: Client, transport: Parameters<Client['connect']>[0]): Promise<Client> {
  await client.connect(transport);
  clients.push(client);
  return client;
}
const over = (era: (typeof ERAS)[number]): Readonly<Record<'stdio' | 'http', Connect>> => {
  const make = (reads: boolean): Client =>
    new Client({ name: 'test', version: '1' }, { ...clientOptions(era), ...(reads ? READS_SKILLS : {}) });
  return {
    stdio: (path, flags, reads) =>
      opened(
        make(reads),
        new StdioClientTransport({
          command: process.execPath,
          args: [...PROGRAM, 'serve', path, ...flags],
          stderr: 'ignore',
        }),
      ),
    http: async (path, flags, reads) => {
      const started = start(['serve', path, ...flags, '--http', '0']);
      const [, url = ''] = await started.until(/^skillwire listening on (http:\/\/\S+\/mcp)$/m);
      return opened(make(reads), new StreamableHTTPClientTransport(new URL(url)));
    },
  };
};
const CASES = ERAS.flatMap((era) => (['stdio', 'http'] as const).map((way) => [era, way] as const));
const TOOLS = ['list_skills', 'load_skill', 'read_skill_file', 'read_resource'];

describe.each(CASES)('a client of %s over %s', (era, way) => {
  const connect = over(era)[way];

  it('that does not read skills is shown tools, prompts and instructions', async () => {
    const path = folder();
    const client = await connect(path, ['--expose', 'tools,prompts'], false);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS);
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['pdf', 'team/pdf', 'zip']);
    expect(client.getInstructions()).toMatch(/^This server has skills: [\s\S]*\n- zip: /);

    const listed = await client.callTool({ name: 'list_skills', arguments: { query: 'PDF' } });
    expect(listed.structuredContent).toMatchObject({ total: 2, skills: [{ name: 'pdf' }, { name: 'pdf' }] });
    const loaded = await client.callTool({ name: 'load_skill', arguments: { uri: 'skill://pdf/SKILL.md' } });
    expect(JSON.stringify(loaded.content)).toContain(
      '- references/a.md (text/markdown, 3 bytes): skill://pdf/references/a.md',
    );
    const file = await client.callTool({
      name: 'read_skill_file',
      arguments: { skill: 'skill://pdf', path: 'references/a.md' },
    });
    const [same] = (await client.readResource({ uri: 'skill://pdf/references/a.md' })).contents;
    expect(file.content).toMatchObject([{ type: 'text', text: 'a\r\n' }, { type: 'text' }]);
    expect(same).toMatchObject({ text: 'a\r\n' });
    const twice = await client.callTool({ name: 'load_skill', arguments: { name: 'pdf' } });
    expect(twice).toMatchObject({ isError: true });
    expect(JSON.stringify(twice)).not.toContain(path);
    const prompt = await client.getPrompt({ name: 'zip', arguments: { request: 'Pack it' } });
    expect(JSON.stringify(prompt.messages)).toContain('Request:\\nPack it');
  });

  it('that reads skills is shown none of it, unless told so', async () => {
    const withheld = await connect(folder(), ['--expose', 'tools', '--expose', 'prompts'], true);
    expect((await withheld.listTools()).tools).toEqual([]);
    expect((await withheld.listPrompts()).prompts).toEqual([]);
    await expect(withheld.callTool({ name: 'list_skills', arguments: {} })).rejects.toThrow(
      'Unknown tool: "list_skills"',
    );
    await expect(withheld.getPrompt({ name: 'zip' })).rejects.toThrow('no such prompt: "zip"');
    const all = await connect(
      folder(),
      ['--expose', 'tools', '--expose-to', 'all', '--instructions', 'Ask Ada.'],
      true,
    );
    expect((await all.listTools()).tools).toHaveLength(4);
    expect(all.getInstructions()).toBe('Ask Ada.');
    expect(all.getServerCapabilities()?.prompts).toBeUndefined();
  });

  it('is told that prompts changed when skills do', async () => {
    const path = folder();
    const client = await connect(path, ['--expose', 'prompts', '--instructions', 'none'], false);
    expect(client.getInstructions()).toBeUndefined();
    const heard = new Promise<void>((resolve) => {
      client.setNotificationHandler('notifications/prompts/list_changed', () => resolve());
    });
    if (era === '2026-07-28') await client.listen({ promptsListChanged: true });
    expect((await client.listPrompts()).prompts).toHaveLength(3);
    mkdirSync(join(path, 'docx'));
    writeFileSync(join(path, 'docx', 'SKILL.md'), skillText('docx'));
    await heard;
    const { prompts } = await client.listPrompts({}, { cacheMode: 'refresh' });
    expect(prompts.map(({ name }) => name)).toEqual(['docx', 'pdf', 'team/pdf', 'zip']);
  });
});

describe('the flags', () => {
  it.each([
    [['--expose', 'tool'], '--expose knows no "tool"'],
    [['--expose', 'tools,'], '--expose knows no ""'],
    [['--expose-to', 'all'], '--expose-to says who sees what --expose names, which is nothing'],
    [['--expose', 'tools', '--expose-to', 'me'], "argument 'me' is invalid"],
    [['--instructions', ' '], '--instructions is empty'],
    [['--instructions', 'x'.repeat(2_001)], '--instructions has 2001 characters'],
  ])('%# are refused', async (flags, message) => {
    const { code, stderr } = await run(['serve', '.', ...flags], { cwd: folder() });
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  it('stand in the configuration for clients', async () => {
    const flags = [
      '--expose',
      'tools',
      '--expose',
      'prompts',
      '--expose-to',
      'all',
      '--instructions',
      'Ask Ada.',
    ];
    const { stdout } = await run(['serve', '.', '--print-config', 'json', ...flags], { cwd: folder() });
    for (const flag of ['--expose=tools', '--expose=prompts', '--expose-to=all', '--instructions=Ask Ada.']) {
      expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(flag));
    }
  });
});
