/** Seed 004's order of discovery, for skills and for prompts, by a client that knows resources and prompts alone. */
import { createHash } from 'node:crypto';
import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, afterEach, expect, it } from 'vitest';
import { folderWith, PROGRAM, start, stopAll } from './program.ts';

const SKILL =
  '---\r\nname: pytesting\r\ndescription: Write pytest tests. Use for Python tests.\r\n---\r\nRead references.\r\n';
const FILES: Readonly<Record<string, string | Uint8Array>> = {
  'skills/pytesting/SKILL.md': SKILL,
  'skills/pytesting/references/pytest docs.md': '\ufeff# Pytest\r\n',
  'skills/pytesting/assets/logo.bin': Uint8Array.of(0, 255, 254, 10),
  'skills/other/SKILL.md': '---\nname: other\ndescription: Something else.\n---\nx\n',
  'prompts/code-review.md':
    '---\ndescription: Review a diff\ntags: [review]\narguments:\n  - name: diff\n    required: true\n  - name: focus\n    values: [speed, safety]\n---\nReview {{diff}} for {{focus}}.\n',
  'prompts/triage.md': '---\ndescription: Triage an issue\n---\nTriage.\n',
  'docs/index.md': '# Index\n',
  'docs/guide/a b.md': '# AB\n',
};

const made = folderWith(FILES);
const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
afterAll(async () => {
  await stopAll();
  made.remove();
});

const ARGS = ['serve', 'skills', '--prompts', 'prompts', '--docs', 'docs', '--no-watch'];

function stdio(): Promise<Transport> {
  return Promise.resolve(
    new StdioClientTransport({
      command: process.execPath,
      args: [...PROGRAM, ...ARGS],
      cwd: made.path,
      stderr: 'ignore',
    }),
  );
}

let listening: Promise<string> | undefined;

/** One server for every client over HTTP. */
async function http(): Promise<Transport> {
  listening ??= start([...ARGS, '--http', '0'], { cwd: made.path })
    .until(/listening on (\S+)/)
    .then(([, url]) => url ?? '');
  return new StreamableHTTPClientTransport(new URL(await listening));
}

const bytesOf = (contents: object): Buffer =>
  'text' in contents
    ? Buffer.from(String(contents.text))
    : Buffer.from('blob' in contents ? String(contents.blob) : '', 'base64');

it.each([
  ['stdio', 'legacy', stdio],
  ['stdio', 'auto', stdio],
  ['HTTP', 'legacy', http],
  ['HTTP', 'auto', http],
] as const)('leads over %s (%s) to skills, prompts and documents', async (_over, mode, transport) => {
  const client = new Client({ name: 'plain', version: '1' }, { versionNegotiation: { mode } });
  ends.push(() => client.close());
  await client.connect(await transport());
  const read = async (uri: string): Promise<Buffer> =>
    bytesOf((await client.readResource({ uri })).contents[0] ?? {});
  const json = async (uri: string): Promise<unknown> => JSON.parse((await read(uri)).toString());

  // Skills: list, select by name and description, SKILL.md, _manifest, the supporting files that matter.
  const { resources } = await client.listResources();
  const chosen = resources.find(({ description }) => description?.includes('Python tests') === true);
  expect(chosen).toMatchObject({ uri: 'skill://pytesting/SKILL.md' });
  expect((await read(chosen?.uri ?? '')).toString()).toBe(SKILL);
  const manifestUri = 'skill://pytesting/_manifest';
  expect(resources.map(({ uri }) => uri)).toContain(manifestUri);
  const manifest = (await json(manifestUri)) as {
    skill: string;
    files: { path: string; size: number; hash: string }[];
  };
  expect(manifest.skill).toBe('pytesting');
  expect(manifest.files.map(({ path }) => path).sort()).toEqual([
    'SKILL.md',
    'assets/logo.bin',
    'references/pytest docs.md',
  ]);
  for (const { path, size, hash } of manifest.files) {
    const uri = `skill://pytesting/${path.split('/').map(encodeURIComponent).join('/')}`;
    const bytes = await read(uri);
    expect(bytes).toEqual(Buffer.from(FILES[`skills/pytesting/${path}`] ?? ''));
    expect(bytes.length).toBe(size);
    expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(hash);
  }
  const { resourceTemplates } = await client.listResourceTemplates();
  const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  expect(templates).toEqual(
    expect.arrayContaining([
      'skill://pytesting/{path*}',
      'resource://catalog/prompts_index{?q,tag,cursor,limit}',
      'resource://catalog/prompts/{prompt_id}',
      'resource://prompts/{prompt_id}/document',
      'resource://docs/{path*}',
    ]),
  );

  // Prompts by the catalog: index, search, record, document.
  const index = 'resource://catalog/prompts_index';
  expect(resources.map(({ uri }) => uri)).toContain(index);
  expect(await json(index)).toMatchObject({ total: 2 });
  const { items } = (await json(`${index}?q=DIFF&tag=review&limit=1`)) as {
    items: { id: string; uri: string }[];
  };
  expect(items).toEqual([
    {
      id: 'code-review',
      name: 'code-review',
      description: 'Review a diff',
      tags: ['review'],
      uri: 'resource://prompts/code-review/document',
    },
  ]);
  expect(await json(`resource://catalog/prompts/${items[0]?.id}`)).toMatchObject({
    arguments: [
      { name: 'diff', required: true },
      { name: 'focus', required: false },
    ],
  });
  expect((await read(items[0]?.uri ?? '')).toString()).toBe(FILES['prompts/code-review.md']);

  // Or by MCP's own methods: list, complete, get.
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toEqual(['code-review', 'triage']);
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'code-review' },
    argument: { name: 'focus', value: 's' },
  });
  expect(completion.values).toEqual(['speed', 'safety']);
  const got = await client.getPrompt({
    name: 'code-review',
    arguments: { diff: '{{focus}}', focus: 'safety' },
  });
  expect(got.messages).toEqual([
    { role: 'user', content: { type: 'text', text: 'Review {{focus}} for safety.\n' } },
  ]);
  await expect(client.getPrompt({ name: 'code-review' })).rejects.toMatchObject({ code: -32602 });
  await expect(client.getPrompt({ name: 'none' })).rejects.toMatchObject({ code: -32602 });

  // Documents, by their template.
  expect((await read('resource://docs/guide/a%20b.md')).toString()).toBe('# AB\n');
  await expect(read('resource://docs/../prompts/triage.md')).rejects.toMatchObject({ code: -32602 });
  const cwd = made.path;
  await read('skill://pytesting/../other/SKILL.md').then(
    () => expect.unreachable(),
    (error: Error) => expect(error.message).not.toContain(cwd),
  );
});
