import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SkillsClient } from '../../src/client/index.ts';
import type { JsonRecord } from '../../src/client/json-record.ts';
import { isSkillError } from '../../src/errors.ts';
import { type Answer, SKILLS, scripted } from './link.ts';
import { entryOf, PDF } from './skill-server.ts';

const entry = entryOf('pdf', PDF);
const uris = fc.constantFrom(
  'skill://pdf/SKILL.md',
  'skill://pdf/references/a.md',
  'skill://index.json',
  'file:///x',
  '',
  'x',
);
const leaf = fc.oneof(
  fc.json().map((text) => JSON.parse(text) as unknown),
  uris,
  fc.constantFrom('dynamic', 'skill-md', 'archive'),
);
/** Objects that look like the answers of servers, more or less. */
const answers: fc.Arbitrary<JsonRecord> = fc.oneof(
  fc.record(
    {
      skills: fc.oneof(
        leaf,
        fc.array(
          fc.oneof(
            leaf,
            fc.constant(entry),
            fc.record(
              {
                uri: uris,
                frontmatter: leaf,
                resources: leaf,
                type: leaf,
                url: uris,
                name: leaf,
                description: leaf,
                digest: leaf,
              },
              { requiredKeys: [] },
            ),
          ),
          { maxLength: 5 },
        ),
      ),
      skill: fc.oneof(leaf, fc.constant(entry)),
      contents: fc.oneof(
        leaf,
        fc.array(fc.record({ uri: uris, text: leaf, blob: leaf, mimeType: leaf }, { requiredKeys: [] }), {
          maxLength: 2,
        }),
      ),
      resources: fc.oneof(
        leaf,
        fc.array(fc.record({ uri: uris, name: leaf, mimeType: leaf, _meta: leaf }, { requiredKeys: [] }), {
          maxLength: 4,
        }),
      ),
      nextCursor: fc.oneof(fc.constant(undefined), leaf, fc.constantFrom('a', 'b', '')),
      ttlMs: leaf,
    },
    { requiredKeys: [] },
  ),
  fc
    .dictionary(fc.string(), leaf)
    .map((record) => Object.fromEntries(Object.entries(record).filter(([key]) => key !== 'error'))),
);
const failures: fc.Arbitrary<Answer> = fc
  .record({ code: fc.constantFrom(-32601, -32602, -32603, -32002, 0), message: fc.string() })
  .map((error) => ({ error }));

describe('whatever a server answers', () => {
  it('ends, and throws nothing but a SkillError', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 5, arbitrary: answers }, { weight: 1, arbitrary: failures }), {
          minLength: 1,
          maxLength: 8,
        }),
        fc.constantFrom({ resources: {} }, SKILLS, {}),
        fc.boolean(),
        async (script, capabilities, modern) => {
          let turn = 0;
          const { client: mcp } = await scripted(
            { capabilities, answer: () => script[turn++ % script.length] },
            modern ? { versionNegotiation: { mode: { pin: '2026-07-28' } } } : {},
          );
          const client = new SkillsClient(mcp, { plain: true, dynamic: true, maxPages: 20 });
          const seen: unknown[] = [];
          const settle = async (work: () => Promise<unknown>): Promise<void> => {
            try {
              seen.push(await work());
            } catch (error) {
              if (!isSkillError(error)) throw error;
            }
          };
          await settle(async () => {
            for (const skill of (await client.listSkills()).skills) {
              await settle(() => client.read(skill));
              await settle(() => client.read(skill, 'references/a.md'));
            }
          });
          await settle(() => client.getSkill('skill://pdf/SKILL.md'));
          await settle(() => client.readSkillManifest('skill://pdf/SKILL.md'));
          await settle(() => client.readIndex());
          await settle(() => client.loadAll());
          await settle(() => client.readDirectory('skill://pdf'));
          await settle(async () => {
            for await (const child of client.walkDirectory('skill://pdf')) seen.push(child);
          });
          await mcp.close();
        },
      ),
      { numRuns: 150 },
    );
  }, 60_000);

  it('hands out as verified nothing but what the entry states', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.constant(PDF['skill://pdf/references/a.md'] ?? ''), fc.string()),
        fc.boolean(),
        async (text, asBlob) => {
          const uri = 'skill://pdf/references/a.md';
          const item = asBlob ? { uri, blob: Buffer.from(text).toString('base64') } : { uri, text };
          const { client: mcp } = await scripted({
            answer: (method) => (method === 'skills/get' ? { skill: entry } : { contents: [item] }),
          });
          const client = new SkillsClient(mcp);
          const skill = await client.getSkill('skill://pdf/SKILL.md');
          const file = await client.read(skill, uri).catch((error: unknown) => {
            if (!isSkillError(error)) throw error;
            return undefined;
          });
          expect(file !== undefined).toBe(text === 'reference a\n');
          await mcp.close();
        },
      ),
      { numRuns: 100 },
    );
  }, 60_000);
});
