/**
 * The client that the public suite judges: lists, and where a scenario is about reading, reads every file of every skill
 * until one is refused. The URL of the suite's server is the last argument, the scenario is in the environment.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { cappedFetch, SkillsClient, safeCatalogBlock } from '../../src/client/index.ts';
import { isSkillError } from '../../src/errors.ts';

const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_PROTOCOL_VERSION: version } = process.env;
const client = new Client(
  { name: 'skillwire-conformance', version: '1.0.0' },
  version === '2026-07-28'
    ? { versionNegotiation: { mode: { pin: version } } }
    : { supportedProtocolVersions: [version ?? '2025-11-25'] },
);
const url = new URL(process.argv.at(-1) ?? '');
await client.connect(new StreamableHTTPClientTransport(url, { fetch: cappedFetch() }));
const skills = new SkillsClient(client, { origin: 'conformance' });
const listing = await skills.listSkills();
// What a host does with a listing alone must not fetch anything either.
console.log(safeCatalogBlock(listing.skills, { origin: 'conformance' }).text);

if (scenario !== 'sep-2640-client-no-prefetch') {
  for (const skill of listing.skills) {
    const { resources } = skill.entry;
    if (typeof resources === 'string') throw new Error(`${skill.entry.uri} does not tell its files`);
    try {
      await skills.read(skill);
      for (const { uri } of resources) await skills.read(skill, uri);
      console.log(`${skill.entry.uri}: verified`);
    } catch (error) {
      if (!isSkillError(error)) throw error;
      console.log(`${skill.entry.uri}: refused, ${error.code}`);
    }
  }
}
await client.close();
