import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SkillsClient, type SkillsClientOptions } from '../../src/client/index.ts';
import type { IndexEntry } from '../../src/wire/index.ts';
import { type Script, SKILLS, scripted } from './link.ts';
import { contents, entryOf, manifestText, notFound, PDF, sha256, skillServer } from './skill-server.ts';

interface DigestCase {
  readonly name: string;
  readonly input: { readonly body: string; readonly expected: string };
  readonly expect: { readonly digestVerified?: boolean; readonly error?: string };
}
const verifyCases = (
  JSON.parse(
    readFileSync(new URL('../vectors/digest.json', import.meta.url), 'utf8'),
  ) as readonly (DigestCase & {
    readonly area: string;
  })[]
).filter(({ area }) => area === 'digest-verify');

const MD = manifestText('pdf');
const SKILL_MD = 'skill://pdf/SKILL.md';
const PINS = 'io.modelcontextprotocol.skills/file-digests';
const entry: IndexEntry = {
  type: 'skill-md',
  name: 'pdf',
  description: 'About pdf',
  url: SKILL_MD,
  digest: sha256(MD),
  _meta: {
    [PINS]: [
      { path: 'references/a.md', digest: sha256('reference a\n') },
      { path: 'how to.md', digest: sha256('other') },
    ],
  },
};

async function start(script: Script, options: SkillsClientOptions = {}) {
  const { client, seen } = await scripted(script);
  return { client: new SkillsClient(client, options), seen };
}
const honest = skillServer(PDF, entryOf('pdf', PDF));

describe('readAndVerify', () => {
  it.each(verifyCases.map((each) => [each.name, each] as const))(
    'as the seed: %s',
    async (_, { input, expect: right }) => {
      const { client } = await start({ answer: () => contents('skill://x/f', input.body) });
      const result = client.readAndVerify('skill://x/f', input.expected);
      if (right.error !== undefined) await expect(result).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' });
      else
        expect(await result).toEqual({
          uri: 'skill://x/f',
          bytes: Buffer.from(input.body),
          digestVerified: right.digestVerified,
        });
    },
  );

  it('names both digests in the failure', async () => {
    const { client } = await start(honest);
    const wrong = `sha256:${'0'.repeat(64)}`;
    await expect(client.readAndVerify(SKILL_MD, wrong)).rejects.toMatchObject({
      details: { expected: wrong, actual: sha256(MD) },
    });
  });
});

describe('readSkillUri', () => {
  it('reads any URI as it is, and checks that the answer is for it', async () => {
    const { client, seen } = await start({ answer: (_, { uri }) => contents(String(uri), 'x') });
    for (const uri of ['skill://pdf/x', 'docs://a?b=c#d', 'not a uri']) {
      expect(Buffer.from(await client.readSkillUri(uri)).toString()).toBe('x');
    }
    expect(seen.map(({ params }) => params.uri)).toEqual(['skill://pdf/x', 'docs://a?b=c#d', 'not a uri']);
    const other = await start({ answer: () => contents('skill://pdf/y', 'x') });
    await expect(other.client.readSkillUri('skill://pdf/x')).rejects.toMatchObject({ code: 'URI_MISMATCH' });
  });

  it.each([
    [{ maxResourceBytes: 4 }, 4],
    [{}, 16_777_216],
  ] as const)('has the cap of %j', async (options, cap) => {
    const at = await start({ answer: () => contents('u:x', 'x'.repeat(cap)) }, options);
    expect(await at.client.readSkillUri('u:x')).toHaveLength(cap);
    const beyond = await start({ answer: () => contents('u:x', 'x'.repeat(cap + 1)) }, options);
    await expect(beyond.client.readSkillUri('u:x')).rejects.toMatchObject({ code: 'RESOURCE_TOO_LARGE' });
  });

  it('has the cap of the seed where the extension is not declared, and none at -1', async () => {
    const big: Script = {
      capabilities: { resources: {} },
      answer: () => contents('u:x', 'x'.repeat(10_485_761)),
    };
    await expect((await start(big)).client.readSkillUri('u:x')).rejects.toMatchObject({
      code: 'RESOURCE_TOO_LARGE',
      details: { limit: 10_485_760 },
    });
    expect(await (await start(big, { maxResourceBytes: -1 })).client.readSkillUri('u:x')).toHaveLength(
      10_485_761,
    );
  });
});

describe('readSkillManifest', () => {
  it('gives the parsed file and its bytes, compared with nothing', async () => {
    const { client } = await start(skillServer({ 'skill://x/SKILL.md': MD }, {}));
    const manifest = await client.readSkillManifest('skill://x/SKILL.md');
    expect(manifest).toMatchObject({
      uri: 'skill://x/SKILL.md',
      body: 'Body.\n',
      frontmatter: { name: 'pdf', description: 'About pdf' },
    });
    expect(Buffer.from(manifest.raw).toString()).toBe(MD);
  });

  it.each([
    ['skill://pdf/references/a.md', 'NOT_MANIFEST_URI'],
    ['skill://pdf', 'NOT_MANIFEST_URI'],
    ['pdf/SKILL.md', 'INVALID_SCHEME'],
  ])('refuses %j before any request', async (uri, code) => {
    const { client, seen } = await start(honest);
    await expect(client.readSkillManifest(uri)).rejects.toMatchObject({ code });
    expect(seen).toEqual([]);
  });

  it('refuses a file without frontmatter', async () => {
    const { client } = await start(skillServer({ [SKILL_MD]: 'x' }, {}));
    await expect(client.readSkillManifest(SKILL_MD)).rejects.toMatchObject({ code: 'MISSING_FRONTMATTER' });
  });
});

describe('readSkillFile', () => {
  it.each(['references/a.md', './references/a.md', 'references/../references/%61.md#x'])(
    'resolves %j',
    async (ref) => {
      const { client } = await start(honest);
      expect(Buffer.from(await client.readSkillFile({ uri: SKILL_MD }, ref)).toString()).toBe(
        'reference a\n',
      );
    },
  );

  it.each(['../other/x', '/etc/passwd', 'https://x/y'])('refuses %j before any request', async (ref) => {
    const { client, seen } = await start(honest);
    await expect(client.readSkillFile({ uri: SKILL_MD }, ref)).rejects.toMatchObject({
      code: 'RELATIVE_ESCAPES_SKILL',
    });
    expect(seen).toEqual([]);
  });
});

describe('readSkillFileVerified', () => {
  it.each(['references/a.md', './references/a.md', 'x/../references/%61.md'])(
    'finds the pin of %j',
    async (ref) => {
      const { client } = await start(honest);
      const result = await client.readSkillFileVerified(entry, { uri: SKILL_MD }, ref);
      expect(result).toEqual({
        uri: 'skill://pdf/references/a.md',
        bytes: Buffer.from('reference a\n'),
        digestVerified: true,
      });
    },
  );

  it.each(['SKILL.md', 'references/b.md'])('refuses %j without a pin before any request', async (ref) => {
    const { client, seen } = await start(honest);
    await expect(client.readSkillFileVerified(entry, { uri: SKILL_MD }, ref)).rejects.toMatchObject({
      code: 'SUPPORTING_FILE_UNPINNED',
    });
    expect(seen).toEqual([]);
  });

  it('refuses other bytes, and takes the entry of a found skill as well', async () => {
    const { client } = await start(honest);
    await expect(client.readSkillFileVerified(entry, { uri: SKILL_MD }, 'how to.md')).rejects.toMatchObject({
      code: 'DIGEST_MISMATCH',
    });
    const skill = await client.getSkill(SKILL_MD);
    expect(await client.readSkillFileVerified(skill, { uri: SKILL_MD }, 'how to.md')).toMatchObject({
      digestVerified: true,
    });
    await expect(client.readSkillFileVerified(skill, { uri: SKILL_MD }, 'no.md')).rejects.toMatchObject({
      code: 'SUPPORTING_FILE_UNPINNED',
    });
  });
});

describe('readIndex', () => {
  it.each([
    ['not found', notFound('skill://index.json')],
    ['unknown', { error: { code: -32603, message: 'unknown resource: x' } }],
    ['method unknown', undefined],
  ])('is empty without a schema when the answer is %s', async (_, answer) => {
    const { client } = await start({ capabilities: { resources: {} }, answer: () => answer });
    expect(await client.readIndex()).toEqual({ $schema: '', skills: [] });
  });

  it('gives every entry as it stands, whatever its type', async () => {
    const document = { $schema: 's', skills: [entry, { type: 'widget', url: 3 }], _meta: { v: 1 }, more: 1 };
    const { client } = await start({
      answer: () => contents('skill://index.json', JSON.stringify(document)),
    });
    expect(await client.readIndex()).toEqual({
      $schema: 's',
      skills: [entry, { type: 'widget', description: '', url: '' }],
      _meta: { v: 1 },
    });
  });

  it('counts neither against the cap nor against the budget', async () => {
    const document = { skills: [{ ...entry, description: 'x'.repeat(2_000) }] };
    const { client } = await start(
      { answer: () => contents('skill://index.json', JSON.stringify(document)) },
      { maxResourceBytes: 10, serverByteBudget: 10 },
    );
    expect((await client.readIndex()).skills).toHaveLength(1);
    expect(client.bytesConsumed).toBe(0);
  });

  it.each(['no json', '[]', '"x"', '{"skills":{}}', '{"skills":[1]}'])('refuses %j', async (text) => {
    const { client } = await start({ answer: () => contents('skill://index.json', text) });
    await expect(client.readIndex()).rejects.toMatchObject({ code: 'INVALID_INDEX' });
  });

  it.each([
    ['a failure', { error: { code: -32603, message: 'oh' } }, 'SERVER_ERROR'],
    ['another URI', contents('skill://other', '{}'), 'URI_MISMATCH'],
  ])('passes on %s', async (_, answer, code) => {
    const { client } = await start({ answer: () => answer });
    await expect(client.readIndex()).rejects.toMatchObject({ code });
  });
});

describe('what a server declares', () => {
  it.each([
    [{}, false, false],
    [{ extensions: {} }, false, false],
    [{ extensions: { 'io.modelcontextprotocol/skills': {} } }, true, false],
    [SKILLS, true, true],
    [{ extensions: { 'io.modelcontextprotocol/skills': { directoryRead: 'true' } } }, true, false],
    [
      {
        extensions: {
          'io.modelcontextprotocol/skills': { specVersion: 'x', config: { directoryRead: true } },
        },
      },
      true,
      true,
    ],
    [{ extensions: { 'io.modelcontextprotocol/skills': { config: { directoryRead: 1 } } } }, true, false],
  ])('%j: skills %j, directories %j', async (capabilities, skills, directories) => {
    const { client, seen } = await start({
      capabilities: { resources: {}, ...capabilities },
      answer: () => undefined,
    });
    expect([client.supportsSkills, client.supportsDirectoryRead]).toEqual([skills, directories]);
    expect(seen).toEqual([]);
  });
});
