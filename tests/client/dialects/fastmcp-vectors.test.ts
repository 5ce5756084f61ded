import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SkillsClient } from '../../../src/client/index.ts';
import type { JsonRecord } from '../../../src/client/json-record.ts';
import { codeOf } from '../../archive/code-of.ts';
import { type Seen, scripted } from '../link.ts';
import { fastmcpScript } from './fastmcp-server.ts';

/** What FastMCP 4.0.10 does as a client, and what ours does where that is another thing. */
interface Case {
  readonly case: string;
  readonly tree?: Readonly<Record<string, Readonly<Record<string, string | { readonly base64: string }>>>>;
  readonly manifest?: JsonRecord;
  readonly contents?: readonly JsonRecord[];
  readonly skill: string;
  readonly calls: readonly string[];
  readonly paths?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly error?: string;
  readonly deviation?: Pick<Case, 'files' | 'error'>;
}

const CASES = JSON.parse(
  readFileSync(new URL('../../vectors/fastmcp-client.json', import.meta.url), 'utf8'),
) as readonly Case[];

async function clientOf({
  tree = {},
  manifest,
  contents,
}: Case): Promise<{ client: SkillsClient; seen: Seen[] }> {
  const decoded = Object.fromEntries(
    Object.entries(tree).map(([skill, files]) => [
      skill,
      Object.fromEntries(
        Object.entries(files).map(([path, content]) => [
          path,
          typeof content === 'string' ? content : Buffer.from(content.base64, 'base64'),
        ]),
      ),
    ]),
  );
  const answer = manifest === undefined ? contents : [{ text: JSON.stringify(manifest) }];
  const script = fastmcpScript(decoded, {
    change: (uri, real) =>
      answer === undefined ? real : { contents: answer.map((each) => ({ uri, ...each })) },
  });
  const { client, seen } = await scripted(script);
  return { client: new SkillsClient(client, { dialect: 'fastmcp' }), seen };
}

const reads = (seen: readonly Seen[]): unknown[] =>
  seen.filter(({ method }) => method === 'resources/read').map(({ params }) => params.uri);

describe('the client cases of FastMCP 4.0.10', () => {
  it.each(CASES)('$case', async (given) => {
    const { client, seen } = await clientOf(given);
    const { files, error } = given.deviation ?? given;
    const uri = `skill://${given.skill}/SKILL.md`;
    if (error !== undefined) {
      expect(await codeOf(() => client.getSkill(uri))).toBe(error);
      expect(reads(seen)).toEqual(given.calls);
      return;
    }
    const skill = await client.getSkill(uri);
    expect(reads(seen)).toEqual(given.calls);
    const root = `skill://${given.skill}/`;
    const { resources } = skill.entry;
    if (typeof resources === 'string') throw new Error('the files are not told');
    const paths = resources.map((resource) => decodeURIComponent(resource.uri.slice(root.length)));
    expect(paths.sort()).toEqual(given.paths);
    for (const [path, base64] of Object.entries(files ?? {})) {
      const { bytes, verified } = await client.read(skill, path.split('/').map(encodeURIComponent).join('/'));
      expect(Buffer.from(bytes).toString('base64')).toBe(base64);
      expect(verified).toBe(true);
    }
  });

  it('finds no skill whose main file has another name, as FastMCP finds none', async () => {
    const uris = ['skill://s/README.md', 'skill://s/_manifest'];
    const { client } = await scripted({
      capabilities: { resources: {} },
      answer: (method) =>
        method === 'resources/list' ? { resources: uris.map((uri) => ({ uri, name: uri })) } : undefined,
    });
    expect((await new SkillsClient(client, { dialect: 'fastmcp' }).listSkills()).skills).toEqual([]);
  });
});
