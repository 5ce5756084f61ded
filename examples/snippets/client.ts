/** Code of docs/guides/client.md and docs/reference/client.md. */
// #region read
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { cappedFetch, SkillsClient } from 'skillwire/client';

const mcpClient = new Client({ name: 'my-host', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await mcpClient.connect(
  new StreamableHTTPClientTransport(new URL('http://127.0.0.1:8750/mcp'), { fetch: cappedFetch() }),
);

const client = new SkillsClient(mcpClient, { origin: 'docs' });
const { skills, complete, problems } = await client.listSkills();
for (const skill of skills) {
  const { body, verified } = await client.read(skill);
  console.log(skill.entry.uri, skill.integrity, verified, body?.length);
}
// #endregion read
for (const { code, message } of problems) console.error(code, message, complete);

import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { isSkillError } from 'skillwire';
import { type FoundSkill, STDIO_BUFFER_BYTES } from 'skillwire/client';

export async function file(skill: FoundSkill): Promise<string | undefined> {
  // #region file
  try {
    const { text } = await client.read(skill, 'references/FORMS.md');
    return text;
  } catch (error) {
    if (isSkillError(error, 'DIGEST_MISMATCH')) {
      // Edited since it was listed, or a lie. The new entry has to be approved like the first.
      const changed = await client.getSkill(skill.entry.uri);
      console.error(error.message, changed.entry.resources);
      return undefined;
    }
    throw error;
  }
  // #endregion file
}

export async function byUri(): Promise<void> {
  // #region by-uri
  const skill = await client.getSkill('skill://team/refunds/SKILL.md');
  const { frontmatter, body } = await client.read(skill);
  // #endregion by-uri
  console.log(frontmatter, body);
}

export function stdio(): StdioClientTransport {
  // #region stdio
  const transport = new StdioClientTransport({
    command: 'npx',
    args: ['some-mcp-server'],
    maxBufferSize: STDIO_BUFFER_BYTES,
  });
  // #endregion stdio
  return transport;
}

export function changes(): void {
  // #region changes
  mcpClient.setNotificationHandler('notifications/resources/list_changed', () => client.forget());
  // #endregion changes
}

export function reconnecting(connect: () => Promise<Client>): SkillsClient {
  // #region reconnect
  const lasting = new SkillsClient(mcpClient, { origin: 'docs', reconnect: () => connect() });
  // #endregion reconnect
  return lasting;
}

export async function directory(skill: FoundSkill): Promise<void> {
  // #region directory
  if (client.supportsDirectoryRead) {
    for await (const { uri, mimeType } of client.walkDirectory('skill://pdf', { skill })) {
      console.log(uri, mimeType);
    }
  }
  // #endregion directory
}

export async function seed(): Promise<void> {
  // #region seed
  const index = await client.readIndex();
  for (const { entry, body, error } of await client.loadIndex(index)) {
    console.log(entry.url, error?.code ?? body?.length);
  }
  // #endregion seed
  // #region activate
  client.activate('skill://pdf/SKILL.md', { reason: 'user_requested' });
  // #endregion activate
}

export function bounded(): SkillsClient {
  // #region options
  const careful = new SkillsClient(mcpClient, {
    origin: 'docs',
    maxResourceBytes: 1_048_576,
    serverByteBudget: 100_000_000,
    requestTimeoutMs: 10_000,
  });
  // #endregion options
  return careful;
}
