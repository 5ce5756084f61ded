import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { SkillsClient } from 'skillwire/client';
import { hostileServers, openHostile } from 'skillwire/testing';

/** What a host of yours does to use a skill, and whether it did. */
type Load = (client: Client, uri: string, file: string | undefined) => Promise<boolean>;

/** Every lie about the content of a skill, told to your host. */
export async function tellAll(load: Load): Promise<void> {
  // #region all
  for (const { name, at, skill, file, onlyHttp, lies } of hostileServers) {
    if (at !== 'read' || skill === undefined || onlyHttp) continue;
    const hostile = openHostile(name);
    const client = new Client({ name: 'my-host', version: '1.0.0' });
    await client.connect(hostile.connect());
    assert.equal(await load(client, skill, file), false, `${name}: ${lies}`);
    await client.close();
    await hostile.close();
  }
  // #endregion all
}

/** One of them over HTTP. */
export async function overHttp(): Promise<void> {
  // #region http
  const hostile = openHostile('slow-drip');
  const { url } = await hostile.listen();
  const client = new Client({ name: 'my-host', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const skills = new SkillsClient(client, { requestTimeoutMs: 500 });
  await assert.rejects(skills.listSkills(), { code: 'SERVER_UNREACHABLE' });
  await client.close();
  await hostile.close();
  // #endregion http
}

/** What a host may not even ask for. */
export async function unlisted(load: Load): Promise<void> {
  // #region asked
  const hostile = openHostile('unlisted-file');
  const client = new Client({ name: 'my-host', version: '1.0.0' });
  await client.connect(hostile.connect());
  await load(client, 'skill://liar/SKILL.md', 'scripts/install.sh');
  const asked = hostile.requests.map(({ params }) => params.uri);
  assert.ok(!asked.includes('skill://liar/scripts/install.sh'));
  // #endregion asked
  await client.close();
  await hostile.close();
}
